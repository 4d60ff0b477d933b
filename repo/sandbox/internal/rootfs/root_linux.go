package rootfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// staging is the directory in which the new root is built. Its previous content is then accessible only
// through open descriptors.
const staging = "/tmp"

// Masked lists files of /proc that reveal facts about the machine.
var Masked = []string{"/proc/cmdline", "/proc/keys", "/proc/key-users", "/proc/kcore", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats"}

// fixed lists paths of /proc that a command may read but not write, whatever its user.
var fixed = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"}

// A Tree is a detached copy of a mount and of all mounts below it.
type Tree struct {
	backend.Bind
	fd  int
	dir bool
}

// Trees holds the opened sources of a layout.
type Trees struct{ System, Binds, Devices []Tree }

// devices lists all devices of /dev, apart from new terminals.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// OpenTrees opens all sources of a layout. It must be called while the machine's file system is still
// visible.
func OpenTrees(l backend.Layout) (t Trees, err error) {
	open := func(binds []backend.Bind) (out []Tree) {
		for _, b := range binds {
			if err != nil {
				return out
			}
			var one Tree
			one, err = openTree(b)
			out = append(out, one)
		}
		return out
	}
	var nodes []backend.Bind
	for _, name := range devices {
		nodes = append(nodes, backend.Bind{Host: "/dev/" + name, Inside: "/dev/" + name, Writable: true})
	}
	t.System, t.Binds, t.Devices = open(l.System), open(l.Binds), open(nodes)
	return t, err
}

// openTree copies the mount at b.Host, and removes the rights that b does not allow.
func openTree(b backend.Bind) (Tree, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, b.Host, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if errors.Is(err, unix.EACCES) && user.RunsAsRoot() {
		return Tree{}, fmt.Errorf("%s cannot be entered: a directory above it belongs to another user", b.Host)
	}
	if err != nil {
		return Tree{}, fmt.Errorf("open %s: %w", b.Host, kernelWords(err))
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !strings.HasPrefix(b.Inside, "/dev/") {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !b.Writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return Tree{}, fmt.Errorf("protect %s: %w", b.Host, kernelWords(err))
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Tree{}, fmt.Errorf("look at %s: %w", b.Host, err)
	}
	return Tree{Bind: b, fd: fd, dir: st.Mode&unix.S_IFMT == unix.S_IFDIR}, nil
}

// kernelWords returns a clearer error if the kernel is too old for a call.
func kernelWords(err error) error {
	if errors.Is(err, unix.ENOSYS) {
		return errors.New("this kernel does not know the call")
	}
	return err
}

// A Root is a new file system that is built before it becomes the root of this process's name space. All
// paths are relative to the new root.
type Root struct{ dir *os.Root }

// NewRoot creates an empty root in memory. options are the mount options of the tmpfs.
func NewRoot(options string) (*Root, error) {
	if err := unix.Mount("box", staging, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, fmt.Errorf("mount the new root: %w", err)
	}
	dir, err := os.OpenRoot(staging)
	if err != nil {
		return nil, fmt.Errorf("new root: %w", err)
	}
	return &Root{dir}, nil
}

// Close closes the descriptor of the root; the file system stays.
func (r *Root) Close() { r.dir.Close() }

// StagedPath returns the current path of a file in the new root, before EnterRoot.
func StagedPath(path string) string { return staging + path }

// BuildDefault builds the complete root that commands see, and makes it the root. sources are the descriptors
// of the layout's files, 0 for files whose content is in Data.
func BuildDefault(l backend.Layout, sources []int, t Trees) error {
	root, err := NewRoot("mode=0755,size=1g,nr_inodes=100k")
	if err != nil {
		return err
	}
	defer root.Close()
	for _, step := range []func() error{
		func() error { return root.AddLinks(l.Links) },
		func() error { return root.AttachTrees(t.System) },
		func() error { return root.addOwn(l.Fill, t.Devices) },
		func() error { return root.AttachTrees(t.Binds) },
		func() error { return root.AddFiles(l.Files, sources) },
		EnterRoot,
		maskProc,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, at := range []string{"/", "/dev"} { // these mounts only, not the mounts below them
		if err := unix.MountSetattr(unix.AT_FDCWD, at, 0, &readOnly); err != nil {
			return fmt.Errorf("make %s read-only: %w", at, err)
		}
	}
	return nil
}

// MakeDirectories creates directories with their parents.
func (r *Root) MakeDirectories(dirs ...string) error {
	for _, dir := range dirs {
		if err := r.dir.MkdirAll(relativePath(dir), 0o755); err != nil {
			return fmt.Errorf("place %s: %w", dir, err)
		}
	}
	return nil
}

// CreateFile creates a file with read-only permissions and opens it for writing. Its directory must exist.
func (r *Root) CreateFile(path string) (*os.File, error) {
	return r.dir.OpenFile(relativePath(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
}

// IsDirectory reports whether path is a directory.
func (r *Root) IsDirectory(path string) bool {
	info, err := r.dir.Stat(relativePath(path))
	return err == nil && info.IsDir()
}

// relativePath returns a path in the form that os.Root expects.
func relativePath(p string) string { return strings.TrimPrefix(filepath.Clean(p), "/") }

// AddLinks creates symbolic links.
func (r *Root) AddLinks(links [][2]string) error {
	for _, l := range links {
		if err := r.dir.MkdirAll(relativePath(path.Dir(l[1])), 0o755); err != nil && path.Dir(l[1]) != "/" {
			return fmt.Errorf("place %s: %w", l[1], err)
		}
		if err := r.dir.Symlink(l[0], relativePath(l[1])); err != nil {
			return fmt.Errorf("place %s: %w", l[1], err)
		}
	}
	return nil
}

// AttachTrees mounts trees. It finds the mount points without following links, because they may be in a
// workspace whose content is not trusted.
func (r *Root) AttachTrees(trees []Tree) error {
	for _, t := range trees {
		if err := r.attachOne(t); err != nil {
			return fmt.Errorf("place %s at %s: %w", t.Host, t.Inside, err)
		}
		unix.Close(t.fd)
	}
	return nil
}

func (r *Root) attachOne(t Tree) error {
	at, err := r.openTarget(t.Inside, t.dir)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// openTarget opens the mount point of a mount, and creates it if it does not exist.
func (r *Root) openTarget(inside string, dir bool) (int, error) {
	name := relativePath(inside)
	parent := name
	if !dir {
		parent = path.Dir(name)
	}
	if _, err := r.dir.Lstat(parent); err != nil {
		if err := r.dir.MkdirAll(parent, 0o755); err != nil {
			return -1, err
		}
	}
	if _, err := r.dir.Lstat(name); err != nil {
		f, err := r.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
		if err != nil {
			return -1, err
		}
		f.Close()
	}
	base, err := r.dir.Open(".")
	if err != nil {
		return -1, err
	}
	defer base.Close()
	return openWithoutLinks(int(base.Fd()), name)
}

// openWithoutLinks opens a path below the directory base, none of whose parts may be a link. It does so part by
// part: systemd refuses openat2, which can do it at once, to each unit with DynamicUser.
func openWithoutLinks(base int, name string) (int, error) {
	at := base
	for part := range strings.SplitSeq(name, "/") {
		next, err := unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if at != base {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = next
		var is unix.Stat_t
		if err := unix.Fstat(at, &is); err == nil && is.Mode&unix.S_IFMT != unix.S_IFLNK {
			continue
		}
		unix.Close(at)
		return -1, fmt.Errorf("%s in it: %w", part, unix.ELOOP)
	}
	return at, nil
}

// addOwn mounts the file systems that belong to the command only.
func (r *Root) addOwn(fill int64, nodes []Tree) error {
	own := []struct{ at, kind, data string }{
		{"/proc", "proc", ""},
		{"/dev", "tmpfs", "mode=0755,size=64k"},
		{"/dev/shm", "tmpfs", fmt.Sprintf("mode=1777,size=%d", backend.ShmSize)},
		{"/tmp", "tmpfs", fmt.Sprintf("mode=1777,size=%d,nr_inodes=200k", fill)},
		{backend.Home, "tmpfs", fmt.Sprintf("mode=0700,size=%d,nr_inodes=200k", fill)},
	}
	for _, m := range own {
		if err := r.dir.MkdirAll(relativePath(m.at), 0o755); err != nil {
			return fmt.Errorf("place %s: %w", m.at, err)
		}
		if err := unix.Mount(m.kind, staging+m.at, m.kind, unix.MS_NOSUID|unix.MS_NODEV, m.data); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := r.AttachTrees(nodes); err != nil {
		return err
	}
	return r.addTerminals()
}

// addTerminals creates the rest of /dev. Commands that need a terminal get a new one.
func (r *Root) addTerminals() error {
	links := [][2]string{
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
	}
	if err := r.dir.Mkdir("dev/pts", 0o755); err != nil {
		return fmt.Errorf("place /dev/pts: %w", err)
	}
	err := unix.Mount("devpts", staging+"/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	if err == nil { // some kernels do not allow devpts here: then there are no terminals
		links = append(links, [2]string{"pts/ptmx", "/dev/ptmx"})
	}
	return r.AddLinks(links)
}

// AddFiles creates the small files. sources are their descriptors, 0 for files whose content is in Data.
func (r *Root) AddFiles(files []backend.File, sources []int) error {
	for i, f := range files {
		if err := r.addFile(f, sources[i]); err != nil {
			return fmt.Errorf("make %s: %w", f.Inside, err)
		}
	}
	return nil
}

func (r *Root) addFile(f backend.File, source int) error {
	if err := r.dir.MkdirAll(relativePath(path.Dir(f.Inside)), 0o755); err != nil {
		return err
	}
	out, err := r.dir.OpenFile(relativePath(f.Inside), os.O_CREATE|os.O_EXCL|os.O_WRONLY, os.FileMode(f.Mode))
	if err != nil {
		return err
	}
	defer out.Close()
	if source == 0 {
		_, err = out.Write(f.Data)
		return err
	}
	in := os.NewFile(uintptr(source), f.Inside)
	defer in.Close()
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

// EnterRoot makes the new root the root, and unmounts the old one.
func EnterRoot() error {
	if err := os.Chdir(staging); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the old root: %w", err)
	}
	return os.Chdir("/")
}

// maskProc hides the files of /proc that reveal facts about the machine, and makes others read-only.
func maskProc() error {
	for _, p := range Masked {
		if _, err := os.Stat(p); err != nil {
			continue
		}
		if err := unix.Mount("/dev/null", p, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mask %s: %w", p, err)
		}
	}
	for _, p := range fixed {
		if _, err := os.Stat(p); err != nil {
			continue
		}
		t, err := openTree(backend.Bind{Host: p, Inside: p})
		if err != nil {
			return err
		}
		err = unix.MoveMount(t.fd, "", unix.AT_FDCWD, p, unix.MOVE_MOUNT_F_EMPTY_PATH)
		unix.Close(t.fd)
		if err != nil {
			return fmt.Errorf("fix %s: %w", p, err)
		}
	}
	return nil
}
