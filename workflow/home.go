package workflow

import (
	"slices"
	"time"
)

// A HomeView is what one person is shown of the sessions that concern the person: the person's own, and
// those of the channels that the person is in.
type HomeView struct {
	Person Person
	Notice string        // what the person has to know first, of what was just pressed; empty: nothing
	Waits  []HomeSession // sessions that wait for the person, the newest first
	Others []HomeSession // the newest first
	More   bool          // there are more sessions than these
	Today  Cost          // what the person's sessions used since 00:00 UTC
	// OwnOnly means that Slack did not say which channels the person is in, so the lists hold the
	// person's own sessions only.
	OwnOnly bool
	// Page is the URL of these sessions as a web page, for this person only; empty: there is none.
	Page string
	// Help is what the home begins with, in short; nil: it has none
	Help *Help
	// NoReport says why the person may begin no thread by a form; empty: the person may.
	NoReport string
	// Lessons holds what was learned of the repositories that the person may know of.
	Lessons []HomeLesson
	// Guides holds channels that can be told how to use the bot. Only full members may have it posted.
	Guides []ChannelGuideState
	// Pauses holds what an admin may pause or resume.
	Pauses []HomePause
	// Settings is a summary of the configuration, for people who may see it; never secrets.
	Settings []string
}

// TodayLine says what the person's sessions used today.
func (h HomeView) TodayLine() string {
	switch {
	case h.Today == (Cost{}):
		return "Your sessions spent nothing today."
	case h.Today.USD == 0 && h.Today.Unpriced > 0:
		return "Today your sessions used " + tokens(h.Today.Tokens) + "; their price is not known."
	}
	return "Today your sessions spent " + h.Today.String() + "."
}

// A HomePause is something that can be paused, with a button.
type HomePause struct {
	Name  string // the name that people read
	Value string // the value that its button sends
	By    string // who paused it; empty: it is not paused
}

// A HomeLesson is one thing that was learned of a repository.
type HomeLesson struct {
	Number           int64
	Repository, Text string
	By               string // Slack id of the member who said it; empty: the program observed it
	Thread           Thread // the thread it was learned in; zero: it is gone, or the person may not see it
	At               time.Time
	MayChange        bool // the view's owner may change it
}

// A HomeSession is one line of a HomeView.
type HomeSession struct {
	Session
	Why string // what the session waits for from the person; in Others: from somebody; empty: nothing
}

// HomeStatus is the group in which a session is listed.
type HomeStatus string

// The groups, in the order in which they are shown.
const (
	HomeAtWork    HomeStatus = "At work"
	HomeWaiting   HomeStatus = "Waiting for somebody"
	HomeFinished  HomeStatus = "Finished"
	HomeBrokenOff HomeStatus = "Stopped or failed"
)

// HomeStatuses holds all groups, in that order.
var HomeStatuses = []HomeStatus{HomeAtWork, HomeWaiting, HomeFinished, HomeBrokenOff}

// Standing returns the group in which the session is listed.
func (h HomeSession) Standing() HomeStatus {
	switch {
	case h.Phase == PhaseStopped && h.Pushed && !h.Joined():
		return HomeFinished
	case h.Phase == PhaseStopped, h.Phase == PhaseFailed:
		return HomeBrokenOff
	case h.Phase == PhaseDone, h.Phase == PhaseAnswered:
		return HomeFinished
	case h.Open && h.Why == "":
		return HomeAtWork
	}
	return HomeWaiting
}

// A ChannelStatus is what the bot does in one channel, for one reader.
type ChannelStatus struct {
	Person   Person
	Channel  string
	Sessions []HomeSession // the newest first
	More     bool          // there are more sessions than these
}

// AtWork reports whether something is under way in one of the sessions.
func (c ChannelStatus) AtWork() bool {
	return slices.ContainsFunc(c.Sessions,
		func(x HomeSession) bool { return x.Standing() == HomeAtWork })
}
