package delivery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A ciOffer is what CI can prove of a change, and what is pushed for that.
type ciOffer struct {
	proof  workflow.CIProof
	host   string // the name of the git host for people
	branch string
	base   string // the branch that the change is for
	tests  string // the branch for the new tests alone; empty: none is pushed
}

// offerCI returns what CI can prove of the change with that tree: nothing if the repository has no git host,
// or if the change decides itself what CI runs.
func (d *Delivery) offerCI(tree string, changes []diff.Change) ciOffer {
	p := d.Trees.Current()
	o := ciOffer{
		proof:  p.Repository.CIProof(),
		host:   cmp.Or(hostNames[p.Repository.Pulls.Kind], "the git host"),
		branch: d.Session().Branch,
		base:   p.BaseBranch(),
	}
	if o.proof == workflow.CINone || !p.Mirror.Commits().HasBranch(o.base) ||
		slices.ContainsFunc(changes, diff.Change.DecidesCI) {
		return ciOffer{}
	}
	if o.proof == workflow.CIRed && len(testPaths(p.Project().Kind, changes)) > 0 {
		o.tests = testsBranch(o.branch, tree)
	}
	return o
}

// hostNames are the names of git hosts for people.
var hostNames = map[string]string{host.GitHub: "GitHub", host.GitLab: "GitLab", host.Gitea: "Gitea"}

// testsBranch returns the name of the branch with the new tests of that tree alone.
func testsBranch(branch, tree string) string { return branch + "-red-" + prompt.ShortHash(tree) }

// testPaths returns the paths of the files with tests that the changes add or modify.
func testPaths(kind string, changes []diff.Change) (paths []string) {
	for _, c := range changes {
		plain := !strings.Contains(c.Mode, "symlink") && !strings.Contains(c.Mode, "submodule")
		if c.Kind != "deleted" && plain && project.IsTest(kind, c.Path) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// text returns what the question says of CI: what is pushed where, and what is waited for.
func (o ciOffer) text() string {
	text := fmt.Sprintf("Or reply \"prove it by CI\": exactly these files are pushed as `%s`, "+
		"and their checks at %s are waited for.", o.branch, o.host)
	switch {
	case o.tests != "":
		text += fmt.Sprintf(" The new tests alone are pushed on top of %s as `%s`, too, since they have "+
			"to fail there; that branch is deleted afterwards.", o.base, o.tests)
	case o.proof == workflow.CIRed:
		text += " No test was added or changed, so none can be seen to fail without the change."
	}
	return text
}

// ci returns what a person allowed CI to prove.
func (p provenWork) ci() workflow.CIProof {
	if p.allowance == nil {
		return workflow.CINone
	}
	return p.allowance.CI
}

// trailer returns why nothing was proven of the work, for its commit; empty: it was proven.
func (p provenWork) trailer() string {
	if p.ci() == workflow.CINone {
		return p.unproven()
	}
	return p.unproven() + "; its proof is left to the checks of CI"
}

// orderCI returns the request to CI for the pushed commit; ok is false if nobody allowed one.
func (d *Delivery) orderCI(work provenWork, push workflow.Push) (o ciproof.Order, ok bool) {
	if work.ci() == workflow.CINone {
		return o, false
	}
	p := d.Trees.Current()
	o = ciproof.Order{
		Repository: p.Repository.Name,
		Commit:     push.Commit,
		Allowance:  work.allowance.ID,
		Branch:     push.Branch,
		BaseCommit: push.BaseCommit,
		Base:       p.BaseBranch(),
	}
	if work.ci() == workflow.CIRed {
		o.Tests = testPaths(p.Project().Kind, work.changes)
	}
	if len(o.Tests) > 0 {
		o.TestsBranch = testsBranch(push.Branch, push.Tree)
	}
	return o, true
}

// allowedText returns the line of a result that says who allowed the push of unproven work.
func (p provenWork) allowedText(commit string) string {
	by := plaintext.OneLine(p.allowance.UserName)
	if p.ci() == workflow.CINone {
		return "Allowed unproven by " + by
	}
	return fmt.Sprintf("Allowed by %s, for CI to prove it. I wait for the checks of %s and tell how they "+
		"end. \"Stop\" ends the waiting.", by, prompt.ShortHash(commit))
}
