package seccomp

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Return values of the filter.
const (
	answerKill   = 0x80000000
	answerErrno  = 0x00050000
	answerAllow  = 0x7fff0000
	answerEPERM  = answerErrno | uint32(unix.EPERM)
	answerENOSYS = answerErrno | uint32(unix.ENOSYS)
)

// Offsets of the fields in the input of a filter (struct seccomp_data). Arguments have 64 bits and are
// little-endian on both architectures.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
	offsetArg1   = 24
)

// newSpaces are the clone flags that create name spaces. Most kernel exploits need the rights that a process
// has inside them.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// deniedCalls fail with EPERM: they reach other processes, mounts, name spaces or kernel internals, or bypass
// a filter. Builds, tests, git, Node and Python work without them.
var deniedCalls = append([]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
}, deniedHere...)

// allowedFamilies are the socket families that stay within a network name space. VSOCK is not bound to one
// and reaches the host.
var allowedFamilies = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// NewFilter returns the filter program of all kinds.
func NewFilter() ([]bpf.RawInstruction, error) {
	var f filter
	f.loadWord(offsetArch)
	f.answerUnless(thisArch, answerKill) // the numbers of another architecture mean other calls
	f.loadWord(offsetNumber)
	f.refuseForeignNumbers()
	// clone3 has its flags in memory, which a filter cannot read; with ENOSYS, libraries fall back to clone.
	f.answerIf(unix.SYS_CLONE3, answerENOSYS)
	for _, nr := range deniedCalls {
		f.answerIf(nr, answerEPERM)
	}
	f.inspectCall(unix.SYS_CLONE, offsetArg0, func(b *filter) {
		b.add(bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newSpaces, SkipTrue: 1}, bpf.RetConstant{Val: answerEPERM})
	})
	f.inspectCall(unix.SYS_IOCTL, offsetArg1, func(b *filter) { // calls that type into a terminal
		b.answerIf(unix.TIOCSTI, answerEPERM)
		b.answerIf(unix.TIOCLINUX, answerEPERM)
	})
	for _, nr := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		f.inspectCall(nr, offsetArg0, func(b *filter) {
			for _, family := range allowedFamilies {
				b.answerIf(family, answerAllow)
			}
			b.add(bpf.RetConstant{Val: answerEPERM})
		})
	}
	f.add(bpf.RetConstant{Val: answerAllow})
	raw, err := bpf.Assemble(f.program)
	if err != nil {
		return nil, fmt.Errorf("sandbox: seccomp filter: %w", err)
	}
	return raw, nil
}

// A filter is a program under construction.
type filter struct{ program []bpf.Instruction }

func (f *filter) add(i ...bpf.Instruction) { f.program = append(f.program, i...) }

func (f *filter) loadWord(offset uint32) { f.add(bpf.LoadAbsolute{Off: offset, Size: 4}) }

// answerIf adds: return ret if the loaded word is val.
func (f *filter) answerIf(val, ret uint32) {
	f.add(bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: val, SkipTrue: 1}, bpf.RetConstant{Val: ret})
}

// answerUnless adds: return ret unless the loaded word is val.
func (f *filter) answerUnless(val, ret uint32) {
	f.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: val, SkipTrue: 1}, bpf.RetConstant{Val: ret})
}

// inspectCall adds a check of one argument of the call nr. The call number must be loaded, and stays loaded
// for other calls.
func (f *filter) inspectCall(nr, argument uint32, body func(*filter)) {
	var b filter
	b.loadWord(argument)
	body(&b)
	b.add(bpf.RetConstant{Val: answerAllow})
	f.add(bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: nr, SkipTrue: uint8(len(b.program))})
	f.add(b.program...)
}

// EncodeFilter returns the filter in the format of bwrap: a sequence of struct sock_filter.
func EncodeFilter() ([]byte, error) {
	raw, err := NewFilter()
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, i := range raw {
		out = binary.NativeEndian.AppendUint16(out, i.Op)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, i.K)
	}
	return out, nil
}
