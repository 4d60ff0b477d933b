package runners

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	tapResult    = regexp.MustCompile(`^( *)(not )?ok\b *(\d*)(?: +- +| +|$)(.*)$`)
	tapPlan      = regexp.MustCompile(`^( *)1\.\.(\d+)`)
	tapDirective = regexp.MustCompile(`(?i)(?:^| )# *(skip|todo)\b.*$`)
	tapStated    = regexp.MustCompile(`^# (?:tests|suites) +(\d+)$`)
	tapSummary   = regexp.MustCompile(`^ *# *(?:Subtest:|[a-z_]+ +[\d.]+$)`)
	tapVersion   = regexp.MustCompile(`(?m)^TAP version 1[234]\s*$`)
	tapFile      = regexp.MustCompile(`\.[cm]?[jt]sx?$`)
)

// tapDepth is how deep subtests are followed.
const tapDepth = 64

// A tapPoint is one test point with the subtests printed before it.
type tapPoint struct {
	name     string
	status   result.Status
	detail   strings.Builder // the YAML block below it
	children []*tapPoint
}

// A tapRun is the state while a TAP document is read.
type tapRun struct {
	open    [tapDepth + 1][]*tapPoint // by depth, the points whose parent has not come yet
	last    *tapPoint
	yaml    int // indentation of the block being read; -1 outside a block
	planned int // the sum of the plans at the top level; -1 if there is none
	points  int // the points at any depth
	stated  int // the tests and suites by the comments after them; 0 if there are none
	bailed  string
	braces  []tapBrace // the points whose subtests follow them in braces
}

// A tapBrace is a point whose subtests are being read.
type tapBrace struct {
	indent string
	failed bool
	rest   string
}

// readTAP reads TAP 12 to 14. Of nested subtests, as node prints them, only the innermost count.
func readTAP(text string) (Reading, bool) {
	run := tapRun{yaml: -1, planned: -1}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, "\n\r"))
	}
	ok := tapVersion.MatchString(text) || run.planned >= 0 && (len(run.open[0]) > 0 || run.planned == 0)
	return run.toReading(), ok
}

func (t *tapRun) readLine(line string) {
	if t.yaml >= 0 {
		t.inYAML(line)
		return
	}
	if m := tapResult.FindStringSubmatch(line); m != nil {
		if rest, open := strings.CutSuffix(m[4], " {"); open { // as vitest prints subtests
			t.braces = append(t.braces, tapBrace{m[1], m[2] != "", rest})
			return
		}
		t.addPoint(len(m[1])/4, m[2] != "", m[4])
		return
	}
	if n := len(t.braces); n > 0 && line == t.braces[n-1].indent+"}" {
		t.addPoint(len(t.braces[n-1].indent)/4, t.braces[n-1].failed, t.braces[n-1].rest)
		t.braces = t.braces[:n-1]
		return
	}
	switch m := tapPlan.FindStringSubmatch(line); {
	case m != nil && m[1] == "":
		t.planned = max(0, t.planned) + parseCount(m[2])
	case tapStated.MatchString(line):
		t.stated += parseCount(tapStated.FindStringSubmatch(line)[1])
	case strings.TrimSpace(line) == "---" && t.last != nil && indentOf(line) > 0:
		t.yaml = indentOf(line)
	case strings.HasPrefix(line, "Bail out!"):
		t.bailed = strings.TrimSpace(strings.TrimPrefix(line, "Bail out!"))
		if t.bailed == "" {
			t.bailed = "no reason given"
		}
	case t.last != nil && t.last.status == result.Failed && !tapSummary.MatchString(line):
		// bats and Test::More tell here how the test failed.
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			result.AppendBounded(&t.last.detail, strings.TrimPrefix(said, " ")+"\n")
		}
	}
}

// inYAML reads a line of the block with the details of the last point.
func (t *tapRun) inYAML(line string) {
	if strings.TrimSpace(line) == "..." && indentOf(line) <= t.yaml {
		t.yaml = -1
		return
	}
	result.AppendBounded(&t.last.detail, strings.TrimPrefix(line, strings.Repeat(" ", t.yaml))+"\n")
}

func (t *tapRun) addPoint(depth int, failed bool, rest string) {
	t.points++
	p := &tapPoint{status: result.Passed}
	if failed {
		p.status = result.Failed
	}
	if d := tapDirective.FindStringIndex(rest); d != nil {
		// a todo test that fails is no failure, and one that passes does not count as a test yet
		p.status = result.Skipped
		rest = rest[:d[0]]
	}
	p.name = strings.ReplaceAll(strings.TrimSpace(rest), `\#`, "#")
	depth = min(depth, tapDepth-1)
	p.children = t.open[depth+1]
	for i := depth + 1; i <= tapDepth && t.open[i] != nil; i++ {
		t.open[i] = nil
	}
	t.open[depth] = append(t.open[depth], p)
	t.last = p
}

func (t *tapRun) toReading() Reading {
	var r Reading
	for _, level := range t.open { // also the deeper levels whose parents never came
		for i, p := range level {
			r.addPoint(p, "", i+1)
		}
	}
	// The comments count points that contain others, too.
	r.Stated = max(0, t.stated-t.points+len(r.Tests))
	if t.bailed != "" {
		r.Tests = append(r.Tests, result.BrokenGroup("the run", "was given up", t.bailed))
	} else if t.planned > len(t.open[0]) {
		cut := result.BrokenGroup("the run", "did not finish", "")
		cut.Unfinished = true
		r.Tests = append(r.Tests, cut)
	}
	return r
}

// addPoint adds the leaves of a point, and the point itself if it failed on its own.
func (r *Reading) addPoint(p *tapPoint, path string, number int) (failed bool) {
	name := p.name
	if name == "" {
		name = "test " + strconv.Itoa(number)
	}
	if tapFile.MatchString(name) && p.status == result.Failed &&
		strings.Contains(p.detail.String(), "exitCode:") {
		r.Tests = append(r.Tests,
			result.BrokenGroup(strings.TrimPrefix(name, "/src/"), "could not be loaded", p.detail.String()))
		return true
	}
	if path != "" {
		name = path + separator + name
	}
	for i, child := range p.children {
		failed = r.addPoint(child, name, i+1) || failed
	}
	if len(p.children) == 0 || p.status == result.Failed && !failed {
		r.Tests = append(r.Tests, result.Test{Name: name, Status: p.status, Output: p.detail.String()})
	}
	return failed || p.status == result.Failed
}
