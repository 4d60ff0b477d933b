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

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/seccomp"
)

// Rules are what the process and its commands may still do.
type Rules struct {
	Writable  []string // files and directories, as they are called inside
	FileSize  int64
	Processes int
	Seconds   int64 // of processor time a process
}

// Apply takes from this process, and so from the command that it will start, whatever
// it needed to build. All threads lose it.
//
// The fresh /proc has to be mounted by now: with cgo, the library that reaches all threads
// finds them there, and looks for ever in the /proc of another process name space.
func Apply(r Rules) error {
	unix.Umask(0o022)
	for _, step := range []func(Rules) error{setLimits, confineFiles, dropCapabilities, filterCalls} {
		if err := step(r); err != nil {
			return err
		}
	}
	return nil
}

// setLimits sets the limits that the kernel keeps for us.
func setLimits(r Rules) error {
	return LowerLimits(map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  uint64(r.FileSize),
		unix.RLIMIT_NOFILE: backend.OpenFiles,
		unix.RLIMIT_NPROC:  uint64(r.Processes),
		unix.RLIMIT_CPU:    uint64(r.Seconds),
	})
}

// LowerLimits lowers rlimits of this process and of those that it will start, and has the
// kernel end them before others when the machine is short of memory.
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

// confineFiles adds landlock as a second wall behind the mounts. Kernels without landlock
// have the mounts alone.
func confineFiles(r Rules) error {
	rules := []landlock.Rule{
		landlock.RODirs("/"),
		landlock.RWDirs("/tmp", "/home/box").WithRefer(),
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

// DescribeLandlock names the version of landlock that this kernel has.
func DescribeLandlock() string {
	v, err := landlocksys.LandlockGetABIVersion()
	if err != nil || v < 1 {
		return "no landlock"
	}
	return fmt.Sprintf("landlock v%d", v)
}

// dropCapabilities empties the bounding set of this thread, from which the command
// comes, and every other set of all threads.
func dropCapabilities(Rules) error {
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
