package worktree

import (
	"io"
	"io/fs"
	"path"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/skill"
)

// A Checkout holds the opened repository of a turn. Trees.Current returns a copy of it, which does not
// change.
type Checkout struct {
	Repository repository.Repository
	Mirror     *git.Mirror
	// the runner's Checker for this repository; nil if the runner has none
	Checker *build.Checker
	Tests   *Setup
	// a throw-away copy to read; restored to CopyTree after each command
	Copy *git.Workspace
	// empty: the base
	CopyTree string
	// the session's own workspace; nil before an approval
	Work   *git.Workspace
	Skills skill.Set
	// finds the configured secrets and those in the repository's private files; nil: no such files
	Secrets *redact.Finder

	// Others holds the other repositories that agents read, by name. It is replaced, not changed.
	Others map[string]*Other

	// Elsewhere returns the other branches and tags that the request may be about; found once, when it is
	// first asked
	Elsewhere func() []git.ReleaseBranch

	// closed when commands can use the base's packages and build
	BaseBuilt chan struct{}
	// closed when the base was also tested and the result is known
	BaseTested chan struct{}
	// the base's packages; set when BaseBuilt is closed
	fetched *fetched
}

// fetched holds the packages that were fetched for a place.
type fetched struct {
	done    chan struct{}      // closed when the fields below are set, which are not changed after that
	have    *packages.Packages // nil: no packages
	locks   []string           // lock files that the packages in have replace
	missing string             // what agents are told of tools, services and missing packages
	tools   string             // a sentence for people about tools of another version than the wanted one

	late bool // agents were not told yet, since the fetch had not ended; guarded by Trees.mu
}

// BaseBranch returns the branch that the work starts from: the configured one, otherwise the default
// branch.
func (co *Checkout) BaseBranch() string {
	if co.Repository.Base != "" {
		return co.Repository.Base
	}
	return co.Mirror.Commits().DefaultBranch()
}

// Project returns how the repository is built and tested, as far as that is known now.
func (co *Checkout) Project() project.Project { return co.Tests.Project() }

// Candidates returns the ways to test the repository, as the files of that commit tell. It returns none if
// they cannot be read.
func (co *Checkout) Candidates(commit string) []project.Candidate {
	files, err := co.Mirror.Commits().Files(commit)
	if err != nil {
		return nil
	}
	return co.Repository.Candidates(files)
}

func (co *Checkout) closeTrees() {
	for _, w := range []*git.Workspace{co.Copy, co.Work} {
		if w != nil {
			w.Close()
		}
	}
	for _, o := range co.Others {
		o.Copy.Close()
	}
}

// Folder returns the folder that the configuration limits the work to, or an empty string for the whole
// repository.
func (co *Checkout) Folder() string { return co.Repository.Folder() }

// displayName returns how lines name the place: "shop", or "`services/cart` of shop".
func (co *Checkout) displayName() string {
	if f := co.Folder(); f != "" {
		return "`" + f + "` of " + co.Repository.Name
	}
	return co.Repository.Name
}

// ReadSome reads up to most bytes from the beginning of a regular file. It fails for a link.
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
