package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOneProcessIsKilledForMemory has a command of which one process needs more memory than the limit. Where
// the kernel counts memory, KillOne lets the others go on.
func TestOneProcessIsKilledForMemory(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		run := func(one bool, after string) (string, Used, error) {
			c := s.Command(workspace(t, s), "sh", "-c",
				"head -c 400000000 /dev/zero | tail; echo $?; sleep $1; echo went on", "sh", after)
			c.Limits = Limits{Memory: 128 << 20, Time: time.Minute}
			c.KillOne = one
			out, err := output(t, c)
			return out, c.Used, err
		}
		out, _, err := run(false, "60") // the control
		require.Equal(t, "memory", reason(t, err))
		require.NotContains(t, out, "went on")
		if !strings.Contains(s.Describe(), "memory") || s.Kind() == KindDocker || s.Kind() == KindGVisor {
			return // the kernel does not count the memory of single processes here
		}
		out, used, err := run(true, "0")
		require.NoError(t, err)
		require.Contains(t, out, "137\nwent on")
		require.Equal(t, 1, used.Killed)
	})
}

func TestWhatACommandNeededIsMeasured(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "sh", "-c",
			"head -c 60000000 /dev/zero | (tail -c 60000000 | (sleep 0.5; cat >/dev/null)); sleep 0.3")
		require.NoError(t, c.Run(t.Context()))
		if s.Kind() == KindDocker {
			return // the engine counts it
		}
		require.Greater(t, c.Used.Memory, int64(40<<20))
		require.Less(t, c.Used.Memory, int64(1<<30))
		require.GreaterOrEqual(t, c.Used.Processes, 3)
		require.Zero(t, c.Used.Killed)
	})
}

func TestCommandLinesRunInBashWhereItIsInstalled(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		if s.Shell(t.Context(), dir) == "sh" {
			// The machine has only sh, and then commands run in that.
			t.Skip("there is no bash here")
		}
		require.Equal(t, "bash", s.ShellName(context.Background(), dir))
		line := "set -o pipefail; false | true; echo ${PIPESTATUS[0]} $?; echo $1"
		out, err := output(t, s.ShellCommand(t.Context(), dir, line, "a b"))
		require.NoError(t, err)
		require.Equal(t, "1 1\na b", strings.TrimSpace(out))
		_, err = output(t, s.Command(dir, "dash", "-c", line)) // the control
		require.Error(t, err)
	})
}
