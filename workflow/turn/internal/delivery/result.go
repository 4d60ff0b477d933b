package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// resultText returns the line that tells the thread the result: what was done, in which files, what
// shows it, and where to compare it.
func (d *Delivery) resultText(
	ctx context.Context, work provenWork, commit string, f decision.Finish,
) (text workflow.Text) {
	s := d.Session()
	added, removed := 0, 0
	for _, c := range work.changes {
		added = added + c.Added
		removed = removed + c.Removed
	}
	done := "Done."
	if work.unproven() != "" {
		done = fmt.Sprintf("Done, and unproven: %s.", work.unproven())
	}
	if work.merge != nil {
		done = work.mergedText()
		if work.unproven() != "" {
			done += fmt.Sprintf(" Unproven: %s.", work.unproven())
		}
	}
	if work.ci() != workflow.CINone {
		done = fmt.Sprintf("Done, and not proven yet, since nothing can be proven here: %s.", work.unproven())
	}
	text.Vouch(fmt.Sprintf("%s Pushed `%s` at %s: %s, +%d −%d lines.", done, s.Branch,
		prompt.ShortHash(commit),
		plaintext.CountNoun(len(work.changes), "file"), added, removed))
	if changed := plaintext.OneLine(f.Changed); changed != "" && work.amended {
		if saysNothingDiffers(changed) {
			changed = "nothing, says the " + d.Agents[agent.Orchestrator].Signature()
		}
		text.Add(fmt.Sprintf("Changed since revision %d: %s", work.approval.Revision,
			workflow.Unmark(changed)))
	}
	what, _, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n\n")
	text.Add(workflow.Unmark(what + prompt.LeftLine(f.Left)))
	for i, c := range criterionLines(work.criteria, f) {
		text.Add(plaintext.OneLine(work.criterionText(i+1, c)))
	}
	text.Vouch(work.proofText())
	if work.unproven() != "" {
		text.Vouch(work.allowedText(commit))
	}
	if by := work.reviewedBy(); by != "" {
		text.Vouch(by)
	}
	for _, o := range work.overruled {
		if work.several() {
			break // it is said with who approved
		}
		by := plaintext.OneLine(work.allowance.UserName)
		text.Vouch(fmt.Sprintf("Pushed anyway, as %s allowed. %s", by, plaintext.OneLine(o.String())))
	}
	for _, o := range work.late {
		text.Vouch("Objected to while it was being pushed: " + plaintext.OneLine(o.String()) +
			". Nothing is merged: leave the branch alone or delete it, or say what is wrong.")
	}
	for _, line := range proposal.DecidingPaths(work.changes) {
		text.Vouch(fmt.Sprintf("Allowed by %s: %s", plaintext.OneLine(work.allowance.UserName), line))
	}
	for _, line := range work.expectationLines() {
		text.Vouch(plaintext.OneLine(strings.TrimPrefix(line, "• ")))
	}
	if scope := work.approval.Scope; scope != "" {
		text.Vouch(fmt.Sprintf("Limited to: %s. The rest was left out.", plaintext.OneLine(scope)))
	}
	text.Vouch(fmt.Sprintf("Files: %s. %s", proposal.FilesText(work.changes), d.timeText(ctx)))
	if page := d.Trees.Current().Repository.CompareURL(s.BaseCommit, commit); page != "" {
		text.Add(fmt.Sprintf("[Compare](%s)", page))
		return text
	}
	text.Add(fmt.Sprintf("Compare: `%s`", d.compareCommand(commit)))
	return text
}

// proofText returns what shows that the work is right: in one line if it is short, otherwise in several.
func (p provenWork) proofText() string {
	var lines []string
	if p.unproven() == "" {
		lines = append(lines, p.proof.Short())
	}
	lines = append(lines, p.hunks.Line())
	if p.review != nil {
		lines = append(lines, p.review.Short(), p.review.MakeUp())
	}
	for i, line := range lines {
		// names of tests and files hold no line end that begins a line of the program
		lines[i] = plaintext.OneLine(line)
	}
	return plaintext.Paragraph(slices.DeleteFunc(lines, func(line string) bool { return line == "" }))
}

// timeText returns the time that the session was at work and, separately, the time that it waited for
// people or for its turn, with the cost.
func (d *Delivery) timeText(ctx context.Context) string {
	s := d.Session()
	worked, err := d.Worked(ctx)
	if err != nil {
		d.Log.Warn("read the time at work", "err", err)
	}
	text := plaintext.FormatDuration(worked) + " at work"
	if waited := time.Since(s.Created) - worked; waited >= time.Minute {
		text += ", " + plaintext.FormatDuration(waited) + " waiting"
	}
	if cost := s.Cost(); cost != (workflow.Cost{}) {
		text += ", " + cost.String()
	}
	return text + "."
}

func (d *Delivery) compareCommand(commit string) string {
	s := d.Session()
	return fmt.Sprintf("git fetch %s %s && git diff %s %s",
		d.Trees.Current().Repository.FetchFrom(), s.Branch, prompt.ShortHash(s.BaseCommit),
		prompt.ShortHash(commit))
}

// resultButtons returns the buttons below the result.
func (d *Delivery) resultButtons(work provenWork, commit string, f decision.Finish) []workflow.Button {
	lines := work.proof.Lines()
	if work.review != nil {
		lines = append(lines, work.review.Lines()...)
	}
	if len(work.hunks) > 0 {
		lines = append(lines, "Each hunk of the fix, taken out alone:", work.hunks.List())
	}
	details := strings.Join(lines, "\n")
	if _, more, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n\n"); more != "" {
		own := prompt.Quote(strings.TrimSpace(more))
		details += "\nIn the words of the " + d.Agents[agent.Orchestrator].Signature() + ":\n" + own
	}
	if len(work.unsaid) > 0 {
		details += "\nTaken out of these words, since only the program says it:" + plaintext.List(work.unsaid)
	}
	check := "`" + d.compareCommand(commit) + "`"
	if test := d.Trees.Current().Project().TestCommand(); test != "" {
		check += fmt.Sprintf(", then `%s` on the branch", prompt.WithoutJSONFlag(test))
	}
	return []workflow.Button{
		{ActionID: workflow.ButtonShowDiff, Label: "Show the diff", Value: store.NewToken()},
		{ActionID: workflow.ButtonExplain, Label: "Explain it", Value: store.NewToken()},
		{ActionID: workflow.ButtonCorrect, Label: "Something is missing…", Value: store.NewToken()},
		ledger.DetailsButton(strings.TrimSpace(details + "\nTo check it yourself: " + check + ".")),
	}
}
