package proof

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Short returns the proof in one line, without the details of Lines.
func (p Proof) Short() string {
	parts := p.expectationParts()
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
			parts = append(parts, "1 "+shown.what+": red before, green now")
		case shown.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s: red before, green now", shown.n, shown.whats))
		}
	}
	if n := p.Cases.StillRed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d red before and now", n))
	}
	if n := p.Cases.NowSkipped; n > 0 {
		parts = append(parts, fmt.Sprintf("%d red before, skipped now, which proves nothing", n))
	}
	if n := p.Cases.Guards; n == 1 {
		parts = append(parts, "1 guard: green before and now")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d guards: green before and now", n))
	}
	if n := len(p.NotRed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d new not seen red", n))
	}
	if p.PassedBefore > 0 {
		if p.StillPassing == p.PassedBefore {
			parts = append(parts, fmt.Sprintf("%d still pass", p.StillPassing))
		} else {
			parts = append(parts, fmt.Sprintf("%d of %d still pass", p.StillPassing, p.PassedBefore))
		}
	}
	if n := len(p.AlreadyFailing); n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed before and still %s", n,
			map[bool]string{true: "does", false: "do"}[n == 1]))
	}
	if n := len(p.CannotRun); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cannot be run here", n))
	}
	if n := len(p.NowSkipped); n == 1 {
		parts = append(parts, "1 failed before and is skipped now")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d failed before and are skipped now", n))
	}
	if n := len(p.Unstable); n > 0 {
		parts = append(parts, fmt.Sprintf("%d unstable", n))
	}
	if n := len(p.Rewritten); n > 0 {
		parts = append(parts, plaintext.CountNoun(n, "check")+" of old tests changed")
	}
	if text := p.Command.Text; text != "" {
		parts = append(parts, strings.ToLower(text[:1])+text[1:])
	}
	if len(parts) == 0 && (p.Branch.TestsRan || p.Branch.BuildRan) {
		parts = append(parts, p.branchLine())
	} else if p.Branch.BuildRan && !p.Branch.BuildOK {
		parts = append(parts, "the build is not clean")
	}
	if p.miscountedLine() != "" {
		parts = append(parts, "the counts took no part: "+p.Miscounted)
	}
	if p.Why != "" {
		parts = append(parts, "not shown: "+p.Why)
	}
	return strings.Join(parts, "; ")
}
