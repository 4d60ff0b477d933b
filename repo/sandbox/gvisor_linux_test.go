package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/gvisor"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/probe"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// If the configured runsc does not exist or is another program, there is no sandbox.
func TestRunscThatIsNotThere(t *testing.T) {
	t.Parallel()
	for path, why := range map[string]string{
		"/no/such/runsc": "runsc is not installed",
		"false":          "runsc --version",
		"true":           "runsc", // it prints nothing, and needs libraries
	} {
		requireUnavailable(t, Config{Kind: KindGVisor, Runsc: path}, why, "runsc")
	}
}

// This test checks what probes inside cannot see: the user of gVisor's processes on the machine, and where a
// way out of gVisor would lead. It does not run in parallel with other tests, because it would see their
// processes, too.
func TestGVisorFromOutside(t *testing.T) {
	s := opened()[KindGVisor]
	if s == nil {
		t.Skip("there is no runsc")
	}
	uid, _ := user.CommandUser()
	dir := workspace(t, s)
	c := s.Command(dir, "sh", "-c", "echo ready; exec sleep 600")
	ready := make(writes, 8)
	c.Stdout, c.Limits.Time = ready, time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	<-ready
	seen := 0
	for _, pid := range treeWith(gvisor.Marker) {
		for _, p := range process.Subtree(pid) {
			file := fmt.Sprintf("/proc/%d/status", p)
			status, err := os.ReadFile(file)
			if err != nil {
				continue // a process that has just ended
			}
			seen++
			require.Contains(t, string(status), fmt.Sprintf("Uid:\t%d\t%d\t%d\t%d\n", uid, uid, uid, uid))
			require.NoFileExists(t, fmt.Sprintf("/proc/%d/root/etc/shadow", p))
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
			if strings.HasPrefix(string(line), "runsc-sandbox") {
				require.NoError(t, probe.CheckStatus(file, "Seccomp", "2"))
				require.NoError(t, probe.CheckStatus(file, "NoNewPrivs", "1"))
				require.NoError(t, probe.CheckStatus(file, "CapEff", "0000000000000000"))
			}
		}
	}
	require.Greater(t, seen, 3)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Empty(t, treeWith(gvisor.Marker), "all of it is gone when Run returns")
}

// treeWith returns the processes below this one whose first argument is the marker.
func treeWith(marker string) (out []int) {
	for _, pid := range process.Subtree(os.Getpid()) {
		line, _ := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "cmdline"))
		if strings.HasPrefix(string(line), marker+"\x00") {
			out = append(out, pid)
		}
	}
	return out
}

// If both streams go to one writer, no byte is lost, even in large writes.
func TestStreamsThatAreOne(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		out, err := output(t, s.Command(workspace(t, s), "python3", "-c", `import os
for i in range(8):
    left = b"x" * (1 << 20)
    while left:
        left = left[os.write(1 + i % 2, left):]`))
		require.NoError(t, err, "%.200s", out)
		require.Len(t, out, 8<<20)
	})
}

// Too many processes end the command. gVisor's kernel does not limit them, so they are counted from outside.
func TestGVisorCountsProcesses(t *testing.T) {
	t.Parallel()
	s := opened()[KindGVisor]
	if s == nil {
		t.Skip("there is no runsc")
	}
	for want, n := range map[string]int{"processes": 80, "": 4} {
		c := s.Command(workspace(t, s), "sh", "-c", fmt.Sprintf("for i in $(seq %d); do sleep 30 & done; sleep 5; exit 3", n))
		c.Limits.Processes = 32
		_, err := output(t, c)
		require.Equal(t, want, reason(t, err))
	}
}
