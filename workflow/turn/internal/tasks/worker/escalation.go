package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// escalationKey is the prefix of the keys of consultations that the program asks for by itself.
const escalationKey = "escalation:"

// EscalationOf returns the key of the consultation about failed attempts at that task.
func EscalationOf(k workflow.Task) string { return fmt.Sprintf("%s%d", escalationKey, k.ID) }

// escalate asks the consultant about the failed attempts, and returns its recommendation as a text for
// the orchestrator.
func (t *task) escalate(ctx context.Context, last *workflow.Attempt, said store.Lines) (string, error) {
	name := t.Agents[agent.Consultant].Signature()
	shown, err := t.tried(ctx, last)
	if err != nil {
		return "", err
	}
	q := workflow.Inquiry{
		Kind: workflow.InquiryConsult, Key: EscalationOf(t.task),
		Question: "Why did the attempts fail, and what is to be done instead?",
	}
	asking := fmt.Sprintf("%s failed. Asking the %s.", plaintext.CountNoun(t.task.Failures, "attempt"), name)
	_, err = t.Inquiries.EnsureInquiry(ctx, q,
		store.Update{OptionalEvents: []workflow.Event{workflow.EventFail, workflow.EventConsult}},
		store.Lines(append(slices.Clone(said), t.ProgramLine(asking)...)))
	if err != nil {
		return "", err
	}
	text, err := t.Inquiries.ConsultText(ctx, strings.Join(shown, "\n\n"))
	if err != nil {
		return "", err
	}
	q, err = t.Inquiries.Ask(ctx, q, text, nil)
	if err != nil {
		return "", err
	}
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
		return "\nThe " + name + " was asked and gave no answer.", nil
	}
	return fmt.Sprintf("\nThe %s was asked, and recommends:\n%s\nApply it: delegate again with it in the "+
		"description, or say why not.", name, prompt.Fence("advice", advice.Text())), nil
}

// tried returns what the consultant is shown of the failed attempts, each with its whole diff: those at
// this task, and those at the dropped tasks that it replaces.
func (t *task) tried(ctx context.Context, last *workflow.Attempt) ([]string, error) {
	all, err := t.Store.Tasks(ctx, t.Session().ID, "")
	if err != nil {
		return nil, err
	}
	shown := []string{prompt.ProgramMark + fmt.Sprintf(
		"%s at this task failed. Why, and what is to be done instead?\n",
		plaintext.CountNoun(t.task.Failures, "attempt"),
	) + prompt.Fence("task", t.task.Description)}
	var failed []workflow.Attempt
	numbers := map[int64]int{}
	for _, k := range all {
		if k.ID != t.task.ID && (k.State != workflow.TaskDropped || k.Revision != t.task.Revision) {
			continue
		}
		numbers[k.ID] = k.Number
		attempts, err := t.Store.Attempts(ctx, k.ID)
		if err != nil {
			return nil, err
		}
		failed = append(failed,
			slices.DeleteFunc(attempts, func(a workflow.Attempt) bool { return a.Held })...)
	}
	for _, a := range append(failed, *last) {
		which := fmt.Sprintf("Attempt %d", a.Number)
		if a.Task != t.task.ID {
			which += fmt.Sprintf(" at task %d, which this one takes up", numbers[a.Task])
		}
		shown = append(shown, prompt.ProgramMark+which+":\n"+prompt.Fence(
			"diff", prompt.CutDiff(a.Diff, 2*prompt.MaxDiffBytes/(len(failed)+1)),
		)+"\n"+prompt.Fence("output", prompt.CutBytes(a.Summary, 8<<10)))
	}
	return shown, nil
}
