package lookback

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A Looker works look backs. All of its fields are set once, before the first job.
type Looker struct {
	Store        *store.Store
	Repositories []repository.Repository
	// repositories where the author of the bug is mentioned, not only named
	MentionAuthors map[string]bool
	// nil: nobody is mentioned
	Slack   ledger.Slack
	Mirrors *git.Mirrors
	// nil: nothing can be run
	Checker *build.Checker
	// for all runs of one look back; zero: nothing is run
	Limit   time.Duration
	Secrets *redact.Finder
	// the agent that signs the lines
	Signature string
	Log       *slog.Logger
}

// A Push is a push that succeeded, with its proof.
type Push struct {
	Wanted       bool // false: nothing is run
	OfRelease    bool // it is for a release: whether the repository's base needs it is looked at in any case
	Repository   string
	Base, Commit string
	Project      project.Project
	Changes      []diff.Change
	Proof        proof.Proof
}

// Parts returns the row that asks since when, and on which releases, the new tests of the push are red.
// If no test shows the bug, the row of a push for a release asks nothing but whether the change fits the
// repository's base. Any other push has none then.
func (p Push) Parts() []store.Part {
	probe, ok := past.Tests(p.Project, p.Commit, p.Changes, p.Proof)
	runs := p.Wanted && ok
	if !runs {
		probe = past.Probe{}
	}
	text, err := json.Marshal(probe)
	if !runs && !p.OfRelease || err != nil {
		return nil
	}
	return []store.Part{
		progress.Lookback{Key: pushKey + p.Commit, Repository: p.Repository, Base: p.Base, Probe: text},
	}
}

// pushKey is the prefix of the key of a look back that a push asked for.
const pushKey = "push:"

// BeforeFix returns the row that asks the same for the command that reproduces the bug of a report, or that
// asks on which releases the command fails if it passes on the base.
func BeforeFix(repository string, r workflow.Report, probe past.Probe) (store.Part, error) {
	text, err := json.Marshal(probe)
	return progress.Lookback{
		Key:        fmt.Sprintf("report:%d", r.Revision),
		Repository: repository,
		Base:       r.BaseCommit,
		Probe:      text,
	}, err
}

// pulse is the interval at which watch looks whether the look back was ended. It is short, since a stop
// has to take effect soon.
const pulse = 400 * time.Millisecond

var errEnded = errors.New("the look back was ended")

// Run works the session's open look back, if there is one. It returns nil if the look back was ended
// meanwhile.
func (l *Looker) Run(ctx context.Context, session string) error {
	row, err := l.Store.OpenLookback(ctx, session)
	if err != nil || row == nil {
		return err
	}
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.watch(watched, row.ID, cancel)
	}()
	defer func() {
		cancel(nil)
		<-done
	}()
	err = l.work(watched, *row)
	if errors.Is(context.Cause(watched), errEnded) {
		return nil
	}
	return err
}

// watch cancels ctx with errEnded when the look back was stopped or a newer one replaced it.
func (l *Looker) watch(ctx context.Context, id int64, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if open, err := l.Store.LookbackIsOpen(ctx, id); err == nil && !open {
			cancel(errEnded)
		}
	}
}

// A look is one look back that is being worked.
type look struct {
	*Looker
	row        workflow.Lookback
	probe      past.Probe
	repository repository.Repository
	mirror     *git.Mirror
	began      time.Time // when the session began
	base       string    // the session's base; empty: the repository's
	pushed     string    // the commit whose push asked for it; empty: a report did
	unproven   bool      // nothing was proven of that commit
	ofPull     bool      // the base is the branch of a pull request, which is not merged yet
	// Secrets and those in the private files of the base and of the change
	hide  *redact.Finder
	tries map[string]workflow.LookbackTry // the runs that are recorded, by tryKey
	until time.Duration                   // limit on spent: once it is reached, nothing more is run
	spent time.Duration
}

