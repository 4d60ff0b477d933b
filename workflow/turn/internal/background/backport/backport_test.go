package backport

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

const (
	broken = "def split(total, n):\n    return [total // n] * n\n\n\n# The end.\n"
	fixed  = "def split(total, n):\n    return [total // n + (i < total % n) " +
		"for i in range(n)]\n\n\n# The end.\n"
	counts = "import unittest\n\nfrom money import split\n\n\nclass Count(unittest.TestCase):\n" +
		"    def test_count(self):\n        self.assertEqual(len(split(10, 3)), 3)\n"
	rests = "import unittest\n\nfrom money import split\n\n\nclass Rest(unittest.TestCase):\n" +
		"    def test_rest(self):\n        self.assertEqual(sum(split(10, 3)), 10)\n"
)

// A scene is a session that pushed a fix, a remote with a release, and a Porter.
type scene struct {
	*Porter
	t      *testing.T
	turn   *store.Turn
	origin string
	branch string // branch of the next backport that ask asks for
	direct bool   // it goes to the wanted branch itself
	base   string // base of the change that ask asks for; open sets main before the fix
	// the release, main before the fix, the fix, a later change; then two releases with different code
	commits []string
}

func open(t *testing.T) *scene {
	t.Helper()
	remotetest.NeedGit(t)
	s := &scene{t: t, branch: "bobbin/x-backport-1.1"}
	st := storetest.Open(t)
	s.turn = storetest.BeginTurn(t, st)
	dir := t.TempDir()
	s.origin = filepath.Join(dir, "origin")
	old := repotest.Files{"money.py": broken, "test_money.py": counts, "README": "a shop\n"}
	var err error
	s.commits, err = repotest.Origin(s.origin, old, repotest.Files{"NEWS": "it moved\n"},
		repotest.Files{"money.py": fixed, "test_rest.py": rests},
		repotest.Files{"README": "a shop that splits\n"},
		repotest.Files{"money.py": "def split(total, n):\n    return n * [total // n]\n"},
		repotest.Files{"money.py": broken + "\n\n" + fixed, "README": "a shop\n"})
	require.NoError(t, err)
	s.base = s.commits[1]
	s.git("branch", "release/1.1", s.commits[0])
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: storetest.Silent}
	t.Cleanup(func() { mirrors.Close() })
	s.Porter = &Porter{
		Rows:      backports.Register{Store: st},
		Mirrors:   mirrors,
		Signature: "orchestrator",
		Log:       storetest.Silent,
		Folders:   &folder.Folders{Dir: filepath.Join(dir, "sessions")},
		Repositories: []repository.Repository{
			{Remote: remote.Remote{Name: "shop", URL: s.origin}, Releases: []string{"release/*"}},
		},
		Checker: &build.Checker{Caches: build.Caches{
			Sandbox: repotest.OpenSandbox(t),
			Dir:     filepath.Join(dir, "cache"),
			Log:     storetest.Silent,
		}},
	}
	return s
}

func (s *scene) git(args ...string) string {
	return strings.TrimSpace(remotetest.RunGit(s.t, s.origin, args...))
}

// ask records that ann asked for a backport of commit to release, with her permission. message is the
// id of her inbox row.
func (s *scene) ask(release, commit string, message int64) {
	s.t.Helper()
	p := *storetest.Permission(fmt.Sprint("k", message), workflow.PermitBackport, 1)
	p.Message = message
	p.MessageTS = fmt.Sprintf("%d.0", message)
	if message == 1 {
		storetest.RecordReport(s.t, s.turn, 1, "A split loses the rest.")
	} else {
		in := storetest.Reply(fmt.Sprint("Ev", message), p.MessageTS, "backport to "+release)
		in.User = "U1"
		require.NoError(s.t, storetest.Inbox(s.Rows.Store).Receive(s.t.Context(), in))
	}
	require.NoError(s.t, s.turn.Record(s.t.Context(), inbox.Handled{ID: message, ForAgents: true},
		consent.Permission{Permission: p}, backports.Order{
			Repository: "shop", Branch: s.branch, Wanted: release, Direct: s.direct,
			Pushed: commit, Base: s.base, Revision: 1,
			User: "U1", UserName: "ann", Credit: "Ann Lee", MessageTS: p.MessageTS,
		}))
}

