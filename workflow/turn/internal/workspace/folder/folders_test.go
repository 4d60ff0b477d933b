package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// worked makes a session's folder with 64 KiB in it that was last used so many hours ago.
func worked(t *testing.T, r *Folders, session string, hours int) {
	t.Helper()
	dir := filepath.Join(r.Dir, session)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "work", "files"), 0o755))
	require.NoError(t,
		os.WriteFile(filepath.Join(dir, "work", "files", "main.go"), make([]byte, 64<<10), 0o644))
	at := time.Now().Add(-time.Duration(hours) * time.Hour)
	require.NoError(t, os.Chtimes(dir, at, at))
}

func cleaned(t *testing.T, r *Folders, keep Retention) string {
	t.Helper()
	removed, err := r.Clean(t.Context(), keep)
	require.NoError(t, err)
	var names []string
	for _, gone := range removed {
		names = append(names, filepath.Base(gone.What))
		require.NotEmpty(t, gone.Why)
		if keep.Dry {
			require.DirExists(t, gone.What)
		} else {
			require.NoDirExists(t, gone.What)
		}
	}
	return strings.Join(names, " ")
}

func TestFoldersGoByAgeThenBySize(t *testing.T) {
	t.Parallel()
	r := &Folders{Dir: filepath.Join(t.TempDir(), "sessions")}
	require.Empty(t, cleaned(t, r, Retention{Age: time.Hour}), "there are none yet")
	for session, hours := range map[string]int{
		"old":      200,
		"b":        4,
		"a":        3,
		"new":      1,
		"other":    200,
		"x.gone-7": 0,
	} {
		worked(t, r, session, hours)
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, "other", LocalOnlyFile+"0"), nil, 0o600))
	at := time.Now().Add(-200 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(r.Dir, "other"), at, at))
	hours := func(n int) time.Duration { return time.Duration(n) * time.Hour }

	require.Equal(t, "old x.gone-7", cleaned(t, r, Retention{Age: hours(100), Dry: true}))
	require.Equal(t, "old x.gone-7", cleaned(t, r, Retention{Age: hours(100), Alone: hours(1000)}))
	require.Equal(t, "b a", cleaned(t, r, Retention{Age: hours(100), Alone: hours(1000), Bytes: 160 << 10}),
		"two stay: the newest, and what is kept nowhere else")
	require.Empty(t, cleaned(t, r, Retention{}))
	require.Equal(t, "other", cleaned(t, r, Retention{Age: hours(100), Alone: hours(150)}))
	require.Equal(t, "new", cleaned(t, r, Retention{Bytes: 1}))
}

func TestAFolderInUseStays(t *testing.T) {
	t.Parallel()
	r := &Folders{Dir: t.TempDir()}
	worked(t, r, "s1", 200)
	one := r.Pin("s1")
	two := r.Pin("s1")
	keep := Retention{Age: time.Hour, Bytes: 1}
	require.Empty(t, cleaned(t, r, keep))
	one()
	require.Empty(t, cleaned(t, r, keep))
	two()
	require.Empty(t, cleaned(t, r, Retention{Age: time.Hour}), "it was used just now")
	require.Equal(t, "s1", cleaned(t, r, keep))
	r.Pin("none")() // a turn that makes no files
	require.NoDirExists(t, filepath.Join(r.Dir, "none"))
}

func TestWhatCannotBeRemovedKeepsNothingElse(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may remove everything")
	}
	r := &Folders{Dir: t.TempDir()}
	worked(t, r, "closed", 200)
	require.NoError(t, os.Chmod(filepath.Join(r.Dir, "closed", "work"), 0))
	require.Equal(t, "closed", cleaned(t, r, Retention{Age: time.Hour}),
		"a command closed it, and we open it")
}

// The cleaner removes whatever it may while turns work in their folders. The control is the same
// without the hold: files vanish while a turn uses them.
func TestTurnsAndTheCleanerRace(t *testing.T) {
	t.Parallel()
	require.Zero(t, race(t, true, 400), "files vanished under a turn")
	require.NotZero(t, race(t, false, 1<<30), "without the hold nothing was noticed")
}

// race lets four turns work the given number of times, or until a file of one of them vanishes, and
// returns how many turns were disturbed.
func race(t *testing.T, guarded bool, times int) int {
	t.Helper()
	r := &Folders{Dir: t.TempDir()}
	var disturbed atomic.Int64
	var turns, cleaner sync.WaitGroup
	stop := make(chan struct{})
	cleaner.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				// a folder that fills while it is removed is left for the next time
				r.Clean(t.Context(), Retention{Bytes: 1}) //nolint:errcheck
			}
		}
	})
	for n := range 4 {
		turns.Go(func() {
			for range times {
				if disturbed.Load() > 0 {
					return
				}
				if err := work(r, fmt.Sprint("s", n%2), guarded); err != nil {
					disturbed.Add(1)
				}
			}
		})
	}
	turns.Wait()
	close(stop)
	cleaner.Wait()
	return int(disturbed.Load())
}

// work does what a turn does with its folder: it writes a file, and expects to find it again.
func work(r *Folders, session string, guarded bool) error {
	if guarded {
		defer r.Pin(session)()
	}
	dir := filepath.Join(r.Dir, session, "work")
	file := filepath.Join(dir, "main.go")
	err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(file, []byte("package main\n"), 0o644))
	for range 20 {
		_, missing := os.Stat(file)
		err = errors.Join(err, missing)
	}
	return err
}
