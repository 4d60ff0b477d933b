package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// asRoot reports whether the program runs as root, and commands as somebody else. Root
// of a container that has no user but root is an ordinary user of the machine, and there
// is nobody else for commands to be.
var asRoot = sync.OnceValue(func() bool {
	return os.Geteuid() == 0 && mapped("/proc/self/uid_map", outsideID) && mapped("/proc/self/gid_map", outsideID)
})

// mapped reports whether a user or group exists here, by the map of our name space.
func mapped(file string, id int64) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return true // a kernel without user name spaces has all of them
	}
	for line := range strings.Lines(string(text)) {
		var first, outer, n int64
		if _, err := fmt.Sscan(line, &first, &outer, &n); err == nil && id >= first && id-first < n {
			return true
		}
	}
	return false
}

// outsideUser is who commands are on this machine.
func outsideUser() (uid, gid int) {
	if asRoot() {
		return outsideID, outsideID
	}
	return os.Geteuid(), os.Getegid()
}

// Own gives the tree at path to the user that commands run as, so that they may write it.
// It does nothing unless the program runs as root and commands are confined.
func (s *Sandbox) Own(path string) error {
	if !asRoot() || s.kind == KindNone {
		return nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return fmt.Errorf("sandbox: own %s: %w", path, err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return root.Lchown(name, outsideID, outsideID)
	})
	if err != nil {
		return fmt.Errorf("sandbox: own %s: %w", path, err)
	}
	return nil
}

// handOver lets a command open its own end of a pipe again, as /dev/stdout is.
func handOver(pipe *os.File) {
	if asRoot() {
		pipe.Chown(outsideID, outsideID) //nolint:errcheck // it works without, but for /dev/stdout
	}
}

// reachable reports whether the user that commands run as may read the directory or file
// and enter every directory above it.
func reachable(path string) bool {
	uid, gid := outsideUser()
	if !asRoot() {
		f, err := os.Open(path)
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !allowed(real, uid, gid, 0o5) {
		return false
	}
	for real != "/" {
		real = filepath.Dir(real)
		if !allowed(real, uid, gid, 0o1) {
			return false
		}
	}
	return true
}

// allowed reports whether the permission bits allow want (1 enter, 4 read).
func allowed(path string, uid, gid int, want fs.FileMode) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		want &^= 0o1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	mode := info.Mode().Perm()
	switch {
	case int(st.Uid) == uid:
		mode >>= 6
	case int(st.Gid) == gid:
		mode >>= 3
	}
	return mode&want == want
}

// dieWithParent ends the process when the thread that starts it does.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
