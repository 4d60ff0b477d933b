package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// staging is where the new root is built before it becomes the root. What was below it is
// in use by now through open descriptors only.
const staging = "/tmp"

// masked are files of /proc that tell of the machine.
var masked = []string{"/proc/cmdline", "/proc/keys", "/proc/key-users", "/proc/kcore", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats"}

// fixed are paths of /proc that a command may read but not write, whoever it is.
var fixed = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"}

// A mountTree is a detached copy of a mount, with everything below it.
type mountTree struct {
	bind
	fd  int
	dir bool
}

// trees are the opened sources of a layout.
type trees struct{ system, binds, devices []mountTree }

// devices are all that /dev has, apart from terminals of one's own.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// openTrees opens all sources while the machine's tree can still be seen.
func openTrees(l layout) (t trees, err error) {
	open := func(binds []bind) (out []mountTree) {
		for _, b := range binds {
			if err != nil {
				return out
			}
			var one mountTree
			one, err = openTree(b)
			out = append(out, one)
		}
		return out
	}
	var nodes []bind
	for _, name := range devices {
		nodes = append(nodes, bind{Host: "/dev/" + name, Inside: "/dev/" + name, Writable: true})
	}
	t.system, t.binds, t.devices = open(l.System), open(l.Binds), open(nodes)
	return t, err
}

// openTree copies the mount at b.Host, and takes away what b does not allow.
func openTree(b bind) (mountTree, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, b.Host, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if errors.Is(err, unix.EACCES) && asRoot() {
		return mountTree{}, fmt.Errorf("%s cannot be entered: a directory above it belongs to another user", b.Host)
	}
	if err != nil {
		return mountTree{}, fmt.Errorf("open %s: %w", b.Host, kernelWords(err))
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !strings.HasPrefix(b.Inside, "/dev/") {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !b.Writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return mountTree{}, fmt.Errorf("protect %s: %w", b.Host, kernelWords(err))
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return mountTree{}, fmt.Errorf("look at %s: %w", b.Host, err)
	}
	return mountTree{bind: b, fd: fd, dir: st.Mode&unix.S_IFMT == unix.S_IFDIR}, nil
}

// kernelWords says of a call that an old kernel lacks what it means.
func kernelWords(err error) error {
	if errors.Is(err, unix.ENOSYS) {
		return errors.New("this kernel does not know the call")
	}
	return err
}

// buildRoot builds the new root and makes it the only one.
func buildRoot(o orders, t trees) error {
	if err := unix.Mount("box", staging, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1g,nr_inodes=100k"); err != nil {
		return fmt.Errorf("mount the new root: %w", err)
	}
	root, err := os.OpenRoot(staging)
	if err != nil {
		return fmt.Errorf("new root: %w", err)
	}
	defer root.Close()
	steps := []func() error{
		func() error { return placeLinks(root, o.Layout.Links) },
		func() error { return place(root, t.system) },
		func() error { return placeOwn(root, o.Layout.Fill, t.devices) },
		func() error { return place(root, t.binds) },
		func() error { return writeFiles(root, o) },
		enter,
		maskProc,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, at := range []string{"/", "/dev"} { // each alone, not what is mounted below
		if err := unix.MountSetattr(unix.AT_FDCWD, at, 0, &readOnly); err != nil {
			return fmt.Errorf("make %s read-only: %w", at, err)
		}
	}
	return nil
}

func inRoot(p string) string { return strings.TrimPrefix(filepath.Clean(p), "/") }

func placeLinks(root *os.Root, links [][2]string) error {
	for _, l := range links {
		if err := root.MkdirAll(inRoot(path.Dir(l[1])), 0o755); err != nil && path.Dir(l[1]) != "/" {
			return fmt.Errorf("place %s: %w", l[1], err)
		}
		if err := root.Symlink(l[0], inRoot(l[1])); err != nil {
			return fmt.Errorf("place %s: %w", l[1], err)
		}
	}
	return nil
}

// place attaches trees. Where one goes is found without following a link: what is already
// there may be a workspace that somebody wrote.
func place(root *os.Root, trees []mountTree) error {
	for _, t := range trees {
		if err := placeOne(root, t); err != nil {
			return fmt.Errorf("place %s at %s: %w", t.Host, t.Inside, err)
		}
		unix.Close(t.fd)
	}
	return nil
}

func placeOne(root *os.Root, t mountTree) error {
	at, err := target(root, t.Inside, t.dir)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// target opens the place for a mount, made when it is missing.
func target(root *os.Root, inside string, dir bool) (int, error) {
	name := inRoot(inside)
	parent := name
	if !dir {
		parent = path.Dir(name)
	}
	if _, err := root.Lstat(parent); err != nil {
		if err := root.MkdirAll(parent, 0o755); err != nil {
			return -1, err
		}
	}
	if _, err := root.Lstat(name); err != nil {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
		if err != nil {
			return -1, err
		}
		f.Close()
	}
	base, err := root.Open(".")
	if err != nil {
		return -1, err
	}
	defer base.Close()
	return unix.Openat2(int(base.Fd()), name, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS,
	})
}

// placeOwn makes the file systems that belong to the command alone.
func placeOwn(root *os.Root, fill int64, nodes []mountTree) error {
	own := []struct{ at, kind, data string }{
		{"/proc", "proc", ""},
		{"/dev", "tmpfs", "mode=0755,size=64k"},
		{"/dev/shm", "tmpfs", fmt.Sprintf("mode=1777,size=%d", shmSize)},
		{"/tmp", "tmpfs", fmt.Sprintf("mode=1777,size=%d,nr_inodes=200k", fill)},
		{"/home/box", "tmpfs", fmt.Sprintf("mode=0700,size=%d,nr_inodes=200k", fill)},
	}
	for _, m := range own {
		if err := root.MkdirAll(inRoot(m.at), 0o755); err != nil {
			return fmt.Errorf("place %s: %w", m.at, err)
		}
		if err := unix.Mount(m.kind, staging+m.at, m.kind, unix.MS_NOSUID|unix.MS_NODEV, m.data); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := place(root, nodes); err != nil {
		return err
	}
	return placeTerminals(root)
}

// placeTerminals makes what is left of /dev. Commands that want a terminal get a new one.
func placeTerminals(root *os.Root) error {
	links := [][2]string{
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
	}
	if err := root.Mkdir("dev/pts", 0o755); err != nil {
		return fmt.Errorf("place /dev/pts: %w", err)
	}
	err := unix.Mount("devpts", staging+"/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	if err == nil { // some kernels have none for us: then there are no terminals
		links = append(links, [2]string{"pts/ptmx", "/dev/ptmx"})
	}
	return placeLinks(root, links)
}

// writeFiles makes the small files.
func writeFiles(root *os.Root, o orders) error {
	for i, f := range o.Layout.Files {
		if err := writeFile(root, f, o.Sources[i]); err != nil {
			return fmt.Errorf("make %s: %w", f.Inside, err)
		}
	}
	return nil
}

func writeFile(root *os.Root, f insideFile, source int) error {
	if err := root.MkdirAll(inRoot(path.Dir(f.Inside)), 0o755); err != nil {
		return err
	}
	out, err := root.OpenFile(inRoot(f.Inside), os.O_CREATE|os.O_EXCL|os.O_WRONLY, os.FileMode(f.Mode))
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

// enter makes the new root the root, and lets go of the old one.
func enter() error {
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

// maskProc hides what of the machine shows in /proc and fixes the rest.
func maskProc() error {
	for _, p := range masked {
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
		t, err := openTree(bind{Host: p, Inside: p})
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