// push commits the files over a commit to a branch in the remote, and returns the new commit.
func (s *scene) push(onto string, changed repotest.Files) string {
	s.t.Helper()
	dir := s.t.TempDir()
	require.NoError(s.t, changed.Write(dir))
	s.git("read-tree", onto)
	s.git("--work-tree", dir, "add", "--ignore-removal", ".")
	commit := s.git("commit-tree", "-p", onto, "-m", "More of it", s.git("write-tree"))
	s.git("branch", "-f", "bobbin/x", commit)
	return commit
}

func (s *scene) row() backports.Row {
	rows, err := s.Rows.Of(s.t.Context(), s.turn.Session().ID)
	require.NoError(s.t, err)
	require.Len(s.t, rows, 1)
	return rows[0]
}

func (s *scene) said() (lines []string) {
	all, err := s.Rows.Store.Lines(s.t.Context(), s.turn.Session().ID)
	require.NoError(s.t, err)
	for _, l := range all {
		lines = append(lines, l.Text)
	}
	return lines
}

// killed runs the backport and ends it at a point, as a kill does. Then it moves the release forward,
// so that the next run meets a newer one.
func (s *scene) killed(at string) {
	s.t.Helper()
	killed := errors.New("killed")
	s.reached = func(point string) error {
		if point == at {
			return killed
		}
		return nil
	}
	require.ErrorIs(s.t, s.Run(s.t.Context(), s.turn.Session().ID), killed)
	s.reached = nil
	// Meanwhile the release gets a new commit.
	s.git("branch", "-f", "release/1.1", s.commits[1])
}

func TestABackportIsMadeOnceWhateverHappens(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "proven", "intended", "pushed"} {
		t.Run("killed when "+at, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.ask("1.1", s.commits[2], 1)
			if at != "" {
				s.killed(at)
			}
			before := s.row()
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			row := s.row()
			require.Equal(t, backports.Pushed, row.State, row.Reason)
			require.Len(t, s.said(), 1)
			require.Contains(t, s.said()[0], "1 new test: red before, green now; 1 still pass")
			require.Equal(t, row.Commit, s.git("rev-parse", "bobbin/x-backport-1.1"))
			if before.Commit != "" {
				require.Equal(t, before.Commit, row.Commit, "what was intended is what is there")
				require.Equal(t, s.commits[0], row.Onto)
			}
			require.Equal(t, row.Onto, s.git("rev-parse", "bobbin/x-backport-1.1^"))
			require.Equal(t, fixed, s.git("show", "bobbin/x-backport-1.1:money.py")+"\n")
			require.Contains(t, s.git("log", "-1", "--format=%B", "bobbin/x-backport-1.1"),
				"Approved-by: Ann Lee\n")
			a, err := consent.VerifyAudit(t.Context(), s.Rows.Store.DB, "")
			require.NoError(t, err)
			require.Nil(t, a.Flaw)
		})
	}
}

// The control: a porter that ignores its own row after a kill makes another commit, and the push is
// refused.
func TestWhatWasIntendedMayNotBeForgotten(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask("1.1", s.commits[2], 1)
	s.killed("pushed")
	s.forgets = true
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	require.Equal(t, backports.Refused, s.row().State)
	require.NotEqual(t, s.row().Commit, "")
}

// While the operator has paused the work, or while a stop is not judged yet, nothing is
// pushed, and the order stands.
func TestNothingIsPushedDuringAPause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ begin, end string }{
		"paused": {
			`insert into pauses (scope, name, paused_by) values ('all', '', 'ann')`, `delete from pauses`,
		},
		"stop waits": {
			`with m as (update inbox set handled_at = null) update sessions set stop_asked = true`,
			`update sessions set stop_asked = false`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			exec := func(sql string) {
				_, err := s.Rows.Store.Pool.Exec(t.Context(), sql)
				require.NoError(t, err)
			}
			s.ask("1.1", s.commits[2], 1)
			s.reached = func(point string) error {
				if point == "proven" {
					exec(c.begin)
				}
				return nil
			}
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Asked, s.row().State)
			require.NotContains(t, s.git("for-each-ref", "--format=%(refname)"), "backport")
			s.reached = nil
			exec(c.end)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, s.row().Commit, s.git("rev-parse", s.branch))
		})
	}
}

