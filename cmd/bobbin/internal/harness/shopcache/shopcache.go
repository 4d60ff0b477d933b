// Package shopcache gives staged repositories the Go build cache that the demo's shop would have on its
// second day: Go's standard library and the shop are compiled, and the tests of the base and of some changes
// have run. The cache is filled once for all tests of a package, since each stage has a repository of its own
// and would compile Go's standard library anew.
package shopcache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Cache is a filled Go build cache of the shop. A package has one, and removes it after its tests.
type Cache struct {
	// Changes is the script of a model whose edits are built and tested one after the other. A proof of the
	// same files then uses Go's cached test results; other changes are built and tested as usual.
	Changes string

	once  sync.Once
	dir   string // folder of all files of the Cache
	box   *sandbox.Sandbox
	cache string
	err   error
}

// Remove deletes the files of the cache.
func (c *Cache) Remove() { os.RemoveAll(c.dir) }

// CopyTo links the cache's files into the build cache of the stage's repository. The first call fills the
// cache.
func (c *Cache) CopyTo(ctx context.Context, s *stage.Stage) error {
	c.once.Do(func() {
		if c.dir, c.err = stage.MakeDir(""); c.err == nil {
			c.err = c.fill()
		}
	})
	if c.err != nil {
		return fmt.Errorf("fill a build cache: %w", c.err)
	}
	mirror, err := s.Mirrors.Open(ctx, s.RemoteConfig())
	if err != nil {
		return err
	}
	caches := build.Caches{Sandbox: c.box, Dir: filepath.Join(s.Settings().DataDir, "cache")}
	own := repotest.GoCacheDir(caches.For(mirror).Mounts(""))
	if err := linkTree(c.cache, own); err != nil {
		return err
	}
	// The stored results of the base's tests are linked too, as the base is the same commit on every stage.
	own = filepath.Join(filepath.Dir(own), "results")
	if err := os.MkdirAll(own, 0o755); err != nil {
		return err
	}
	return linkTree(filepath.Join(filepath.Dir(c.cache), "results"), own)
}

// fill builds and tests the shop once, as the bot does, and then after each of the changes.
func (c *Cache) fill() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), harness.RunTimeout)
	defer cancel()
	if c.box, err = sandbox.Open(ctx, stage.Sandbox.Options("", slog.New(slog.DiscardHandler))); err != nil {
		return err
	}
	bare := filepath.Join(c.dir, "remote.git")
	if err := stage.PlantRemote(bare, txtar.Parse(stage.DemoShop).Files); err != nil {
		return err
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(c.dir, "mirrors")}
	mirror, err := mirrors.Open(ctx, remote.Remote{Name: "shop", URL: bare})
	if err != nil {
		return err
	}
	commit, err := mirror.Commits().Resolve("main")
	if err != nil {
		return err
	}
	checker := &build.Checker{Caches: build.Caches{Sandbox: c.box, Dir: filepath.Join(c.dir, "cache")}}
	c.cache = repotest.GoCacheDir(checker.For(mirror).Cache.WritableMounts(""))
	if err := repotest.SeedGoCache(ctx, c.box, c.cache); err != nil {
		return err
	}
	result, err := checker.For(mirror).Baseline(ctx, commit, project.Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."})
	if err == nil && !result.OK() {
		err = errors.New(result.String())
	}
	if err != nil {
		return err
	}
	return c.buildChanges(ctx, checker.For(mirror).Cache)
}

var anyEdit = regexp.MustCompile(`(?m)^call (?:write_file|edit_file)$`)

var editCall = regexp.MustCompile(`(?ms)^call (?:write_file|edit_file)\n  path: (\S+)\n  (?:content|old) <<<\n(.*?)\n>>>\n(?:  new <<<\n(.*?)\n>>>\n)?`)

// buildChanges applies the edits of Changes one after the other, and builds and tests the shop after each.
func (c *Cache) buildChanges(ctx context.Context, cache *build.Cache) error {
	edits := editCall.FindAllStringSubmatch(c.Changes, -1)
	if calls := anyEdit.FindAllString(c.Changes, -1); len(calls) != len(edits) {
		return fmt.Errorf("%d edits of the model's script were read, of %d", len(edits), len(calls))
	}
	tree := repotest.Files{}
	for _, f := range txtar.Parse(stage.DemoShop).Files {
		tree[f.Name] = string(f.Data)
	}
	for n, e := range edits {
		if name, text, instead := e[1], e[2], e[3]; instead == "" {
			tree[name] = text
		} else {
			tree[name] = strings.Replace(tree[name], text, instead, 1)
		}
		files := filepath.Join(c.dir, fmt.Sprintf("change-%d", n))
		if err := errors.Join(tree.Write(files), c.box.Own(files)); err != nil {
			return err
		}
		cmd := c.box.Command(files, "sh", "-c", "go build ./... && go test -json ./...")
		cmd.Mounts, cmd.Env = cache.WritableMounts(files)
		var failed *sandbox.ExitError
		if err := cmd.Run(ctx); err != nil && !errors.As(err, &failed) { // each test fails before its change is made
			return err
		}
	}
	return nil
}

// linkTree hard-links the files of one folder into another, which keeps their owner.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if err := os.Link(path, filepath.Join(to, name)); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}
