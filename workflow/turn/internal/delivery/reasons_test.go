package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// One question names all its reasons, the weightiest first, and says the words that allow the push.
func TestTheQuestionNamesAllItsReasons(t *testing.T) {
	t.Parallel()
	objections := []workflow.Objection{
		{UserName: "bea", How: workflow.ObjectionByMessage, Words: "wrong file"},
		{UserName: "gus", How: workflow.ObjectionByReaction, Words: "x"},
		{UserName: "ann", How: workflow.ObjectionByEdit, Words: "do not fix it"},
		{UserName: "ann", How: workflow.ObjectionByDeletion},
	}
	const tree = "134b2ba000"
	for want, r := range map[string]pushReasons{
		"The work is ready and proven, but pushing it needs a separate permission, " +
			"because it changes more than the code:\n  • go.sum\n" +
			"Nothing was pushed. Reply \"push it\" to allow exactly these files (tree 134b2ba), " +
			"or say what to leave out.": {shown: true, paths: []string{"go.sum"}},
		"The work is ready, but nothing can be proven here: eslint is missing.\n" +
			"It changes more than the code:\n  • go.sum\n" +
			"Nothing was pushed. When that is fixed, write \"go on\"; " +
			"or reply \"push it unproven\" to have exactly these files as they are (tree 134b2ba).": {
			unproven: "eslint is missing", paths: []string{"go.sum"},
		},
		"The work is ready: only documents were changed, which no test shows, " +
			"and what passed before still passes.\n" +
			"Nothing was pushed. Reply \"push it unproven\" to have exactly these files as they are (tree " +
			"134b2ba).": {unproven: "only documents were changed, which no test shows", alone: true},
		"The work is ready and proven, but pushing it needs a separate permission, " +
			"because somebody objected:\n" +
			"  • bea: \"wrong file\"\n  • gus reacted with :x:\n" +
			"  • ann edited the approval to \"do not fix it\"\n  • The approval of ann was deleted\n" +
			"Nothing was pushed. Reply \"push all the same\" to allow exactly these files (tree 134b2ba), " +
			"or say what to leave out.": {shown: true, objections: objections},
		"The work is ready, but pushing it needs a separate permission, because somebody objected:\n" +
			"  • bea: \"wrong file\"\nIt changes what tests expect:\n  • 900 is 899\n" +
			"Nothing can be proven here: eslint is missing.\nIt changes more than the code:\n  • go.sum\n" +
			"Nothing was pushed. Reply \"push all the same\" to allow exactly these files (tree 134b2ba), " +
			"or say what to leave out.": {
			objections:   objections[:1],
			expectations: []string{"900 is 899"},
			unproven:     "eslint is missing",
			paths:        []string{"go.sum"},
		},
	} {
		require.Equal(t, want, r.text(tree))
	}
	require.True(t, pushReasons{shown: true}.none())
	require.Equal(t, workflow.Allowance{
		Approval:     "a",
		Tree:         tree,
		Paths:        "go.sum\nci.yml",
		Unproven:     "no",
		Objections:   []int64{3, 4},
		Expectations: "900 is 899",
	},
		pushReasons{
			paths:        []string{"go.sum", "ci.yml"},
			unproven:     "no",
			objections:   []workflow.Objection{{ID: 3}, {ID: 4}},
			expectations: []string{"900 is 899"},
		}.allowance("a", tree))
}
