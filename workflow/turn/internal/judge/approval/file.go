package approval

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// File judges a request to file an issue, in words or by the press of a button that shows the ticket with
// that key. It is judged like an approval, and permits nothing else. The newest report is filed as the thread
// was shown it. Before any report, and from a private conversation, the text and where it would go are shown
// first, and the next word or press of a person who may approve files exactly that text.
func (ap *Approvals) File(
	ctx context.Context, m intent.Message, p workflow.Person, pressed string,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecideFile, reason, said), nil
	}
	s := ap.Session()
	if no, may, err := ap.mayDecide(ctx, m, p, s.Revision, workflow.DecideFile); err != nil || !may {
		return no, err
	}
	draft, why, err := ap.ticketDraft(ctx)
	if err != nil {
		return nil, err
	}
	register := ticket.Register{Store: ap.Store}
	row, err := register.Of(ctx, s.ID, draft.Key)
	if err != nil {
		return nil, err
	}
	switch {
	case draft.Place == "":
		return refused("there is no place for issues", why)
	case draft.Body == "":
		return refused("there is nothing to file", "there is nothing to file yet. Say here what is wrong, "+
			`then reply "file it".`)
	case row != nil && row.State == ticket.Filed:
		return refused("filed already", "that is filed already, as "+nameOf(*row)+".")
	case row != nil && row.State == ticket.Intended:
		return refused("being filed", "that is being filed, as "+row.UserName+" said.")
	case pressed != "" && pressed != draft.Key:
		return refused("another text",
			`more is known since that was shown. Reply "file it" to file what is known now.`)
	}
	if f, err := ap.refuseUnread(ctx, m, p, draft); f != nil || err != nil {
		return f, err
	}
	if why == "" {
		return ap.fileParts(m, p, draft), nil
	}
	shown := row != nil && row.State == ticket.Offered
	if shown && pressed == "" {
		unread, err := ap.WrittenBeforeShown(ctx, m, func() (string, bool, error) {
			return ap.Store.PostedTS(ctx, s.ID, offerText(row.Draft, why).String())
		})
		if err != nil {
			return nil, err
		}
		shown = !unread
	}
	if shown {
		return ap.fileParts(m, p, row.Draft), nil
	}
	return ap.offerParts(m, draft, why), nil
}

// nameOf returns the name of a filed issue, as a link to its page if that is known.
func nameOf(row ticket.Row) string {
	if row.URL == "" {
		return plaintext.CodeSpan(row.Shown)
	}
	return "[" + row.Shown + "](" + row.URL + ")"
}

// refuseUnread refuses a message that was edited, or written before the report that it would file was shown.
// f is nil if it stands.
func (ap *Approvals) refuseUnread(
	ctx context.Context, m intent.Message, p workflow.Person, draft ticket.Draft,
) (f []store.Part, err error) {
	if draft.Revision > 0 {
		unread, err := ap.WrittenBeforeShown(ctx, m, func() (string, bool, error) {
			return ap.Store.ReportTS(ctx, ap.Session().ID, draft.Revision)
		})
		if err != nil {
			return nil, err
		}
		if unread {
			said := fmt.Sprintf("That was written before revision %d was shown. Please read it, and say "+
				"it again.", draft.Revision)
			return ap.Refuse(m, p, workflow.DecideFile, "written before the report was shown", said), nil
		}
	}
	return ap.refuseEdited(ctx, m, p, workflow.DecideFile)
}

// ticketDraft returns what would be filed, and why it has to be shown first; empty: it has not. Without a
// place for issues the draft has none either, and why says what to do about it.
func (ap *Approvals) ticketDraft(ctx context.Context) (draft ticket.Draft, why string, err error) {
	s := ap.Session()
	r, known, err := ap.Catalog.Current(ctx)
	switch {
	case err != nil:
		return draft, "", err
	case !known:
		return draft, "I do not know which repository this is about. Name it, such as \"repo:shop\", then " +
			"reply \"file it\".", nil
	}
	draft.Repository = r.Name
	if draft.Place = r.IssuePlace(ap.Catalog.Trackers).Name; draft.Place == "" {
		return draft, fmt.Sprintf("there is no place for issues of %s. My operator can name one: its git "+
			"host under host, or file_in of a tracker under trackers.", plaintext.OneLine(r.Name)), nil
	}
	if s.Revision > s.Voided && s.Revision > 0 {
		report, err := ap.Store.Report(ctx, s.ID, s.Revision)
		if err != nil {
			return draft, "", err
		}
		draft.Key = ticket.OfRevision(s.Revision)
		draft.Revision = s.Revision
		if draft.Title, err = ap.Catalog.WorkTitle(ctx); err != nil {
			return draft, "", err
		}
		draft.Body = proposal.IssueBody(report.Revision, findings.ReportForWorkers(report), ap.MaskShown)
	} else if draft, err = ap.draftOfWords(ctx, draft); err != nil {
		return draft, "", err
	} else if draft.Body != "" {
		why = "Nothing is found out yet, so this is only what was reported"
	}
	people, err := ap.Catalog.Discretion(ctx, r, workflow.DisclosureShown)
	if err != nil {
		return draft, "", err
	}
	draft.Body = people.WithoutPeople(draft.Body)
	draft.Title = people.WithoutPeople(ap.MaskShown(cmp.Or(plaintext.OneLine(draft.Title),
		"A report from Slack")))
	switch {
	case draft.Body == "":
	case ap.isPrivate(ctx):
		why = "This conversation is private, and that place may be read by others"
	case ap.Catalog.MayQuoteClosed(ctx, r):
		why = "It may quote a repository that not everybody can read, and others may read that place"
	}
	return draft, why, nil
}

