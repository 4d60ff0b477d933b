package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// maxMarked is how many lines with a conflict marker are named of a file.
const maxMarked = 40

// mergeText tells the worker what was merged into its files, if the approval is of a merge: the commits, what
// conflicts, where markers are left, and which files may change. It is empty for any other approval.
func (t *task) mergeText(ctx context.Context) (string, error) {
	m, err := merges.Register{Store: t.Store}.Of(ctx, t.Session().ID, t.grant.Revision)
	if err != nil || m == nil || m.State != merges.MadeIn {
		return "", err
	}
	text := fmt.Sprintf("Your files hold a merge: %s (%s) was merged into %s (%s); the commit before both "+
		"is %s. The program makes the merge commit.", prompt.FileName(m.Base), prompt.ShortHash(m.Theirs),
		prompt.FileName(m.Branch), prompt.ShortHash(m.Ours), prompt.ShortHash(m.Common))
	if len(m.Clashes) > 0 {
		places, err := t.clashes(ctx, m)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf(" These files conflict:\n%s\nBetween <<<<<<<, |||||||, ======= and >>>>>>> "+
			"stand the branch's lines, those before both, and those of %s. Resolve them so that what "+
			"both sides meant holds, and leave no marker: the proof fails while one is there. Where one "+
			"side deleted a file, decide whether it stays.",
			prompt.Fence("conflicts", strings.Join(places, "\n")), prompt.FileName(m.Base))
	}
	return prompt.ProgramMark + text + " Only these files may change; what changes elsewhere is put back:\n" +
		prompt.Fence("files", strings.Join(m.Files, "\n")), nil
}

// clashes returns a line for each file that conflicts, with the lines in which markers are left.
func (t *task) clashes(ctx context.Context, m *merges.Row) (lines []string, err error) {
	marked, err := t.tree.ConflictMarkers(ctx, m.Ours)
	if err != nil {
		return nil, fmt.Errorf("look for conflict markers: %w", err)
	}
	for _, path := range m.Clashes {
		var at []string
		for _, n := range marked[path] {
			at = append(at, fmt.Sprint(n))
		}
		line := path + ": without markers"
		if len(at) > 0 {
			line = path + ": markers in the lines " + plaintext.FirstOf(at, maxMarked)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
