package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestToolchainsThatWouldShowTooMuch(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	for _, dir := range []string{"/", "/home", "/home/somebody", "/root", "/etc", "/var", "/tmp"} {
		require.True(t, tooWide(dir), dir)
	}
	for _, dir := range []string{"/opt/go", "/home/somebody/sdk/go", "/tmp/go", "/home/other/go"} {
		require.False(t, tooWide(dir), dir)
	}
}

func TestToolchainsThatCommandsCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(closed, "bin"), 0o700))
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(closed, 0))
		t.Cleanup(func() { os.Chmod(closed, 0o700) }) //nolint:errcheck // the directory is thrown away
	}
	tools := findToolchains(t.Context(), []string{closed, "/", filepath.Join(dir, "missing")})
	require.Empty(t, tools.dirs)
	require.Empty(t, tools.path)
}

func TestToolchainIsSeenInside(t *testing.T) {
	dir, err := os.MkdirTemp("", "bobbin-tool-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "greet"), []byte("#!/bin/sh\necho greeted; touch $0x\n"), 0o755))
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

func TestLastEntryOfTheEnvironmentStays(t *testing.T) {
	t.Parallel()
	env := cleanEnv(toolchains{path: []string{"/opt/go/bin"}}, []string{"CI=2", "X=1", "X=3"})
	require.Contains(t, env, "CI=2")
	require.NotContains(t, env, "CI=1")
	require.Contains(t, env, "X=3")
	require.Contains(t, env, "PATH=/opt/go/bin:"+cleanPath)
}
