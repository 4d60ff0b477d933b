package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Approve judges an approval of a revision, in words or by a press, limited to scope unless scope is
// empty. A person who may not approve makes a request for approval with it (requestApproval). The
// database checks again, in the transaction that inserts the row, whatever may change meanwhile.
func (ap *Approvals) Approve(
	ctx context.Context, m intent.Message, p workflow.Person, revision int, scope string,
) ([]store.Part, error) {
	s := ap.Session()
	reason, approvers, err := ap.Permissions.ApprovalRefusal(ctx, p)
	if err != nil {
		return ap.RefuseUnknown(m, err)
	}
	if reason != "" {
		return ap.requestApproval(ctx, asker{Message: m, Person: p}, workflow.DecideApprove, approvers,
			reason, revision, scope)
	}
	if standing, err := ap.Store.Approval(ctx, s.ID, s.Revision); err != nil {
		return nil, err
	} else if standing != nil && revision == s.Revision && revision > s.Voided {
		return ap.refuseAgain(ctx, m, p, standing)
	}
	reading, err := ap.ReadsRemarks(ctx)
	if err != nil {
		return nil, err
	}
	stopped, err := ap.StoppedReport(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case revision == s.Revision && stopped:
		return ap.takeUp(ctx, m, p, scope)
	case revision == s.Revision && reading:
		return ap.refuseRevision(revision, m, p, "what was written after it is being read",
			fmt.Sprintf("I am still reading what was written below revision %d. Its buttons stay: "+
				"press once more, or write \"fix it\", when I have answered.%s", revision,
				prompt.EnteredText(m.Message))), nil
	case s.Revision <= s.Voided || s.BaseCommit == "" || !ap.AwaitsConsent():
		return ap.refuseRevision(revision, m, p, "no report waits",
			"There is no report to approve yet. I say when there is one."+prompt.EnteredText(m.Message)), nil
	case revision != s.Revision:
		return ap.refuseRevision(revision, m, p, "an old revision",
			fmt.Sprintf("That was revision %d; the newest is revision %d. Please answer that one.%s",
				revision, s.Revision, prompt.EnteredText(m.Message))), nil
	}
	shown := func() (string, bool, error) { return ap.Store.ReportTS(ctx, s.ID, revision) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, shown); err != nil {
		return nil, err
	} else if unread {
		return ap.refuseRevision(revision, m, p, "written before the report was shown",
			fmt.Sprintf("That was written before revision %d was shown. Please read it, and answer again.",
				revision)), nil
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecideApprove); f != nil || err != nil {
		return f, err
	}
	report, err := ap.Store.Report(ctx, s.ID, revision)
	if err != nil {
		return nil, err
	}
	return ap.approvalParts(ctx, m, p, report, scope)
}

// refuseAgain refuses an approval of the revision that is approved already, and says what has become of that
// approval: whether it was taken back, and whether its work was stopped. Then a button lets the work go on,
// which is asked about before its push.
func (ap *Approvals) refuseAgain(
	ctx context.Context, m intent.Message, p workflow.Person, standing *workflow.Approval,
) ([]store.Part, error) {
	s := ap.Session()
	said := fmt.Sprintf("Revision %d was already approved by %s.", s.Revision, standing.Names())
	void, err := ap.void(ctx, standing)
	if err != nil {
		return nil, err
	}
	if void != nil {
		said = fmt.Sprintf("The approval of revision %d was taken back. %s.", s.Revision, void)
	}
	const reason = "already approved"
	if s.Halted != "" {
		said += " The work was stopped. Shall it go on? Press the button, or write \"go on\"."
		return ap.RefuseInThread(m, p, workflow.DecideApprove, reason, said+prompt.EnteredText(m.Message),
			GoOnButton(s.Halted)...), nil
	}
	if void != nil {
		said += " The work goes on to its proof, and then I ask for a new word before the push."
	}
	return ap.Refuse(m, p, workflow.DecideApprove, reason, said+prompt.EnteredText(m.Message)), nil
}

// ReadsRemarks reports whether the newest report waits while agents read what people wrote below it.
func (ap *Approvals) ReadsRemarks(ctx context.Context) (bool, error) {
	s := ap.Session()
	if !s.Open || s.Revision <= s.Voided {
		return false, nil
	}
	switch s.Phase {
	case workflow.PhaseExploring, workflow.PhaseDiagnosing, workflow.PhasePlanning:
		report, err := ap.Store.Report(ctx, s.ID, s.Revision)
		return err == nil && report.BaseCommit == s.BaseCommit, err
	}
	return false, nil
}

// refuseRevision refuses an approval, and records the revision that the person wanted to approve.
func (ap *Approvals) refuseRevision(
	revision int, m intent.Message, p workflow.Person, reason, said string,
) []store.Part {
	f := ap.Refuse(m, p, workflow.DecideApprove, reason, said)
	ledger.Change(f, func(d *consent.Decision) { d.Revision = revision })
	return f
}

// postingTime is how long WrittenBeforeShown waits for a report to be posted to Slack.
const postingTime = time.Minute

