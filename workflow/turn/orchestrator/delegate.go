package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/worker"
)

// delegationRefusal says why nothing is delegated in this phase, although a word of approval stands.
func (o *Orchestrator) delegationRefusal() string {
	s := o.Session()
	switch {
	case s.Halted != "":
		return prompt.HaltedRefusal
	case s.Phase == workflow.PhaseAligning:
		return "Refused: an interview is under way. End it with restate_request, and wait until somebody confirms it."
	case s.Phase == workflow.PhaseDiagnosing:
		return "Refused: a Diagnosis Report was asked for. Give it with report_diagnosis, and wait for the thread's word."
	case s.Workflow == workflow.CommandStartWork && o.NewestReportKind() != workflow.ReportPlan:
		return "Refused: a written plan was asked for. Write it with propose_plan, and wait for the thread's word."
	}
	return ""
}

// enterWorking moves the session to working from where an approval may find it.
func (o *Orchestrator) enterWorking(ctx context.Context) error {
	var events []workflow.Event
	switch o.Session().Phase {
	case workflow.PhaseExploring: // after a pause or an interview, the approval stands
		events = []workflow.Event{workflow.EventResume}
	case workflow.PhasePlanning:
		events = []workflow.Event{workflow.EventApprove}
	default:
		return nil
	}
	return o.Record(ctx, store.Update{Events: events})
}

// badAssignments says what is wrong with a list of tasks.
func badAssignments(list []agent.Assignment, plan workflow.Plan) string {
	if len(list) == 0 || len(list) > 10 {
		return "delegate needs one to ten tasks: {description, category, skill?, after?}."
	}
	for i, a := range list {
		if strings.TrimSpace(a.Description) == "" {
			return fmt.Sprintf("Task %d has no description.", i+1)
		}
		for _, n := range a.After {
			if n < 1 || n > i {
				return fmt.Sprintf("Task %d says it comes after task %d; after may only name earlier tasks of the list.", i+1, n)
			}
		}
		switch n := len(plan.Tasks); {
		case n > 0 && (a.Plan < 1 || a.Plan > n):
			return fmt.Sprintf("Task %d has to name the plan's task that it is, as plan: 1 to %d.", i+1, n)
		case n == 0 && a.Plan != 0:
			return fmt.Sprintf("Task %d names a plan's task, and no plan was approved; leave plan out.", i+1)
		}
	}
	return ""
}

// takeUp: the new tasks go on where tasks failed, and inherit how often.
func takeUp(all []workflow.Task) (dropped []store.Part, failures int) {
	for _, k := range all {
		if k.State == workflow.TaskFailed {
			failures = max(failures, k.Failures)
			k.State = workflow.TaskDropped
			dropped = append(dropped, store.Task{Task: k})
		}
	}
	return dropped, failures
}

// applyAdvice says that the consultant's recommendation after failed attempts is acted on.
func (o *Orchestrator) applyAdvice(ctx context.Context) ([]store.Part, error) {
	all, err := o.Store.Inquiries(ctx, o.Session().ID)
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Backward(all) {
		var advice workflow.Advice
		if q.Applied || !strings.HasPrefix(q.Key, worker.EscalationKey) || json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
			continue
		}
		q.Applied, q.Answer = true, nil
		return []store.Part{store.Inquiry(q), store.Lines(o.ProgramLine("Applying the " + o.Agents[agent.Consultant].Signature() + "'s recommendation: " + plaintext.OneLine(advice.BottomLine)))}, nil
	}
	return nil, nil
}

// apart: a task that some other one neither waits for nor leads to works in a tree of its own.
func apart(list []agent.Assignment, i int) bool {
	for j := range list {
		if j != i && !leadsTo(list, i, j) && !leadsTo(list, j, i) {
			return true
		}
	}
	return false
}

// leadsTo reports whether task b waits for task a, directly or through others.
func leadsTo(list []agent.Assignment, a, b int) bool {
	for _, n := range list[b].After {
		if n-1 == a || leadsTo(list, a, n-1) {
			return true
		}
	}
	return false
}

// startOfFailure is the tree that the first of the newest failed tasks began with, of those
// that worked in the session's own tree; empty where there is none.
func startOfFailure(all []workflow.Task) (tree string) {
	for _, k := range all {
		switch {
		case k.State == workflow.TaskDone:
			tree = ""
		case tree == "" && !k.Apart && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped):
			tree = k.StartTree
		}
	}
	return tree
}

// allGotNowhere: the newest tasks all ended because their workers went astray, so more of
// them would end no better.
func (o *Orchestrator) allGotNowhere(ctx context.Context) (bool, error) {
	all, err := o.Store.Tasks(ctx, o.Session().ID, "")
	if err != nil || len(all) < runtime.MostNowhere {
		return false, err
	}
	for _, k := range all[len(all)-runtime.MostNowhere:] {
		if !strings.HasPrefix(k.Summary, runtime.GotNowhere) {
			return false, nil
		}
	}
	return true, nil
}

// giveUpTasks asks people, and rests.
func (l *Tools) giveUpTasks() model.Result {
	return ledger.WithParts(model.Result{Text: "The tasks got nowhere, and the thread was asked. Wait for what people say.", Ends: true},
		store.Lines(l.ProgramLine(fmt.Sprintf("The last %d tasks ended without a result. What was changed is kept, and nothing was pushed since. Say what to try instead, or have another model configured and reply here.", runtime.MostNowhere))),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
}
