package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCommandEndsAsItEnds(t *testing.T) {
	cases := map[string]struct {
		script string
		code   int
	}{
		"well":             {"true", 0},
		"badly":            {"exit 3", 3},
		"by a signal":      {"kill -TERM $$", 143},
		"by its own kill":  {"kill -9 $$", 137},
		"not there":        {"exec nosuchprogram", 127},
		"not a program":    {"echo x > f; ./f", 126},
		"by a pipe's end":  {"yes | head -1 >/dev/null", 0},
		"with a large one": {"exit 255", 255},
	}
	everyKind(t, func(t *testing.T, s *Sandbox) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				out, err := shell(t, s, c.script)
				if c.code == 0 {
					require.NoError(t, err, out)
					return
				}
				var exit *ExitError
				require.ErrorAs(t, err, &exit, out)
				require.Equal(t, c.code, exit.Code, out)
				require.Empty(t, exit.Reason)
			})
		}
	})
}

// Config.Ended is called with the result of each command; for a killed command, it is the limit.
func TestHowCommandsEndedIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	c := configOf(KindNone)
	c.Ended = func(how string) { told = append(told, how) }
	s, err := Open(t.Context(), c)
	require.NoError(t, err)
	run := func(ctx context.Context, script string, adjust func(*Cmd)) {
		cmd := s.Command(t.TempDir(), "sh", "-c", script)
		adjust(cmd)
		_ = cmd.Run(ctx)
	}
	plain := func(*Cmd) {}
	run(t.Context(), "true", plain)
	run(t.Context(), "exit 3", plain)
	run(t.Context(), "sleep 600", func(c *Cmd) { c.Limits.Time = 1 })
	run(t.Context(), "yes", func(c *Cmd) {
		c.Stdout = io.Discard
		c.Limits.Output = 1000
	})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	run(stopped, "true", plain)
	require.Equal(t, []string{"ok", "exit", "time", "output", "error"}, told)
}

func TestProgramThatIsMissingIsTheCallersMistake(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		out, err := output(t, s.Command(workspace(t, s), "nosuchprogram"))
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 127, exit.Code)
		require.Contains(t, out, "nosuchprogram")
	})
}

func TestWorkspaceIsShared(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a/b/in"), []byte("given"), 0o644))
		require.NoError(t, s.Own(dir))
		c := s.Command(dir, "sh", "-c", "pwd; cat in; echo made > out")
		c.Dir = "a/b"
		out, err := output(t, c)
		require.NoError(t, err, out)
		require.Equal(t, "/src/a/b\ngiven", out)
		made, err := os.ReadFile(filepath.Join(dir, "a/b/out"))
		require.NoError(t, err)
		require.Equal(t, "made\n", string(made))
	})
}

func TestReadOnlyWorkspace(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "sh", "-c", "touch x")
		c.ReadOnly = true
		out, err := output(t, c)
		require.Error(t, err)
		require.Contains(t, out, "Read-only")
	})
}

func TestMounts(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		read := workspace(t, s)
		write := workspace(t, s)
		require.NoError(t, os.WriteFile(filepath.Join(read, "f"), []byte("given"), 0o644))
		c := s.Command(workspace(t, s), "sh", "-c", "cat /cache/read/f /one; echo x > /cache/write/x; "+
			"! touch /cache/read/x && ! touch /one && ! touch /cache/x")
		c.Mounts = []Mount{
			{Host: write, Inside: "/cache/write", Writable: true},
			{Host: read, Inside: "/cache/read"},
			{Host: filepath.Join(read, "f"), Inside: "/one"},
		}
		out, err := output(t, c)
		require.NoError(t, err, out)
		require.True(t, strings.HasPrefix(out, "givengiven"), out)
		require.FileExists(t, filepath.Join(write, "x"))
	})
}

// A workspace may contain any link. A mount point below it must not follow a link to the outside.
func TestMountDoesNotFollowLinks(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		outside := t.TempDir()
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
		c := s.Command(dir, "true")
		c.Mounts = []Mount{{Host: t.TempDir(), Inside: "/src/link/made"}}
		_, err := output(t, c)
		if s.Kind() != KindDocker { // an engine follows the link, but within the container
			require.Error(t, err)
		}
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}

// Paths and arguments may contain any bytes.
func TestBytesArriveAsTheyAre(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "sh", "-c", `printf '%s|%s' "$1" "$X"; mkdir "$1"`,
			"sh", "a\xff b\n'\"")
		c.Env = []string{"X=\xfe=\xff"}
		out, err := output(t, c)
		require.NoError(t, err)
		require.Equal(t, "a\xff b\n'\"|\xfe=\xff", out)
		c = s.Command(c.Workspace, "pwd")
		c.Dir = "a\xff b\n'\""
		out, err = output(t, c)
		require.NoError(t, err)
		require.Equal(t, "/src/a\xff b\n'\"", out)
	})
}

