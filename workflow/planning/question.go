package planning

import (
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Question was put to the thread, with its options and the one that is taken where
// nobody answers.
type Question struct {
	ID          int64
	Session     string
	Text        string
	Options     []string
	Recommended string
	Open        []OpenDecision // what else is undecided, for an interview that is wrapped up
	Due         time.Time      // when the recommended option is taken; zero: never
	Answer      string         // empty while it waits
}

// An OpenDecision is a question that was not put yet, and the answer that stands for it.
type OpenDecision struct {
	Question    string `json:"question"`
	Recommended string `json:"recommended"`
}

// Defaults says which answers are taken where the interview ends here.
func (q Question) Defaults() string {
	lines := []string{fmt.Sprintf("%s → %s", plaintext.OneLine(q.Text), q.Recommended)}
	for _, d := range q.Open {
		lines = append(lines, fmt.Sprintf("%s → %s", plaintext.OneLine(d.Question), plaintext.OneLine(d.Recommended)))
	}
	return plaintext.List(lines)
}

// MostQuestions is how many an interview may put: five to ten minutes of somebody's time.
// A person may ask for as many again.
const MostQuestions = 12
