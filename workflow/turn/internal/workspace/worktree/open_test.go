package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// A program that is killed while a command runs leaves what the command changed. The next turn reads the
// session's files nevertheless, and finds their test command.
func TestWhatAKilledCommandLeftIsNotRead(t *testing.T) {
	t.Parallel()
	origin, _ := repotest.NewOrigin(t, repotest.Files{"go.mod": "module shop\n", "a.go": "package shop\n"})
	trees := newTrees(t, origin)
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	test := trees.Current().Project().Test
	files := trees.Current().Copy.Files()
	require.NotEmpty(t, test)
	require.NoError(t, os.WriteFile(filepath.Join(files, "probe.txt"), []byte("x\n"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(files, "go.mod")))
	trees.Close()

	opened, err = trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()
	require.Equal(t, files, trees.Current().Copy.Files())
	require.NoFileExists(t, filepath.Join(files, "probe.txt"))
	require.FileExists(t, filepath.Join(files, "go.mod"))
	require.Equal(t, test, trees.Current().Project().Test)
}

// A database that refuses what is recorded of the base is no fault of the repository: the thread is told
// nothing, and the next try goes on.
func TestADatabaseThatIsAwayIsNoFaultOfTheRepository(t *testing.T) {
	t.Parallel()
	origin, _ := repotest.NewOrigin(t, repotest.Files{"a.go": "package shop\n"})
	trees := newTrees(t, origin)
	said := func() []store.PostedLine {
		lines, err := trees.Store.Lines(t.Context(), trees.Session().ID)
		require.NoError(t, err)
		return lines
	}
	do := func(sql string) {
		_, err := trees.Store.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	do(`alter table lines add constraint away check (text not like 'Looking into%')`)
	opened, err := trees.Open(t.Context())
	require.ErrorContains(t, err, "away")
	require.False(t, opened)
	require.Empty(t, said())

	do(`alter table lines drop constraint away`)
	opened, err = trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()
	require.Contains(t, said()[0].Text, "Looking into")
}

// A thread whose repository was renamed in the configuration is told so. It is not asked which repository it
// is about: it would not heed the answer.
func TestARepositoryThatIsNotConfiguredAnyMore(t *testing.T) {
	t.Parallel()
	ledger := ledgertest.Open(t, nil)
	require.NoError(t, ledger.Record(t.Context(), store.Update{
		Change: func(s *workflow.Session) { s.Repository, s.BaseCommit = "shop", "base" },
	}))
	named := func(name string) repository.Repository {
		return repository.Repository{Remote: remote.Remote{Name: name}}
	}
	for _, c := range []struct {
		configured []repository.Repository
		more       string
		buttons    int
	}{
		{nil, "", 0},
		{[]repository.Repository{named("store")}, "", 0},
		{[]repository.Repository{named("store"), named("site")}, " Or choose another one.", 1},
	} {
		trees := &Trees{Ledger: ledger, Catalog: &catalog.Catalog{Ledger: ledger, Repositories: c.configured}}
		opened, err := trees.Open(t.Context())
		require.NoError(t, err)
		require.False(t, opened)
		var said string
		require.NoError(t, ledger.Store.Pool.QueryRow(t.Context(),
			`select text from lines order by id desc limit 1`).Scan(&said))
		require.Equal(t, "This thread is about shop, which the configuration does not name any more. "+
			"My operator can put it back under that name; then reply here."+c.more, said)
		var buttons int
		require.NoError(t, ledger.Store.Pool.QueryRow(t.Context(),
			`select count(*) from buttons where action_id = 'change_repository'`).Scan(&buttons))
		require.Equal(t, c.buttons, buttons)
	}
}

// A machine takes over a session that began on another one, at a commit that is newer
// than this machine's mirror.
func TestAnOlderMirrorFetchesTheBase(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	origin, made := repotest.NewOrigin(t, repotest.Files{"a": "old\n"}, repotest.Files{"a": "new\n"})
	remotetest.RunGit(t, origin, "update-ref", "refs/heads/main", made[0])
	trees := newTrees(t, origin)
	mirror, err := trees.Mirrors.Open(t.Context(), trees.Catalog.Repositories[0].Remote)
	require.NoError(t, err)
	require.False(t, mirror.Commits().Has(made[1]))
	remotetest.RunGit(t, origin, "update-ref", "refs/heads/main", made[1])
	require.NoError(t, trees.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
		s.Repository = "shop"
		s.BaseCommit = made[1]
	}}))

	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()
	require.Equal(t, made[1], trees.Current().Copy.Base())
}

