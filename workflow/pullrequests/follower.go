package pullrequests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// A Follower opens pull requests and follows them. Its fields are set once.
type Follower struct {
	Rows         pullrequest.Register
	Repositories []repository.Repository
	Agent        string                                        // the agent that signs the lines
	ThreadURL    func(thread workflow.Thread) string           // URL of a thread; nil: bodies have no link
	NameOf       func(ctx context.Context, user string) string // name of a person; nil: nobody is named
	Secrets      *redact.Finder                                // masked in what goes to a host, and in lines
	// SecretsOf returns Secrets with those in the private files of a commit; nil: logs are masked with Secrets.
	SecretsOf func(ctx context.Context, r remote.Remote, commit string) (*redact.Finder, error)
	Pace      time.Duration // interval of the first polls; default 30 s
	Log       *slog.Logger

	skipLookup bool // tests only: opens without looking for a pull request first
}

// Look does the next step for each of the session's pull requests. It returns after which time one of
// them is due again; zero: never.
func (k *Follower) Look(ctx context.Context, session string) (again time.Duration, err error) {
	rows, err := k.Rows.All(ctx, session)
	for _, row := range rows {
		next, failed := k.lookAt(ctx, row)
		if next > 0 && (again == 0 || next < again) {
			again = next
		}
		err = errors.Join(err, failed)
	}
	return again, err
}

func (k *Follower) lookAt(ctx context.Context, row pullrequest.Row) (again time.Duration, err error) {
	at := k.hostOf(row.Repository)
	switch {
	case row.State == pullrequest.Intended && at == nil:
		after := row
		after.State, after.Reason = pullrequest.Refused, "the configuration names no host for "+row.Repository
		return 0, k.Rows.Change(ctx, row, after)
	case row.State == pullrequest.Intended:
		again, err = k.open(ctx, row, *at)
	case at == nil && (row.State == pullrequest.Open || row.State == pullrequest.Merged || row.State == pullrequest.Closed):
		return maxPollInterval, nil // the configuration may name a host again
	case row.State == pullrequest.Merged:
		again, err = k.watchReverts(ctx, row, at.Host)
	case row.State == pullrequest.Closed:
		again, err = k.watchClosed(ctx, row, at.Host)
	case row.State == pullrequest.Open:
		again, err = k.follow(ctx, row, *at)
	}
	var refused *remote.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		k.Log.Warn("a git host refused", "session", row.Session, "repository", row.Repository, "branch", row.Branch, "err", err)
		return max(refused.After, k.pause(row)), nil
	}
	return again, err
}

// hostOf returns where the repository's pull requests are, or nil if it has no host.
func (k *Follower) hostOf(name string) *repository.PullRequests {
	at := slices.IndexFunc(k.Repositories, func(r repository.Repository) bool { return r.Name == name })
	if at < 0 || k.Repositories[at].Pulls.Host == nil {
		return nil
	}
	return &k.Repositories[at].Pulls
}

// open opens the pull request, or finds one that is open already. A refusal that no retry would fix is
// recorded and posted; any other error leads to a retry.
func (k *Follower) open(ctx context.Context, row pullrequest.Row, at repository.PullRequests) (time.Duration, error) {
	p, err := k.findOrOpen(ctx, row, at)
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && !refused.Retry:
		after := row
		after.State, after.Reason = pullrequest.Refused, refused.Reason
		return 0, k.Rows.Change(ctx, row, after, k.line(fmt.Sprintf("No %s could be opened for `%s`: %s. %s. The branch stands.", k.words(row).Noun, row.Branch, refused.Reason, refused.Cure)))
	case err != nil:
		return 0, err
	}
	failpoint.Crash("pull_request_opened")
	after := row
	after.State, after.Number, after.URL = string(p.State), p.Number, p.URL // its text is checked with the next poll: a pull request that was found may have the text of an earlier try
	kind := k.words(row).Noun
	if p.Draft {
		kind = "draft " + kind
	}
	said := fmt.Sprintf("%s %s: `%s` into %s.", plaintext.Capitalize(kind), k.name(after), row.Branch, row.Base)
	return k.pause(after), k.Rows.Change(ctx, row, after, k.line(said))
}

// findOrOpen first looks for a pull request that an earlier try may have opened, and opens one if there
// is none. A lower number than that in the row belongs to an earlier push, and so does the same number, unless
// somebody reopened it.
func (k *Follower) findOrOpen(ctx context.Context, row pullrequest.Row, at repository.PullRequests) (host.PullRequest, error) {
	find := func() (*host.PullRequest, error) {
		p, err := at.Host.Find(ctx, row.Branch)
		if err != nil || p == nil || p.Number < row.Number || p.Number == row.Number && p.State != host.Open {
			return nil, err
		}
		return p, nil
	}
	if row.Tried && !k.skipLookup {
		if p, err := find(); err != nil || p != nil {
			return deref(p), err
		}
	}
	if err := k.Rows.Trying(ctx, row); err != nil {
		return host.PullRequest{}, err
	}
	text, err := k.text(ctx, row)
	if err != nil {
		return host.PullRequest{}, err
	}
	failpoint.Crash("pull_request_tried")
	p, err := at.Host.Open(ctx, host.Opening{Branch: row.Branch, Base: row.Base, Title: row.Title, Body: text, Draft: at.Draft})
	if errors.Is(err, host.ErrExists) {
		if found, lookup := find(); lookup != nil || found != nil {
			return deref(found), lookup
		}
	}
	return p, err
}

func deref(p *host.PullRequest) host.PullRequest {
	if p == nil {
		return host.PullRequest{}
	}
	return *p
}

// pause returns the time until the next poll, which is longer the longer nothing has happened.
func (k *Follower) pause(row pullrequest.Row) time.Duration {
	pace := cmp.Or(k.Pace, failpoint.Wait(failpoint.PullRequestPace, 30*time.Second))
	switch quiet := time.Since(row.NewsAt); {
	case quiet < 10*time.Minute:
		return pace
	case quiet < 2*time.Hour:
		return 4 * pace
	case quiet < 24*time.Hour:
		return 20 * pace
	case quiet < 7*24*time.Hour:
		return 120 * pace
	}
	return maxPollInterval
}

// maxPollInterval is the longest time between two polls, for a pull request that nothing happens to.
const maxPollInterval = 6 * time.Hour

// words returns how the host names a pull request.
func (k *Follower) words(row pullrequest.Row) host.Terms {
	if at := k.hostOf(row.Repository); at != nil {
		return at.Words()
	}
	return host.WordsOf("")
}

// name returns a pull request's number, as a link to its page if that is known.
func (k *Follower) name(row pullrequest.Row) string {
	number := fmt.Sprintf("%s%d", k.words(row).Mark, row.Number)
	if row.URL == "" {
		return number
	}
	return "[" + number + "](" + row.URL + ")"
}

// line returns a line that the program says of a pull request, and vouches for.
func (k *Follower) line(text string, buttons ...workflow.Button) store.Part {
	return store.Lines{{Agent: k.Agent, Text: k.Secrets.Mask(text), Vouched: []int{0}, Buttons: buttons}}
}
