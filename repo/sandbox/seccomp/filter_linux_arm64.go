package seccomp

import "golang.org/x/sys/unix"

const thisArch = unix.AUDIT_ARCH_AARCH64

// deniedHere are calls that only this architecture has.
var deniedHere []uint32

// refuseForeignNumbers does nothing: this architecture has one set of numbers.
func (f *filter) refuseForeignNumbers() {}
