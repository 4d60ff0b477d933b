package build

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// servicesDir is the folder of prepared data of services in a repository's folder.
const servicesDir = "services"

// toolsDir is the folder of links to chosen programs in a repository's folder.
const toolsDir = "tools"

// A usedEnvironment is the environment of a repository's commands.
type usedEnvironment struct {
	*environment.Environment
	prepared string // folder of data of services; empty if there is none

	mounts []sandbox.Mount // of the chosen tools
	env    []string
}

// UseEnvironment finds the environment that the files of a commit and the configuration ask for, and gives it
// to all commands from now on, with the wanted versions of tools that are installed. It returns it with what
// is installed of its services. The commit has to be one
// of the base, so that no change decides how it is proven.
func (c *Cache) UseEnvironment(
	ctx context.Context, commit string, how environment.Config,
) (*environment.Environment, []environment.Installed, error) {
	found := environment.Find(commitFiles{c.mirror.Commits(), commit}, how)
	used := usedEnvironment{Environment: found}
	c.environment.Store(&used)
	box, err := c.useImage(ctx, found, how)
	if err != nil {
		return found, nil, err
	}
	if box == nil || len(found.Services)+len(found.Tools)+len(found.Packages) == 0 {
		return found, nil, nil
	}
	release, err := c.pin(ctx)
	if err != nil {
		return found, nil, err
	}
	defer release()
	work, remove, err := c.WorkFolder()
	if err != nil {
		return found, nil, err
	}
	defer remove()
	empty := filepath.Join(work, "empty")
	if err := errors.Join(os.Mkdir(empty, 0o755), box.Own(empty)); err != nil {
		return found, nil, err
	}
	folder, err := c.folder()
	if err != nil {
		return found, nil, err
	}
	ready := usedEnvironment{Environment: found}
	if err := c.caches.tools().Look(ctx, found, box, empty); err != nil {
		return found, nil, err
	}
	if ready.mounts, ready.env, err = found.Use(box, filepath.Join(folder, toolsDir)); err != nil {
		return found, nil, err
	}
	have, err := found.Look(ctx, box, empty)
	if err != nil {
		return found, nil, err
	}
	ready.prepared, err = found.Prepare(ctx, box, filepath.Join(folder, servicesDir), have)
	c.environment.Store(&ready)
	return found, have, err
}

// usedTools returns the tools of UseEnvironment for commands that fetch packages.
func (c *Cache) usedTools() packages.Tools {
	used := c.environment.Load()
	if used == nil {
		return packages.Tools{Sandbox: c.Sandbox()}
	}
	return packages.Tools{Mounts: used.mounts, Env: used.env, Sandbox: c.Sandbox()}
}

// WithEnvironment gives a command the environment of UseEnvironment. Its services are started for it if
// started is true.
func (c *Cache) WithEnvironment(cmd *sandbox.Cmd, started bool) environment.Wrapped {
	used := c.environment.Load()
	if used == nil {
		return environment.Wrapped{}
	}
	cmd.Mounts = append(slices.Clone(cmd.Mounts), used.mounts...)
	cmd.Env = append(slices.Clone(used.env), cmd.Env...) // packages come before the tools on the PATH
	return used.Wrap(cmd, used.prepared, started)
}

// environmentKey returns the key of the environment of UseEnvironment, with the image that commands run in,
// or an empty string if there is neither.
func (c *Cache) environmentKey() string {
	key := ""
	if used := c.environment.Load(); used != nil {
		key = used.Key()
	}
	if box := c.Sandbox(); box != nil && box.ImageID() != "" {
		key += " image " + box.ImageID()
	}
	return key
}

// commitFiles are the files of a commit.
type commitFiles struct {
	git.Commits
	commit string
}

// ReadFile returns the content of a file.
func (f commitFiles) ReadFile(name string) ([]byte, error) { return f.Commits.ReadFile(f.commit, name) }

// ReadDir returns the names of the files in a folder.
func (f commitFiles) ReadDir(dir string) (names []string) {
	paths, err := f.ListPaths(context.Background(), f.commit, func(at string) bool {
		return at != dir && !strings.HasPrefix(dir, strings.TrimSuffix(at, "/")+"/")
	})
	if err != nil {
		return nil
	}
	for _, p := range paths {
		if path.Dir(p) == dir {
			names = append(names, path.Base(p))
		}
	}
	return names
}
