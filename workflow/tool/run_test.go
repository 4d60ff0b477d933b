package tool

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// newRunning returns an Env whose commands run in the machine's real sandbox.
func newRunning(t testing.TB, tree files) *Env {
	t.Helper()
	b := newEnv(t, tree)
	s, err := sandbox.Open(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	b.Sandbox = s
	require.NoError(t, s.Own(b.Workspace.Files()))
	b.Checker = (&build.Checker{Caches: build.Caches{Sandbox: s, Dir: t.TempDir()}}).For(b.Mirror)
	return b
}

func TestRun(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "hello\n"})
	for _, c := range []struct {
		name    string
		command string
		want    string
	}{
		{"output", "cat a.txt; pwd", "exit code 0\nhello\n/src"},
		{"a pipe", "(echo hello; exit 1) | tail -1", "exit code 0 (that of `tail -1`, whatever came before it)\nhello"},
		{"no output", "true", "exit code 0\n(no output)"},
		{"exit code", "echo no >&2; exit 3", "exit code 3\nno"},
		{"both streams in order", "echo 1; echo 2 >&2; echo 3", "exit code 0\n1\n2\n3"},
		{"colours", `printf '\033[31mred\033[0m \033]0;title\007and\033]8;;http://x\033\\link\n'`, "exit code 0\nred andlink"},
		{"progress", `printf '10%%\r50%%\r100%%\nnext\r\n'`, "exit code 0\n100%\nnext"},
		{"not UTF-8", `printf 'caf\351\000x\n'`, "exit code 0\ncaf\ufffdx"},
		{"a signal", "kill -9 $$", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := b.ok(t, "run", args{"command": c.command})
			if c.want != "" {
				require.Equal(t, c.want, text)
			}
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\x1b")
		})
	}
	require.Contains(t, b.refused(t, "run", args{"command": "  "}), "empty")
	require.Contains(t, b.refused(t, "run", args{"command": "true\x00"}), "NUL")
}

func TestRunSeesEditsAndMayChangeWhatToolsWrote(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "hello\n"})
	b.ok(t, "write_file", args{"path": "new/b.txt", "content": "b\n"})
	require.Equal(t, "exit code 0\nb", b.ok(t, "run", args{"command": "cat new/b.txt && echo more >> new/b.txt && touch new/c"}))
	require.Contains(t, b.refused(t, "edit_file", args{"path": "new/b.txt", "old": "b", "new": "c"}), "changed since it was read")
}

func TestRunKeepsTheWholeOutput(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	text := b.ok(t, "run", args{"command": "seq 100000"})
	require.Less(t, utf8.RuneCountInString(text), 2*outputEnd+300)
	require.True(t, strings.HasPrefix(text, "exit code 0\n1\n2\n"))
	require.Contains(t, text, "\n100000\n[the whole output: read_file or search with path output:run-1.txt]")
	require.Contains(t, b.ok(t, "read_file", args{"path": "output:run-1.txt", "offset": 50_000, "limit": 1}), "50000\t50000\n")
	require.Equal(t, "output:run-1.txt:77777: 77777\n", b.ok(t, "search", args{"path": "output:run-1.txt", "pattern": "^77777$"}))
	other := &Env{Workspace: b.Workspace, OutputDir: b.OutputDir}
	require.Contains(t, other.ok(t, "read_file", args{"path": "output:run-1.txt"}), "400\t400\n", "another agent of the session, or the same one after a restart")
	b.ok(t, "run", args{"command": "echo short"})
	entries, err := os.ReadDir(b.OutputDir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "only what was cut is kept")
	for _, p := range []string{"output:run-2.txt", "output:../session/files/a.txt", "output:/etc/passwd", "output:"} {
		require.Contains(t, b.refused(t, "read_file", args{"path": p}), "no kept output")
	}
}

func TestRunIsStoppedInTime(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	text := b.ok(t, "run", args{"command": "echo begun; sleep 6000", "timeout_seconds": 5})
	require.Contains(t, text, "stopped after 5 s, still running")
	require.Contains(t, text, "begun")
}

// A command that uses too much is stopped. The model reads one line that says what it used too much of and
// what to do, and the next command works.
func TestRunSaysWhatWasTooMuch(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	b.limits = sandbox.Limits{Memory: 96 << 20, Output: 1 << 20, Disk: 4 << 20, Files: 500}
	for command, want := range map[string]string{
		`perl -e 'while (1) { push @a, "x" x (1 << 20) }'`: "stopped: it used more memory than it may (96.0 MB, all its processes together)",
		"yes": "stopped: it printed more than it may (1.0 MB)",
		// Both write less than the limit of memory: where the workspace is in memory, its files count as memory,
		// and a busy machine measures the disk late.
		"for i in $(seq 20); do head -c 1000000 /dev/zero > $i; done; sleep 6000": "stopped: it wrote more to the disk than one command may (4.0 MB); what it wrote is still there: remove what is not needed",
		"mkdir many; for i in $(seq 700); do : > many/$i; done; sleep 6000":       "stopped: it made more files and folders than one command may (500); they are still there: remove what is not needed",
		"trap '' TERM INT HUP; while :; do :; done":                               "stopped after 1 s, still running: run less, or give timeout_seconds (at most 600)",
	} {
		in := args{"command": command}
		if strings.HasPrefix(want, "stopped after") {
			in["timeout_seconds"] = 1
		}
		line, _, _ := strings.Cut(b.ok(t, "run", in), "\n")
		require.Equal(t, want, line)
		require.Equal(t, "exit code 0\nfine", b.ok(t, "run", args{"command": "rm -rf many [0-9]*; echo fine"}))
	}
	b.limits = sandbox.Limits{} // the control
	for _, command := range []string{
		`perl -e 'push @a, "x" x (1 << 20) for 1..120'`, "yes | head -c 2000000 | tail -c 1",
		"for i in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > $i; done", "for i in $(seq 700); do echo > $i; done",
	} {
		require.Contains(t, b.ok(t, "run", args{"command": command}), "exit code 0")
	}
}

// A call of run stores how much a command printed in total, not how much of it is shown.
func TestRunTellsHowMuchWasPrinted(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	for command, printed := range map[string]int64{"head -c 1000000 /dev/zero; echo 1 >&2": 1_000_002, "true": 0} {
		r, err := b.try(t.Context(), "run", args{"command": command})
		require.NoError(t, err)
		require.Len(t, r.Writes, 1)
		ran, _ := r.Writes[0].(CommandRun)
		require.Equal(t, command, ran.Command)
		require.Equal(t, printed, ran.Printed)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := b.try(ctx, "run", args{"command": "sleep 6000"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	entries, _ := os.ReadDir(b.OutputDir)
	require.Empty(t, entries)
}

func TestRunWithoutASandbox(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "x\n"})
	b.SandboxOff = "user namespaces are switched off on this machine; set kernel.unprivileged_userns_clone=1."
	want := "here: user namespaces are switched off on this machine; set kernel.unprivileged_userns_clone=1. Go on by reading"
	require.Contains(t, b.refused(t, "run", args{"command": "true"}), "Commands cannot be run "+want)
	require.Contains(t, b.refused(t, "check", nil), "Checks cannot be run "+want)
}
