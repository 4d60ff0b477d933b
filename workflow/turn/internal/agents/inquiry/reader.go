package inquiry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A reader runs an agent that only reads for one inquiry. Its transcript is stored under the inquiry's
// negative id, next to those of the tasks.
type reader struct {
	*Inquiries
	transcript *runtime.Transcript
	inquiry    workflow.Inquiry
	hunks      []diff.Hunk
	asked      review.Asked
	askedAgain bool // a review was sent back for what it does not answer
}

// Say posts a line in the thread.
func (r *reader) Say(ctx context.Context, message string) (model.Result, error) {
	return r.transcript.Say(ctx, message)
}

// readerTools returns the tools of the agent that answers this kind of inquiry. None of them changes or
// runs anything in the repository. The consultant may ask the sources.
func (r *reader) readerTools(ctx context.Context) ([]model.Tool, error) {
	var tools, outside []model.Tool
	var err error
	switch r.inquiry.Kind {
	case workflow.InquiryConsult:
		tools = append(decision.Advising(r, r.advise), r.Runtime.SkillTool())
		if outside, err = r.Runtime.Sources.Tools(ctx); err != nil {
			return nil, err
		}
	case workflow.InquiryExplain:
		tools = decision.Explaining(r.explainHunks)
	case workflow.InquiryScope:
		tools = decision.Reviewing(r.judgeHunks)
	case workflow.InquiryReview:
		tools = decision.Criticising(r.reviewChange)
	}
	tree := r.Trees.Current().Copy
	if work := r.Trees.Current().Work; work != nil {
		tree = work
	}
	env, err := r.Runtime.NewEnv(tree, func() error { return errors.New("you only read") }, nil)
	if err != nil {
		return nil, err
	}
	env.ScratchDir = "" // a second opinion rests on the repository, not on the others' notes
	return slices.Concat(tools, tool.Reading(env), outside), nil
}

// answerResult returns the tool result that ends the inquiry. It stores v as the answer, with the lines
// for the thread.
func (r *reader) answerResult(v any, said ...store.Part) (model.Result, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return model.Result{}, fmt.Errorf("inquiry: %w", err)
	}
	r.inquiry.Answer = b
	return ledger.WithParts(model.Result{Text: "Taken down.", Ends: true},
		append(said, progress.Inquiry(r.inquiry))...), nil
}

func (r *reader) advise(ctx context.Context, a workflow.Advice) (model.Result, error) {
	if missing := a.Missing(); missing != "" {
		return prompt.Wrong("advise: %s.", missing), nil
	}
	said, err := r.transcript.OwnLine(ctx, a.Text())
	if err != nil {
		return prompt.Refused(err)
	}
	return r.answerResult(a, said)
}

func (r *reader) explainHunks(ctx context.Context, e decision.Explanation) (model.Result, error) {
	var numbers []int
	for _, h := range e.Hunks {
		numbers = append(numbers, h.Number)
	}
	if missing := r.hunkMismatch(numbers); missing != "" {
		return prompt.Wrong("explain_diff: %s.", missing), nil
	}
	var text workflow.Text
	text.Add(strings.TrimSpace(e.Summary))
	slices.SortFunc(e.Hunks, func(x, y decision.HunkWord) int { return x.Number - y.Number })
	for _, h := range e.Hunks {
		text.Add(fmt.Sprintf("%d. %s: %s", h.Number, prompt.HunkPlace(r.hunks[h.Number-1]),
			plaintext.OneLine(h.Why)))
	}
	contradiction, err := r.transcript.CheckWords(ctx, r.transcript.Agent.Signature(), text.String())
	if err != nil {
		return prompt.Refused(err)
	}
	text.Vouch(contradiction)
	known, err := r.triedHunks(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if line := known.Line(); line != "" {
		text.Vouch(fmt.Sprintf("Taken out alone, with the tests run without each: %s.", line))
	}
	said := workflow.Line{Agent: r.transcript.Agent.Signature(), Text: text.String(), Vouched: text.Vouched()}
	if intent.AsksForDiff(r.inquiry.Question) {
		change, err := r.Trees.ReadChange(ctx)
		if err != nil {
			return model.Result{}, err
		}
		said.Files = r.diffFiles(change)
	}
	return r.answerResult(e, store.Lines{said})
}

func (r *reader) judgeHunks(_ context.Context, v decision.Judgement) (model.Result, error) {
	var numbers []int
	for _, h := range v.Hunks {
		numbers = append(numbers, h.Number)
	}
	if missing := r.hunkMismatch(numbers); missing != "" {
		return prompt.Wrong("judge_hunks: %s.", missing), nil
	}
	return r.answerResult(v)
}

// reviewChange answers the inquiry with the findings whose lines exist, and drops the others. An answer that
// leaves out what was asked is sent back once. What a person asked for is told to the thread.
func (r *reader) reviewChange(_ context.Context, found decision.Review) (model.Result, error) {
	if missing := r.asked.Unanswered(found); missing != "" && !r.askedAgain {
		r.askedAgain = true
		return prompt.Wrong(
			"review_change: there is no answer about %s. Call it again with all findings, "+
				"tests and criteria.",
			missing,
		), nil
	}
	verdict := review.Check(found, r.asked, r.Trees.Current().Work.FS(), r.hunks)
	if dropped := len(found.Findings) - len(verdict.Findings); dropped > 0 {
		r.Log.Info("findings of a review were dropped", "dropped", dropped, "of", len(found.Findings))
	}
	if r.inquiry.By == "" {
		return r.answerResult(verdict)
	}
	return r.answerResult(verdict, r.transcript.ProgramLine(verdict.ForPerson()))
}

// hunkMismatch returns which hunk an answer leaves out, names twice or makes up, or an empty string.
func (r *reader) hunkMismatch(numbers []int) string {
	named := map[int]bool{}
	for _, n := range numbers {
		if n < 1 || n > len(r.hunks) {
			return fmt.Sprintf("there is no hunk %d; they are 1 to %d", n, len(r.hunks))
		}
		if named[n] {
			return fmt.Sprintf("hunk %d is named twice", n)
		}
		named[n] = true
	}
	for n := 1; n <= len(r.hunks); n++ {
		if !named[n] {
			return fmt.Sprintf("hunk %d is not named; every one has to be, 1 to %d", n, len(r.hunks))
		}
	}
	return ""
}
