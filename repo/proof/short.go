package proof

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Fact is one finding of a proof, in a few words.
type Fact struct {
	Text  string
	Holds bool // it speaks for the change; otherwise it is only told, or speaks against it
}

// Short returns the proof in one line, without the details of Lines.
func (p Proof) Short() string {
	facts := p.Facts()
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
	}
	return strings.Join(texts, "; ")
}

// Facts returns what Short says, one by one.
func (p Proof) Facts() []Fact {
	var f facts
	for _, text := range p.expectationParts() {
		f.tell(text)
	}
	f.addShown(p)
	f.addOthers(p)
	if p.Command.Text != "" {
		text := strings.ToLower(p.Command.Text[:1]) + p.Command.Text[1:]
		f = append(f, Fact{Text: text, Holds: !p.Command.Fails})
	}
	if len(f) == 0 && (p.Branch.TestsRan || p.Branch.BuildRan) {
		f.tell(p.branchLine())
	} else if p.Branch.BuildRan && !p.Branch.BuildOK {
		f.tell("the build is not clean")
	}
	if p.miscountedLine() != "" {
		f.tell("the counts took no part: " + p.Miscounted)
	}
	if p.Why != "" {
		f.tell("not shown: " + p.Why)
	}
	return f
}

// facts is a list of facts in the making.
type facts []Fact

func (f *facts) hold(text string) { *f = append(*f, Fact{Text: text, Holds: true}) }
func (f *facts) tell(text string) { *f = append(*f, Fact{Text: text}) }

// addShown adds what the change's own tests show.
func (f *facts) addShown(p Proof) {
	for _, shown := range []struct {
		n           int
		what, whats string
	}{
		{p.Cases.New, "new test", "new tests"},
		{p.Cases.Extended, "extended test", "extended tests"},
		{len(p.Fixed), "test that was there", "tests that were there"},
	} {
		switch {
		case shown.n == 1:
			f.hold("1 " + shown.what + ": red before, green now")
		case shown.n > 1:
			f.hold(fmt.Sprintf("%d %s: red before, green now", shown.n, shown.whats))
		}
	}
	if n := p.Cases.StillRed; n > 0 {
		f.tell(fmt.Sprintf("%d red before and now", n))
	}
	if n := p.Cases.NowSkipped; n > 0 {
		f.tell(fmt.Sprintf("%d red before, skipped now, which proves nothing", n))
	}
	if n := p.Cases.Guards; n == 1 {
		f.hold("1 guard: green before and now")
	} else if n > 1 {
		f.hold(fmt.Sprintf("%d guards: green before and now", n))
	}
	if n := len(p.NotRed); n > 0 {
		f.tell(fmt.Sprintf("%d new not seen red", n))
	}
}

// addOthers adds what became of the tests that the base has.
func (f *facts) addOthers(p Proof) {
	switch {
	case p.PassedBefore == 0:
	case p.StillPassing == p.PassedBefore:
		f.hold(fmt.Sprintf("%d still pass", p.StillPassing))
	default:
		f.tell(fmt.Sprintf("%d of %d still pass", p.StillPassing, p.PassedBefore))
	}
	if n := len(p.AlreadyFailing); n > 0 {
		f.tell(fmt.Sprintf("%d failed before and still %s", n,
			map[bool]string{true: "does", false: "do"}[n == 1]))
	}
	if n := len(p.CannotRun); n > 0 {
		f.tell(fmt.Sprintf("%d cannot be run here", n))
	}
	if n := len(p.NowSkipped); n == 1 {
		f.tell("1 failed before and is skipped now")
	} else if n > 1 {
		f.tell(fmt.Sprintf("%d failed before and are skipped now", n))
	}
	if n := len(p.Unstable); n > 0 {
		f.tell(fmt.Sprintf("%d unstable", n))
	}
	if n := len(p.Rewritten); n > 0 {
		f.tell(plaintext.CountNoun(n, "check") + " of old tests changed")
	}
}
