package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// unitCalls are the calls that systemd refuses for the settings of deploy/bobbin.service, apart from those of
// which it looks at an argument. DynamicUser switches RestrictSUIDSGID on, which refuses openat2 as a kernel
// does that does not know it.
var unitCalls = map[uint32]unix.Errno{
	// RestrictSUIDSGID
	unix.SYS_OPENAT2: unix.ENOSYS,
	// ProtectClock
	unix.SYS_ADJTIMEX: unix.EPERM, unix.SYS_CLOCK_ADJTIME: unix.EPERM, unix.SYS_CLOCK_SETTIME: unix.EPERM,
	unix.SYS_SETTIMEOFDAY: unix.EPERM,
	// ProtectKernelModules
	unix.SYS_INIT_MODULE: unix.EPERM, unix.SYS_FINIT_MODULE: unix.EPERM, unix.SYS_DELETE_MODULE: unix.EPERM,
}

// hostnameCalls are the calls that ProtectHostname refuses.
var hostnameCalls = map[uint32]unix.Errno{
	unix.SYS_SETHOSTNAME:   unix.EPERM,
	unix.SYS_SETDOMAINNAME: unix.EPERM,
}

// The sandbox works with the filters of the systemd unit that we ship, which all commands inherit. The
// control is ProtectHostname, which the unit therefore has not.
func TestItWorksInOurUnit(t *testing.T) {
	t.Parallel()
	for kind := range opened() {
		if kind != KindNamespaces && kind != KindBubblewrap {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			out, err := openInUnit(kind, "")
			require.NoError(t, err, out)
			out, err = openInUnit(kind, "ProtectHostname")
			require.Error(t, err)
			require.Contains(t, out, "host")
		})
	}
}

// openInUnit opens a sandbox in a process that has the filters of the unit, and of one more setting.
func openInUnit(kind, setting string) (string, error) {
	cmd := exec.Command("/proc/self/exe", setting)
	cmd.Env = append(os.Environ(), "BOBBIN_TEST_UNIT="+kind)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// beUnit is the process of openInUnit.
func beUnit(kind string) {
	calls := []map[uint32]unix.Errno{unitCalls}
	if os.Args[1] != "" {
		calls = append(calls, hostnameCalls)
	}
	err := refuseCalls(calls...)
	if err == nil {
		_, err = Open(ctxForever, configOf(kind)) // which runs the probes
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// refuseCalls makes all threads of this process and its children get these errors from these calls.
func refuseCalls(calls ...map[uint32]unix.Errno) error {
	program := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}}
	for _, some := range calls {
		for call, answer := range some {
			program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
				bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(answer)})
		}
	}
	raw, err := bpf.Assemble(append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return errno
	}
	return nil
}
