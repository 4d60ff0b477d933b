package playground

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow"
)

// noAnswer matches what the story may not answer a press with.
var noAnswer = regexp.MustCompile(`(?i)ask again|on my side|no explanation|No model is connected`)

// TestTheStoryAnswersEveryButton presses every button that the story shows at each of its steps: below both
// reports, while the work waits, after a stop, and after the push.
func TestTheStoryAnswersEveryButton(t *testing.T) {
	t.Parallel()
	p := openPlayground(t, nil)
	// One after another: they share the person who presses, and so the modals.
	for name, play := range map[string]func(th talk, press func(least int)){
		"with the correction": func(th talk, press func(int)) {
			press(4)
			th.says("bea", stage.DemoCorrection)
			th.reads("revision 2 · nothing")
			press(4)
			th.says("bea", "fix it")
			th.reads("and pushed:")
			press(4)
		},
		"without it": func(th talk, press func(int)) {
			th.says("bea", "fix it")
			th.reads("Revision 1 approved by bea")
			th.react("ann", "-1", "Revision 1 approved by bea", p.Stage.Slack.React)
			th.reads("somebody objected")
			press(1)
			th.says("bea", "push all the same")
			th.reads("and pushed:")
			press(4)
		},
		"stopped": func(th talk, press func(int)) {
			th.says("bea", "fix it")
			th.reads("Reading Split")
			th.says("ann", "stop")
			th.reads("Stopped, as ann asked.")
			press(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "with the correction")
			th := talk{T: t, p: p, ctx: harness.Soon(t), ts: new(string)}
			th.says("ann", stage.DemoReport)
			th.reads("revision 1 · nothing")
			presser := &harness.Presser{
				Slack: p.Stage.Slack, Who: p.Stage.People["bea"],
				Rests: p.Stage.WaitSettled, Unhelpful: noAnswer,
			}
			press := func(least int) {
				t.Helper()
				require.NoError(t, p.Stage.WaitSettled(th.ctx))
				threads := []harness.Thread{{Channel: p.Stage.Channel, Root: *th.ts}}
				n, faults := presser.Press(th.ctx, threads, harness.Button.Shows)
				require.Empty(t, faults)
				require.GreaterOrEqual(t, n, least)
			}
			play(th, press)
			// What decides and what stops comes last, since it changes what is shown.
			_, faults := presser.Press(th.ctx, []harness.Thread{{Channel: p.Stage.Channel, Root: *th.ts}},
				func(b harness.Button) bool { return !b.Is(workflow.ButtonJoin) })
			require.Empty(t, faults)
		})
	}
}
