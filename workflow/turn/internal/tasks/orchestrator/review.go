package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Review shows a review of the pull request that the session is about, and ends the turn. It is a report like
// any other: an approval lets its findings be fixed on a branch of the bot's own.
func (l *Tools) Review(ctx context.Context, review workflow.PullReview) (model.Result, error) {
	s := l.Session()
	switch _, err := s.Phase.Next(workflow.EventReport); {
	case s.Pull == 0:
		return prompt.Wrong("This thread is about no pull request: its files are those of the base. For " +
			"a change of this thread's own, people reply \"review it\"."), nil
	case err != nil:
		return prompt.Wrong("A review cannot be given now: the session is %s. Use reply to answer, or "+
			"finish the approved work.", s.Phase), nil
	}
	var wrong []string
	if missing := review.Missing(); missing != "" {
		wrong = append(wrong, fmt.Sprintf("report_review: %s.", missing))
	}
	if err := l.checkClaims(ctx, wrong, claims{evidence: review.Evidence(), headline: review.Summary},
		review.Text(), review.Looked); err != nil {
		return prompt.Refused(err)
	}
	r, err := l.NewReport(ctx, workflow.ReportReview, review)
	if err != nil {
		return model.Result{}, err
	}
	changed, err := l.changedText(ctx, r, review.Changed)
	if err != nil {
		return model.Result{}, err
	}
	review.Summary = l.Headline(review.Summary)
	name := l.Trees.Current().Repository.Pulls.Words().Mark + strconv.FormatInt(s.Pull, 10)
	text := belowHead(r.Kind, findings.ReviewText(review, name, l.edition(r, "")), changed)
	if r.Text, err = l.Attachments.NameRefs(ctx, text); err != nil {
		return model.Result{}, err
	}
	return l.showReport(ctx, r, findings.DetailsText(l.quotedGrounds(*r), "",
		"Looked at: "+plaintext.OneLine(review.Looked)))
}

// ranLine returns the program's line of what was run for a review.
func (l *Tools) ranLine(ctx context.Context) (string, error) {
	commands, err := l.Store.Commands(ctx, l.Session().ID)
	return l.MaskShown(ranText(commands)), err
}

// maxRan is how many commands, and how many red tests of each, the line of a review names.
const maxRan = 3

// ranText says what agents ran for a review, the newest first, and how it ended.
func ranText(commands []progress.Command) string {
	var ran []string
	for _, c := range slices.Backward(commands) {
		if c.Task == 0 {
			ran = append(ran, ranOne(c))
		}
	}
	switch more := len(ran) - maxRan; {
	case len(ran) == 0:
		return "Nothing was run."
	case more > 0:
		ran = append(ran[:maxRan], plaintext.CountNoun(more, "earlier command"))
	}
	return "Ran: " + strings.Join(ran, ", ") + "."
}

// ranOne says the same of one command, or of a check by the program.
func ranOne(c progress.Command) string {
	if c.Command == "" {
		return "the tests (" + strings.TrimSuffix(plaintext.SafeLine(c.Output, 120), ".") + ")"
	}
	how := fmt.Sprintf("exit code %d", c.ExitCode)
	if c.ExitCode < 0 {
		how = "it was stopped"
	}
	var red []string
	for _, m := range failedTest.FindAllStringSubmatch(c.Output, -1) {
		if name := cmp.Or(m[1], m[2]); !slices.Contains(red, name) {
			red = append(red, name)
		}
	}
	if len(red) > 0 && c.ExitCode > 0 {
		how = "red: " + plaintext.SafeLine(plaintext.FirstOf(red, maxRan), 200)
	}
	return fmt.Sprintf("%s (%s)", plaintext.CodeSpan(plaintext.SafeLine(c.Command, 80)), how)
}

// failedTest matches the name of a test in a line by which Go, pytest or unittest says that it failed.
var failedTest = regexp.MustCompile(`(?m)^\s*(?:--- )?(?:FAIL|ERROR): (\w[\w/.-]*)|^FAILED (\S+)`)
