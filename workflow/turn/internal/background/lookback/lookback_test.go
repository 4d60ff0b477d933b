package lookback

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A scene is a session about a repository whose file n holds the number of its commit, and a Looker.
type scene struct {
	*Looker
	t       *testing.T
	turn    *store.Turn
	commits []string
}

func open(t *testing.T) *scene {
	t.Helper()
	return openWith(t, nil)
}

// openWith returns a scene in which some commits, by number, also change other files.
func openWith(t *testing.T, changed map[int]repotest.Files) *scene {
	t.Helper()
	s := &scene{t: t}
	st := storetest.Open(t)
	s.turn = storetest.BeginTurn(t, st)
	require.NoError(t, s.turn.Record(t.Context(), inbox.Handled{ID: 1, ForAgents: true}))
	var trees []repotest.Files
	for n := range 12 {
		trees = append(trees, repotest.Files{"n": fmt.Sprintln(n)}.With(changed[n]))
	}
	dir := t.TempDir()
	var err error
	s.commits, err = repotest.Origin(filepath.Join(dir, "origin"), trees...)
	require.NoError(t, err)
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: storetest.Silent}
	t.Cleanup(func() { mirrors.Close() })
	s.Looker = &Looker{
		Store:     st,
		Mirrors:   mirrors,
		Limit:     time.Hour,
		Signature: "orchestrator",
		Log:       storetest.Silent,
		Repositories: []repository.Repository{
			{
				Remote:   remote.Remote{Name: "shop", URL: filepath.Join(dir, "origin")},
				Releases: []string{"main"},
			},
		},
		Checker: &build.Checker{Caches: build.Caches{
			Sandbox: repotest.OpenSandbox(t),
			Dir:     filepath.Join(dir, "cache"),
			Log:     storetest.Silent,
		}},
	}
	return s
}

// ask asks for a look back from the newest commit.
func (s *scene) ask(revision int, command string) *workflow.Lookback {
	s.t.Helper()
	part, err := BeforeFix("shop", workflow.Report{Revision: revision, BaseCommit: s.commits[11]}, past.Probe{
		Command: command,
		Code:    1,
	})
	require.NoError(s.t, err)
	require.NoError(s.t, s.turn.Record(s.t.Context(), part))
	row, err := s.Store.OpenLookback(s.t.Context(), s.turn.Session().ID)
	require.NoError(s.t, err)
	return row
}

func (s *scene) run() { require.NoError(s.t, s.Run(s.t.Context(), s.turn.Session().ID)) }

func (s *scene) said() (lines []string) {
	all, err := s.Store.Lines(s.t.Context(), s.turn.Session().ID)
	require.NoError(s.t, err)
	for _, l := range all {
		lines = append(lines, l.Text)
	}
	return lines
}

const redFrom5 = `test "$(cat n)" -lt 5`

func TestALookBackIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask(1, redFrom5)
	s.run()
	want := fmt.Sprintf("Red since `%s` (2023-11-14, \"a tree\") by Ada, by the reproduction.\n"+
		"Also red on main.", s.commits[5][:7])
	require.Equal(t, []string{want}, s.said())
	s.run()
	require.Len(t, s.said(), 1)

	s.ask(1, redFrom5) // the same key is not asked for again
	s.run()
	s.ask(2, redFrom5) // the result of a newer look back is posted only if it is new
	s.run()
	require.Len(t, s.said(), 1)
	done, err := s.Store.LookbacksDone(t.Context(), s.turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, done, 2)
	require.Equal(t, s.commits[5], done[1].Found.First)
}

// A command may print a secret of the commit that it runs on, whose private files may
// differ from those of the base.
func TestALookBackMasksTheSecretsOfEachCommit(t *testing.T) {
	t.Parallel()
	s := openWith(t, map[int]repotest.Files{
		0: {".env": "DB_PASSWORD=moss-covered-bucket\n"},
		9: {".env": "DB_PASSWORD=fern-covered-basket\n"},
	})
	s.Secrets = redact.New()
	row := s.ask(1, `n=$(cat n); test $n -lt 3 || { test $n -lt 9 && $(cut -d= -f2 .env); }`)
	s.run()
	require.Len(t, s.said(), 1)
	require.Contains(t, s.said()[0],
		"6 commits between them could not be told ([masked: configured] is not installed)")
	tries, err := s.Store.LookbackTries(t.Context(), row.ID)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(tries), "bucket")
}

