package pictures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// buildTime is the timeout of the command that builds the pages. It runs once for each of the two
// trees.
const buildTime = 5 * time.Minute

// A tree holds a commit's files for the browser.
type tree struct {
	read  func(path string) ([]byte, error)
	close func()
}

// open returns the tree of a commit: from the mirror, or after the command that builds the pages.
func (s *shooting) open(ctx context.Context, m *git.Mirror, commit string) (tree, error) {
	if s.repository.Visual.Build == "" {
		return tree{read: hidePrivate(func(path string) ([]byte, error) { return m.Commits().ReadFile(commit, path) }), close: func() {}}, nil
	}
	session, err := s.Store.Session(ctx, s.request.Session)
	if err != nil {
		return tree{}, err
	}
	checker := s.Checker.For(m)
	setup := s.repository.SetupFor(s.repository.Visual.Build, session.Created)
	if !strings.Contains(s.repository.Visual.Build, setup.Folder) {
		setup.Folder = "" // the command runs at the top
	}
	have, err := checker.Cache.FetchPackages(ctx, commit, setup, nil)
	if ctx.Err() != nil {
		return tree{}, ctx.Err()
	}
	if err == nil {
		defer have.Close()
		checker.Cache.UsePackages(have)
	}
	work, remove, err := checker.Cache.WorkFolder()
	if err != nil {
		return tree{}, err
	}
	t := tree{close: remove}
	dir := filepath.Join(work, "files")
	how, err := s.build(ctx, checker, commit, dir)
	if err != nil {
		remove()
		return tree{}, err
	}
	if how.Code != 0 || how.Stopped != "" {
		s.none = fmt.Sprintf("`%s` fails at %s", plaintext.CutLine(s.repository.Visual.Build, 80), commit[:7])
	}
	t.read = hidePrivate(func(path string) ([]byte, error) { return readBuilt(dir, path) })
	return t, nil
}

// hidePrivate leaves private files out: nobody is shown them, and nothing masks what stands in a picture.
func hidePrivate(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if workfile.IsPrivate(path) {
			return nil, fs.ErrNotExist
		}
		return read(path)
	}
}

func (s *shooting) build(ctx context.Context, c *build.Checker, commit, dir string) (how build.Ending, err error) {
	if err := c.Cache.Mirror().Materialise(ctx, commit, dir); err != nil {
		return how, err
	}
	if err := c.Caches.Sandbox.Own(dir); err != nil {
		return how, err
	}
	return c.RunLine(ctx, dir, s.repository.Visual.Build, buildTime)
}

// maxRead is the limit on the size of a built file, in bytes.
const maxRead = 8 << 20

// readBuilt reads a plain file of a tree that a command has written.
func readBuilt(dir, path string) ([]byte, error) {
	if !filepath.IsLocal(path) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fs.ErrNotExist, err)
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxRead+1))
}
