// Package hometab holds what a person is shown in the Home tab of the app: the sessions that concern
// the person, lessons, and what can be paused. home.Homes finds it, bot/render draws it.
package hometab

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// A View is what one person is shown of the sessions that concern the person: the person's own, and
// those of the channels that the person is in.
type View struct {
	Person   workflow.Person
	Waits    []Session // sessions that wait for the person, the newest first
	Others   []Session // the newest first
	More     bool      // there are more sessions than these
	TodayUSD float64   // US dollars spent by the person's sessions since 00:00 UTC
	// OwnOnly means that Slack did not say which channels the person is in, so the lists hold the
	// person's own sessions only.
	OwnOnly bool
	// Page is the URL of these sessions as a web page, for this person only; empty: there is none.
	Page string
	// Lessons holds what was learned of the repositories that the person may know of.
	Lessons []Lesson
	// Pauses holds what an admin may pause or resume.
	Pauses []Pause
	// Settings is a summary of the configuration, for people who may see it; never secrets.
	Settings []string
}

// A Pause is something that can be paused, with a button.
type Pause struct {
	Name  string // the name that people read
	Value string // the value that its button sends
	By    string // who paused it; empty: it is not paused
}

// A Lesson is one thing that was learned of a repository.
type Lesson struct {
	Number           int64
	Repository, Text string
	By               string          // Slack id of the member who said it; empty: the program observed it
	Thread           workflow.Thread // the thread it was learned in; zero: it is gone, or the person may not see it
	At               time.Time
	MayChange        bool // the view's owner may change it
}

// A Session is one line of a View.
type Session struct {
	workflow.Session
	Why string // what the session waits for from the person; in Others: from somebody; empty: nothing
}

// Status is the group in which a session is listed.
type Status string

// The standings, in the order in which they are shown.
const (
	AtWork    Status = "At work"
	Waiting   Status = "Waiting for somebody"
	Finished  Status = "Finished"
	BrokenOff Status = "Stopped or failed"
)

// Standings holds all standings, in that order.
var Standings = []Status{AtWork, Waiting, Finished, BrokenOff}

// Status returns the group in which the session is listed.
func (h Session) Standing() Status {
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
