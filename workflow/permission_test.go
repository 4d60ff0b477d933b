package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestMayApprove(t *testing.T) {
	t.Parallel()
	member := workflow.Person{ID: "U1", InThread: true}
	with := func(change func(*workflow.Person)) workflow.Person {
		p := member
		change(&p)
		return p
	}
	named := workflow.Approvers{People: []string{"U9"}}
	for name, c := range map[string]struct {
		approvers workflow.Approvers
		person    workflow.Person
		refused   string
	}{
		"a full member":             {person: member},
		"the requester, by default": {person: with(func(p *workflow.Person) { p.ID = "U0" })},
		"a bot": {
			person:  with(func(p *workflow.Person) { p.Bot = true }),
			refused: "bots",
		},
		"a guest": {
			person:  with(func(p *workflow.Person) { p.Guest = true }),
			refused: "guests",
		},
		"a stranger": {
			person:  with(func(p *workflow.Person) { p.Stranger = true }),
			refused: "another workspace",
		},
		"a deactivated account": {
			person:  with(func(p *workflow.Person) { p.Deleted = true }),
			refused: "deactivated",
		},
		"somebody outside the channel": {
			person:  with(func(p *workflow.Person) { p.InThread = false }),
			refused: "members of this channel",
		},
		"not among the named": {approvers: named, person: member, refused: "names its approvers"},
		"among the named": {
			approvers: named,
			person:    with(func(p *workflow.Person) { p.ID = "U9" }),
		},
		"a named guest": {approvers: named, person: with(func(p *workflow.Person) {
			p.ID = "U9"
			p.Guest = true
		}), refused: "guests"},
		"the requester, by two persons": {
			approvers: workflow.Approvers{OtherThanRequester: true},
			person:    with(func(p *workflow.Person) { p.ID = "U0" }),
			refused:   "other than",
		},
		"another, by two persons": {
			approvers: workflow.Approvers{OtherThanRequester: true},
			person:    member,
		},
		"a repository that is gone": {
			approvers: workflow.Approvers{Missing: "shop"},
			person:    member,
			refused:   "names no repository shop",
		},
	} {
		got := c.approvers.MayApprove(c.person, "U0")
		if c.refused == "" {
			require.Empty(t, got, name)
		} else {
			require.Contains(t, got, c.refused, name)
		}
	}
}

func TestWhoWasCalledIsShownByName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "<@U2> <!subteam^S7>", workflow.DecideRequest.ShownReason("U2 S7"))
	require.Equal(t, "<@U2>", workflow.DecideMention.ShownReason("U2"))
	require.Empty(t, workflow.DecideRequest.ShownReason(""))
	require.Equal(t, "guests may not", workflow.DecideApprove.ShownReason("guests may not"))
}
