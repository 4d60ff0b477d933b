package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/diskwatch"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/probe"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// A mark is an argument that identifies processes on the machine.
type mark string

var marks atomic.Int64

func newMark() mark { return mark(fmt.Sprintf("%d.%d", 100000+os.Getpid(), marks.Add(1))) }

// script returns a script that starts six processes that outlive it, in different ways, and then runs end.
func (m mark) script(end string) string {
	return strings.ReplaceAll(`sleep MARK & setsid sleep MARK & nohup sleep MARK >/dev/null 2>&1 &
(sleep MARK &) ; (setsid sh -c 'sleep MARK & sleep MARK' &)
until [ "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -cx MARK)" -ge 6 ]; do :; done
`, "MARK", string(m)) + end
}

// alive returns the number of processes with the mark, on the whole machine.
func (m mark) alive() int { return len(m.pids()) }

func (m mark) pids() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		line, _ := os.ReadFile(file)
		if bytes.HasSuffix(line, []byte("sleep\x00"+string(m)+"\x00")) {
			var pid int
			fmt.Sscanf(file, "/proc/%d/", &pid) //nolint:errcheck // the glob matched
			pids = append(pids, pid)
		}
	}
	return pids
}

// beParent runs a command with children that would outlive it, until this process is killed.
func beParent(kind string) {
	s, err := Open(ctxForever, configOf(kind))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := s.Command(os.Args[1], "sh", "-c", mark(strings.TrimPrefix(os.Args[2], "mark:")).script("echo ready; exec sleep 600"))
	c.Stdout, c.Stderr, c.Limits.Time = os.Stdout, os.Stderr, time.Hour
	fmt.Fprintln(os.Stderr, c.Run(ctxForever))
	os.Exit(1)
}

// killParent starts a program that runs commands, kills it, and returns when it is dead. alive returns how
// many of the processes below it are still alive.
func killParent(t *testing.T, kind string, m mark) (alive func() int) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, opened()[KindNamespaces].Own(dir))
	parent := exec.Command("/proc/self/exe", dir, "mark:"+string(m)) // not the mark itself, which would be counted
	parent.Env = append(os.Environ(), "BOBBIN_TEST_PARENT="+kind)
	ready := make(writes, 8)
	parent.Stdout, parent.Stderr = ready, os.Stderr
	require.NoError(t, parent.Start())
	t.Cleanup(func() { parent.Process.Kill() }) //nolint:errcheck // it is dead, unless the test failed
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Error("the parent never got ready")
	}
	if kind != KindGVisor { // gVisor's processes have other names outside
		// A process that just executes another program has no command line for a moment.
		require.Eventually(t, func() bool { return m.alive() >= 6 }, time.Minute, 10*time.Millisecond)
	}
	started := map[int]string{}
	for _, pid := range process.Subtree(parent.Process.Pid) {
		started[pid] = process.StartTime(pid)
	}
	require.GreaterOrEqual(t, len(started), 2)
	require.NoError(t, parent.Process.Kill())
	parent.Process.Wait() //nolint:errcheck // it was killed
	return func() int {
		n := m.alive()
		for pid, at := range started {
			if process.StartTime(pid) == at && probe.CheckStatus(fmt.Sprintf("/proc/%d/status", pid), "State", "Z (zombie)") != nil {
				n++
			}
		}
		return n
	}
}

func TestKillOfTheProgramLeavesNothing(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		m := newMark()
		alive := killParent(t, s.Kind(), m)
		require.Eventually(t, func() bool { return alive() == 0 }, time.Minute, 10*time.Millisecond)
	})
}

// The control: without a process name space, child processes outlive the program.
func TestKillOfTheProgramLeavesProcessesWithoutASandbox(t *testing.T) {
	t.Parallel()
	m := newMark()
	t.Cleanup(func() {
		for _, pid := range m.pids() {
			syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // they are ours
		}
	})
	alive := killParent(t, KindNone, m)
	require.NotZero(t, alive())
}

// Bombs for which the table of bombs has no control.
func TestSmallBombs(t *testing.T) {
	small := Limits{Time: 10 * time.Minute, Memory: 128 << 20, Processes: 64, FileSize: 8 << 20, Output: 1 << 20}
	cases := map[string]struct {
		script string
		reason string
		says   string
	}{
		"file size": {"head -c 20000000 /dev/zero > big; s=$?; stat -c %s big; exit $s", "", "8388608"},
		"stopped":   {"kill -STOP $$", "time", ""},
		"files":     {"i=0; while : > /tmp/$i; do i=$((i+1)); done 2>/dev/null; exit 1", "time", ""},
	}
	everyKind(t, func(t *testing.T, s *Sandbox) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				cmd := s.Command(workspace(t, s), "sh", "-c", c.script)
				cmd.Limits = small
				if c.reason == "time" {
					// The kernel's memory for the files counts, too: a quick machine reaches 128 MB in half a second.
					cmd.Limits.Time, cmd.Limits.Memory = 500*time.Millisecond, 4<<30
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				err := cmd.Run(t.Context())
				require.Equal(t, c.reason, reason(t, err), out.String())
				require.Contains(t, out.String(), c.says)
			})
		}
	})
}

// A fork bomb is stopped by the limit on processes, and the machine stays usable.
func TestForkBomb(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		m := newMark()
		c := s.Command(workspace(t, s), "bash", "-c", fmt.Sprintf("f(){ f|f& }; for i in $(seq 300); do sleep %s & done 2>/dev/null; f; sleep 60", m))
		c.Limits = Limits{Processes: 64, Time: time.Second}
		_, err := output(t, c)
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		require.NotZero(t, exit.Code)
		require.Zero(t, m.alive())
	})
}

func TestOutputIsCutAtTheLimit(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		var got bytes.Buffer
		c := s.Command(workspace(t, s), "yes")
		c.Stdout, c.Limits.Output = &got, 100_000
		require.Equal(t, "output", reason(t, c.Run(t.Context())))
		require.Equal(t, 100_000, got.Len())
	})
}

// Output of exactly the limit is allowed.
func TestOutputUpToTheLimit(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		var got bytes.Buffer
		c := s.Command(workspace(t, s), "head", "-c", "100000", "/dev/zero")
		c.Stdout, c.Limits.Output = &got, 100_000
		require.NoError(t, c.Run(t.Context()))
		require.Equal(t, 100_000, got.Len())
	})
}

func TestManyAtOnce(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		results := make(chan error, 20)
		for range cap(results) {
			go func() {
				c := s.Command(dir, "sh", "-c", "sleep 0.05; exit 5")
				results <- c.Run(t.Context())
			}()
		}
		for range cap(results) {
			var exit *ExitError
			require.ErrorAs(t, <-results, &exit)
			require.Equal(t, 5, exit.Code)
		}
	})
}

// On a busy machine the kernel may kill a command for its processor time before this program's clock does.
func TestWhatIsKilledAfterItsTimeHadNoTimeLeft(t *testing.T) {
	t.Parallel()
	e := &execution{job: &backend.Job{Limits: Limits{Time: time.Minute}}, disk: diskwatch.New(diskwatch.Limits{}), began: time.Now().Add(-time.Hour)}
	require.Equal(t, "time", e.lateExcess(true))
	require.Empty(t, e.lateExcess(false), "it ended by itself")
	e.began = time.Now()
	require.Empty(t, e.lateExcess(true), "it had time left")
}
