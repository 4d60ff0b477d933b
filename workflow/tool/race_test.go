package tool

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// swapping turns the folder dir into a symbolic link to outside and back for as long as
// the function it calls runs.
func swapping(t *testing.T, files, outside string, during func()) {
	dir, aside := filepath.Join(files, "dir"), filepath.Join(files, "aside")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(dir, aside)
			_ = os.Symlink(outside, dir)
			_ = os.Remove(dir)
			_ = os.Rename(aside, dir)
		}
	})
	during()
	close(stop)
	swapper.Wait()
}

func racingBench(t *testing.T) (b *Bench, outside string) {
	b = newBench(t, files{"dir/f.txt": "inside\n", "dir/sub/g.txt": "inside\n"})
	outside = t.TempDir()
	put(t, outside, "f.txt", secret+"\n")
	put(t, outside, "sub/g.txt", secret+"\n")
	return b, outside
}

func TestPathRace(t *testing.T) {
	t.Parallel()
	b, outside := racingBench(t)
	calls, leaks, good := 0, 0, 0
	swapping(t, b.Workspace.Files(), outside, func() {
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			for name, in := range map[string]args{
				"read_file":   {"path": "dir/f.txt"},
				"search":      {"pattern": "inside|" + secret},
				"outline":     {"path": "dir"},
				"write_file":  {"path": "dir/f.txt", "content": "inside\n#\n"},
				"edit_file":   {"path": "dir/f.txt", "old": "inside", "new": "inside "},
				"apply_patch": {"patch": "*** Begin Patch\n*** Add File: dir/new.txt\n+x\n*** End Patch"},
			} {
				calls++
				r, err := b.try(t.Context(), name, in)
				if err == nil && strings.Contains(r.Text, secret) {
					leaks++
				}
				if err == nil && !r.Wrong {
					good++
				}
			}
		}
	})
	require.Zero(t, leaks)
	require.NotZero(t, good, "the tools never got through: the race shows nothing")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 2, "something was written outside")
	data, err := os.ReadFile(filepath.Join(outside, "f.txt"))
	require.NoError(t, err)
	require.Equal(t, secret+"\n", string(data))
	t.Logf("%d calls, %d of them through, 0 leaks", calls, good)
}

// The control: the same race against the usual check, which looks first and opens then.
func TestPathRaceControl(t *testing.T) {
	t.Parallel()
	b, outside := racingBench(t)
	inside, err := filepath.EvalSymlinks(b.Workspace.Files())
	require.NoError(t, err)
	leaks, tries := 0, 0
	swapping(t, b.Workspace.Files(), outside, func() {
		for end := time.Now().Add(20 * time.Second); leaks == 0 && time.Now().Before(end); tries++ {
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
	t.Logf("leaked after %d tries", tries)
}
