package proof

import (
	"fmt"
	"os"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// A RejectedTest is a test of the change that shows nothing, whatever it does on the base and on the branch, or code
// of which the tests show nothing.
type RejectedTest struct {
	Name string
	Why  string // continues a sentence that begins with the name: "passes and fails by itself"
	Do   string // the cure, as an order
	// Code is set if it is no test, but code that does something else while a test runs. Name is its place.
	Code bool
}

// Reject records the tests that show nothing. A proof with such a test does not hold. Package testtrial finds
// them.
func (p *Proof) Reject(tests []RejectedTest) {
	if len(tests) == 0 {
		return
	}
	p.Rejected = tests
	p.Why = p.refusal()
}

// rejection returns what is wrong with the first rejected test, what to do, and which others are rejected.
func (p Proof) rejection() string {
	t := p.Rejected[0]
	do := strings.ToUpper(t.Do[:1]) + t.Do[1:]
	why := fmt.Sprintf("%s test %s %s, so it shows nothing. %s", p.newOrExtended(t.Name), t.Name, t.Why, do)
	if t.Code {
		why = fmt.Sprintf(
			"the code at %s %s, so the tests show nothing of what it does otherwise. %s", t.Name, t.Why, do,
		)
	}
	for _, more := range p.Rejected[1:min(len(p.Rejected), maxNamed)] {
		why += fmt.Sprintf("; %s %s", more.Name, more.Why)
	}
	if more := len(p.Rejected) - maxNamed; more > 0 {
		why += fmt.Sprintf("; and %d more", more)
	}
	return why
}

// LayTests copies the part of the changes that belongs to the tests from a workspace over the base.
func LayTests(kind string, changes []diff.Change, from, onto *os.Root) error {
	return selectTests(kind, changes).layOver(from, onto)
}
