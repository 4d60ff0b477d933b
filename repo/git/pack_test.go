package git

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestLargeBlobsAreStreamed(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, objects.StreamFrom+4321)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"big.bin": string(noise)})
	w := workspaceOf(t, o)
	got, err := os.ReadFile(filepath.Join(w.Files(), "big.bin"))
	require.NoError(t, err)
	require.Equal(t, noise, got)
	require.Empty(t, w.list(t))
}
