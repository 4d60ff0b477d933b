package approval

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
)

// Move judges a request to go on in another channel, in words that name it or by the press of a button that
// shows the move with that number. Any full member may ask who is in both channels, unless the person's words
// are held back. From a private conversation the text is shown first, and the next word or press of a person
// who may approve moves the thread with exactly that text. Whoever is refused is told alone, in one line.
func (ap *Approvals) Move(
	ctx context.Context, m intent.Message, p workflow.Person, pressed string,
) ([]store.Part, error) {
	if parts, err := ap.Inbox().Parts(ctx); err != nil {
		return nil, err
	} else if len(parts) > 0 {
		return ap.refuseMove(m, p, "a thread with parts",
			"this thread changes several repositories, and stays here. Begin another one there."), nil
	}
	newest, err := ap.Store.NewestMove(ctx, ap.Session().ID)
	if err != nil {
		return nil, err
	}
	named := m.Says.MovesTo
	if pressed != "" {
		if newest == nil || strconv.Itoa(newest.Number) != pressed || newest.State != workflow.MoveOffered {
			return ap.refuseMove(m, p, "another move",
				"that question is not open any more. Say once more where to go on."), nil
		}
		named = newest.Channel
	}
	if reason, said, err := ap.whoMayNotMove(ctx, p); err != nil || said != "" {
		return ap.refuseMove(m, p, reason, said), err
	}
	to, reason, said, err := ap.moveTarget(ctx, p, named)
	if err != nil || said != "" {
		return ap.refuseMove(m, p, reason, said), err
	}
	if newest != nil && newest.State == workflow.MoveIntended {
		return ap.refuseMove(m, p, "being moved", "this is being moved to #"+newest.Name+"."), nil
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecideMove); f != nil || err != nil {
		return f, err
	}
	if ap.isPrivate(ctx) {
		return ap.moveFromPrivate(ctx, m, p, to, newest, pressed)
	}
	move, err := ap.newMove(ctx, to, newest, p)
	if err != nil {
		return nil, err
	}
	return ap.moveParts(ctx, m, p, move)
}

// NothingToMove tells a person alone that nothing is known in the thread yet.
func (ap *Approvals) NothingToMove(m intent.Message, p workflow.Person) []store.Part {
	return ap.refuseMove(m, p, "nothing ran here",
		"there is nothing here yet to go on with. Say first what it is about, there or here.")
}

// refuseMove tells a person alone why the thread does not move.
func (ap *Approvals) refuseMove(m intent.Message, p workflow.Person, reason, said string) []store.Part {
	return ap.Refuse(m, p, workflow.DecideMove, reason, said)
}

// whoMayNotMove returns why a person may not move the thread, and what the person is told; empty: the person
// may.
func (ap *Approvals) whoMayNotMove(
	ctx context.Context, p workflow.Person,
) (reason, said string, err error) {
	switch {
	case p.Guest:
		return "guests cannot move a thread", "guests cannot move a thread. Ask a full member to say it.", nil
	case p.Via != "":
		return "an app posted it", "an app posted that. Please write it yourself.", nil
	case !p.InThread:
		return "not a member of this channel", "only members of this channel can move the thread.", nil
	}
	why, err := ap.Permissions.HoldReason(ctx, p)
	if err != nil || why == "" {
		return "", "", err
	}
	said = "work is approved or stopped here, so only those who may approve it can move it (" + why + ")."
	return why, said, nil
}

