package button

import (
	"github.com/bobbinhq/bobbin/workflow"
)

// A Form is the content of the modal that a button opens, with what it belongs to.
type Form struct {
	ActionID string // action id of the button that opens it
	Value    string // value of that button
	Thread   workflow.Thread
	Session  string
	// Repositories holds the names of all repositories that the session was about, the present one last.
	// The last name is empty before one is chosen. For a lesson it is the lesson's alone.
	Repositories []string
	Revision     int      // revision that the button was shown with
	Choices      []string // options to choose one of
	Text         string   // text to read
	Page         string   // URL of the session's web page for the reader; empty: there is none
	Late         string   // why nothing can be entered any more, for people; empty: it can
}

// FormOpened is the text of a press that opened a modal: nothing needs to be said.
const FormOpened = "(a form was opened)"

// MostEntered is the limit on one input of a form, in characters.
const MostEntered = 2000
