package backport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

const hers = "cleo/split"

// openHers opens a scene with a colleague's branch, from which the pushed fix was made, and asks to push the
// fix to it.
func openHers(t *testing.T) *scene {
	t.Helper()
	s := open(t)
	s.git("branch", hers, s.commits[1])
	s.branch = backports.DirectKey("bobbin/x", hers)
	s.direct = true
	s.ask(hers, s.commits[2], 1)
	return s
}

// advance commits files to the colleague's branch, and returns the commit.
func (s *scene) advance(files repotest.Files) string {
	s.t.Helper()
	commit := s.push(hers, files)
	s.git("branch", "-f", hers, commit)
	return commit
}

// The commit that was proven is pushed itself if the branch did not move; otherwise its change is proven
// again on top of what the branch has. It is pushed and told once, whenever the program is killed.
func TestAColleaguesBranchIsMovedForwardOnce(t *testing.T) {
	t.Parallel()
	for _, moved := range []bool{false, true} {
		for _, at := range []string{"", "proven", "intended", "pushed"} {
			t.Run(map[bool]string{true: "moved, "}[moved]+"killed when "+at, func(t *testing.T) {
				t.Parallel()
				s := openHers(t)
				want := s.commits[2]
				onto := s.commits[1]
				if moved {
					onto = s.advance(repotest.Files{"NEWS": "it moved again\n"})
				}
				if at != "" {
					s.killed(at)
				}
				require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
				require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
				row := s.row()
				require.Equal(t, backports.Pushed, row.State, row.Reason)
				require.Len(t, s.said(), 1)
				require.Contains(t, s.said()[0], "Pushed to `cleo/split`, as ann said: ")
				at := s.git("rev-parse", hers)
				require.Equal(t, row.Commit, at)
				require.Equal(t, onto, s.git("rev-parse", hers+"^"), "never forced")
				require.Equal(t, fixed, s.git("show", hers+":money.py")+"\n")
				if !moved {
					require.Equal(t, want, at)
					require.Contains(t, s.said()[0], "It is the commit that was pushed before")
					return
				}
				require.Contains(t, s.said()[0], "proven again there. 1 new test: red before, green now")
				require.Equal(t, "it moved again", s.git("show", hers+":NEWS"))
				require.Contains(t, s.git("log", "-1", "--format=%B", hers), "Approved-by: Ann Lee\n")
			})
		}
	}
}

// What became of the branch after the commit was intended is never undone. The control: asked for anew, the
// change goes on top of it.
func TestAColleaguesBranchIsNeverForced(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*scene) string{
		"moved": func(s *scene) string { return s.advance(repotest.Files{"NEWS": "it moved again\n"}) },
		"rewritten": func(s *scene) string {
			s.git("branch", "-f", hers, s.commits[0])
			return s.commits[0]
		},
		"gone": func(s *scene) string {
			s.git("branch", "-D", hers)
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openHers(t)
			s.killed("intended")
			stands := meanwhile(s)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Refused, s.row().State)
			require.Len(t, s.said(), 1)
			require.Contains(t, s.said()[0], "Nothing was pushed to `cleo/split`: ")
			require.Equal(t, stands, s.git("for-each-ref", "--format=%(objectname)", "refs/heads/"+hers))
			if name != "moved" {
				return
			}
			s.ask(hers, s.commits[2], 2)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Pushed, s.row().State, "control: asked again")
			require.Equal(t, stands, s.git("rev-parse", hers+"^"))
		})
	}
}

func TestWhatCannotBePushedToAColleagueIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*scene)
		want   string
	}{
		"gone": {
			func(s *scene) { s.git("branch", "-D", hers) },
			"Nothing was pushed to `cleo/split`: the branch is not there any more.",
		},
		"conflict": {
			func(s *scene) { s.advance(repotest.Files{"money.py": "def split(total, n):\n    return 7\n"}) },
			"Nothing was pushed to `cleo/split`: the change conflicts with what stands there, in `money.py`",
		},
		"there already": {
			func(s *scene) { s.git("branch", "-f", hers, s.commits[3]) },
			"Nothing was pushed to `cleo/split`: the change is there already.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openHers(t)
			c.before(s)
			stands := s.git("for-each-ref", "refs/heads/cleo")
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Refused, s.row().State)
			require.Len(t, s.said(), 1)
			require.Contains(t, s.said()[0], c.want)
			require.Equal(t, stands, s.git("for-each-ref", "refs/heads/cleo"))
		})
	}
}
