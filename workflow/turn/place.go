package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/store/queue"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/remote"
	resultpkg "github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// A place is where the agents of a turn look and work.
type place struct {
	repository Repository
	mirror     *repo.Mirror
	checker    *testrun.Checker // the runner's, for this repository; nil with it
	project    project.Project
	look       *repo.Workspace // a throw-away copy: put back to lookTree after each command
	lookTree   string          // empty: the base
	work       *repo.Workspace // the session's own, after an approval; nil before
	skills     skill.Set
	secrets    *redact.Finder // what the program was given, and what the repository keeps in private files; nil: t.Secrets

	warm     chan struct{}      // closed when what follows is there
	packages *packages.Packages // that the base names; nil: none
	base     resultpkg.Result   // what passed before anything was changed
	err      error
}

// enter opens the repository and the workspace that the phase allows. It is false when a
// person has to say something first; that was asked then.
func (t *Trees) enter(ctx context.Context) (bool, error) {
	if t.here() != nil {
		return true, nil
	}
	r, ok := t.Catalog.repository()
	if !ok {
		return false, t.askRepository(ctx)
	}
	if err := t.sit(ctx, r); err != nil {
		return false, err
	}
	mirror, err := t.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return false, t.remoteFailed(ctx, err)
	}
	//crash:mirror_opened
	p := &place{repository: r, mirror: mirror, warm: make(chan struct{})}
	if t.Checker != nil {
		p.checker = t.Checker.For(mirror)
	}
	if err := t.settle(ctx, p); err != nil {
		return false, t.remoteFailed(ctx, err)
	}
	if err := t.openTrees(ctx, p); err != nil {
		p.close()
		var hostile *gittree.PathError
		var remote *remote.Error
		if errors.As(err, &hostile) || errors.As(err, &remote) {
			return false, t.remoteFailed(ctx, err)
		}
		return false, err
	}
	if missing, err := t.noFolder(ctx, p); missing || err != nil {
		p.close()
		return false, err
	}
	if err := t.learnSecrets(p); err != nil {
		p.close()
		return false, err
	}
	p.skills = t.skills(p)
	//crash:trees_opened
	t.mu.Lock()
	t.place = p
	t.mu.Unlock()
	t.opened(p.secrets, t.located)
	go t.warmUp(ctx, p)
	return true, nil
}

// full begins what a session that has to wait is told.
const full = "Others are at work"

// sit waits for a place at work; whoever has to is told so once.
func (t *Trees) sit(ctx context.Context, r Repository) error {
	sits, first, err := t.Store.Queue.AcquireSlot(ctx, t.Session().ID, r.Name, t.Seats)
	if err != nil || sits {
		return err
	}
	if first {
		t.tellOnce(ctx, full, full+", as many as may be at once. I begin as soon as one of them is done; what you write meanwhile is read.")
	}
	return queue.ErrNoSlot
}

// repository is the session's, or the one its request is about.
func (c *Catalog) repository() (Repository, bool) {
	s := c.Session()
	name := s.Repository
	if name == "" {
		var choices []intent.RepositoryChoice
		for _, r := range c.repositories() {
			choices = append(choices, intent.RepositoryChoice{Name: r.Name, Channels: r.Channels})
		}
		name = intent.ChooseRepository(c.request(), s.Thread.Channel, choices)
	}
	for _, r := range c.Repositories {
		if r.Name == name {
			return r, true
		}
	}
	return Repository{}, false
}

// repositories are those that the thread may be about: a private one in its own channels only.
func (c *Catalog) repositories() []Repository {
	channel := c.Session().Thread.Channel
	return slices.DeleteFunc(slices.Clone(c.Repositories), func(r Repository) bool { return r.Private && !slices.Contains(r.Channels, channel) })
}

// request is what people asked for, as far as it matters to the choice of a repository.
func (c *Catalog) request() string {
	text := c.Session().Title
	if unseen, err := c.Unseen(context.Background(), 0); err == nil {
		for _, m := range unseen {
			text += "\n" + m.Text
		}
	}
	return text
}

