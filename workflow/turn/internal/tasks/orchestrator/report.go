package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/experts"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/lookback"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// otherTexts returns the remaining texts of a diagnosis, in which places are looked up, too.
func otherTexts(d workflow.DiagnosisReport) string {
	named := slices.Clone(d.AffectedScope)
	for _, h := range d.Hypotheses {
		named = append(named, h.Claim, h.Probe)
	}
	return strings.Join(named, "\n")
}

// notPrinted returns the places that no command of the session printed either. A test that was written
// to look for the cause and then removed is still a place in what it printed. An attached file is a
// place by its own name.
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
		}) || slices.ContainsFunc(commands,
			func(c progress.Command) bool { return strings.Contains(c.Output, place) })
	}), err
}

// newestRun returns the newest run of that command in the session, or the one with the number that it gives
// ("run 7"), or nil if there is none.
func (o *Orchestrator) newestRun(ctx context.Context, command string) (*progress.Command, error) {
	commands, err := o.Store.Commands(ctx, o.Session().ID)
	runs := evidence.RunsIn(command)
	for _, c := range slices.Backward(commands) {
		if c.Command == "" {
			continue
		}
		named := len(runs) == 1 && c.Number == runs[0]
		if named || plaintext.OneLine(c.Command) == plaintext.OneLine(command) {
			return &c, err
		}
	}
	return nil, err
}

// completeEvidence grades what people said as reported, and adds to each source and probe that names a run by
// its number what was run, and how it ended.
func (o *Orchestrator) completeEvidence(
	ctx context.Context, evidences []workflow.Evidence, hypotheses []workflow.Hypothesis,
) error {
	p, err := o.sessionEvidence(ctx)
	p.Regrade(evidences)
	for i := range evidences {
		evidences[i].Source = p.WithRuns(evidences[i].Source)
	}
	for i := range hypotheses {
		hypotheses[i].Probe = p.WithRuns(hypotheses[i].Probe)
	}
	return err
}

// A reproduction is the result of the command with which a report shows the bug.
type reproduction struct {
	status string
	ran    string            // the command, what it shows and how it ended; empty: none was run
	fails  *progress.Command // the run whose exit code shows the bug; nil: none does
	passes *progress.Command // the run that ends without a failure; nil: it fails, or was stopped
}

// reproduced returns the result of a report's command, and replaces the command by its text as it was
// run.
func (o *Orchestrator) reproduced(ctx context.Context, command *string) (reproduction, error) {
	if *command == "" {
		return reproduction{status: findings.StatusUnproven}, nil
	}
	c, err := o.newestRun(ctx, *command)
	if err != nil || c == nil {
		return reproduction{status: findings.StatusUnproven}, err
	}
	*command = c.Command
	r := reproduction{status: findings.StatusUnclear}
	ran := "Run: "
	how := ""
	switch {
	case c.ExitCode == -1:
		how = "it was stopped"
	case c.ExitCode == 0:
		how = "it ends without a failure; look at what it prints"
		r.passes = c
	case evidence.EndsWithoutShowing(*c) != "":
		how = fmt.Sprintf("exit code %d, which does not show the bug; look at what it prints", c.ExitCode)
	default:
		how = fmt.Sprintf("fails with exit code %d", c.ExitCode)
		ran = "Shown by: "
		r.status = findings.StatusShown
		r.fails = c
	}
	r.ran = ran + findings.CommandWithEnding(c.Command, how)
	return r, nil
}

// lookBack returns the part that asks since when the report's command fails, or on which releases it fails if
// it passes here, to be found out while the report waits. It returns none if looking back is off, if there is
// no such command, or if the session has pushed, since the command then ran on other files than the base's.
func (l *Tools) lookBack(report workflow.Report, r reproduction) []store.Part {
	if !l.Delivery.LooksBack || l.Session().Head != "" {
		return nil
	}
	p := l.Trees.Current()
	probe := past.Probe{Project: p.Project()}
	switch {
	case r.fails != nil:
		probe.Command = r.fails.Command
		probe.Code = r.fails.ExitCode
	case r.passes != nil && p.Elsewhere != nil && len(p.Elsewhere()) > 0:
		probe.Command = r.passes.Command
		probe.Passes = true
	default:
		return nil
	}
	part, err := lookback.BeforeFix(p.Repository.Name, report, probe)
	if err != nil {
		l.Log.Warn("it is not asked since when the bug is there", "err", err)
		return nil
	}
	return []store.Part{part}
}

// headLines returns how many lines a report of that kind begins with: its headline, and, unless it is a
// review, its status.
func headLines(kind string) int {
	if kind == workflow.ReportReview {
		return 1
	}
	return 2
}

