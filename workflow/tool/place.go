package tool

import (
	"context"
	"io/fs"
	"os"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// A place is where a file is that a model names: in the repository, or in the scratch folder.
type place struct {
	root    *os.Root
	path    string // resolved, below root
	name    string // as models know the file
	scratch bool
}

// close closes what was opened for the place.
func (p place) close() {
	if p.scratch {
		_ = p.root.Close()
	}
}

// load reads the whole file.
func (p place) load() (workfile.Content, error) {
	c, err := workfile.Load(p.root, p.path)
	c.Path = p.name
	return c, err
}

// store replaces the file, or creates it.
func (p place) store(data []byte, mode fs.FileMode) error {
	return workfile.Store(p.root, p.path, data, mode)
}

// find returns the place of a file that has to exist. The caller closes it.
func (e *Env) find(ctx context.Context, p string) (place, error) {
	if below, ok := scratchPath(p); ok {
		return e.Commands.scratch().open(below)
	}
	real, err := e.locate(ctx, p)
	return place{root: e.Workspace.Root(), path: real, name: real}, err
}

// findChangeable is like find, for a file that the agent wants to change. The file need not exist if it may
// be new. It refuses what the agent may not change.
func (e *Env) findChangeable(ctx context.Context, p string, mayBeNew bool) (place, error) {
	if below, ok := scratchPath(p); ok {
		return e.Commands.scratch().open(below)
	}
	err := e.mayWrite()
	if err == nil {
		err = e.refuseOther(ctx, p)
	}
	if err != nil {
		return place{}, err
	}
	at := place{root: e.Workspace.Root()}
	if mayBeNew {
		at.path, err = workfile.ResolveTarget(at.root, p)
	} else {
		at.path, err = e.locate(ctx, p)
	}
	if err == nil {
		err = e.mayTouch(at.path)
	}
	at.name = at.path
	return at, err
}

// changed records that the agent has written the file.
func (e *Env) changed(at place, data []byte) {
	e.seen.remember(at.name, data)
	if !at.scratch {
		e.edited()
	}
}
