package proof

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// canRunAlone reports whether the project's runner can run single test files.
func (p *proving) canRunAlone() bool {
	for _, file := range []string{"a_test.go", "a.test.js", "test_a.py"} {
		if _, ok := p.project.Only([]string{file}, nil); ok {
			return true
		}
	}
	return false
}

// proveAlone proves the change with the tests of its own test files alone. why says why the whole suite
// proves nothing, such as that it does not run to its end on the base. It returns false if the change has no
// such tests, or if they cannot be run alone.
func (p *proving) proveAlone(ctx context.Context, why string) (bool, error) {
	files := p.tests.testFiles()
	narrowed, ok := p.project.Only(files, nil)
	if len(files) == 0 || !ok {
		return false, nil
	}
	alone := &proving{checker: p.checker, work: p.work, project: narrowed, isAlone: true}
	alone.BaseName = p.BaseName
	if err := alone.runAndJudge(ctx); err != nil {
		return true, err
	}
	if alone.Base.Stopped != "" { // these tests do not end on the base either
		return false, nil
	}
	whole := p.Base
	p.Proof = alone.Proof
	if whole.Stopped != "" {
		p.Unfinished = whole
	}
	if p.Passes() {
		p.Why = "whether the other tests still pass: " + why
	}
	return true, nil
}

// whyStopped returns why a base that a limit stopped cannot be compared with the branch. If the runner can
// run single files, the change is at fault: a test of its own would have shown it.
func (p *proving) whyStopped() string {
	why := "the run on " + p.BaseName + " itself " + p.Base.StopReason()
	if p.tests.isEmpty() && !p.isAlone && p.canRunAlone() {
		return why + ", so only new tests can be compared, which run alone: add one that fails on " +
			p.BaseName + " and passes with the change"
	}
	p.Missing = why
	return why + ", so there is nothing to compare with"
}

// leftOutLine names the tests that a limit stops on the base itself, and their reasons.
func leftOutLine(base result.Result, name string) string {
	if len(base.LeftOut) == 0 {
		return ""
	}
	var tests []string
	for _, t := range base.LeftOut {
		tests = append(tests, t.Name+" ("+t.Why+")")
	}
	return fmt.Sprintf("Cannot be run here, on %s either, and left out: %s", name, strings.Join(tests, ", "))
}
