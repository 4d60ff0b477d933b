package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestToolchainIsSeenInside(t *testing.T) {
	dir, err := os.MkdirTemp("", "bobbin-tool-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "greet"),
		[]byte("#!/bin/sh\necho greeted; touch $0x\n"), 0o755))
	for kind := range opened() {
		c := configOf(kind)
		c.Toolchains = []string{dir}
		s, err := Open(t.Context(), c)
		require.NoError(t, err)
		out, err := output(t, s.Command(workspace(t, s), "greet"))
		require.Error(t, err, "it cannot be written")
		require.Contains(t, out, "greeted")
	}
}
