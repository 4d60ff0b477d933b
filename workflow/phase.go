package workflow

import (
	"fmt"
)

// Phase is the state of a session. Next is the only way from one phase to another.
//
// The diagram shows the path of a bug, from left to right. A feature goes from exploring over planning
// (and plan_shown, if a plan is written) to working; an interview goes from aligning to exploring:
//
//	exploring ──report──▶ reported ──approve──▶ working ──claim──▶ verifying ──prove──▶ done
//	   │  ▲                  │                     ▲ ▲                │
//	   │  └─────correct──────┘                     │ └──attempt fails─┤
//	   │                                           └──advice── consulting ◀──two failed
//	   └──answer──▶ answered        any ──stop──▶ stopped    any ──give_up──▶ failed
type Phase string

// The phases.
const (
	PhaseAligning   Phase = "aligning"   // an interview decides what is wanted
	PhaseExploring  Phase = "exploring"  // reading and tracing; nothing is written
	PhaseDiagnosing Phase = "diagnosing" // a Diagnosis Report is being made
	PhaseReported   Phase = "reported"   // a root cause or Diagnosis Report waits for the thread's reply
	PhasePlanning   Phase = "planning"   // a clear feature is being split into tasks
	PhasePlanShown  Phase = "plan_shown" // a written plan waits for approval
	PhaseWorking    Phase = "working"    // tasks are delegated
	PhaseVerifying  Phase = "verifying"  // the program verifies a claim of a worker
	PhaseConsulting Phase = "consulting" // the consultant was asked
	PhaseAnswered   Phase = "answered"   // a question was answered
	PhaseDone       Phase = "done"       // the proof holds and the branch is pushed
	PhasePaused     Phase = "paused"     // a budget, a person or a machine is needed
	PhaseStopped    Phase = "stopped"    // a person said stop
	PhaseFailed     Phase = "failed"     // nothing more can be tried
)

// Event is what moves a session from one phase to another.
type Event string

// The events.
const (
	EventRequest  Event = "request"   // a person writes: a request, a correction, a follow-up
	EventAlign    Event = "align"     // an interview begins
	EventDiagnose Event = "diagnose"  // a diagnosis is asked for, or the bug is unclear
	EventReport   Event = "report"    // a report is shown
	EventAnswer   Event = "answer"    // a plain question is answered
	EventPlan     Event = "plan"      // planning begins
	EventShowPlan Event = "show_plan" // a written plan is shown
	EventApprove  Event = "approve"   // a person allowed the work
	EventClaim    Event = "claim"     // a worker says it is done
	EventFail     Event = "fail"      // the verification of an attempt failed
	EventConsult  Event = "consult"   // the consultant is asked
	EventAdvice   Event = "advice"    // the consultant's answer goes back to the work
	EventVerified Event = "verified"  // a task's verification held; more work may follow
	EventProve    Event = "prove"     // the proof holds and the branch is pushed
	EventPause    Event = "pause"     // something is needed before the work can go on
	EventReturn   Event = "return"    // a question about a report was answered: the report waits again
	// what was needed has arrived: an understanding is confirmed, or an approval still stands
	EventResume Event = "resume"
	EventStop   Event = "stop"    // a person stops it
	EventGiveUp Event = "give_up" // nothing more can be tried
	// a person takes up a report that was stopped before anybody approved it
	EventTakeUp Event = "take_up"
)

