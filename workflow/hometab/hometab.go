// Package hometab is what a person is shown in the Home tab of the app: the sessions that
// concern them, what was learned, what can be paused. home.Homes finds it, bot/render draws it.
package hometab

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// A View is what one person is shown of the sessions that concern them: their own, and
// those of the channels that they are in.
type View struct {
	Person   workflow.Person
	Waits    []Session // for that person, the newest first
	Others   []Session // the newest first
	More     bool      // there are others than these
	TodayUSD float64   // spent by that person's sessions since 00:00 UTC
	// Closed: Slack did not say which channels the person is in, so that these are their own only.
	Closed bool
	// Page is the address of these sessions as a web page, for this person alone; empty: there is none.
	Page string
	// Lessons are what was learned of the repositories that the person may know of.
	Lessons []Lesson
	// Pauses are what an admin may pause or resume.
	Pauses []Pause
	// Settings are the configuration in short, for who may see it; never secrets.
	Settings []string
}

// A Pause is something that can be paused, with a button.
type Pause struct {
	Name  string // as people read it
	Value string // that its button sends
	By    string // who paused it; empty: it is at work
}

// A Lesson is one thing that was learned of a repository.
type Lesson struct {
	Number           int64
	Repository, Text string
	By               string          // Slack id of the member who said it; empty: the program saw it
	Thread           workflow.Thread // where; zero: it is gone, or not for the person's eyes
	At               time.Time
	MayChange        bool // the view's owner may change it
}

// A Session is one line of a View.
type Session struct {
	workflow.Session
	Why string // what is awaited of the person; of Others: of somebody; empty: nothing
}

// Standing sorts sessions as people look for them.
type Standing string

// The standings, in the order in which they are shown.
const (
	AtWork    Standing = "At work"
	Waiting   Standing = "Waiting for somebody"
	Finished  Standing = "Finished"
	BrokenOff Standing = "Stopped or failed"
)

// Standings are all of them.
var Standings = []Standing{AtWork, Waiting, Finished, BrokenOff}

// Standing is where the session stands.
func (h Session) Standing() Standing {
	switch {
	case h.Phase == workflow.PhaseStopped, h.Phase == workflow.PhaseFailed:
		return BrokenOff
	case h.Phase == workflow.PhaseDone, h.Phase == workflow.PhaseAnswered:
		return Finished
	case h.Open && h.Why == "":
		return AtWork
	case h.Why != "", h.Phase == workflow.PhaseReported, h.Phase == workflow.PhasePlanShown, h.Phase == workflow.PhasePaused:
		return Waiting
	}
	return AtWork
}