// isPrivate reports whether the thread is in a private channel or a direct message, or may be.
func (ap *Approvals) isPrivate(ctx context.Context) bool {
	private, err := ap.Slack.Private(ctx, ap.Session().Thread.Channel)
	if err != nil {
		ap.Log.Warn("a thread counts as private: cannot read what channel it is in", "err", err)
	}
	return private || err != nil
}

// maxReportedBytes is how much of what people wrote is filed.
const maxReportedBytes = 20_000

// draftOfWords returns the draft with what people wrote: what agents were shown or, before they were shown
// anything, the messages of the thread.
func (ap *Approvals) draftOfWords(ctx context.Context, draft ticket.Draft) (ticket.Draft, error) {
	s := ap.Session()
	written, err := ap.Inbox().Read(ctx)
	if err != nil {
		return draft, err
	}
	var newest int64
	var said []proposal.Reported
	for _, x := range written {
		words := permission.IsMessage(x.Kind) || x.Kind == workflow.MessageEarlier ||
			x.Kind == workflow.MessageAlert
		if text := withoutAddress(x.Text); words && ap.reports(text) {
			newest = x.ID
			said = append(said, proposal.Reported{
				Name: ap.nameOfWriter(ctx, x.User), Text: ap.Slack.Readable(ctx, text),
			})
		}
	}
	if len(said) == 0 {
		earlier, err := ap.Slack.Earlier(ctx, s.Thread)
		if err != nil {
			return draft, err
		}
		for _, x := range earlier {
			if text := withoutAddress(x.Text); !x.Own && ap.reports(text) {
				said = append(said, proposal.Reported{Name: x.Name, Text: ap.Slack.Readable(ctx, text)})
			}
		}
	}
	draft.Key = ticket.OfWords(newest)
	if len(said) > 0 {
		draft.Title = plaintext.CutLine(plaintext.OneLine(said[0].Text), 120)
		draft.Body = plaintext.CutBytes(proposal.ReportedBody(said, ap.MaskShown), maxReportedBytes)
	}
	return draft, nil
}

// address matches the mention at the beginning of a message to the bot, also as people read it.
var address = regexp.MustCompile(`^\s*(?:<@[UW][A-Z0-9]+(?:\|[^>]*)?>|@[\w.-]+)[,:]?\s*`)

func withoutAddress(text string) string { return address.ReplaceAllString(text, "") }

// reports reports whether a text says something other than to file an issue.
func (ap *Approvals) reports(text string) bool {
	return strings.TrimSpace(text) != "" && !ap.Words.Read(text).Files
}

// nameOfWriter returns the name of a person, or an empty string if Slack does not tell.
func (ap *Approvals) nameOfWriter(ctx context.Context, user string) string {
	if user == "" {
		return ""
	}
	p, err := ap.Slack.Person(ctx, ap.Session().Thread, user)
	if err != nil {
		return ""
	}
	return p.Name
}

// fileParts returns the parts that have the draft filed.
func (ap *Approvals) fileParts(m intent.Message, p workflow.Person, draft ticket.Draft) []store.Part {
	what := fmt.Sprintf("the report of revision %d", draft.Revision)
	if draft.Revision == 0 {
		what = "what was reported"
	}
	f := ap.Answer(m, fmt.Sprintf("I file an issue at `%s` with %s, as %s asked.", draft.Place, what, p.Name))
	return append(f, ap.orderParts(m, p, draft)...)
}

// orderParts returns the parts that have the draft sent.
func (ap *Approvals) orderParts(m intent.Message, p workflow.Person, draft ticket.Draft) []store.Part {
	return []store.Part{
		permission.NewPermission(m.Message, p, workflow.PermitFile, ap.Session().Revision),
		ticket.Order(draft),
		consent.Decision{
			What:      workflow.DecideFile,
			Allowed:   true,
			Reason:    draft.Place + ": " + draft.Key,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  ap.Session().Revision,
		},
	}
}

// offerText returns what the thread is told of a draft that is only shown.
func offerText(draft ticket.Draft, why string) *workflow.Text {
	var t workflow.Text
	t.Vouch(fmt.Sprintf("Shall I file this at `%s`? %s. Press the button, or reply \"file it\" once more.",
		draft.Place, why))
	t.Add(plaintext.QuoteLine(plaintext.CutLine(draft.Title, 100)))
	return &t
}

// offerParts returns the parts that show what would be filed, and where.
func (ap *Approvals) offerParts(m intent.Message, draft ticket.Draft, why string) []store.Part {
	buttons := []workflow.Button{
		{ActionID: workflow.ButtonFile, Label: "File it there", Value: store.NewToken(), Means: draft.Key},
		{
			ActionID: workflow.ButtonDetails, Label: "Show the text", Value: store.NewToken(),
			Means: draft.Title + "\n\n" + draft.Body,
		},
	}
	f := append(ap.Ignore(m), store.Lines(ap.ProgramText(*offerText(draft, why), buttons...)))
	return append(f, ticket.Offer(draft))
}

// FileButton returns the button that files the newest report, or none if there is no place for issues.
func (ap *Approvals) FileButton(ctx context.Context) []workflow.Button {
	s := ap.Session()
	r, known, err := ap.Catalog.Current(ctx)
	if err != nil || !known || s.Revision == 0 || s.Revision <= s.Voided ||
		r.IssuePlace(ap.Catalog.Trackers).Name == "" {
		return nil
	}
	return []workflow.Button{{
		ActionID: workflow.ButtonFile, Label: "File an issue", Value: store.NewToken(),
		Means: ticket.OfRevision(s.Revision),
	}}
}
