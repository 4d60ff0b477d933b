package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// A desk is where an agent that only reads sits: one inquiry. Its transcript is kept under
// the inquiry's number below zero, beside those of tasks.
type desk struct {
	*Inquiries
	journal *journal
	inquiry workflow.Inquiry
	hunks   []diff.Hunk
}

// Say puts a line in the thread.
func (d *desk) Say(ctx context.Context, message string) (model.Result, error) {
	return d.journal.Say(ctx, message)
}

// inquire asks an agent that only reads and waits for its answer. One that was asked
// before, under the same key, is not asked again. An empty answer means that there is none.
func (iq *Inquiries) inquire(ctx context.Context, q workflow.Inquiry, shown string, hunks []diff.Hunk) (workflow.Inquiry, error) {
	kept, err := iq.kept(ctx, q)
	if err != nil || len(kept.Answer) > 0 {
		return kept, err
	}
	row := iq.Agents[chairs[kept.Kind]]
	j, err := iq.Runtime.journal(ctx, -kept.ID, row)
	if err != nil {
		return kept, err
	}
	d := &desk{Inquiries: iq, journal: j, inquiry: kept, hunks: hunks}
	if len(j.messages) == 0 {
		more, pictures, err := iq.Attachments.attached(ctx, "Attached in the thread", nil)
		if err != nil {
			return kept, err
		}
		text := strings.TrimRight(iq.Trees.facts()+"\n\n"+shown+"\n\n"+more, "\n")
		if err := j.Append(ctx, 0, model.Message{Role: model.User, Text: text, Pictures: pictures}); err != nil {
			return kept, err
		}
	}
	tools, err := d.tools()
	if err != nil {
		return kept, err
	}
	end, err := iq.Runtime.loop(ctx, row, j, tools).Run(ctx)
	if err != nil {
		return kept, err
	}
	if end != agent.EndTool {
		iq.log.Warn("no answer to an inquiry", "kind", kept.Kind, "end", end)
		d.inquiry.Answer = json.RawMessage(`{}`)
		return d.inquiry, iq.Record(ctx, store.Inquiry(d.inquiry))
	}
	return d.inquiry, nil
}

// chairs say which agent answers what.
var chairs = map[workflow.InquiryKind]string{
	workflow.InquiryConsult: agent.Consultant, workflow.InquiryExplain: agent.Explainer, workflow.InquiryScope: agent.Reviewer,
}

// kept is the inquiry's row. Where there is none under its key it is made, together with
// what is said and done because of it: both happen once.
func (iq *Inquiries) kept(ctx context.Context, q workflow.Inquiry, with ...store.Part) (workflow.Inquiry, error) {
	for range 2 {
		all, err := iq.Store.Inquiries(ctx, iq.Session().ID)
		if err != nil {
			return q, err
		}
		for _, known := range all {
			if known.Key == q.Key {
				return known, nil
			}
		}
		if err := iq.Record(ctx, append(slices.Clone(with), store.Inquiry(q))...); err != nil {
			return q, err
		}
	}
	return q, errors.New("an inquiry was kept and is not there")
}

// tools are what the agent of this kind has: nothing that changes or runs anything.
func (d *desk) tools() ([]model.Tool, error) {
	var tools []model.Tool
	switch d.inquiry.Kind {
	case workflow.InquiryConsult:
		tools = append(agent.Advising(d, d.advise), d.Runtime.skillTool())
	case workflow.InquiryExplain:
		tools = agent.Explaining(d.explain)
	case workflow.InquiryScope:
		tools = agent.Reviewing(d.judge)
	}
	tree := d.Trees.here().look
	if work := d.Trees.here().work; work != nil {
		tree = work
	}
	bench, err := d.Runtime.benchOver(tree, func() error { return errors.New("you only read") }, nil)
	if err != nil {
		return nil, err
	}
	return append(tools, tool.Reading(bench)...), nil
}

