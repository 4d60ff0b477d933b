package workflow

import (
	"fmt"
	"slices"
	"strings"
)

// A Move is a session's step from its thread to a new thread of another channel, at the word of a person.
// Once the message is posted that begins the new thread, the session belongs to that thread.
type Move struct {
	Number   int // 1, 2, … within the session
	From     Thread
	Channel  string // id of the other channel
	Name     string // its name, without #
	Link     string // address of the new thread, in which [LinkTS] stands for its ts
	Text     string // as the new thread begins
	Revision int    // newest revision that the text is about
	State    MoveState
	TS       string // ts of the new thread, once there is one
	UserName string // who had it moved
}

// MoveState is what became of a Move.
type MoveState string

// The states of a Move.
const (
	MoveOffered  MoveState = "offered"  // the thread was shown what would be posted
	MoveIntended MoveState = "intended" // it is to be posted
	MoveDone     MoveState = "moved"
	MoveRefused  MoveState = "refused" // by Slack
)

// LinkTS stands for the ts of a thread in the address of one that is not posted yet.
const LinkTS = "{ts}"

// At returns the address of the new thread, which has that ts.
func (m Move) At(ts string) string { return LinkAt(m.Link, ts) }

// LinkAt returns a text in which the ts of a thread takes the place of LinkTS, as addresses have it.
func LinkAt(text, ts string) string {
	return strings.ReplaceAll(text, LinkTS, strings.ReplaceAll(ts, ".", ""))
}

// WhereItGoesOn is what the thread that is left is told.
func (m Move) WhereItGoesOn() string {
	return fmt.Sprintf("This goes on in [#%s](%s), as %s asked. Please write there: what is written or "+
		"pressed here from now on does not reach me.", m.Name, m.Link, m.UserName)
}

// GoesOnNote is what is put below a message whose buttons are gone.
func (m Move) GoesOnNote() string { return fmt.Sprintf("Goes on in #%s.", m.Name) }

// AnswerToMessage is what a person alone is told who writes in the thread that was left.
func (m Move) AnswerToMessage() string {
	return fmt.Sprintf("This thread goes on in [#%s](%s). Your message is not lost: it stays here, but I do "+
		"not act on it. Please say it there.", m.Name, m.At(m.TS))
}

// AnswerToPress is what a person alone is told who presses a button in the thread that was left.
func (m Move) AnswerToPress() string {
	return fmt.Sprintf("This thread goes on in [#%s](%s), so this button does nothing any more. Please "+
		"use the one there.", m.Name, m.At(m.TS))
}

// AnswerToStop is what a person alone is told who says stop in the thread that was left.
func (m Move) AnswerToStop() string {
	return fmt.Sprintf("I take that as a stop of what goes on in [#%s](%s).", m.Name, m.At(m.TS))
}

// NotMoved is what the thread is told if Slack refuses to begin the new one.
func (m Move) NotMoved(reason string) string {
	absent := []string{"not_in_channel", "channel_not_found"}
	if slices.Contains(absent, reason) {
		return "This stays here: " + m.Invite()
	}
	return fmt.Sprintf("This stays here: Slack does not let me write in #%s (%s).", m.Name, reason)
}

// Invite says what to do if the bot is not in the other channel.
func (m Move) Invite() string {
	return fmt.Sprintf("I am not in #%s. Invite me to #%s, then say it again.", m.Name, m.Name)
}

// A LeftThread is a thread in which a session was before it moved.
type LeftThread struct {
	Thread
	Newest string // messages of the session up to this ts are there
}

// ThreadOf returns the thread of the session in which the message with that ts stands.
func (s Session) ThreadOf(ts string) Thread {
	if ts == s.Thread.TS {
		return s.Thread
	}
	for _, left := range s.Left {
		if ts <= left.Newest {
			return left.Thread
		}
	}
	return s.Thread
}

// IsRoot reports whether the message with that ts begins a thread of the session.
func (s Session) IsRoot(ts string) bool {
	return ts == s.Thread.TS ||
		slices.ContainsFunc(s.Left, func(left LeftThread) bool { return left.TS == ts })
}
