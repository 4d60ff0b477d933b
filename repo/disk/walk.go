package disk

import (
	"context"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	maxEntries = 500_000 // files and folders that a walk looks at
	maxDepth   = 100
)

// A Walk visits everything below a folder except what .gitignore excludes, with several goroutines and
// in no order. It reports symbolic links and does not follow them.
type Walk struct {
	Root *os.Root
	// Visit is called concurrently, with the number of its worker and the open folder
	// that holds the entry.
	Visit func(worker int, in *os.File, p string, entry fs.DirEntry)

	mu         sync.Mutex
	wake       sync.Cond
	todo       []folder
	working    int
	entries    atomic.Int64
	Incomplete atomic.Bool // something was left out
}

type folder struct {
	path   string
	depth  int
	ignore *Ignore
}

func Workers() int { return min(runtime.GOMAXPROCS(0), 8) }

// Run walks until everything was visited or ctx ends. The end of ctx is no error; it sets Incomplete.
func (w *Walk) Run(ctx context.Context, start string) {
	w.wake.L = &w.mu
	w.todo = []folder{{path: start, ignore: rulesAbove(w.Root, start)}}
	stop := context.AfterFunc(ctx, w.wake.Broadcast)
	defer stop()
	var group sync.WaitGroup
	for i := range Workers() {
		group.Go(func() {
			for f, ok := w.nextFolder(ctx); ok; f, ok = w.nextFolder(ctx) {
				w.addFolders(w.readFolder(ctx, i, f))
			}
		})
	}
	group.Wait()
}

// nextFolder waits for a folder to read. It returns false when all folders are done or ctx has ended.
func (w *Walk) nextFolder(ctx context.Context) (folder, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch n := len(w.todo); {
		case ctx.Err() != nil:
			w.Incomplete.Store(true)
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

func (w *Walk) addFolders(found []folder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.todo = append(w.todo, found...)
	w.working--
	w.wake.Broadcast()
}

// readFolder visits the entries of a folder and returns its subfolders. It opens the folder through the
// root and the entries through the folder: one open call each, however deep the folder is.
func (w *Walk) readFolder(ctx context.Context, worker int, f folder) (found []folder) {
	in, err := openFolder(w.Root, f.path)
	if err != nil {
		return nil // removed, or not readable
	}
	defer func() { _ = in.Close() }()
	entries, _ := readEntries(in)
	if int(w.entries.Add(int64(len(entries)))) > maxEntries {
		w.Incomplete.Store(true)
		return nil
	}
	prefix := ""
	if f.path != "." {
		prefix = f.path + "/"
	}
	rules := f.ignore
	for _, e := range entries {
		if e.Name() == ".gitignore" {
			rules = ReadIgnore(rules, prefix, in)
		}
	}
	for _, e := range entries {
		p := prefix + e.Name()
		if ctx.Err() != nil {
			return nil
		}
		if IsDotGit(e.Name()) || rules.IsIgnored(p, e.Name(), e.IsDir()) {
			continue
		}
		w.Visit(worker, in, p, e)
		switch {
		case !e.IsDir():
		case f.depth >= maxDepth:
			w.Incomplete.Store(true)
		default:
			found = append(found, folder{path: p, depth: f.depth + 1, ignore: rules})
		}
	}
	return found
}

// rulesAbove returns the rules of the folders above start. If they ignore start itself, the caller
// asked for it on purpose, and they do not count.
func rulesAbove(root *os.Root, start string) *Ignore {
	if start == "." {
		return nil
	}
	var rules *Ignore
	prefix := ""
	for part := range strings.SplitSeq(start, "/") {
		in, err := openFolder(root, path.Clean(prefix))
		if err != nil {
			return nil
		}
		rules = ReadIgnore(rules, prefix, in)
		_ = in.Close()
		if rules.IsIgnored(prefix+part, part, true) {
			return nil
		}
		prefix += part + "/"
	}
	return rules
}

// readEntries lists an open folder through a second descriptor. For a file that an os.Root has opened,
// the standard library would stat each entry. The entries that are opened later are checked then.
func readEntries(in *os.File) ([]fs.DirEntry, error) {
	fd, err := unix.FcntlInt(in.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	list := os.NewFile(uintptr(fd), in.Name())
	defer func() { _ = list.Close() }()
	return list.ReadDir(-1)
}

func openFolder(root *os.Root, path string) (*os.File, error) {
	return root.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0) // the path may name a pipe by now
}
