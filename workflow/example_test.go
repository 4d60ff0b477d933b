package workflow_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
)

// A bug that nobody has approved the fix of cannot be worked on.
func ExamplePhase_Next() {
	phase := workflow.PhaseExploring
	for _, event := range []workflow.Event{workflow.EventClaim, workflow.EventReport, workflow.EventApprove} {
		next, err := phase.Next(event)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s, %s: %s, may write: %v\n", phase, event, next, next.MayWrite())
		phase = next
	}
	// Output:
	// a session that is exploring cannot take the event "claim"
	// exploring, report: reported, may write: false
	// reported, approve: working, may write: true
}
