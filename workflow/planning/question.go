package planning

import (
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Question is a question that was put to the thread, with its options and the option that is taken if
// nobody answers.
type Question struct {
	ID          int64
	Session     string
	Text        string
	Options     []string
	Recommended string
	Open        []OpenDecision // the other undecided questions; their recommended answers hold if a person ends the interview
	Due         time.Time      // time at which the recommended option is taken; zero: never
	Answer      string         // empty until the question is answered
}

// An OpenDecision is a question that was not put to the thread yet, with the recommended answer.
type OpenDecision struct {
	Question    string `json:"question"`
	Recommended string `json:"recommended"`
}

// Defaults returns a list of the answers that are taken if the interview ends here.
func (q Question) Defaults() string {
	lines := []string{fmt.Sprintf("%s → %s", plaintext.OneLine(q.Text), q.Recommended)}
	for _, d := range q.Open {
		lines = append(lines, fmt.Sprintf("%s → %s", plaintext.OneLine(d.Question), plaintext.OneLine(d.Recommended)))
	}
	return plaintext.List(lines)
}

// MostQuestions is the maximum number of questions in an interview: five to ten minutes of a person's time.
// A person may ask for as many again.
const MostQuestions = 12
