package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxRewritten is how many changed checks of old tests are quoted.
const maxRewritten = 3

// findRewritten records the checks of old tests that the change rewrote or removed although the old tests
// were run on the new code, and pass. Nothing fails through that, and people should see it: the test may
// check less than before.
func (p *proving) findRewritten() {
	if !p.OnOldTests.TestsRan || p.OnOldTests.Stopped != "" {
		return
	}
	for _, f := range p.forms {
		if f.kind != "modified" || !project.IsTest(p.project.Kind, f.path) || p.expectsIn(f.path) {
			continue
		}
		for _, line := range pairsOf(f) {
			moved := line.is == "" && strings.Contains(f.is, line.was)
			longer := line.is != "" && likeness(line.was, line.is) >= len(line.was)
			if line.was == "" || moved || longer || !asserts(line.was) || p.isOfExtended(f, line.old) {
				continue
			}
			now := "is removed"
			if line.is != "" {
				now = "is now " + plaintext.CodeSpan(plaintext.CutLine(line.is, maxSays))
			}
			p.Rewritten = append(p.Rewritten, fmt.Sprintf("%s %s, which was %s",
				plaintext.CodeSpan(fmt.Sprintf("%s:%d", f.path, max(line.now, line.old))), now,
				plaintext.CodeSpan(plaintext.CutLine(line.was, maxSays))))
		}
	}
}

// isOfExtended reports whether a line of an old file is in a test that is named as an extended one.
func (p *proving) isOfExtended(f oldForm, line int) bool {
	finder := pairFinder{[]oldForm{f}}
	return slices.ContainsFunc(p.Extended, func(name string) bool {
		test, _, _ := strings.Cut(name, "/")
		begins, found := finder.holder(test)
		return found && begins.line <= line && finder.sameTest(f, begins.line, line)
	})
}

// expectsIn reports whether an expectation of the file changed; then that says more.
func (p *proving) expectsIn(path string) bool {
	return slices.ContainsFunc(p.Expectations, func(e Expectation) bool {
		return e.Place == "" || strings.HasPrefix(e.Place, path+":")
	})
}

// rewrittenLine says which checks of old tests changed without need.
func (p Proof) rewrittenLine() string {
	if len(p.Rewritten) == 0 {
		return ""
	}
	return "Changed in old tests, which pass as they were, too: " +
		plaintext.FirstOf(p.Rewritten, maxRewritten)
}
