package workflow

import "github.com/bobbinhq/bobbin/workflow/plaintext"

// TooLabel ends the label of a button for people who have to say yes besides those who have.
const TooLabel = ", too"

// An ActionID says what a press of a button asks for: Slack sends it back as the action_id. The ids of
// buttons are stored, so they never change. Of an event that is no press it says how the event came about.
type ActionID string

// The buttons with which people decide: what a report or a plan waits for, the push, the
// answers to questions, and a stop.
const (
	ButtonFix          ActionID = "fix_it"  // approves a report, a request or a plan
	ButtonConfirm      ActionID = "confirm" // confirms the shared understanding of an interview
	ButtonPush         ActionID = "push_it"
	ButtonProveByCI    ActionID = "prove_by_ci"  // pushes it, for the checks of CI to prove it
	ButtonPushShown    ActionID = "push_shown"   // pushes from a private thread what was shown
	ButtonPushNeutral  ActionID = "push_neutral" // pushes without the words of the private thread
	ButtonStop         ActionID = "stop"
	ButtonGoOn         ActionID = "go_on"  // lets stopped work go on
	ButtonOption       ActionID = "option" // answers a question
	ButtonWrapUp       ActionID = "wrap_up"
	ButtonTakeDefaults ActionID = "take_defaults" // takes the recommended answers
	ButtonConsult      ActionID = "consult"
)

// RevisionButtons returns the buttons that decide on the revision with which they are shown.
func RevisionButtons() []ActionID { return []ActionID{ButtonFix, ButtonConfirm} }

// The buttons of reports, pushes and pull requests. OpensForm reports which of them open a modal. If a
// modal cannot be opened, a line says what to write instead.
const (
	ButtonCorrect    ActionID = "correct"
	ButtonFixLimited ActionID = "fix_limited"
	ButtonPutBack    ActionID = "put_back" // puts back what was removed as outside the scope
	ButtonRepository ActionID = "change_repository"
	ButtonBase       ActionID = "change_base"  // chooses another branch or tag to work from
	ButtonOnBase     ActionID = "on_base"      // chooses that branch or tag to work from
	ButtonFixThere   ActionID = "mend"         // fixes what failed at the git host
	ButtonBackport   ActionID = "backport"     // brings the pushed change to a release
	ButtonPostReview ActionID = "post_review"  // posts the review on the pull request
	ButtonFile       ActionID = "file"         // files an issue with the text that was shown
	ButtonMergeBase  ActionID = "merge_base"   // merges the base branch into the pushed one
	ButtonWorks      ActionID = "works"        // the merged change works
	ButtonBroken     ActionID = "still_broken" // the merged change does not work
	ButtonDetails    ActionID = "details"      // shows the text that its row holds, and asks for nothing
	ButtonAskStop    ActionID = "ask_stop"     // asks whether to stop, in a modal
	ButtonDiagnose   ActionID = "diagnose"     // asks for a Diagnosis Report
)

// MergeLabel returns the label of the button that merges the base branch of that name.
func MergeLabel(base string) string { return "Merge " + plaintext.CutLine(base, 60) }

// The buttons of a result. Each asks what people can also ask in words.
const (
	ButtonShowDiff ActionID = "show_diff"
	ButtonExplain  ActionID = "explain"
)

// ButtonLessons is the button that asks for a change to AGENTS.md with the lessons about the repository.
const ButtonLessons ActionID = "lessons_to_agents"

// ButtonPassOn is the button below a held message, with which a person who may
// approve gives it to the agents.
const ButtonPassOn ActionID = "pass_on"

// ButtonTakeUp is the button of an offer to take up a report that was stopped before anybody approved it.
const ButtonTakeUp ActionID = "take_up"

// ButtonStopThread is the button that stops the work of another thread.
const ButtonStopThread ActionID = "stop_thread"

// ButtonJoin is the button that joins the thread to another one about the same problem.
const ButtonJoin ActionID = "join"

// ButtonNotSame is the button below the count of a problem's alerts. It begins a session for the alert that
// was counted last.
const ButtonNotSame ActionID = "not_same"

// ButtonPart is the button that begins the part of another repository in the thread.
const ButtonPart ActionID = "part"

// ButtonMove is the button that lets a private thread go on elsewhere, with the words that were shown.
const ButtonMove ActionID = "move"

// ButtonChoose is the button of one repository, used if the modal cannot be opened.
const ButtonChoose ActionID = "repository"

// OpensForm reports whether a press of the button opens a modal.
func OpensForm(action ActionID) bool {
	return action == ButtonCorrect || action == ButtonFixLimited || action == ButtonRepository ||
		action == ButtonBase || action == ButtonDetails || action == ButtonAskStop
}

// The buttons of the Home tab, on what can be paused and on lessons.
const (
	ButtonPause  ActionID = "home_pause"
	ButtonResume ActionID = "home_resume"
	ButtonLesson ActionID = "home_lesson" // opens a form in which the lesson is changed or deleted

	ButtonReport  ActionID = "home_report"  // opens a form in which a bug is reported
	ButtonFeature ActionID = "home_feature" // opens a form in which a feature is asked for

	// ButtonGuide posts in a channel what its people need to know, and pins it.
	ButtonGuide ActionID = "home_guide"
)

// IsReportForm reports whether a form of that button begins a thread.
func IsReportForm(action ActionID) bool { return action == ButtonReport || action == ButtonFeature }

// ThroughForm is the Value of a mention that a person entered in a form that begins a thread, or behind
// "/bobbin report". The bot posted it, so it reports and asks, as what an app posts for a person does, and
// approves nothing.
const ThroughForm = "form: report"

// A Form is the content of the modal that a button opens, with what it belongs to.
type Form struct {
	ActionID ActionID // of the button that opens it
	Value    string   // value of that button
	Label    string   // what the person read on that button; empty: not known
	Thread   Thread
	Session  string
	// Repositories holds the names of all repositories that the session was about, the present one last.
	// The last name is empty before one is chosen. For a lesson it is the lesson's alone.
	Repositories []string
	Revision     int      // revision that the button was shown with
	Choices      []string // options to choose one of
	// Channels holds the channels in which the form may begin a thread; nil: Value is the channel
	Channels []Channel
	Text     string // text to read
	Page     string // URL of the session's web page for the reader; empty: there is none
	Late     string // why nothing can be entered any more, for people; empty: it can
}

// StopWord is the text of a form that was sent to stop the work: the same as what people write for it.
const StopWord = "stop"

// FormOpened is the text of a press that opened a modal: nothing needs to be said.
const FormOpened = "(a form was opened)"

// MostEntered is the limit on one input of a form, in characters.
const MostEntered = 2000
