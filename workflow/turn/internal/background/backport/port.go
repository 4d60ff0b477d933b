package backport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// A backportRun is one backport that is being worked.
type backportRun struct {
	*Porter
	row        backports.Row
	repository repository.Repository
	// the branch that the configuration names
	configuredBase string
	mirror         *git.Mirror
	work           *git.Workspace
	hide           *redact.Finder  // Secrets and those in the private files of the release and of the change
	project        project.Project // how the release is built and tested, by its own files
}

// mergeChange merges the change into the release's files, with the backport that the branch holds already,
// and returns what both change there. It returns a refusal on a conflict, and if the change is there already.
func (b *backportRun) mergeChange(ctx context.Context) ([]diff.Change, error) {
	dir := filepath.Join(b.Folders.Dir, b.row.Session, path.Base(b.row.Target()))
	if err := disk.RemoveFolder(dir); err != nil { // left by an earlier try
		return nil, err
	}
	var err error
	if b.work, err = b.mirror.Workspace(ctx, dir, b.row.Onto); err != nil {
		return nil, err
	}
	b.project = b.repository.Project(b.work.FS())
	if err := b.findPushed(ctx); err != nil {
		return nil, err
	}
	conflicts, err := b.mergePushed(ctx)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		return nil, &refusal{why: "conflict", said: conflictText(b.row, conflicts)}
	}
	before, err := b.work.TreeOf(cmp.Or(b.row.Earlier, b.row.Onto))
	if err != nil {
		return nil, err
	}
	after, err := b.work.Tree(ctx)
	if err != nil {
		return nil, err
	}
	if after == before {
		return nil, refused(b.row, "the change is there already")
	}
	return b.work.Changes(ctx)
}

// mergePushed merges the change into the release's files. If the change's base has the change that the branch
// holds already, it merges that one first: the new one alone would take it back. If the base does not have
// it, then the new change holds it, or has set it back.
func (b *backportRun) mergePushed(ctx context.Context) ([]git.Conflict, error) {
	if b.row.Earlier != "" {
		has, err := b.baseHasEarlier(ctx)
		if err != nil {
			return nil, err
		}
		if has {
			conflicts, err := b.work.Merge(ctx, nil, b.row.Onto, b.row.Earlier)
			if err != nil || len(conflicts) > 0 {
				return conflicts, err
			}
		}
	}
	return b.work.Merge(ctx, nil, b.row.Base, b.row.Pushed)
}

// baseHasEarlier reports whether the change's base has the earlier change, in whatever way it was
// merged there: then merging it once more changes nothing. If the earlier change is not known,
// the base counts as having it.
func (b *backportRun) baseHasEarlier(ctx context.Context) (bool, error) {
	c := b.row.EarlierOf
	if !b.work.HasCommit(c.Base) || !b.work.HasCommit(c.Pushed) {
		return true, nil
	}
	base, err := b.work.TreeOf(b.row.Base)
	if err != nil {
		return false, err
	}
	if err := b.work.Restore(ctx, base); err != nil {
		return false, err
	}
	conflicts, err := b.work.Merge(ctx, nil, c.Base, c.Pushed)
	if err != nil {
		return false, err
	}
	after, err := b.work.Tree(ctx)
	if err != nil {
		return false, err
	}
	return len(conflicts) == 0 && after == base, b.work.Restore(ctx, "")
}

// findPushed makes the pushed commit readable in the work. If its branch was deleted before this
// machine's mirror fetched it, the files that are kept of the session hold it. It returns a
// refusal if the commit is nowhere.
func (b *backportRun) findPushed(ctx context.Context) error {
	if b.work.HasCommit(b.row.Pushed) {
		return nil
	}
	kept, err := b.Rows.Store.Snapshot(ctx, b.row.Session, 0)
	if err != nil {
		return err
	}
	if kept != nil {
		var unfit *git.PackError
		if err := b.work.Unpack(ctx, kept.Pack); errors.As(err, &unfit) {
			b.Log.Warn("the session's files do not lead to what it pushed",
				"commit", b.row.Pushed, "err", err)
		} else if err != nil {
			return err
		}
	}
	if !b.work.HasCommit(b.row.Pushed) {
		return refused(b.row, "the pushed commit "+name(prompt.ShortHash(b.row.Pushed))+
			" is on no branch of the repository any more")
	}
	return nil
}

// reader reads the commits of the mirror and those that only the work has.
func (b *backportRun) reader() git.Commits {
	r := b.mirror.Commits()
	r.Store = b.work.Store
	return r
}

