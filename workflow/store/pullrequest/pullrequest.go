// Package pullrequest keeps the pull requests of branches that were pushed. A row is the intent
// to open one, with the repository and the branch as its key, and later what became of it: a
// second push of the branch changes the row, and never makes another.
//
// Whoever asks a host works under the session's job of package queue. It writes what it found
// with Change, together with the line that tells the thread of it, and only while the job is its
// own and the row still as it was read.
package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// The states of a row.
const (
	Intended = "intended" // the host is to be asked for it
	Open     = "open"
	Merged   = "merged" // and watched for a while, whether it is reverted
	Reverted = "reverted"
	Closed   = "closed"
	Refused  = "refused" // by the host; the branch stands
)

// A Row is the pull request of a branch.
type Row struct {
	Proposal
	Session string
	State   string
	Tried   bool // the host may have it already
	Number  int64
	URL     string
	Reason  string    // why it was refused
	Worded  string    // the commit whose words the host has as its text
	Checked string    // what the thread knows of its checks
	Failure string    // what failed, for whoever mends it
	Heard   time.Time // up to where comments were taken in, by the host's clock
	NewsAt  time.Time
	Aside   bool // it is of a backport, beside the session's own
}

// A Proposal is what a pull request is to be.
type Proposal struct {
	Repository string // its name in the configuration
	Branch     string
	Head       string // the commit that was pushed last
	Base       string // the branch that it is to go into
	Title      string
	Body       string
	Files      []string // that were changed
}

// Intent is that the branch which was pushed is to have a pull request. One that it has had
// stays, and is looked at anew; while it is open its text tells of all pushes, the newest first.
type Intent Proposal

func (Intent) Stage() record.Stage { return record.Push }

// Write keeps the row, and has the session's job begin at once.
func (i Intent) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `insert into pull_requests (repository, branch, session_id, head, base, title, body, files) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (repository, branch) do update set head = excluded.head, title = excluded.title, files = excluded.files, reason = '', checked = '', failure = '', news_at = now(), woken = true,
			body = case when pull_requests.state = 'open' then left(format(E'## %s\n\n%s\n\n## Before that\n\n%s', excluded.title, excluded.body, pull_requests.body), 100000) else excluded.body end,
			state = case when pull_requests.state = 'open' then 'open' else 'intended' end
		where pull_requests.session_id = excluded.session_id`,
		i.Repository, i.Branch, r.Session, i.Head, i.Base, database.CleanText(i.Title), database.CleanText(i.Body), append([]string{}, i.Files...))
	if err != nil {
		return fmt.Errorf("pull request: %w", err)
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

const columns = `repository, branch, session_id as session, head, base, title, body, files, state, tried_at is not null as tried, number, url, reason, worded, checked, failure, heard, news_at,
	exists (select 1 from backports b where (b.repository, b.branch) = (pull_requests.repository, pull_requests.branch)) as aside`

// All are the session's pull requests, oldest first; none where its words were cleaned away.
func (g Register) All(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx, `select `+columns+` from pull_requests where session_id = $1
		and not exists (select 1 from sessions where id = $1 and cleared_at is not null) order by at, branch`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Row])
}

// Of is the pull request of the session's own branch; nil where it has none, or its words were
// cleaned away.
func (g Register) Of(ctx context.Context, session string) (*Row, error) {
	all, err := g.All(ctx, session)
	for _, r := range slices.Backward(all) {
		if !r.Aside {
			return &r, err
		}
	}
	return nil, err
}

// Remarked is the pull request that a message of the inbox was written on: of one that the session
// had before, its own.
func (g Register) Remarked(ctx context.Context, m incoming.Message) (*Row, error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(m.EventID, m.Session+remarkMark), ":")
	all, err := g.All(ctx, m.Session)
	for _, r := range all {
		if fmt.Sprint(r.Number) == number {
			return &r, err
		}
	}
	if err != nil {
		return nil, err
	}
	return g.Of(ctx, m.Session)
}

// Trying marks that the host is asked for it from now on: whoever comes later looks it up first.
func (g Register) Trying(ctx context.Context, r Row) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update pull_requests set tried_at = coalesce(tried_at, now()) where repository = $1 and branch = $2`, r.Repository, r.Branch)
		return err
	})
}

// Change writes what became of a row, and the parts that go with it, such as the line in the thread; nothing where another
// push came since, or where somebody else wrote it meanwhile.
func (g Register) Change(ctx context.Context, before, after Row, parts ...store.Part) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		// The session's row first, as everybody who speaks in its thread.
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, before.Session); err != nil {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update pull_requests set state = $3, number = $4, url = $5, reason = $6, checked = $7, failure = $8, looked_at = now(),
				worded = $14, heard = greatest(heard, $13), news_at = case when $9 then now() else news_at end
			where repository = $1 and branch = $2 and state = $10 and head = $11 and checked = $12`,
			before.Repository, before.Branch, after.State, after.Number, after.URL, database.CleanText(after.Reason), after.Checked, database.CleanText(after.Failure), len(parts) > 0,
			before.State, before.Head, before.Checked, after.Heard, after.Worded)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		for _, p := range parts {
			if err := p.Write(ctx, tx, &record.Recording{Session: before.Session, Queue: g.Store.Queue}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Wake has the open pull requests of a repository looked at soon. Their sessions' rows are locked,
// so that a look which ends now either sees that it is to come again, or has put the next one down.
func (g Register) Wake(ctx context.Context, repository string) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select id from sessions where id in (select session_id from pull_requests where repository = $1 and state = 'open') order by id for update`, repository); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update pull_requests set woken = true where repository = $1 and state = 'open'`, repository); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update river_job j set state = 'available', scheduled_at = greatest(now(), p.looked_at + $2) from pull_requests p where p.repository = $1 and p.state = 'open'
			and j.kind = 'pull_request' and j.args->>'session' = p.session_id and j.state = 'scheduled' and j.scheduled_at > now()`, repository, queue.LookPause)
		return err
	})
}

// A Remark is what somebody wrote on the pull request, for the session's intake to judge. The
// same one is taken in once, and of people whom nobody knows no more than mostStrangers.
type Remark struct {
	ID    string // the pull request's number and the remark's own at the host: 4:c17
	Login string // of whoever wrote it, at the host
	User  string // who that is in Slack; empty: nobody knows
	Place string // of the code that it is about; empty: of none
	Text  string
}

// remarkMark stands between a session and a Remark's ID.
const remarkMark = ":remark:"

// mostStrangers keeps a thread from being flooded from outside.
const mostStrangers = 20

func (Remark) Stage() record.Stage { return record.Inbox }

// Write puts it into the inbox, where no word of it acts before it is judged.
func (m Remark) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, text, action_id, value)
		select $1, $2, $3, '', $4, $5, $6, $7 where $4 <> '' or (select count(*) from inbox where session_id = $1 and kind = $3 and user_id = '') < $8
		on conflict do nothing`, r.Session, r.Session+remarkMark+m.ID, incoming.Remark, m.User, database.CleanText(m.Text), database.CleanText(m.Place), database.CleanText(m.Login), mostStrangers)
	if err != nil {
		return fmt.Errorf("a remark on a pull request: %w", err)
	}
	return r.Queue.InsertTurn(ctx, tx, r.Session)
}
