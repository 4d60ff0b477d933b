package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// maxAmendment is how many bytes of each message since an approval agents are shown, and maxAmendments
// how many messages, the newest.
const maxAmendment, maxAmendments = 4 << 10, 30

// AmendmentText returns what people who may approve said since the approval of a revision, as a prompt
// for agents. It leaves out the inbox rows in without, and is empty if nobody said anything.
func (l *Ledger) AmendmentText(ctx context.Context, revision int, without ...int64) (string, error) {
	amendments, err := l.Store.Amendments(ctx, l.Session().ID, revision)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range amendments[max(0, len(amendments)-maxAmendments):] {
		if slices.Contains(without, a.Message) {
			continue
		}
		lines = append(lines,
			prompt.PersonName(a.UserName)+": "+prompt.Indent(plaintext.CutBytes(a.Text, maxAmendment)))
	}
	if len(lines) == 0 {
		return "", nil
	}
	return prompt.ProgramMark + "Said since the approval by people who may approve. " +
		"Where it corrects what was approved, it counts and that does not:\n" +
		prompt.Fence("message", strings.Join(lines, "\n")), nil
}
