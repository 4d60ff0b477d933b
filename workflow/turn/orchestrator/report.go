package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// everyWord is the rest of what a diagnosis says, for its places to be looked up.
func everyWord(d workflow.Diagnosis) string {
	said := slices.Clone(d.AffectedScope)
	for _, h := range d.Hypotheses {
		said = append(said, h.Claim, h.Probe)
	}
	return strings.Join(said, "\n")
}

// notPrinted are those of the places that no command of the session printed either: a test
// that was written to look, and is gone, is still a place in what it printed. What people
// attached is a place by its own name.
func (o *Orchestrator) notPrinted(ctx context.Context, places []string) ([]string, error) {
	if len(places) == 0 {
		return nil, nil
	}
	commands, err := o.Store.Commands(ctx, o.Session().ID)
	if err != nil {
		return nil, err
	}
	files, err := o.Store.Attachments(ctx, o.Session().ID)
	return slices.DeleteFunc(places, func(place string) bool {
		name, _, _ := strings.Cut(place, ":")
		return slices.ContainsFunc(files, func(a workflow.Attachment) bool {
			return a.State == workflow.AttachmentRead && a.Name == name
		}) || slices.ContainsFunc(commands, func(c progress.Command) bool { return strings.Contains(c.Output, place) })
	}), err
}

// newestRun is the newest run of that command in the session; nil where there was none.
func (o *Orchestrator) newestRun(ctx context.Context, command string) (*progress.Command, error) {
	commands, err := o.Store.Commands(ctx, o.Session().ID)
	for _, c := range slices.Backward(commands) {
		if plaintext.OneLine(c.Command) == plaintext.OneLine(command) {
			return &c, err
		}
	}
	return nil, err
}

// reproductionText says in words how a reproduction ended when the program ran it; empty where
// nothing showed the bug.
func (o *Orchestrator) reproductionText(ctx context.Context, reproduction string) (string, error) {
	if reproduction == "" {
		return "", nil
	}
	c, err := o.newestRun(ctx, reproduction)
	if err != nil || c == nil {
		return "", err
	}
	how := fmt.Sprintf("`%s` ", plaintext.OneLine(reproduction))
	switch c.ExitCode {
	case 0:
		return how + "(it ends without a failure; look at what it prints)", nil
	case -1:
		return how + "(it was stopped)", nil
	}
	return how + fmt.Sprintf("(fails with exit code %d)", c.ExitCode), nil
}