func TestStreams(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		var stdout, stderr bytes.Buffer
		c := s.Command(workspace(t, s), "sh", "-c", "cat; echo wrong >&2; echo again > /dev/stdout")
		c.Stdin = strings.NewReader("asked\n")
		c.Stdout = &stdout
		c.Stderr = &stderr
		require.NoError(t, c.Run(t.Context()))
		require.Equal(t, "asked\nagain\n", stdout.String())
		require.Equal(t, "wrong\n", stderr.String())
	})
}

func TestStdinThatNeverEnds(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		read, write := io.Pipe()
		defer write.Close()
		c := s.Command(workspace(t, s), "true")
		c.Stdin = read
		require.NoError(t, c.Run(t.Context()))
	})
}

func TestEnvironmentIsCleanAndCanBeAddedTo(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "env")
		c.Env = []string{"A=1", "A=2", "LANG=de", "WITH=a=b c\nd"}
		out, err := output(t, c)
		require.NoError(t, err)
		for _, want := range []string{
			"A=2", "LANG=de", "WITH=a=b c\nd", "HOME=/home/box", "CI=1", "GOPROXY=off", "PAGER=cat",
			"GIT_CONFIG_GLOBAL=/dev/null",
		} {
			require.Contains(t, out, want)
		}
		require.NotContains(t, out, "A=1")
		if root := toolchainRoot(t); root != "" && s.Kind() != KindDocker { // an image has its own toolchains
			require.Contains(t, out, "PATH="+root)
		}
	})
}

func TestNothingStaysBetweenCommands(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		_, err := output(t, s.Command(dir, "sh", "-c", "touch /tmp/x /home/box/x /dev/shm/x"))
		require.NoError(t, err)
		out, err := output(t, s.Command(dir, "sh", "-c", "find /tmp /home/box /dev/shm -name x | grep ."))
		require.Error(t, err, out)
	})
}

func TestTimeEndsTheTree(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		mark := newMark()
		c := s.Command(workspace(t, s), "sh", "-c", mark.script("wait"))
		c.Limits.Time = 300 * time.Millisecond
		_, err := output(t, c)
		require.Equal(t, "time", reason(t, err))
		require.Zero(t, mark.alive(), "when Run returns, all are dead")
	})
}

func TestContextEndsTheTree(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		mark := newMark()
		ctx, cancel := context.WithCancel(t.Context())
		c := s.Command(workspace(t, s), "sh", "-c", mark.script("echo ready; wait"))
		ready := make(writes, 8)
		c.Stdout = ready
		go func() {
			<-ready
			cancel()
		}()
		err := c.Run(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, mark.alive())
	})
}

// If ctx ends at any moment, even during the setup, Run returns and no process is left. BOBBIN_EVERY tries
// each millisecond of the first 40 instead of every fifth.
func TestContextEndsAtAnyMoment(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		dir := workspace(t, s)
		mark := newMark()
		step := 5
		if every {
			step = 1
		}
		for i := 0; i < 40; i += step {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
			err := s.Command(dir, "sleep", string(mark)).Run(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Zero(t, mark.alive())
			cancel()
		}
	})
}

func TestContextThatHasEnded(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.Command(workspace(t, s), "true").Run(ctx), context.Canceled)
	})
}

// Background processes end with the command, and do not delay Run.
func TestBackgroundEndsWithTheCommand(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		mark := newMark()
		out, err := output(t, s.Command(workspace(t, s), "sh", "-c", mark.script("echo done")))
		require.NoError(t, err)
		require.Equal(t, "done", out)
		require.Zero(t, mark.alive())
	})
}

func TestMistakesOfTheCaller(t *testing.T) {
	s := opened()[KindNamespaces]
	dir := t.TempDir()
	cases := map[string]*Cmd{
		"no command":            s.Command(dir),
		"empty command":         s.Command(dir, ""),
		"no workspace":          s.Command(filepath.Join(dir, "none"), "true"),
		"zero byte":             s.Command(dir, "echo", "a\x00b"),
		"outside the workspace": {sandbox: s, Workspace: dir, Args: []string{"true"}, Dir: "../x"},
		"relative mount": {
			sandbox:   s,
			Workspace: dir,
			Args:      []string{"true"},
			Mounts:    []Mount{{Host: "x", Inside: "/x"}},
		},
		"mount on the root": {
			sandbox:   s,
			Workspace: dir,
			Args:      []string{"true"},
			Mounts:    []Mount{{Host: dir, Inside: "/."}},
		},
		"missing mount": {
			sandbox:   s,
			Workspace: dir,
			Args:      []string{"true"},
			Mounts:    []Mount{{Host: "/nosuch", Inside: "/x"}},
		},
		"not made by a sandbox": {Workspace: dir, Args: []string{"true"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.Run(t.Context())
			require.ErrorContains(t, err, "sandbox: ")
			require.NotContains(t, err.Error(), "\n")
			var exit *ExitError
			require.False(t, errors.As(err, &exit))
		})
	}
}

// A writes receives the text of each write; it drops writes when it is full.
type writes chan string

func (w writes) Write(p []byte) (int, error) {
	select {
	case w <- string(p):
	default:
	}
	return len(p), nil
}
