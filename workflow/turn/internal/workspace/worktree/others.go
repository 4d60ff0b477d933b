package worktree

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// An Other is another repository than the session's own. Agents read it at one commit for as long as the
// session lasts, and nothing in it is run or changed.
type Other struct {
	Repository repository.Repository
	Mirror     *git.Mirror
	Copy       *git.Workspace
	Read       progress.RepositoryRead
}

// at names the commit, as in "main at abc1234".
func (o *Other) at() string { return o.Read.Branch + " at " + prompt.ShortHash(o.Read.Commit) }

// OpenOther opens another repository that agents read. The first time it records at which commit, and says
// it in the thread. The error is a [model.Mistake] if there is none of that name for the agents of this
// thread.
func (t *Trees) OpenOther(ctx context.Context, name string) (*Other, error) {
	t.opening.Lock()
	defer t.opening.Unlock()
	others, err := t.Catalog.Others(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(others.Readable,
		func(r repository.Repository) bool { return strings.EqualFold(r.Name, name) })
	if i < 0 {
		return nil, notReadable(others, name)
	}
	r := others.Readable[i]
	if o := t.Current().Others[r.Name]; o != nil {
		return o, nil
	}
	rows, err := t.Store.RepositoriesRead(ctx, t.Session().ID)
	if err != nil {
		return nil, err
	}
	o, known, err := t.fixOther(ctx, r, rows)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && folder.DiskMessage(err) != "":
		return nil, err
	case err != nil:
		t.Log.Warn("another repository cannot be read", "repository", r.Name, "err", err)
		return nil, model.Mistakef("%s cannot be read now: %s Go on without it, and say so.", r.Name,
			RemoteWords(err))
	}
	values, err := privateValues(o.Copy)
	if err != nil {
		o.Copy.Close()
		return nil, err
	}
	t.publishOther(o, t.SecretFinder().With(values...))
	if known {
		return o, nil
	}
	return o, t.Record(ctx, o.Read,
		store.Update{Change: func(s *workflow.Session) { // so that guests are shown no code of it
			if !slices.Contains(s.Before, r.Name) {
				s.Before = append(slices.Clone(s.Before), r.Name)
			}
		}},
		store.Lines(t.ProgramLine(fmt.Sprintf("Also reading %s (%s).", r.Name, o.at()))))
}

// notReadable tells a model that there is no such repository here. It says the same of one that there is
// not, and of one that this thread may not know of.
func notReadable(others catalog.Others, name string) error {
	name = plaintext.SafeLine(name, maxName)
	for _, closed := range others.Closed {
		if strings.EqualFold(closed, name) {
			return model.Mistakef("%s is not read in this thread: %s, and its code is for full members. "+
				"Go on without it, and say so.", closed, others.Why)
		}
	}
	readable := "no other repository can be read here"
	if len(others.Readable) > 0 {
		readable = "these can be read: " + plaintext.FirstOf(others.Names(), mostNames)
	}
	return model.Mistakef("There is no repository %s here (%s), and no such file. Paths of the own "+
		"repository have no name before them.", name, readable)
}

// maxName is how many characters of a name are shown that a model made up.
const maxName = 100

// fixOther opens a repository at the commit that the session reads, which is the newest one of its base the
// first time. known says that it was read before.
func (t *Trees) fixOther(
	ctx context.Context, r repository.Repository, rows []progress.RepositoryRead,
) (o *Other, known bool, err error) {
	o = &Other{Repository: r, Read: progress.RepositoryRead{Repository: r.Name}}
	i := slices.IndexFunc(rows, func(one progress.RepositoryRead) bool { return one.Repository == r.Name })
	if known = i >= 0; known {
		o.Read = rows[i]
	}
	if o.Mirror, err = t.Mirrors.Open(ctx, r.Remote); err != nil {
		return nil, known, err
	}
	switch {
	case !known:
		if err := o.Mirror.Fetch(ctx); err != nil {
			return nil, known, err
		}
		o.Read.Branch = cmp.Or(r.Base, o.Mirror.Commits().DefaultBranch())
		o.Read.Commit, err = o.Mirror.Commits().Resolve(o.Read.Branch)
	case !o.Mirror.Commits().Has(o.Read.Commit):
		err = o.Mirror.FetchCommit(ctx, o.Read.Commit)
	}
	if err == nil {
		dir := t.Folder("read-" + r.Name + "-" + prompt.ShortHash(o.Read.Commit))
		o.Copy, err = o.Mirror.Workspace(ctx, dir, o.Read.Commit)
	}
	return o, known, err
}

// publishOther lets agents read another repository, whose secrets are known from then on.
func (t *Trees) publishOther(o *Other, secrets *redact.Finder) {
	t.SetRepository(secrets, t.locateCode)
	t.change(func(p *Checkout) {
		p.Secrets = secrets
		p.Others = maps.Clone(p.Others)
		if p.Others == nil {
			p.Others = map[string]*Other{}
		}
		p.Others[o.Repository.Name] = o
	})
}

// reopenOthers opens the other repositories that the session read before. What cannot be opened now is
// opened when an agent asks for it.
func (t *Trees) reopenOthers(ctx context.Context) error {
	rows, err := t.Store.RepositoriesRead(ctx, t.Session().ID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Repository == t.Session().Repository {
			continue
		}
		if _, err := t.OpenOther(ctx, row.Repository); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.Log.Warn("another repository is not open", "repository", row.Repository, "err", err)
		}
	}
	return nil
}

