package review

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Asked is what a critic is asked beside its findings.
type Asked struct {
	Tests    []string // the names of the new tests
	Criteria []Criterion
}

// A Criterion is a done criterion with what the thread would be told of it.
type Criterion struct {
	Text string // as it was restated
	Line string // without the reason, which differs from one finish to the next
	How  string
}

// A CriterionAnswer is the critic's verdict on one done criterion.
type CriterionAnswer struct {
	decision.CriterionVerdict
	Line string `json:"line"` // what the thread would have been told
}

// isWrong reports whether the thread must not be told that line.
func (c CriterionAnswer) isWrong() bool { return c.Verdict != decision.CriterionMet }

// maxTests is how many new tests a critic is asked about.
const maxTests = 20

// NewAsked returns what a critic is asked about these tests and criteria.
func NewAsked(tests []string, criteria []Criterion) Asked {
	return Asked{Tests: tests[:min(len(tests), maxTests)], Criteria: criteria}
}

// Text returns the questions for the critic, or an empty string if there are none.
func (a Asked) Text() string {
	var parts []string
	if len(a.Tests) > 0 {
		var names []string
		for _, name := range a.Tests {
			names = append(names, plaintext.OneLine(name))
		}
		parts = append(parts, prompt.ProgramMark+
			"New or changed tests of it. Say of each, by its name, in tests: does it show something?\n"+
			prompt.Fence("tests", strings.Join(names, "\n")))
	}
	if len(a.Criteria) > 0 {
		var lines []string
		for i, c := range a.Criteria {
			lines = append(lines, fmt.Sprintf("%d. asked for: %s\n   the thread would be told: %s (%s)",
				i+1, plaintext.OneLine(c.Text), c.Line, c.How))
		}
		parts = append(
			parts,
			prompt.ProgramMark+
				"The done criteria, each with the line that the thread would be told of it. "+
				"Say of each, by its number, in criteria: is that line true, "+
				"and what people finally wanted?\n"+
				prompt.Fence("criteria", strings.Join(lines, "\n")),
		)
	}
	return strings.Join(parts, "\n\n")
}

// Unanswered returns what the answer says nothing about, in words, or an empty string.
func (a Asked) Unanswered(r decision.Review) string {
	var missing []string
	for _, name := range a.Tests {
		if testVerdict(r.Tests, name) == nil {
			missing = append(missing, "the test "+name)
		}
	}
	for i := range a.Criteria {
		if criterionVerdict(r.Criteria, i+1) == nil {
			missing = append(missing, fmt.Sprintf("done criterion %d", i+1))
		}
	}
	return strings.Join(missing, ", ")
}

