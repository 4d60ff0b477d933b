package testtrial

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// A tree is what a run of the tests is made on. Each is run once in a trial.
type tree int

const (
	inertFix       tree = iota // the base with the tests of the change, and the fix in comments
	plainBase                  // the base with the tests of the change
	inertFixAgain              // inertFix once more
	inertBase                  // the branch, with the base's sources in comments
	plainBranch                // the branch, in another order
	inertBaseWhole             // inertBase with all tests
	wholeBranch                // the branch with all tests
)

// run runs the tests of the change in a tree, without the others where the runner can. It returns nil if the
// run says nothing: it was stopped or did not start, or the comments themselves broke something.
func (tr *trialRun) run(ctx context.Context, t tree) (*result.Result, error) {
	p, narrow := tr.only(t == plainBranch || t == plainBase)
	if t == wholeBranch || t == inertBaseWhole {
		p = tr.Project
		narrow = false
	} else {
		tr.whole = !narrow
	}
	if left, ok := ctx.Deadline(); !narrow && ok && time.Until(left) < tr.Proof.Branch.Took {
		return nil, errNoTime
	}
	lay := tr.layBranch
	if t == inertFix || t == plainBase || t == inertFixAgain {
		lay = tr.layBase
	}
	checker := tr.Checker.Named("the new tests, tried once more in another way", result.Result{})
	r, err := checker.RunTree(ctx, tr.Work.Base(), func(onto *os.Root) error {
		return lay(onto, t != plainBase && t != plainBranch && t != wholeBranch)
	}, p)
	if err != nil {
		return nil, err
	}
	tr.ended++
	named := tr.Proof.Branch.EveryTestNamed()
	switch {
	case r.Stopped != "" || r.Missing.Tests != "" || !r.TestsRan || named != r.EveryTestNamed():
		return nil, nil
	case !named && narrow:
		return nil, nil // which tests ran is not known
	case (t == inertBase || t == inertBaseWhole) && tr.broke(r):
		return nil, nil
	}
	return &r, nil
}

// only returns the project with nothing but the tests of the change, if the runner can run them so.
func (tr *trialRun) only(reverse bool) (project.Project, bool) {
	if !tr.Proof.Branch.EveryTestNamed() {
		return tr.Project, false
	}
	var names []string
	for _, label := range tr.Proof.NewTests {
		for _, t := range tr.Proof.Branch.Tests {
			name := t.Name
			if t.Of != "" {
				name = t.Of
			}
			if hasLabel(t, label) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 { // tests that did not compile on the base stand for their package
		return tr.Project, false
	}
	files := slices.Clone(tr.files)
	if reverse {
		slices.Reverse(files)
	}
	return tr.Project.Only(files, names)
}

// broke reports whether the comments in the branch's sources broke something else than a test of the change:
// the build, the loading of tests, or a test that passes on the branch. Then a failed test of the change says
// nothing.
func (tr *trialRun) broke(r result.Result) bool {
	if r.BuildRan && !r.BuildOK && tr.Proof.Branch.BuildOK {
		return true
	}
	if !r.EveryTestNamed() {
		return false
	}
	for _, t := range r.Tests {
		own := slices.ContainsFunc(tr.Proof.NewTests, func(label string) bool { return hasLabel(t, label) })
		passed := statusIn(tr.Proof.Branch, t.Name) == result.Passed &&
			!slices.Contains(tr.Proof.Unstable, t.Name)
		if t.Broken != "" || !own && t.Status == result.Failed && passed {
			return true
		}
	}
	return false
}

// layBase lays the tests of the change over the base, and with inert the branch's sources as comments.
func (tr *trialRun) layBase(onto *os.Root, inert bool) error {
	if err := proof.LayTests(tr.Project.Kind, tr.changes, tr.Work.Root(), onto); err != nil || !inert {
		return err
	}
	for _, c := range tr.changes {
		if c.Kind == "deleted" || project.IsTest(tr.Project.Kind, c.Path) {
			continue
		}
		text, ok, err := readSource(tr.Work.Root(), c.Path)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := addInert(onto, c.Path, text); err != nil {
			return err
		}
	}
	return nil
}

// layBranch lays the whole change over the base, and with inert the base's sources as comments.
func (tr *trialRun) layBranch(onto *os.Root, inert bool) error {
	before := map[string]string{}
	for _, c := range tr.changes {
		if c.Kind != "modified" || project.IsTest(tr.Project.Kind, c.Path) {
			continue
		}
		text, ok, err := readSource(onto, c.Path)
		if err != nil {
			return err
		}
		if ok {
			before[c.Path] = text
		}
	}
	if err := proof.LayChanges(tr.changes, tr.Work.Root(), onto); err != nil || !inert {
		return err
	}
	for _, c := range tr.changes {
		if text, ok := before[c.Path]; ok {
			if err := addInert(onto, c.Path, text); err != nil {
				return err
			}
		}
	}
	return nil
}
