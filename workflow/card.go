package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Card is the one message of a run that shows its progress, from the approval, or from the beginning
// of work that needed none, to its end. It is made from rows alone, so every replica draws the same
// card.
type Card struct {
	Session      string
	Thread       Thread
	Run          int      // 1, 2, … within the session
	Key          string   // key of its posting
	TS           string   // ts of its message; empty before there is one
	Repositories []string // all repositories that the session was about, the present one last
	Part         string   // repository of the thread's part that it is of; empty: of the thread's own session
	Phase        Phase    // the session's phase; for a run that has ended, the phase it ended in
	Ended        bool
	AwaitsCI     bool // what was pushed is not proven yet: CI is asked
	Tasks        []CardTask
	ApprovedBy   []string      // names, where one person is not enough
	Missing      string        // who has to allow the push, too, one per line
	Worked       time.Duration // time at work in this run, in whole steps of CardTick while it goes on
	CardCommand
	Cost Cost   // of this run
	Stop string // value of the stop button; empty: no button

	DrawnMark string // the Mark of what its message shows now
	Claim     int    // number of the claim under which the card is drawn
}

// A CardCommand is the oldest command that has been running for at least one CardTick.
type CardCommand struct {
	Running string        // the command; empty: none
	Ran     time.Duration // how long it has been running, in whole steps of CardTick
}

// A CardTask is a task as the card shows it.
type CardTask struct {
	Number   int
	Label    string // [deep + tdd skill]
	Title    string // one line
	State    TaskState
	Failures int
	Took     time.Duration // how long it took, in whole steps of CardTick while it goes on
}

// CardMoved is the phase in which a card ends whose session goes on in another thread.
const CardMoved Phase = "moved"

// CardTick is the interval at which a card changes by the passing of time alone.
const CardTick = 15 * time.Second

// Resting reports whether the card does not change by the passing of time alone.
func (c Card) Resting() bool { return c.Ended || c.Phase == PhasePaused }

// Mark returns a hash of what the card shows: cards with the same mark look the same.
func (c Card) Mark() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v %#v %s %s", c.Headline(), c.Ended, c.Stop != "", c.Tasks,
		c.Running, c.Ran))
	return hex.EncodeToString(sum[:8])
}

// Headline returns one line with the run's state, how long it was at work, and what it cost.
func (c Card) Headline() string {
	text := c.state()
	if len(c.ApprovedBy) > 0 {
		text += " · approved by " + plaintext.And(c.ApprovedBy)
	}
	if done, all := c.done(), len(c.Tasks); all > 1 {
		text += fmt.Sprintf(" · %d of %d tasks done", done, all)
	}
	return text + c.used()
}

// used says how long the run was at work and what it cost. The words tell it from what a result and the
// session's page say, which count the whole session.
func (c Card) used() (text string) {
	if c.Worked > 0 || c.Ended {
		text += " · " + plaintext.FormatDuration(c.Worked)
	}
	if c.Cost.Tokens > 0 || c.Cost.USD > 0 {
		text += " · " + c.Cost.String()
	}
	if text == "" {
		return ""
	}
	return text + " in this run"
}

func (c Card) state() string {
	words := map[Phase]string{
		PhaseWorking:    "At work",
		PhaseVerifying:  "Checking the result",
		PhaseConsulting: "Asking the consultant",
		PhasePaused:     "Waiting for a reply in the thread",
	}
	if c.Ended && c.Phase == PhaseDone && c.AwaitsCI {
		return "Pushed, and waiting for the checks of CI"
	}
	if c.Ended {
		words = map[Phase]string{
			PhaseDone: "Done", PhaseStopped: "Stopped", PhaseFailed: "Given up",
			CardMoved: "Goes on in another thread",
		}
	}
	if c.Phase == PhasePaused && !c.Ended && c.Missing != "" {
		return "Waiting for " + strings.ReplaceAll(strings.ReplaceAll(c.Missing, "`", ""), "\n", "; ")
	}
	if w, ok := words[c.Phase]; ok {
		return w
	}
	return "Ended: the current state is below"
}

func (c Card) done() (n int) {
	for _, t := range c.Tasks {
		if t.State == TaskDone {
			n++
		}
	}
	return n
}
