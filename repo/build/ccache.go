package build

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

const (
	// ccacheDir is the folder of compiled C and C++ in a repository's folder. Only Baseline fills it.
	ccacheDir    = "ccache"
	insideCCache = "/cache/ccache"
	// ownCCache is where a command keeps what it compiles, unless it has a scratch cache.
	ownCCache = "/tmp/.ccache"
)

// ccacheMounts returns the mount and the variables by which ccache, if it is installed, takes compiled files
// from the repository's cache: what the base compiled, which commands of a change cannot write. A command's
// own local cache is in CCACHE_DIR.
func (c *Cache) ccacheMounts(writable bool) ([]sandbox.Mount, []string, error) {
	box := c.Sandbox()
	if c.mirror == nil || c.caches.Dir == "" || box == nil || box.Kind() == sandbox.KindNone {
		return nil, nil, nil
	}
	folder, err := c.folder()
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(folder, ccacheDir)
	if _, err := os.Stat(dir); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, nil, err
		}
		if err := box.Own(dir); err != nil {
			return nil, nil, err
		}
	}
	storage := "file:" + insideCCache
	if !writable {
		storage += "|read-only"
	}
	env := []string{"CCACHE_REMOTE_STORAGE=" + storage, "CCACHE_DIR=" + ownCCache, "CCACHE_MAXSIZE=2G"}
	if sharesPrograms(box) {
		env = append(env, "CMAKE_C_COMPILER_LAUNCHER=ccache", "CMAKE_CXX_COMPILER_LAUNCHER=ccache")
	}
	return []sandbox.Mount{{Host: dir, Inside: insideCCache, Writable: writable}}, env, nil
}

// sharesPrograms reports whether commands see this machine's programs, and ccache is among them.
func sharesPrograms(box *sandbox.Sandbox) bool {
	_, err := exec.LookPath("ccache")
	return err == nil && (box.Kind() == sandbox.KindBubblewrap || box.Kind() == sandbox.KindNamespaces)
}

// useCCache comes before the command lines of builds and tests: make and configure then call ccache, too, by
// the links that Debian installs. CMake would call it twice.
const useCCache = `if [ -n "$CCACHE_REMOTE_STORAGE" ] && [ -x /usr/lib/ccache/cc ]; then
	unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
	PATH="/usr/lib/ccache:$PATH"
fi
`