// In a repository of several projects the packages are those of the folder that the work is limited to. The
// project at the top names none.
func TestALookBackHasThePackagesOfItsFolder(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	of := packagestest.Files()
	s := openWith(t, map[int]repotest.Files{
		0: {
			"go.mod":               "module example.com/all\n\ngo 1.24\n",
			"services/cart/go.mod": of["go.mod"],
			"services/cart/go.sum": of["go.sum"],
			"services/cart/a.go":   of["a.go"],
		},
	})
	s.Repositories[0].Scope = "services/cart"
	s.Repositories[0].Setup.Env = packagestest.Mirrors()
	s.Checker.Caches.ModuleCache = "-"
	s.Checker.Caches.Packages = &packages.Fetcher{
		Sandbox: s.Checker.Caches.Sandbox,
		Network: packagestest.New(t),
	}
	s.ask(1, `test -d "$GOMODCACHE/example.com/greet@v1.0.0" || exit 9; `+redFrom5)
	s.run()
	require.Len(t, s.said(), 1)
	require.Contains(t, s.said()[0], "Red since `"+s.commits[5][:7])
}

// A run that was recorded before a restart is not repeated: the recorded answers, which no run would
// give, are used.
func TestAnAnswerThatIsKeptIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	s := open(t)
	row := s.ask(1, redFrom5)
	for _, nth := range []int{1, 2} {
		require.NoError(t, s.Store.KeepLookbackTry(t.Context(), row.ID,
			workflow.LookbackTry{Commit: s.commits[4], Nth: nth, Answer: string(past.Red)}, nil))
	}
	s.run()
	require.Contains(t, s.said()[0], s.commits[4][:7])
	tries, err := s.Store.LookbackTries(t.Context(), row.ID)
	require.NoError(t, err)
	require.Less(t, len(tries), 12)
}

func TestALookBackEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	row := s.ask(1, redFrom5)
	s.Limit = time.Minute
	require.NoError(t, s.Store.KeepLookbackTry(t.Context(), row.ID,
		workflow.LookbackTry{Commit: s.commits[11], Nth: 1, Answer: string(past.Red), TookMS: 1}, nil))
	require.NoError(t, s.Store.KeepLookbackTry(t.Context(), row.ID, workflow.LookbackTry{
		Commit: s.commits[10],
		Nth:    1,
		Answer: string(past.Red),
		TookMS: time.Minute.Milliseconds(),
	}, nil))
	s.run()
	require.Equal(t, []string{"Also red on main."}, s.said(), "no commit and no person is named")
}

// A stop ends a look back whose command is running.
func TestAStopEndsALookBack(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.ask(1, `while :; do :; done`)
	ended := make(chan error)
	go func() { ended <- s.Run(t.Context(), s.turn.Session().ID) }()
	require.NoError(t, s.turn.Record(t.Context(), progress.StoppedLookbacks{}))
	require.NoError(t, <-ended)
	require.Empty(t, s.said())
}

// A look back that was ended posts nothing, even if it came to a result meanwhile. The control is a
// look back that is open.
func TestWhatWasEndedIsNotSaid(t *testing.T) {
	t.Parallel()
	s := open(t)
	row := s.ask(1, redFrom5)
	require.NotEqual(t, row.ID, s.ask(2, redFrom5).ID, "a newer one takes its place")
	line := workflow.Line{Agent: "orchestrator", Text: "Red since yesterday."}
	require.NoError(t, s.Store.EndLookback(t.Context(), *row, workflow.LookbackFound{}, line))
	require.Empty(t, s.said())
	_, err := s.Store.Pool.Exec(t.Context(), `update lookbacks set state = 'open'`)
	require.NoError(t, err)
	require.NoError(t, s.Store.EndLookback(t.Context(), *row, workflow.LookbackFound{}, line))
	require.Equal(t, []string{"Red since yesterday."}, s.said())
}

func TestWordsOfStrangersEndNoQuote(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a 'b' c 'd' <!channel>", quoted("a `b` c\n\"d\" <!channel>", 80))
	require.Less(t, len(quoted(strings.Repeat("x", 500), 80)), 90)
	require.Equal(t, "Also red on a; green on b, c; cannot be told on d (does not build).",
		whereElse([]workflow.ReleaseVerdict{
			{Name: "a", Answer: "red"},
			{Name: "b", Answer: "green"},
			{Name: "d", Answer: "unclear", Why: "does not build"},
			{Name: "c", Answer: "green"},
		}))
	require.Empty(t, whereElse(nil))
}
