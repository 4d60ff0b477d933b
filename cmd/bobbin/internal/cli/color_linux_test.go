package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal returns the end of a pseudo-terminal that a program writes to.
func terminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return slave
}

func TestOnlyATerminalHasColors(t *testing.T) {
	t.Parallel()
	tty := terminal(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { read.Close(); write.Close() })
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	require.True(t, IsColored(tty, env("TERM", "xterm")))
	require.False(t, IsColored(tty, env("TERM", "xterm", "NO_COLOR", "1")))
	require.False(t, IsColored(tty, env("TERM", "dumb")))
	require.False(t, IsColored(write, env("TERM", "xterm")), "a pipe")
}

func TestLinesArePainted(t *testing.T) {
	t.Parallel()
	of := func(line string) Color {
		if strings.HasPrefix(line, "bad") {
			return Red
		}
		return Plain
	}
	for colored, want := range map[bool]string{
		true:  "good\n\x1b[31mbad thing\x1b[0m\nrest\n",
		false: "good\nbad thing\nrest\n",
	} {
		var out strings.Builder
		w := Console{Out: &out, Colored: colored}.Painted(of)
		for _, part := range []string{"good\nba", "d thing\n", "rest\n"} {
			_, err := w.Write([]byte(part))
			require.NoError(t, err)
		}
		require.Equal(t, want, out.String())
	}
}
