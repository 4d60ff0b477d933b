package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/diff"
)

func TestAddedLinesAndTheirNumbers(t *testing.T) {
	t.Parallel()
	text, lines := addedLines(diff.Hunk{NewStart: 7, Text: "@@ -7,3 +7,4 @@ func f()\n a\n-b\n+c\n+d\n e\n+f\n\\ No newline at end of file\n"})
	require.Equal(t, "c\nd\nf\n", text)
	require.Equal(t, []int{8, 9, 11}, lines)
}
