package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Open opens the repository, the copy of it and, after an approval, the session's own workspace. It
// returns false if a person has to act first; then the thread was told what to do. It does nothing if
// the repository is open.
func (t *Trees) Open(ctx context.Context) (bool, error) {
	if t.Current() != nil {
		return true, nil
	}
	r, ok, err := t.Catalog.Current(ctx)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, t.askRepository(ctx)
	}
	if err := t.acquireSlot(ctx, r); err != nil {
		return false, err
	}
	mirror, err := t.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return false, t.sayRemoteFailed(ctx, err)
	}
	failpoint.Crash("mirror_opened")
	p := &Checkout{
		Repository: r, Mirror: mirror, BaseBuilt: make(chan struct{}), BaseTested: make(chan struct{}),
		fetched: &fetched{done: make(chan struct{})},
	}
	if t.Checker != nil {
		p.Checker = t.Checker.For(mirror).WatchedBy(t.noteRuns(ctx))
	}
	if err := t.checkFork(ctx, p); err != nil {
		return false, t.sayRemoteFailed(ctx, err)
	}
	if err := t.fixBase(ctx, p); err != nil {
		var failed remoteFailure
		if errors.As(err, &failed) {
			return false, t.sayRemoteFailed(ctx, failed.error)
		}
		return false, err
	}
	if p.Checker != nil {
		p.Checker = p.Checker.OnBase(p.BaseBranch())
	}
	p.Elsewhere = sync.OnceValue(func() []git.ReleaseBranch { return t.findElsewhere(p) })
	if err := t.openTrees(ctx, p); err != nil {
		p.closeTrees()
		var hostile *git.PathError
		var remote *remote.Error
		if errors.As(err, &hostile) || errors.As(err, &remote) {
			return false, t.sayRemoteFailed(ctx, err)
		}
		return false, err
	}
	if missing, err := t.sayFolderMissing(ctx, p); missing || err != nil {
		p.closeTrees()
		return false, err
	}
	if err := t.learnSecrets(p); err != nil {
		p.closeTrees()
		return false, err
	}
	p.Skills = t.loadSkills(p)
	failpoint.Crash("trees_opened")
	t.publish(p)
	if err := t.reopenOthers(ctx); err != nil {
		close(p.BaseTested)
		t.Close()
		return false, err
	}
	go t.warmUp(ctx, p)
	return true, nil
}

// A remoteFailure is an error of the repository or of its mirror, which the thread is told. Others, such as
// those of the database, it is not: the turn is done again.
type remoteFailure struct{ error }

