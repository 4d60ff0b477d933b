package turn

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// A command begins its workflow, or says what is in its way and changes nothing. If it began in words only,
// as beside approved work that is paused, each tool would be refused from then on.
func TestACommandBeginsOrChangesNothing(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	work := after(reportWaits,
		func(ctx context.Context, th *thread) error { return th.approveAsBea(ctx, workflow.EventApprove) })
	atWork := func(events ...workflow.Event) func(context.Context, *thread) (string, error) {
		return after(work, happens(events...))
	}
	explores := func(events ...workflow.Event) func(context.Context, *thread) (string, error) {
		return func(ctx context.Context, th *thread) (string, error) {
			return "", happens(events...)(ctx, th)
		}
	}
	const plan, interview, diagnosis = "write a plan first", "grill me", "diagnose this"
	for n, c := range []struct {
		enter func(context.Context, *thread) (string, error)
		says  string
		busy  string // empty: it begins
		phase workflow.Phase
	}{
		{atWork(), plan, "the work", workflow.PhaseWorking},
		{atWork(workflow.EventPause), plan, "the work", workflow.PhasePaused},
		{atWork(workflow.EventPause), diagnosis, "the work", workflow.PhasePaused},
		{atWork(workflow.EventConsult), interview, "the work", workflow.PhaseConsulting},
		{atWork(workflow.EventStop), plan, "", workflow.PhaseExploring},
		{explores(workflow.EventPause), plan, "", workflow.PhaseExploring},
		{explores(workflow.EventPause), diagnosis, "", workflow.PhaseDiagnosing},
		{explores(workflow.EventConsult), plan, "", workflow.PhaseConsulting},
		{explores(workflow.EventPlan, workflow.EventShowPlan), diagnosis, "a plan", workflow.PhasePlanShown},
		{explores(workflow.EventPlan, workflow.EventShowPlan), interview, "", workflow.PhaseAligning},
		{explores(workflow.EventDiagnose), plan, "a diagnosis", workflow.PhaseDiagnosing},
		{explores(workflow.EventDiagnose), diagnosis, "", workflow.PhaseDiagnosing},
		{explores(workflow.EventAlign), diagnosis, "an interview", workflow.PhaseAligning},
		{explores(workflow.EventAlign), plan, "", workflow.PhaseAligning},
		{reportWaits, diagnosis, "", workflow.PhaseDiagnosing},
		{reportWaits, plan, "", workflow.PhaseExploring},
	} {
		name := fmt.Sprintf("%d %s", n, c.says)
		th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: name},
			o.asker, "anybody")
		require.NoError(t, err)
		th.people = o.people
		_, err = c.enter(t.Context(), th)
		require.NoError(t, err)
		kind := th.Session().Kind
		require.NoError(t, th.says(t.Context(), "bea", c.says))
		s := th.Session()
		require.Equal(t, c.phase, s.Phase, name)
		require.Equal(t, c.busy != "", s.Workflow == workflow.CommandNone, name)
		if c.busy == "" {
			continue
		}
		require.Equal(t, kind, s.Kind)
		lines, err := o.Store.Lines(t.Context(), s.ID)
		require.NoError(t, err)
		require.Contains(t, lines[len(lines)-1].Text,
			"I am in the middle of "+c.busy+". Say \"stop\" first", name)
	}
}

// A plan that is asked for in an interview is written when its result is confirmed,
// and nothing is built before.
func TestAPlanThatIsAskedForInAnInterviewIsWritten(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for says, then := range map[string]workflow.Command{
		"write a plan first": workflow.CommandStartWork,
		"/grill-me":          workflow.CommandNone,
	} {
		th, err := o.ask(t.Context(), workflow.Thread{
			Team:    "T1",
			Channel: o.channel,
			TS:      strings.ReplaceAll(says, " ", "-"),
		}, o.asker, "anybody")
		require.NoError(t, err)
		th.people = o.people
		require.NoError(t, happens(workflow.EventAlign)(t.Context(), th))
		require.NoError(t, th.says(t.Context(), "bea", says))
		require.NoError(t, th.restates(t.Context()))
		require.NoError(t, th.says(t.Context(), "bea", "yes"))
		require.Equal(t, workflow.PhaseExploring, th.Session().Phase)
		require.Equal(t, then, th.Session().Workflow)
		if then == workflow.CommandNone {
			continue
		}
		read, err := th.Inbox().Read(t.Context())
		require.NoError(t, err)
		require.Contains(t, read[len(read)-1].AgentText, "propose_plan")
		r, err := th.lead().Delegate(t.Context(), []decision.Assignment{{
			Description: "add it", Category: "quick",
		}})
		require.NoError(t, err)
		require.Contains(t, r.Text, "Refused: a written plan was asked for.")
		r, err = th.lead().ProposePlan(t.Context(), workflow.Plan{
			Title:        "Key.Len",
			Summary:      "Adds it.",
			Verification: "go test",
			Tasks: []workflow.PlannedTask{{
				Description: "add it", Acceptance: "it is there", Check: "go test",
			}},
		})
		require.NoError(t, err)
		require.NoError(t, th.Record(t.Context(), partsOf(r)...))
		require.Equal(t, workflow.PhasePlanShown, th.Session().Phase)
	}
}
