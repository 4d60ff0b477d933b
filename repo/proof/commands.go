package proof

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Commands are the ways to test a repository.
type Commands struct {
	Project project.Project // the repository's own way
	// Others are all ways that its files tell, with Project among them (project.Candidates). They are used
	// for changed files that Project does not cover. If Project is not among them, it alone is used.
	Others []project.Candidate
}

// ProveWith is Prove with the commands whose tests cover the change: a fix in a folder of another language is
// proven by the tests of that folder. If the first command cannot be run here, the next one proves.
func ProveWith(
	ctx context.Context, c *build.Checker, w *git.Workspace, commands Commands, base string,
) (Proof, error) {
	changes, err := w.Changes(ctx)
	if err != nil {
		return Proof{}, err
	}
	chosen, uncovered := commands.choose(changes)
	var idle []string
	for i, first := range chosen {
		v := &proving{checker: c, work: w, project: first, others: chosen[i+1:], uncovered: uncovered}
		v.splitFrom = worthSplitting
		p, err := v.prove(ctx, base)
		if err != nil || p.Outcome() != NotStarted || i == len(chosen)-1 {
			p.Others = append(idle, p.Others...)
			return p, err
		}
		idle = append(idle, fmt.Sprintf("`%s` could not be compared: %s", first.TestCommand(), p.Missing))
	}
	return Proof{}, nil
}

// A Coverage says which part of a change the tests of a command can reach.
type Coverage struct {
	Reached   int      // changed files of code that they can reach
	Uncovered []string // changed files of code that they cannot reach
	// By are the commands whose tests reach those of Uncovered, as far as one is known.
	By []project.Project
}

// Coverage returns what the tests of a command reach of the changed files. It is empty if it is not known
// what the command covers: then somebody has named or configured it.
func (c Commands) Coverage(p project.Project, changed []string) (cover Coverage) {
	own := slices.IndexFunc(c.Others, func(o project.Candidate) bool { return o.Test == p.Test })
	if own < 0 {
		return cover
	}
	for _, file := range changed {
		switch {
		case !project.IsCode(file):
		case c.Others[own].Covers(file):
			cover.Reached++
		default:
			cover.Uncovered = append(cover.Uncovered, file)
		}
	}
	if len(cover.Uncovered) > 0 {
		found, _ := project.For(c.Others, cover.Uncovered)
		for _, o := range found {
			cover.By = append(cover.By, o.Project)
		}
	}
	return cover
}

// choose returns the projects whose tests cover the change, with the repository's own first if it does and
// last if not, and the changed files of code that none covers.
func (c Commands) choose(changes []diff.Change) (chosen []project.Project, uncovered []string) {
	own := slices.IndexFunc(c.Others, func(o project.Candidate) bool { return o.Test == c.Project.Test })
	if own < 0 {
		return []project.Project{c.Project}, nil
	}
	list := slices.Concat(c.Others[own:own+1], c.Others[:own], c.Others[own+1:])
	found, uncovered := project.For(list, changedPaths(changes))
	for _, o := range found {
		if o.Test == c.Project.Test {
			chosen = append([]project.Project{c.Project}, chosen...)
		} else {
			chosen = append(chosen, o.Project)
		}
	}
	same := func(p project.Project) bool { return p.Test == c.Project.Test }
	if !slices.ContainsFunc(chosen, same) { // what passed there has to pass still
		chosen = append(chosen, c.Project)
	}
	return chosen, uncovered
}

// unseenTests says which changed tests, or which changed code, the command does not reach. It returns an
// empty string if it reaches them all, as far as their names tell.
func (p *proving) unseenTests() string {
	var tests []string
	for _, c := range p.changes {
		isTest := project.IsTest("", c.Path) && project.IsCode(c.Path)
		if isTest && !project.IsTest(p.project.Kind, c.Path) {
			tests = append(tests, c.Path)
		}
	}
	switch {
	case len(tests) > 0:
		return fmt.Sprintf("`%s` does not run the tests that changed (%s)", p.project.TestCommand(),
			plaintext.FirstOf(tests, 3))
	case len(p.uncovered) > 0:
		return "no test command that is known here covers " + plaintext.FirstOf(p.uncovered, 3)
	}
	return ""
}
