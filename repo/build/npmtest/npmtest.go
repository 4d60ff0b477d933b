// Package npmtest installs npm packages for tests, once for each content of a lock file, into the
// user's cache folder. The packages are outside the source tree and never committed.
package npmtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noNetwork = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network`)

// Modules installs what the package-lock.json in folder pins and returns the path of node_modules.
// Without npm or a network the test is skipped, or fails if CI is "true".
func Modules(t testing.TB, folder string) string {
	t.Helper()
	must := os.Getenv("CI") == "true"
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			require.False(t, must, "%s is not installed, and CI has to run this test", program)
			t.Skipf("%s is not installed: the modules of %s cannot be had", program, folder)
		}
	}
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	require.NoError(t, err)
	sum := sha256.Sum256(lock)
	base, err := os.UserCacheDir()
	if err != nil {
		base = t.TempDir()
	}
	base = filepath.Join(base, "bobbin-npmtest")
	final := filepath.Join(base, hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(final); err != nil {
		install(t, folder, base, final, must)
	}
	return filepath.Join(final, "node_modules")
}

func install(t testing.TB, folder, base, final string, must bool) {
	t.Helper()
	require.NoError(t, os.MkdirAll(base, 0o755))
	dir, err := os.MkdirTemp(base, "installing-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o644))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts")
	npm.Dir = dir
	out, err := npm.CombinedOutput()
	if err != nil && !must && noNetwork.Match(out) {
		t.Skipf("npm cannot reach its registry: the modules of %s cannot be had\n%s", folder, out)
	}
	require.NoError(t, err, "npm ci: %s", out)
	if os.Rename(dir, final) != nil { // another process was quicker
		require.DirExists(t, final)
	}
}