func (l *Looker) work(ctx context.Context, row workflow.Lookback) error {
	k, ready, err := l.open(ctx, row)
	if err != nil {
		return err
	}
	var found workflow.LookbackFound
	var line workflow.Line
	if ready {
		if k.runs() {
			found, err = k.look(ctx)
		}
		if err == nil && k.mayComeToOwn() {
			found.Own, err = k.compareOwn(ctx, found.Releases)
		}
		if err != nil {
			return err
		}
		if line, err = k.tell(ctx, found); err != nil {
			return err
		}
	}
	return l.Store.EndLookback(ctx, row, found, line)
}

// open opens the mirror and reads the probe and its earlier runs. ready is false if the look back can
// no longer be worked: the repository is not configured, nothing can be run and nothing was pushed, or a
// commit is missing.
func (l *Looker) open(ctx context.Context, row workflow.Lookback) (k *look, ready bool, err error) {
	at := slices.IndexFunc(l.Repositories,
		func(r repository.Repository) bool { return r.Name == row.Repository })
	if at < 0 {
		return nil, false, nil
	}
	k = &look{Looker: l, row: row, repository: l.Repositories[at], tries: map[string]workflow.LookbackTry{}}
	k.pushed, _ = strings.CutPrefix(row.Key, pushKey)
	if k.pushed == row.Key {
		k.pushed = ""
	}
	if err := json.Unmarshal(row.Probe, &k.probe); err != nil {
		return nil, false, fmt.Errorf("look back %d: %w", row.ID, err)
	}
	if !k.runs() && k.pushed == "" {
		return nil, false, nil
	}
	if k.mirror, err = l.Mirrors.Open(ctx, k.repository.Remote); k.mirror == nil {
		return nil, false, err
	}
	// The pushed commit and newer releases are at the remote. If the fetch fails, what the mirror has
	// is used.
	if err := k.mirror.Fetch(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		l.Log.Warn("looking back without what is new at the remote", "repository", row.Repository, "err", err)
	}
	for _, commit := range []string{row.Base, k.probe.Commit, k.pushed} {
		if _, err := k.mirror.Commits().Read(commit); commit != "" && err != nil {
			l.Log.Warn("nothing to look back from", "commit", commit, "err", err)
			return nil, false, nil
		}
	}
	if k.hide, err = workfile.FindSecrets(ctx, l.Secrets, k.mirror.Commits(), row.Base,
		cmp.Or(k.probe.Commit, k.pushed)); err != nil {
		return nil, false, err
	}
	if err := k.readSession(ctx); err != nil {
		return nil, false, err
	}
	rows, err := l.Store.LookbackTries(ctx, row.ID)
	for _, t := range rows {
		k.tries[tryKey(t.Commit, t.Nth)] = t
		k.spent += time.Duration(t.TookMS) * time.Millisecond
	}
	return k, err == nil, err
}

// readSession reads what the session says of its base, and of what was pushed.
func (l *look) readSession(ctx context.Context) error {
	s, err := l.Store.Session(ctx, l.row.Session)
	if err != nil {
		return err
	}
	l.began = s.Created
	l.base = s.BaseBranch
	l.ofPull = s.Pull != 0
	push, err := backports.Register{Store: l.Store}.NewestPush(ctx, l.row.Session)
	l.unproven = push != nil && push.Commit == l.pushed && push.Unproven != ""
	return err
}

// runs reports whether anything can be run on other commits.
func (l *look) runs() bool {
	return l.Checker != nil && l.Limit > 0 && (l.probe.Command != "" || len(l.probe.Names) > 0)
}

func tryKey(commit string, nth int) string { return fmt.Sprintf("%s %d", commit, nth) }

// look searches the history and then tries the releases. If there are releases, a third of the limit is
// kept for them.
func (l *look) look(ctx context.Context) (found workflow.LookbackFound, err error) {
	releases := l.releases()
	l.until = l.Limit
	if len(releases) > 0 {
		l.until = l.Limit * 2 / 3
	}
	if l.probe.Passes {
		return l.lookElsewhere(ctx, releases)
	}
	if l.probe.Command != "" && !l.probe.Learned {
		if err := l.learn(ctx); err != nil && !errors.Is(err, past.ErrSpent) {
			return found, err
		}
	}
	r, err := past.Search{
		Parents: func(_ context.Context, commit string) ([]string, bool, error) {
			return l.mirror.Commits().Parents(commit)
		},
		Ask: func(ctx context.Context, commit string, nth int) (past.Answer, error) {
			v, err := l.ask(ctx, commit, nth)
			return v.Answer, err
		},
	}.Run(ctx, l.row.Base)
	if err != nil {
		return found, err
	}
	l.Log.Info("looked back", "session", l.row.Session, "repository", l.row.Repository, "reason", r.Reason,
		"first", r.First, "red", r.Red, "green", r.Green, "runs", r.Runs, "spent", l.spent)
	if r.Certain {
		found.First = r.First
	}
	found.Since = l.sinceText(r)
	l.until = l.Limit
	if r.Reason != past.NotRed {
		found.Releases, err = l.askReleases(ctx, releases)
	}
	return found, err
}