// described returns the commit whose words are those of the change: the pushed one or, if that merges the
// base, the one below it.
func (b *backportRun) described(pushed string) (git.Commit, error) {
	commits := b.reader()
	for {
		parents, _, err := commits.Parents(pushed)
		if err != nil || len(parents) < 2 {
			c, failed := commits.Read(pushed)
			return c, errors.Join(err, failed)
		}
		pushed = parents[0]
	}
}

// learnSecrets reads the secrets in the private files of the commits whose tests run.
func (b *backportRun) learnSecrets(ctx context.Context) (err error) {
	b.hide, err = workfile.FindSecrets(ctx, b.Secrets, b.reader(), b.row.Onto, b.row.Earlier,
		b.row.Base, b.row.Pushed)
	return err
}

func (b *backportRun) close() {
	if b.work == nil {
		return
	}
	if err := b.work.Remove(); err != nil {
		b.Log.Warn("a folder of a backport stays", "dir", b.work.Dir, "err", err)
	}
}

// proveAndCommit proves the change on the release and commits it. It returns the row with the commit, in the
// state Intended.
func (b *backportRun) proveAndCommit(
	ctx context.Context, changes []diff.Change,
) (made backports.Row, err error) {
	made = b.row
	if made.Tree, err = b.work.Tree(ctx); err != nil {
		return made, err
	}
	var shown proof.Proof
	if !b.isPushedItself() { // that was proven
		if shown, err = b.prove(ctx); err != nil {
			return made, err
		}
	}
	if !b.isPushedItself() && !shown.Passes() {
		return made, &refusal{
			why:     "not proven",
			said:    b.hide.Mask(unprovenText(b.row, shown)),
			details: b.hide.Mask(strings.Join(shown.Lines(), "\n")),
		}
	}
	failpoint.Crash("backport_proven")
	if err := b.reach("proven"); err != nil {
		return made, err
	}
	made.State = backports.Intended
	if made.Commit, err = b.commit(ctx, made); err != nil {
		return made, err
	}
	made.Told, err = b.announcement(ctx, made, changes, shown)
	return made, err
}

// prove proves the change on the release, with the packages that the release itself names. If they
// cannot be fetched, it proves the change without them.
func (b *backportRun) prove(ctx context.Context) (proof.Proof, error) {
	checker := b.Checker.For(b.mirror)
	project := b.project
	if project.Test == "" { // the change may bring the first tests
		project = b.repository.Project(b.work.FS())
	}
	if _, _, err := checker.Cache.UseEnvironment(ctx, b.row.Onto, b.repository.Environment); err != nil {
		b.Log.Warn("a backport is proven without its services", "repository", b.row.Repository,
			"release", b.row.Release, "err", err)
	}
	have, err := checker.Cache.FetchPackages(ctx, b.row.Onto,
		b.repository.SetupFor(project.Test, b.row.At), nil)
	switch {
	case ctx.Err() != nil:
		return proof.Proof{}, ctx.Err()
	case err != nil:
		b.Log.Warn("a backport is proven without its packages", "repository", b.row.Repository,
			"release", b.row.Release, "err", err)
	default:
		defer have.Close()
		checker.Cache.UsePackages(have)
	}
	return proof.Prove(ctx, checker, b.work, project, b.row.Release)
}

// makeAgain makes the commit that was intended before a restart, or finds it if it was pushed. It returns
// false if the settings say by now that commits are made in another way, so that the row's was not pushed and
// cannot be made any more. It fails if the files have not the hash in the row.
func (b *backportRun) makeAgain(ctx context.Context) (made bool, err error) {
	tree, err := b.work.Tree(ctx)
	if err != nil {
		return false, err
	}
	if tree != b.row.Tree {
		return false, fmt.Errorf("backport %s: the files are %s, not %s", b.row.Branch, tree, b.row.Tree)
	}
	commit, err := b.commit(ctx, b.row)
	return commit == b.row.Commit || b.work.HasCommit(b.row.Commit), err
}

