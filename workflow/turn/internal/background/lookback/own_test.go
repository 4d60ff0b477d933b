package lookback

import (
	"fmt"
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

type files = map[string]string

// An ownCase is a fix that was pushed for base, and what is said of main then.
type ownCase struct {
	main     files // what main has besides; an empty text: it does not have the file
	base     string
	pull     int64
	unproven string
	shown    string // what the command of the report showed on main; empty: it was not run there
	said     string
	offered  bool
}

// TestTheOwnBaseIsComparedWithAFixOfARelease pushes a fix for a release without a test. What is said of main,
// and whether it is offered there, comes from main's lines alone.
func TestTheOwnBaseIsComparedWithAFixOfARelease(t *testing.T) {
	t.Parallel()
	const wrong = "def split():\n    return 9\n\n\n# The end.\n"
	const right = "def split():\n    return 10\n\n\n# The end.\n"
	for name, c := range map[string]ownCase{
		"the same lines": {
			main: files{"README": "It goes on.\n", "money.py": "# More.\n" + wrong}, base: "release/1.4",
			said: "main has the same lines where the fix is.", offered: true,
		},
		"the same lines, unproven": {
			main: files{"README": "It goes on.\n"}, base: "release/1.4", unproven: "no test command",
			said: "main has the same lines where the fix is. Nothing was proven, so I cannot bring it there.",
		},
		"green before": {
			main: files{"money.py": "def split():\n    return 8\n"}, base: "release/1.4", shown: "green",
			said: "By the command of the report, main does not have the bug.",
		},
		"red before": {
			main: files{"money.py": "def split():\n    return 8\n"}, base: "release/1.4", shown: "red",
			said: "By the command of the report, main has the bug, too.", offered: true,
		},
		"fixed": {
			main: files{"money.py": right + "# More.\n"}, base: "release/1.4",
			said: "main has this change already.",
		},
		"other lines": {
			main: files{"money.py": "def split():\n    return 8\n"}, base: "release/1.4",
			said: "main has other lines where the fix is: `money.py`. The fix does not fit there as it is.",
		},
		"no such file": {
			main: files{"money.py": ""}, base: "release/1.4",
			said: "main does not have the code that was fixed: `money.py`.",
		},
		"a pull request": {main: files{"README": "It goes on.\n"}, base: "release/1.4", pull: 7},
		"no release":     {main: files{"README": "It goes on.\n"}, base: "cleo/split"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewOrigin(t)
			base := o.Commit("release", files{"money.py": wrong})
			pushed := o.Commit("fix", files{"money.py": right})
			o.Branch("bobbin/x", pushed)
			main := files{"money.py": wrong}
			maps.Copy(main, c.main)
			o.Commit("go on", main)
			said, buttons := c.look(t, o, base, pushed)
			if c.said == "" {
				require.Empty(t, said)
				return
			}
			require.Equal(t, []string{c.said}, said)
			if !c.offered {
				require.Empty(t, buttons)
				return
			}
			require.Equal(t, []string{"backport|Bring it to main|" + pushed + " main"}, buttons)
		})
	}
	require.Empty(t, Push{Repository: "shop", Commit: "c0ffee"}.Parts(), "nothing is asked of a push to main")
}

// look runs the look back of the push, and returns what it says and its buttons.
func (c ownCase) look(t *testing.T, o *remotetest.Origin, base, pushed string) (said, buttons []string) {
	t.Helper()
	st := storetest.Open(t)
	turn := storetest.BeginTurn(t, st)
	approved := storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")
	require.NoError(t, turn.Record(t.Context(), append(approved, inbox.Handled{ID: 1, ForAgents: true},
		store.Update{Change: func(s *workflow.Session) { s.BaseBranch = c.base; s.Pull = c.pull }})...))
	push := workflow.Push{
		Commit: pushed, Tree: "t", BaseCommit: "c0ffee", Branch: "bobbin/x", Approval: "a",
		State: workflow.PushIntended,
	}
	require.NoError(t, turn.Record(t.Context(), consent.Push(push)))
	push.State = workflow.PushDone
	if c.shown != "" {
		found := fmt.Sprintf(`{"Releases": [{"Name": "main", "Commit": %q, "Branch": true, "Answer": %q}]}`,
			o.BranchHead("main"), c.shown)
		_, err := st.Pool.Exec(t.Context(), `insert into lookbacks (session_id, key, repository, base, probe,
			state, found) values ($1, 'report:1', 'shop', $2, '{}', 'done', $3)`,
			turn.Session().ID, base, found)
		require.NoError(t, err)
	}
	asked := Push{OfRelease: true, Repository: "shop", Base: base, Commit: pushed}.Parts()
	require.Len(t, asked, 1)
	require.NoError(t, turn.Record(t.Context(), append(asked, consent.Push(push))...))
	_, err := st.Pool.Exec(t.Context(), `update pushes set unproven = $1`, c.unproven)
	require.NoError(t, err)
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: storetest.Silent}
	t.Cleanup(func() { mirrors.Close() })
	l := &Looker{
		Store: st, Mirrors: mirrors, Signature: "orchestrator", Log: storetest.Silent,
		Repositories: []repository.Repository{{
			Remote: remote.Remote{Name: "shop", URL: o.Dir}, Releases: []string{"release/*"},
		}},
	}
	for range 2 { // the second run finds nothing to do
		require.NoError(t, l.Run(t.Context(), turn.Session().ID))
	}
	lines, err := st.Lines(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	for _, line := range lines {
		said = append(said, line.Text)
	}
	rows, err := st.Pool.Query(t.Context(),
		`select b.action_id || '|' || (j->>'Label') || '|' || b.means
		from outbox o, jsonb_array_elements(o.buttons::jsonb) j join buttons b on b.id = j->>'Value'`)
	require.NoError(t, err)
	buttons, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return said, buttons
}

// TestAFixOnTopOfAPullRequestIsOfferedNowhereElse has a button for a red branch only if the change is not one
// on top of a pull request, which is not merged yet.
func TestAFixOnTopOfAPullRequestIsOfferedNowhereElse(t *testing.T) {
	t.Parallel()
	found := workflow.LookbackFound{
		Releases: []workflow.ReleaseVerdict{{Name: "main", Branch: true, Answer: "red"}},
	}
	require.Len(t, (&look{pushed: "c0ffee"}).backportButtons(found), 1)
	require.Empty(t, (&look{pushed: "c0ffee", ofPull: true}).backportButtons(found))
}
