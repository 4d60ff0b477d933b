package seccomp

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// decide runs the filter on one call in the virtual machine of the bpf library.
func decide(t *testing.T, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	raw, err := NewFilter()
	require.NoError(t, err)
	program, ok := bpf.Disassemble(raw)
	require.True(t, ok)
	vm, err := bpf.NewVM(program)
	require.NoError(t, err)
	// That machine reads words in big-endian order, one by one; in an argument, the low word comes first.
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
		{"read", thisArch, unix.SYS_READ, nil, answerAllow},
		{"execve", thisArch, unix.SYS_EXECVE, nil, answerAllow},
		{"foreign architecture", unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, answerKill},
		{"clone a thread", thisArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_FS}, answerAllow},
		{"clone a user name space", thisArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | unix.CLONE_VM}, answerEPERM},
		{"clone a network", thisArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWNET}, answerEPERM},
		{"clone3", thisArch, unix.SYS_CLONE3, nil, answerENOSYS},
		{"ioctl of a size", thisArch, unix.SYS_IOCTL, []uint64{1, unix.TIOCGWINSZ}, answerAllow},
		{"ioctl that types", thisArch, unix.SYS_IOCTL, []uint64{1, unix.TIOCSTI}, answerEPERM},
		{"ioctl that types, high bits", thisArch, unix.SYS_IOCTL, []uint64{1, 1<<32 | unix.TIOCSTI}, answerEPERM},
		{"socket, internet", thisArch, unix.SYS_SOCKET, []uint64{unix.AF_INET}, answerAllow},
		{"socket, local", thisArch, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, answerAllow},
		{"socket, host", thisArch, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, answerEPERM},
		{"socket, high bits", thisArch, unix.SYS_SOCKET, []uint64{1<<32 | unix.AF_VSOCK}, answerEPERM},
		{"socket pair, host", thisArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_VSOCK}, answerEPERM},
	}
	for _, c := range cases {
		require.Equal(t, c.want, decide(t, c.arch, c.nr, c.args...), c.name)
	}
	for _, nr := range deniedCalls {
		require.Equal(t, answerEPERM, decide(t, thisArch, nr), "call %d", nr)
	}
}

func TestFilterIsOneForBothKinds(t *testing.T) {
	t.Parallel()
	raw, err := NewFilter()
	require.NoError(t, err)
	written, err := EncodeFilter()
	require.NoError(t, err)
	require.Len(t, written, 8*len(raw))
	require.Less(t, len(raw), 4096, "what the kernel takes")
}
