package seccomp

import "golang.org/x/sys/unix"

const thisArch = unix.AUDIT_ARCH_AARCH64

// deniedHere lists denied calls that only this architecture has.
var deniedHere []uint32

// refuseForeignNumbers does nothing, because this architecture has only one set of numbers.
func (f *filter) refuseForeignNumbers() {}
