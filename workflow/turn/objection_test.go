package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// An objectionCase is a person who takes a yes back, at a moment, in a way, with words.
type objectionCase struct {
	// bea approves; cem is a colleague, gus a guest, eve from another workspace, robot another bot
	who   string
	when  string
	how   string
	words string // of a message or an edit; the emoji of a reaction
	stops bool   // the words say to stop
	down  bool   // the program ends between what is done and its judgement
}

func (o objectionCase) String() string {
	return fmt.Sprintf("%s, %s: %s %q, down %v", o.who, o.when, o.how, o.words, o.down)
}

// heard reports whether the person may take part.
func (o objectionCase) heard() bool { return o.who != "eve" && o.who != "robot" }

// The moments at which somebody takes a yes back.
const (
	reportShown  = "the report waits"
	justApproved = "right after the approval"
	midWork      = "in mid-work"
	inProof      = "while the proof runs"
	pushAsked    = "while the push is asked about"
	afterPushed  = "after the push"
)

// The ways in which they do it. The last ones are without an event: the approval is judged late, or what they
// do is never told.
const (
	byMessage    = "message"
	byReaction   = "reaction"
	byRemoval    = "reaction, removed"
	byEdit       = "edit of the approval"
	byDeletion   = "deletion of the approval"
	oldFirst     = "edit, and the old event first"
	lostEdit     = "edit without an event"
	lostDeletion = "deletion without an event"
	lostReaction = "reaction without an event"
	lostPushEdit = "edit of the word for the push, without an event"
	lostPushGone = "deletion of the word for the push, without an event"
)

// objectionCases returns a sample that has each moment, way and person several times; with BOBBIN_EVERY, all
// of them with all words.
func objectionCases() (cases []objectionCase) {
	stopWords := []string{
		"no wait, don't", "STOP. That is the wrong file, do not push this.",
		"no wait, do not fix it, that is the wrong place", "please stop the work", "stop working on it",
		"stop please, the wrong file", "halt", "wait", "hold on", "stopp!", "halt, falsche Datei",
	}
	holdWords := []string{"wrong file", "no", "I don't think so", "that's not it", ":-1:"}
	emoji := []string{"x", "-1", "octagonal_sign", "no_entry"}
	moments := []string{reportShown, justApproved, midWork, inProof, pushAsked, afterPushed}
	n, pairs := 0, 0
	add := func(whos []string, whens []string, how string, words []string, stops bool) {
		for _, when := range whens {
			for _, who := range whos {
				if pairs++; !every && len(whos) > 1 && pairs%2 == 0 {
					continue
				}
				for i, w := range words {
					for _, down := range []bool{false, true} {
						if n++; every || i == n%len(words) && down == (n/7%2 == 0) {
							cases = append(cases, objectionCase{who, when, how, w, stops, down})
						}
					}
				}
			}
		}
	}
	everybody := []string{"bea", "cem", "gus", "eve", "robot"}
	approver := []string{"bea"}
	add(everybody, moments[1:], byMessage, stopWords, true)
	add(everybody, moments, byMessage, holdWords, false)
	add(everybody, moments, byReaction, emoji, false)
	add(everybody, moments[1:5], byRemoval, emoji, false)
	add(approver, moments[1:], byEdit, []string{"do not fix it", "stop"}, true)
	add(approver, moments[1:], byEdit, []string{"fix it in price only", "maybe", "fix it tomorrow"}, false)
	add(approver, moments[1:], byDeletion, []string{""}, false)
	add(approver, moments[:1], oldFirst, []string{"do not fix it", "fix it\nbut not in price"}, false)
	add(approver, moments[1:4], lostEdit, []string{"do not fix it", "fix it in price only"}, false)
	add(approver, moments[1:4], lostDeletion, []string{""}, false)
	add(everybody, moments[1:5], lostReaction, emoji, false)
	add(approver, moments[4:5], lostPushEdit, []string{"do not push it", "push it tomorrow"}, false)
	add(approver, moments[4:5], lostPushGone, []string{""}, false)
	return cases
}

// TestTheLastWordCounts plays the cases, and then once more without what keeps the work from being pushed:
// then each case in which it has to be kept is found.
func TestTheLastWordCounts(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for _, a := range o.actors {
		if a.kind == "another bot" {
			o.people["robot"] = a.user
		}
	}
	cases := objectionCases()
	for _, fault := range o.objects(t, cases, nil) {
		t.Error(fault)
	}
	kept := slices.DeleteFunc(slices.Clone(cases), func(c objectionCase) bool { return !c.keeps() })
	kept = kept[:min(len(kept), 20)]
	unguarded := func(ctx context.Context, th *thread) error {
		_, err := th.Store.Pool.Exec(ctx, `delete from objections where session_id = $1`, th.Session().ID)
		th.Orchestrator.Delivery.Recheck = func(context.Context, *workflow.Approval) error { return nil }
		return errors.Join(err,
			th.Record(ctx, store.Update{Change: func(s *workflow.Session) { s.Halted = "" }}))
	}
	require.Len(t, o.objects(t, kept, unguarded), len(kept),
		"without the guards each case is pushed against the last word")
}

