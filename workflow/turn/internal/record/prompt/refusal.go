package prompt

import (
	"errors"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Refusal is the error of a step that refuses what an agent's call asks for. Its result is what the agent
// is told instead, with what is stored of it; it may end the turn, as when people are asked first.
type Refusal struct{ Result model.Result }

func (r *Refusal) Error() string { return r.Result.Text }

// NewRefusal returns a refusal that tells the agent how to do it right.
func NewRefusal(format string, args ...any) error {
	return &Refusal{Wrong(format, args...)}
}

// Answer returns the answer to a call whose steps returned this result and error: a refusal is an answer, and
// no error of the program.
func Answer(r model.Result, err error) (model.Result, error) {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Result, nil
	}
	return r, err
}

// Refused returns the answer to a call of which a step failed or refused; see Answer.
func Refused(err error) (model.Result, error) { return Answer(model.Result{}, err) }
