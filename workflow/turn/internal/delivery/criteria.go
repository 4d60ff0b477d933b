package delivery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// unfinishedWork returns which task of the plan is not verified, or which done criterion finish says
// nothing about. It returns an empty string if the work is complete.
func (d *Delivery) unfinishedWork(
	ctx context.Context, a *workflow.Approval, criteria []string, f decision.Finish,
) (string, error) {
	plan, err := d.ApprovedPlan(ctx, a)
	if err != nil {
		return "", err
	}
	tasks, err := d.DelegatedTasks(ctx, a.Revision)
	if err != nil {
		return "", err
	}
	var open []string
	for n := range plan.Tasks {
		if !slices.ContainsFunc(tasks, func(k workflow.Task) bool {
			return k.Plan == n+1 && (k.State == workflow.TaskDone ||
				k.State == workflow.TaskBlocked && d.Trees.Current().Unprovable() != "")
		}) {
			open = append(open, fmt.Sprintf("task %d of the plan is not verified. Delegate it, "+
				"or propose a plan without it.", n+1))
		}
	}
	if len(f.Criteria) != len(criteria) {
		open = append(open, fmt.Sprintf("give each done criterion of the request, in its order, with what "+
			"shows it; there are %d:\n%s", len(criteria), strings.Join(criteria, "\n")))
		return strings.Join(open, "\n"), nil
	}
	for i, c := range f.Criteria {
		if strings.TrimSpace(c.How) == "" {
			open = append(open, fmt.Sprintf("done criterion %d has no word on what shows it, or why it is "+
				"not met.", i+1))
		}
	}
	return strings.Join(open, "\n"), nil
}

// doneCriteria returns the done criteria of the newest request up to that revision. Only a feature has
// any.
func (d *Delivery) doneCriteria(ctx context.Context, revision int) ([]string, error) {
	s := d.Session()
	if s.Kind != workflow.KindFeature {
		return nil, nil
	}
	for n := revision; n > 0; n-- {
		r, err := d.Store.Report(ctx, s.ID, n)
		if err != nil {
			return nil, fmt.Errorf("read revision %d: %w", n, err)
		}
		var request workflow.Request
		if r.Kind == workflow.ReportRequest && json.Unmarshal(r.Body, &request) == nil {
			return request.DoneCriteria, nil
		}
	}
	return nil, nil
}

// followAmendments checks that finish takes into account what people said since the approval. amended
// reports whether they said anything. If so, finish has to say what changed, and no criterion may name
// code that is in none of the files; stale is what is wrong, or empty. A bug has no criteria that a
// correction could make wrong, so nothing is checked.
func (d *Delivery) followAmendments(
	ctx context.Context, a *workflow.Approval, criteria []string, f decision.Finish,
) (amended bool, stale string, err error) {
	amendments, err := d.AmendmentText(ctx, a.Revision)
	if err != nil || amendments == "" {
		return false, "", err
	}
	if len(criteria) == 0 {
		stale, err = d.askWhatChanged(ctx, a, f.Changed)
		return true, stale, err
	}
	const now = "For a done criterion that became something else give what it is now, as now."
	if saysNothingDiffers(f.Changed) && !d.saidWords {
		words, err := d.correctingWords(ctx, a.Revision, 0)
		if err != nil {
			return true, "", err
		}
		if words != "" {
			d.saidWords = true
			return true, fmt.Sprintf(
				"changed says that nothing differs from revision %d, and people wrote this since. "+
					"Read it again, and say what differs, or why it changes nothing. %s\n%s",
				a.Revision, now, words,
			), nil
		}
	}
	if plaintext.OneLine(f.Changed) == "" {
		return true, fmt.Sprintf("say in one line, as changed, what is different now from what revision %d "+
			"says, or why nothing is. %s\n%s", a.Revision, now, amendments), nil
	}
	for i, c := range criteria {
		if plaintext.OneLine(f.Criteria[i].Now) != "" || !f.Criteria[i].Met {
			continue
		}
		gone, err := missingNames(d.Trees.Current().Work.FS(), codeName.FindAllString(c, -1))
		if err != nil {
			return true, "", err
		}
		if len(gone) > 0 {
			return true, fmt.Sprintf("done criterion %d names %s, which is nowhere in the files. %s\n%s", i+1,
				strings.Join(gone, ", "), now, amendments), nil
		}
	}
	return true, "", nil
}