// keeps reports whether nothing may be pushed after the case, by the specification.
func (o objectionCase) keeps() bool {
	return o.heard() && o.when != reportShown && o.when != afterPushed && o.how != byRemoval
}

// objects plays the cases, and returns a line for each whose outcome is wrong. control runs before the push.
func (o *office) objects(
	t *testing.T, cases []objectionCase, control func(context.Context, *thread) error,
) (faults []string) {
	t.Helper()
	var mu sync.Mutex
	var hands sync.WaitGroup
	queue := make(chan int)
	for range 4 {
		hands.Go(func() {
			for i := range queue {
				p := play{objectionCase: cases[i], o: o, control: control}
				if err := p.run(t.Context(), (1+i)*1000+len(cases)*1_000_000); err != nil {
					mu.Lock()
					faults = append(faults, cases[i].String()+": "+err.Error())
					mu.Unlock()
				}
			}
		})
	}
	for i := range cases {
		queue <- i
	}
	close(queue)
	hands.Wait()
	return faults
}

// A play plays one case in a thread of its own.
type play struct {
	objectionCase
	o       *office
	th      *thread
	runner  *Runner
	slack   changedSlack
	fix     string // ts of the message that approves
	control func(context.Context, *thread) error
}

// silent reports whether no event tells what the person does.
func (o objectionCase) silent() bool {
	return slices.Contains([]string{lostEdit, lostDeletion, lostReaction, lostPushEdit, lostPushGone}, o.how)
}

// changedSlack is a Slack in which some messages were edited, deleted or reacted to since.
type changedSlack struct {
	asKept
	deleted   map[string]bool
	reactions map[string][]workflow.Reaction // by the ts of the message
}

func (c changedSlack) Reactions(
	_ context.Context, _ workflow.Thread, ts string,
) ([]workflow.Reaction, error) {
	return c.reactions[ts], nil
}

func (c changedSlack) Reread(
	ctx context.Context, thread workflow.Thread, ts string,
) (string, []workflow.Attachment, bool, error) {
	if c.deleted[ts] {
		return "", nil, false, nil
	}
	return c.asKept.Reread(ctx, thread, ts)
}

// run plays the case. The messages of all cases are in one channel, so each has a time of its own.
func (p *play) run(ctx context.Context, clock int) error {
	p.slack = changedSlack{p.o.Slack.(asKept), map[string]bool{}, map[string][]workflow.Reaction{}}
	p.slack.edited = map[string]string{}
	p.runner = &Runner{
		Store:        p.o.Store,
		Slack:        p.slack,
		Log:          p.o.Log,
		Repositories: p.o.Repositories,
		Agents:       p.o.Agents,
	}
	th, err := p.runner.begin(ctx, workflow.Thread{
		Team:    "T1",
		Channel: p.o.channel,
		TS:      fmt.Sprintf("%d.0", clock),
	}, p.o.asker, "anybody", "the total is off")
	if err != nil {
		return err
	}
	p.th = th
	th.people = p.o.people
	th.clock = clock
	if err := p.until(ctx); err != nil {
		return err
	}
	before, err := p.said(ctx)
	if err != nil {
		return err
	}
	if err := p.act(ctx); err != nil {
		return err
	}
	said, err := p.said(ctx)
	if err != nil {
		return err
	}
	if err := p.checkSaid(said[len(before):]); err != nil {
		return err
	}
	return p.checkPush(ctx)
}

// until brings the thread to the moment.
func (p *play) until(ctx context.Context) error {
	th := p.th
	if _, err := reportWaits(ctx, th); err != nil {
		return err
	}
	if err := th.posted(ctx, th.tick()); err != nil || p.when == reportShown {
		return err
	}
	if err := p.approve(ctx); err != nil || p.when == justApproved {
		return err
	}
	switch p.when {
	case inProof:
		return th.Record(ctx, store.Update{Events: th.Session().Phase.EventsToVerify()})
	case pushAsked:
		_, err := p.finish(ctx, "more")
		return errors.Join(err, th.posted(ctx, th.tick()))
	case afterPushed:
		pushed, err := p.finish(ctx, "code")
		if err == nil && !pushed {
			err = errors.New("it was not pushed")
		}
		return errors.Join(err, th.Record(ctx, store.Update{Open: new(bool)}))
	}
	return nil
}