// The base branch was rewritten since the session began, and this machine's mirror never had the session's
// base. The remote is asked for it by its hash. If it does not give it, the thread is told what helps, and no
// files are made at another commit.
func TestABaseThatNoBranchLeadsTo(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	origin, made := repotest.NewOrigin(t, repotest.Files{"a": "old\n"}, repotest.Files{"a": "new\n"})
	remotetest.RunGit(t, origin, "update-ref", "refs/heads/main", made[0])
	trees := newTrees(t, origin)
	require.NoError(t, trees.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
		s.Repository = "shop"
		s.BaseCommit = made[1]
	}}))

	for _, asked := range []bool{false, true} {
		// at first the remote gives only what it lists; then it is asked, and refuses
		remotetest.RunGit(t, origin, "config", "uploadpack.allowReachableSHA1InWant", fmt.Sprint(asked))
		opened, err := trees.Open(t.Context())
		require.NoError(t, err)
		require.False(t, opened)
		var said string
		require.NoError(t, trees.Store.Pool.QueryRow(t.Context(),
			`select text from lines order by id desc limit 1`).Scan(&said))
		require.Equal(t, "I cannot get at the repository: the commit "+made[1][:12]+
			" is on no branch or tag there any more, and the remote does not give it."+
			" Somebody who has it can push a tag of it. Reply here when it is fixed, and I try again.", said)
	}
	mirror, err := trees.Mirrors.Open(t.Context(), trees.Catalog.Repositories[0].Remote)
	require.NoError(t, err)
	_, err = trees.openWorkspace(t.Context(), &Checkout{Mirror: mirror})
	require.Error(t, err)
	require.NoDirExists(t, trees.Folder("work"))

	remotetest.RunGit(t, origin, "config", "uploadpack.allowAnySHA1InWant", "true")
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()
	require.Equal(t, made[1], trees.Current().Copy.Base())
}

// A worker changed how the project is tested, and a later turn opens the files. The base's command counts,
// also after a push; only if the base has none, the one that the work brings does.
func TestWorkDoesNotDecideHowItIsTested(t *testing.T) {
	t.Parallel()
	tested := repotest.Files{"package.json": `{"scripts": {"test": "mocha a && mocha b"}}`}
	untested := repotest.Files{"package.json": "{}"}
	const narrowed = `{"scripts": {"test": "mocha a"}}`
	for name, c := range map[string]struct {
		base   repotest.Files
		work   string
		pushed bool
		want   string // what the command contains; empty: there is none
	}{
		"invalid":            {tested, "{", false, "mocha b"},
		"narrowed":           {tested, narrowed, false, "mocha b"},
		"narrowed, pushed":   {tested, narrowed, true, "mocha b"},
		"first tests":        {untested, narrowed, false, "npm test"},
		"first tests pushed": {untested, narrowed, true, "npm test"},
		"none":               {untested, "{", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin, made := repotest.NewOrigin(t, c.base)
			trees := newTrees(t, origin)
			report := storetest.RecordReport(t, trees.Turn, 1, "a is off")
			p := storetest.Permission("p", workflow.PermitReport, 1)
			p.User = "ann"
			require.NoError(t, trees.Record(t.Context(), consent.Permission{Permission: *p},
				consent.Approval{
					ID:         "a",
					Revision:   1,
					ReportHash: report.Hash(),
					User:       p.User,
					UserName:   p.UserName,
					MessageTS:  p.MessageTS,
				},
				store.Update{Events: []workflow.Event{workflow.EventApprove}}))
			require.NoError(t, trees.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
				s.Repository = "shop"
				s.BaseCommit = made[0]
			}}))
			open := func() {
				opened, err := trees.Open(t.Context())
				require.NoError(t, err)
				require.True(t, opened)
			}
			open()
			require.NoError(t, os.WriteFile(filepath.Join(trees.Current().Work.Files(), "package.json"),
				[]byte(c.work), 0o644))
			require.NoError(t, trees.RecordTree(t.Context(), trees.Current().Work, 0))
			if c.pushed {
				head, err := trees.Current().Work.Commit(t.Context(), git.CommitSpec{
					Message: "Narrow the tests",
					When:    time.Now(),
				})
				require.NoError(t, err)
				require.NoError(t, trees.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
					s.Head = head
					s.Branch = "bobbin/a"
					s.Revision = 0
					s.Phase = workflow.PhaseDone
				}}))
			}
			trees.Close()

			open()
			defer trees.Close()
			shown, err := os.ReadFile(filepath.Join(trees.Current().Copy.Files(), "package.json"))
			require.NoError(t, err)
			require.Equal(t, c.work, string(shown))
			if c.want == "" {
				require.Empty(t, trees.Current().Project().Test)
			} else {
				require.Contains(t, trees.Current().Project().Test, c.want)
			}
		})
	}
}

// newTrees returns the Trees of a new session of the repository at origin.
func newTrees(t *testing.T, origin string) *Trees {
	t.Helper()
	ledger := ledgertest.Open(t, nil)
	ledger.Dir = t.TempDir()
	shop := repository.Repository{Remote: remote.Remote{Name: "shop", URL: origin}}
	return &Trees{
		Ledger:    ledger,
		Snapshots: &Snapshots{Ledger: ledger},
		Catalog:   &catalog.Catalog{Ledger: ledger, Repositories: []repository.Repository{shop}},
		Folders:   &folder.Folders{Dir: ledger.Dir},
		Mirrors:   repotest.OpenMirrors(t),
	}
}

// A question that is asked in a stopped thread opens the repository, too. If that fails, the session stays
// stopped, and the words of people who may not let it go on are held back as before.
func TestAStoppedSessionStaysStoppedWithoutItsRepository(t *testing.T) {
	t.Parallel()
	for _, was := range []workflow.Phase{workflow.PhaseExploring, workflow.PhaseStopped} {
		trees := newTrees(t, filepath.Join(t.TempDir(), "gone"))
		then := workflow.PhasePaused
		if was == workflow.PhaseStopped {
			then = was
			require.NoError(t,
				trees.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
		}
		opened, err := trees.Open(t.Context())
		require.NoError(t, err)
		require.False(t, opened)
		require.Equal(t, then, trees.Session().Phase)
	}
}
