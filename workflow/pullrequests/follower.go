package pullrequests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
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
	// SecretsOf returns Secrets with those in the private files of a commit; nil:
	// logs are masked with Secrets.
	SecretsOf func(ctx context.Context, r remote.Remote, commit string) (*redact.Finder, error)
	Pace      time.Duration // interval of the first polls; default 30 s
	// Mirrors are where branches with new tests alone are made; nil: none is.
	Mirrors *git.Mirrors
	Dir     string // the folder of sessions, where the files of such a branch lie while it is made
	Log     *slog.Logger

	skipLookup bool // tests only: opens without looking for a pull request first
	saysAgain  bool // tests only: conflicts are told at each look
	// tests only: called at each point of a proof by CI; an error ends the look there, as a kill does
	reached func(point string) error
}

func (f *Follower) reach(point string) error {
	if f.reached == nil {
		return nil
	}
	return f.reached(point)
}

// Look does the next step for each of the session's pull requests, and for each pushed commit that CI is to
// prove. It returns after which time one of them is due again; zero: never.
func (f *Follower) Look(ctx context.Context, session string) (again time.Duration, err error) {
	took := func(next time.Duration, failed error) {
		if next > 0 && (again == 0 || next < again) {
			again = next
		}
		err = errors.Join(err, failed)
	}
	rows, failed := f.Rows.All(ctx, session)
	took(0, failed)
	for _, row := range rows {
		took(f.lookAt(ctx, row))
	}
	branches, failed := f.merges().Branches(ctx, session)
	took(0, failed)
	for _, b := range branches {
		if b.Followed && b.State != merges.Ended {
			took(f.lookAtBranch(ctx, b))
		}
	}
	proofs, failed := f.proofs().Of(ctx, session)
	took(0, failed)
	for _, row := range proofs {
		if row.Open() {
			took(f.lookAtProof(ctx, row))
		}
	}
	return again, err
}

func (f *Follower) lookAt(ctx context.Context, row pullrequest.Row) (again time.Duration, err error) {
	at := f.hostOf(row.Repository)
	switch {
	case row.State == pullrequest.Intended && at == nil:
		after := row
		after.State = pullrequest.Refused
		after.Reason = "the configuration names no host for " + row.Repository
		return 0, f.Rows.Change(ctx, row, after)
	case row.State == pullrequest.Intended:
		again, err = f.open(ctx, row, *at)
	case at == nil &&
		(row.State == pullrequest.Open || row.State == pullrequest.Merged || row.State == pullrequest.Closed):
		return maxPollInterval, nil // the configuration may name a host again
	case row.State == pullrequest.Merged:
		again, err = f.watchReverts(ctx, row, at.Host)
	case row.State == pullrequest.Closed:
		again, err = f.watchClosed(ctx, row, at.Host)
	case row.State == pullrequest.Open:
		again, err = f.follow(ctx, row, *at)
	}
	var refused *remote.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		f.Log.Warn("a git host refused", "session", row.Session, "repository", row.Repository,
			"branch", row.Branch, "err", err)
		return max(refused.After, f.pause(row)), nil
	}
	return again, err
}

// hostOf returns where the repository's pull requests are, or nil if it has no host.
func (f *Follower) hostOf(name string) *repository.PullRequests {
	r := f.repositoryOf(name)
	if r == nil || r.Pulls.Host == nil {
		return nil
	}
	return &r.Pulls
}

// repositoryOf returns the repository of that name, or nil if the configuration names none.
func (f *Follower) repositoryOf(name string) *repository.Repository {
	at := slices.IndexFunc(f.Repositories, func(r repository.Repository) bool { return r.Name == name })
	if at < 0 {
		return nil
	}
	return &f.Repositories[at]
}

// open opens the pull request, or finds one that is open already. A refusal that no retry would fix is
// recorded and posted; any other error leads to a retry.
func (f *Follower) open(
	ctx context.Context, row pullrequest.Row, at repository.PullRequests,
) (time.Duration, error) {
	p, err := f.findOrOpen(ctx, row, at)
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && !refused.Retry:
		after := row
		after.State = pullrequest.Refused
		after.Reason = refused.Reason
		return 0, f.Rows.Change(ctx, row, after,
			f.line(fmt.Sprintf("No %s could be opened for `%s`: %s. %s. The branch stands.",
				f.words(row).Noun, row.Branch, refused.Reason, refused.Cure)))
	case err != nil:
		return 0, err
	}
	failpoint.Crash("pull_request_opened")
	after := row
	after.State = string(p.State)
	after.Number = p.Number
	// its text is checked with the next poll: a pull request that was found may
	// have the text of an earlier try
	after.URL = p.URL
	kind := f.words(row).Noun
	if p.Draft {
		kind = "draft " + kind
	}
	said := fmt.Sprintf("%s %s: `%s` into %s.", plaintext.Capitalize(kind), f.name(after),
		row.Branch, row.Base)
	if err := f.Rows.Change(ctx, row, after, f.line(said), pullrequest.NameInThread{}); err != nil {
		return 0, err
	}
	failpoint.Crash("pull_request_said")
	if p.State != host.Open {
		return f.pause(after), nil
	}
	return f.pause(after), f.putPapers(ctx, after, at.Host)
}

