package sandbox

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// decide runs the filter on one call in the library's own machine.
func decide(t *testing.T, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	raw, err := seccompFilter()
	require.NoError(t, err)
	program, ok := bpf.Disassemble(raw)
	require.True(t, ok)
	vm, err := bpf.NewVM(program)
	require.NoError(t, err)
	// That machine reads words as a network does, one by one; arguments have their low word first.
	call := binary.BigEndian.AppendUint32(nil, nr)
	call = binary.BigEndian.AppendUint32(call, arch)
	call = binary.BigEndian.AppendUint64(call, 0)
	for i := range 6 {
		var arg uint64
		if i < len(args) {
			arg = args[i]
		}
		call = binary.BigEndian.AppendUint32(call, uint32(arg))
		call = binary.BigEndian.AppendUint32(call, uint32(arg>>32))
	}
	verdict, err := vm.Run(call)
	require.NoError(t, err)
	return uint32(verdict)
}

func TestFilterDecides(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		arch uint32
		nr   uint32
		args []uint64
		want uint32
	}{
		{"read", seccompArch, unix.SYS_READ, nil, seccompAllow},
		{"execve", seccompArch, unix.SYS_EXECVE, nil, seccompAllow},
		{"foreign architecture", unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, seccompKill},
		{"clone a thread", seccompArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_FS}, seccompAllow},
		{"clone a user name space", seccompArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | unix.CLONE_VM}, seccompEPERM},
		{"clone a network", seccompArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWNET}, seccompEPERM},
		{"clone3", seccompArch, unix.SYS_CLONE3, nil, seccompENOSYS},
		{"ioctl of a size", seccompArch, unix.SYS_IOCTL, []uint64{1, unix.TIOCGWINSZ}, seccompAllow},
		{"ioctl that types", seccompArch, unix.SYS_IOCTL, []uint64{1, unix.TIOCSTI}, seccompEPERM},
		{"ioctl that types, high bits", seccompArch, unix.SYS_IOCTL, []uint64{1, 1<<32 | unix.TIOCSTI}, seccompEPERM},
		{"socket, internet", seccompArch, unix.SYS_SOCKET, []uint64{unix.AF_INET}, seccompAllow},
		{"socket, local", seccompArch, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, seccompAllow},
		{"socket, host", seccompArch, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, seccompEPERM},
		{"socket, high bits", seccompArch, unix.SYS_SOCKET, []uint64{1<<32 | unix.AF_VSOCK}, seccompEPERM},
		{"socket pair, host", seccompArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_VSOCK}, seccompEPERM},
	}
	for _, c := range cases {
		require.Equal(t, c.want, decide(t, c.arch, c.nr, c.args...), c.name)
	}
	for _, nr := range deniedCalls {
		require.Equal(t, seccompEPERM, decide(t, seccompArch, nr), "call %d", nr)
	}
}

func TestFilterIsOneForBothKinds(t *testing.T) {
	t.Parallel()
	raw, err := seccompFilter()
	require.NoError(t, err)
	written, err := seccompBytes()
	require.NoError(t, err)
	require.Len(t, written, 8*len(raw))
	require.Less(t, len(raw), 4096, "what the kernel takes")
}
