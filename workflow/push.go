package workflow

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Push is the intent to push, stored before the push and updated after it.
type Push struct {
	Commit     string
	Tree       string
	BaseCommit string
	Branch     string
	Approval   string
	// hash of the report that was approved; the store fills it in
	ReportHash string
	State      PushState
	Reason     string
	// why nothing was proven of it, which a person allowed with a separate reply; empty: it was proven
	Unproven string

	// changed expectations of tests that a person allowed with a separate reply, one per line
	Expectations string

	// how many distinct people have to have approved it now; the approval may demand more; 0: one
	Needed int
}

// PushState is the state of a push.
type PushState string

// The states of a push.
const (
	PushIntended PushState = "intended"
	PushDone     PushState = "pushed"
	PushRefused  PushState = "refused"
)

// FixBackport returns a sentence that says how to fix a problem with a backport: the bot does not
// change a backport's branch by itself.
func FixBackport(release string) string {
	return fmt.Sprintf("I change nothing on that branch by myself: have it fixed in this thread, "+
		"and then write \"backport to %s\"; or fix it there.", plaintext.SafeLine(release, 80))
}
