package button

import (
	"github.com/bobbinhq/bobbin/workflow"
)

// A Form is what a button asks for in a modal, and of what.
type Form struct {
	ActionID string // of the button that opens it
	Value    string // of that button
	Thread   workflow.Thread
	Session  string
	// Repository is the session's, by its name in the configuration; empty before one is chosen.
	Repository string
	Revision   int      // that the button was shown with
	Choices    []string // to choose one of
	Text       string   // to read
	Page       string   // the address of the session's web page, for who reads it; empty: it has none
	Late       string   // why nothing can be entered any more, for people; empty: it can
}

// FormOpened is the text of a press whose modal stands open: nothing needs to be said.
const FormOpened = "(a form was opened)"

// MostEntered is how long, in characters, one input of a form may be.
const MostEntered = 2000
