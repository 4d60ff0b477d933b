package workflow

import "time"

// A Home is what one person is shown of the sessions that concern them: their own, and
// those of the channels that they are in.
type Home struct {
	Person   Person
	Waits    []HomeSession // for that person, the newest first
	Others   []HomeSession // the newest first
	More     bool          // there are others than these
	TodayUSD float64       // spent by that person's sessions since 00:00 UTC
	// Closed: Slack did not say which channels the person is in, so that these are their own only.
	Closed bool
	// Page is the address of these sessions as a web page, for this person alone; empty: there is none.
	Page string
	// Lessons are what was learned of the repositories that the person may know of.
	Lessons []HomeLesson
	// Pauses are what an admin may pause or resume.
	Pauses []HomePause
	// Settings are the configuration in short, for who may see it; never secrets.
	Settings []string
}

// A HomePause is something that can be paused, with a button.
type HomePause struct {
	Name  string // as people read it
	Value string // that its button sends
	By    string // who paused it; empty: it is at work
}

// The buttons of a home: of a HomePause, and of a HomeLesson.
const (
	ActionPause  = "home_pause"
	ActionResume = "home_resume"
	ActionLesson = "home_lesson" // opens a form, in which the lesson is changed or forgotten
)

// A HomeLesson is one thing that was learned of a repository.
type HomeLesson struct {
	Number           int64
	Repository, Text string
	By               string // Slack id of the member who said it; empty: the program saw it
	Thread           Thread // where; zero: it is gone, or not for the person's eyes
	At               time.Time
	MayChange        bool // the home's owner may change it
}

// A HomeSession is one line of a Home.
type HomeSession struct {
	Session
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
func (h HomeSession) Standing() Standing {
	switch {
	case h.Phase == PhaseStopped, h.Phase == PhaseFailed:
		return BrokenOff
	case h.Phase == PhaseDone, h.Phase == PhaseAnswered:
		return Finished
	case h.Open && h.Why == "":
		return AtWork
	case h.Why != "", h.Phase == PhaseReported, h.Phase == PhasePlanShown, h.Phase == PhasePaused:
		return Waiting
	}
	return AtWork
}
