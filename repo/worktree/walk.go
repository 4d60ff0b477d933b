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

	"github.com/bobbinhq/bobbin/repo/filetree"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/worktree/index"
)

const (
	walkWorkers = 3
	MaxDepth    = 200 // folders within folders; deeper is a trap
)

// suspect is a path whose file may differ from the base: it has to be read.
type suspect struct {
	path   string
	record *index.Record // nil: not in the base
	mode   filemode.FileMode
	stat   index.Stat
}

// walk goes over the files of a workspace, one descriptor a folder, and never
// through a symbolic link: the tree may be changed under it by whoever owns it.
type walk struct {
	root    *os.Root
	records index.Records
	group   *errgroup.Group

	mu       sync.Mutex
	suspects []suspect
}

// scanFiles marks the records that are there untouched and gives the rest of what
// is there. A record that it leaves unmarked is gone.
func scanFiles(ctx context.Context, root *os.Root, rs index.Records) ([]suspect, error) {
	top, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("repo: open workspace: %w", err)
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

// tooDeep is a PathError about folders that nobody looks into.
type tooDeep struct {
	*gittree.PathError
	top string // the folder of the workspace that they are in
}

func (e *tooDeep) Unwrap() error { return e.PathError }

// scanFolder owns f. ignored: by a pattern above, so only recorded paths count.
func (w *walk) scanFolder(ctx context.Context, f *os.File, at []string, rules *filetree.Ignore, ignored bool) error {
	defer func() { _ = f.Close() }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(at) > MaxDepth {
		return &tooDeep{&gittree.PathError{Path: strings.Join(at[:8], "/") + "/…", Reason: fmt.Sprintf("is more than %d folders deep", MaxDepth)}, at[0]}
	}
	names, err := f.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("repo: list %s: %w", strings.Join(at, "/"), err)
	}
	if slices.Contains(names, ".gitignore") {
		prefix := ""
		if len(at) > 0 {
			prefix = strings.Join(at, "/") + "/"
		}
		rules = filetree.ReadIgnore(rules, prefix, f)
	}
	var found []suspect
	for _, name := range names {
		if filetree.IsDotGit(name) {
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

func (w *walk) scanEntry(ctx context.Context, f *os.File, here []string, rules *filetree.Ignore, ignored bool) (*suspect, error) {
	name, path := here[len(here)-1], strings.Join(here, "/")
	var st unix.Stat_t
	err := unix.Fstatat(int(f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil // gone since it was listed
	}
	if err != nil {
		return nil, fmt.Errorf("repo: stat %s: %w", path, err)
	}
	r := w.records.Find(path)
	if r != nil && r.Mode == filemode.Submodule {
		return nil, nil // its content is another repository's
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil, w.scanSubfolder(ctx, f, here, rules, ignored || rules.IsIgnored(path, name, true))
	}
	mode := modeOf(&st)
	switch {
	case mode == 0: // FIFO, socket, device: as good as absent
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

func (w *walk) scanSubfolder(ctx context.Context, f *os.File, here []string, rules *filetree.Ignore, ignored bool) error {
	path := strings.Join(here, "/")
	if ignored && !w.records.HasBelow(path) {
		return nil
	}
	child, err := openFolder(f, here[len(here)-1], func() error { return w.root.Chmod(fromSlash(path), 0o755) })
	if err != nil {
		return fmt.Errorf("repo: open folder %s: %w", path, err)
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

// openFolder gives nil when the folder is gone or became a link meanwhile. One
// that a command made unreadable is opened up again, since it is ours: by way
// of the root, for it may be a link to somewhere else by then.
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

// modeOf gives the mode that a tree would hold, 0 for what no tree can.
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

// isUntouched reports whether a file is as it was recorded.
func (s *suspect) isUntouched() bool {
	r := s.record
	return r != nil && !r.Doubtful && !s.isLink() && gittree.SameMode(r.Mode, s.mode) && r.Stat == s.stat
}

func (s *suspect) isLink() bool { return s.mode == filemode.Symlink }
