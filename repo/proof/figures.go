package proof

import (
	"fmt"
	"slices"
)

// judgeFigures compares runs whose tests have no names: by files, counts and exit codes.
func (v *proving) judgeFigures() {
	v.NewTests = v.tests.testFiles()
	for _, c := range v.changes {
		switch {
		case c.Kind == "added" || !slices.Contains(v.NewTests, c.Path):
		case len(v.Expectations) > 0:
			v.Changed = append(v.Changed, c.Path)
		default:
			v.Extended = append(v.Extended, c.Path)
		}
	}
	already, none := v.Branch.FailsOnlyAs(v.Base)
	v.AlreadyFailing = already
	v.GreenOnBranch = v.Branch.TestsOK || none
	if v.Base.Counted && v.Branch.Counted {
		v.PassedBefore = v.Base.Passed
		v.StillPassing = min(v.Base.Passed, v.Branch.Passed)
		if fewer := v.Base.Passed - v.Branch.Passed; fewer > 0 {
			v.Regressions = append(v.Regressions, fmt.Sprintf("%d fewer tests pass than before", fewer))
		}
	}
	red := v.OnBase.TestsRan && !v.OnBase.TestsOK && v.Base.TestsOK
	if v.Base.Counted && v.OnBase.Counted {
		red = v.OnBase.Failed > v.Base.Failed
	}
	switch {
	case len(v.NewTests) == 0:
		v.Why = "no test file was added or changed, so nothing was seen to fail on " +
			v.BaseName + addTestAdvice
	case !v.Base.TestsOK && !v.Base.Counted:
		v.Missing = "the tests fail on " + v.BaseName +
			" already, and their output does not tell one from another"
	case red:
		v.RedOnBase = slices.Clone(v.NewTests)
		if v.GreenOnBranch {
			v.Cases.Extended = len(v.Extended)
			v.Cases.New = len(v.NewTests) - len(v.Extended) - len(v.Changed)
		} else {
			v.Cases.StillRed = len(v.NewTests)
		}
		for _, name := range v.NewTests {
			v.addNote(name, "the tests fail on %s with this file (as expected)%s", v.BaseName,
				v.OnBase.NamesSince(v.Base, maxNamed))
		}
		v.Shown = v.GreenOnBranch
	default:
		v.NotRed = slices.Clone(v.NewTests)
		for _, name := range v.NewTests {
			v.addNote(name, "the tests pass on %s with this file", v.BaseName)
		}
		v.Why = "the tests pass on " + v.BaseName +
			" with the changed test files, so it was not seen that the change mends anything" + addTestAdvice
	}
	if v.Why == "" && !v.GreenOnBranch {
		v.Why = "the tests do not pass on the branch"
	}
}
