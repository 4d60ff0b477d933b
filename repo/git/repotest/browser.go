package repotest

import (
	"os"
	"os/exec"
	"testing"
)

// Browser returns the path of a Chromium. If there is none it skips the test, but fails it in CI: make deps
// installs a Chromium where it can, and names it elsewhere. The headless shell comes first, since it needs half
// of the processor time.
func Browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("chromium is not installed, and CI has to run this test")
	}
	t.Skip("chromium is not installed: no page can be shown")
	return ""
}