// answer puts the typed answer down; it is recorded with the call's result.
func (d *desk) answer(v any) (model.Result, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return model.Result{}, fmt.Errorf("inquiry: %w", err)
	}
	d.inquiry.Answer = b
	d.journal.add(store.Inquiry(d.inquiry))
	return model.Result{Text: "Taken down.", Ends: true}, nil
}

func (d *desk) advise(_ context.Context, a workflow.Advice) (model.Result, error) {
	if missing := a.Missing(); missing != "" {
		return wrong("advise: %s.", missing), nil
	}
	d.journal.say(a.Text())
	return d.answer(a)
}

func (d *desk) explain(ctx context.Context, e agent.Explanation) (model.Result, error) {
	var numbers []int
	for _, h := range e.Hunks {
		numbers = append(numbers, h.Number)
	}
	if missing := d.unnamed(numbers); missing != "" {
		return wrong("explain_diff: %s.", missing), nil
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(e.Summary))
	slices.SortFunc(e.Hunks, func(x, y agent.HunkWord) int { return x.Number - y.Number })
	for _, h := range e.Hunks {
		fmt.Fprintf(&b, "\n%d. %s: %s", h.Number, hunkPlace(d.hunks[h.Number-1]), plaintext.OneLine(h.Why))
	}
	said := workflow.Line{Agent: d.journal.agent.Signature(), Text: b.String()}
	if intent.AsksForDiff(d.inquiry.Question) {
		diff, err := d.Trees.here().work.Diff(ctx)
		if err != nil {
			return model.Result{}, err
		}
		said.Files = []workflow.File{{Name: "change.diff", Title: "The change", Text: cutTo(diff, maxDiffFile), Snippet: "diff"}}
	}
	d.journal.add(store.Lines{said})
	return d.answer(e)
}

// maxDiffFile is how much of a diff people are sent; Slack shows no more of a snippet.
const maxDiffFile = 900 << 10

func (d *desk) judge(_ context.Context, v agent.Judgement) (model.Result, error) {
	var numbers []int
	for _, h := range v.Hunks {
		numbers = append(numbers, h.Number)
	}
	if missing := d.unnamed(numbers); missing != "" {
		return wrong("judge_hunks: %s.", missing), nil
	}
	return d.answer(v)
}

// unnamed says which hunks an answer leaves out or makes up.
func (d *desk) unnamed(numbers []int) string {
	named := map[int]bool{}
	for _, n := range numbers {
		if n < 1 || n > len(d.hunks) {
			return fmt.Sprintf("there is no hunk %d; they are 1 to %d", n, len(d.hunks))
		}
		if named[n] {
			return fmt.Sprintf("hunk %d is named twice", n)
		}
		named[n] = true
	}
	for n := 1; n <= len(d.hunks); n++ {
		if !named[n] {
			return fmt.Sprintf("hunk %d is not named; every one has to be, 1 to %d", n, len(d.hunks))
		}
	}
	return ""
}

func hunkPlace(h diff.Hunk) string {
	place := h.Path
	if h.NewStart > 0 {
		place += fmt.Sprintf(":%d", h.NewStart)
	}
	return fmt.Sprintf("`%s` +%d −%d", place, h.Added, h.Removed)
}

// maxHunks is how much of a diff an agent is shown.
const maxHunks = 60 << 10

// hunkText is the diff, cut into its numbered hunks, as agents read it.
func hunkText(hunks []diff.Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		text := h.Text
		if left := maxHunks - b.Len(); len(text) > left {
			text = strings.ToValidUTF8(text[:max(left, 0)], "") + "\n… (cut; read the file)"
		}
		fmt.Fprintf(&b, "Hunk %d, %s (%s):\n%s\n", h.Number, h.Path, h.Kind, strings.TrimRight(text, "\n"))
	}
	return b.String()
}

// pending reports whether a person's question to such an agent waits.
func (iq *Inquiries) pending(ctx context.Context) (bool, error) {
	open, err := iq.open(ctx)
	return len(open) > 0, err
}