// fixBase records the session's repository and base commit, once, and posts the session's first line
// about them. Later it fetches the base if this machine's mirror does not have it yet, also if the base
// branch was rewritten since and does not lead to it any more.
func (t *Trees) fixBase(ctx context.Context, p *Checkout) error {
	s := t.Session()
	fixed := s.Repository != "" && s.BaseCommit != ""
	if fixed && p.Mirror.Commits().Has(s.BaseCommit) {
		return nil
	}
	if fixed {
		if err := p.Mirror.FetchCommit(ctx, s.BaseCommit); err != nil {
			return remoteFailure{err}
		}
		return nil
	}
	if err := p.Mirror.Fetch(ctx); err != nil {
		return remoteFailure{err}
	}
	configured := t.Catalog.Configured(p.Repository.Name)
	configured.Base = cmp.Or(configured.Base, p.Mirror.Commits().DefaultBranch())
	base, err := t.chooseBase(ctx, p, configured)
	if err != nil {
		return err
	}
	branch := p.BaseBranch()
	commit, err := p.fetchBase(ctx, base)
	if err != nil {
		return remoteFailure{err}
	}
	text := fmt.Sprintf("Looking into %s (%s at %s).", p.displayName(), branch, prompt.ShortHash(commit))
	var parts []store.Part
	if base.Said != "" {
		text += " " + base.Said
		parts = append(parts, inbox.AgentNote{ // a turn in which a person chooses again opens twice
			Key: fmt.Sprintf("base:%d:%x", t.Session().Epoch, sha256.Sum256([]byte(base.Said))),
			Text: fmt.Sprintf("Your tools look at branch %s at commit %s. The thread was told: %s", branch,
				prompt.ShortHash(commit), plaintext.CutLine(base.Said, 500)) +
				strings.TrimRight(" "+base.Note, " "),
		})
	}
	hint, err := t.Catalog.TicketHint(ctx, configured)
	if err != nil {
		return err
	}
	text = strings.TrimSuffix(text+" "+hint, " ")
	buttons := slices.Concat(t.Catalog.ChangeButton("Change repository…"),
		t.Catalog.BaseButton(configured, p.Mirror.Commits().Names()))
	parts = append(parts, store.Update{Change: func(s *workflow.Session) {
		s.Repository = p.Repository.Name
		s.BaseBranch = base.Name
		s.Pull = base.Pull
		s.PullInto = base.Into
		s.BaseCommit = commit
	}})
	if t.Duplicates != nil {
		duplicates, join, kept := t.Duplicates(ctx, p.Repository.Name)
		text = strings.TrimSuffix(text+"\n"+duplicates, "\n")
		buttons = append(buttons, join...)
		parts = append(parts, kept...)
	}
	line := t.ProgramLine(text, buttons...)
	if strings.Contains(text, "\n") { // which threads are about the same, and what became of them
		line[0].Vouched = []int{0, 1}
	}
	line[0].Progress = len(buttons) == 0 // a line without buttons may be joined with the next one
	return t.Record(ctx, append(parts, store.Lines(line))...)
}

// chooseBase sets the branch or tag that the work starts from: the one that a person chose, otherwise the one
// that the request names, otherwise that of the configuration.
func (t *Trees) chooseBase(
	ctx context.Context, p *Checkout, configured repository.Repository,
) (base catalog.Base, err error) {
	commits := p.Mirror.Commits()
	chosen := t.Session().BaseBranch
	if pull := t.Session().Pull; pull != 0 {
		if base, err = t.Catalog.PullBase(ctx, configured, commits, pull); err != nil {
			return base, err
		}
	} else if chosen != "" && commits.HasName(chosen) {
		base.Name = chosen
	} else if base, err = t.Catalog.Base(ctx, configured, commits); err != nil {
		return base, err
	}
	if chosen != "" && base.Name != chosen && base.Said == "" {
		base.Said = fmt.Sprintf("%s is not there any more.", plaintext.CodeSpan(chosen))
	}
	p.Repository.Base = cmp.Or(base.Name, configured.Base)
	if base.Name == configured.Base {
		base.Name = ""
	}
	return base, nil
}

// fetchBase returns the commit of the base, which it fetches if it is that of a fork.
func (co *Checkout) fetchBase(ctx context.Context, base catalog.Base) (commit string, err error) {
	if base.Commit == "" {
		return co.Mirror.Commits().Resolve(co.BaseBranch())
	}
	return base.Commit, co.Mirror.FetchCommit(ctx, base.Commit)
}

// maxElsewhere is how many other branches code is looked for on: the newest ones.
const maxElsewhere = 6

// findElsewhere returns the other branches and tags that the request may be about, the repository's own base
// first.
func (t *Trees) findElsewhere(p *Checkout) []git.ReleaseBranch {
	commits := p.Mirror.Commits()
	configured := t.Catalog.Configured(p.Repository.Name)
	own := cmp.Or(configured.Base, commits.DefaultBranch())
	base := p.BaseBranch()
	all := commits.Releases(func(name string) bool {
		return name != base && (name == own || configured.IsBase(name))
	})
	if i := slices.IndexFunc(all, func(b git.ReleaseBranch) bool { return b.Name == own }); i > 0 {
		all = slices.Concat(all[i:i+1], all[:i], all[i+1:])
	}
	return all[:min(len(all), maxElsewhere)]
}

