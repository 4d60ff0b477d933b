package worktree

import (
	"io"
	"io/fs"
	"path"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/tested"
)

// A Place is where the agents of a turn look and work.
type Place struct {
	Repository catalog.Repository
	Mirror     *repo.Mirror
	Checker    *testrun.Checker // the runner's, for this repository; nil with it
	Tests      *tested.Tested
	Copy       *repo.Workspace // a throw-away copy: put back to lookTree after each command
	CopyTree   string          // empty: the base
	Work       *repo.Workspace // the session's own, after an approval; nil before
	Skills     skill.Set
	Secrets    *redact.Finder // what the program was given, and what the repository keeps in private files; nil: t.Secrets

	Built   chan struct{} // closed when packages and build of the base are there for commands
	Warm    chan struct{} // closed when the base was tested, too, and what follows is there
	fetched fetched       // that the base names; there when Built is closed
	err     error
}

// What was fetched for a place.
type fetched struct {
	done    chan struct{}      // closed when the rest is known
	have    *packages.Packages // nil: none
	locks   []string           // lock files that have stands for
	missing string             // what agents are told of packages that are not here
	late    bool               // they were not told so yet
}

// BaseBranch is the branch that the work starts from.
func (p *Place) BaseBranch() string {
	if p.Repository.Base != "" {
		return p.Repository.Base
	}
	return p.Mirror.Commits().DefaultBranch()
}

// Project is how the place is built and tested, as it is known now.
func (p *Place) Project() project.Project { return p.Tests.Project() }

func (p *Place) closeTrees() {
	for _, w := range []*repo.Workspace{p.Copy, p.Work} {
		if w != nil {
			w.Close()
		}
	}
}

// Folder is the part of the repository that its configuration limits the work to; empty:
// all of it.
func (p *Place) Folder() string { return p.Repository.Folder() }

// DisplayName is what the place is called in words: "shop", or "services/cart of shop".
func (p *Place) DisplayName() string {
	if f := p.Folder(); f != "" {
		return "`" + f + "` of " + p.Repository.Name
	}
	return p.Repository.Name
}

// ReadSome reads the beginning of a plain file; a link is none.
func ReadSome(tree fs.FS, name string, most int64) ([]byte, error) {
	name = path.Clean(name)
	if info, err := fs.Lstat(tree, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
