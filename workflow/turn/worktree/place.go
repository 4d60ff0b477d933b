package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/remote"
	resultpkg "github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// A Place is where the agents of a turn look and work.
type Place struct {
	Repository catalog.Repository
	Mirror     *repo.Mirror
	Checker    *testrun.Checker // the runner's, for this repository; nil with it
	Project    project.Project
	Copy       *repo.Workspace // a throw-away copy: put back to lookTree after each command
	CopyTree   string          // empty: the base
	Work       *repo.Workspace // the session's own, after an approval; nil before
	Skills     skill.Set
	Secrets    *redact.Finder // what the program was given, and what the repository keeps in private files; nil: t.Secrets

	Warm     chan struct{}      // closed when what follows is there
	packages *packages.Packages // that the base names; nil: none
	base     resultpkg.Result   // what passed before anything was changed
	err      error
}

// Open opens the repository and the workspace that the phase allows. It is false when a
// person has to say something first; that was asked then.
func (t *Trees) Open(ctx context.Context) (bool, error) {
	if t.Current() != nil {
		return true, nil
	}
	r, ok := t.Catalog.Current()
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
	//crash:mirror_opened
	p := &Place{Repository: r, Mirror: mirror, Warm: make(chan struct{})}
	if t.Checker != nil {
		p.Checker = t.Checker.For(mirror)
	}
	if err := t.fixBase(ctx, p); err != nil {
		return false, t.sayRemoteFailed(ctx, err)
	}
	if err := t.openTrees(ctx, p); err != nil {
		p.closeTrees()
		var hostile *gittree.PathError
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
	//crash:trees_opened
	t.mu.Lock()
	t.place = p
	t.mu.Unlock()
	t.SetRepository(p.Secrets, t.locateCode)
	go t.warmUp(ctx, p)
	return true, nil
}

// waitingNotice begins what a session that has to wait is told.
const waitingNotice = "Others are at work"

// acquireSlot waits for a place at work; whoever has to is told so once.
func (t *Trees) acquireSlot(ctx context.Context, r catalog.Repository) error {
	sits, first, err := t.Store.Queue.AcquireSlot(ctx, t.Session().ID, r.Name, t.Seats)
	if err != nil || sits {
		return err
	}
	if first {
		t.SayOnce(ctx, waitingNotice, waitingNotice+", as many as may be at once. I begin as soon as one of them is done; what you write meanwhile is read.")
	}
	return queue.ErrNoSlot
}

func (t *Trees) askRepository(ctx context.Context) error {
	if len(t.Catalog.Repositories) == 0 {
		return t.Record(ctx, store.Update{Open: ledger.Rest}, store.Lines(t.ProgramLine("No repository is configured yet, so I can look at nothing. Whoever runs me adds one under `repositories:`.")))
	}
	names := t.Catalog.Names()
	if len(names) == 0 {
		return t.Record(ctx, store.Update{Open: ledger.Rest}, store.Lines(t.ProgramLine("No repository is open to this channel. Whoever runs me adds the channel to one, under `channels:`.")))
	}
	return t.Record(ctx,
		store.Update{Open: ledger.Rest},
		store.Lines(t.ProgramLine("Which repository is this about? Reply with one of: repo:"+strings.Join(names, ", repo:"), t.Catalog.ChangeButton("Choose repository…")...)),
	)
}

// fixBase fixes what the session is about, once, and says so in its first line.
func (t *Trees) fixBase(ctx context.Context, p *Place) error {
	s := t.Session()
	if s.Repository != "" && s.BaseCommit != "" {
		return nil
	}
	if err := p.Mirror.Fetch(ctx); err != nil {
		return err
	}
	branch := p.BaseBranch()
	commit, err := p.Mirror.Resolve(branch)
	if err != nil {
		return err
	}
	return t.Record(ctx,
		store.Update{Change: func(s *workflow.Session) { s.Repository, s.BaseCommit = p.Repository.Name, commit }},
		store.Lines(t.ProgramLine(fmt.Sprintf("Looking into %s (%s at %s).", p.DisplayName(), branch, prompt.ShortHash(commit)), t.Catalog.ChangeButton("Change repository…")...)),
	)
}

// BaseBranch is the branch that the work starts from.
func (p *Place) BaseBranch() string {
	if p.Repository.Base != "" {
		return p.Repository.Base
	}
	return p.Mirror.DefaultBranch()
}

// openTrees opens the throw-away copy, and after an approval the session's own tree. A
// follow-up looks at the work so far, with what came to the base meanwhile.
func (t *Trees) openTrees(ctx context.Context, p *Place) error {
	s := t.Session()
	approval, err := t.StandingApproval(ctx)
	if err != nil {
		return err
	}
	if approval != nil || s.Head != "" {
		if p.Work, err = t.openWorkspace(ctx, p); err != nil {
			return err
		}
		if err := t.Own(p.Work); err != nil {
			return err
		}
	}
	if s.Head != "" && s.Phase != workflow.PhaseDone && approval == nil {
		if err := t.baseMerger().mergeBase(ctx, p); err != nil {
			return err
		}
	}
	if s.Head != "" {
		p.Copy, p.CopyTree, err = p.Work.Fork(ctx, t.Folder("look-"+prompt.ShortHash(t.Session().Head)))
	} else {
		p.Copy, err = p.Mirror.Workspace(ctx, t.Folder("look-"+prompt.ShortHash(s.BaseCommit)), s.BaseCommit)
	}
	if err != nil {
		return fmt.Errorf("open a copy to look at: %w", err)
	}
	p.Project = p.projectOf(p.Copy)
	if approval != nil {
		return t.RefreshCopy(ctx, p)
	}
	return t.Own(p.Copy)
}

// RefreshCopy shows the orchestrator the session's files as its workers left them: it holds
// the result against what was asked for.
func (t *Trees) RefreshCopy(ctx context.Context, p *Place) error {
	t.merging.Lock()
	defer t.merging.Unlock()
	tree, err := p.Work.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) {
		return t.Own(p.Copy) // what cannot be committed is not shown either
	}
	if err == nil {
		err = p.Copy.AdoptTree(ctx, p.Work, tree)
	}
	if err == nil {
		err = p.Copy.Restore(ctx, tree)
	}
	if err != nil {
		return fmt.Errorf("look at the work: %w", err)
	}
	p.CopyTree = tree
	return t.Own(p.Copy)
}