// FollowNamed opens the other repositories that messages say to look in, and records what agents and people
// are told of each. It reports whether there are notes now that there were not.
func (t *Trees) FollowNamed(ctx context.Context, of []workflow.Message) (added bool, err error) {
	for _, m := range of {
		typed := m.Kind == workflow.MessageMention || m.Kind == workflow.MessageReply ||
			m.Kind == workflow.MessageSent || m.Kind == workflow.MessageEdit
		if !typed || m.User == "" || m.AgentText != "" {
			continue
		}
		named := t.Catalog.AlsoNamed(m.Text)
		for _, name := range append(named.Names, named.Unknown...) {
			told, err := t.followName(ctx, m, name)
			if err != nil {
				return added, err
			}
			added = added || told
		}
	}
	return added, nil
}

// followName opens one repository that a message names, once.
func (t *Trees) followName(ctx context.Context, m workflow.Message, name string) (told bool, err error) {
	key := workflow.KeyOfReference + m.TS + ":also " + strings.ToLower(name)
	if noted, err := t.Inbox().Noted(ctx, key); noted || err != nil {
		return false, err
	}
	who := t.PersonName(ctx, m.User)
	o, err := t.OpenOther(ctx, name)
	if mistake, wrong := err.(model.Mistake); wrong { //nolint:errorlint // OpenOther returns it as it is
		said, err := t.whyNotRead(ctx, name)
		if err != nil {
			return false, err
		}
		return true, t.Record(ctx, inbox.AgentNote{
			Key:  key,
			Text: fmt.Sprintf("%s names the repository %s. %s", who, prompt.PersonName(name), mistake),
		}, store.Lines(t.ProgramLine(said)))
	}
	if err != nil {
		return false, err
	}
	return true, t.Record(ctx, inbox.AgentNote{Key: key, Text: fmt.Sprintf(
		"%s names %s, another repository, which you can read (%s): list_files, search, read_file, outline "+
			"and history take %[2]s:PATH, and %[2]s: for all of it. Cite it as %[2]s:PATH:LINE. Nothing of "+
			"it is run or changed here: if the cause lies there, report that, with its lines as evidence.",
		who, o.Repository.Name, o.at())})
}

// whyNotRead tells people why a repository that they name is not read.
func (t *Trees) whyNotRead(ctx context.Context, name string) (string, error) {
	others, err := t.Catalog.Others(ctx)
	if err != nil {
		return "", err
	}
	for _, closed := range others.Closed {
		if strings.EqualFold(closed, name) {
			return fmt.Sprintf("I do not read %s in this thread: %s, and its code is for full members.",
				closed, others.Why), nil
		}
	}
	for _, r := range others.Readable {
		if strings.EqualFold(r.Name, name) {
			return fmt.Sprintf("I cannot read %s now, and go on without it. Name it again later.",
				r.Name), nil
		}
	}
	if len(others.Readable) == 0 {
		return fmt.Sprintf("I know no repository %s here, and no other one that I could read.",
			plaintext.CodeSpan(name)), nil
	}
	return fmt.Sprintf("I know no repository %s here. I can also read: %s.", plaintext.CodeSpan(name),
		plaintext.FirstOf(others.Names(), mostNames)), nil
}

// otherFacts tells agents which other repositories they may read.
func (t *Trees) otherFacts(ctx context.Context) string {
	others, err := t.Catalog.Others(ctx)
	if err != nil || len(others.Readable) == 0 {
		return ""
	}
	return fmt.Sprintf("If a cause may lie in another repository, list_files, search, read_file, outline "+
		"and history take NAME:PATH of: %s.\n", plaintext.FirstOf(others.Names(), mostNames))
}

// CauseIn returns the other repository in which all places of a cause lie, or nil if it names none or also
// one of the session's own repository.
func (co *Checkout) CauseIn(cause string) (other *Other) {
	for _, m := range LocationPattern.FindAllStringSubmatch(cause, maxLinked) {
		name, _ := tool.SplitRepository(m[1])
		o := co.Others[name]
		if o == nil || other != nil && other != o {
			return nil
		}
		other = o
	}
	return other
}

// CausesAlsoIn returns the names of the other repositories that a cause has places of.
func (co *Checkout) CausesAlsoIn(cause string) (names []string) {
	for _, m := range LocationPattern.FindAllStringSubmatch(cause, maxLinked) {
		name, _ := tool.SplitRepository(m[1])
		if co.Others[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Begins says that the cause lies there, and how to begin there.
func (o *Other) Begins(own string) string {
	return fmt.Sprintf("The cause lies in %s (%s). A fix here changes %s alone: reply `repo: %[1]s` to "+
		"begin there.", o.Repository.Name, o.at(), own)
}

// Shares says that a part of the cause lies there. begun says that a part of the thread is about it already.
func (o *Other) Shares(own string, begun bool) string {
	how := fmt.Sprintf("%q begins its part in this thread.", PartLabel(o.Repository.Name))
	if begun {
		how = "It has a part of its own in this thread."
	}
	return fmt.Sprintf("A part of the cause lies in %s (%s). A fix here changes %s alone. %s",
		o.Repository.Name, o.at(), own, how)
}

// PartLabel returns the label of the button that begins the part of a repository.
func PartLabel(repository string) string {
	return "Report on " + plaintext.CutLine(repository, maxPartName) + ", too"
}

// maxPartName is how many characters of a repository's name stand on a button.
const maxPartName = 50

// tree returns the files in which a path lies, of another repository if its name begins the path, and the
// path there.
func (co *Checkout) tree(path string) (files fs.FS, within string) {
	name, rest := tool.SplitRepository(path)
	if name == "" {
		return co.Copy.FS(), path
	}
	if o := co.Others[name]; o != nil {
		return o.Copy.FS(), rest
	}
	return co.Copy.FS(), rest
}