// moveTarget returns the channel that was named, or why the thread does not go there and what the person is
// told.
func (ap *Approvals) moveTarget(
	ctx context.Context, p workflow.Person, named string,
) (to workflow.Channel, reason, said string, err error) {
	to, found, err := ap.Slack.Channel(ctx, named)
	if err != nil {
		ap.Log.Warn("a thread is not moved: cannot read the channel", "channel", named, "err", err)
		return to, "the channel could not be read",
			"Slack does not tell me about that channel at this moment. Please say it again.", nil
	}
	move := workflow.Move{Name: to.Name}
	switch {
	case !found && to.Name == "":
		return to, "the bot is not in that channel",
			"I am not in that channel. Invite me there, then say it again.", nil
	case !found, !to.Joined:
		return to, "the bot is not in that channel", move.Invite(), nil
	case to.Archived:
		return to, "an archived channel", "#" + to.Name + " is archived. Name another channel.", nil
	case to.ID == ap.Session().Thread.Channel:
		return to, "the same channel", "this thread is in #" + to.Name + " already.", nil
	}
	there := workflow.Thread{Team: ap.Session().Thread.Team, Channel: to.ID}
	who, err := ap.Slack.Person(ctx, there, p.ID)
	if err != nil {
		ap.Log.Warn("a thread is not moved: cannot read who is in the channel", "channel", to.ID, "err", err)
		return to, "the members could not be read", "Slack does not tell me who is in #" + to.Name +
			" at this moment. Please say it again.", nil
	}
	if !who.InThread {
		said = fmt.Sprintf("you are not in #%s. Join it and say it again, or ask somebody who is in both.",
			to.Name)
		return to, "not a member of that channel", said, nil
	}
	closed, err := ap.closedIn(ctx, to.ID)
	if err == nil && closed != "" {
		said = fmt.Sprintf("the repository %s is only for threads of its own channels, "+
			"and #%s is none of them. My operator can add it under `channels`.",
			plaintext.OneLine(closed), to.Name)
		return to, "a repository of other channels", said, nil
	}
	return to, "", "", err
}

// closedIn returns the name of a repository that the session is or was about, or that its agents read, and
// that no thread of the channel may be about, or an empty string.
func (ap *Approvals) closedIn(ctx context.Context, channel string) (string, error) {
	s := ap.Session()
	names := slices.Concat([]string{s.Repository}, s.Before)
	if current, known, err := ap.Catalog.Current(ctx); err != nil {
		return "", err
	} else if known {
		names = append(names, current.Name)
	}
	read, err := ap.Store.RepositoriesRead(ctx, s.ID)
	for _, r := range read {
		names = append(names, r.Repository)
	}
	for _, r := range ap.Catalog.Repositories {
		if r.Private && slices.Contains(names, r.Name) && !slices.Contains(r.Channels, channel) {
			return r.Name, err
		}
	}
	return "", err
}

// moveFromPrivate moves a private thread with the words that it was shown, or shows them first.
func (ap *Approvals) moveFromPrivate(
	ctx context.Context, m intent.Message, p workflow.Person, to workflow.Channel, newest *workflow.Move,
	pressed string,
) ([]store.Part, error) {
	s := ap.Session()
	if no, may, err := ap.mayDecide(ctx, m, p, s.Revision, workflow.DecideMove); err != nil || !may {
		return no, err
	}
	shown := newest != nil && newest.State == workflow.MoveOffered && newest.Channel == to.ID &&
		newest.Revision == s.Revision
	switch {
	case pressed != "" && !shown:
		return ap.refuseMove(m, p, "another text",
			"more is known since that was shown. Say once more where to go on."), nil
	case shown && pressed == "":
		unread, err := ap.WrittenBeforeShown(ctx, m, func() (string, bool, error) {
			return ap.Store.PostedTS(ctx, s.ID, moveOffer(*newest).String())
		})
		if err != nil {
			return nil, err
		}
		shown = !unread
	}
	if shown {
		move := *newest
		move.UserName = p.Name
		return ap.moveParts(ctx, m, p, move)
	}
	move, err := ap.newMove(ctx, to, newest, p)
	if err != nil {
		return nil, err
	}
	buttons := []workflow.Button{{
		ActionID: workflow.ButtonMove, Label: "Go on there", Value: store.NewToken(),
		Means: strconv.Itoa(move.Number),
	}}
	return append(ap.Ignore(m), store.Replies(ap.ProgramText(*moveOffer(move), buttons...)),
		store.MoveOffered(move)), nil
}

