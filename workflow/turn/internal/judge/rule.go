package judge

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// A rule says what is done with a message, and when. The rules of a table are tried in their order, and the
// first one that fires judges the message: the order is a part of what they say. docs/security.md shows the
// tables.
type rule struct {
	name string
	// in which case it fires, for people who review it; for a message, which has this name there: "it"
	when string
	then string // what it does, for the same people

	fires func(*Case) bool
	judge judgement
}

// A judgement returns the parts that follow from a message. It does nothing else: if a fact cannot be read,
// its parts are dropped, and the message is judged again.
type judgement func(context.Context, *Judge, *Case) ([]store.Part, error)

// firstRule returns the first rule that fires. The last rule of each table always does.
func firstRule(rules []rule, c *Case) (rule, error) {
	for _, r := range rules {
		fires := r.fires(c)
		if c.err != nil {
			return rule{}, fmt.Errorf("rule %q: %w", r.name, c.err)
		}
		if fires {
			return r, nil
		}
	}
	return rule{}, fmt.Errorf("no rule for a message of kind %s", c.Message.Kind)
}

// judgeBy judges a message by the first of the rules that fires.
func (j *Judge) judgeBy(ctx context.Context, rules []rule, c *Case) ([]store.Part, error) {
	r, err := firstRule(rules, c)
	if err != nil {
		return nil, err
	}
	parts, err := r.judge(ctx, j, c)
	if err == nil && c.err != nil { // a fact that only the judgement asked for
		err = fmt.Errorf("rule %q: %w", r.name, c.err)
	}
	if err != nil {
		return nil, err
	}
	return parts, nil
}
