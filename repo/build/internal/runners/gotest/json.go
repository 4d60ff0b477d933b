package gotest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// An event is one line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // set for build-output and build-fail
	Test        string
	Output      string
	FailedBuild string // the ImportPath whose build failed
}

// A test is a test, or a whole package if the name is empty.
type test struct {
	pkg, name string
	status    result.Status // empty while it runs
	waits     bool          // it waits for its turn (t.Parallel)
	output    strings.Builder
	parents   []*test // the tests that it is a subtest of
	children  int     // the number of subtests at any depth
	failures  int     // how many of the subtests failed
	open      bool    // it did not end
}

// An events collects the events of a run.
type events struct {
	count  int
	order  []*test             // the tests in the order of their first events
	tests  map[[2]string]*test // the newest of each name: with -count a test runs several times
	pkgs   []*test
	builds map[string]*strings.Builder
	failed map[string]string // by package, the ImportPath of the failed build
	other  strings.Builder   // the lines that are no events
}

// ReadJSON reads the events of go test -json. Other lines between them, such as those of an older Go's
// compiler, are kept in Text.
func ReadJSON(text string) (Output, bool) {
	run := events{
		tests:  map[[2]string]*test{},
		builds: map[string]*strings.Builder{},
		failed: map[string]string{},
	}
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
			run.applyEvent(run.testOf(e.Package, e.Test, e.Action), e)
		}
	}
}

// applyEvent applies an event to its test.
func (run *events) applyEvent(t *test, e event) {
	switch e.Action {
	case "output":
		result.AppendBounded(&t.output, e.Output)
	case "pause":
		t.waits = true
	case "cont":
		t.waits = false
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

// testOf returns the test of an event. A test that ended and runs again is another one.
func (run *events) testOf(pkg, name, action string) *test {
	key := [2]string{pkg, name}
	if t := run.tests[key]; t != nil && (t.status == "" || action != "run" && action != "start") {
		return t
	}
	t := &test{pkg: pkg, name: name}
	run.tests[key] = t
	for i, c := range name {
		if c != '/' {
			continue
		}
		if parent := run.tests[[2]string{pkg, name[:i]}]; parent != nil && i > 0 {
			t.parents = append(t.parents, parent)
		}
	}
	if name == "" {
		run.pkgs = append(run.pkgs, t)
	} else {
		run.order = append(run.order, t)
	}
	return t
}

func (run *events) toOutput() Output {
	run.settleTests()
	// Packages are tested in parallel and end in any order.
	byPackage := func(a, b *test) int { return strings.Compare(a.pkg, b.pkg) }
	slices.SortStableFunc(run.order, byPackage)
	slices.SortStableFunc(run.pkgs, byPackage)
	var r Output
	failing := map[string]int{}
	for _, t := range run.order {
		// A test with subtests is counted by these, unless it failed on its own.
		if t.children > 0 && (t.status != result.Failed || t.failures > 0) {
			continue
		}
		of, _, sub := strings.Cut(t.name, "/")
		if !sub {
			of = ""
		}
		r.Tests = append(r.Tests, result.Test{
			Name:       t.name,
			Group:      t.pkg,
			Of:         of,
			Status:     t.status,
			Output:     t.output.String(),
			Unfinished: t.open,
			Waits:      t.open && t.waits,
		})
		if t.status == result.Failed {
			failing[t.pkg]++
		}
	}
	for _, p := range run.pkgs {
		if why, output := run.whyBroken(p, failing[p.pkg]); why != "" {
			broken := result.BrokenGroup(p.pkg, why, output)
			broken.Unfinished = p.status == ""
			r.Tests = append(r.Tests, broken)
		}
	}
	r.Text = run.plainText()
	return r
}

// settleTests marks the tests that never ended as failed, and counts subtests.
func (run *events) settleTests() {
	for _, t := range run.order {
		if t.status == "" {
			t.status = result.Failed
			t.open = true
			result.AppendBounded(&t.output, "(it did not finish)\n")
		}
		for _, parent := range t.parents {
			parent.children++
			if t.status == result.Failed {
				parent.failures++
			}
		}
	}
}

// whyBroken returns why a package failed although none of its tests did, or an empty string.
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
		return result.DoesNotCompile, text
	case strings.Contains(text, "[setup failed]"):
		return "could not be loaded", run.other.String() + text
	}
	return "failed outside its tests", text
}

// plainText returns the output in the form of go test without -json. If a package fails, the lines of
// passing packages are left out.
func (run *events) plainText() string {
	var b strings.Builder
	failing := slices.ContainsFunc(run.pkgs, func(p *test) bool { return p.status == result.Failed })
	b.WriteString(run.other.String())
	reported := map[string]bool{}
	for _, p := range run.pkgs {
		if path := run.failed[p.pkg]; path != "" && !reported[path] && run.builds[path] != nil {
			reported[path] = true
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
