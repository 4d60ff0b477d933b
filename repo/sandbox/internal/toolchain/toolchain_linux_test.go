package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user/usertest"
)

func TestToolchainsThatWouldShowTooMuch(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	for _, dir := range []string{"/", "/home", "/home/somebody", "/root", "/etc", "/var", "/tmp"} {
		require.True(t, showsTooMuch(dir), dir)
	}
	for _, dir := range []string{"/opt/go", "/home/somebody/sdk/go", "/tmp/go", "/home/other/go"} {
		require.False(t, showsTooMuch(dir), dir)
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
	tools := Find(t.Context(), []string{closed, "/", filepath.Join(dir, "missing")})
	require.Empty(t, tools.Dirs)
	require.Empty(t, tools.path)
}

func TestLastEntryOfTheEnvironmentStays(t *testing.T) {
	t.Parallel()
	env := CleanEnv(Set{path: []string{"/opt/go/bin"}}, []string{"CI=2", "X=1", "X=3"})
	require.Contains(t, env, "CI=2")
	require.NotContains(t, env, "CI=1")
	require.Contains(t, env, "X=3")
	require.Contains(t, env, "PATH=/opt/go/bin:"+cleanPath)
	env = CleanEnv(Set{path: []string{"/opt/go/bin"}}, []string{"PATH=/a:$PATH", "PATH=/b:$PATH"})
	require.Contains(t, env, "PATH=/b:/a:/opt/go/bin:"+cleanPath)
}

func TestAsAnOrdinaryUser(t *testing.T) {
	require.Contains(t, usertest.Rerun(t, nil, "-test.skip", "TestAsAnOrdinaryUser"), "--- PASS: TestToolchainsThatCommandsCannotRead")
}