// belowHead inserts lines, each ended by a newline, below the first lines of a report of that kind.
func belowHead(kind, report, lines string) string {
	head := headLines(kind)
	all := strings.SplitN(report, "\n", head+1)
	return strings.Join(all[:head], "\n") + "\n" + lines + all[head]
}

// edition returns the edition of a report with that status.
func (l *Tools) edition(r *workflow.Report, status string) findings.Edition {
	s := l.Session()
	return findings.Edition{
		Repository: s.Repository,
		Commit:     prompt.ShortHash(s.BaseCommit),
		Revision:   r.Revision,
		Status:     status,
	}
}

// missingPlaces returns the places (file:line) in a report's text that the tree does not have.
func (o *Orchestrator) missingPlaces(text string) []string {
	var missing []string
	seen := map[string]bool{}
	for _, m := range worktree.LocationPattern.FindAllStringSubmatch(text, -1) {
		if !seen[m[0]] && !o.hasLine(m[1], m[2]) {
			missing = append(missing, m[0])
		}
		seen[m[0]] = true
	}
	return missing
}

// hasLine reports whether the tree that the orchestrator reads has that line. A name without its folder
// (receipt.go:12) counts if a file with exactly that name exists.
func (o *Orchestrator) hasLine(path, line string) bool {
	has, err := o.Trees.Current().HasLine(path, line)
	if errors.Is(err, fs.ErrNotExist) {
		return !strings.Contains(path, "/") && o.hasFileName(path)
	}
	if err != nil {
		o.Log.Warn("a place in a report cannot be checked", "path", path, "err", err)
	}
	return err == nil && has
}