// WrittenBeforeShown reports whether m was written before the report, or another line that waits for
// consent or an answer, was shown. A message names no revision, so it can only approve what was above it in
// the thread. A press names its revision, so it is never too early. shown returns the ts of the line, or an
// empty string; underWay says that it is being posted, and then WrittenBeforeShown waits for at most
// postingTime.
func (ap *Approvals) WrittenBeforeShown(
	ctx context.Context, m intent.Message, shown func() (ts string, underWay bool, err error),
) (bool, error) {
	if m.Kind == workflow.MessageAction || m.Kind == workflow.MessageForm {
		return false, nil
	}
	for until := time.Now().Add(postingTime); ; {
		ts, underWay, err := shown()
		if err != nil {
			return false, fmt.Errorf("look whether it was shown: %w", err)
		}
		if ts != "" || !underWay || time.Now().After(until) {
			return ts == "" || m.TS < ts, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (ap *Approvals) approvalParts(
	ctx context.Context, m intent.Message, p workflow.Person, r workflow.Report, scope string,
) ([]store.Part, error) {
	if r.Kind == workflow.ReportReview && len(findings.GroundsOf(r).Evidence) == 0 {
		return ap.refuseRevision(r.Revision, m, p, "nothing to fix", "The review found nothing, so "+
			"there is nothing to fix. Say what you want changed."), nil
	}
	if numbers, ok := strings.CutPrefix(scope, "step"); ok && r.Kind == workflow.ReportReview {
		scope = "finding" + numbers // what a review numbers
	}
	gone, buttons, err := ap.Catalog.PullGone(ctx)
	if err != nil {
		return nil, err
	}
	if gone != "" {
		return ap.RefuseInThread(m, p, workflow.DecideApprove, "the pull request is not open", gone,
			buttons...), nil
	}
	approved, err := ap.ApproveReport(ctx, permission.Asker{Message: m.Message, Person: p}, r, scope)
	if err != nil {
		return ap.refuseUncounted(m, p, err), nil
	}
	if !approved.Complete() {
		return ap.awaitOthers(ctx, m, p, r, scope, approved)
	}
	said := strings.Join(append(approved.Lost, fmt.Sprintf("Revision %d approved by %s.", r.Revision,
		plaintext.And(approved.Names()))), " ")
	told := fmt.Sprintf("Revision %d was approved by %s. %s", r.Revision,
		prompt.PersonName(plaintext.And(approved.Names())), delegates[r.Kind])
	if scope = approved.scope(); scope != "" {
		said = strings.TrimSuffix(said, ".") + ", limited to: " + scope
		told += " The approval is limited to what stands here, and nothing beyond it may change:\n" +
			prompt.Fence("scope", scope)
	}
	f := ap.ForAgents(m, told)
	f = append(f, store.Lines(ap.ProgramLine(said)))
	ledger.Change(f, func(u *store.Update) { u.Events = []workflow.Event{workflow.EventApprove} })
	return append(f, approved.Parts...), nil
}

// refuseUncounted refuses an approval for which no branch could be named, or while it cannot be read who of
// those who approved before still may.
func (ap *Approvals) refuseUncounted(m intent.Message, p workflow.Person, err error) []store.Part {
	var unnamed *catalog.NameError
	if errors.As(err, &unnamed) {
		return ap.refuseRevision(ap.Session().Revision, m, p, "no allowed name", unnamed.Said)
	}
	ap.Log.Warn("approval refused: cannot read whose approvals count", "user", p.ID, "err", err)
	return ap.Refuse(m, p, workflow.DecideApprove, "who may approve could not be looked up",
		"Slack does not tell me at this moment whose approvals count, so I take none. Please try again."+
			prompt.EnteredText(m.Message))
}

// awaitOthers keeps the approval of one person, where others have to approve, too: it says who has and who
// has not yet, with the buttons. Whoever is named for it is called once for each revision.
func (ap *Approvals) awaitOthers(
	ctx context.Context, m intent.Message, p workflow.Person, r workflow.Report, scope string, a Approved,
) ([]store.Part, error) {
	if a.again {
		return ap.refuseRevision(r.Revision, m, p, "already approved by this person",
			fmt.Sprintf("You have approved revision %d already%s. %s", r.Revision, a.So(), a.Still())), nil
	}
	lines, err := ap.waitingLines(ctx, p, r, a.Waits(r.Revision, scope), a.Count)
	if err != nil {
		return nil, err
	}
	return append(append(ap.Ignore(m), a.Parts...), store.Replies(lines)), nil
}

// waitingLines returns the line that says who has to approve a revision, too, with its buttons.
func (ap *Approvals) waitingLines(
	ctx context.Context, p workflow.Person, r workflow.Report, said string, c Count,
) ([]workflow.Line, error) {
	label := "Fix it"
	if r.Kind == workflow.ReportRequest || r.Kind == workflow.ReportPlan {
		label = "Go ahead"
	}
	buttons := ap.ReportButtons(label + workflow.TooLabel)
	for i, b := range buttons {
		if b.ActionID == workflow.ButtonFixLimited {
			buttons[i].Label = label + ", with limits…"
		}
	}
	if ap.Session().Phase == workflow.PhaseAligning {
		buttons = []workflow.Button{
			{
				ActionID: workflow.ButtonConfirm, Label: "Yes, that is it" + workflow.TooLabel,
				Style: "primary", Value: store.NewToken(),
			},
			{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
		}
	}
	lines := ap.ProgramLine(said, buttons...)
	_, called, err := ap.askedBefore(ctx, r.Revision)
	if err != nil || called || len(c.By) > 1 {
		return lines, err
	}
	approvers, err := ap.Permissions.Approvers(ctx)
	if err != nil {
		return nil, err
	}
	named, err := ap.peopleToMention(ctx, approvers, p)
	for _, id := range slices.Concat(c.Mentions, named) {
		mentions := lines[0].Mentions
		if id != p.ID && !slices.Contains(mentions, id) && len(mentions) < catalog.MaxMentions {
			lines[0].Mentions = append(lines[0].Mentions, id)
		}
	}
	return lines, err
}

// delegates holds what the orchestrator is told to do after an approval, by the kind of report that was
// approved.
var delegates = map[string]string{
	workflow.ReportRootCause: "Delegate the fix now.",
	workflow.ReportDiagnosis: "Delegate the fix now.",
	workflow.ReportReview:    "Delegate the fixes of its findings now.",
	workflow.ReportRequest:   "Delegate the work now.",
	workflow.ReportPlan:      "Delegate the plan's tasks now, each with its number as plan.",
}

// WroteSince reports whether a person other than user wrote between the newest report and m. If user is
// empty, everybody counts. Then a bare "yes" in m may be meant for those words.
func (ap *Approvals) WroteSince(ctx context.Context, m intent.Message, user string) (bool, error) {
	shown, _, err := ap.Store.ReportTS(ctx, ap.Session().ID, ap.Session().Revision)
	if err != nil {
		return false, err
	}
	return ap.Inbox().OthersWrote(ctx, user, shown, m.TS)
}

// AskConsent asks the person whether m is meant as an approval. A message that only sounds like consent is
// never taken for one. The question and its button keep the limit that the message names. A condition or a
// time is refused: nobody here could hold the approval to it. While such a question about the revision waits,
// the next one replaces its words; a person who would not see it there is told alone.
func (ap *Approvals) AskConsent(
	ctx context.Context, m intent.Message, p workflow.Person, c intent.Consent,
) []store.Part {
	s := ap.Session()
	limited := ""
	if c.Scope != "" {
		limited = ", limited to: " + c.Scope
	}
	label := consentLabel
	reason := "unclear, asked"
	question := fmt.Sprintf(
		"shall I read %s as approval of revision %d%s? Press a button, or reply \"fix it\".",
		ap.QuoteWords(ctx, m), s.Revision, limited,
	)
	if c.Condition != "" {
		label = "Fix it now"
		reason = "a condition: " + c.Condition
		question = fmt.Sprintf(
			"I cannot wait for that: \"%s\". Reply \"fix it\" when the time has come, or press the "+
				"button to approve revision %d now%s.",
			plaintext.OneLine(c.Condition), s.Revision, limited,
		)
	}
	above := ap.tellBelowTalk(m, p, question)
	line := ap.ProgramLine(p.Name+", "+question,
		workflow.Button{
			ActionID: workflow.ButtonFix,
			Label:    label,
			Value:    store.NewToken(),
			Style:    "primary",
			Means:    c.Scope,
		},
		workflow.Button{ActionID: workflow.ButtonCorrect, Label: "No", Value: store.NewToken(), Means: "no"})
	return append(ap.Ignore(m),
		store.Reworded{ActionID: workflow.ButtonFix, Label: label, Line: line[0], BelowTalk: above},
		consent.Decision{
			What:      workflow.DecideApprove,
			Reason:    reason,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  s.Revision,
		})
}

// tellBelowTalk returns what the writer of a message is shown alone if the question about it stays above
// others' words.
func (ap *Approvals) tellBelowTalk(m intent.Message, p workflow.Person, question string) *store.PrivateLine {
	said := plaintext.Capitalize(question) + " The buttons are with my question above."
	return &store.PrivateLine{
		Key: strconv.FormatInt(m.ID, 10), User: p.ID, Name: p.Name, Line: ap.ProgramLine(said)[0],
	}
}

// LimitAsked returns the limit of the question that a bare approval m answers: the newest line above m offers
// the approval of the newest revision, limited. It returns an empty string if there is no such line.
func (ap *Approvals) LimitAsked(ctx context.Context, m intent.Message) (string, error) {
	if m.Kind != workflow.MessageReply && m.Kind != workflow.MessageMention {
		return "", nil
	}
	offered, newest, err := ap.Store.NewestLines(ctx, ap.Session().ID, m.TS)
	if err != nil || offered == "" || offered != newest {
		return "", err
	}
	scope, _, err := ap.Store.NewestOffer(
		ctx, ap.Session().ID, store.Offer{ActionID: workflow.ButtonFix, Before: m.TS, In: offered},
	)
	return scope, err
}

// consentLabel distinguishes the button of a question about consent from the button of a report.
const consentLabel = "Yes, fix it"
