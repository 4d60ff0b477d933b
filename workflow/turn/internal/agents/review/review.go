package review

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Verdict is a critic's answer in the form that is stored.
type Verdict struct {
	// nil: the critic gave no answer; empty: it found nothing
	Findings []Finding              `json:"findings"`
	Tests    []decision.TestVerdict `json:"tests,omitempty"`
	// new tests that the answer says nothing about
	NotJudged []string `json:"not_judged,omitempty"`
	// without a verdict: the answer says nothing about it
	Criteria []CriterionAnswer `json:"criteria,omitempty"`
}

// A Finding is a critic's finding whose cited line exists.
type Finding struct {
	decision.Finding
	Path string `json:"path"`
	// the cited line and up to three after it, at the time of the review
	Quoted []string `json:"quoted"`
	// the change removed the line; the finding is open while the line is gone
	Removed bool `json:"removed,omitempty"`
}

const (
	maxFindings = 8
	maxWords    = 200 // characters of the text of each finding
	maxQuoted   = 4   // lines by which a finding is recognised later
	maxFile     = 1 << 20
)

// ofTheChange holds the kinds of finding that have to cite a line of the change itself.
var ofTheChange = []string{
	decision.FoundDebugOutput, decision.FoundUnrelated, decision.FoundEmptyTest, decision.FoundPersonalData,
}

// Check returns the findings that cite an existing line of the changed files or a line that the change
// removed, at most maxFindings, and the answers to what else was asked.
func Check(found decision.Review, asked Asked, files fs.FS, hunks []diff.Hunk) Verdict {
	v := Verdict{Findings: []Finding{}}
	for _, f := range found.Findings {
		kept, there := locate(f, files, hunks)
		if there && len(v.Findings) < maxFindings {
			v.Findings = append(v.Findings, kept)
		}
	}
	v.takeAnswers(found, asked, files, hunks)
	return v
}

var placeForm = regexp.MustCompile("^`?(?:\\./)?([^`:\n]+):(\\d{1,9})")