// BaseTree is the whole tree as it stood before the session changed anything: a
// repository's, so it is read through a root.
func (t *Trees) BaseTree(ctx context.Context) (*os.Root, error) {
	base := t.Current().Work.Base()
	dir := t.Folder("base-" + prompt.ShortHash(base))
	if root, err := os.OpenRoot(dir); err == nil {
		return root, nil
	}
	making := dir + ".new"
	if err := os.RemoveAll(making); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	if err := t.Current().Mirror.Materialise(ctx, base, making); err != nil {
		return nil, err
	}
	if err := os.Rename(making, dir); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	return os.OpenRoot(dir)
}

// openWorkspace is the session's own tree, as it was recorded last. Its base follows the
// session's, which a merge of the base branch may have moved since.
func (t *Trees) openWorkspace(ctx context.Context, p *Place) (*repo.Workspace, error) {
	base := t.Session().BaseCommit
	w, err := p.Mirror.Workspace(ctx, t.Folder("work"), base)
	if err != nil {
		reopened, again := p.Mirror.Workspace(ctx, t.Folder("work"), "")
		if again != nil {
			return nil, fmt.Errorf("open the session's workspace: %w", err)
		}
		if err := reopened.SetBase(ctx, base); err != nil {
			reopened.Close()
			return nil, fmt.Errorf("open the session's workspace: %w", err)
		}
		w = reopened
	}
	if err := t.restoreRecorded(ctx, p.Mirror, w, 0); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (t *Trees) Own(w *repo.Workspace) error {
	if t.Sandbox == nil {
		return nil
	}
	return t.Sandbox.Own(w.Files())
}

// projectOf is how the place is built and tested: as configured, or as its files say.
func (p *Place) projectOf(w *repo.Workspace) project.Project {
	r, found := p.Repository, project.FindIn(w.FS(), p.Folder())
	if r.Build != "" {
		found.Build = r.Build
	}
	if r.Test != "" {
		found.Test = r.Test
	}
	return found
}

// warmUp fetches what the base names, learns what passes on it, and fills the build cache
// meanwhile.
func (t *Trees) warmUp(ctx context.Context, p *Place) {
	defer close(p.Warm)
	if t.Checker == nil {
		p.err = errors.New(t.SandboxOff)
		return
	}
	commit := t.Session().BaseCommit
	p.packages = t.packageFetcher().fetchPackages(ctx, p, commit)
	p.Checker.Cache.UsePackages(p.packages)
	p.base, p.err = p.Checker.Baseline(ctx, commit, p.Project)
	if p.err != nil && ctx.Err() == nil {
		t.Log.Warn("baseline", "err", p.err)
	}
}

// Close closes what the turn opened.
func (t *Trees) Close() {
	p := t.Current()
	if p == nil {
		return
	}
	<-p.Warm
	p.packages.Close()
	p.closeTrees()
	t.mu.Lock()
	t.place = nil
	t.mu.Unlock()
	t.SetRepository(nil, nil)
}

func (p *Place) closeTrees() {
	for _, w := range []*repo.Workspace{p.Copy, p.Work} {
		if w != nil {
			w.Close()
		}
	}
}

// sayRemoteFailed says in the thread what is wrong with the repository.
func (t *Trees) sayRemoteFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil || folder.DiskMessage(err) != "" {
		return err
	}
	t.Log.Error("repository", "err", err)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(t.ProgramLine("I cannot get at the repository: "+RemoteWords(err)+" Reply here when it is mended, and I try again.")),
	)
}

