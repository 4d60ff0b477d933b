// Package button names the buttons that people press, each by its action id in Slack, and holds
// the Form that some of them open. What a press stands for is a row (see outgoing.Button).
// turn/intake judges a press like a message of whoever pressed.
package button

// The buttons that open a form, beside saying in words what to do where that fails.
const (
	Correct    = "correct"
	FixLimited = "fix_limited"
	PutBack    = "put_back" // what was taken out, since it stands outside the scope
	Repository = "change_repository"
	Mend       = "mend"         // what is red at the git host
	Backport   = "backport"     // what was pushed, to a release
	Works      = "works"        // what was merged
	Broken     = "still_broken" // likewise
	Details    = "details"      // it shows what its row means, and asks for nothing
)

// The buttons of a result. Each asks what people ask in words, too.
const (
	ShowDiff = "show_diff"
	Explain  = "explain"
)

// Join is the button that joins the thread to another one about the same.
const Join = "join"

// Choose is the button of one repository, where no modal opens.
const Choose = "repository"

// OpensForm reports whether a press of that button opens a modal.
func OpensForm(action string) bool {
	return action == Correct || action == FixLimited || action == Repository || action == Details
}

// The buttons of the Home tab, on what can be paused and on what was learned.
const (
	Pause  = "home_pause"
	Resume = "home_resume"
	Lesson = "home_lesson" // opens a form, in which the lesson is changed or forgotten
)