// open are the inquiries of people without an answer.
func (iq *Inquiries) open(ctx context.Context) ([]workflow.Inquiry, error) {
	all, err := iq.Store.Inquiries(ctx, iq.Session().ID)
	return slices.DeleteFunc(all, func(q workflow.Inquiry) bool {
		return len(q.Answer) > 0 || !strings.HasPrefix(q.Key, "message:")
	}), err
}

// dropInquiries: a stop ends them, too.
func (iq *Inquiries) dropInquiries(ctx context.Context) error {
	open, err := iq.open(ctx)
	if err != nil {
		return err
	}
	for _, q := range open {
		q.Answer = json.RawMessage(`{}`)
		if err := iq.Record(ctx, store.Inquiry(q)); err != nil {
			return err
		}
	}
	return nil
}

// beginAsides answers what people asked of agents that only read, beside the work.
func (iq *Inquiries) beginAsides(ctx context.Context) error {
	if iq.Trees.here() == nil {
		return nil
	}
	open, err := iq.open(ctx)
	if err != nil {
		return err
	}
	for _, q := range open {
		iq.mu.Lock()
		done := make(chan struct{})
		_, begun := iq.asides[q.ID]
		if !begun {
			iq.asides[q.ID] = done
		}
		iq.mu.Unlock()
		if !begun {
			go func() { defer close(done); iq.aside(ctx, q) }()
		}
	}
	return nil
}

// endAsides waits until all that was begun has ended.
func (iq *Inquiries) endAsides() {
	for waited := 0; ; {
		iq.mu.Lock()
		begun := slices.Collect(maps.Values(iq.asides))
		iq.mu.Unlock()
		if len(begun) == waited {
			return
		}
		for _, done := range begun {
			<-done
		}
		waited = len(begun)
	}
}

// aside answers one question of a person.
func (iq *Inquiries) aside(ctx context.Context, q workflow.Inquiry) {
	shown, hunks, err := iq.asked(ctx, q)
	if err == nil {
		q, err = iq.inquire(ctx, q, shown, hunks)
	}
	if ctx.Err() != nil {
		return // it is asked again when the session goes on
	}
	if diskWords(err) != "" {
		iq.halt(err)
		return
	}
	var limit *limitError
	if errors.As(err, &limit) && iq.Session().Open {
		return // the orchestrator pauses at the same limit; it is asked again after that
	}
	if err != nil {
		iq.log.Error("inquiry", "kind", q.Kind, "err", err)
		q.Answer = json.RawMessage(`{}`)
	}
	fact := iq.told(q)
	if _, tells := part[store.Told](fact); tells && iq.mayNotTell(ctx, q.By) {
		fact = without[store.Told](fact)
		change(fact, func(u *store.Update) { u.Open = nil }) // the thread has read it; approved work is not turned round by it
	}
	if limit != nil {
		fact = append(without[store.Lines](fact), store.Lines(iq.program("I did not look into that: "+limit.words(iq.Permissions.whoAllows(ctx))+" Then ask again.")))
	}
	if err := iq.Record(ctx, fact...); err != nil && ctx.Err() == nil {
		iq.log.Error("record an inquiry's answer", "err", err)
	}
}

