package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/disk"
)

// journalAge is how long a result in a journal may be taken. Later the machine may have changed in a way that
// no key tells.
const journalAge = 24 * time.Hour

// A Journal keeps the results of the runs of one proof in a folder, each as soon as the run has ended. A
// proof that is made again, because the program died or somebody stopped it, takes them and goes on from
// there.
//
// A result is taken only for a run of exactly the same files, commands, packages, environment and limits, by
// the same program, and within a day. Runs that a proof repeats on purpose are told apart by their number. A
// run that was interrupted has no result.
type Journal struct {
	dir string

	mu    sync.Mutex
	runs  map[string]int // how often each run was asked for
	taken []TakenRun
}

// A TakenRun is a run whose result was taken from a journal.
type TakenRun struct {
	Name  string // as of Checker.Named: "tests on the branch"
	Ended time.Time
}

// OpenJournal returns the journal with that name in the folder dir, which is created when there is something
// to keep. It removes the other journals there that are too old to be taken. No command may be able to write
// dir.
func OpenJournal(dir, name string) *Journal {
	entries, _ := os.ReadDir(dir) // there is none before the first run has ended
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > journalAge {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // tried again the next time
		}
	}
	return &Journal{dir: filepath.Join(dir, name), runs: map[string]int{}}
}

// Remove removes all results, so that a proof that is made again runs everything.
func (j *Journal) Remove() error {
	if j == nil {
		return nil
	}
	return os.RemoveAll(j.dir)
}

// Taken returns the runs whose results were taken, in that order.
func (j *Journal) Taken() []TakenRun {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]TakenRun(nil), j.taken...)
}

// KeptIn returns a copy of the Checker that keeps the results of fresh trees in the journal, and takes them
// from there. nil: nothing is kept.
func (c *Checker) KeptIn(j *Journal) *Checker {
	keeping := *c
	keeping.journal = j
	return &keeping
}

// A journalRun is the place of one run in a journal. A nil journalRun keeps nothing.
type journalRun struct {
	checker *Checker
	file    string
}

// A journalEntry is what the file of a run holds.
type journalEntry struct {
	Ended  time.Time
	Result result.Result
}

// openRun returns the place of a run of p in a tree. tree tells the tree's content exactly. It returns nil if
// the Checker has no journal.
func (c *Checker) openRun(tree string, p project.Project, first *First) *journalRun {
	program := programID()
	if c.journal == nil || program == "" || tree == "" {
		return nil
	}
	var parts project.Parts
	if first != nil {
		parts = first.Parts
	}
	cache := c.cacheOrEmpty()
	key, err := json.Marshal([]any{
		program, tree, p.Kind, p.Build, p.Test, p.Written, parts, c.TestLimits(), c.Caches.Sandbox.Kind(),
		cache.packagesKey(), cache.environmentKey(),
	})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(key)
	name := hex.EncodeToString(sum[:16])
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	c.journal.runs[name]++
	return &journalRun{
		checker: c,
		file:    filepath.Join(c.journal.dir, fmt.Sprintf("%s-%d", name, c.journal.runs[name])),
	}
}

// part returns the place of the run of one test command, as a part of the run.
func (r *journalRun) part(line string) *journalRun {
	if r == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(line))
	return &journalRun{checker: r.checker, file: r.file + "-" + hex.EncodeToString(sum[:8])}
}

// take returns the result that an earlier process has kept of the run.
func (r *journalRun) take() (result.Result, bool) {
	if r == nil {
		return result.Result{}, false
	}
	text, err := os.ReadFile(r.file + ".json")
	if err != nil {
		return result.Result{}, false
	}
	var e journalEntry
	if json.Unmarshal(text, &e) != nil || time.Since(e.Ended) > journalAge {
		return result.Result{}, false
	}
	j := r.checker.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.taken = append(j.taken, TakenRun{Name: r.checker.runName(), Ended: e.Ended})
	r.checker.Caches.log().Info("a run that has ended before is not repeated", "run", r.checker.runName(),
		"ended", e.Ended, "result", e.Result.String())
	return e.Result, true
}

// keep stores the result of a run that has ended. One that was interrupted, did not start or was killed by
// others is not stored: a machine that shuts down may end commands before the program. A result that cannot
// be stored is logged, since the run itself is done.
func (r *journalRun) keep(ctx context.Context, got result.Result) {
	killed := got.Stopped != "" && got.Stopped != result.StoppedNear && got.Limited() == ""
	if r == nil || ctx.Err() != nil || killed || got.ExitCode > 128 || got.Missing != (result.Missing{}) {
		return
	}
	text, err := json.Marshal(journalEntry{Ended: time.Now(), Result: got})
	if err == nil {
		err = writeWhole(r.file+".json", text)
	}
	if err != nil {
		r.checker.Caches.log().Warn("the result of a run is not kept", "err", err)
	}
}

// programID identifies the program that runs: another build of it may lay out a tree in another way. It is
// empty if that is not known; then nothing is kept.
var programID = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
})

// sumOfFiles returns a hash of all files of a tree: their paths, modes and contents.
func sumOfFiles(dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum := sha256.New()
	files := disk.PlainFS(root)
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v %d\n", name, info.Mode(), sizeOf(info))
		switch {
		case info.Mode().IsRegular():
			return addContent(sum, files, name)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := root.Readlink(name)
			fmt.Fprintf(sum, "%q\n", to)
			return err
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("test run: hash the files: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// sizeOf returns the size of a file, and 0 for a folder, whose size says nothing.
func sizeOf(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

func addContent(sum hash.Hash, files fs.FS, name string) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sum, f)
	return err
}
