package runners

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A goEvent is one line of go test -json.
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string // of build-output and build-fail
	Test        string
	Output      string
	FailedBuild string // the ImportPath whose build failed
}

// goTest is a test, or a package as a whole under the empty name.
type goTest struct {
	pkg, name string
	status    result.Status // empty while it runs
	output    strings.Builder
	children  int // subtests directly or further below
	failures  int // of them, failed
}

// goRun collects the events of a run.
type goRun struct {
	events int
	order  []*goTest // tests as they first appear
	tests  map[[2]string]*goTest
	pkgs   []*goTest
	builds map[string]*strings.Builder
	failed map[string]string // package -> ImportPath of the build that failed
	other  strings.Builder   // lines that are no events
}

// readGoJSON reads the events of go test -json. Lines between them that are no events,
// such as what a compiler of an older Go says, are kept for people.
func readGoJSON(text string) (Reading, bool) {
	run := goRun{tests: map[[2]string]*goTest{}, builds: map[string]*strings.Builder{}, failed: map[string]string{}}
	for line := range strings.Lines(text) {
		var e goEvent
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			appendBounded(&run.other, line)
			continue
		}
		run.addEvent(e)
	}
	if run.events == 0 {
		return Reading{}, false
	}
	return run.toReading(), true
}

func (run *goRun) addEvent(e goEvent) {
	switch e.Action {
	case "build-output", "build-fail":
		run.events++
		b := run.builds[e.ImportPath]
		if b == nil {
			b = &strings.Builder{}
			run.builds[e.ImportPath] = b
		}
		appendBounded(b, e.Output)
	case "start", "run", "pause", "cont", "output", "bench", "attr", "artifacts", "pass", "fail", "skip":
		if e.Package != "" {
			run.events++
			run.applyEvent(run.testOf(e.Package, e.Test), e)
		}
	}
}

// applyEvent gives an event to the test it is about.
func (run *goRun) applyEvent(t *goTest, e goEvent) {
	switch e.Action {
	case "output":
		appendBounded(&t.output, e.Output)
	case "pass":
		t.status = result.Passed
	case "skip":
		t.status = result.Skipped
	case "fail":
		t.status = result.Failed
		if e.FailedBuild != "" {
			run.failed[e.Package] = e.FailedBuild
		}
	}
}

func (run *goRun) testOf(pkg, name string) *goTest {
	key := [2]string{pkg, name}
	if t := run.tests[key]; t != nil {
		return t
	}
	t := &goTest{pkg: pkg, name: name}
	run.tests[key] = t
	if name == "" {
		run.pkgs = append(run.pkgs, t)
	} else {
		run.order = append(run.order, t)
	}
	return t
}

// appendBounded appends to a text that grows no further than anybody would read.
func appendBounded(b *strings.Builder, s string) {
	if b.Len()+len(s) <= 4*result.MaxText {
		b.WriteString(s)
	}
}

func (run *goRun) toReading() Reading {
	run.settleTests()
	// Packages are tested side by side and end as it happens.
	byPackage := func(a, b *goTest) int { return strings.Compare(a.pkg, b.pkg) }
	slices.SortStableFunc(run.order, byPackage)
	slices.SortStableFunc(run.pkgs, byPackage)
	var r Reading
	failing := map[string]int{}
	for _, t := range run.order {
		// A test with subtests is counted by them, unless it failed on its own.
		if t.children > 0 && (t.status != result.Failed || t.failures > 0) {
			continue
		}
		of, _, sub := strings.Cut(t.name, "/")
		if !sub {
			of = ""
		}
		r.Tests = append(r.Tests, result.Test{Name: t.name, Group: t.pkg, Of: of, Status: t.status, Output: t.output.String()})
		if t.status == result.Failed {
			failing[t.pkg]++
		}
	}
	for _, p := range run.pkgs {
		if why, output := run.whyBroken(p, failing[p.pkg]); why != "" {
			r.Tests = append(r.Tests, brokenGroup(p.pkg, why, output))
		}
	}
	r.Text = run.plainText()
	return r
}

// settleTests settles the tests that never ended, and counts subtests.
func (run *goRun) settleTests() {
	for _, t := range run.order {
		if t.status == "" {
			t.status = result.Failed
			appendBounded(&t.output, "(it did not finish)\n")
		}
		for name := t.name; ; {
			i := strings.LastIndexByte(name, '/')
			if i < 0 {
				break
			}
			name = name[:i]
			if parent := run.tests[[2]string{t.pkg, name}]; parent != nil {
				parent.children++
				if t.status == result.Failed {
					parent.failures++
				}
			}
		}
	}
}

// whyBroken says why a package failed although none of its tests did.
func (run *goRun) whyBroken(p *goTest, failing int) (why, output string) {
	text := p.output.String()
	switch {
	case p.status == "" && failing == 0:
		return "did not finish", text
	case p.status != result.Failed || failing > 0:
		return "", ""
	case run.failed[p.pkg] != "" || strings.Contains(text, "[build failed]"):
		if b := run.builds[run.failed[p.pkg]]; b != nil {
			text = b.String()
		} else {
			text = run.other.String()
		}
		return "does not compile", text
	case strings.Contains(text, "[setup failed]"):
		return "could not be loaded", run.other.String() + text
	}
	return "failed outside its tests", text
}

// plainText is the run as go test without -json would have shown it; where a package fails,
// without those that do not.
func (run *goRun) plainText() string {
	var b strings.Builder
	failing := slices.ContainsFunc(run.pkgs, func(p *goTest) bool { return p.status == result.Failed })
	b.WriteString(run.other.String())
	said := map[string]bool{}
	for _, p := range run.pkgs {
		if path := run.failed[p.pkg]; path != "" && !said[path] && run.builds[path] != nil {
			said[path] = true
			b.WriteString(run.builds[path].String())
		}
	}
	for _, t := range run.order {
		if t.status == result.Failed {
			appendBounded(&b, t.output.String())
		}
	}
	for _, p := range run.pkgs {
		if !failing || p.status == result.Failed || p.status == "" {
			appendBounded(&b, p.output.String())
		}
	}
	return b.String()
}