func TestWhatCannotBeBackportedIsSaid(t *testing.T) {
	t.Parallel()
	for wanted, want := range map[string]string{
		"main": "No backport to `main`: that is the branch that the change was made for.",
		"2.0":  "No backport to `2.0`: there is no such branch. Releases with a branch: ",
		"1":    "No backport to `1`: there is no such branch. Releases with a branch: ",
		"v1.1.0": "No backport to `v1.1.0`: that is a tag, and nothing is pushed to a tag. " +
			"Releases with a branch: ",
		"bobbin/x":  "No backport to `bobbin/x`: there is no such branch. Releases with a branch: ",
		"../../etc": "No backport to `../../etc`: there is no such branch. Releases with a branch: ",
		"old":       "No backport to `old`: the change is there already.",
		"other/1.2": "No backport to `other/1.2`: the change conflicts with what stands there, in " +
			"`money.py` (both changed line 2). Nothing was pushed; somebody has to bring it there by hand.",
		"release/quiet": "No backport to `release/quiet`: the proof does not hold there, " +
			"so nothing was pushed. ",
		"release/1.1`*x": "No backport to `release/1.1'*x`: there is no such branch. " +
			"Releases with a branch: ",
	} {
		t.Run(wanted, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.git("tag", "v1.1.0", s.commits[0])
			s.git("branch", "bobbin/x", s.commits[0])
			s.git("branch", "old", s.commits[2])
			s.git("branch", "other/1.2", s.commits[4])
			s.git("branch", "release/quiet", s.commits[5])
			s.ask(wanted, s.commits[2], 1)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Refused, s.row().State)
			require.Len(t, s.said(), 1)
			require.Contains(t, s.said()[0], want)
			require.NotContains(t, s.git("for-each-ref", "--format=%(refname)"), "backport")
		})
	}
}

// A remote that is away fails an attempt. The queue, which waits for a database as long as it is away, does
// not see that a connection failed.
func TestARemoteThatIsAwayFailsAnAttempt(t *testing.T) {
	t.Parallel()
	_, refusedThere := net.Dial("tcp", "127.0.0.1:1")
	var network net.Error
	require.ErrorAs(t, refusedThere, &network)
	err := unlessRefused(backports.Row{}, fmt.Errorf("open the mirror: %w",
		&remote.Error{Op: "fetch shop", Reason: "no connection", Retry: true, Err: refusedThere}))
	require.EqualError(t, err, "open the mirror: fetch shop: no connection")
	require.NotErrorAs(t, err, &network)
}

// A backport of the session's second push adds a commit to the backport branch of the first.
func TestABackportOfSomethingNewerGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask("1.1", s.commits[2], 1)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	first := s.row()
	s.git("branch", "-f", "release/1.1", s.commits[1])
	s.ask("1.1", s.commits[3], 2)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	row := s.row()
	require.Equal(t, backports.Pushed, row.State, row.Reason)
	require.Equal(t, row.Commit, s.git("rev-parse", "bobbin/x-backport-1.1"))
	require.Equal(t, []string{first.Commit, s.commits[0]},
		strings.Fields(s.git("log", "-2", "--skip=1", "--format=%H", "bobbin/x-backport-1.1")))
	require.Equal(t, "a shop that splits", s.git("show", "bobbin/x-backport-1.1:README"))
}

// The session pushes something on top of its first push, which main has by now or has not. The backport has
// the work of both pushes, also if the second one changes what the first one wrote.
func TestABackportKeepsWhatItsBranchHas(t *testing.T) {
	t.Parallel()
	reads := repotest.Files{
		"README": "a shop that rounds\n",
		"test_readme.py": "import unittest\n\n\nclass Readme(unittest.TestCase):\n" +
			"    def test_readme(self):\n        self.assertIn(\"rounds\", open(\"README\").read())\n",
	}
	revised := strings.Replace(fixed, "    return", "    n = n or 1\n    return", 1)
	revises := repotest.Files{
		"money.py": revised,
		"test_none.py": strings.NewReplacer("Rest", "Nobody", "test_rest", "test_nobody",
			"split(10, 3)", "split(10, 0)").Replace(rests),
	}
	for name, c := range map[string]struct {
		base    int
		changed repotest.Files
		money   string
	}{
		"main has the first":                           {2, reads, fixed},
		"main has the first, which the second fixes":   {2, revises, revised},
		"main has neither":                             {1, reads, fixed},
		"main has neither, the second fixes the first": {1, revises, revised},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.ask("1.1", s.commits[2], 1)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			first := s.row()
			s.base = s.commits[c.base]
			s.ask("1.1", s.push(s.commits[2], c.changed), 2)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			row := s.row()
			require.Equal(t, backports.Pushed, row.State, row.Reason)
			require.Equal(t, first.Commit, s.git("rev-parse", "bobbin/x-backport-1.1^"))
			require.Equal(t, c.money, s.git("show", "bobbin/x-backport-1.1:money.py")+"\n")
			require.Equal(t, rests, s.git("show", "bobbin/x-backport-1.1:test_rest.py")+"\n")
			require.Len(t, strings.Fields(s.git("show", "--format=", "--name-only", "bobbin/x-backport-1.1")),
				len(c.changed))
		})
	}
}

