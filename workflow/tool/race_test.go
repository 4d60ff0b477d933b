package tool

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A swap exchanges a file or folder for something else, as fast as it can, while the tools work.
type swap struct {
	name string // path of what is exchanged
	// lure puts something else in its place.
	lure func(at, outside string) error
}

var swaps = map[string]swap{
	"a folder for a link": {"dir", func(at, outside string) error { return os.Symlink(outside, at) }},
	"a file for a link": {
		"dir/f.txt",
		func(at, outside string) error { return os.Symlink(filepath.Join(outside, "f.txt"), at) },
	},
	"a folder for a pipe": {"dir", func(at, _ string) error { return syscall.Mkfifo(at, 0o666) }},
	"a file for a pipe":   {"dir/f.txt", func(at, _ string) error { return syscall.Mkfifo(at, 0o666) }},
}

// during swaps back and forth while work runs.
func (s swap) during(files, outside string, work func()) {
	at := filepath.Join(files, s.name)
	aside := filepath.Join(files, "aside")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(at, aside)
			_ = s.lure(at, outside)
			_ = os.Remove(at)
			_ = os.Rename(aside, at)
		}
	})
	work()
	close(stop)
	swapper.Wait()
}

func racingBench(t *testing.T) (b *Env, outside string) {
	b = newEnv(t, files{"dir/f.txt": "inside\n", "dir/sub/g.txt": "inside\n"})
	outside = t.TempDir()
	put(t, outside, "f.txt", secret+"\n")
	put(t, outside, "sub/g.txt", secret+"\n")
	return b, outside
}

// racing returns a func that reports whether a race goes on: for so many rounds, or for three seconds if
// BOBBIN_RACE is set; and then until enough returns true, but for at most a thousand times as many rounds.
func racing(rounds int, enough func() bool) func() bool {
	end := time.Now().Add(3 * time.Second)
	long := os.Getenv("BOBBIN_RACE") != ""
	n := 0
	return func() bool {
		n++
		return n <= rounds && !long || long && time.Now().Before(end) || n < 1000*rounds && !enough()
	}
}

// TestPathRace makes each tool work while its path is exchanged. BOBBIN_EVERY runs
// three times as many rounds.
func TestPathRace(t *testing.T) {
	t.Parallel()
	rounds := 20
	if os.Getenv("BOBBIN_EVERY") != "" {
		rounds = 60
	}
	for name, s := range swaps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, outside := racingBench(t)
			calls, leaks, good, refused := 0, 0, 0, 0
			s.during(b.Workspace.Files(), outside, func() {
				goesOn := racing(rounds, func() bool { return good > 0 && refused > 0 })
				for goesOn() {
					for name, in := range map[string]args{
						"read_file":  {"path": "dir/f.txt"},
						"search":     {"pattern": "inside|" + secret},
						"outline":    {"path": "dir"},
						"list_files": {"path": "dir"},
						"write_file": {"path": "dir/f.txt", "content": "inside\n#\n"},
						"edit_file":  {"path": "dir/f.txt", "old": "inside", "new": "inside "},
						"apply_patch": {
							"patch": "*** Begin Patch\n*** Add File: dir/new.txt\n+x\n*** End Patch",
						},
					} {
						calls++
						r, err := b.try(t.Context(), name, in)
						if err == nil && strings.Contains(r.Text, secret) {
							leaks++
						}
						if err == nil && !r.Wrong {
							good++
						} else {
							refused++
						}
					}
				}
			})
			require.Zero(t, leaks)
			require.NotZero(t, good, "the tools never got through: the race shows nothing")
			require.NotZero(t, refused, "nothing was ever in the way: the race shows nothing")
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 2, "something was written outside")
			data, err := os.ReadFile(filepath.Join(outside, "f.txt"))
			require.NoError(t, err)
			require.Equal(t, secret+"\n", string(data))
			t.Logf("%d calls, %d of them through, %d refused, 0 leaks", calls, good, refused)
		})
	}
}

// The control: the same race against the usual check, which looks first and then opens. If a pipe were
// swapped in, it would wait for ever.
func TestPathRaceControl(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a folder for a link", "a file for a link"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, outside := racingBench(t)
			inside, err := filepath.EvalSymlinks(b.Workspace.Files())
			require.NoError(t, err)
			leaks, tries := 0, 0
			swaps[name].during(b.Workspace.Files(), outside, func() {
				for goesOn := racing(2000, func() bool { return leaks > 0 }); goesOn() &&
					(leaks == 0 || os.Getenv("BOBBIN_RACE") != ""); tries++ {
					p, err := filepath.EvalSymlinks(filepath.Join(inside, "dir/f.txt"))
					if err != nil || !strings.HasPrefix(p, inside+"/") {
						continue
					}
					if data, err := os.ReadFile(p); err == nil && strings.Contains(string(data), secret) {
						leaks++
					}
				}
			})
			require.NotZero(t, leaks, "looking first has to leak, else the race is none")
			t.Logf("%d leaks in %d tries", leaks, tries)
		})
	}
}

// A command may make hard links to its own files. It cannot link a file from outside into the workspace, and
// if there is such a link nevertheless, no tool writes through it.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "one\n"})
	b.BuildCacheDir = filepath.Join(t.TempDir(), "build-cache")
	b.ok(t, "run", args{"command": "ln a.txt b.txt"})
	require.Contains(t, b.ok(t, "read_file", args{"path": "b.txt"}), "1\tone")
	text := b.ok(t, "run", args{"command": "for f in /etc/passwd /usr/bin/env /cache/*/trim.txt /tmp/x " +
		"/dev/null /proc/self/environ; do touch /tmp/x; ln $f stolen && echo made; done"})
	require.NotContains(t, text, "made")
	require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "stolen"))
	outside := t.TempDir()
	put(t, outside, "f.txt", "one\n")
	require.NoError(t, os.Link(filepath.Join(outside, "f.txt"),
		filepath.Join(b.Workspace.Files(), "linked.txt")), "the control: without the sandbox it can be made")
	b.ok(t, "read_file", args{"path": "linked.txt"})
	b.ok(t, "edit_file", args{"path": "linked.txt", "old": "one", "new": "two"})
	data, err := os.ReadFile(filepath.Join(outside, "f.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(data))
}
