package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// judgeCommand judges a message that starts a workflow or asks the consultant.
func (j *Judge) judgeCommand(m intent.Message, p workflow.Person) []store.Part {
	c := m.Says.Command
	rest := m.Says.CommandText
	if c == workflow.CommandConsult {
		return inquiries{j.Judgements}.askConsultant(m, p, rest)
	}
	if busy := blockingWork(j.Session(), c); busy != "" {
		return j.Answer(m, fmt.Sprintf("%s: I am in the middle of %s. Say \"stop\" first, "+
			"or wait for the result.", p.Name, busy))
	}
	if rest == "" && j.Session().IsRoot(m.TS) {
		return j.Answer(m, fmt.Sprintf("%s: say what it is about, for example `/%s \"…\"`.", p.Name, c))
	}
	return j.beginWorkflow(m, p, c, rest)
}

// A workflowStart holds what a command starts.
type workflowStart struct {
	event workflow.Event   // EventRequest: the session explores as usual
	needs workflow.Event   // it can begin where this event is possible
	in    []workflow.Phase // and in these phases
	kind  workflow.Kind
	told  string
}

var workflowStarts = map[workflow.Command]workflowStart{
	workflow.CommandGrillMe: {
		workflow.EventAlign, workflow.EventAlign,
		[]workflow.Phase{workflow.PhaseAligning},
		workflow.KindFeature, "%s asks to be interviewed before anything is built.",
	},
	workflow.CommandStartWork: {
		workflow.EventRequest,
		workflow.EventPlan,
		[]workflow.Phase{workflow.PhaseAligning, workflow.PhasePlanning},
		workflow.KindFeature,
		"%s asks for a written plan before anything is built: restate_request, then propose_plan.",
	},
	workflow.CommandDiagnose: {
		workflow.EventDiagnose, workflow.EventDiagnose,
		[]workflow.Phase{workflow.PhaseDiagnosing},
		workflow.KindBug, "%s asks for a Diagnosis Report before any fix.",
	},
}

// blockingWork returns in words what keeps the workflow of a command from beginning, or an empty string. If
// it began in words only, the tools of the phase and those of the workflow would refuse each other.
func blockingWork(s workflow.Session, c workflow.Command) string {
	if s.Phase == workflow.PhaseConsulting {
		s.Phase = s.PreviousPhase // there it goes on
	}
	if s.Phase.Ended() || s.Phase == workflow.PhaseReported || s.Phase == workflow.PhasePlanShown {
		_ = s.Happen(workflow.EventRequest) // every one of these phases takes it
	}
	w := workflowStarts[c]
	if _, err := s.Phase.Next(w.needs); err == nil || slices.Contains(w.in, s.Phase) {
		return ""
	}
	switch s.Phase {
	case workflow.PhaseAligning:
		return "an interview"
	case workflow.PhaseDiagnosing:
		return "a diagnosis"
	case workflow.PhasePlanning:
		return "a plan"
	}
	return "the work"
}

// beginWorkflow starts the workflow of a command, and shows agents the skill of the same name.
func (j *Judge) beginWorkflow(
	m intent.Message, p workflow.Person, c workflow.Command, about string,
) []store.Part {
	w := workflowStarts[c]
	told := fmt.Sprintf(w.told, prompt.PersonName(p.Name))
	if about != "" {
		told += " It is about:\n" + prompt.Fence("message", about)
	} else {
		told += " It is about what stands in the thread."
	}
	for _, s := range j.Skills {
		if s.Name == string(c) {
			told += "\nFollow this skill:\n" + prompt.Fence("skill", s.Body)
		}
	}
	update := store.Update{Open: ledger.Wake}
	s := j.Session()
	if s.Phase.Ended() || s.Phase == workflow.PhasePlanShown {
		update.Events = append(update.Events, workflow.EventRequest)
	}
	// If the workflow cannot start in the current phase (during another interview, say), the phase
	// stays.
	update.OptionalEvents = append(update.OptionalEvents, w.event)
	update.Change = func(s *workflow.Session) {
		s.Workflow = c
		s.Kind = w.kind
		s.QuestionsAsked = 0
		s.QuestionLimit = 0
		if about != "" && strings.HasPrefix(strings.TrimSpace(s.Title), "/") {
			s.Title = prompt.FirstLine(plaintext.OneLine(about))
		}
	}
	return []store.Part{inbox.Handled{ID: m.ID, ForAgents: true, AgentText: told}, update}
}