// evidenceText lists claims, what was observed first.
func evidenceText(list []workflow.Evidence) string {
	var b strings.Builder
	for _, grade := range []string{"observed", "inferred"} {
		for _, e := range list {
			if e.Grade != grade {
				continue
			}
			fmt.Fprintf(&b, "• %s: %s", grade, e.Claim)
			if e.Source != "" {
				fmt.Fprintf(&b, " (`%s`)", plaintext.OneLine(e.Source))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func shownText(shown string) string {
	if shown == "" {
		return "Unproven: nothing was made to fail yet.\n"
	}
	return "Shown by: " + shown + "\n"
}

// outcomes are a hypothesis's outcome in words.
var outcomes = map[string]string{"confirmed": "confirmed", "ruled_out": "ruled out", "open": "still open"}

// DiagnosisText is the Diagnosis Report as the thread sees it: the report in its own
// shape, then what stands behind it.
func DiagnosisText(d workflow.Diagnosis, revision int, commit, shown string) string {
	var b strings.Builder
	b.WriteString(d.Text() + "\nHypotheses:\n")
	for i, h := range d.Hypotheses {
		fmt.Fprintf(&b, "%d. %s: %s (`%s`)\n", i+1, plaintext.OneLine(h.Claim), outcomes[h.Outcome], plaintext.OneLine(h.Probe))
	}
	b.WriteString(evidenceText(d.Evidence) + shownText(shown))
	fmt.Fprintf(&b, "Revision %d, at %s. No code was changed. Reply \"fix it\" to have it mended, or say what is wrong here.", revision, commit)
	return b.String()
}

// ReportText is the report as the thread sees it.
func ReportText(c decision.RootCause, revision int, commit, shown string) string {
	return fmt.Sprintf("Root cause (revision %d, at %s): %s\n%s\n%s%sConfidence: %s. No code was changed. Reply \"fix it\" to have it mended, or say what is wrong here.",
		revision, commit, c.Summary, c.Cause, evidenceText(c.Evidence), shownText(shown), c.Confidence)
}

// missingPlaces are the file:line in words of a report that the tree does not have.
func (o *Orchestrator) missingPlaces(text string) []string {
	var missing []string
	seen := map[string]bool{}
	for _, m := range worktree.PlaceMark.FindAllStringSubmatch(text, -1) {
		if !seen[m[0]] && !o.hasLine(m[1], m[2]) {
			missing = append(missing, m[0])
		}
		seen[m[0]] = true
	}
	return missing
}

// hasLine looks in the tree that the orchestrator looks at. A name without its folder
// (receipt.go:12) counts where exactly that name exists.
func (o *Orchestrator) hasLine(path, line string) bool {
	has, err := o.Trees.Current().HasLine(path, line)
	if errors.Is(err, fs.ErrNotExist) {
		return !strings.Contains(path, "/") && o.hasFileName(path)
	}
	return err == nil && has
}

func (o *Orchestrator) hasFileName(name string) bool {
	found := false
	fs.WalkDir(o.Trees.Current().Copy.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// RootCause shows a new revision of the report and waits for the thread's word. Nothing
// has been changed by then.
func (l *Tools) RootCause(ctx context.Context, c decision.RootCause) (model.Result, error) {
	s := l.Session()
	switch _, err := s.Phase.Next(workflow.EventReport); {
	case err != nil:
		return prompt.Wrong("A report cannot be given now: the session is %s. Use reply to answer, or finish the approved work.", s.Phase), nil
	case s.Phase == workflow.PhaseDiagnosing:
		return prompt.Wrong("A Diagnosis Report is asked for here: load_skill diagnose, follow it, and call report_diagnosis."), nil
	case len(c.Evidence) == 0:
		return prompt.Wrong("A report needs at least one piece of evidence: {claim, grade: observed|inferred, source: file:line or command}."), nil
	}
	if refused, err := l.checkClaims(ctx, c.Reproduction, c.Evidence, c.Summary, c.Cause); refused != nil || err != nil {
		return prompt.DerefResult(refused), err
	}
	shown, err := l.reproductionText(ctx, c.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportRootCause, c)
	if err != nil {
		return model.Result{}, err
	}
	if r.Text, err = l.Attachments.NameRefs(ctx, ReportText(c, r.Revision, prompt.ShortHash(s.BaseCommit), shown)); err != nil {
		return model.Result{}, err
	}
	//crash:report_made
	return l.showReport(r), nil
}

// Diagnosis shows a Diagnosis Report and waits for the thread's word.
func (l *Tools) Diagnosis(ctx context.Context, d workflow.Diagnosis) (model.Result, error) {
	s := l.Session()
	var begun []store.Part
	if s.Phase != workflow.PhaseDiagnosing {
		if _, err := s.Phase.Next(workflow.EventDiagnose); err != nil {
			return prompt.Wrong("A diagnosis cannot be reported now: the session is %s.", s.Phase), nil
		}
		begun = append(begun, store.Update{Maybe: []workflow.Event{workflow.EventDiagnose}})
	}
	if missing := d.Missing(); missing != "" {
		return ledger.WithParts(prompt.Wrong("report_diagnosis: %s.", missing), begun...), nil
	}
	if refused, err := l.checkClaims(ctx, d.Reproduction, d.Evidence, d.Bug, d.RootCause, strings.Join(d.ProposedFix, "\n"), everyWord(d)); refused != nil || err != nil {
		return ledger.WithParts(prompt.DerefResult(refused), begun...), err
	}
	shown, err := l.reproductionText(ctx, d.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportDiagnosis, d)
	if err != nil {
		return model.Result{}, err
	}
	if r.Text, err = l.Attachments.NameRefs(ctx, DiagnosisText(d, r.Revision, prompt.ShortHash(s.BaseCommit), shown)); err != nil {
		return model.Result{}, err
	}
	return l.showReport(r, begun...), nil
}

// checkClaims looks at what a report claims before people see it: the places exist, the
// command was run, and nobody wrote meanwhile.
func (l *Tools) checkClaims(ctx context.Context, reproduction string, evidence []workflow.Evidence, words ...string) (*model.Result, error) {
	for _, e := range evidence {
		words = append(words, e.Source)
	}
	refused := func(format string, args ...any) (*model.Result, error) {
		r := prompt.Wrong(format, args...)
		return &r, nil
	}
	missing := l.missingPlaces(strings.Join(words, "\n"))
	for _, e := range evidence {
		if path, line := worktree.PlaceOf(e.Source); path != "" && !slices.Contains(missing, path+":"+line) && !l.hasLine(path, line) {
			missing = append(missing, plaintext.OneLine(e.Source))
		}
	}
	if missing, err := l.notPrinted(ctx, missing); err != nil {
		return nil, err
	} else if len(missing) > 0 {
		return refused("These lines are not in the tree at %s: %s (no such file, or the file is shorter). Look them up with read_file and report again.", prompt.ShortHash(l.Session().BaseCommit), strings.Join(missing, ", "))
	}
	if reproduction != "" {
		c, err := l.newestRun(ctx, reproduction)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return refused("The reproduction was not run here: give the command to run first, word for word, or leave reproduction out; the report is then marked unproven.")
		}
	}
	return l.refuseUnread(ctx)
}

// showReport shows the report with its buttons, behind what was written before; the turn rests.
func (l *Tools) showReport(r *workflow.Report, written ...store.Part) model.Result {
	written = append(written, store.Replies(l.ProgramLine(r.Text, l.Approvals.ReportButtons("Fix it")...)), consent.Report(*r), store.Update{
		Maybe:  []workflow.Event{workflow.EventReport}, // dropped where the phase does not allow it; the report itself always is an event
		Change: func(s *workflow.Session) { s.Kind, s.Workflow = workflow.KindBug, workflow.CommandNone },
		Open:   ledger.Rest,
	})
	return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", r.Revision), Ends: true}, written...)
}

// refuseUnread refuses to show something while words wait that it does not know of.
func (l *Tools) refuseUnread(ctx context.Context) (*model.Result, error) {
	unread, err := l.Inbox().Unseen(ctx, 0)
	if err != nil || len(unread) == 0 {
		return nil, err
	}
	r := prompt.Wrong("Somebody wrote in the thread meanwhile; you are shown it now. Take it into account and call this again.")
	return &r, nil
}