func (t *Trees) askRepository(ctx context.Context) error {
	if len(t.Catalog.Repositories) == 0 {
		return t.Record(ctx, store.Update{Open: no}, store.Lines(t.program("No repository is configured yet, so I can look at nothing. Whoever runs me adds one under `repositories:`.")))
	}
	names := t.Catalog.repositoryNames()
	if len(names) == 0 {
		return t.Record(ctx, store.Update{Open: no}, store.Lines(t.program("No repository is open to this channel. Whoever runs me adds the channel to one, under `channels:`.")))
	}
	return t.Record(ctx,
		store.Update{Open: no},
		store.Lines(t.program("Which repository is this about? Reply with one of: repo:"+strings.Join(names, ", repo:"), t.Catalog.otherRepository("Choose repository…")...)),
	)
}

// settle fixes what the session is about, once, and says so in its first line.
func (t *Trees) settle(ctx context.Context, p *place) error {
	s := t.Session()
	if s.Repository != "" && s.BaseCommit != "" {
		return nil
	}
	if err := p.mirror.Fetch(ctx); err != nil {
		return err
	}
	branch := p.baseBranch()
	commit, err := p.mirror.Resolve(branch)
	if err != nil {
		return err
	}
	return t.Record(ctx,
		store.Update{Change: func(s *workflow.Session) { s.Repository, s.BaseCommit = p.repository.Name, commit }},
		store.Lines(t.program(fmt.Sprintf("Looking into %s (%s at %s).", p.name(), branch, short(commit)), t.Catalog.otherRepository("Change repository…")...)),
	)
}

// baseBranch is the branch that the work starts from.
func (p *place) baseBranch() string {
	if p.repository.Base != "" {
		return p.repository.Base
	}
	return p.mirror.DefaultBranch()
}

// openTrees opens the throw-away copy, and after an approval the session's own tree. A
// follow-up looks at the work so far, with what came to the base meanwhile.
func (t *Trees) openTrees(ctx context.Context, p *place) error {
	s := t.Session()
	approval, err := t.approval(ctx)
	if err != nil {
		return err
	}
	if approval != nil || s.Head != "" {
		if p.work, err = t.workspace(ctx, p); err != nil {
			return err
		}
		if err := t.own(p.work); err != nil {
			return err
		}
	}
	if s.Head != "" && s.Phase != workflow.PhaseDone && approval == nil {
		if err := t.catchUp(ctx, p); err != nil {
			return err
		}
	}
	if s.Head != "" {
		p.look, p.lookTree, err = p.work.Fork(ctx, t.dir("look-"+short(t.Session().Head)))
	} else {
		p.look, err = p.mirror.Workspace(ctx, t.dir("look-"+short(s.BaseCommit)), s.BaseCommit)
	}
	if err != nil {
		return fmt.Errorf("open a copy to look at: %w", err)
	}
	p.project = p.projectOf(p.look)
	if approval != nil {
		return t.lookAtWork(ctx, p)
	}
	return t.own(p.look)
}

// lookAtWork shows the orchestrator the session's files as its workers left them: it holds
// the result against what was asked for.
func (t *Trees) lookAtWork(ctx context.Context, p *place) error {
	t.merging.Lock()
	defer t.merging.Unlock()
	tree, err := p.work.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) {
		return t.own(p.look) // what cannot be committed is not shown either
	}
	if err == nil {
		err = p.look.Adopt(ctx, p.work, tree)
	}
	if err == nil {
		err = p.look.Restore(ctx, tree)
	}
	if err != nil {
		return fmt.Errorf("look at the work: %w", err)
	}
	p.lookTree = tree
	return t.own(p.look)
}

// beforeAll is the whole tree as it stood before the session changed anything: a
// repository's, so it is read through a root.
func (t *Trees) beforeAll(ctx context.Context) (*os.Root, error) {
	base := t.here().work.Base()
	dir := t.dir("base-" + short(base))
	if root, err := os.OpenRoot(dir); err == nil {
		return root, nil
	}
	making := dir + ".new"
	if err := os.RemoveAll(making); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	if err := t.here().mirror.Materialise(ctx, base, making); err != nil {
		return nil, err
	}
	if err := os.Rename(making, dir); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	return os.OpenRoot(dir)
}

