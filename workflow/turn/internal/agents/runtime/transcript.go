package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Transcript is one agent's transcript in the store. The parts that a tool call writes are recorded
// in the same transaction as the result of the call.
type Transcript struct {
	*Runtime
	task     int64
	Agent    agent.Agent
	messages []model.Message
}

func (r *Runtime) OpenTranscript(ctx context.Context, task int64, row agent.Agent) (*Transcript, error) {
	items, err := r.Store.Transcript(ctx, r.Session().ID, task)
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	j := &Transcript{Runtime: r, task: task, Agent: row}
	for _, item := range items {
		var m model.Message
		if err := json.Unmarshal(item, &m); err != nil {
			return nil, fmt.Errorf("transcript: %w", err)
		}
		j.messages = append(j.messages, m)
	}
	return j, nil
}

// Messages returns the conversation so far.
func (t *Transcript) Messages() []model.Message { return t.messages }

// Append records messages, together with the parts that belong to them, in one transaction.
func (t *Transcript) Append(ctx context.Context, e agent.Entry) error {
	parts, err := t.partsOf(e.Writes)
	if err != nil {
		return err
	}
	added := progress.Transcript{Task: t.task}
	messages := slices.Clone(e.Messages)
	for i := range messages {
		messages[i] = t.MaskMessage(messages[i])
		b, err := marshalMessage(&messages[i])
		if err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
		added.Items = append(added.Items, b)
	}
	used := store.Usage{
		USD:      e.Usage.USD,
		Tokens:   e.Usage.Input + e.Usage.Output,
		Unpriced: e.Usage.Unpriced,
	}
	if used.Tokens > 0 || used.USD > 0 {
		parts = append(parts, progress.AgentUsage{
			Task:   t.task,
			Input:  e.Usage.Input,
			Cached: e.Usage.Cached,
			Output: e.Usage.Output,
			USD:    used.USD,
		})
	}
	if t.task < 0 && used.USD > 0 {
		parts = append(parts, progress.InquiryCost{ID: -t.task, USD: used.USD})
	}
	if err := t.Record(ctx, append(parts, used, added)...); err != nil {
		return err
	}
	t.Metrics.Used(t.Agent.Name, t.Session().Repository, e.Usage)
	t.messages = append(t.messages, messages...)
	return nil
}

// partsOf returns the parts that a tool call writes. Commands and checks become parts of this
// transcript's task, since the tools of an Env know only what they printed.
func (t *Transcript) partsOf(writes []model.Write) (parts []store.Part, err error) {
	for _, w := range writes {
		switch w := w.(type) {
		case ledger.PartWrite:
			parts = append(parts, w.Part)
		case tool.CommandRun:
			parts = append(parts, store.Usage{Printed: w.Printed},
				progress.Command{
					Task:     max(t.task, 0),
					Number:   w.Number,
					Command:  w.Command,
					ExitCode: w.ExitCode,
					Output:   w.Output,
				})
		case tool.CheckRun:
			if t.task > 0 { // nothing asks what failed outside of a task
				built := !w.BuildRan || w.BuildOK
				parts = append(parts, progress.Check{Task: t.task, Built: built, Red: redNames(w.Result)})
			}
			parts = append(parts, store.Usage{Printed: w.Printed})
			if w.Number > 0 {
				numbered := progress.NumberedCheck{Task: max(t.task, 0), Number: w.Number, Output: w.Said}
				if w.Red() {
					numbered.ExitCode = 1
				}
				parts = append(parts, numbered)
			}
		default:
			return nil, fmt.Errorf("transcript: a tool asks to store a %T, which no transcript knows", w)
		}
	}
	return parts, nil
}

// redNames returns every name by which a proof may call a test that failed: its own name and that of the test
// that it is a case of, alone and after their group, and "of" its group. If tests failed and none of them has
// a name, they have one together.
func redNames(r result.Result) (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, t := range r.Tests {
		if t.Status != result.Failed {
			continue
		}
		add(t.Name)
		if t.Of != "" {
			add(t.Of)
		}
		if t.Group == "" {
			continue
		}
		add("of " + t.Group)
		if t.Broken == "" {
			add(t.Group + " " + t.Name)
		}
		if t.Of != "" {
			add(t.Group + " " + t.Of)
		}
	}
	if len(names) == 0 && r.TestsRan && !r.TestsOK && !r.EveryFailureNamed() && r.Missing.Tests == "" &&
		r.Stopped == "" {
		add("the tests")
	}
	return names
}

// marshalMessage returns the message as JSON and replaces m by the message that is read back from it.
// So a model is shown the same bytes before and after a restart; otherwise the cache of its endpoint
// would not match.
func marshalMessage(m *model.Message) ([]byte, error) {
	var b bytes.Buffer
	plain := json.NewEncoder(&b)
	plain.SetEscapeHTML(false)
	if err := plain.Encode(m); err != nil {
		return nil, err
	}
	item := bytes.TrimRight(b.Bytes(), "\n")
	*m = model.Message{}
	return item, json.Unmarshal(item, m)
}

