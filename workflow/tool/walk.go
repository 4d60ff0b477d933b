package tool

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxEntries = 500_000 // files and folders that a walk looks at
	maxDepth   = 100
	maxIgnore  = 256 << 10
)

// A walk looks at everything below a folder except what .gitignore leaves out, with
// several goroutines and in no order. Symbolic links are reported and not followed.
type walk struct {
	root *os.Root
	// visit is called concurrently, with the number of its worker and the open folder
	// that holds the entry.
	visit func(worker int, in *os.File, p string, entry fs.DirEntry)

	mu      sync.Mutex
	wake    sync.Cond
	todo    []folder
	working int
	entries atomic.Int64
	cut     atomic.Bool // something was left out
}

type folder struct {
	path   string
	depth  int
	ignore *ignore
}

func workers() int { return min(runtime.GOMAXPROCS(0), 8) }

// from walks until everything was seen or ctx is done, which is no error: cut says so.
func (w *walk) from(ctx context.Context, start string) {
	w.wake.L = &w.mu
	w.todo = []folder{{path: start, ignore: above(w.root, start)}}
	stop := context.AfterFunc(ctx, w.wake.Broadcast)
	defer stop()
	var group sync.WaitGroup
	for i := range workers() {
		group.Go(func() {
			for f, ok := w.next(ctx); ok; f, ok = w.next(ctx) {
				w.done(w.look(ctx, i, f))
			}
		})
	}
	group.Wait()
}

// next waits for a folder; there is none when all are done.
func (w *walk) next(ctx context.Context) (folder, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch n := len(w.todo); {
		case ctx.Err() != nil:
			w.cut.Store(true)
			return folder{}, false
		case n > 0:
			f := w.todo[n-1]
			w.todo = w.todo[:n-1]
			w.working++
			return f, true
		case w.working == 0:
			return folder{}, false
		}
		w.wake.Wait()
	}
}

func (w *walk) done(found []folder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.todo = append(w.todo, found...)
	w.working--
	w.wake.Broadcast()
}

// look visits the entries of a folder and gives the folders in it. The folder is opened
// through the root, its entries through the folder: one open each, however deep it is.
func (w *walk) look(ctx context.Context, worker int, f folder) (found []folder) {
	in, err := w.root.OpenFile(f.path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0) // a pipe may be there by now
	if err != nil {
		return nil // removed, or not ours to read
	}
	defer func() { _ = in.Close() }()
	entries, _ := in.ReadDir(-1)
	if int(w.entries.Add(int64(len(entries)))) > maxEntries {
		w.cut.Store(true)
		return nil
	}
	prefix := ""
	if f.path != "." {
		prefix = f.path + "/"
	}
	rules := f.ignore
	for _, e := range entries {
		if e.Name() == ".gitignore" {
			rules = parseIgnore(rules, prefix, readIgnore(w.root, prefix+".gitignore"))
		}
	}
	for _, e := range entries {
		p := prefix + e.Name()
		if ctx.Err() != nil {
			return nil
		}
		if isGit(e.Name()) || rules.ignored(p, e.Name(), e.IsDir()) {
			continue
		}
		w.visit(worker, in, p, e)
		switch {
		case !e.IsDir():
		case f.depth >= maxDepth:
			w.cut.Store(true)
		default:
			found = append(found, folder{path: p, depth: f.depth + 1, ignore: rules})
		}
	}
	return found
}

// above is the rules of the folders above start. Where they leave start itself out, it
// was asked for on purpose and they do not count.
func above(root *os.Root, start string) *ignore {
	if start == "." {
		return nil
	}
	var rules *ignore
	prefix := ""
	for part := range strings.SplitSeq(start, "/") {
		rules = parseIgnore(rules, prefix, readIgnore(root, prefix+".gitignore"))
		if rules.ignored(prefix+part, part, true) {
			return nil
		}
		prefix += part + "/"
	}
	return rules
}

func readIgnore(root *os.Root, p string) string {
	f, _, err := openRegular(root, p)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	data, _ := io.ReadAll(io.LimitReader(f, maxIgnore))
	return string(data)
}

// A filter is the glob of a tool: of base names where it has no slash, of paths below
// the folder or the root where it has one. A ! before it turns it round.
type filter struct {
	glob   string
	under  string // the folder, with a slash at its end; empty for the root
	negate bool
	base   bool
}

func newFilter(glob, under string) (filter, error) {
	f := filter{glob: strings.TrimPrefix(glob, "./")}
	if under != "." {
		f.under = under + "/"
	}
	f.glob, f.negate = strings.CutPrefix(f.glob, "!")
	f.glob = strings.TrimPrefix(f.glob, "/")
	if strings.HasSuffix(f.glob, "/") {
		f.glob += "**"
	}
	f.base = !strings.Contains(f.glob, "/")
	if !doublestar.ValidatePattern(f.glob) {
		return f, wrongf("%q is no valid glob. Examples: *.go, internal/**/*_test.go, **/*.{js,ts}.", glob)
	}
	return f, nil
}

func (f filter) keeps(p string) bool {
	switch {
	case f.glob == "":
		return true
	case f.base:
		return doublestar.MatchUnvalidated(f.glob, path.Base(p)) != f.negate
	}
	return (doublestar.MatchUnvalidated(f.glob, p) || doublestar.MatchUnvalidated(f.glob, strings.TrimPrefix(p, f.under))) != f.negate
}