// commit commits the tree of the row, which holds the files that were proven and nothing that the tests
// left beside them. The commit depends on rows and commits only, so making it again results in the same
// hash.
func (b *backportRun) commit(ctx context.Context, row backports.Row) (string, error) {
	if b.isPushedItself() {
		return row.Pushed, nil
	}
	c, err := b.described(row.Pushed)
	if err != nil {
		return "", err
	}
	report, err := b.Rows.Store.Report(ctx, row.Session, row.Revision)
	if err != nil {
		return "", err
	}
	approvers, err := b.approvers(ctx, row)
	if err != nil {
		return "", err
	}
	people, err := b.discretion(ctx, row, report, approvers)
	if err != nil {
		return "", err
	}
	var trailers [][2]string
	if !people.Nameless() {
		trailers = proposal.Trailers(report.Credits, approvers, nil)
	}
	return b.work.Commit(ctx, git.CommitSpec{
		Tree: row.Tree, Parent: cmp.Or(row.Earlier, row.Onto), When: row.At.UTC().Truncate(time.Second),
		Made: row.Commit,
		Message: b.Secrets.Mask(strings.TrimSpace(c.Subject+"\n\n"+withoutTrailers(c.Body)) + "\n\n" +
			origin[row.Direct] + row.Pushed + "."),
		Trailers: append(trailers, [2]string{"Session", row.Session}),
	})
}

// discretion returns what the backport must not show: what the pushed change does not show either.
func (b *backportRun) discretion(
	ctx context.Context, row backports.Row, report workflow.Report, approvers []proposal.Approver,
) (d proposal.Discretion, err error) {
	d.Anonymous = b.repository.Anonymous
	d.People = slices.Clone(report.Credits)
	for _, a := range approvers {
		d.People = append(d.People, a.Name)
	}
	chosen, err := b.Rows.Store.ChosenDisclosure(ctx, row.Session, row.Repository)
	d.Neutral = chosen != nil && chosen.Choice == workflow.DisclosureNeutral
	return d, err
}

// origin begins the sentence of a commit that says which commit it brings, by whether it is a Direct one.
var origin = map[bool]string{false: "Backported from commit ", true: "The change of commit "}

// approvers returns how a commit names the people who asked for the backport.
func (b *backportRun) approvers(ctx context.Context, row backports.Row) ([]proposal.Approver, error) {
	words, err := b.Rows.Store.EndorsementsAt(ctx, row.Session, row.Revision,
		workflow.BackportSubject(row.Branch, row.Pushed), row.At)
	var list []proposal.Approver
	for _, e := range words {
		list = append(list, proposal.Approver{Credit: e.Credit, Name: e.UserName, User: e.User})
	}
	if list == nil { // from before each person's word was stored
		list = append(list, proposal.Approver{Credit: row.Credit, Name: row.UserName, User: row.User})
	}
	return list, err
}

// withoutTrailers returns a commit's body without the paragraph of Bobbin's trailers at its end.
func withoutTrailers(body string) string {
	rest := ""
	last := body
	if at := strings.LastIndex(body, "\n\n"); at >= 0 {
		rest = body[:at]
		last = body[at+2:]
	}
	if strings.Contains("\n"+last, "\nSession: ") {
		return strings.TrimSpace(rest)
	}
	return body
}

// announcement returns the text that is posted when the row's commit is pushed, and the intent to open a pull
// request if the repository has a host.
func (b *backportRun) announcement(
	ctx context.Context, row backports.Row, changes []diff.Change, shown proof.Proof,
) (backports.Announcement, error) {
	if row.Direct {
		return b.directAnnouncement(row, changes, shown), nil
	}
	added, removed := countLines(changes)
	compare := fmt.Sprintf("Compare: `git fetch %s %s && git diff %s %s`", b.repository.FetchFrom(),
		row.Branch,
		prompt.ShortHash(row.Onto), prompt.ShortHash(row.Commit))
	if page := b.repository.CompareURL(row.Onto, row.Commit); page != "" {
		compare = fmt.Sprintf("[Compare](%s)", page)
	}
	var text workflow.Text
	text.Vouch(b.hide.Mask(fmt.Sprintf(
		"Backport to %s, as %s asked: pushed `%s` at %s, %s, +%d −%d lines.\n%s\nFiles: %s",
		name(row.Release), plaintext.OneLine(row.UserName), row.Branch, prompt.ShortHash(row.Commit),
		plaintext.CountNoun(len(changes), "file"), added, removed, shown.Short(), proposal.FilesText(changes),
	)))
	text.Add(b.hide.Mask(compare))
	t := backports.Announcement{
		Text: text.String(), Vouched: text.Vouched(),
		Details: b.hide.Mask(strings.Join(shown.Lines(), "\n")),
	}
	if b.repository.Pulls.Host == nil {
		return t, nil
	}
	report, err := b.Rows.Store.Report(ctx, row.Session, row.Revision)
	if err != nil {
		return t, fmt.Errorf("pull request: %w", err)
	}
	c, err := b.described(row.Pushed)
	if err != nil {
		return t, err
	}
	approvers, err := b.approvers(ctx, row)
	if err != nil {
		return t, err
	}
	people, err := b.discretion(ctx, row, report, approvers)
	if err != nil {
		return t, err
	}
	proven := shown.Lines()
	if people.Neutral {
		proven = []string{plaintext.OneLine(shown.Short())}
	}
	w := proposal.PullRequestText{
		Title:   c.Subject + " (backport to " + row.Release + ")",
		Summary: "Brings " + prompt.ShortHash(row.Pushed) + " to " + row.Release + ".",
		Report:  report,
		Proof:   proven,
		Approval: workflow.Approval{
			Revision: row.Revision,
			UserName: row.UserName,
			Scope:    "its backport to " + row.Release,
		},
		Changes:    changes,
		Mask:       b.hide.Mask,
		Discretion: people,
	}
	t.Pull = &pullrequest.Intent{Proposal: pullrequest.Proposal{
		Repository: row.Repository,
		Branch:     row.Branch,
		Head:       row.Commit,
		Base:       row.Release,
		Title:      w.Heading(),
		Body:       w.Body(),
		Files:      w.Paths(),
	}}
	return t, b.addPapers(ctx, t.Pull, people)
}