// RemoteWords are what went wrong with a repository and what to do about it, in whole
// sentences.
func RemoteWords(err error) string {
	var hostile *gittree.PathError
	var remote *remote.Error
	text := strings.TrimPrefix(prompt.FirstLine(err.Error()), "repo: ")
	switch {
	case errors.As(err, &remote):
		text = strings.TrimRight(remote.Reason, ". ") + ". " + remote.Cure
	case errors.As(err, &hostile):
		text = prompt.FirstLine(hostile.Error())
	}
	return strings.TrimRight(text, ". ") + "."
}

// Folder is the part of the repository that its configuration limits the work to; empty:
// all of it.
func (p *Place) Folder() string {
	if f := path.Clean(p.Repository.Scope); f != "." {
		return strings.TrimPrefix(f, "./")
	}
	return ""
}

// sayFolderMissing says that the part is not there, and rests; false where it is.
func (t *Trees) sayFolderMissing(ctx context.Context, p *Place) (bool, error) {
	folder := p.Folder()
	if folder == "" {
		return false, nil
	}
	if info, err := fs.Stat(p.Copy.FS(), folder); err == nil && info.IsDir() {
		return false, nil
	}
	return true, t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(t.ProgramLine(fmt.Sprintf("The configuration limits %s to the folder `%s`, and %s has no such folder. Whoever runs me corrects `scope:` of that repository; reply here then, and I go on.",
			p.Repository.Name, folder, p.BaseBranch()))),
	)
}

// DisplayName is what the place is called in words: "shop", or "services/cart of shop".
func (p *Place) DisplayName() string {
	if f := p.Folder(); f != "" {
		return "`" + f + "` of " + p.Repository.Name
	}
	return p.Repository.Name
}

// OpenWork opens the session's own tree where the approval came after the turn entered.
func (t *Trees) OpenWork(ctx context.Context) error {
	p := t.Current()
	if p.Work != nil {
		return nil
	}
	work, err := t.openWorkspace(ctx, p)
	if err != nil {
		return err
	}
	t.mu.Lock()
	p.Work = work
	t.mu.Unlock()
	return t.Own(work)
}
