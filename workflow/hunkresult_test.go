package workflow

import (
	"strings"
	"testing"
)

func TestHunksInALine(t *testing.T) {
	t.Parallel()
	needed := HunkResult{Path: "a.go", Line: 3, Verdict: HunkNeeded, Why: "TestA fails"}
	builds := HunkResult{Path: "b.go", Verdict: HunkNeeded, Why: "shop does not compile", ToBuild: true}
	kept := HunkResult{Path: "cart`s.go", Line: 40, Verdict: HunkUnneeded, Kept: "it reads better"}
	late := HunkResult{Path: "new.go", Verdict: HunkUntried, Why: "no time was left"}
	for want, l := range map[string]HunkResults{
		"":                        nil,
		"1 of 1 hunk is needed":   {needed},
		"3 of 3 hunks are needed": {needed, needed, needed},
		"0 of 1 hunk is needed; kept: " +
			"`cart's.go:40` (“it reads better”)": {kept},
		"3 of 3 hunks are needed, 1 of them to build": {needed, builds, needed},
		"2 of 2 hunks are needed to build":            {builds, builds},
		"1 of 3 hunks is needed; kept: `cart's.go:40` (“it reads better”); not tried, since " +
			"there was no time left: `new.go`": {needed, kept, late},
		"None of 2 hunks was tried, since there was no time left: `new.go`, `b.go:7`": {
			late, {Path: "b.go", Line: 7, Verdict: HunkUntried},
		},
	} {
		if got := l.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	list := HunkResults{needed, kept, late}.List()
	if want := "`a.go:3`: needed (TestA fails)\n`cart's.go:40`: nothing fails without it; kept: " +
		"it reads better\n`new.go`: not tried (no time was left)"; list != want {
		t.Errorf("%s", list)
	}
	if many := make(HunkResults, 60).List(); !strings.HasSuffix(many, "\nand 10 more") {
		t.Error(many)
	}
	open := HunkResult{Verdict: HunkUnneeded}
	if l := (HunkResults{needed, kept, open, late}).Open(); len(l) != 1 || l[0].Kept != "" {
		t.Error(l)
	}
}
