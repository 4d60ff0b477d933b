package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// spentLine begins what the thread is told when the session has reached its limit. How often
// it was said is how often a reply has allowed as much again.
const spentLine = "This thread has cost"

// A costError says that the session has reached its limit.
type costError struct{ spent, allowed float64 }

func (e *costError) Error() string {
	return fmt.Sprintf("the session has cost $%.2f of $%.2f", e.spent, e.allowed)
}

// ask asks the model while the session may cost anything more.
func (t *turn) ask(ctx context.Context, r model.Request) (model.Response, error) {
	if spent := t.Session().SpentUSD; t.SessionUSD > 0 && spent >= t.SessionUSD {
		allowed, err := t.allowance(ctx)
		if err != nil {
			return model.Response{}, err
		}
		if spent >= allowed {
			return model.Response{}, &costError{spent: spent, allowed: allowed}
		}
	}
	return t.Model.Ask(ctx, r)
}

// allowance is what the session may cost by now, in USD.
func (t *turn) allowance(ctx context.Context) (float64, error) {
	said, err := t.Store.Lines(ctx, t.Session().ID)
	if err != nil {
		return 0, fmt.Errorf("what the session may cost: %w", err)
	}
	allowed := t.SessionUSD
	for _, line := range said {
		if strings.HasPrefix(line.Text, spentLine) {
			allowed += t.SessionUSD
		}
	}
	return allowed, nil
}

// words are what people are told.
func (e *costError) words(limit float64) string {
	return fmt.Sprintf("%s $%.2f, and the limit is $%.2f at a time. Nothing is lost: reply here to allow as much again, or stop it here.", spentLine, e.spent, limit)
}