func (p *play) approve(ctx context.Context) error {
	p.fix = fmt.Sprintf("%d.0", 1101+p.th.clock)
	return p.th.says(ctx, "bea", "fix it")
}

// act does what the case is about, and has it judged.
func (p *play) act(ctx context.Context) error {
	th := p.th
	in := workflow.IncomingEvent{
		Kind: workflow.MessageReply,
		TS:   th.tick(),
		User: th.userID(p.who),
		Text: p.words,
	}
	switch p.how {
	case byReaction, byRemoval:
		in = workflow.IncomingEvent{
			Kind:     workflow.MessageReacted,
			TS:       p.reactedTo(ctx),
			User:     in.User,
			ActionID: workflow.ReactionAdded,
			Value:    p.words,
		}
	case byEdit:
		in.Kind = workflow.MessageEdit
		in.TS = p.fix
		p.slack.edited[p.fix] = p.words
	case byDeletion:
		in.Kind = workflow.MessageDelete
		in.TS = p.fix
		p.slack.deleted[p.fix] = true
	case lostEdit:
		p.slack.edited[p.fix] = p.words
		return nil
	case lostDeletion:
		p.slack.deleted[p.fix] = true
		return nil
	case lostReaction:
		p.slack.reactions[p.reactedTo(ctx)] = []workflow.Reaction{{Name: p.words, Users: []string{in.User}}}
		return nil
	case lostPushEdit, lostPushGone:
		return p.takeBackPush(ctx)
	case oldFirst:
		p.slack.edited[in.TS] = p.words
		in.Text = "fix it"
	}
	if err := p.receive(ctx, in); err != nil || p.how != byRemoval {
		return err
	}
	th.tick()
	in.ActionID = workflow.ReactionRemoved
	return p.receive(ctx, in)
}

// takeBackPush allows the push, and then changes the message that did. No event tells the change.
func (p *play) takeBackPush(ctx context.Context) error {
	word := fmt.Sprintf("%d.0", 1101+p.th.clock)
	if err := p.th.says(ctx, "bea", "push it"); err != nil {
		return err
	}
	if p.slack.deleted[word] = p.how == lostPushGone; !p.slack.deleted[word] {
		p.slack.edited[word] = p.words
	}
	return nil
}

// reactedTo returns the ts of the newest report.
func (p *play) reactedTo(ctx context.Context) (ts string) {
	s := p.th.Session()
	ts, _, _ = p.th.Store.ReportTS(ctx, s.ID, s.Revision)
	return ts
}

// receive has an event arrive and judged, by another process if the case says so.
func (p *play) receive(ctx context.Context, in workflow.IncomingEvent) error {
	if err := p.th.receive(ctx, in); err != nil {
		return err
	}
	if p.down {
		begun, err := p.runner.beginTurn(ctx, p.th.Session().ID)
		if err != nil {
			return err
		}
		p.th.turn = begun
	}
	return p.th.Judge.JudgeAll(ctx)
}

// said returns everything that the program has said in the thread, or to one person alone.
func (p *play) said(ctx context.Context) (said []string, err error) {
	rows, err := p.th.Store.Pool.Query(ctx,
		`select coalesce(l.text, o.ephemeral_line ->> 'Text', o.ephemeral)
		from outbox o left join lines l on l.id = o.line_id
		where o.session_id = $1 and (o.line_id is not null or o.ephemeral_to <> '') and o.rewrites is null
			order by o.id`,
		p.th.Session().ID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		said = append(said, text)
	}
	return said, rows.Err()
}

// checkSaid checks that the person was answered once, and what the answer says.
func (p *play) checkSaid(said []string) error {
	want := []string{"nothing is pushed before an approver has seen this"}
	switch {
	case p.how == lostPushEdit, p.how == lostPushGone:
		want = []string{"allowed"}
	case !p.heard(), p.silent(), p.how == byMessage && p.when == reportShown:
		// words below a report are for the agents
		want = nil
	case p.how == oldFirst:
		want = []string{"edited or deleted before I read it, so it permits nothing"}
	case p.when == reportShown:
		want = []string{"Nothing runs before somebody approves"}
	case p.when == afterPushed && p.how == byEdit, p.when == afterPushed && p.how == byDeletion:
		want = []string{"It was pushed already: `"}
	case p.when == afterPushed:
		want = []string{"it was pushed already: `"}
	case p.how == byRemoval:
		want = append(want, "took the objection back")
	case p.how == byEdit && p.stops:
		want = []string{"Stopped: "}
	case p.stops && p.who == "gus" && len(strings.Fields(p.words)) > 6:
		// The words say why, too, which agents may need.
		want = []string{"gus, this waits for an approver", "Stopped, as "}
	case p.stops:
		want = []string{"Stopped, as "}
	case p.how == byEdit, p.how == byDeletion:
		want = []string{"Nothing is pushed without a new approval."}
	}
	if len(said) != len(want) {
		return fmt.Errorf("said %q, and not %q", said, want)
	}
	for i := range want {
		if !strings.Contains(said[i], want[i]) {
			return fmt.Errorf("said %q, and not %q", said, want)
		}
	}
	return nil
}

