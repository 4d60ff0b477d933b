package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// tellExpectations returns which tests of the base do not pass on the new code as they were, and are not
// named by the approved report. It does so once for the same tests: a worker that means it calls done again,
// and people are asked before the push.
func (t *task) tellExpectations(ctx context.Context, p proof.Proof) (string, error) {
	found, err := t.Delivery.Expectations(ctx, t.grant, p)
	if err != nil || len(found.Open) == 0 {
		return "", err
	}
	list := strings.Join(found.Open, "\n• ")
	if list == t.told {
		return "", nil
	}
	t.told = list
	return "Not done yet: tests that pass without your change do not pass on your code in the form that " +
		"they " +
		"had:\n• " + list +
		"\nEither the code is wrong, or the expectation is to change. Usually it is the " +
		"code: put these tests back as they were, make the code pass them, " +
		"and write new tests beside them. " +
		"Where the approved work itself means the change, call done once more with nothing changed: people " +
		"are then shown both lines and asked before anything is pushed.", nil
}

// verified says that a task's proof holds, and which expectations of tests changed.
func verified(p proof.Proof) string {
	var names []string
	for _, e := range p.Expectations {
		names = append(names, e.Test)
	}
	if len(names) == 0 {
		return "Verified."
	}
	first := strings.Join(names[:min(len(names), 3)], ", ")
	return fmt.Sprintf("Verified, with %s: %s.",
		plaintext.CountNoun(len(names), "changed expectation"), first)
}
