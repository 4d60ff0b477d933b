package objection

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Void is what an edit or a deletion did to the approving message.
type Void struct {
	Objection consent.Objection
	Ends      []store.Part // the words of the message, which do not count any more
	Pending   bool         // what they are for was not approved by enough people yet, so nobody objects
	Pushed    bool         // the approval was used up before that
	Text      string       // in one sentence, without what follows from it
}

// Parts returns what is recorded of it.
func (v *Void) Parts() []store.Part {
	if v.Pending {
		return v.Ends
	}
	return append([]store.Part{v.Objection}, v.Ends...)
}

// OfApproval returns what an edit or deletion does to an approval, or nil if it voids none. An edit that
// permits what the message permitted when it was judged changes nothing, nor does it bring back an approval
// that is void.
func (o *Objections) OfApproval(ctx context.Context, m intent.Message, p workflow.Person) (*Void, error) {
	if m.TS == "" {
		return nil, nil
	}
	words, err := o.Store.EndorsementsBy(ctx, o.Session().ID, m.TS)
	if err != nil {
		return nil, err
	}
	a, err := o.Store.ApprovalByMessage(ctx, o.Session().ID, m.TS)
	if err != nil || a == nil && len(words) == 0 {
		return nil, err
	}
	v := &Void{Pending: a == nil}
	given := ""
	if v.Pending {
		a = &workflow.Approval{Revision: words[0].Revision}
	} else {
		given = a.Permission
	}
	if len(words) > 0 {
		given = words[0].Permission
	}
	how := workflow.ObjectionByEdit
	end := workflow.EndorsementEdited
	if m.Kind == workflow.MessageDelete {
		how = workflow.ObjectionByDeletion
		end = workflow.EndorsementDeleted
	} else if same, err := o.permitsSame(ctx, given, m); err != nil || same {
		return nil, err
	}
	v.Ends = []store.Part{consent.EndorsementEnd{Endorsements: words, Why: end}}
	v.Objection = o.objection(ctx, m, p, a, how)
	v.Text = workflow.Objection(v.Objection).String() + "."
	if v.Pending {
		return v, nil
	}
	if v.Pushed, err = o.ApprovalPushed(ctx, a); err != nil || v.Pushed {
		return v, err
	}
	if a.Revision != o.Session().Revision { // a newer report took it away before
		return nil, nil
	}
	return v, nil
}

// permitsSame reports whether an edited message, which gave that permission, still permits what it permitted.
// A request by which its work was approved is corrected by an edit.
func (o *Objections) permitsSame(ctx context.Context, given string, m intent.Message) (bool, error) {
	if asked, err := o.ByAsking(ctx, given); err != nil || asked {
		return asked, err
	}
	written, _, err := o.Inbox().Written(ctx, m.TS)
	return o.Words.Read(written.Text).PermitsSame(m.Says), err
}

// Parts returns what follows from a void approval. told is what the agents are told of the edit, and empty if
// they are told nothing.
func (o *Objections) Parts(
	ctx context.Context, m intent.Message, v *Void, told string,
) ([]store.Part, error) {
	if v.Pushed {
		what, err := o.pushed(ctx)
		return o.Answer(m, v.Text+" It was pushed already: "+what), err
	}
	row, err := o.askedFor(ctx, m.TS)
	if err != nil {
		return nil, err
	}
	if row != nil {
		return o.partsOfOrder(m, v, *row), nil
	}
	follows, err := o.following(ctx, v)
	if err != nil {
		return nil, err
	}
	if v.Pending && m.Kind == workflow.MessageDelete {
		told = "" // agents were told nothing of it
	}
	f := o.Ignore(m)
	if told != "" {
		f = o.ForAgents(m, told)
	}
	if o.Session().Phase == workflow.PhaseStopped { // only a new message lets the session go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	return append(append(f, v.Parts()...), store.Lines(o.ProgramLine(v.Text+" "+follows)),
		o.decided(m, workflow.Person{ID: v.Objection.User}, v.Text)), nil
}

// partsOfOrder returns what follows from an edit or a deletion of the message that asked for a backport, or
// for a push to a colleague's branch.
func (o *Objections) partsOfOrder(m intent.Message, v *Void, row backports.Row) []store.Part {
	to := plaintext.CodeSpan(row.Target())
	follows := "Nothing is pushed to " + to + "."
	switch row.State {
	case backports.Pushed:
		follows = "It was pushed already, to " + to + "."
	case backports.Intended:
		follows = "It is too late to stop the push to " + to + "."
	}
	f := append(o.Ignore(m), v.Ends...)
	return append(f, backports.Withdraw{MessageTS: m.TS}, store.Lines(o.ProgramLine(v.Text+" "+follows)),
		o.decided(m, workflow.Person{ID: v.Objection.User}, v.Text))
}

// following says what follows from a void approval: whether its push has begun, or what was done under it.
func (o *Objections) following(ctx context.Context, v *Void) (string, error) {
	if v.Pending {
		return "It does not count any more." +
			o.Approvals.Still(ctx, o.Session().Revision, v.Objection.User), nil
	}
	late, err := o.TooLate(ctx, v.Objection.Approval)
	if late != "" {
		return plaintext.Capitalize(late), nil
	} else if err != nil {
		return "", err
	}
	so, err := o.soFar(ctx)
	return so + "Nothing is pushed without a new approval.", err
}

// soFar says what was done under the standing approval: "1 of 2 tasks was done before that. ". It returns an
// empty string if nothing was.
func (o *Objections) soFar(ctx context.Context) (string, error) {
	tasks, err := o.Store.Tasks(ctx, o.Session().ID, "")
	if err != nil {
		return "", fmt.Errorf("what was done so far: %w", err)
	}
	done, begun := 0, 0
	for _, k := range tasks {
		switch k.State {
		case workflow.TaskDone:
			done++
			begun++
		case workflow.TaskOpen, workflow.TaskWorking:
			begun++
		}
	}
	switch {
	case begun == 0:
		return "", nil
	case done == 0:
		return "Work had begun. ", nil
	}
	return fmt.Sprintf("%d of %s had been done. ", done, plaintext.CountNoun(begun, "task")), nil
}

// Edited returns what agents are told of an edited message.
func (o *Objections) Edited(ctx context.Context, m intent.Message) string {
	return "A message of the thread was edited. It reads now:\n" +
		prompt.Fence("message", o.Slack.Readable(ctx, m.Text))
}