// checkPush checks whether the work can be pushed, and that it can be pushed all the same by a word of its
// own.
func (p *play) checkPush(ctx context.Context) error {
	th := p.th
	if p.when == reportShown {
		if err := p.afterReport(ctx); err != nil || p.how == oldFirst {
			return err
		}
	}
	if p.when == afterPushed {
		pushes, err := th.Store.Pushes(ctx, th.Session().ID)
		if err == nil && len(pushes) != 1 {
			err = fmt.Errorf("%d pushes", len(pushes))
		}
		return err
	}
	if p.control != nil {
		if err := p.control(ctx, th); err != nil {
			return err
		}
	}
	tree, another := "code", "cem" // another may approve, and did not object
	if p.who == another {
		another = "bea"
	}
	if p.when == pushAsked {
		tree = "more"
	}
	if p.when == pushAsked && p.how == byRemoval { // the agents are told, and ask again
		if err := p.notPushed(ctx, tree); err != nil {
			return err
		}
	}
	answered := p.how == lostPushEdit || p.how == lostPushGone
	if p.when == pushAsked && !answered &&
		th.Session().Halted == "" { // the question from before the objection does not name it
		if err := th.press(ctx, th.userID(another), workflow.ButtonPush); err != nil {
			return err
		}
	}
	pushed, err := p.finish(ctx, tree)
	switch {
	case err != nil:
		return err
	case pushed == p.keeps():
		return fmt.Errorf("pushed: %v", pushed)
	case !p.keeps() || th.Session().Halted != "":
		return nil
	}
	if err := errors.Join(th.posted(ctx, th.tick()), th.says(ctx, another, "push it"), p.notPushed(ctx, tree),
		th.says(ctx, another, "push all the same")); err != nil {
		return err
	}
	if pushed, err = p.finish(ctx, tree); err == nil && !pushed {
		err = errors.New("it was not pushed all the same")
	}
	return err
}

func (p *play) notPushed(ctx context.Context, tree string) error {
	pushed, err := p.finish(ctx, tree)
	if err == nil && pushed {
		err = errors.New("it was pushed without a word of its own")
	}
	return errors.Join(err, p.th.posted(ctx, p.th.tick()))
}

// afterReport approves the report that waited, unless what was said before it was judged permits nothing.
func (p *play) afterReport(ctx context.Context) error {
	if a, err := p.th.StandingApproval(ctx); err != nil || a != nil {
		return errors.Join(err, errors.New("it was approved"))
	}
	if p.how == oldFirst {
		return nil
	}
	if p.th.Session().Open {
		if err := p.th.answers(ctx); err != nil {
			return err
		}
	}
	return p.approve(ctx)
}

// finish does what the end of the work does, and reports whether the work was pushed. A change of the tree
// "more" decides more than the code does.
func (p *play) finish(ctx context.Context, tree string) (pushed bool, err error) {
	th := p.th
	a, err := th.StandingApproval(ctx)
	if err != nil || a == nil || th.Session().Halted != "" {
		return false, err
	}
	if err := errors.Join(th.Orchestrator.Delivery.Recheck(ctx, a), th.Judge.JudgeAll(ctx)); err != nil {
		return false, err
	}
	changes := []diff.Change{{Path: "main.go", Kind: "modified"}}
	if tree == "more" {
		changes = append(changes, diff.Change{Path: "go.sum", Kind: "added"})
	}
	_, _, err = th.Orchestrator.Delivery.AskAllowance(ctx, a, tree, proof.Proof{Demonstrated: true}, changes)
	var asked *prompt.Refusal
	if err != nil && !errors.As(err, &asked) {
		return false, err
	}
	if asked != nil {
		s := th.Session()
		push := workflow.Push{
			Commit:     s.ID + tree,
			Tree:       tree,
			BaseCommit: s.BaseCommit,
			Branch:     s.Branch,
			Approval:   a.ID,
			State:      workflow.PushIntended,
		}
		if err := th.Record(ctx, partsOf(asked.Result)...); err != nil {
			return false, err
		}
		if err := th.Record(ctx, consent.Push(push)); !errors.Is(err, consent.ErrNotApproved) {
			return false, fmt.Errorf("the database took a push that waits for a word: %w", err)
		}
		return false, nil
	}
	push, err := th.intend(ctx, th.Session().ID+tree, tree)
	if err != nil {
		return false, err
	}
	return true, th.settle(ctx, push)
}
