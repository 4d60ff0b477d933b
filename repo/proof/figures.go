package proof

import (
	"fmt"
	"slices"
)

// judgeFigures compares runs whose tests have no names: by files, counts and exit codes.
func (p *proving) judgeFigures() {
	p.NewTests = p.tests.testFiles()
	for _, c := range p.changes {
		switch {
		case c.Kind == "added" || !slices.Contains(p.NewTests, c.Path):
		case len(p.Expectations) > 0:
			p.Changed = append(p.Changed, c.Path)
		default:
			p.Extended = append(p.Extended, c.Path)
		}
	}
	already, none := p.Branch.FailsOnlyAs(p.Base)
	absent := map[string]string{}
	for _, t := range p.Base.Tests {
		absent[t.Name] = t.Absent
	}
	for _, name := range already {
		if absent[name] == "" {
			p.AlreadyFailing = append(p.AlreadyFailing, name)
		} else {
			p.addCannotRun(name, absent[name])
		}
	}
	p.GreenOnBranch = p.Branch.TestsOK || none
	if p.Base.Counted && p.Branch.Counted {
		p.PassedBefore = p.Base.Passed
		p.StillPassing = min(p.Base.Passed, p.Branch.Passed)
		if fewer := p.Base.Passed - p.Branch.Passed; fewer > 0 {
			p.Regressions = append(p.Regressions, fmt.Sprintf("%d fewer tests pass than before", fewer))
		}
	}
	red := p.OnBase.TestsRan && !p.OnBase.TestsOK && p.Base.TestsOK
	if p.Base.Counted && p.OnBase.Counted {
		red = p.OnBase.Failed > p.Base.Failed
	}
	switch {
	case len(p.NewTests) == 0 && p.unseenTests() != "":
		p.Why = p.unseenTests() + ", so nothing was seen to fail on " + p.BaseName
	case len(p.NewTests) == 0:
		p.Why = "no test file was added or changed, so nothing was seen to fail on " +
			p.BaseName + addTestAdvice
	case !p.Base.TestsOK && !p.Base.Counted:
		p.Missing = "the tests fail on " + p.BaseName +
			" already, and their output does not tell one from another"
	case red:
		p.RedOnBase = slices.Clone(p.NewTests)
		if p.GreenOnBranch {
			p.Cases.Extended = len(p.Extended)
			p.Cases.New = len(p.NewTests) - len(p.Extended) - len(p.Changed)
		} else {
			p.Cases.StillRed = len(p.NewTests)
		}
		for _, name := range p.NewTests {
			p.addNote(name, "the tests fail on %s with this file (as expected)%s", p.BaseName,
				p.OnBase.NamesSince(p.Base, maxNamed))
		}
		p.Demonstrated = p.GreenOnBranch
	default:
		p.NotRed = slices.Clone(p.NewTests)
		for _, name := range p.NewTests {
			p.addNote(name, "the tests pass on %s with this file", p.BaseName)
		}
		p.Why = "the tests pass on " + p.BaseName +
			" with the changed test files, so it was not seen that the change fixes anything" + addTestAdvice
	}
	if p.Why == "" && !p.GreenOnBranch {
		p.Why = "the tests do not pass on the branch"
	}
}
