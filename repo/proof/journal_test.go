package proof

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// The environment variables of the process of TestAProofGoesOnAfterAKill that is killed.
const (
	killedAtVar = "BOBBIN_TEST_KILLED_AT" // the number of the command in which it dies
	placeVar    = "BOBBIN_TEST_PLACE"     // the folder of its journal and of its caches
)

// dyingLog ends the process when a number of commands is written.
type dyingLog struct {
	bytes.Buffer
	left int // 0: never
}

// Write counts the commands. A command is written when it has ended, before its result is kept.
func (l *dyingLog) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if !strings.HasPrefix(line, "$ ") {
			continue
		}
		if l.left--; l.left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	return l.Buffer.Write(p)
}

func (l *dyingLog) commands() int { return strings.Count("\n"+l.String(), "\n$ ") }

// provePlace proves a fix in shell, with everything that lasts in the folder place. Without keep there is no
// journal.
func provePlace(t *testing.T, place string, keep bool, log *dyingLog) (Proof, []build.TakenRun) {
	t.Helper()
	origin := filepath.Join(place, "origin")
	if _, err := os.Stat(origin); err != nil {
		_, err := repotest.Origin(origin, repotest.Files{
			"sum.sh":  "echo 3\n",
			"test.sh": "echo ok 1 - starts\necho 1..1\n",
		})
		require.NoError(t, err)
	}
	m, err := repotest.OpenMirrors(t).Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
	require.NoError(t, err)
	base, err := m.Commits().Resolve("main")
	require.NoError(t, err)
	w := repotest.NewWorkspace(t, m, base, repotest.Files{
		"sum.sh": "echo 4\n",
		"test.sh": "echo ok 1 - starts\n[ $(sh sum.sh) = 4 ] && echo ok 2 - sums || echo not ok 2 - sums\n" +
			"echo 1..2\n",
	})
	c := checker(t)
	c.Caches.Dir = filepath.Join(place, "cache")
	c = c.For(m).LogTo(log)
	journal := build.OpenJournal(place, "runs")
	if keep {
		c = c.KeptIn(journal)
	}
	p, err := Prove(t.Context(), c, w, project.Project{Kind: "shell", Test: "sh test.sh"}, "")
	require.NoError(t, err)
	return p, journal.Taken()
}

// TestAProofGoesOnAfterAKill kills a process in the last run of a proof, and proves in another one. What had
// ended does not run again: the other process runs the commands that are left. BOBBIN_EVERY kills it in each
// run.
func TestAProofGoesOnAfterAKill(t *testing.T) {
	if at := os.Getenv(killedAtVar); at != "" {
		provePlace(t, os.Getenv(placeVar), true, &dyingLog{left: len(at)})
		return
	}
	t.Parallel()
	whole := &dyingLog{}
	want, _ := provePlace(t, t.TempDir(), false, whole)
	require.True(t, want.Passes(), want.Why)
	all := whole.commands()
	require.GreaterOrEqual(t, all, 3)
	for dies := 1; dies <= all; dies++ {
		if dies < all && os.Getenv("BOBBIN_EVERY") == "" {
			continue
		}
		place := t.TempDir()
		killed := exec.Command(os.Args[0], "-test.run=^TestAProofGoesOnAfterAKill$")
		killed.Env = append(os.Environ(), killedAtVar+"="+strings.Repeat("x", dies), placeVar+"="+place)
		out, err := killed.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal(), string(out))

		log := &dyingLog{}
		p, taken := provePlace(t, place, true, log)
		require.Equal(t, want.Lines(), p.Lines())
		require.Equal(t, all, log.commands()+dies-1, "killed in %d of %d", dies, all)
		require.Len(t, taken, max(0, dies-2), "the run of the base is stored for all sessions")

		control := &dyingLog{}
		p, _ = provePlace(t, place, false, control)
		require.Equal(t, want.Lines(), p.Lines())
		require.Equal(t, all-1, control.commands(), "without a journal")
	}
}