// lookElsewhere finds out on which releases the command fails that passes on the base. If it does not pass
// there in a fresh tree, nothing can be told.
func (l *look) lookElsewhere(
	ctx context.Context, releases []git.ReleaseBranch,
) (found workflow.LookbackFound, err error) {
	l.until = l.Limit
	v, err := l.ask(ctx, l.row.Base, 1)
	if errors.Is(err, past.ErrSpent) || err == nil && v.Answer != past.Green {
		return found, nil
	}
	if err == nil {
		found.Releases, err = l.askReleases(ctx, releases)
	}
	return found, err
}

// learn runs the command once on the base, where it was red. On other commits it has to fail in the
// same way to count as red.
func (l *look) learn(ctx context.Context) error {
	_, err := l.timed(ctx, l.row.Base, 1,
		func(ctx context.Context, c *build.Checker) (v past.Verdict, err error) {
			l.probe, v, err = l.probe.Learn(ctx, c, l.row.Base,
				l.repository.SetupFor(l.probe.Project.Test, l.began))
			return v, err
		})
	return err
}

// ask returns the verdict on a commit: from its row if there is one, otherwise from a run. nth is 1 for
// the first run on that commit, 2 for the repetition.
func (l *look) ask(ctx context.Context, commit string, nth int) (past.Verdict, error) {
	if t, known := l.tries[tryKey(commit, nth)]; known {
		return past.Verdict{Answer: past.Answer(t.Answer), Why: t.Why}, nil
	}
	return l.timed(ctx, commit, nth, func(ctx context.Context, c *build.Checker) (past.Verdict, error) {
		return l.probe.Ask(ctx, c, commit, l.repository.SetupFor(l.probe.Project.Test, l.began))
	})
}

// timed calls run with the rest of the limit as its timeout, and stores the verdict as a row. It
// returns past.ErrSpent if no time is left or the timeout passes.
func (l *look) timed(ctx context.Context, commit string, nth int, run func(
	context.Context, *build.Checker,
) (past.Verdict, error),
) (past.Verdict, error) {
	left := l.until - l.spent
	if left <= 0 {
		return past.Verdict{}, past.ErrSpent
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	checker := l.Checker.For(l.mirror)
	if _, _, err := checker.Cache.UseEnvironment(limited, l.row.Base, l.repository.Environment); err != nil {
		l.Log.Warn("an older commit is tested without its services", "err", err)
	}
	v, err := run(limited, checker)
	took := time.Since(began)
	l.spent += took
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case limited.Err() != nil:
		return v, past.ErrSpent
	case err != nil:
		return v, err
	}
	if v.Why, err = l.mask(ctx, commit, v.Why); err != nil {
		return v, err
	}
	t := workflow.LookbackTry{
		Commit: commit,
		Nth:    nth,
		Answer: string(v.Answer),
		Why:    v.Why,
		TookMS: took.Milliseconds(),
	}
	var probe json.RawMessage
	if l.probe.Learned && commit == l.row.Base && nth == 1 {
		if probe, err = json.Marshal(l.probe); err != nil {
			return v, err
		}
	}
	l.tries[tryKey(commit, nth)] = t
	err = l.Store.KeepLookbackTry(ctx, l.row.ID, t, probe)
	return v, err
}

// mask masks what a run on a commit said. A commit may have other secrets than the base.
func (l *look) mask(ctx context.Context, commit, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	hide, err := workfile.FindSecrets(ctx, l.hide, l.mirror.Commits(), commit)
	return hide.Mask(text), err
}
