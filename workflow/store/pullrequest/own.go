package pullrequest

import (
	"context"
	"fmt"
)

// A Pull is a pull request at the host, of which it is asked whose it is.
type Pull struct {
	Repository string // its name in the configuration
	Number     int64
	Branch     string
	Head       string // the commit that the branch is at
	Fork       bool   // the branch is in another repository
}

// IsOwn reports whether a pull request is the bot's: it opened it, or pushed its branch. A branch in another
// repository may have the name of one that the bot pushed, so there the commit counts.
func (g Register) IsOwn(ctx context.Context, p Pull) (own bool, err error) {
	err = g.Store.Pool.QueryRow(ctx, `select
		exists (select 1 from pull_requests where repository = $1 and number = $2)
		or exists (select 1 from pushes p join sessions s on s.id = p.session_id
			where s.repository = $1 and p.branch = $3
				and ($4 <> '' and p.commit_hash = $4 or p.state = 'pushed' and not $5))
		or exists (select 1 from backports b
			where b.repository = $1 and b.branch = $3 and not b.direct
				and ($4 <> '' and b.commit_hash = $4 or b.state = 'pushed' and not $5))`,
		p.Repository, p.Number, p.Branch, p.Head, p.Fork).Scan(&own)
	if err != nil {
		return false, fmt.Errorf("whose pull request %d of %s is: %w", p.Number, p.Repository, err)
	}
	return own, nil
}

// IsOwnBranch reports whether the bot pushed a branch of that name to the repository.
func (g Register) IsOwnBranch(ctx context.Context, repository, branch string) (bool, error) {
	return g.IsOwn(ctx, Pull{Repository: repository, Number: -1, Branch: branch})
}