// openTrees opens the throw-away copy and, after an approval or a push, the session's own workspace. A
// follow-up to pushed work sees that work, merged with the base branch's new commits until it has a report of
// its own.
func (t *Trees) openTrees(ctx context.Context, p *Checkout) error {
	approval, err := t.StandingApproval(ctx)
	if err != nil {
		return err
	}
	if approval != nil || t.Session().Head != "" {
		if err := t.openWork(ctx, p); err != nil {
			return err
		}
	}
	if err := t.openCopy(ctx, p); err != nil {
		return err
	}
	// The base says how it is tested, so that no change decides how it is proven itself.
	found := p.Repository.Project(p.Copy.FS())
	if approval != nil {
		err = t.RefreshCopy(ctx, p)
	} else if p.CopyTree != "" {
		err = p.Copy.Restore(ctx, p.CopyTree)
	}
	if err == nil {
		err = t.LetCommandsWrite(p.Copy)
	}
	if err != nil {
		return err
	}
	if found.Test == "" { // the work may have brought the first tests
		found = p.Repository.Project(p.Copy.FS())
	}
	p.Tests = &Setup{
		Ledger:     t.Ledger,
		Repository: p.Repository.Name,
		Folder:     p.Folder(),
		Display:    p.displayName(),
		Branch:     p.BaseBranch(),
		Configured: p.Repository.Test != "",
	}
	return p.Tests.Find(ctx, found)
}

// openWork opens the session's own workspace. What was pushed before is merged with the base branch's new
// commits, unless a report waits for approval: it was written for the session's base, and the files may still
// hold work of an earlier approval that the report replaced.
func (t *Trees) openWork(ctx context.Context, p *Checkout) (err error) {
	if p.Work, err = t.openWorkspace(ctx, p); err != nil {
		return err
	}
	if err := t.LetCommandsWrite(p.Work); err != nil {
		return err
	}
	s := t.Session()
	if s.Head == "" || s.Phase == workflow.PhaseDone {
		return nil
	}
	pushed, err := t.RevisionPushed(ctx, s.Revision)
	if err != nil || !pushed {
		return err
	}
	pull, err := pullrequest.Register{Store: t.Store}.Of(ctx, s.ID)
	if err != nil {
		return err
	}
	if pull != nil && pull.State == pullrequest.Open && pull.Base != p.BaseBranch() {
		return nil // it goes into another branch by now, to which the base's new commits need not belong
	}
	tip, err := t.baseTip(ctx, p)
	if err != nil {
		return err
	}
	return baseMerger{t.Snapshots}.mergeBase(ctx, p, tip)
}

// baseTip returns the newest commit of the base.
func (t *Trees) baseTip(ctx context.Context, p *Checkout) (string, error) {
	inFork := t.Session().Pull != 0 && !p.Mirror.Commits().HasBranch(p.BaseBranch())
	if inFork && p.Repository.Pulls.Host != nil {
		return t.fetchForkTip(ctx, p)
	}
	tip, err := p.fetchTip(ctx)
	var gone *remote.Error
	if chosen := t.Session().BaseBranch; chosen != "" && errors.As(err, &gone) && gone.Op == mergeOp(chosen) {
		gone.Cure = "Begin another thread on the branch that counts now"
	}
	return tip, err
}

// openCopy opens the throw-away copy, and takes back what a command changed in it in the middle of which an
// earlier turn ended.
func (t *Trees) openCopy(ctx context.Context, p *Checkout) (err error) {
	s := t.Session()
	if s.Head != "" {
		p.Copy, p.CopyTree, err = p.Work.Fork(ctx, t.Folder("look-"+prompt.ShortHash(s.Head)))
	} else {
		p.Copy, err = p.Mirror.Workspace(ctx, t.Folder("look-"+prompt.ShortHash(s.BaseCommit)), s.BaseCommit)
	}
	if err != nil {
		return fmt.Errorf("open a copy to look at: %w", err)
	}
	if p.Copy.IsFresh() { // to compare the files of a new copy takes most of a session's first second
		return nil
	}
	return p.Copy.Restore(ctx, "")
}

