package agent

import (
	"context"
	"errors"

	"github.com/bobbinhq/bobbin/workflow/agent/internal/compaction"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A ContextWindow keeps the conversation of a loop within the model's window. With the zero value
// the window is unknown, and the loop compacts the conversation only after the endpoint has
// answered that it is too long.
type ContextWindow struct {
	Tokens func(model string) int         // returns the window of a model in tokens; 0: unknown
	Fence  func(name, text string) string // marks text as data; nil: nothing is summarised
	// OnCompaction returns what to write with the entry that records a compaction. first is true at the first
	// compaction of a conversation. Folded may be nil.
	OnCompaction func(f model.Compaction, first bool) []model.Write

	ratio float64 // bytes per token in the newest answer; 0: no answer yet
	done  int     // bytes of a request after the last call of compactEarly
}

const (
	maxResult   = 200 << 10 // bytes of one tool result; the tools' own limits are lower
	fullWindow  = 0.85      // share of the window; a conversation above it is summarised before the next call
	usualRatio  = 3.5       // bytes per token before the first answer
	newestShare = 0.25      // share of the window for the newest entries, which stay unchanged
	recordShare = 0.6       // share of the window for the record that is to be summarised
)

// bytes returns the size of a request with these messages, in bytes.
func (l *Loop) bytes(shown []model.Message) int {
	n := compaction.Size(shown) + len(l.Agent.Prompt)
	for _, t := range l.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// answered updates the number of bytes per token from the usage of an answer.
func (l *Loop) answered(shown []model.Message, u model.Usage) {
	if u.Input > 0 {
		l.Window.ratio = min(max(float64(l.bytes(shown))/float64(u.Input), 1), 8)
	}
}

// windowBytes returns how many bytes fit into the model's window, or 0 if that is unknown.
func (l *Loop) windowBytes() int {
	if l.Window.Tokens == nil {
		return 0
	}
	ratio := l.Window.ratio
	if ratio == 0 {
		ratio = usualRatio
	}
	return int(float64(l.Window.Tokens(l.Agent.Model)) * ratio)
}

// compactEarly compacts before a model call whose request is probably too long. If that gained little, it
// does not try again until the request has grown by a tenth. It returns superseded if a person wrote a
// message meanwhile, which the loop has to read first.
func (l *Loop) compactEarly(ctx context.Context) (superseded bool, err error) {
	shown := l.bytes(compaction.View(l.Transcript.Messages()))
	window := l.windowBytes()
	if window == 0 || float64(shown) <= fullWindow*float64(window) || 10*shown <= 11*l.Window.done {
		return false, nil
	}
	if _, superseded, err = l.compact(ctx, true); !superseded {
		l.Window.done = l.bytes(compaction.View(l.Transcript.Messages()))
	}
	return superseded, err
}

// compact records that the model is shown less from now on, and returns made if it is. If sum is true, the
// older part is summarised, if that gains enough. Otherwise the long parts of the oldest entries are cut.
// compact returns superseded if a person wrote a message meanwhile, which the loop has to read first.
func (l *Loop) compact(ctx context.Context, sum bool) (made, superseded bool, err error) {
	messages := l.Transcript.Messages()
	entry := model.Message{}
	usage := model.Usage{}
	if sum {
		superseded, err = l.step(ctx, "", func(ctx context.Context) (err error) {
			entry, usage, err = l.sumUp(ctx, messages)
			return err
		})
		if err != nil || superseded {
			return false, superseded, err
		}
	}
	if entry.Compaction == nil {
		if entry, made = compaction.CutOldest(messages, l.Tools); !made {
			return false, false, l.Transcript.Append(ctx, Entry{Usage: usage})
		}
	}
	l.Log.Warn("the conversation is too long; the model is shown less of it", "agent", l.Agent.Name,
		"messages", len(messages), "summed_up", entry.Compaction.Upto,
		"cut", entry.Compaction.Cut, "bytes", entry.Compaction.Was, "since", entry.Compaction.Is)
	return true, false, l.Transcript.Append(ctx, Entry{
		Messages: []model.Message{entry},
		Writes:   l.onCompaction(*entry.Compaction, messages),
		Usage:    usage,
	})
}

func (l *Loop) onCompaction(f model.Compaction, before []model.Message) []model.Write {
	if l.Window.OnCompaction == nil {
		return nil
	}
	for _, m := range before {
		if m.Role == model.CompactionRole {
			return l.Window.OnCompaction(f, false)
		}
	}
	return l.Window.OnCompaction(f, true)
}

// sumUp asks the model to summarise the older part of its conversation. The entry is empty if there is
// nothing to summarise, if the model cannot do it, or if its summary gains too little.
func (l *Loop) sumUp(
	ctx context.Context, messages []model.Message,
) (entry model.Message, usage model.Usage, err error) {
	window := l.windowBytes()
	if window == 0 {
		window = l.bytes(compaction.View(messages)) // an upper bound: this request was too long
	}
	part, ok := compaction.Older(messages, l.Tools, int(newestShare*float64(window)))
	if !ok || l.Window.Fence == nil {
		return entry, usage, nil
	}
	answer, err := l.Ask(ctx, model.Request{
		Model: l.Agent.Model, Effort: l.Agent.Effort, System: compaction.Prompt, OnRetry: l.OnRetry,
		Messages: []model.Message{{
			Role: model.User, Text: l.Window.Fence("record", part.Record(int(recordShare*float64(window)))),
		}},
	})
	var failed *model.Error
	if errors.As(err, &failed) && (failed.Kind == model.KindOverflow ||
		failed.Kind == model.KindRefused || failed.Kind == model.KindBadAnswer) {
		return entry, usage, nil
	}
	if err != nil {
		return entry, usage, err
	}
	text := answer.Message.Text
	if answer.Finish != model.FinishStop {
		text = "" // cut short, declined, or calls instead of text
	}
	made, good := part.SummaryEntry(text, l.Window.Fence)
	if !good {
		l.Log.Warn("a summary gains too little; what is long is cut instead", "agent", l.Agent.Name,
			"summary", len(text))
		return entry, answer.Usage, nil
	}
	return made, answer.Usage, nil
}

// isOverflow reports whether err says that a conversation is longer than its model's window.
func isOverflow(err error) bool {
	var failed *model.Error
	return errors.As(err, &failed) && failed.Kind == model.KindOverflow
}
