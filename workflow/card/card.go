// Package card is the message of a run that shows how the work goes on, made from rows alone:
// store/outbox reads it, bot/render draws it, and bot/poster updates it in its thread.
package card

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/quota"
)

// A Card is the one message of a run that shows how it goes on: from the word that allowed
// it, or from where the work began without one, to its end. It is made from rows alone, so
// whoever draws it draws the same.
type Card struct {
	Session    string
	Thread     workflow.Thread
	Run        int            // 1, 2, … within the session
	Key        string         // of its posting
	TS         string         // of its message; empty before there is one
	Repository string         // the session's
	Phase      workflow.Phase // where the session stands; of a run that has ended, how it did
	Ended      bool
	Tasks      []Task
	Worked     time.Duration // at work in this run; in whole steps of Tick while it goes on
	Command
	USD  float64
	Stop string // value of its button

	Shown string // the Mark of what its message shows
	Claim int    // the number under which it was given out to be drawn
}

// A Command is one that has been under way for a Tick at least, the oldest.
type Command struct {
	Running string        // empty: none
	Ran     time.Duration // for how long, in whole steps of Tick
}

// A Task is a task as the card shows it.
type Task struct {
	Number   int
	Label    string // [deep + tdd skill]
	Title    string // in one line
	State    workflow.TaskState
	Failures int
	Took     time.Duration // while it goes on, likewise
}

// Tick is how often a card changes by time alone.
const Tick = 15 * time.Second

// Resting reports whether nothing changes by time alone.
func (c Card) Resting() bool { return c.Ended || c.Phase == workflow.PhasePaused }

// Mark stands for what the card shows: cards with the same mark look the same.
func (c Card) Mark() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v %#v %s %s", c.Headline(), c.Ended, c.Stop != "", c.Tasks, c.Running, c.Ran))
	return hex.EncodeToString(sum[:8])
}

// Headline says where the run stands, how long it was at work and what it cost.
func (c Card) Headline() string {
	text := c.state()
	if done, all := c.done(), len(c.Tasks); all > 1 {
		text += fmt.Sprintf(" · %d of %d tasks done", done, all)
	}
	if c.Worked > 0 || c.Ended {
		text += " · " + c.Worked.Round(time.Second).String()
	}
	if c.USD > 0 {
		text += " · " + quota.Dollars(c.USD)
	}
	return text
}

func (c Card) state() string {
	words := map[workflow.Phase]string{
		workflow.PhaseWorking: "At work", workflow.PhaseVerifying: "Checking what was made", workflow.PhaseConsulting: "Asking the consultant",
		workflow.PhasePaused: "Waiting for a word in the thread",
	}
	if c.Ended {
		words = map[workflow.Phase]string{workflow.PhaseDone: "Done", workflow.PhaseStopped: "Stopped", workflow.PhaseFailed: "Given up"}
	}
	if w, ok := words[c.Phase]; ok {
		return w
	}
	return "Ended: what counts now stands below"
}

func (c Card) done() (n int) {
	for _, t := range c.Tasks {
		if t.State == workflow.TaskDone {
			n++
		}
	}
	return n
}
