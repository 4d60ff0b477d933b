package main

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
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
)

// hearth is a build cache of the shop, filled once for all stories: each stage has a
// repository of its own, and would compile Go's library anew.
var hearth struct {
	once  sync.Once
	dir   string // of everything; removed by TestMain
	box   *sandbox.Sandbox
	cache string
	err   error
}

// warm gives the stage's repository a build cache as it would have on its second day.
func (s *story) warm(ctx context.Context) error {
	hearth.once.Do(func() {
		if hearth.dir, hearth.err = stage.MakeDir(""); hearth.err == nil {
			hearth.box, hearth.cache, hearth.err = fillCache(hearth.dir)
		}
	})
	if hearth.err != nil {
		return fmt.Errorf("fill a build cache: %w", hearth.err)
	}
	mirror, err := s.Mirrors.Open(ctx, s.RemoteConfig())
	if err != nil {
		return err
	}
	caches := buildcache.Caches{Sandbox: hearth.box, Dir: filepath.Join(s.Settings().DataDir, "cache")}
	own := repotest.GoCacheDir(caches.For(mirror).Mounts(""))
	if err := linkTree(hearth.cache, own); err != nil {
		return err
	}
	// What the base's tests said is remembered there, too: it is the same commit in every story.
	own = filepath.Join(filepath.Dir(own), "results")
	if err := os.MkdirAll(own, 0o755); err != nil {
		return err
	}
	return linkTree(filepath.Join(filepath.Dir(hearth.cache), "results"), own)
}

// fillCache builds and tests the shop once, as the bot does, and gives the cache's folder.
func fillCache(dir string) (box *sandbox.Sandbox, cache string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	if box, err = sandbox.Open(ctx, stage.Sandbox.Options("", slog.New(slog.DiscardHandler))); err != nil {
		return nil, "", err
	}
	bare := filepath.Join(dir, "remote.git")
	if err := stage.PlantRemote(bare, txtar.Parse(stage.DemoShop).Files); err != nil {
		return nil, "", err
	}
	mirrors := &repo.Mirrors{Dir: filepath.Join(dir, "mirrors")}
	mirror, err := mirrors.Open(ctx, remote.Remote{Name: "shop", URL: bare})
	if err != nil {
		return nil, "", err
	}
	commit, err := mirror.Commits().Resolve("main")
	if err != nil {
		return nil, "", err
	}
	checker := &testrun.Checker{Caches: buildcache.Caches{Sandbox: box, Dir: filepath.Join(dir, "cache")}}
	cache = repotest.GoCacheDir(checker.For(mirror).Cache.WritableMounts(""))
	if err := repotest.SeedGoCache(ctx, box, cache); err != nil {
		return nil, "", err
	}
	result, err := checker.For(mirror).Baseline(ctx, commit, project.Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."})
	if err == nil && !result.OK() {
		err = errors.New(result.String())
	}
	if err != nil {
		return nil, "", err
	}
	return box, cache, buildUsualChanges(ctx, box, checker.For(mirror).Cache, dir)
}

// usualStory makes the two changes that most stories make, one after the other.
const usualStory = "testdata/script/follow_up.txtar"

var editCall = regexp.MustCompile(`(?ms)^call (?:write_file|edit_file)\n  path: (\S+)\n  (?:content|old) <<<\n(.*?)\n>>>\n(?:  new <<<\n(.*?)\n>>>\n)?`)

// buildUsualChanges builds and tests the shop after each edit of usualStory, into the cache:
// a proof of the same files is then one of Go's cached results. Stories with edits of their
// own have theirs built and tested as ever.
func buildUsualChanges(ctx context.Context, box *sandbox.Sandbox, cache *buildcache.Cache, dir string) error {
	story, err := os.ReadFile(usualStory)
	if err != nil {
		return err
	}
	edits := editCall.FindAllStringSubmatch(string(story), -1)
	if len(edits) != 4 {
		return fmt.Errorf("%s: %d edits, want two tests and two changes", usualStory, len(edits))
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
		files := filepath.Join(dir, fmt.Sprintf("usual-%d", n))
		if err := errors.Join(tree.Write(files), box.Own(files)); err != nil {
			return err
		}
		cmd := box.Command(files, "sh", "-c", "go build ./... && go test -json ./...")
		cmd.Mounts, _ = cache.WritableMounts(files)
		_, cmd.Env = cache.Mounts(files) // as in a proof: Go's results are of an environment, too
		var failed *sandbox.ExitError
		if err := cmd.Run(ctx); err != nil && !errors.As(err, &failed) { // each test fails before its change
			return err
		}
	}
	return nil
}

// linkTree makes the files of one folder appear in another too. Their owner stays.
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