// workspace is the session's own tree, as it was recorded last. Its base follows the
// session's, which a merge of the base branch may have moved since.
func (t *Trees) workspace(ctx context.Context, p *place) (*repo.Workspace, error) {
	base := t.Session().BaseCommit
	w, err := p.mirror.Workspace(ctx, t.dir("work"), base)
	if err != nil {
		reopened, again := p.mirror.Workspace(ctx, t.dir("work"), "")
		if again != nil {
			return nil, fmt.Errorf("open the session's workspace: %w", err)
		}
		if err := reopened.SetBase(ctx, base); err != nil {
			reopened.Close()
			return nil, fmt.Errorf("open the session's workspace: %w", err)
		}
		w = reopened
	}
	if err := t.recall(ctx, p.mirror, w, 0); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (t *Trees) own(w *repo.Workspace) error {
	if t.Sandbox == nil {
		return nil
	}
	return t.Sandbox.Own(w.Files())
}

// projectOf is how the place is built and tested: as configured, or as its files say.
func (p *place) projectOf(w *repo.Workspace) project.Project {
	r, found := p.repository, project.FindIn(w.FS(), p.folder())
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
func (t *Trees) warmUp(ctx context.Context, p *place) {
	defer close(p.warm)
	if t.Checker == nil {
		p.err = errors.New(t.SandboxOff)
		return
	}
	commit := t.Session().BaseCommit
	p.packages = t.packages(ctx, p, commit)
	p.checker.Cache.UsePackages(p.packages)
	p.base, p.err = p.checker.Baseline(ctx, commit, p.project)
	if p.err != nil && ctx.Err() == nil {
		t.log.Warn("baseline", "err", p.err)
	}
}

// leave closes what the turn opened.
func (t *Trees) leave() {
	p := t.here()
	if p == nil {
		return
	}
	<-p.warm
	p.packages.Close()
	p.close()
	t.mu.Lock()
	t.place = nil
	t.mu.Unlock()
	t.opened(nil, nil)
}

func (p *place) close() {
	for _, w := range []*repo.Workspace{p.look, p.work} {
		if w != nil {
			w.Close()
		}
	}
}

func (l *Ledger) dir(part string) string {
	return filepath.Join(l.Dir, l.Session().ID, part)
}

// approval is the word that stands on the newest report; nil when there is none. A push
// spends it: what is asked for after that needs a word of its own.
func (l *Ledger) approval(ctx context.Context) (*workflow.Approval, error) {
	s := l.Session()
	if s.Revision == 0 {
		return nil, nil
	}
	a, err := l.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || a == nil || s.Head == "" {
		return a, err
	}
	if pushed, err := l.pushed(ctx, a); pushed || err != nil {
		return nil, err
	}
	return a, nil
}

// pushed: what was approved has gone out.
func (l *Ledger) pushed(ctx context.Context, a *workflow.Approval) (bool, error) {
	pushes, err := l.Store.Pushes(ctx, l.Session().ID)
	return slices.ContainsFunc(pushes, func(p workflow.Push) bool { return p.Approval == a.ID && p.State == workflow.PushDone }), err
}

// approvers is whose word counts here, with user groups read afresh.
func (ps *Permissions) approvers(ctx context.Context) (workflow.Approvers, error) {
	r, _ := ps.Catalog.repository()
	a := r.Approvers
	a.People = nil
	for _, id := range r.Approvers.People {
		if !strings.HasPrefix(id, "S") {
			a.People = append(a.People, id)
			continue
		}
		users, err := ps.Slack.Group(ctx, id)
		if err != nil {
			return a, fmt.Errorf("read the approvers of group %s: %w", id, err)
		}
		// An empty group must not read as "nobody is named".
		a.People = append(append(a.People, id), users...)
	}
	return a, nil
}

// branch is where the session's work goes.
func (c *Catalog) branch() string {
	s := c.Session()
	if s.Branch != "" {
		return s.Branch
	}
	prefix := "bobbin/"
	if r, ok := c.repository(); ok && r.BranchPrefix != "" {
		prefix = r.BranchPrefix
	}
	return prefix + workflow.Slug(c.finder().Mask(c.topic())) + "-" + s.ID
}

// topic names the work: the report's summary where there is one, else the request.
func (c *Catalog) topic() string {
	s := c.Session()
	if r, err := c.Store.Report(context.Background(), s.ID, s.Revision); err == nil {
		var body struct{ Summary, Bug, Title string }
		if json.Unmarshal(r.Body, &body) == nil && r.Kind != reportRequest {
			return cmp.Or(body.Title, body.Bug, body.Summary, s.Title)
		}
	}
	return s.Title
}

// bench is what the orchestrator's code tools work on.
func (r *Runtime) bench() (*tool.Bench, error) {
	return r.benchOver(r.Trees.here().look, func() error {
		return errors.New("the orchestrator does not change files; delegate the change after an approval")
	}, nil)
}

func (r *Runtime) benchOver(w *repo.Workspace, mayWrite func() error, edited func()) (*tool.Bench, error) {
	out := r.dir("output")
	if err := os.MkdirAll(out, 0o700); err != nil {
		return nil, fmt.Errorf("open %s: %w", out, err)
	}
	b := &tool.Bench{
		Workspace: w, Mirror: r.Trees.here().mirror, Sandbox: r.Trees.Sandbox, SandboxOff: r.Trees.SandboxOff, Project: r.Trees.here().project, Folder: r.Trees.here().folder(),
		MayWrite: mayWrite, Edited: edited, OutputDir: out, ScratchDir: r.dir("build-cache"), Attachment: r.Attachments.attachment, AttachedAs: r.Attachments.attachedAs,
	}
	if r.Trees.Checker != nil {
		b.Checker = r.Trees.here().checker
	}
	return b, nil
}

// reading are the code tools of an agent that changes nothing: what its commands leave
// behind is put back.
func (r *Runtime) reading(b *tool.Bench) []model.Tool {
	tools := tool.Reading(b)
	for _, run := range tool.Running(b) {
		tools = append(tools, r.around(run, nil, func(ctx context.Context) error {
			if err := b.Workspace.Restore(ctx, r.Trees.here().lookTree); err != nil {
				return err
			}
			return r.Trees.own(b.Workspace)
		}))
	}
	return tools
}

// around lets a tool wait for the build cache, and does something before and after it.
func (r *Runtime) around(inner model.Tool, before, after func(context.Context) error) model.Tool {
	call := inner.Call
	inner.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		select {
		case <-r.Trees.here().warm:
		case <-ctx.Done():
			return model.Result{}, ctx.Err()
		}
		if before != nil {
			if err := before(ctx); err != nil {
				return model.Result{}, err
			}
		}
		end := r.underWay(ctx, inner.Name, args)
		result, err := call(ctx, args)
		end()
		if err == nil {
			err = roomLeft(r.Dir, r.Trees.Folders.CacheDir)
		}
		if err != nil || after == nil {
			return result, err
		}
		return result, after(ctx)
	}
	return inner
}

// then does something after a tool.
func then(inner model.Tool, after func(context.Context) error) model.Tool {
	call := inner.Call
	inner.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		result, err := call(ctx, args)
		if err != nil {
			return result, err
		}
		return result, after(ctx)
	}
	return inner
}

// remoteFailed says in the thread what is wrong with the repository.
func (t *Trees) remoteFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil || diskWords(err) != "" {
		return err
	}
	t.log.Error("repository", "err", err)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: no},
		store.Lines(t.program("I cannot get at the repository: "+remoteWords(err)+" Reply here when it is mended, and I try again.")),
	)
}

// remoteWords are what went wrong with a repository and what to do about it, in whole
// sentences.
func remoteWords(err error) string {
	var hostile *gittree.PathError
	var remote *remote.Error
	text := strings.TrimPrefix(firstLine(err.Error()), "repo: ")
	switch {
	case errors.As(err, &remote):
		text = strings.TrimRight(remote.Reason, ". ") + ". " + remote.Cure
	case errors.As(err, &hostile):
		text = firstLine(hostile.Error())
	}
	return strings.TrimRight(text, ". ") + "."
}

func short(commit string) string {
	if len(commit) > 7 {
		return commit[:7]
	}
	return commit
}
