package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A journal is one agent's transcript in the store. What the agent's tools put down
// while a call runs is recorded in the transaction that records the call's result.
type journal struct {
	*Runtime
	task     int64
	agent    agent.Agent
	messages []model.Message
	put      []store.Part
}

func (r *Runtime) journal(ctx context.Context, task int64, row agent.Agent) (*journal, error) {
	items, err := r.Store.Transcript(ctx, r.Session().ID, task)
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	j := &journal{Runtime: r, task: task, agent: row}
	for _, item := range items {
		var m model.Message
		if err := json.Unmarshal(item, &m); err != nil {
			return nil, fmt.Errorf("transcript: %w", err)
		}
		j.messages = append(j.messages, m)
	}
	return j, nil
}

// Messages is the conversation so far.
func (j *journal) Messages() []model.Message { return j.messages }

// Append records messages together with what tools put down.
func (j *journal) Append(ctx context.Context, usd float64, messages ...model.Message) error {
	added := store.Transcript{Task: j.task}
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i] = j.shown(messages[i])
		b, err := kept(&messages[i])
		if err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
		added.Items = append(added.Items, b)
	}
	if err := j.Record(ctx, append(slices.Clone(j.put), store.Usage{USD: usd}, added)...); err != nil {
		return err
	}
	j.put = nil
	j.messages = append(j.messages, messages...)
	return nil
}

// kept is the message as it is stored, and makes it what is read back from there: a
// model is shown the same bytes before and after a restart, or its endpoint's cache of
// the conversation is lost.
func kept(m *model.Message) ([]byte, error) {
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

// Splice judges what came in and appends what is for the agents.
func (j *journal) Splice(ctx context.Context) error {
	if err := j.hear(ctx); err != nil {
		return err
	}
	unseen, err := j.Unseen(ctx, j.task)
	if err != nil || len(unseen) == 0 {
		return err
	}
	var messages []model.Message
	for _, m := range unseen {
		said, err := j.spoken(ctx, m)
		if err != nil {
			return err
		}
		messages = append(messages, said)
	}
	j.add(store.Transcript{Task: j.task, Seen: unseen[len(unseen)-1].ID})
	return j.Append(ctx, 0, messages...)
}

// add puts parts down.
func (j *journal) add(parts ...store.Part) { j.put = append(j.put, parts...) }

// say puts a line down, signed by the agent.
func (j *journal) say(text string, buttons ...workflow.Button) {
	j.add(store.Lines{{Agent: j.agent.Signature(), Text: text, Buttons: buttons}})
}

// reply puts a line down that makes a reply of its own.
func (j *journal) reply(text string, buttons ...workflow.Button) {
	j.add(store.Replies{{Agent: j.agent.Signature(), Text: text, Buttons: buttons}})
}

// ran puts down that the agent had a command run.
func (j *journal) ran(command string, exitCode int, output string, printed int64) {
	j.add(store.Usage{Printed: printed}, store.Command{Task: max(j.task, 0), Command: command, ExitCode: exitCode, Output: output})
}

// Say is the tool of that name, the same for every agent.
func (j *journal) Say(_ context.Context, message string) (model.Result, error) {
	message = strings.TrimSpace(message)
	if message == "" {
		return wrong("say needs a message: one or two sentences."), nil
	}
	j.say(message)
	return model.Result{Text: "Posted."}, nil
}

// personCalled is what agents call a person: the id where there is no name.
func (l *Ledger) personCalled(ctx context.Context, user string) string {
	if p, err := l.Slack.Person(ctx, l.Session().Thread, user); err == nil && p.Name != "" {
		return called(p.Name)
	}
	return called(user)
}

// spoken is a person's message as the model reads it: who said it, and the text fenced
// as data, with names for ids. What the program itself says about it stands outside the
// fence, and so does what was attached.
func (r *Runtime) spoken(ctx context.Context, m workflow.Message) (model.Message, error) {
	text, err := r.Attachments.reread(ctx, m)
	if err != nil {
		return model.Message{}, err
	}
	said := model.Message{Role: model.User, From: m.User, Text: programMark + m.Shown}
	if m.Shown == "" {
		said.Text = fmt.Sprintf("%s wrote in the thread:\n%s", r.personCalled(ctx, m.User), fence("message", r.Slack.Readable(ctx, text)))
	}
	of := map[string]bool{m.TS: m.Kind == workflow.IncomingMention || m.Kind == workflow.IncomingReply}
	adopted, err := r.Adopted(ctx, m.ID)
	if err != nil {
		return model.Message{}, err
	}
	for _, ts := range adopted {
		of[ts] = true
	}
	if len(of) == 1 && !of[m.TS] {
		return said, nil
	}
	more, pictures, err := r.Attachments.attached(ctx, "Attached to it", of)
	if more != "" {
		said.Text += "\n\n" + more
	}
	said.Pictures = pictures
	return said, err
}

func wrong(format string, args ...any) model.Result {
	return model.Result{Wrong: true, Text: fmt.Sprintf(format, args...)}
}
