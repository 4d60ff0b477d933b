package agent

import (
	"context"
	"errors"

	"github.com/bobbinhq/bobbin/workflow/agent/fold"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

// Room is how a loop keeps its conversation within what its model reads. Its zero value knows of
// no window, and waits until the endpoint says that a conversation is too long.
type Room struct {
	Window func(model string) int         // in tokens; 0: not known
	Fence  func(name, text string) string // marks data; nil: nothing is summed up
	// Folded is what is written with the entry that says what the model is shown less; first tells
	// that nothing was left out of this conversation before.
	Folded func(f model.Fold, first bool) []any

	ratio float64 // bytes for a token, by the newest answer; 0: there was none
	done  int     // bytes that the model was shown after room was made last
}

const (
	maxResult   = 200 << 10 // bytes of one tool's result; the tools' own bounds lie below it
	fullWindow  = 0.85      // of the window: a conversation that is longer is summed up before the next call
	usualRatio  = 3.5       // bytes for a token, where no answer told
	newestShare = 0.25      // of the window that the newest entries have, which stay as they are
	recordShare = 0.6       // of the window that the record may have that is summed up
)

// bytes are how many a request sends.
func (l *Loop) bytes(shown []model.Message) int {
	n := fold.Size(shown) + len(l.Agent.Prompt)
	for _, t := range l.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// answered learns how many bytes a token has.
func (l *Loop) answered(shown []model.Message, u model.Usage) {
	if u.Input > 0 {
		l.Room.ratio = min(max(float64(l.bytes(shown))/float64(u.Input), 1), 8)
	}
}

// windowBytes are how many bytes a request may have; 0: that is not known.
func (l *Loop) windowBytes() int {
	if l.Room.Window == nil {
		return 0
	}
	ratio := l.Room.ratio
	if ratio == 0 {
		ratio = usualRatio
	}
	return int(float64(l.Room.Window(l.Agent.Model)) * ratio)
}

// makeRoomEarly makes room before a call for which the conversation is likely too long. Where that
// gained little it is not tried again before there is a tenth more.
func (l *Loop) makeRoomEarly(ctx context.Context) error {
	shown := l.bytes(fold.View(l.Journal.Messages()))
	window := l.windowBytes()
	if window == 0 || float64(shown) <= fullWindow*float64(window) || 10*shown <= 11*l.Room.done {
		return nil
	}
	_, _, err := l.makeRoom(ctx, true)
	l.Room.done = l.bytes(fold.View(l.Journal.Messages()))
	return err
}

// makeRoom records that the model is shown less from now on, and reports whether it is. The older
// part is summed up where that gains enough; else, or where it is not to be summed up again, what
// is long in the oldest entries is cut. It is overtaken where somebody wrote meanwhile: then it has
// to be looked at first.
func (l *Loop) makeRoom(ctx context.Context, sum bool) (made, overtaken bool, err error) {
	messages := l.Journal.Messages()
	entry, usage := model.Message{}, model.Usage{}
	if sum {
		overtaken, err = l.step(ctx, "", func(ctx context.Context) (err error) {
			entry, usage, err = l.sumUp(ctx, messages)
			return err
		})
		if err != nil || overtaken {
			return false, overtaken, err
		}
	}
	if entry.Fold == nil {
		if entry, made = fold.CutOldest(messages, l.Tools); !made {
			return false, false, l.Journal.Append(ctx, Entry{Usage: usage})
		}
	}
	l.Log.Warn("the conversation is too long; the model is shown less of it", "agent", l.Agent.Name, "messages", len(messages), "summed_up", entry.Fold.Upto, "cut", entry.Fold.Cut, "bytes", entry.Fold.Was, "since", entry.Fold.Is)
	return true, false, l.Journal.Append(ctx, Entry{Messages: []model.Message{entry}, Writes: l.folded(*entry.Fold, messages), Usage: usage})
}

func (l *Loop) folded(f model.Fold, before []model.Message) []any {
	if l.Room.Folded == nil {
		return nil
	}
	for _, m := range before {
		if m.Role == model.Folded {
			return l.Room.Folded(f, false)
		}
	}
	return l.Room.Folded(f, true)
}

// sumUp has the model sum up the older part of its conversation. The entry is empty where there is
// nothing to sum up, where the model cannot, or where its summary gains too little.
func (l *Loop) sumUp(ctx context.Context, messages []model.Message) (entry model.Message, usage model.Usage, err error) {
	window := l.windowBytes()
	if window == 0 {
		window = l.bytes(fold.View(messages)) // it reads less than that
	}
	part, ok := fold.Older(messages, l.Tools, int(newestShare*float64(window)))
	if !ok || l.Room.Fence == nil {
		return entry, usage, nil
	}
	answer, err := l.Ask(ctx, model.Request{
		Model: l.Agent.Model, Effort: l.Agent.Effort, System: fold.Prompt, OnRetry: l.Retrying,
		Messages: []model.Message{{Role: model.User, Text: l.Room.Fence("record", part.Record(int(recordShare*float64(window))))}},
	})
	var failed *endpoint.Error
	if errors.As(err, &failed) && (failed.Kind == endpoint.KindOverflow || failed.Kind == endpoint.KindRefused || failed.Kind == endpoint.KindBadAnswer) {
		return entry, usage, nil
	}
	if err != nil {
		return entry, usage, err
	}
	text := answer.Message.Text
	if answer.Finish != model.FinishStop {
		text = "" // cut short, declined, or calls in place of words
	}
	made, good := part.Summed(text, l.Room.Fence)
	if !good {
		l.Log.Warn("a summary gains too little; what is long is cut instead", "agent", l.Agent.Name, "summary", len(text))
		return entry, answer.Usage, nil
	}
	return made, answer.Usage, nil
}

// isOverflow reports whether a conversation was longer than its model reads.
func isOverflow(err error) bool {
	var failed *endpoint.Error
	return errors.As(err, &failed) && failed.Kind == endpoint.KindOverflow
}
