package output

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, total := range []int{0, 10, keptInMemory, 2*keptInMemory + 5, 9 * keptInMemory} {
		file, err := os.Create(filepath.Join(t.TempDir(), "all"))
		require.NoError(t, err)
		c := &Capture{file: file}
		var all strings.Builder
		for all.Len() < total {
			part := strings.Repeat(fmt.Sprintf("%d ", all.Len()), 1+r.IntN(5000))
			all.WriteString(part)
			n, err := c.Write([]byte(part))
			require.NoError(t, err)
			require.Equal(t, len(part), n)
		}
		text, whole := c.Text(100, 100)
		require.Equal(t, all.Len() <= 200, whole)
		s := all.String()
		require.True(t, strings.HasPrefix(text, s[:min(100, len(s))]))
		require.True(t, strings.HasSuffix(text, s[max(0, len(s)-100):]))
		require.NoError(t, file.Close())
		kept, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		require.Equal(t, s, string(kept))
		require.LessOrEqual(t, len(c.head)+len(c.tail), 4*keptInMemory)
	}
}
