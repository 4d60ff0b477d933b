package build

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Caches holds the build caches of all repositories on this machine. It is safe for concurrent use, also by
// several processes with the same Dir.
type Caches struct {
	Dir     string           // the folder of the caches; if empty, repositories have no build cache
	Sandbox *sandbox.Sandbox // its commands write the caches; nil: none do
	Log     *slog.Logger     // default: discarded
	// ModuleCache is a Go module cache of this machine that commands can read; "-" means none. Default: the
	// module cache of the user that the program runs as, if it exists.
	ModuleCache string
	// Packages fetches the packages that repositories name. If it is nil, no packages are fetched.
	Packages *packages.Fetcher
	// Tools finds the installed versions of tools. If it is nil, what was found is not remembered.
	Tools *environment.Tools
}

func (c *Caches) tools() *environment.Tools {
	if c.Tools == nil {
		return &environment.Tools{}
	}
	return c.Tools
}

// For returns the cache of m's repository, without packages. If m is nil, commands start with empty caches.
func (c *Caches) For(m *git.Mirror) *Cache { return &Cache{caches: c, mirror: m} }

func (c *Caches) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// GoModules returns the folder of this machine's Go module cache that commands can read, or an empty string
// if there is none.
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

// cargoRegistry returns the folder of the crates that cargo has fetched on this machine. The rest of cargo's
// home folder holds credentials and is never mounted.
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

// readableFolder returns dir if it is absolute and a readable folder, or else an empty string.
func readableFolder(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	if _, err := os.ReadDir(dir); err != nil {
		return ""
	}
	return dir
}