// Splice judges the messages that came in meanwhile, and appends those that are for the agents.
func (t *Transcript) Splice(ctx context.Context) error {
	if err := t.Hear(ctx); err != nil {
		return err
	}
	unseen, err := t.Inbox().Unseen(ctx, t.task)
	if err != nil || len(unseen) == 0 {
		return err
	}
	named, err := t.Trees.FollowNamed(ctx, unseen)
	if err != nil {
		return err
	}
	linked, err := t.Links.Follow(ctx, unseen)
	if err != nil {
		return err
	}
	if named || linked {
		if unseen, err = t.Inbox().Unseen(ctx, t.task); err != nil {
			return err
		}
	}
	var messages []model.Message
	var said strings.Builder
	for _, m := range unseen {
		message, err := t.renderMessage(ctx, m, slices.Concat(t.messages, messages))
		if err != nil {
			return err
		}
		messages = append(messages, message)
		said.WriteString(m.Text + "\n")
	}
	known, err := t.Trees.AdvisoryFacts(ctx, said.String())
	if err != nil {
		return err
	}
	if known != "" {
		messages = append(messages, model.Message{Role: model.User, Text: known})
	}
	return t.Append(ctx, agent.Entry{
		Messages: messages,
		Writes:   ledger.Writes(progress.Transcript{Task: t.task, Seen: unseen[len(unseen)-1].ID}),
	})
}

// AgentLine returns a line with the agent's own words.
func (t *Transcript) AgentLine(text string) store.Lines {
	return store.Lines{{Agent: t.Agent.Signature(), Text: text}}
}

// OwnLine returns a line with the agent's own words and, below them, what the program knows if they claim
// what only the program may say. Such words are refused the first time.
func (t *Transcript) OwnLine(
	ctx context.Context, words string,
) (line store.Lines, err error) {
	known, err := t.CheckWords(ctx, t.Agent.Signature(), words)
	return ledger.VouchBelow(t.AgentLine(words), known), err
}

// ProgramLine returns a line that the program says of the agent, in the agent's name.
func (t *Transcript) ProgramLine(text string) store.Lines {
	return store.Lines{{Agent: t.Agent.Signature(), Text: text, Vouched: []int{0}}}
}

// ProgressLine returns a line signed by the agent that only reports progress.
func (t *Transcript) ProgressLine(text workflow.Text) store.Lines {
	return store.Lines{{
		Agent: t.Agent.Signature(), Text: text.String(), Vouched: text.Vouched(), Progress: true,
	}}
}

// Say is the function of the tool say.
func (t *Transcript) Say(ctx context.Context, message string) (model.Result, error) {
	return t.SayLine(ctx, t.Agent, message)
}

// SayLine returns the result of the tool say, which is the same for every agent.
func (r *Runtime) SayLine(ctx context.Context, a agent.Agent, message string) (model.Result, error) {
	message = strings.TrimSpace(message)
	if message == "" {
		return prompt.Wrong("say needs a message: one or two sentences."), nil
	}
	text, err := r.OwnWords(ctx, a.Signature(), message)
	if err != nil {
		return prompt.Refused(err)
	}
	return ledger.WithParts(
		model.Result{Text: "It goes to the thread."},
		store.Lines{{Agent: a.Signature(), Text: text.String(), Vouched: text.Vouched(), Progress: true}},
	), nil
}

// renderMessage returns a person's message as the model reads it: the author's name, and the text
// fenced as data, with names in place of ids. What the program itself says about the message, and what
// was attached to it, is outside the fence. before is the conversation so far.
func (r *Runtime) renderMessage(
	ctx context.Context, m workflow.Message, before []model.Message,
) (model.Message, error) {
	text, err := r.Attachments.CompleteMention(ctx, m)
	if err != nil {
		return model.Message{}, err
	}
	message := model.Message{Role: model.User, From: m.User, Text: prompt.ProgramMark + m.AgentText}
	if m.AgentText == "" {
		message.Text = fmt.Sprintf("%s wrote in the thread:\n%s", r.PersonName(ctx, m.User),
			prompt.Fence("message", r.Slack.Readable(ctx, text)))
	}
	if sent := r.sentText(ctx, m, before); sent != "" {
		message.Text += "\n" + sent
	}
	of := map[string]bool{m.TS: m.Kind == workflow.MessageMention ||
		m.Kind == workflow.MessageReply || m.Kind == workflow.MessageSent}
	adopted, err := r.Inbox().Adopted(ctx, m.ID)
	if err != nil {
		return model.Message{}, err
	}
	for _, ts := range adopted {
		of[ts] = true
	}
	if len(of) == 1 && !of[m.TS] {
		return message, nil
	}
	more, pictures, err := r.Attachments.Describe(ctx, "Attached to it", of)
	if more != "" {
		message.Text += "\n\n" + more
	}
	message.Pictures = pictures
	return message, err
}

// sentText says when a person or an app wrote a message or did something, in UTC and on the person's clock,
// or returns an empty string for what the program itself tells agents. It names the person's zone unless the
// conversation before does. It is written once, with the message.
func (r *Runtime) sentText(ctx context.Context, m workflow.Message, before []model.Message) string {
	at := m.At
	by := m.User
	switch m.Kind {
	case workflow.MessageTold, workflow.MessageDue:
		return ""
	case workflow.MessageSent:
		by = m.Value // the message is that person's
		fallthrough
	case workflow.MessageMention, workflow.MessageReply, workflow.MessageAlert:
		if posted, ok := workflow.PostedAt(m.TS); ok {
			at = posted
		}
	}
	if at.IsZero() {
		return ""
	}
	zone := r.Slack.Zone(ctx, by)
	text := prompt.ProgramMark + "Sent " + prompt.ShortWhen(at, zone)
	if zone != nil {
		name := r.PersonName(ctx, by)
		if clock := prompt.Clock(name, at, zone); clock != "" && !prompt.KnowsClock(before, name, clock) {
			text += "; " + clock
		}
	}
	return text + "."
}
