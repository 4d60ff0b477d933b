package probe

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bad is an argument that no system call accepts.
const bad = ^uintptr(0)

// refusesCall returns a probe that makes a system call, which must be refused whatever its arguments.
func refusesCall(name string, nr uintptr, args ...uintptr) probe {
	var a [6]uintptr
	copy(a[:], args)
	return probe{"call: " + name, func(bait) error {
		_, _, errno := syscall.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		return faultUnless(errno == unix.EPERM || errno == unix.ENOSYS, "answered %v", errno)
	}}
}

// faultUnless returns an error unless held is set.
func faultUnless(held bool, format string, args ...any) error {
	if held {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// checkRefused returns an error unless err is a refusal by the kernel.
func checkRefused(err error) error {
	return faultUnless(errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EROFS), "allowed: %v", err)
}

// hasStatus returns a check of a field in this process's status.
func hasStatus(field, want string) func(bait) error {
	return func(bait) error { return CheckStatus("/proc/self/status", field, want) }
}

// CheckStatus returns an error unless the field of a process status in file has the wanted value.
func CheckStatus(file, field, want string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return faultUnless(strings.TrimSpace(value) == want, "%s is %s", field, strings.TrimSpace(value))
		}
	}
	return fmt.Errorf("no %s in %s", field, file)
}

func hasLimit(resource int) func(bait) error {
	return func(bait) error {
		var l syscall.Rlimit
		err := syscall.Getrlimit(resource, &l)
		return faultUnless(err == nil && l.Max <= 1<<40, "up to %d, %v", l.Max, err)
	}
}

// How long a connection may take. On this machine it is accepted or refused at once, so only a busy machine
// needs time: too little would report that an open way is closed. Packets to the internet may be lost without
// an answer.
const (
	onThisMachine = 20 * time.Second
	onTheInternet = time.Second
)

func noConnection(network, address string, within time.Duration) error {
	c, err := net.DialTimeout(network, address, within)
	if err != nil {
		return nil
	}
	c.Close()
	return fmt.Errorf("connected to %s", address)
}

func refusesFamily(number int) func(bait) error {
	return func(bait) error {
		fd, err := unix.Socket(number, unix.SOCK_DGRAM, 0)
		if err == nil {
			unix.Close(fd)
		}
		return faultUnless(errors.Is(err, unix.EPERM), "answered %v", err)
	}
}

// checkUnreadable returns an error if a file can be read or a directory listed.
func checkUnreadable(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	f.Close()
	return fmt.Errorf("%s can be read", path)
}

func checkUnwritable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	f.Close()
	return fmt.Errorf("%s can be written", path)
}

func refusesFile(path string) func(bait) error {
	return func(bait) error {
		err := os.WriteFile(path, nil, 0o600)
		if err == nil {
			os.Remove(path)
		}
		return faultUnless(err != nil, "%s can be written", path)
	}
}

func allowsFile(dir string) func(bait) error {
	return func(bait) error {
		path := filepath.Join(dir, ".probe")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			return err
		}
		return os.Remove(path)
	}
}

func hasSize(dir string, most uint64) func(bait) error {
	return func(bait) error {
		var st unix.Statfs_t
		err := unix.Statfs(dir, &st)
		return faultUnless(err == nil && st.Type == unix.TMPFS_MAGIC && st.Blocks*uint64(st.Bsize) <= most, "%d bytes, %v", st.Blocks*uint64(st.Bsize), err)
	}
}

func hasMountFlag(dir string, flag int64) func(bait) error {
	return func(bait) error {
		var st unix.Statfs_t
		err := unix.Statfs(dir, &st)
		return faultUnless(err == nil && int64(st.Flags)&flag != 0, "not switched off, %v", err)
	}
}

// inheritedFiles returns an error if this process has inherited descriptors other than its three streams.
func inheritedFiles(bait) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		link, _ := os.Readlink("/proc/self/fd/" + e.Name())
		switch {
		case len(e.Name()) == 1 && e.Name() < "3", link == "", strings.HasPrefix(link, "anon_inode:"), strings.HasPrefix(link, "/proc/"), strings.HasPrefix(link, "/sys/fs/cgroup/"): // Go reads the number of processors from the control group
		default:
			return fmt.Errorf("descriptor %s is %s", e.Name(), link)
		}
	}
	return nil
}

// leadsToToolchain reports whether something is mounted at dir or below it, so that dir must be visible.
func leadsToToolchain(dir string) bool {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		if at := strings.Fields(line); len(at) > 4 && (at[4] == dir || strings.HasPrefix(at[4], dir+"/")) {
			return true
		}
	}
	return false
}
