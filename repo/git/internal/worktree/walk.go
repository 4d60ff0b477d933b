package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
)

const (
	walkWorkers = 3
	MaxDepth    = 200 // the most folders within folders; a deeper nesting is taken for a trap
)

// A suspect is a path whose file may differ from the base, so it has to be read.
type suspect struct {
	path   string
	record *index.Record // nil if the path is not in the base
	mode   filemode.FileMode
	stat   index.Stat
}

// A walk visits the files of a workspace, with one open descriptor per folder. It never follows a symbolic
// link, because the owner of the files may change them during the walk.
type walk struct {
	root    *os.Root
	records index.Records
	group   *errgroup.Group

	mu       sync.Mutex
	suspects []suspect
}

// scanFiles marks the records whose files are unchanged and returns all other files as suspects. A record
// that is neither marked nor among the suspects has no file any more.
func scanFiles(ctx context.Context, root *os.Root, rs index.Records) ([]suspect, error) {
	top, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("git: open workspace: %w", err)
	}
	w := &walk{root: root, records: rs}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(walkWorkers + 1)
	w.group = group
	group.Go(func() error { return w.scanFolder(ctx, top, nil, nil, false) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(w.suspects, func(a, b suspect) int { return strings.Compare(a.path, b.path) })
	return w.suspects, nil
}

// A tooDeep is a PathError about folders nested deeper than MaxDepth, which are not read.
type tooDeep struct {
	*gittree.PathError
	top string // the top-level folder of the workspace that holds them
}

func (t *tooDeep) Unwrap() error { return t.PathError }

// scanFolder closes f. ignored tells that a pattern above matches the folder, so that only recorded paths
// count.
func (w *walk) scanFolder(
	ctx context.Context, f *os.File, at []string, rules *disk.Ignore, ignored bool,
) error {
	defer func() { _ = f.Close() }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(at) > MaxDepth {
		return &tooDeep{
			&gittree.PathError{
				Path:   strings.Join(at[:8], "/") + "/…",
				Reason: fmt.Sprintf("is more than %d folders deep", MaxDepth),
			},
			at[0],
		}
	}
	names, err := f.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("git: list %s: %w", strings.Join(at, "/"), err)
	}
	if slices.Contains(names, ".gitignore") {
		prefix := ""
		if len(at) > 0 {
			prefix = strings.Join(at, "/") + "/"
		}
		rules = disk.ReadIgnore(rules, prefix, f)
	}
	var found []suspect
	for _, name := range names {
		if disk.IsDotGit(name) {
			continue
		}
		here := append(slices.Clip(at), name)
		s, err := w.scanEntry(ctx, f, here, rules, ignored)
		if err != nil {
			return err
		}
		if s != nil {
			found = append(found, *s)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suspects = append(w.suspects, found...)
	return nil
}

func (w *walk) scanEntry(
	ctx context.Context, f *os.File, here []string, rules *disk.Ignore, ignored bool,
) (*suspect, error) {
	name := here[len(here)-1]
	path := strings.Join(here, "/")
	var st unix.Stat_t
	err := unix.Fstatat(int(f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil // deleted since it was listed
	}
	if err != nil {
		return nil, fmt.Errorf("git: stat %s: %w", path, err)
	}
	r := w.records.Find(path)
	if r != nil && r.Mode == filemode.Submodule {
		return nil, nil // the content of a submodule belongs to another repository
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil, w.scanSubfolder(ctx, f, here, rules, ignored || rules.IsIgnored(path, name, true))
	}
	mode := modeOf(&st)
	switch {
	case mode == 0: // a FIFO, socket or device counts as absent
		return nil, nil
	case r == nil && (ignored || rules.IsIgnored(path, name, false)):
		return nil, nil
	}
	s := &suspect{path: path, record: r, mode: mode, stat: index.NewStat(&st)}
	if s.isUntouched() {
		r.Found = true
		return nil, nil
	}
	return s, nil
}

func (w *walk) scanSubfolder(
	ctx context.Context, f *os.File, here []string, rules *disk.Ignore, ignored bool,
) error {
	path := strings.Join(here, "/")
	if ignored && !w.records.HasBelow(path) {
		return nil
	}
	child, err := openFolder(f, here[len(here)-1],
		func() error { return w.root.Chmod(fromSlash(path), 0o755) })
	if err != nil {
		return fmt.Errorf("git: open folder %s: %w", path, err)
	}
	if child == nil {
		return nil
	}
	work := func() error { return w.scanFolder(ctx, child, here, rules, ignored) }
	if w.group.TryGo(work) {
		return nil
	}
	return work()
}

// openFolder opens a folder for reading. It returns nil if the folder is gone or has become a link. If a
// command made the folder unreadable, openUp restores its permissions first; openUp has to go through the
// os.Root, because the folder may be a link to elsewhere by then.
func openFolder(f *os.File, name string, openUp func() error) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK
	fd, err := unix.Openat(int(f.Fd()), name, flags, 0)
	if errors.Is(err, unix.EACCES) {
		if err := openUp(); err != nil && !isGone(err) {
			return nil, err
		}
		fd, err = unix.Openat(int(f.Fd()), name, flags, 0)
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// modeOf returns the mode that a tree would hold for a file, and 0 for a file that no tree can hold.
func modeOf(st *unix.Stat_t) filemode.FileMode {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return filemode.Symlink
	case unix.S_IFREG:
		if st.Mode&0o100 != 0 {
			return filemode.Executable
		}
		return filemode.Regular
	}
	return 0
}

// isUntouched reports whether the file has its recorded mode and stat data. It is false for links and
// doubtful records.
func (s *suspect) isUntouched() bool {
	r := s.record
	return r != nil && !r.Doubtful && !s.isLink() && gittree.SameMode(r.Mode, s.mode) && r.Stat == s.stat
}

func (s *suspect) isLink() bool { return s.mode == filemode.Symlink }