// locate finds the line that a finding cites.
func locate(f decision.Finding, files fs.FS, hunks []diff.Hunk) (Finding, bool) {
	m := placeForm.FindStringSubmatch(strings.TrimSpace(f.Place))
	if m == nil {
		return Finding{}, false
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n < 1 {
		return Finding{}, false
	}
	kept := Finding{Finding: f, Path: path.Clean(m[1])}
	kept.Place = fmt.Sprintf("%s:%d", kept.Path, n)
	kept.What = strings.TrimRight(oneLine(f.What), ".")
	kept.Do = oneLine(f.Do)
	if lines := linesOf(files, kept.Path); n <= len(lines) {
		kept.Quoted = lines[n-1 : min(n-1+maxQuoted, len(lines))]
	} else if kept.Quoted = removedAt(hunks, kept.Path, n); kept.Quoted == nil {
		return Finding{}, false
	} else {
		kept.Removed = true
	}
	if slices.Contains(ofTheChange, f.Kind) && !inChange(hunks, kept.Path, n) {
		return Finding{}, false
	}
	return kept, kept.What != ""
}

// linesOf returns the lines of a plain text file, or nil for any other file.
func linesOf(files fs.FS, name string) []string {
	if !fs.ValidPath(name) || workfile.IsPrivate(name) {
		return nil
	}
	info, err := fs.Lstat(files, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	b, err := fs.ReadFile(files, name)
	if err != nil || workfile.IsBinary(b) || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// removedAt returns the line that had the number n before the change removed it, or nil.
func removedAt(hunks []diff.Hunk, path string, n int) (lines []string) {
	for _, h := range hunks {
		if h.Path != path {
			continue
		}
		eachLine(h, func(op byte, old, _ int, line string) {
			if op == '-' && old == n {
				lines = []string{line}
			}
		})
	}
	return lines
}

// inChange reports whether a line is in a hunk, by its new number or by its old one.
func inChange(hunks []diff.Hunk, path string, n int) bool {
	return slices.ContainsFunc(hunks, func(h diff.Hunk) bool {
		return h.Path == path &&
			(n >= h.NewStart && n < h.NewStart+h.NewLines || n >= h.OldStart && n < h.OldStart+h.OldLines)
	})
}

func oneLine(s string) string {
	return plaintext.CutLine(plaintext.OneLine(s), maxWords)
}

// Standing returns the open findings: those whose cited lines are still in the files, or still gone if
// the change removed them.
func (v Verdict) Standing(files fs.FS) (left []Finding) {
	for _, f := range v.Findings {
		if contains(linesOf(files, f.Path), f.Quoted) != f.Removed {
			left = append(left, f)
		}
	}
	return left
}

// contains reports whether all has the lines in this order, without others between them.
func contains(all, lines []string) bool {
	for i := 0; i+len(lines) <= len(all); i++ {
		if slices.Equal(all[i:i+len(lines)], lines) {
			return true
		}
	}
	return false
}

// line returns a finding in one line: `money/split.go:14`, debug output: prints every share.
func (f Finding) line() string {
	return fmt.Sprintf("%s, %s: %s", plaintext.CodeSpan(f.Place), f.Kind, f.What)
}

// ForOrchestrator returns the text that the orchestrator is sent when the findings go back to it.
func (v Verdict) ForOrchestrator() string {
	var lines []string
	for i, f := range v.Findings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d. %s. %s", i+1, f.line(), f.Do)))
	}
	for _, c := range v.WrongCriteria() {
		lines = append(lines, fmt.Sprintf("%d. %s", len(lines)+1, c.forOrchestrator()))
	}
	return "Not pushed yet. Another agent reviewed the change and found this:\n" +
		prompt.Fence("advice", strings.Join(lines, "\n")) +
		"\nCheck each finding. Fix the ones that are right with delegate, and call finish again; " +
		"where something is to stay as it is, say why in kept, one short line. This comes once: " +
		"the next finish pushes, and the thread is told what was left."
}

// ForPerson returns what a person who asked for a review is told.
func (v Verdict) ForPerson() string {
	if len(v.Findings) == 0 {
		return "Reviewed: nothing found"
	}
	lines := []string{"Reviewed. To have any of it changed, say so:"}
	for i, f := range v.Findings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d. %s. %s", i+1, f.line(), f.Do)))
	}
	return strings.Join(lines, "\n")
}

// ForThread returns one line about the findings that go back to the orchestrator.
func (v Verdict) ForThread() string {
	places := make([]string, len(v.Findings))
	for i, f := range v.Findings {
		places[i] = f.Kind + " at " + plaintext.CodeSpan(f.Place)
	}
	for _, c := range v.WrongCriteria() {
		what := "not met"
		if c.Verdict == decision.CriterionChanged {
			what = "something else by now: " + plaintext.QuoteLine(c.Now)
		}
		places = append(places, fmt.Sprintf("done criterion %d is %s", c.Number, what))
	}
	return "Found before the push: " + strings.Join(places, ", ")
}

// An Outcome is the result of a review, for the line about the push.
type Outcome struct {
	Verdict
	Left []Finding // findings that are still open
	Kept string    // why they were kept, in the orchestrator's words
	Why  string    // why there was no review; empty: there was one
	USD  float64   // cost of the review
}

// Short returns the outcome in one line.
func (o Outcome) Short() string {
	said := ""
	switch all := plaintext.CountNoun(len(o.Findings), "finding"); {
	case o.Why != "":
		return "Not reviewed: " + strings.TrimRight(o.Why, ".")
	case len(o.Findings) == 0:
		said = "nothing found"
	case len(o.Left) == 0:
		said = all + ", fixed"
	default:
		said = fmt.Sprintf("%d of %s left: %s", len(o.Left), all, plaintext.QuoteLine(o.Left[0].line()))
		if more := len(o.Left) - 1; more > 0 {
			said += fmt.Sprintf("; and %d more", more)
		}
		if o.Kept != "" {
			said += ". Kept: " + plaintext.QuoteLine(strings.TrimRight(o.Kept, "."))
		}
	}
	return "Review: " + said + o.testsLine() + o.cost()
}

// MakeUp says how a missing review can be had, or nothing if there was one.
func (o Outcome) MakeUp() string {
	if o.Why == "" {
		return ""
	}
	return "Reply \"review it\" to have it reviewed; otherwise it stays unreviewed."
}

func (o Outcome) cost() string {
	if o.USD <= 0 {
		return ""
	}
	return " (" + workflow.Money(o.USD) + ")"
}

// Lines returns every finding in a line, with whether it was fixed, for the details of a push.
func (o Outcome) Lines() (lines []string) {
	for _, f := range o.Findings {
		state := "fixed"
		if slices.ContainsFunc(o.Left,
			func(l Finding) bool { return l.Place == f.Place && l.What == f.What }) {
			state = "left"
		}
		lines = append(lines, fmt.Sprintf("Review, %s: %s", state, f.line()))
	}
	for _, t := range o.Tests {
		shows := map[string]string{"yes": "shows something", "no": "shows nothing"}[t.Shows]
		lines = append(lines, fmt.Sprintf("Review, new test %s: %s (%s)",
			plaintext.OneLine(t.Name), shows, strings.TrimRight(t.Why, ".")))
	}
	for _, name := range o.NotJudged {
		lines = append(lines, fmt.Sprintf("Review, new test %s: not looked at", plaintext.OneLine(name)))
	}
	return lines
}