// hasFileName reports whether the tree has a file with that name. A folder that cannot be read has none.
func (o *Orchestrator) hasFileName(name string) bool {
	found := false
	_ = fs.WalkDir(o.Trees.Current().Copy.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// remainsMissing tells the model of a report that says nothing in remains.
const remainsMissing = `remains is empty: say what the fix leaves broken, what it makes worse, and what ` +
	`you found that contradicts the thread, since whoever approves reads that above the buttons; "nothing" ` +
	`if there is nothing.`

// RootCause shows a new revision of the report and ends the turn to wait for the thread's approval.
// Nothing has been changed by then.
func (l *Tools) RootCause(ctx context.Context, c decision.RootCause) (model.Result, error) {
	s := l.Session()
	switch _, err := s.Phase.Next(workflow.EventReport); {
	case err != nil:
		return prompt.Wrong("A report cannot be given now: the session is %s. Use reply to answer, "+
			"or finish the approved work.", s.Phase), nil
	case s.Phase == workflow.PhaseDiagnosing:
		return prompt.Wrong("A Diagnosis Report is asked for here: load_skill diagnose, follow it, " +
			"and call report_diagnosis."), nil
	}
	for _, text := range []*string{&c.Changed, &c.Cause, &c.Change, &c.Remains, &c.Example} {
		*text = plaintext.CloseFence(*text)
	}
	var wrong []string
	if plaintext.Blank(c.Summary) || plaintext.Blank(c.Cause) {
		wrong = append(wrong,
			"A report needs a summary, which people read first, and a cause with file:line.")
	}
	if len(c.Evidence) == 0 {
		wrong = append(wrong, "A report needs at least one piece of evidence: {claim, grade: "+
			"observed|inferred, source: file:line or the number of a run (run N)}.")
	}
	if plaintext.Blank(c.Remains) {
		wrong = append(wrong, remainsMissing)
	}
	if err := l.checkClaims(ctx, wrong,
		claims{c.Evidence, c.Reproduction, c.Example, c.Siblings, c.Cause, c.Change, c.Summary},
		c.Remains); err != nil {
		return prompt.Refused(err)
	}
	shown, err := l.reproduced(ctx, &c.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	if err := l.completeEvidence(ctx, c.Evidence, nil); err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportRootCause, c)
	if err != nil {
		return model.Result{}, err
	}
	changed, err := l.changedText(ctx, r, c.Changed)
	if err != nil {
		return model.Result{}, err
	}
	c.Summary = l.Headline(c.Summary)
	text := belowHead(r.Kind, findings.ReportText(c, l.edition(r, shown.status)), changed)
	if r.Text, err = l.Attachments.NameRefs(ctx, text); err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("report_made")
	return l.showReport(ctx, r, findings.DetailsText(l.quotedGrounds(*r), c.Cause, shown.ran),
		l.lookBack(*r, shown)...)
}

// Diagnosis shows a Diagnosis Report and ends the turn to wait for the thread's approval.
func (l *Tools) Diagnosis(ctx context.Context, d workflow.DiagnosisReport) (model.Result, error) {
	s := l.Session()
	var begun []store.Part
	if s.Phase != workflow.PhaseDiagnosing {
		if _, err := s.Phase.Next(workflow.EventDiagnose); err != nil {
			return prompt.Wrong("A diagnosis cannot be reported now: the session is %s.", s.Phase), nil
		}
		begun = append(begun, store.Update{OptionalEvents: []workflow.Event{workflow.EventDiagnose}})
	}
	for _, text := range []*string{&d.Changed, &d.RootCause, &d.Remains, &d.Example} {
		*text = plaintext.CloseFence(*text)
	}
	var wrong []string
	if missing := d.Missing(); missing != "" {
		wrong = append(wrong, fmt.Sprintf("report_diagnosis: %s.", missing))
	}
	if plaintext.Blank(d.Remains) {
		wrong = append(wrong, remainsMissing)
	}
	if err := l.checkClaims(ctx, wrong, claims{
		d.Evidence, d.Reproduction, d.Example, d.Siblings, d.RootCause, strings.Join(d.ProposedFix, "\n"), "",
	}, d.Bug, strings.Join(d.ProposedFix, "\n"), d.Remains, otherTexts(d)); err != nil {
		refused, err := prompt.Refused(err)
		return ledger.WithParts(refused, begun...), err
	}
	shown, err := l.reproduced(ctx, &d.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	if err := l.addReleases(ctx, &d, shown); err != nil {
		return model.Result{}, err
	}
	if err := l.completeEvidence(ctx, d.Evidence, d.Hypotheses); err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportDiagnosis, d)
	if err != nil {
		return model.Result{}, err
	}
	changed, err := l.changedText(ctx, r, d.Changed)
	if err != nil {
		return model.Result{}, err
	}
	text := belowHead(r.Kind, findings.DiagnosisText(d, l.edition(r, shown.status)), changed)
	if r.Text, err = l.Attachments.NameRefs(ctx, text); err != nil {
		return model.Result{}, err
	}
	return l.showReport(ctx, r, findings.DetailsText(l.quotedGrounds(*r), d.Text(), shown.ran),
		append(begun, l.lookBack(*r, shown)...)...)
}

// addReleases adds the releases that have the bug to the affected scope, if the command was run on them
// since an earlier revision was shown.
func (o *Orchestrator) addReleases(ctx context.Context, d *workflow.DiagnosisReport, r reproduction) error {
	if r.fails == nil {
		return nil
	}
	s := o.Session()
	done, err := o.Store.LookbacksDone(ctx, s.ID)
	if err != nil {
		return err
	}
	if known := lookback.Known(done, s.Repository, s.BaseCommit,
		r.fails.Command); known != "" && !slices.Contains(d.AffectedScope, known) {
		d.AffectedScope = append(slices.Clone(d.AffectedScope), known)
	}
	return nil
}

// checkClaims refuses a report before people see it unless its places exist, its command was run, and no
// new message waits to be read. The error is a prompt.Refusal then, which says everything that is wrong, also
// what was found already.
func (l *Tools) checkClaims(ctx context.Context, wrong []string, claimed claims, words ...string) error {
	words = append(words, claimed.cause, claimed.headline)
	for _, e := range claimed.evidence {
		words = append(words, e.Source)
	}
	missing := l.missingPlaces(strings.Join(words, "\n"))
	for _, e := range claimed.evidence {
		if path, line := worktree.SplitLocation(e.Source); path != "" &&
			!slices.Contains(missing, path+":"+line) && !l.hasLine(path, line) {
			missing = append(missing, plaintext.OneLine(e.Source))
		}
	}
	if missing, err := l.notPrinted(ctx, missing); err != nil {
		return err
	} else if len(missing) > 0 {
		wrong = append(wrong, fmt.Sprintf("These lines are not in the tree at %s: %s (no such file, or the "+
			"file is shorter). Look them up with read_file and report again.",
			prompt.ShortHash(l.Session().BaseCommit), strings.Join(missing, ", ")))
	}
	unproven, err := l.unprovenClaims(ctx, claimed)
	if err != nil {
		return err
	}
	wrong = append(wrong, unproven...)
	var refusal *prompt.Refusal
	if _, err := l.checkAsserted(ctx, claimed.headline); errors.As(err, &refusal) {
		wrong = append(wrong, refusal.Error())
	} else if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return prompt.NewRefusal("%s", strings.Join(wrong, "\n"))
	}
	return l.refuseUnread(ctx)
}

// showReport shows the report with its buttons, after the parts in written, and ends the turn.
func (l *Tools) showReport(
	ctx context.Context, r *workflow.Report, details string, written ...store.Part,
) (model.Result, error) {
	s := l.Session()
	details, err := l.Attachments.NameRefs(ctx, details)
	if err != nil {
		return model.Result{}, err
	}
	// What a lesson says of the tests' start may be in the thread already, so the report says it, too.
	if err := l.Trees.Current().AwaitStart(ctx, l.Store.DB); err != nil {
		return model.Result{}, err
	}
	notes := l.programNotes(r)
	if r.Kind != workflow.ReportReview {
		expected, err := l.estimateLine(ctx, workflow.KindBug, "fixes")
		if err != nil {
			return model.Result{}, err
		}
		if expected != "" {
			notes = append(notes, expected)
		}
	}
	shared, err := l.sharedCause(ctx, r)
	if err != nil {
		return model.Result{}, err
	}
	notes = append(shared.notes, notes...)
	written = append(written, shared.parts...)
	if len(notes) > 0 {
		r.Text = belowHead(r.Kind, r.Text, strings.Join(notes, "\n")+"\n")
	}
	r.Text = l.MaskShown(r.Text)
	known, err := l.checkAsserted(ctx, r.Text)
	if err != nil {
		return prompt.Refused(err)
	}
	who := experts.Finder{Ledger: l.Ledger, Trees: l.Trees}
	people := who.Find(ctx, experts.InReport(*r))
	if len(people.People)+len(people.Owners) > 0 {
		details += "\n" + people.Text()
	}
	var menu []workflow.Button
	if r.Kind == workflow.ReportRootCause {
		menu = append(menu, approval.DiagnoseButton())
	}
	buttons := l.Approvals.ReportButtons("Fix it", menu...)
	if r.Kind == workflow.ReportReview {
		if len(findings.GroundsOf(*r).Evidence) == 0 { // there is nothing to fix
			buttons = nil
		}
		buttons = append(buttons, l.Approvals.PostButton(r.Revision))
	}
	buttons = append(buttons, shared.buttons...)
	buttons = append(buttons, ledger.DetailsButton(details))
	if r.Kind == workflow.ReportReview { // after the check, since it is no claim of an agent
		ran, err := l.ranLine(ctx)
		if err != nil {
			return model.Result{}, err
		}
		notes = append(notes, ran)
		r.Text = belowHead(r.Kind, r.Text, ran+"\n")
	}
	at := strings.LastIndex(r.Text, "\n") // the footer
	lines := l.AgentLine(r.Text[:at], buttons...)
	for i := 1; i < headLines(r.Kind)+len(notes); i++ {
		lines[0].Vouched = append(lines[0].Vouched, i)
	}
	lines = ledger.VouchBelow(ledger.VouchBelow(lines, known), r.Text[at:])
	r.Text = lines[0].Text // what was shown is found by it
	unread, err := l.notLookedAt(ctx)
	if err != nil {
		return model.Result{}, err
	}
	finding, err := l.findingOf(r.Body)
	if err != nil {
		return model.Result{}, err
	}
	written = append(written, unread...)
	written = append(written, who.Mention(ctx, people, workflow.Person{ID: s.Requester}, &lines[0])...)
	if err := l.Approvals.MentionApprovers(ctx, &lines[0], r.AskedBy...); err != nil {
		return model.Result{}, err
	}
	written = append(written, store.Replies(lines), consent.Report(*r), store.Update{
		// dropped if the phase does not allow it; the report itself is always an event
		OptionalEvents: []workflow.Event{workflow.EventReport},
		Change: func(s *workflow.Session) {
			s.Kind = workflow.KindBug
			s.Workflow = workflow.CommandNone
			s.Finding = finding
		},
		Open: ledger.Rest,
	})
	return ledger.WithParts(model.Result{
		Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", r.Revision),
		Ends: true,
	}, written...), nil
}

// findingOf returns what a report found, in one line: it names the session in lists.
func (l *Tools) findingOf(body []byte) (string, error) {
	var said struct{ Summary, Bug, Title string }
	if err := json.Unmarshal(body, &said); err != nil {
		return "", err
	}
	words := l.Headline(cmp.Or(said.Title, said.Bug, said.Summary))
	return plaintext.CutLine(plaintext.OneLine(workflow.Unmark(words)), maxFinding), nil
}

// maxFinding is the length of a finding, in characters.
const maxFinding = 150

// programNotes returns what the program itself says of a report, each in one line below the first: that its
// cause lies in another repository, and what keeps a fix from being proven.
func (l *Tools) programNotes(r *workflow.Report) (notes []string) {
	p := l.Trees.Current()
	g := findings.GroundsOf(*r)
	if other := p.CauseIn(g.Cause + "\n" + g.RootCause); other != nil && l.Session().Branch == "" {
		notes = append(notes, other.Begins(p.Repository.Name))
	}
	if doubt := plaintext.OneLine(p.ProofLimits()); doubt != "" {
		notes = append(notes, doubt)
	}
	return notes
}

// refuseUnread refuses to show anything while messages wait that the orchestrator has not read.
func (l *Tools) refuseUnread(ctx context.Context) error {
	unread, err := l.Inbox().Unseen(ctx, 0)
	if err != nil || len(unread) == 0 {
		return err
	}
	return prompt.NewRefusal(prompt.UnreadRefusal)
}