// moveOffer returns what a private thread is told of what others would read.
func moveOffer(m workflow.Move) *workflow.Text {
	var t workflow.Text
	t.Vouch(fmt.Sprintf("Shall I go on in #%s? This conversation is private, and what I know from it is "+
		"known there from then on. Others would read there at once:", m.Name))
	t.Add(quoted(m.Text))
	t.Vouch(fmt.Sprintf("Press the button, or say once more \"continue in #%s\".", m.Name))
	return &t
}

// newMove returns the move to the channel, with the text by which the new thread begins.
func (ap *Approvals) newMove(
	ctx context.Context, to workflow.Channel, newest *workflow.Move, p workflow.Person,
) (move workflow.Move, err error) {
	s := ap.Session()
	move = workflow.Move{
		Number: 1, From: s.Thread, Channel: to.ID, Name: to.Name, Revision: s.Revision, UserName: p.Name,
	}
	if newest != nil {
		move.Number = newest.Number + 1
	}
	move.Link = ap.Slack.Permalink(workflow.Thread{Team: s.Thread.Team, Channel: to.ID, TS: workflow.LinkTS})
	move.Text, err = ap.movedText(ctx, to, p)
	return move, err
}

// moveParts returns the parts that move the thread.
func (ap *Approvals) moveParts(
	ctx context.Context, m intent.Message, p workflow.Person, move workflow.Move,
) ([]store.Part, error) {
	lost, err := ap.lostApprovals(ctx, workflow.Channel{ID: move.Channel, Name: move.Name})
	if err != nil {
		return nil, err
	}
	leaves := move.WhereItGoesOn()
	if ap.Session().Open {
		leaves += " What runs goes on there, too."
	}
	begin := ap.AgentLine(move.Text)[0]
	begin.Vouched = []int{0, 1}
	if begin.Buttons, err = ap.Store.ReportButtons(ctx, ap.Session().ID); err != nil {
		return nil, err
	}
	return append(ap.Ignore(m),
		store.MoveOrder{Move: move, Begin: begin, Leave: ap.ProgramLine(leaves + lost)[0]},
		permission.NewPermission(m.Message, p, workflow.PermitMove, ap.Session().Revision),
		consent.Decision{
			What:      workflow.DecideMove,
			Allowed:   true,
			Reason:    "to #" + move.Name,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  ap.Session().Revision,
		}), nil
}

// lostApprovals says whose approval of work that is not pushed does not hold in the other channel, or returns
// an empty string. Before the push everybody who approved is looked up there once more.
func (ap *Approvals) lostApprovals(ctx context.Context, to workflow.Channel) (string, error) {
	words, err := ap.wordsNotPushed(ctx)
	if err != nil || len(words) == 0 {
		return "", err
	}
	approvers, err := ap.Permissions.Approvers(ctx)
	if err != nil {
		return fmt.Sprintf(" Slack does not tell me who may approve in #%s, so the approval has to be given "+
			"anew there.", to.Name), nil
	}
	there := workflow.Thread{Team: ap.Session().Thread.Team, Channel: to.ID}
	var lost []string
	for _, e := range words {
		p, err := ap.Slack.Person(ctx, there, e.User)
		if err == nil && approvers.MayApprove(p) == "" || slices.Contains(lost, e.UserName) {
			continue
		}
		lost = append(lost, plaintext.OneLine(e.UserName))
	}
	if len(lost) == 0 {
		return "", nil
	}
	return fmt.Sprintf(" The approval of %s does not hold in #%s: somebody who may approve there has to "+
		"give it anew before anything is pushed.", plaintext.And(lost), to.Name), nil
}

// wordsNotPushed returns the words for the newest revision, if it is not pushed yet.
func (ap *Approvals) wordsNotPushed(ctx context.Context) ([]workflow.Endorsement, error) {
	s := ap.Session()
	a, err := ap.StandingApproval(ctx)
	if err != nil || a == nil {
		if err != nil {
			return nil, err
		}
		return ap.Pending(ctx)
	}
	words, err := ap.Store.Endorsements(ctx, s.ID, a.Revision, "")
	if len(words) == 0 {
		words = append(words, a.Inherited())
	}
	return words, err
}
