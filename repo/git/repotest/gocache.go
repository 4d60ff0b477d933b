package repotest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// usesLibrary is a module that imports the packages of Go's standard library that small modules use.
var usesLibrary = Files{
	"go.mod": "module library\n\ngo 1.24\n",
	"main.go": `package main

import (
	_ "bufio"
	_ "bytes"
	_ "context"
	_ "encoding/json"
	_ "errors"
	_ "fmt"
	_ "io"
	_ "math"
	_ "os"
	_ "slices"
	_ "sort"
	_ "strconv"
	_ "strings"
	_ "sync"
	_ "time"
)

func main() {}
`,
	"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) {}\n",
}

// GoCacheDir returns the folder on this machine that holds the Go build cache of commands with these mounts
// and environment, or an empty string.
func GoCacheDir(mounts []sandbox.Mount, env []string) string {
	for _, e := range env {
		for _, m := range mounts {
			if e == "GOCACHE="+m.Inside {
				return m.Host
			}
		}
	}
	return ""
}

// SeedGoCache puts Go's compiled standard library into a Go build cache. The library is compiled in the
// sandbox once for each version and setting of Go and kept in the user's cache folder: compiling it takes fifty times
// as long as most tests, and tests nothing.
func SeedGoCache(ctx context.Context, box *sandbox.Sandbox, dir string) error {
	user, err := os.UserCacheDir()
	if err != nil {
		return nil // there is no folder to keep it in
	}
	kept := filepath.Join(user, "bobbin-tests")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	lock, err := disk.Exclusive(ctx, filepath.Join(kept, "lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	settings, err := goSettings(ctx, box)
	if err != nil {
		return nil // without Go no test builds anything
	}
	sum := sha256.Sum256([]byte(settings + box.Kind() + ", with Go's index"))
	library := filepath.Join(kept, hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(library); errors.Is(err, fs.ErrNotExist) {
		if err := compileLibrary(ctx, box, library); err != nil {
			return err
		}
	}
	if err := copyFiles(dir, library); err != nil {
		return err
	}
	return box.Own(dir)
}

// goSettings returns what the compiled library depends on, as commands in the sandbox have it.
func goSettings(ctx context.Context, box *sandbox.Sandbox) (string, error) {
	dir, err := os.MkdirTemp("", "settings-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	var out strings.Builder
	cmd := box.Command(dir, "go", "env", "GOVERSION", "GOROOT", "CGO_ENABLED", "GOFLAGS")
	cmd.Stdout = &out
	err = cmd.Run(ctx)
	return out.String(), err
}

func compileLibrary(ctx context.Context, box *sandbox.Sandbox, library string) error {
	work, err := os.MkdirTemp("", "library-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	files, cache := filepath.Join(work, "files"), filepath.Join(work, "cache")
	if err := errors.Join(os.Chmod(work, 0o755), os.Mkdir(cache, 0o755), usesLibrary.Write(files), box.Own(files), box.Own(cache)); err != nil {
		return err
	}
	var out strings.Builder
	cmd := box.Command(files, "sh", "-c", "go build ./... && go test ./...")
	cmd.Mounts = []sandbox.Mount{{Host: cache, Inside: "/cache/gobuild", Writable: true}}
	cmd.Env = []string{"GOCACHE=/cache/gobuild", "GODEBUG=goindex=1"}
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(ctx); err != nil {
		return fmt.Errorf("compile Go's library: %w: %s", err, out.String())
	}
	complete := library + ".new" // a process that is killed leaves no half of a library
	if err := errors.Join(os.RemoveAll(complete), copyFiles(complete, cache)); err != nil {
		return err
	}
	return os.Rename(complete, library)
}

// copyFiles copies the files of one folder into another, which may have other files.
func copyFiles(to, from string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
