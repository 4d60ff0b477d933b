package workflow

// A Form is what a button asks for in a modal, and of what.
type Form struct {
	ActionID string // of the button that opens it
	Value    string // of that button
	Thread   Thread
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

// The buttons that open a form, beside saying in words what to do where that fails.
const (
	ActionCorrect    = "correct"
	ActionFixLimited = "fix_limited"
	ActionPutBack    = "put_back" // what was taken out, since it stands outside the scope
	ActionRepository = "change_repository"
	ActionMend       = "mend"         // what is red at the git host
	ActionBackport   = "backport"     // what was pushed, to a release
	ActionWorks      = "works"        // what was merged
	ActionBroken     = "still_broken" // likewise
	ActionDetails    = "details"      // it shows what its row means, and asks for nothing
)

// The buttons of a result. Each asks what people ask in words, too.
const (
	ActionShowDiff = "show_diff"
	ActionExplain  = "explain"
)

// ActionJoin is the button that joins the thread to another one about the same.
const ActionJoin = "join"

// ActionChoose is the button of one repository, where no modal opens.
const ActionChoose = "repository"

// OpensForm reports whether a press of that button opens a modal.
func OpensForm(action string) bool {
	return action == ActionCorrect || action == ActionFixLimited || action == ActionRepository || action == ActionDetails
}
