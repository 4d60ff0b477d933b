package workflow

// A Disclosure is the question whether the words of a private thread may be pushed to a repository that
// everybody may read, with the answer.
type Disclosure struct {
	ID         string
	Repository string
	Tree       string
	// the words that the thread was shown, of the commit and the pull request
	Title, Summary string
	Shown          string // the question, as it was posted
	Choice         DisclosureChoice
	User           string
	UserName       string
	MessageTS      string
}

// A DisclosureChoice is the answer to a Disclosure.
type DisclosureChoice string

// The answers to a Disclosure.
const (
	DisclosureOpen    DisclosureChoice = ""
	DisclosureShown   DisclosureChoice = "shown"   // what was shown may be pushed
	DisclosureNeutral DisclosureChoice = "neutral" // the push has no words of the thread
)
