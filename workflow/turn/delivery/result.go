package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/proposal"
)

// resultText returns the line that tells the thread the result: what was done, in which files, what
// shows it, and where to compare it.
func (d *Delivery) resultText(ctx context.Context, work provenWork, commit string, f decision.Finish) string {
	s := d.Session()
	added, removed := 0, 0
	for _, c := range work.changes {
		added, removed = added+c.Added, removed+c.Removed
	}
	var b strings.Builder
	done := "Done."
	if work.unproven() != "" {
		done = fmt.Sprintf("Done, and unproven: %s.", work.unproven())
	}
	fmt.Fprintf(&b, "%s Pushed `%s` at %s: %s, +%d −%d lines.\n", done, s.Branch, prompt.ShortHash(commit), plaintext.CountNoun(len(work.changes), "file"), added, removed)
	if changed := plaintext.OneLine(f.Changed); changed != "" && work.amended {
		if saysNothingDiffers(changed) {
			changed = "nothing, says the " + d.Agents[agent.Orchestrator].Signature()
		}
		fmt.Fprintf(&b, "Changed since revision %d: %s\n", work.approval.Revision, changed)
	}
	what, _, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n\n")
	fmt.Fprintf(&b, "%s%s\n", what, prompt.LeftLine(f.Left))
	for i, c := range criterionLines(work.criteria, f) {
		fmt.Fprintf(&b, "%s\n", work.criterionText(i+1, c))
	}
	if proof := work.proofText(); proof != "" {
		fmt.Fprintf(&b, "%s\n", proof)
	}
	if work.unproven() != "" {
		fmt.Fprintf(&b, "• Allowed unproven by %s\n", plaintext.OneLine(work.allowance.UserName))
	}
	for _, line := range proposal.DecidingPaths(work.changes) {
		fmt.Fprintf(&b, "• Allowed by %s: %s\n", work.allowance.UserName, line)
	}
	if scope := work.approval.Scope; scope != "" {
		fmt.Fprintf(&b, "Limited to: %s. The rest was left out.\n", scope)
	}
	fmt.Fprintf(&b, "Files: %s. %s\n", proposal.FilesText(work.changes), d.timeText(ctx))
	r, _ := d.Catalog.Current()
	if page := r.CompareURL(s.BaseCommit, commit); page != "" {
		return b.String() + fmt.Sprintf("[Compare](%s)", page)
	}
	return b.String() + fmt.Sprintf("Compare: `%s`", d.compareCommand(commit))
}

// proofText returns what shows that the work is right: in one line if it is short, otherwise in several.
func (work provenWork) proofText() string {
	var lines []string
	if work.unproven() == "" {
		lines = append(lines, work.proof.Short())
	}
	lines = append(lines, work.hunks.Line())
	if work.review != nil {
		lines = append(lines, work.review.Short(), work.review.MakeUp())
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
	if s.SpentUSD > 0 {
		text += fmt.Sprintf(", $%.2f", s.SpentUSD)
	}
	return text + "."
}

func (d *Delivery) compareCommand(commit string) string {
	s := d.Session()
	return fmt.Sprintf("git fetch origin %s && git diff %s %s", s.Branch, prompt.ShortHash(s.BaseCommit), prompt.ShortHash(commit))
}

// resultButtons returns the buttons below the result.
func (d *Delivery) resultButtons(work provenWork, commit string, f decision.Finish) []outgoing.Button {
	lines := work.proof.Lines()
	if work.review != nil {
		lines = append(lines, work.review.Lines()...)
	}
	if len(work.hunks) > 0 {
		lines = append(lines, "Each hunk of the fix, taken out alone:", work.hunks.List())
	}
	details := strings.Join(lines, "\n")
	if _, more, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n\n"); more != "" {
		details = strings.TrimSpace(more) + "\n" + details
	}
	check := "`" + d.compareCommand(commit) + "`"
	if test := d.Trees.Current().Project().TestShown(); test != "" {
		check += fmt.Sprintf(", then `%s` on the branch", prompt.WithoutJSONFlag(test))
	}
	return []outgoing.Button{
		{ActionID: button.ShowDiff, Label: "Show the diff", Value: store.NewToken()},
		{ActionID: button.Explain, Label: "Explain it", Value: store.NewToken()},
		{ActionID: button.Correct, Label: "Something is missing…", Value: store.NewToken()},
		ledger.DetailsButton(strings.TrimSpace(details + "\nTo check it yourself: " + check + ".")),
	}
}
