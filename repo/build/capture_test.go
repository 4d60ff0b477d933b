package build

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	t.Parallel()
	c := capture{half: 100}
	for i := range 10_000 {
		fmt.Fprintf(&c, "line %d\n", i)
	}
	got := c.String()
	require.True(t, strings.HasPrefix(got, "line 0\n"))
	require.True(t, strings.HasSuffix(got, "line 9999\n"))
	require.Contains(t, got, "left out")
	require.Less(t, len(got), 400)

	whole := capture{half: 100}
	fmt.Fprint(&whole, strings.Repeat("x", 150))
	require.Equal(t, strings.Repeat("x", 150), whole.String())
}

// TestALongOutputIsKeptWhole writes as much as the sandbox lets a command print: all of it is counted.
func TestALongOutputIsKeptWhole(t *testing.T) {
	t.Parallel()
	most := sandbox.Limits{}.WithDefaults().Output
	c := capture{half: captureHalf}
	part := bytes.Repeat([]byte("a line of output\n"), 1<<16)
	for c.printed()+int64(len(part)) <= most {
		c.Write(part)
	}
	require.Zero(t, c.lost)
	for range 1 + captureHalf/len(part) { // the control
		c.Write(part)
	}
	require.NotZero(t, c.lost)
}
