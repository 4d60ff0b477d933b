package catalog

import (
	"context"
	"slices"
)

// MaxMentions is how many approvers one line mentions at most.
const MaxMentions = 10

// NamedApprovers returns the ids of the people and groups that the configuration names as approvers of the
// session's repository, at most MaxMentions.
func (c *Catalog) NamedApprovers(ctx context.Context) (ids []string, err error) {
	r, _, err := c.Current(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range r.Approvers.People {
		if !slices.Contains(ids, id) && len(ids) < MaxMentions {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// ToAskAgain returns whom a question about approved work mentions: the person who approved it if the
// configuration names that person, otherwise all whom it names.
func (c *Catalog) ToAskAgain(ctx context.Context, approver string) ([]string, error) {
	ids, err := c.NamedApprovers(ctx)
	if slices.Contains(ids, approver) {
		ids = []string{approver}
	}
	return ids, err
}
