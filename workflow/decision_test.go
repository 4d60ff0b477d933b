package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestMayApprove(t *testing.T) {
	t.Parallel()
	member := workflow.Person{ID: "U1", InThread: true}
	with := func(change func(*workflow.Person)) workflow.Person { p := member; change(&p); return p }
	named := workflow.Approvers{People: []string{"U9"}}
	for name, c := range map[string]struct {
		approvers workflow.Approvers
		person    workflow.Person
		refused   string
	}{
		"a full member":                 {person: member},
		"the requester, by default":     {person: with(func(p *workflow.Person) { p.ID = "U0" })},
		"a bot":                         {person: with(func(p *workflow.Person) { p.Bot = true }), refused: "bots"},
		"a guest":                       {person: with(func(p *workflow.Person) { p.Guest = true }), refused: "guests"},
		"a stranger":                    {person: with(func(p *workflow.Person) { p.Stranger = true }), refused: "another workspace"},
		"a deactivated account":         {person: with(func(p *workflow.Person) { p.Deleted = true }), refused: "deactivated"},
		"somebody outside the channel":  {person: with(func(p *workflow.Person) { p.InThread = false }), refused: "members of this channel"},
		"not among the named":           {approvers: named, person: member, refused: "names its approvers"},
		"among the named":               {approvers: named, person: with(func(p *workflow.Person) { p.ID = "U9" })},
		"a named guest":                 {approvers: named, person: with(func(p *workflow.Person) { p.ID, p.Guest = "U9", true }), refused: "guests"},
		"the requester, by two persons": {approvers: workflow.Approvers{OtherThanRequester: true}, person: with(func(p *workflow.Person) { p.ID = "U0" }), refused: "other than"},
		"another, by two persons":       {approvers: workflow.Approvers{OtherThanRequester: true}, person: member},
	} {
		got := c.approvers.MayApprove(c.person, "U0")
		if c.refused == "" {
			require.Empty(t, got, name)
		} else {
			require.Contains(t, got, c.refused, name)
		}
	}
}

func TestReportHashNamesContentAndBase(t *testing.T) {
	t.Parallel()
	r := workflow.Report{Kind: "root_cause", Text: "the remainder is dropped", BaseCommit: "a"}
	changed, moved := r, r
	changed.Text += "!"
	moved.BaseCommit = "b"
	require.Len(t, r.Hash(), 64)
	require.NotEqual(t, r.Hash(), changed.Hash())
	require.NotEqual(t, r.Hash(), moved.Hash())
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"The total is a cent off!": "the-total-is-a-cent-off",
		"  ../../etc/passwd ":      "etc-passwd",
		"Größe & Preis":            "gr-e-preis",
		"日本語":                      "change",
		"":                         "change",
	} {
		require.Equal(t, want, workflow.Slug(in))
	}
	long := workflow.Slug(strings.Repeat("word ", 40))
	require.Equal(t, "word-word-word-word-word-word-word-word", long)
	require.Equal(t, "unify-the-recovery-of-panics-in-handlers", workflow.Slug("Unify the recovery of panics in handlers and middleware"))
	require.Equal(t, "unify-how-panics-are-recovered-in", workflow.Slug("Unify how panics are recovered in middleware"))
	require.Equal(t, strings.Repeat("x", 40), workflow.Slug(strings.Repeat("x", 50)+" y"))
}