// addPapers adds what the repository wants on its pull requests, by the files of the release.
func (b *backportRun) addPapers(
	ctx context.Context, to *pullrequest.Intent, people proposal.Discretion,
) error {
	session, err := b.Rows.Store.Session(ctx, b.row.Session)
	if err != nil {
		return fmt.Errorf("pull request: %w", err)
	}
	files, err := b.reader().Files(b.row.Onto)
	if err != nil {
		return fmt.Errorf("pull request: %w", err)
	}
	house := proposal.House{
		Repository: b.repository, Base: files, Approver: b.row.User, Requester: session.Requester,
	}
	if people.Nameless() {
		house.Approver = ""
		house.Requester = ""
	}
	to.Template = house.Template(proposal.Known{})
	to.Papers = house.Papers(to.Files)
	return nil
}

func countLines(changes []diff.Change) (added, removed int) {
	for _, c := range changes {
		added += c.Added
		removed += c.Removed
	}
	return added, removed
}

// directAnnouncement returns the text that is posted when the row's commit is pushed to somebody else's
// branch.
func (b *backportRun) directAnnouncement(
	row backports.Row, changes []diff.Change, shown proof.Proof,
) backports.Announcement {
	added, removed := countLines(changes)
	proven := "It is the commit that was pushed before: the branch did not move since."
	if !b.isPushedItself() {
		proven = "The branch had moved since, so it was proven again there. " + shown.Short()
	}
	var text workflow.Text
	text.Vouch(b.hide.Mask(fmt.Sprintf("Pushed to %s, as %s said: %s, %s, +%d −%d lines.\n%s\nFiles: %s",
		name(row.Wanted), plaintext.OneLine(row.UserName), prompt.ShortHash(row.Commit),
		plaintext.CountNoun(len(changes), "file"), added, removed, proven, proposal.FilesText(changes))))
	return backports.Announcement{
		Text: text.String(), Vouched: text.Vouched(),
		Details: b.hide.Mask(strings.Join(shown.Lines(), "\n")),
	}
}

// publish pushes the commit of the row, then records the push and posts its line.
func (b *backportRun) publish(ctx context.Context) error {
	spec := git.PushSpec{
		Commit:    b.row.Commit,
		Tree:      b.row.Tree,
		Base:      b.row.Onto,
		Branch:    b.row.Target(),
		Prefix:    b.repository.BranchPrefix,
		Named:     b.repository.Naming.Branch.Expression(),
		Protected: []string{b.row.Release},
	}
	if b.row.Direct {
		spec.Existing = true
		spec.Protected = []string{b.configuredBase}
	}
	_, err := b.work.Push(ctx, spec)
	switch {
	case isPassing(err): // the push may have arrived, so it is tried until the remote answers
		return err
	case err != nil:
		return unlessRefused(b.row, err)
	}
	failpoint.Crash("backport_pushed")
	if err := b.reach("pushed"); err != nil {
		return err
	}
	return b.recordPushed(ctx, b.row)
}