// moves holds which phase follows each event in each phase. EventStop, EventGiveUp and EventPause are
// allowed in every phase, and are handled in Next.
var moves = map[Phase]map[Event]Phase{
	PhaseExploring: {
		EventRequest:  PhaseExploring,
		EventAlign:    PhaseAligning,
		EventDiagnose: PhaseDiagnosing,
		EventReport:   PhaseReported,
		EventPlan:     PhasePlanning,
		EventAnswer:   PhaseAnswered,
		EventConsult:  PhaseConsulting,
		EventReturn:   PhaseReported,
		EventResume:   PhaseWorking,
	},
	PhaseAligning: {
		EventRequest: PhaseAligning,
		EventAnswer:  PhaseAligning,
		EventResume:  PhaseExploring,
		EventConsult: PhaseConsulting,
	},
	PhaseDiagnosing: {
		EventRequest: PhaseDiagnosing,
		EventReport:  PhaseReported,
		EventAnswer:  PhaseAnswered,
		EventConsult: PhaseConsulting,
		EventAlign:   PhaseAligning,
		EventReturn:  PhaseReported,
	},
	PhaseReported: {
		EventRequest:  PhaseExploring,
		EventDiagnose: PhaseDiagnosing,
		EventApprove:  PhaseWorking,
		EventConsult:  PhaseConsulting,
		EventReport:   PhaseReported,
		EventAnswer:   PhaseReported,
		EventAlign:    PhaseAligning,
	},
	PhasePlanning: {
		EventRequest:  PhasePlanning,
		EventShowPlan: PhasePlanShown,
		EventApprove:  PhaseWorking,
		EventReport:   PhaseReported,
		EventAnswer:   PhaseAnswered,
		EventConsult:  PhaseConsulting,
		EventAlign:    PhaseAligning,
	},
	PhasePlanShown: {
		EventRequest: PhasePlanning,
		EventApprove: PhaseWorking,
		EventAnswer:  PhasePlanShown,
		EventConsult: PhaseConsulting,
	},
	PhaseWorking: {
		EventRequest: PhaseWorking, EventClaim: PhaseVerifying, EventConsult: PhaseConsulting,
		EventAnswer: PhaseWorking,
		// the approved cause or plan turned out to be wrong: a new revision voids the approval
		EventReport: PhaseReported, EventShowPlan: PhasePlanShown,
	},
	PhaseVerifying: {
		EventRequest:  PhaseVerifying,
		EventFail:     PhaseWorking,
		EventVerified: PhaseWorking,
		EventConsult:  PhaseConsulting,
		EventProve:    PhaseDone,
	},
	PhaseConsulting: {
		EventRequest: PhaseConsulting,
		EventAdvice:  PhaseWorking,
		EventReport:  PhaseReported,
		EventAnswer:  PhaseAnswered,
	},
	PhaseAnswered: {
		EventRequest: PhaseExploring, EventAlign: PhaseAligning, EventDiagnose: PhaseDiagnosing,
	},
	PhaseDone:   {EventRequest: PhaseExploring, EventAnswer: PhaseDone},
	PhasePaused: {EventRequest: PhaseExploring},
	// What fails in a stopped session lifts no stop: it still waits for a person who may resume it.
	PhaseStopped: {
		EventRequest: PhaseExploring, EventTakeUp: PhaseReported, EventPause: PhaseStopped,
		EventGiveUp: PhaseStopped,
	},
	PhaseFailed: {EventRequest: PhaseExploring},
}

// Next returns the phase that follows when e happens in p. It has no side effect and depends on neither
// time nor storage. An event that p does not allow is an error.
func (p Phase) Next(e Event) (Phase, error) {
	if to, ok := moves[p][e]; ok {
		return to, nil
	}
	switch e {
	case EventStop:
		return PhaseStopped, nil
	case EventGiveUp:
		return PhaseFailed, nil
	case EventPause:
		return PhasePaused, nil
	}
	return p, fmt.Errorf("a session that is %s cannot take the event %q", p, e)
}

// EventsToVerify returns the events that lead from p to verifying, for a phase in which approved work
// may be.
func (p Phase) EventsToVerify() []Event {
	switch p {
	case PhaseExploring:
		return []Event{EventResume, EventClaim}
	case PhaseWorking:
		return []Event{EventClaim}
	}
	return nil
}

// Happen applies e to the session, or returns why e cannot happen now. Unlike Phase.Next, it knows the
// phase that a paused or consulting session returns to.
func (s *Session) Happen(e Event) error {
	from := s.Phase
	was := s.PreviousPhase
	if from == PhaseConsulting && e == EventReturn ||
		from == PhasePaused && (e == EventRequest || e == EventResume) {
		if was == "" || was.Ended() {
			was = PhaseExploring
		}
		s.Phase = was
		s.PreviousPhase = ""
		if e != EventRequest {
			return nil
		}
		from = was
	}
	to, err := from.Next(e)
	if err != nil {
		return err
	}
	if interlude(to) && !interlude(from) {
		s.PreviousPhase = from
	}
	s.Phase = to
	if e == EventStop && s.Halted == "" {
		s.Halted = "0"
	}
	return nil
}

// interlude reports whether a session returns from p to its previous phase.
func interlude(p Phase) bool { return p == PhasePaused || p == PhaseConsulting }

// Ended reports whether nothing happens in the phase until a person writes.
func (p Phase) Ended() bool {
	switch p {
	case PhaseAnswered, PhaseDone, PhaseStopped, PhaseFailed, PhasePaused:
		return true
	}
	return false
}

// AwaitsConsent reports whether a report or a plan was shown, and waits for an approval.
func (p Phase) AwaitsConsent() bool { return p == PhaseReported || p == PhasePlanShown }

// MayWrite reports whether agents may change files in the phase. In all other phases their commands
// work on a throw-away copy.
func (p Phase) MayWrite() bool {
	return p == PhaseWorking || p == PhaseVerifying || p == PhaseConsulting
}
