package approval

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// PendingDisclosure returns the question how a push from this private thread is worded, if it waits, or nil.
// It waits as a question about a push does; see PendingAllowance.
func (ap *Approvals) PendingDisclosure(ctx context.Context) (*workflow.Disclosure, error) {
	s := ap.Session()
	rests := !s.Open && (s.Phase == workflow.PhaseWorking || s.Phase == workflow.PhaseAnswered)
	if s.Halted != "" || s.Phase != workflow.PhasePaused && !rests {
		return nil, nil
	}
	d, err := ap.Store.AskedDisclosure(ctx, s.ID)
	if err != nil || d == nil || d.Choice != workflow.DisclosureOpen {
		return nil, err
	}
	return d, nil
}

// Disclose judges a message or press that says how a push from a private thread is worded. It is judged like
// an approval. pressed is the id of the question that the button is for; it is empty for a message.
func (ap *Approvals) Disclose(
	ctx context.Context, m intent.Message, p workflow.Person, pressed string,
	choice workflow.DisclosureChoice,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecidePush, reason, said), nil
	}
	no, may, err := ap.mayDecide(ctx, m, p, ap.Session().Revision, workflow.DecidePush)
	if err != nil || !may {
		return no, err
	}
	d, err := ap.PendingDisclosure(ctx)
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		asked, err := ap.Store.AskedDisclosure(ctx, ap.Session().ID)
		if err != nil {
			return nil, err
		}
		open := asked != nil && asked.Choice == workflow.DisclosureOpen
		return refused(whyNoPushWaits(ap.Session(), open))
	case pressed != "" && pressed != d.ID:
		return refused("older words",
			"What would be pushed changed since. Please answer the newest question.")
	case choice == workflow.DisclosureOpen:
		return refused("it does not say which", "Nothing was pushed: this conversation is private, and "+
			"others could read what I showed. Reply \"push it so\", or \"push it without the thread's "+
			"words\".")
	}
	posted := func() (string, bool, error) { return ap.Store.PostedTS(ctx, ap.Session().ID, d.Shown) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, posted); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the question was shown",
			"That was written before I showed what would be pushed. Please read it, and answer again.")
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecidePush); f != nil || err != nil {
		return f, err
	}
	return ap.disclosureParts(ctx, m, p, *d, choice)
}

// disclosureParts returns the parts that answer the question. Without the thread's words, a branch that was
// not pushed yet gets a name without them, too.
func (ap *Approvals) disclosureParts(
	ctx context.Context, m intent.Message, p workflow.Person, d workflow.Disclosure,
	choice workflow.DisclosureChoice,
) ([]store.Part, error) {
	said := fmt.Sprintf("I push exactly these words, as %s asked. That holds for later pushes from this "+
		"thread, too.",
		p.Name)
	f := ap.ForAgents(m, fmt.Sprintf("%s decided how the push is worded; the program words it so. Change "+
		"nothing, and call finish again.", prompt.PersonName(p.Name)))
	if choice == workflow.DisclosureNeutral {
		said = fmt.Sprintf("I push it without this thread's words, as %s asked. That holds for later pushes "+
			"from this thread, too.", p.Name)
		branch, err := ap.Catalog.BranchWithoutWords(ctx)
		if err != nil {
			return nil, err
		}
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Branch = branch }})
	}
	d.Choice = choice
	d.User = p.ID
	d.UserName = p.Name
	d.MessageTS = m.TS
	return append(f, store.Lines(ap.ProgramLine(said)), consent.Disclosure(d),
		permission.NewPermission(m.Message, p, workflow.PermitPush, ap.Session().Revision),
		consent.Decision{
			What:      workflow.DecidePush,
			Allowed:   true,
			Reason:    "tree " + d.Tree + ", words: " + string(choice),
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  ap.Session().Revision,
		}), nil
}
