package plaintext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodeSpan(t *testing.T) {
	t.Parallel()
	require.Equal(t, "`money/split.go:13`", CodeSpan("money/split.go:13"))
	require.Equal(t, "`a'b <!channel>'`", CodeSpan("a`b <!channel>`"), "nothing of it is outside the code")
}
