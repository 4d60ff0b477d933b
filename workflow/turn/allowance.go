package turn

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// mostNamed is how many paths of a change are named in a message.
const mostNamed = 20

// decides are the paths of a change that decide more than what the code does, in words.
func decides(changes []diff.Change) []string {
	var said []string
	for _, c := range changes {
		words := c.Decides()
		if words == "" {
			continue
		}
		path := "`" + strings.ReplaceAll(strings.Trim(strconv.Quote(c.Path), `"`), "`", "'") + "`"
		if c.Mode != "" {
			path += " (" + c.Mode + ")"
		}
		said = append(said, fmt.Sprintf("%s, %s: it %s", path, c.Kind, words))
	}
	if more := len(said) - mostNamed; more > 0 {
		said = append(said[:mostNamed], "and "+count(more, "more file")+" like these; the diff has them")
	}
	return said
}

// allowed: a change that decides more than what the code does is pushed only on a person's
// word, given on exactly these files. Where there is none the thread is asked, and the turn
// ends with the result.
func (d *Delivery) allowed(ctx context.Context, j *journal, a *workflow.Approval, tree string, proof proof.Proof, changes []diff.Change) (given *workflow.Allowance, ends *model.Result, err error) {
	named := decides(changes)
	if len(named) == 0 {
		return nil, nil, nil
	}
	w, err := d.Store.Allowance(ctx, a.ID, tree)
	if err != nil {
		return nil, nil, fmt.Errorf("read what was allowed: %w", err)
	}
	if w != nil && w.User != "" {
		return w, nil, nil
	}
	if w == nil {
		w = &workflow.Allowance{ID: store.NewToken(), Approval: a.ID, Tree: tree}
	}
	ready := "ready"
	if proof.Shown {
		ready += " and proven"
	}
	w.Names = fmt.Sprintf("The work is %s, and waits for a word of its own, because it changes more than code:\n  • %s\nNothing was pushed. Reply \"push it\" to allow exactly these files (tree %s), or say what is to be left out.",
		ready, strings.Join(named, "\n  • "), short(tree))
	j.add(store.Allowance(*w))
	j.reply(w.Names,
		workflow.Button{ActionID: "push_it", Label: "Push it", Style: "primary", Value: store.NewToken(), Means: w.ID},
		workflow.Button{ActionID: "correct", Label: "Correct…", Value: store.NewToken()},
		workflow.Button{ActionID: "stop", Label: "Stop", Style: "danger", Value: store.NewToken()})
	j.add(store.Update{Events: []workflow.Event{workflow.EventPause}})
	j.add(store.Update{Open: no})
	return nil, &model.Result{Ends: true, Text: "Not pushed: the change decides more than what the code does, so the thread was asked for a word of its own. Wait for it.\n" + strings.Join(named, "\n")}, nil
}

// waiting is the word that the thread was asked for and did not give yet; nil where there
// is none.
func (ap *Approvals) waiting(ctx context.Context) (*workflow.Allowance, error) {
	if ap.Session().Phase != workflow.PhasePaused {
		return nil, nil
	}
	a, err := ap.approval(ctx)
	if err != nil || a == nil {
		return nil, err
	}
	w, err := ap.Store.Allowance(ctx, a.ID, "")
	if err != nil || w == nil || w.User != "" {
		return nil, err
	}
	return w, nil
}

// allow takes the word that lets a push go out; it is judged like an approval. id is of the
// button; empty for words, which have to stand below the question.
func (ap *Approvals) allow(ctx context.Context, m workflow.Message, p workflow.Person, id string) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) { return ap.refuse(m, p, "push", reason, said), nil }
	reason, approvers, err := ap.Permissions.mayNotApprove(ctx, p)
	if err != nil {
		return ap.unknown(m, err)
	}
	if reason != "" {
		return refused(reason, fmt.Sprintf("%s, I cannot take your word on this push: %s. %s", p.Name, reason, approvers.Who()))
	}
	w, err := ap.waiting(ctx)
	switch {
	case err != nil:
		return nil, err
	case w == nil:
		return refused("no push waits", "No push waits for a word at this moment.")
	case id != "" && id != w.ID:
		return refused("older files", "Those files changed since. Please answer the newest question.")
	}
	if unread, err := ap.unread(ctx, m, func() (string, bool, error) { return ap.Store.Shown(ctx, ap.Session().ID, w.Names) }); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the question was shown", "That was written before I asked about these files. Please read it, and answer again.")
	}
	f := ap.forAgents(m, fmt.Sprintf("%s allowed the push of exactly these files. Change nothing, and call finish again.", called(p.Name)))
	f = append(f, store.Lines(ap.program(fmt.Sprintf("Push allowed by %s.", p.Name))))
	w.User, w.UserName, w.MessageTS = p.ID, p.Name, m.TS
	f = append(f, store.Allowance(*w))
	f = append(f, permission(m, p, workflow.PermitPush, ap.Session().Revision))
	f = append(f, store.Decision{What: "push", Allowed: true, Reason: "tree " + w.Tree, User: p.ID, MessageTS: m.TS, Revision: ap.Session().Revision})
	return f, nil
}

// notApproved is what the orchestrator is told where the store refused the push itself.
func notApproved(err error) (model.Result, error) {
	if !errors.Is(err, store.ErrNotApproved) {
		return model.Result{}, err
	}
	return wrong("Refused: what would be pushed is not what was approved: the base, the report or the branch is another by now. Report again, and wait for the thread's word."), nil
}
