package proof

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// addTestAdvice is the advice if no test tells the base from the branch.
const addTestAdvice = ": add one that fails there and passes with the change"

// refusal returns why a proof does not hold, and what to do. What keeps everything from running comes
// before what broke, and that before what was not shown.
func (p Proof) refusal() string {
	why := p.Why
	switch own := p.failingOwn(); {
	case p.Missing != "" && (p.Base.Stopped != "" || p.Base.TestsRan && p.Base.Missing.Tests == ""):
		why = "nothing can be proven here: " + p.Missing
	case p.Missing != "":
		why = "nothing can be proven here, since the tests do not start on " +
			p.BaseName + " itself: " + p.Missing
	case p.Branch.BuildRan && !p.BuildOK:
		why = "the build fails on the branch, and does not fail on " + p.BaseName + ": fix it"
	case len(p.Regressions) > 0 && p.PassedBefore > 0:
		why = fmt.Sprintf("fix the change or bring back what is gone. No longer passing, "+
			"%d of %d that passed on %s: %s",
			p.PassedBefore-p.StillPassing, p.PassedBefore, p.BaseName, p.listWithNotes(p.Regressions))
	case len(own) > 0:
		why = "the change's own tests do not pass on the branch: " + plaintext.FirstOf(own, maxNamed)
	case len(p.Rejected) > 0:
		why = p.rejection()
	case len(p.NotRed) > 0 && len(p.RedOnBase)+len(p.Fixed) > 0:
		why = fmt.Sprintf("new test %s %s, so it does not show what was wrong: have it run there, "+
			"or leave it out", p.NotRed[0], p.onBaseInWords(p.NotRed[0]))
	}
	if why == "" {
		why = "the tests do not pass on the branch"
	}
	return strings.ToUpper(why[:1]) + why[1:]
}

// failingOwn returns the change's own tests that do not pass on the branch, each with its status there.
func (p Proof) failingOwn() []string {
	var out []string
	if !p.Branch.EveryTestNamed() {
		return nil
	}
	for _, name := range p.NewTests {
		b, known := p.OnBranch[name]
		verb := "fails"
		n := b.Failed
		if n == 0 {
			verb = "is skipped"
			n = b.Skipped
		}
		switch {
		case !known || b.pass():
		case n == b.Sum():
			out = append(out, fmt.Sprintf("%s %s there", name, verb))
		default:
			out = append(out, fmt.Sprintf("%s %s there in %d of %d cases", name, verb, n, b.Sum()))
		}
	}
	return out
}