// asked is what the agent is shown of a person's question.
func (iq *Inquiries) asked(ctx context.Context, q workflow.Inquiry) (string, []diff.Hunk, error) {
	question := programMark + iq.personCalled(ctx, q.By) + " asks in the thread:\n" + fence("message", iq.Slack.Readable(ctx, q.Question))
	if q.Kind == workflow.InquiryConsult {
		return iq.consultText(ctx, question), nil, nil
	}
	work := iq.Trees.here().work
	if work == nil {
		return "", nil, errors.New("there is no change to explain yet")
	}
	hunks, err := work.Hunks(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(hunks) == 0 {
		return "", nil, errors.New("nothing is changed yet")
	}
	parts := []string{question}
	if r, err := iq.Store.Report(ctx, iq.Session().ID, iq.Session().Revision); err == nil {
		parts = append(parts, programMark+"What was asked for and allowed:\n"+fence("report", forWorkers(r)))
		a, err := iq.Store.Approval(ctx, r.Session, r.Revision)
		if err != nil {
			return "", nil, err
		}
		if a != nil && a.Scope != "" {
			parts = append(parts, programMark+"The approval is limited to this, and nothing beyond it may change:\n"+fence("scope", a.Scope))
		}
	}
	added, removed := 0, 0
	for _, h := range hunks {
		added, removed = added+h.Added, removed+h.Removed
	}
	parts = append(parts, programMark+fmt.Sprintf("The change so far, +%d −%d lines. Your tools see the files with it.\n", added, removed)+fence("diff", hunkText(hunks)))
	return strings.Join(parts, "\n\n"), hunks, nil
}

// consultText is what the consultant is shown beside the question.
func (iq *Inquiries) consultText(ctx context.Context, question string) string {
	s := iq.Session()
	parts := []string{question}
	if r, err := iq.Store.Report(ctx, s.ID, s.Revision); err == nil {
		parts = append(parts, programMark+"The newest report or plan in the thread:\n"+fence("report", r.Text))
	} else if s.Title != "" {
		parts = append(parts, programMark+"The thread is about:\n"+fence("message", s.Title))
	}
	if work := iq.Trees.here().work; work != nil {
		if diff, err := work.Diff(ctx); err == nil && diff != "" {
			parts = append(parts, programMark+"What was changed so far:\n"+fence("diff", cutTo(diff, maxHunks)))
		}
	}
	return strings.Join(parts, "\n\n")
}

func cutTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "\n… (cut)"
}

// mayNotTell reports whether what an agent answered to that person must not reach the
// orchestrator: its words would be held back now, and so is what they led to.
func (iq *Inquiries) mayNotTell(ctx context.Context, user string) bool {
	p, err := iq.Slack.Person(ctx, iq.Session().Thread, user)
	if err != nil {
		return true // closed on error
	}
	why, err := iq.Permissions.heldBack(ctx, p)
	return why != "" || err != nil
}

// told is what follows from an answer: the orchestrator hears of a recommendation, and the
// session goes back to where it was.
func (iq *Inquiries) told(q workflow.Inquiry) []store.Part {
	f := []store.Part{store.Inquiry(q)}
	if q.Kind != workflow.InquiryConsult {
		if string(q.Answer) == "{}" {
			f = append(f, store.Lines(iq.program("I could not explain the change just now: there may be nothing to explain yet. Ask again in a moment.")))
		}
		return f
	}
	s := iq.Session()
	var update store.Update
	nothingElse := s.Revision == 0 && s.PreviousPhase == workflow.PhaseExploring && !s.Open
	if nothingElse {
		update.Maybe = []workflow.Event{workflow.EventAnswer}
	} else if s.Phase == workflow.PhaseConsulting {
		update.Maybe = []workflow.Event{workflow.EventReturn}
	}
	name := iq.Agents[agent.Consultant].Signature()
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
		f = append(f, store.Lines(iq.program(fmt.Sprintf("The %s gave no answer. Ask again, or say what I should look at.", name))))
		return append(f, update)
	}
	f = append(f, store.Told{Key: fmt.Sprintf("inquiry:%d", q.ID), By: q.By, Text: fmt.Sprintf(
		"The %s was asked from the thread: %s\nIts answer stands in the thread already:\n%s\nApply it to what you do, in a report or the work, and say so in a line; where nothing is to be done, not_for_me.",
		name, plaintext.OneLine(q.Question), fence("advice", advice.Text()))})
	if !nothingElse {
		update.Open = yes
		if s.Phase == workflow.PhaseConsulting && (s.PreviousPhase == workflow.PhaseReported || s.PreviousPhase == workflow.PhasePlanShown) {
			update.Maybe = append(update.Maybe, workflow.EventRequest)
		}
	}
	return append(f, update)
}
