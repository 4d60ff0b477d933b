package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// giveToWork gives a message to the agents. In the phase of working, a message that names a task goes to
// the worker of that task. During a verification, when no agent reads, a message that names none goes to
// the only open task, or otherwise to the orchestrator. Both are acknowledged in a line.
func (j *Judge) giveToWork(ctx context.Context, m intent.Message) ([]store.Part, error) {
	f := j.ForAgents(m, "")
	phase := j.Session().Phase
	number := m.Says.Task
	words := m.Says.TaskText
	if phase != workflow.PhaseVerifying && (phase != workflow.PhaseWorking || number == 0) ||
		m.Says.Acknowledges || m.Says.OnlyAsks {
		return f, nil
	}
	tasks, err := j.Store.Tasks(ctx, j.Session().ID, "")
	if err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(tasks,
		func(k workflow.Task) bool { return k.State != workflow.TaskOpen && k.State != workflow.TaskWorking })
	noted := quoteLine(words)
	switch i := slices.IndexFunc(open, func(k workflow.Task) bool { return k.Number == number }); {
	case i >= 0:
		j.addressTask(f, open[i].ID)
		noted = fmt.Sprintf("Noted for task %d: %s", number, noted)
	case number > 0:
		j.addressTask(f, inbox.OrchestratorAlone)
		noted = fmt.Sprintf("Noted: %s. Task %d is not open, so the orchestrator takes it up.", noted, number)
	case len(open) == 1:
		noted = fmt.Sprintf("Noted for task %d: %s", open[0].Number, noted)
	case m.Says.Redirects: // every agent has to read it
		return f, nil
	default:
		j.addressTask(f, inbox.OrchestratorAlone)
		noted = fmt.Sprintf("Noted: %s. The orchestrator takes it up after the open tasks; "+
			"to reach one of them, begin with its number.", noted)
	}
	return append(f, store.Lines(j.ProgramLine(noted))), nil
}

func (j *Judge) addressTask(f []store.Part, task int64) {
	ledger.Change(f, func(h *inbox.Handled) { h.Task = task })
}

// quoteLine returns a person's text in one line of at most 120 characters, in quotes.
func quoteLine(text string) string {
	return plaintext.QuoteLine(plaintext.CutLine(plaintext.OneLine(text), 120))
}
