package backport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/merge"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/proposal"
)

// name is a branch or file in a line: a stranger's word, as code.
func name(word string) string {
	return "`" + strings.ReplaceAll(plaintext.SafeLine(word, 80), "`", "'") + "`"
}

// refused is a refusal in the usual words.
func refused(row backports.Row, why string) error {
	return &refusal{why: why, said: fmt.Sprintf("No backport to %s: %s.", name(cmp.Or(row.Release, row.Wanted)), strings.TrimSuffix(why, "."))}
}

func failedText(row backports.Row) string {
	return fmt.Sprintf("The backport to %s failed on my side again and again, and I gave it up. To try it once more, write \"backport to %s\".", name(cmp.Or(row.Release, row.Wanted)), plaintext.SafeLine(row.Wanted, 80))
}

// conflictText says what the release has otherwise.
func conflictText(row backports.Row, conflicts []merge.Conflict) string {
	var places []string
	for _, c := range conflicts {
		if said := name(c.Path) + " (" + c.Why + ")"; !slices.Contains(places, said) {
			places = append(places, said)
		}
	}
	if more := len(places) - mostNamed; more > 0 {
		places = append(places[:mostNamed], plaintext.CountNoun(more, "more place"))
	}
	return fmt.Sprintf("No backport to %s: the change conflicts with what stands there, in %s. Nothing was pushed; somebody has to bring it there by hand.", name(row.Release), strings.Join(places, ", "))
}

// unprovenText says why the change is not proven on the release.
func unprovenText(row backports.Row, shown proof.Proof) string {
	why, _, _ := strings.Cut(strings.Join(shown.Lines(), "\n"), "\n")
	if shown.Outcome() == proof.NotStarted {
		why = "Nothing can be run there: " + shown.Missing
	}
	return fmt.Sprintf("No backport to %s: the proof does not hold there, so nothing was pushed. %s", name(row.Release), strings.TrimSpace(why))
}

// told is what is said when the commit of the row is pushed.
func (k *port) told(ctx context.Context, row backports.Row, changes []diff.Change, shown proof.Proof) (backports.Told, error) {
	added, removed := 0, 0
	for _, c := range changes {
		added, removed = added+c.Added, removed+c.Removed
	}
	compare := fmt.Sprintf("Compare: `git fetch origin %s && git diff %s %s`", row.Branch, prompt.ShortHash(row.Onto), prompt.ShortHash(row.Commit))
	if page := k.repository.CompareURL(row.Onto, row.Commit); page != "" {
		compare = fmt.Sprintf("[Compare](%s)", page)
	}
	t := backports.Told{
		Text: k.Secrets.Mask(fmt.Sprintf("Backport to %s, as %s asked: pushed `%s` at %s, %s, +%d −%d lines.\n%s\nFiles: %s\n%s", name(row.Release), plaintext.OneLine(row.UserName), row.Branch, prompt.ShortHash(row.Commit),
			plaintext.CountNoun(len(changes), "file"), added, removed, shown.Short(), proposal.FilesText(changes), compare)),
		Details: k.Secrets.Mask(strings.Join(shown.Lines(), "\n")),
	}
	if k.repository.Pulls.Host == nil {
		return t, nil
	}
	report, err := k.Rows.Store.Report(ctx, row.Session, row.Revision)
	if err != nil {
		return t, fmt.Errorf("pull request: %w", err)
	}
	c, err := k.mirror.Commits().Read(row.Pushed)
	if err != nil {
		return t, err
	}
	w := proposal.Words{
		Title: c.Subject + " (backport to " + row.Release + ")", Summary: "Brings " + prompt.ShortHash(row.Pushed) + " to " + row.Release + ".", Report: report, Proof: shown.Lines(),
		Approval: permit.Approval{Revision: row.Revision, UserName: row.UserName, Scope: "its backport to " + row.Release}, Changes: changes, Mask: k.Secrets.Mask,
	}
	t.Pull = &pullrequest.Intent{Repository: row.Repository, Branch: row.Branch, Head: row.Commit, Base: row.Release, Title: w.Heading(), Body: w.Body(), Files: w.Paths()}
	return t, nil
}
