package harness

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// programs holds the binaries that this test process has built.
var programs struct {
	mu    sync.Mutex
	dir   string
	built map[string]*program // by the key of the Build
}

type program struct {
	once sync.Once
	path string
	err  error
}

// A Build says how a program is built that differs from the one that people run.
type Build struct {
	Tags string // build tags
	// GoFiles holds texts that take the place of files of Go's standard library, by their absolute path. The
	// product's own files are never replaced: a test that needs another product uses workflow/failpoint.
	GoFiles map[string]string
}

// Program returns the path of the program as people run it. It is built once for all tests of a package.
func Program(t testing.TB) string { return ProgramWith(t, Build{}) }

// ProgramWith returns the path of a program that was built as the Build says. Each Build is built once.
func ProgramWith(t testing.TB, how Build) string {
	t.Helper()
	root := Root(t)
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", how.Tags)
	for _, name := range how.names() {
		require.NotContains(t, name, root, "a file of the product")
		fmt.Fprintf(sum, "%s\x00%s\x00", name, how.GoFiles[name])
	}
	key := fmt.Sprintf("%x", sum.Sum(nil)[:8])
	programs.mu.Lock()
	if programs.built == nil {
		programs.built = map[string]*program{}
		dir, err := os.MkdirTemp("", "bobbin-programs-")
		require.NoError(t, err)
		require.NoError(t, os.Chmod(dir, 0o755))
		programs.dir = dir
	}
	p := programs.built[key]
	if p == nil {
		p = &program{path: filepath.Join(programs.dir, key, "bobbin")}
		programs.built[key] = p
	}
	programs.mu.Unlock()
	p.once.Do(func() { p.err = provide(root, p.path, how) })
	require.NoError(t, p.err)
	return p.path
}

// provide copies the program to path. It is built in a folder that all packages and later test runs share:
// go build does not link a program again that is there and up to date. .ci/deps removes old ones.
func provide(root, path string, how Build) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	caches, err := os.UserCacheDir()
	if err != nil { // there is no home
		return build(root, path, how)
	}
	names := sha256.Sum256([]byte(strings.Join(append([]string{root, how.Tags}, how.names()...), "\x00")))
	dir := filepath.Join(caches, "bobbin-tests", fmt.Sprintf("%x", names[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := disk.Exclusive(context.Background(), dir+".lock")
	if err != nil {
		return err
	}
	defer lock.Release()
	shared := filepath.Join(dir, "bobbin")
	if err := build(root, shared, how); err != nil {
		return err
	}
	// Not by this process: a child that another test starts meanwhile would keep the file open for writing, and it
	// could not be run.
	if out, err := exec.Command("cp", shared, path).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	return nil
}

// names returns the names of the replaced files in order.
func (b Build) names() []string { return slices.Sorted(maps.Keys(b.GoFiles)) }

// build builds a binary without debugging information, as linking then takes a quarter of the time.
func build(root, path string, how Build) error {
	dir := filepath.Dir(path)
	args := []string{"build", "-ldflags=-s", "-tags=" + how.Tags, "-o", path}
	if len(how.GoFiles) > 0 {
		overlay := map[string]string{}
		for name, text := range how.GoFiles {
			other := filepath.Join(dir, fmt.Sprintf("other-%d.go", len(overlay)))
			if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
				return err
			}
			overlay[name] = other
		}
		list, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o644); err != nil {
			return err
		}
		args = append(args, "-overlay="+filepath.Join(dir, "overlay.json"))
	}
	cmd := exec.Command("go", append(args, "./cmd/bobbin")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=1GiB") // a third of the compiler's time is garbage collection
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}

// Root returns the module's top folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test's folder")
	}
}

func removePrograms() {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.dir != "" {
		os.RemoveAll(programs.dir)
	}
}
