package buildcache

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Caches are what this machine keeps for the builds of all repositories. They are safe for
// concurrent use, also by several processes over the same Dir.
type Caches struct {
	Dir     string           // the program's own; empty: a repository has no build cache
	Sandbox *sandbox.Sandbox // whose commands write the caches; nil: none do
	Log     *slog.Logger     // default: discarded
	// ModuleCache is a Go module cache of this machine that commands may read; "-" for
	// none. Default: the one of the user that the program runs as, where it exists.
	ModuleCache string
	// Packages fetches what repositories name; nil: nothing is fetched.
	Packages *packages.Fetcher
}

// For gives the cache of m's repository, with no packages at first. Without a repository,
// commands begin with empty caches.
func (c *Caches) For(m *repo.Mirror) *Cache { return &Cache{caches: c, mirror: m} }

func (c *Caches) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// GoModules is the Go module cache of this machine that commands may read, empty if there is
// none.
func (c *Caches) GoModules() string {
	dir := c.ModuleCache
	if dir == "" {
		dir = os.Getenv("GOMODCACHE")
	}
	if dir == "" {
		if paths := filepath.SplitList(os.Getenv("GOPATH")); len(paths) > 0 {
			dir = filepath.Join(paths[0], "pkg", "mod")
		}
	}
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, "go", "pkg", "mod")
	}
	return readableFolder(dir)
}

// cargoRegistry is the crates that this machine's cargo has fetched. The rest of its
// home holds credentials and is never shown.
func cargoRegistry() string {
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		home = filepath.Join(user, ".cargo")
	}
	return readableFolder(filepath.Join(home, "registry"))
}

// readableFolder returns dir if it is a folder that can be shown, else nothing.
func readableFolder(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	if _, err := os.ReadDir(dir); err != nil {
		return ""
	}
	return dir
}
