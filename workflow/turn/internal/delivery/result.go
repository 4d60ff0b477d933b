package delivery

import (
	"context"
	"fmt"
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

// resultText returns the line that tells the thread the result: what was pushed and done, what shows it, one
// fact a line, and who allowed what. Its footer holds the commit, the size, and what it took.
func (d *Delivery) resultText(
	ctx context.Context, work provenWork, commit string, f decision.Finish,
) (text workflow.Text) {
	text.Vouch(d.pushedText(work, commit))
	if why := work.unproven(); why != "" {
		text.Vouch(workflow.MarkFails + unprovenText(work, why))
	}
	if changed := plaintext.OneLine(f.Changed); changed != "" && work.amended {
		if saysNothingDiffers(changed) {
			changed = "nothing, says the " + d.Agents[agent.Orchestrator].Signature()
		}
		text.Add(fmt.Sprintf("**Changed since revision %d:** %s", work.approval.Revision,
			workflow.Unmark(changed)))
	}
	what, _, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n\n")
	text.Add(workflow.Unmark(what + prompt.LeftLine(f.Left)))
	for i, c := range criterionLines(work.criteria, f) {
		text.Add(plaintext.OneLine(inWords(work.criterionText(i+1, c))))
	}
	for _, line := range work.proofLines() {
		text.Vouch(line)
	}
	d.addPermissions(&text, work, commit)
	text.Vouch("Files: " + proposal.FilesText(work.changes))
	if d.Trees.Current().Repository.CompareURL(d.Session().BaseCommit, commit) == "" {
		text.Add(fmt.Sprintf("Compare: `%s`", d.compareCommand(commit)))
	}
	text.Vouch(d.resultFooter(ctx, work, commit))
	return text
}

// pushedText returns the first line of a result: what was done, and to which branch, linked where its host
// shows the comparison.
func (d *Delivery) pushedText(work provenWork, commit string) string {
	s := d.Session()
	branch := "`" + s.Branch + "`"
	if page := d.Trees.Current().Repository.CompareURL(s.BaseCommit, commit); page != "" {
		branch = fmt.Sprintf("[%s](%s)", s.Branch, page)
	}
	switch {
	case work.merge != nil:
		merged := strings.TrimSuffix(work.mergedText(), ".")
		return fmt.Sprintf("%s. **Merged and pushed:** %s", merged, branch)
	case work.unproven() != "":
		return "**Done and pushed, not proven:** " + branch
	case s.Kind == workflow.KindBug:
		return "**Fixed and pushed:** " + branch
	}
	return "**Done and pushed:** " + branch
}

// unprovenText returns why nothing is proven, and what is done about it.
func unprovenText(work provenWork, why string) string {
	if work.ci() != workflow.CINone {
		return fmt.Sprintf("Nothing can be proven here: %s", why)
	}
	return "Unproven: " + why
}

// inWords returns the line of a done criterion without its sign: only facts of the program have one.
func inWords(criterion string) string {
	if met, is := strings.CutPrefix(criterion, "✓ "); is {
		return "- done: " + met
	}
	return "- " + strings.TrimPrefix(strings.TrimPrefix(criterion, "✗ "), "• ")
}

// addPermissions adds who allowed what of the work, and what was said against it.
func (d *Delivery) addPermissions(text *workflow.Text, work provenWork, commit string) {
	if work.unproven() != "" {
		text.Vouch(work.allowedText(commit))
	}
	text.Vouch(work.reviewedBy())
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
}

// proofLines returns what shows that the work is right, one fact a line.
func (p provenWork) proofLines() (lines []string) {
	add := func(text string, holds bool) {
		// names of tests and files hold no line end that begins a line of the program
		if text = plaintext.OneLine(text); text == "" {
			return
		}
		if holds {
			text = workflow.MarkHolds + text
		}
		lines = append(lines, text)
	}
	if p.unproven() == "" {
		for _, f := range p.proof.Facts() {
			add(f.Text, f.Holds)
		}
	}
	add(p.hunks.Line(), p.hunks.AllNeeded())
	if p.review != nil {
		add(p.review.Short(), p.review.Why == "" && len(p.review.Left) == 0)
		add(p.review.MakeUp(), false)
	}
	return lines
}

// resultFooter returns the last line of a result.
func (d *Delivery) resultFooter(ctx context.Context, work provenWork, commit string) string {
	added, removed := 0, 0
	for _, c := range work.changes {
		added += c.Added
		removed += c.Removed
	}
	facts := []string{
		fmt.Sprintf("%s@%s", d.Session().Repository, prompt.ShortHash(commit)),
		fmt.Sprintf("%s +%d −%d", plaintext.CountNoun(len(work.changes), "file"), added, removed),
	}
	if !work.several() && work.approval.UserName != "" {
		facts = append(facts, "approved by "+plaintext.OneLine(work.approval.UserName))
	}
	return strings.Join(append(facts, d.timeText(ctx)), " · ")
}

// timeText returns the time that the session was at work and, separately, the time that it waited for
// people or for its turn, with the cost.
func (d *Delivery) timeText(ctx context.Context) string {
	s := d.Session()
	worked, err := d.Worked(ctx)
	if err != nil {
		d.Log.Warn("read the time at work", "err", err)
	}
	facts := []string{plaintext.FormatDuration(worked) + " at work"}
	if waited := time.Since(s.Created) - worked; waited >= time.Minute {
		facts = append(facts, plaintext.FormatDuration(waited)+" waiting")
	}
	if cost := s.Cost(); cost != (workflow.Cost{}) {
		facts = append(facts, cost.String())
	}
	return strings.Join(facts, " · ")
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
		{ActionID: workflow.ButtonExplain, Label: "Explain", Value: store.NewToken()},
		{ActionID: workflow.ButtonCorrect, Label: "Something is missing…", Value: store.NewToken()},
		inMenu(ledger.DetailsButton(strings.TrimSpace(details + "\nTo check it yourself: " + check + "."))),
		{ActionID: workflow.ButtonConsult, Label: "Second opinion", Value: store.NewToken(), Menu: true},
	}
}

func inMenu(b workflow.Button) workflow.Button {
	b.Menu = true
	return b
}