// What a session sets back after a backport, while main does not have it, is set back on
// the backport's branch, too.
func TestABackportSetsBackWhatItsChangeDoes(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := s.push(s.commits[2], repotest.Files{"README": "a shop that rounds\n"})
	s.ask("1.1", first, 1)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	require.Equal(t, "a shop that rounds", s.git("show", "bobbin/x-backport-1.1:README"))
	s.ask("1.1", s.push(first, repotest.Files{"README": "a shop\n"}), 2)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	row := s.row()
	require.Equal(t, backports.Pushed, row.State, row.Reason)
	require.Equal(t, backports.Change{Base: s.base, Pushed: first}, row.EarlierOf)
	require.Equal(t, "a shop", s.git("show", "bobbin/x-backport-1.1:README"))
}

// A second push that changes nothing there adds no commit to the backport of the first.
func TestABackportOfNothingNewIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask("1.1", s.commits[2], 1)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	first := s.row()
	s.base = s.commits[2]
	s.ask("1.1", s.push(s.commits[2], nil), 2)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	require.Equal(t, backports.Refused, s.row().State)
	require.Contains(t, s.said(), "No backport to `release/1.1`: the change is there already.")
	require.Equal(t, first.Commit, s.git("rev-parse", "bobbin/x-backport-1.1"))
}

// The change brings a package.json with a test script. The release's own tests
// prove its backport nevertheless.
func TestABackportDoesNotDecideHowItIsTested(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask("1.1", s.push(s.commits[2], repotest.Files{
		"package.json": `{"scripts": {"test": "node --test"}}`,
	}), 1)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	require.Equal(t, backports.Pushed, s.row().State, s.row().Reason)
	require.Contains(t, s.said()[0], "1 new test: red before, green now; 1 still pass")
}

// A branch that holds the backport to one release is not used for another one.
func TestABranchStaysWithItsRelease(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.git("branch", "api-1.1", s.commits[0])
	s.ask("release/1.1", s.commits[2], 1)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	first := s.row()
	s.ask("api-1.1", s.commits[3], 2)
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	require.Equal(t, backports.Refused, s.row().State)
	require.Contains(t, s.said(),
		"No backport to `api-1.1`: its branch `bobbin/x-backport-1.1` holds the backport to `release/1.1`.")
	require.Equal(t, first.Commit, s.git("rev-parse", "bobbin/x-backport-1.1"))
}

// The pushed branch was merged by squashing and deleted before this machine's mirror fetched it. The backport
// takes the change from the files that are kept of the session; without them it is refused.
func TestAPushedBranchMayBeGone(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprint("kept ", kept), func(t *testing.T) {
			t.Parallel()
			s := open(t)
			if kept {
				other := &git.Mirrors{Dir: t.TempDir(), Log: storetest.Silent}
				t.Cleanup(func() { other.Close() })
				m, err := other.Open(t.Context(), s.Repositories[0].Remote)
				require.NoError(t, err)
				work := repotest.NewWorkspace(t, m, s.commits[1], nil)
				tree, err := work.Tree(t.Context())
				require.NoError(t, err)
				pack, err := work.Pack(t.Context(), 0, tree, s.commits[2])
				require.NoError(t, err)
				require.NoError(t, s.turn.Record(t.Context(), progress.Snapshot{Tree: tree, Pack: pack}))
			}
			s.git("update-ref", "refs/heads/main", s.commits[1])
			s.ask("1.1", s.commits[2], 1)
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			if !kept {
				require.Equal(t, backports.Refused, s.row().State)
				require.Equal(t, []string{"No backport to `release/1.1`: the pushed commit `" +
					s.commits[2][:7] + "` is on no branch of the repository any more."}, s.said())
				return
			}
			require.Equal(t, backports.Pushed, s.row().State, s.row().Reason)
			require.Equal(t, fixed, s.git("show", "bobbin/x-backport-1.1:money.py")+"\n")
			require.Equal(t, s.commits[0], s.git("rev-parse", "bobbin/x-backport-1.1^"))
		})
	}
}
