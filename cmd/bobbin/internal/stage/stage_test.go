package stage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// TestMakeDir checks that a folder which is empty or new can be entered by the sandbox's user, and that
// somebody's own folder with something in it keeps its mode.
func TestMakeDir(t *testing.T) {
	t.Parallel()
	mode := func(dir string) os.FileMode {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		return info.Mode() & (os.ModePerm | os.ModeSticky)
	}
	made, err := stage.MakeDir("")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(made) })
	require.Equal(t, os.FileMode(0o755), mode(made))

	for _, c := range []struct {
		before, empty, held os.FileMode
	}{
		{0o700, 0o755, 0o700},
		{0o777 | os.ModeSticky, 0o777 | os.ModeSticky, 0o777 | os.ModeSticky},
	} {
		dir := filepath.Join(t.TempDir(), "given")
		for _, want := range []os.FileMode{c.empty, c.held} {
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, os.Chmod(dir, c.before))
			_, err := stage.MakeDir(dir)
			require.NoError(t, err)
			require.Equal(t, want, mode(dir))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
		}
	}
}