// warmUp fetches the packages that the base names, builds the base into the build cache, and runs its
// tests to learn which pass. It closes p.BaseBuilt when the packages are fetched and the build has ended, and
// p.BaseTested when the tests have ended. Commands wait only for p.BaseBuilt: the tests, which may take long,
// run in a separate folder, and everything they share with commands is read-only to the commands. Without a
// sandbox they also share the machine's folders, so p.BaseBuilt is then closed after the tests.
func (t *Trees) warmUp(ctx context.Context, p *Checkout) {
	defer close(p.BaseTested)
	closeBaseBuilt := sync.OnceFunc(func() { close(p.BaseBuilt) })
	defer closeBaseBuilt()
	defer t.startDemands(ctx, p)()
	if t.Checker == nil {
		close(p.fetched.done)
		return
	}
	commit := t.Session().BaseCommit
	t.findServices(ctx, p, commit)
	packageFetcher{t.Ledger, t.NoticeAfter}.fetchPackages(ctx, p, commit)
	p.Checker.Cache.UsePackages(p.fetched.have)
	t.reopenBumped(ctx, p, commit)
	whenBuilt := closeBaseBuilt
	if t.Sandbox != nil && t.Sandbox.Kind() == sandbox.KindNone {
		whenBuilt = nil
	}
	failed := t.testBase(ctx, p, commit, whenBuilt)
	if err := p.learnStart(ctx, t, failed != nil); err != nil && ctx.Err() == nil {
		t.Log.Warn("what the tests lack is not learned", "err", err)
	}
	for _, note := range p.Tests.limited() {
		t.SayIfNew(ctx, note)
	}
	if why := joinSentences(p.Tests.unprovable(), p.fetched.tools); why != "" {
		why += " My operator can have it installed, or name another command " +
			"(`checks.test` of the repository)."
		if p.Repository.CIProof() != workflow.CINone {
			why += " Or CI proves it: I ask before the push."
		}
		t.SayIfNew(ctx, why)
	} else if why := p.Tests.mostSkip(); why != "" {
		t.SayIfNew(ctx, why)
	}
}

// testBase runs the base's tests to learn which pass. If they are those that a member said, the thread is
// told how they ended.
func (t *Trees) testBase(ctx context.Context, p *Checkout, commit string, built func()) error {
	checker := p.Checker.Named("tests on "+p.BaseBranch(), result.Result{})
	base, failed := checker.BaselineBuilt(ctx, commit, p.Project(), built)
	p.Tests.setBase(base)
	if failed == nil {
		again, err := p.Tests.sayTold(ctx, t.SayIfNew)
		if again && err == nil {
			base, err = checker.BaselineBuilt(ctx, commit, p.Project(), nil)
			p.Tests.setBase(base)
		}
		failed = err
	}
	if failed != nil && ctx.Err() == nil {
		t.Log.Warn("baseline", "err", failed)
	}
	t.sayServices(ctx, p, base)
	return failed
}

// Close waits for the base's tests and closes what Open opened.
func (t *Trees) Close() {
	p := t.Current()
	if p == nil {
		return
	}
	<-p.BaseTested
	p.fetched.have.Close()
	p.closeTrees()
	t.mu.Lock()
	t.checkout = nil
	t.mu.Unlock()
	t.SetRepository(nil, nil)
}

// OpenWork opens the session's own workspace if the approval came after Open.
func (t *Trees) OpenWork(ctx context.Context) error {
	p := t.Current()
	if p.Work != nil {
		return nil
	}
	work, err := t.openWorkspace(ctx, p)
	if err != nil {
		return err
	}
	if err := t.LetCommandsWrite(work); err != nil {
		work.Close()
		return err
	}
	t.change(func(p *Checkout) { p.Work = work })
	return nil
}
