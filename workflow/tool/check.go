package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxFailing    = 10   // tests whose output is shown
	failingEnd    = 1500 // characters of each end of one test's output
	buildEnd      = 4000 // of each end of the build's
	uncountedEnd  = 6000 // of each end of the output when no tests were counted
	maxOtherNames = 50
)

type checkArgs struct{}

// check is the program's own build and test run over the workspace; its [result.Result] is
// what the call writes.
func (c commandRunner) check(ctx context.Context, _ checkArgs) (string, any, error) {
	if c.Sandbox == nil || c.Checker == nil {
		return "", nil, c.off("Checks cannot be run")
	}
	if c.Project.Build == "" && c.Project.Test == "" {
		return "", nil, model.Mistake("No build or test command is known for this repository: find out how it is tested and use run.")
	}
	r, err := c.Checker.Run(ctx, c.workspace.Files(), c.Project)
	if err != nil {
		return "", nil, err
	}
	return checked(r), r, nil
}

// checked is the result in figures, and what failed as far as it helps.
func checked(r result.Result) string {
	var s strings.Builder
	s.WriteString(r.String() + "\n")
	if r.BuildRan && !r.BuildOK {
		fmt.Fprintf(&s, "The build fails:\n%s\n", ends(r.BuildOutput, buildEnd))
	}
	shown := failingTests(&s, r.Tests)
	if shown == 0 && r.TestsRan && !r.OK() {
		fmt.Fprintf(&s, "The tests fail:\n%s\n", ends(r.Output, uncountedEnd))
	}
	return s.String()
}

// failingTests shows the first failing tests whole and names the others.
func failingTests(s *strings.Builder, tests []result.Test) int {
	var failing []result.Test
	for _, t := range tests {
		if t.Status == result.Failed {
			failing = append(failing, t)
		}
	}
	for _, t := range failing[:min(len(failing), maxFailing)] {
		fmt.Fprintf(s, "FAIL %s\n%s\n", testName(t), ends(t.Output, failingEnd))
	}
	if len(failing) <= maxFailing {
		return len(failing)
	}
	others := failing[maxFailing:]
	s.WriteString("Failing too:")
	for _, t := range others[:min(len(others), maxOtherNames)] {
		s.WriteString(" " + testName(t) + ";")
	}
	if more := len(others) - maxOtherNames; more > 0 {
		fmt.Fprintf(s, " and %d more", more)
	}
	s.WriteString("\n")
	return len(failing)
}

func testName(t result.Test) string {
	name := t.Name
	if t.Group != "" && t.Group != name {
		name = t.Group + " " + name
	}
	if t.Broken != "" {
		name += ": " + t.Broken
	}
	return plaintext.CutCounted(strings.Join(strings.Fields(plaintext.StripTerminal(name)), " "), 300)
}

func ends(text string, each int) string {
	out, _ := plaintext.CutMiddle(strings.TrimSpace(plaintext.StripTerminal(text)), each, each)
	return out
}
