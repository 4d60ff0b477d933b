// Package button holds the action ids of the buttons that people press, and the Form that some of the
// buttons open. What a press means is stored in a row (see outgoing.Button). turn/intake judges a press
// like a message of the person who pressed.
package button

// The buttons of reports, pushes and pull requests. OpensForm reports which of them open a modal. If a
// modal cannot be opened, a line says what to write instead.
const (
	Correct    = "correct"
	FixLimited = "fix_limited"
	PutBack    = "put_back" // puts back what was removed as outside the scope
	Repository = "change_repository"
	Mend       = "mend"         // fixes what is red at the git host
	Backport   = "backport"     // brings the pushed change to a release
	Works      = "works"        // the merged change works
	Broken     = "still_broken" // the merged change does not work
	Details    = "details"      // shows the text that its row holds, and asks for nothing
)

// The buttons of a result. Each asks what people can also ask in words.
const (
	ShowDiff = "show_diff"
	Explain  = "explain"
)

// Lessons is the button that asks for a change to AGENTS.md with the lessons about the repository.
const Lessons = "lessons_to_agents"

// PassOn is the button below a held message, with which a person who may approve gives it to the agents.
const PassOn = "pass_on"

// TakeUp is the button of an offer to take up a report that was stopped before anybody approved it.
const TakeUp = "take_up"

// StopThread is the button that stops the work of another thread.
const StopThread = "stop_thread"

// Join is the button that joins the thread to another one about the same problem.
const Join = "join"

// Choose is the button of one repository, used if the modal cannot be opened.
const Choose = "repository"

// OpensForm reports whether a press of the button opens a modal.
func OpensForm(action string) bool {
	return action == Correct || action == FixLimited || action == Repository || action == Details
}

// The buttons of the Home tab, on what can be paused and on lessons.
const (
	Pause  = "home_pause"
	Resume = "home_resume"
	Lesson = "home_lesson" // opens a form in which the lesson is changed or deleted
)