// askWhatChanged asks once what differs from a report without criteria, if approvers wrote something since
// that may be a wish and the orchestrator says nothing of it. It returns an empty string otherwise.
func (d *Delivery) askWhatChanged(
	ctx context.Context, a *workflow.Approval, changed string,
) (stale string, err error) {
	if plaintext.OneLine(changed) != "" || d.saidWords {
		return "", nil
	}
	words, err := d.correctingWords(ctx, a.Revision, wordsOfACommand)
	if err != nil || words == "" {
		return "", err
	}
	d.saidWords = true
	return fmt.Sprintf("people wrote this since revision %d was approved. Say in one line, as changed, what "+
		"is different now, or why nothing is; if something of it is not done yet, delegate it.\n%s",
		a.Revision, words), nil
}

// saysNothingDiffers reports whether the orchestrator's word on what changed since the
// approval is that nothing did.
func saysNothingDiffers(changed string) bool {
	return nothingDiffers.MatchString(plaintext.OneLine(changed)) && !exceptions.MatchString(changed)
}

var (
	nothingDiffers = regexp.MustCompile(`(?i)^(?:nothing|none|no (?:change|difference)s?|unchanged|n/?a|-|` +
		`(?:the |all (?:the )?)?same(?: as \w+)?|(?:just )?as (?:before|approved|restated|asked))` +
		`(?:[.,;:!]| (?:differs?|changed|is|has|else|here|at all|since)\b|$)`)
	exceptions = regexp.MustCompile(`(?i)\b(?:but|except|besides|other than|only|apart from)\b`)
)

// wordsOfACommand is how many words a message has at most that only says to go on: "push it again".
const wordsOfACommand = 3

// correctingWords returns what people who may approve said since the approval, without thanks, questions,
// and messages of at most that many words of their author's own, as a prompt. It is empty if there is
// nothing else.
func (d *Delivery) correctingWords(ctx context.Context, revision, most int) (string, error) {
	amendments, err := d.Store.Amendments(ctx, d.Session().ID, revision)
	if err != nil {
		return "", err
	}
	var idle []int64
	for _, a := range amendments {
		if says := intent.ReadRequest(a.Text); says.Acknowledges || says.OnlyAsks ||
			a.OwnWords() <= most {
			idle = append(idle, a.Message)
		}
	}
	return d.AmendmentText(ctx, revision, idle...)
}

// criterionLines returns the done criteria with the lines for the thread that finish gives them.
func criterionLines(criteria []string, f decision.Finish) (lines []review.Criterion) {
	for i, c := range criteria {
		given := f.Criteria[i]
		mark := "✓"
		if !given.Met {
			mark = "✗ not met:"
		}
		line := mark + " " + plaintext.OneLine(cmp.Or(given.Now, c))
		lines = append(lines, review.Criterion{Text: c, Line: line, How: plaintext.OneLine(given.How)})
	}
	return lines
}

// sumOf returns a short hash of the lines for the thread.
func sumOf(criteria []review.Criterion) string {
	h := sha256.New()
	for _, c := range criteria {
		fmt.Fprintf(h, "%s\n", c.Line)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// criterionText returns the line of the result about a done criterion. Where the critic does not agree, its
// words count. What nobody compared with later words of people is not marked as met.
func (p provenWork) criterionText(number int, c review.Criterion) string {
	var answer review.CriterionAnswer
	judged := false
	if p.review != nil {
		answer, judged = p.review.CriterionFor(number, c.Line)
	}
	unmarked, met := strings.CutPrefix(c.Line, "✓ ")
	switch {
	case met && judged && answer.Verdict == decision.CriterionChanged:
		return fmt.Sprintf("✗ no longer what was wanted: %s. By the review it is now: %s (%s)",
			unmarked, answer.Now, answer.Why)
	case met && judged && answer.Verdict == decision.CriterionNotMet:
		return fmt.Sprintf("✗ not met, by the review: %s (%s)", unmarked, answer.Why)
	case met && !judged && p.amended:
		return fmt.Sprintf("• %s (%s; not compared with what was said since the approval)", unmarked, c.How)
	}
	return fmt.Sprintf("%s (%s)", c.Line, c.How)
}

// codeName matches words that can only be names in code: with a capital letter or an underscore inside.
var codeName = regexp.MustCompile(`\b[A-Za-z]\w*(?:[a-z0-9][A-Z]|_[A-Za-z])\w*\b`)

// maxNameFile is the size in bytes up to which a file is searched for a name.
const maxNameFile = 1 << 20

// missingNames returns the names that are in no file of the work.
func missingNames(work fs.FS, names []string) ([]string, error) {
	err := fs.WalkDir(work, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case len(names) == 0:
			return fs.SkipAll
		case err != nil || !entry.Type().IsRegular():
			return err
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxNameFile {
			return err
		}
		text, err := fs.ReadFile(work, path)
		names = slices.DeleteFunc(names,
			func(name string) bool { return strings.Contains(string(text), name) })
		return err
	})
	return names, err
}
