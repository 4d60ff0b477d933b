package proof

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// Of a suite whose output is not read rightly the counts are neither proof nor refusal: the exit codes
// decide, and where they do not tell, nothing is known of the change. Both numbers are said.
func TestWhatIsCountedWronglyProvesNothing(t *testing.T) {
	t.Parallel()
	base := repotest.Files{
		"code":         "2\n",
		"stated":       "4151\n",
		"tests/old.sh": "true\n",
		"suite.sh": "code=0\nfor f in tests/*.sh; do sh $f || code=1; done\n" +
			"echo TAP version 13; echo ok 1 - adds; echo 1..1; echo \"# tests $(cat stated)\"; exit $code\n",
	}
	fix := repotest.Files{"code": "3\n", "tests/new.sh": "grep -q 3 code\n"}
	p := project.Project{Kind: "make", Test: "sh suite.sh"}
	const both = "an error of Bobbin, not of the change: it read 1 tests on main, " +
		"where the runner itself counts 4151"
	for name, c := range map[string]struct {
		base, branch repotest.Files
		outcome      Outcome
		says         string
	}{
		"the exit codes show the fix": {outcome: Passed, says: "The counts took no part in this: " + both},
		"the exit codes show what broke": {
			branch:  repotest.Files{"tests/old.sh": "grep -q 2 code\n"},
			outcome: Failed, says: "The tests do not pass on the branch",
		},
		"the exit codes do not tell": {
			base:    repotest.Files{"tests/broken.sh": "false\n"},
			outcome: NotStarted, says: "Nothing can be proven here: " + both + ", and neither",
		},
		"the change's own tests print the number": {
			base: repotest.Files{"stated": "1\n"}, branch: repotest.Files{"stated": "4151\n"},
			outcome: NotStarted, says: "it read 1 tests on the branch, where the runner itself counts 4151",
		},
		// The control: with the right number the counts decide, and the new test is not among them.
		"counted rightly": {
			base: repotest.Files{"stated": "1\n"}, outcome: Failed, says: "hold no test that is new",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := maps.Clone(base)
			after := maps.Clone(fix)
			maps.Copy(before, c.base)
			maps.Copy(after, c.branch)
			m, commits := repotest.NewMirror(t, before)
			w := repotest.NewWorkspace(t, m, commits[0], after)
			shown, err := Prove(t.Context(), checker(t).For(m), w, p, "")
			require.NoError(t, err)
			require.Equal(t, c.outcome, shown.Outcome(), shown.Lines())
			require.Contains(t, shown.Why+"\n"+shown.Short()+"\n"+strings.Join(shown.Lines(), "\n"), c.says)
		})
	}
}
