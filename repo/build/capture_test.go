package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
