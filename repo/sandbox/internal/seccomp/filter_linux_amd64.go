package seccomp

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const thisArch = unix.AUDIT_ARCH_X86_64

// deniedHere lists denied calls that only this architecture has.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE}

// refuseForeignNumbers refuses the x32 numbers, which are second numbers for the same calls.
func (f *filter) refuseForeignNumbers() {
	const x32 = 0x40000000
	f.add(bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1}, bpf.RetConstant{Val: answerENOSYS})
}
