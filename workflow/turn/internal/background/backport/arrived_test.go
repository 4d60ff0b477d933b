package backport

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// What was pushed before a kill is recorded as pushed, whatever ends the next run, and nobody is told that
// nothing was. The control is killed before the push.
func TestWhatArrivedBeforeAKillIsNotDenied(t *testing.T) {
	t.Parallel()
	run := func(s *scene) error { return s.Run(s.t.Context(), s.turn.Session().ID) }
	for name, c := range map[string]struct {
		then    func(*scene) error
		unknown bool // the remote cannot be asked
	}{
		"somebody went on from there": {then: func(s *scene) error {
			s.advance(repotest.Files{"NEWS": "it moved again\n"})
			return run(s)
		}},
		"commands are off": {then: func(s *scene) error {
			s.Checker = nil
			return run(s)
		}},
		"given up": {then: func(s *scene) error { return s.GiveUp(s.t.Context(), s.turn.Session().ID) }},
		"not configured": {unknown: true, then: func(s *scene) error {
			s.Repositories = nil
			return run(s)
		}},
	} {
		for _, at := range []string{"pushed", "intended"} {
			t.Run(name+", killed when "+at, func(t *testing.T) {
				t.Parallel()
				s := openHers(t)
				s.killed(at)
				require.NoError(t, c.then(s))
				require.Len(t, s.said(), 1)
				switch said := s.said()[0]; {
				case c.unknown:
					require.Equal(t, backports.Refused, s.row().State)
					require.Contains(t, said, "Whether I pushed to `cleo/split` is not known, and I gave")
				case at == "pushed":
					require.Equal(t, backports.Pushed, s.row().State)
					require.Contains(t, said, "Pushed to `cleo/split`, as ann said: ")
				default:
					require.Equal(t, backports.Refused, s.row().State)
					require.NotContains(t, said, "Pushed to")
				}
			})
		}
	}
}

// The same for a branch in the fork to which branches are pushed.
func TestWhatArrivedInAForkBeforeAKillIsNotDenied(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"pushed", "intended"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			fork := filepath.Join(t.TempDir(), "fork")
			remotetest.RunGit(t, s.origin, "clone", "-q", "--bare", s.origin, fork)
			s.Repositories[0].PushTo = &remote.Remote{Name: "fork", URL: fork}
			s.ask("release/1.1", s.commits[2], 1)
			s.killed(at)
			inFork := func(args ...string) string {
				return strings.TrimSpace(remotetest.RunGit(t, fork, args...))
			}
			ref := "refs/heads/" + s.branch
			onto := cmp.Or(inFork("for-each-ref", "--format=%(objectname)", ref), s.commits[0])
			next := inFork("commit-tree", "-p", onto, "-m", "More of it", onto+"^{tree}")
			inFork("update-ref", ref, next)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			want := map[string]string{"pushed": backports.Pushed, "intended": backports.Refused}[at]
			require.Equal(t, want, s.row().State, s.said())
			require.Equal(t, next, inFork("rev-parse", ref), "never forced")
		})
	}
}