func testVerdict(all []decision.TestVerdict, name string) *decision.TestVerdict {
	i := slices.IndexFunc(all, func(t decision.TestVerdict) bool {
		same := strings.Trim(plaintext.OneLine(t.Name), " `") == plaintext.OneLine(name)
		return same && (t.Shows == "yes" || t.Shows == "no")
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

func criterionVerdict(all []decision.CriterionVerdict, number int) *decision.CriterionVerdict {
	known := []string{decision.CriterionMet, decision.CriterionNotMet, decision.CriterionChanged}
	i := slices.IndexFunc(all, func(c decision.CriterionVerdict) bool {
		return c.Number == number && slices.Contains(known, c.Verdict)
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// takeAnswers adds the answers to what was asked to a verdict. A test that shows nothing is a finding at the
// test's first line.
func (v *Verdict) takeAnswers(r decision.Review, asked Asked, files fs.FS, hunks []diff.Hunk) {
	for _, name := range asked.Tests {
		t := testVerdict(r.Tests, name)
		if t == nil {
			v.NotJudged = append(v.NotJudged, name)
			continue
		}
		v.Tests = append(v.Tests, decision.TestVerdict{Name: name, Shows: t.Shows, Why: oneLine(t.Why)})
		if t.Shows == "no" {
			v.Findings = append(v.Findings, emptyTest(name, oneLine(t.Why), files, hunks))
		}
	}
	for i, c := range asked.Criteria {
		a := CriterionAnswer{Line: c.Line}
		if found := criterionVerdict(r.Criteria, i+1); found != nil {
			a.CriterionVerdict = *found
			a.Now = oneLine(found.Now)
			a.Why = oneLine(found.Why)
		}
		a.Number = i + 1
		v.Criteria = append(v.Criteria, a)
	}
}

// maxTestLines is how many lines of a test that shows nothing are compared, to see whether it was fixed.
const maxTestLines = 12

// emptyTest returns the finding that a test shows nothing. It cites the line of the change that names the
// test or, if there is none, the test by its name.
func emptyTest(name, why string, files fs.FS, hunks []diff.Hunk) Finding {
	f := Finding{Finding: decision.Finding{
		Place: plaintext.OneLine(name), Kind: decision.FoundEmptyTest,
		What: plaintext.OneLine(name) + " shows nothing: " + strings.TrimRight(why, "."),
		Do:   "Have it run the changed code, or take it out.",
	}}
	own := name[strings.LastIndexAny(name, " >/")+1:]
	for _, h := range hunks {
		eachLine(h, func(op byte, _, now int, line string) {
			if op == '+' && f.Path == "" && own != "" && strings.Contains(line, own) {
				f.Path = path.Clean(h.Path)
				f.Place = fmt.Sprintf("%s:%d", f.Path, now)
				if lines := linesOf(files, f.Path); now <= len(lines) {
					f.Quoted = lines[now-1 : min(now-1+maxTestLines, len(lines))]
				}
			}
		})
	}
	return f
}

// WrongCriteria returns the verdicts by which the thread must not be told what it would be told.
func (v Verdict) WrongCriteria() (wrong []CriterionAnswer) {
	for _, c := range v.Criteria {
		if c.Verdict != "" && c.isWrong() {
			wrong = append(wrong, c)
		}
	}
	return wrong
}

// forOrchestrator returns the verdict on a done criterion as the orchestrator is told it.
func (c CriterionAnswer) forOrchestrator() string {
	told := fmt.Sprintf("done criterion %d, told as `%s`,", c.Number, c.Line)
	why := strings.TrimRight(c.Why, ".")
	if c.Verdict == decision.CriterionChanged {
		return fmt.Sprintf("%s is something else by now: %s. %s. Give that as now.", told, c.Now, why)
	}
	return fmt.Sprintf("%s is not met: %s. Do it, or say met: false.", told, why)
}

// CriterionFor returns the verdict on the done criterion with that number, if it was given on that line.
func (v Verdict) CriterionFor(number int, line string) (CriterionAnswer, bool) {
	i := slices.IndexFunc(v.Criteria, func(c CriterionAnswer) bool {
		return c.Number == number && c.Line == line && c.Verdict != ""
	})
	if i < 0 {
		return CriterionAnswer{}, false
	}
	return v.Criteria[i], true
}

// testsLine says which new tests were looked at, and of which there is no answer.
func (v Verdict) testsLine() string {
	var names []string
	for _, t := range v.Tests {
		names = append(names, t.Name)
	}
	said := ""
	if len(names) > 0 {
		said = fmt.Sprintf("; %s looked at: %s", plaintext.CountNoun(len(names), "new test"), firstOf(names))
	}
	if len(v.NotJudged) > 0 {
		said += "; not looked at: " + firstOf(v.NotJudged)
	}
	return said
}

// maxNames is how many tests are named in one line.
const maxNames = 3

func firstOf(names []string) string {
	names = slices.Clone(names)
	for i, name := range names { // many runners take any sentence as the name of a test
		if names[i] = plaintext.OneLine(name); strings.Contains(names[i], " ") {
			names[i] = plaintext.QuoteLine(name)
		}
	}
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}
