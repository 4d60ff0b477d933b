package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// openFiles is how many descriptors a process may have.
const openFiles = 4096

// cpuSeconds is how much processor time one process may take: what all processors can
// give in the time allowed. It is the brake behind the clock.
func (l Limits) cpuSeconds() int64 {
	return int64(l.Time/time.Second+1) * int64(runtime.NumCPU())
}

// confine takes from this process, and so from the command that it will start, whatever
// it needed to build. All threads lose it.
//
// The fresh /proc has to be mounted by now: with cgo, the library that reaches all threads
// finds them there, and looks for ever in the /proc of another process name space.
func confine(o orders) error {
	unix.Umask(0o022)
	for _, step := range []func(orders) error{limit, confineFiles, dropCapabilities, filterCalls} {
		if err := step(o); err != nil {
			return err
		}
	}
	return nil
}

// limit sets the limits that the kernel keeps for us.
func limit(o orders) error {
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) //nolint:errcheck // in need, commands go first; where we may not say so, they may not
	for resource, value := range map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  uint64(o.FileSize),
		unix.RLIMIT_NOFILE: openFiles,
		unix.RLIMIT_NPROC:  uint64(o.Processes),
		unix.RLIMIT_CPU:    uint64(o.Seconds),
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
		value = min(value, now.Max)
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// confineFiles adds landlock to the mounts: a second wall, which does not fall with the
// first. Kernels without it have the mounts alone.
func confineFiles(o orders) error {
	rules := []landlock.Rule{
		landlock.RODirs("/"),
		landlock.RWDirs("/tmp", "/home/box").WithRefer(),
		landlock.RWDirs("/dev").WithIoctlDev(),
	}
	for _, b := range o.Layout.Binds {
		if !b.Writable {
			continue
		}
		info, err := os.Stat(b.Inside)
		if err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
		if info.IsDir() {
			rules = append(rules, landlock.RWDirs(b.Inside).WithRefer())
		} else {
			rules = append(rules, landlock.RWFiles(b.Inside))
		}
	}
	if err := landlock.V7.BestEffort().RestrictPaths(rules...); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := landlock.V7.BestEffort().RestrictScoped(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// landlockVersion says which landlock there is.
func landlockVersion() string {
	v, err := landlocksys.LandlockGetABIVersion()
	if err != nil || v < 1 {
		return "no landlock"
	}
	return fmt.Sprintf("landlock v%d", v)
}

// dropCapabilities empties the bounding set of this thread, from which the command
// comes, and every other set of all threads.
func dropCapabilities(orders) error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err == nil && has == 0 {
			continue // somebody took it before, maybe with the right to take
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: an older kernel has fewer
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if errno != 0 {
		return fmt.Errorf("drop capabilities: %w", errno)
	}
	// Nothing inside may look into this process, not even where a wall falls.
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// filterCalls puts the seccomp filter on all threads, for good.
func filterCalls(orders) error {
	raw, err := seccompFilter()
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const allThreads = 1 // SECCOMP_FILTER_FLAG_TSYNC
	stuck, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, allThreads, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if stuck != 0 {
		return errors.New("seccomp: a thread could not be reached")
	}
	return nil
}
