package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// examineQuorum checks that enough people can approve work on the repository, and that somebody of each group
// that some files need can.
func (sc slackCheck) examineQuorum(ctx context.Context, r config.Repository) {
	able, known := sc.ableToApprove(ctx, r.Approvers)
	needed := max(r.Approvals, 1)
	const cure = "name more people in approvers, add some to its groups, or lower approvals"
	switch text := fmt.Sprintf("%s needs %s, and %s can approve", r.Describe(),
		plaintext.CountNoun(needed, "approval"), people(len(able))); {
	case len(r.Approvers) == 0 || !known:
	case len(able) < needed:
		sc.problem(text, cure)
	case len(able) == needed && needed > 1 && r.OtherThanRequester: // of one, examineApprovers says it
		sc.warn(text+": what one of them asks for can never be approved, since other_than_requester does "+
			"not "+
			"count the requester", cure)
	}
	for _, n := range r.Needs {
		need := workflow.Need{Name: n.Name, Files: n.Files}
		members, found := sc.ableToApprove(ctx, n.From)
		switch {
		case !found:
			continue // a person or group that cannot be read
		case len(members) == 0:
			sc.problem(fmt.Sprintf("%s needs %s: nobody of it can approve, so no change of such files "+
				"is ever pushed", r.Describe(), need.Who()),
				"add full members to it (People, User groups), or name others in from")
		case len(r.Approvers) > 0 && known && !slices.ContainsFunc(members,
			func(id string) bool { return slices.Contains(able, id) }):
			sc.problem(fmt.Sprintf("%s needs %s, and nobody of it is among its approvers, so no change "+
				"of such files "+
				"is ever pushed", r.Describe(), need.Who()), "add the group to approvers, too")
		default:
			sc.ok("%s for %s: %s", need.Who(), n.Files, people(len(members)))
		}
	}
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

// ableToApprove returns the people, of those and of the groups that are named, who can approve. known is
// false if that cannot be read.
func (sc slackCheck) ableToApprove(ctx context.Context, named []string) (ids []string, known bool) {
	var all []string
	for _, id := range named {
		if !isGroup(id) {
			all = append(all, id)
			continue
		}
		users, found, err := sc.Group(ctx, id)
		switch {
		case err != nil:
			sc.refuse("user group "+id, err, "")
			return nil, false
		case !found:
			sc.problem("there is no user group "+id,
				"correct the id, or enable the group (People, User groups)")
		}
		all = append(all, users...)
	}
	for _, id := range all {
		p, found, err := sc.Person(ctx, id)
		if err != nil {
			sc.refuse("approver "+id, err, "")
			return nil, false
		}
		p.InThread = true // whether the person is in the channel is checked at the approval
		if found && !slices.Contains(ids, id) && (workflow.Approvers{}).MayApprove(p) == "" {
			ids = append(ids, id)
		}
	}
	return ids, true
}
