package lockdown

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/seccomp"
)

// Rules say what the process and its commands may still do.
type Rules struct {
	Writable  []string // files and directories, by their paths inside
	FileSize  int64
	Processes int
	Seconds   int64 // processor time of each process
}

// Apply takes from all threads of this process, and so from the command that it will start, all rights that
// were needed to build the sandbox.
//
// The new /proc must be mounted before. With cgo, the library that reaches all threads looks for them in
// /proc, and searches for ever in the /proc of another process name space.
func Apply(r Rules) error {
	unix.Umask(0o022)
	for _, step := range []func(Rules) error{setLimits, confineFiles, dropCapabilities, filterCalls} {
		if err := step(r); err != nil {
			return err
		}
	}
	return nil
}

// setLimits sets the limits that the kernel enforces.
func setLimits(r Rules) error {
	return LowerLimits(map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  uint64(r.FileSize),
		unix.RLIMIT_NOFILE: backend.OpenFiles,
		unix.RLIMIT_NPROC:  uint64(r.Processes),
		unix.RLIMIT_CPU:    uint64(r.Seconds),
	})
}

// LowerLimits lowers rlimits of this process and of the processes that it will start. It also makes the
// kernel kill them before others when the machine runs out of memory.
func LowerLimits(limits map[int]uint64) error {
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) //nolint:errcheck // where we may not say so, they may not
	for resource, value := range limits {
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

// confineFiles restricts file access with landlock, in addition to the mounts. Kernels without landlock have
// only the mounts.
func confineFiles(r Rules) error {
	rules := []landlock.Rule{
		landlock.RODirs("/"),
		landlock.RWDirs("/tmp", backend.Home).WithRefer(),
		landlock.RWDirs("/dev").WithIoctlDev(),
	}
	for _, path := range r.Writable {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
		if info.IsDir() {
			rules = append(rules, landlock.RWDirs(path).WithRefer())
		} else {
			rules = append(rules, landlock.RWFiles(path))
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

// DescribeLandlock returns the landlock version of this kernel.
func DescribeLandlock() string {
	v, err := landlocksys.LandlockGetABIVersion()
	if err != nil || v < 1 {
		return "no landlock"
	}
	return fmt.Sprintf("landlock v%d", v)
}

// dropCapabilities empties the bounding set of this thread, which starts the command, and all other
// capability sets of all threads.
func dropCapabilities(Rules) error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err == nil && has == 0 {
			continue // it is dropped already, maybe together with the right to drop
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
	// Processes inside must not be able to inspect this process, even if another protection fails.
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// filterCalls installs the seccomp filter on all threads. It cannot be removed.
func filterCalls(Rules) error {
	raw, err := seccomp.NewFilter()
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