// findOrOpen first looks for a pull request that an earlier try may have opened, and opens one if there
// is none. A lower number than that in the row belongs to an earlier push, and so does the same number,
// unless somebody reopened it.
func (f *Follower) findOrOpen(
	ctx context.Context, row pullrequest.Row, at repository.PullRequests,
) (host.PullRequest, error) {
	find := func() (*host.PullRequest, error) {
		p, err := at.Host.Find(ctx, row.Branch)
		if err != nil || p == nil || p.Number < row.Number || p.Number == row.Number && p.State != host.Open {
			return nil, err
		}
		return p, nil
	}
	if row.Tried && !f.skipLookup {
		if p, err := find(); err != nil || p != nil {
			return deref(p), err
		}
	}
	if err := f.refuseEnded(ctx, row, at); err != nil {
		return host.PullRequest{}, err
	}
	if err := f.Rows.Trying(ctx, row); err != nil {
		return host.PullRequest{}, err
	}
	others, err := f.together(ctx, row)
	if err != nil {
		return host.PullRequest{}, err
	}
	text, err := f.text(ctx, row, others)
	if err != nil {
		return host.PullRequest{}, err
	}
	failpoint.Crash("pull_request_tried")
	// A process that was frozen is not to open it: another one took its job over. The host would refuse a
	// second one only until the first is merged or closed.
	if err := f.Rows.Trying(ctx, row); err != nil && !failpoint.Disabled(failpoint.HostJob) {
		return host.PullRequest{}, err
	}
	p, err := at.Host.Open(ctx, host.Opening{
		Branch: row.Branch, Base: row.Base, Title: row.Title, Body: opening(row, text), Draft: at.Draft,
	})
	if errors.Is(err, host.ErrExists) {
		if found, lookup := find(); lookup != nil || found != nil {
			return deref(found), lookup
		}
	}
	return p, err
}

// refuseEnded returns a *remote.Error if the pull request is to go into the branch of another one, which the
// session is about, and that was merged or closed since the push.
func (f *Follower) refuseEnded(
	ctx context.Context, row pullrequest.Row, at repository.PullRequests,
) error {
	session, err := f.Rows.Store.Session(ctx, row.Session)
	if err != nil || session.Pull == 0 || row.Base != session.BaseBranch {
		return err
	}
	theirs, err := at.Host.Look(ctx, session.Pull)
	if err != nil || theirs.State == host.Open {
		return err
	}
	cure := "What was pushed can be merged by hand"
	if theirs.State == host.Merged && session.PullInto != "" {
		cure = fmt.Sprintf("To have it on %s, reply \"bring it to %s\"", plaintext.CodeSpan(session.PullInto),
			plaintext.OneLine(session.PullInto))
	}
	return &remote.Error{
		Op: "open a " + at.Words().Noun,
		Reason: fmt.Sprintf("%s%d, into which it would go, was %s since", at.Words().Mark, session.Pull,
			theirs.State),
		Cure: cure,
	}
}

func deref(p *host.PullRequest) host.PullRequest {
	if p == nil {
		return host.PullRequest{}
	}
	return *p
}

// pause returns the time until the next poll, which is longer the longer nothing has happened.
func (f *Follower) pause(row pullrequest.Row) time.Duration {
	return f.pauseSince(row.NewsAt)
}

// pauseSince returns that time, if nothing has happened since then.
func (f *Follower) pauseSince(news time.Time) time.Duration {
	pace := f.pace()
	switch quiet := time.Since(news); {
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

// pace returns the interval of the first polls.
func (f *Follower) pace() time.Duration {
	return cmp.Or(f.Pace, failpoint.Wait(failpoint.PullRequestPace, 30*time.Second))
}

// maxPollInterval is the longest time between two polls, for a pull request that nothing happens to.
const maxPollInterval = 6 * time.Hour

// words returns how the host names a pull request.
func (f *Follower) words(row pullrequest.Row) host.Terms {
	if at := f.hostOf(row.Repository); at != nil {
		return at.Words()
	}
	return host.WordsOf("")
}

// name returns a pull request's number, as a link to its page if that is known.
func (f *Follower) name(row pullrequest.Row) string {
	number := fmt.Sprintf("%s%d", f.words(row).Mark, row.Number)
	if row.URL == "" {
		return number
	}
	return "[" + number + "](" + row.URL + ")"
}

// line returns a line that the program says of a pull request, and vouches for.
func (f *Follower) line(text string, buttons ...workflow.Button) store.Part {
	return store.Lines{{Agent: f.Agent, Text: f.Secrets.Mask(text), Vouched: []int{0}, Buttons: buttons}}
}
