package gotest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A event is one line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build-output and build-fail
	Test        string
	Output      string
	FailedBuild string // the ImportPath whose build failed
}

// test is a test, or a package as a whole under the empty name.
type test struct {
	pkg, name string
	status    result.Status // empty while it runs
	output    strings.Builder
	children  int // subtests directly or further below
	failures  int // of them, failed
}

// events collects the events of a run.
type events struct {
	count  int
	order  []*test // tests as they first appear
	tests  map[[2]string]*test
	pkgs   []*test
	builds map[string]*strings.Builder
	failed map[string]string // package -> ImportPath of the build that failed
	other  strings.Builder   // lines that are no events
}

// ReadJSON reads the events of go test -json. Lines between them that are no events,
// such as what a compiler of an older Go says, are kept for people.
func ReadJSON(text string) (Output, bool) {
	run := events{tests: map[[2]string]*test{}, builds: map[string]*strings.Builder{}, failed: map[string]string{}}
	for line := range strings.Lines(text) {
		var e event
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			result.AppendBounded(&run.other, line)
			continue
		}
		run.addEvent(e)
	}
	if run.count == 0 {
		return Output{}, false
	}
	return run.toOutput(), true
}

func (run *events) addEvent(e event) {
	switch e.Action {
	case "build-output", "build-fail":
		run.count++
		b := run.builds[e.ImportPath]
		if b == nil {
			b = &strings.Builder{}
			run.builds[e.ImportPath] = b
		}
		result.AppendBounded(b, e.Output)
	case "start", "run", "pause", "cont", "output", "bench", "attr", "artifacts", "pass", "fail", "skip":
		if e.Package != "" {
			run.count++
			run.applyEvent(run.testOf(e.Package, e.Test), e)
		}
	}
}

// applyEvent gives an event to the test it is about.
func (run *events) applyEvent(t *test, e event) {
	switch e.Action {
	case "output":
		result.AppendBounded(&t.output, e.Output)
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

func (run *events) testOf(pkg, name string) *test {
	key := [2]string{pkg, name}
	if t := run.tests[key]; t != nil {
		return t
	}
	t := &test{pkg: pkg, name: name}
	run.tests[key] = t
	if name == "" {
		run.pkgs = append(run.pkgs, t)
	} else {
		run.order = append(run.order, t)
	}
	return t
}

func (run *events) toOutput() Output {
	run.settleTests()
	// Packages are tested side by side and end as it happens.
	byPackage := func(a, b *test) int { return strings.Compare(a.pkg, b.pkg) }
	slices.SortStableFunc(run.order, byPackage)
	slices.SortStableFunc(run.pkgs, byPackage)
	var r Output
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
			r.Tests = append(r.Tests, result.BrokenGroup(p.pkg, why, output))
		}
	}
	r.Text = run.plainText()
	return r
}

// settleTests settles the tests that never ended, and counts subtests.
func (run *events) settleTests() {
	for _, t := range run.order {
		if t.status == "" {
			t.status = result.Failed
			result.AppendBounded(&t.output, "(it did not finish)\n")
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
func (run *events) whyBroken(p *test, failing int) (why, output string) {
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
func (run *events) plainText() string {
	var b strings.Builder
	failing := slices.ContainsFunc(run.pkgs, func(p *test) bool { return p.status == result.Failed })
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
			result.AppendBounded(&b, t.output.String())
		}
	}
	for _, p := range run.pkgs {
		if !failing || p.status == result.Failed || p.status == "" {
			result.AppendBounded(&b, p.output.String())
		}
	}
	return b.String()
}
