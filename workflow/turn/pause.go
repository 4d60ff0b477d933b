package turn

import (
	"cmp"
	"context"
	"errors"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// restPaused reports whether the operator paused the session's repository, its channel or everything,
// and tells the thread once for each pause. The session stays as it is: its messages are judged, and its
// work goes on, when the pause ends. A stop has nothing to stop meanwhile.
func (t *turn) restPaused(ctx context.Context) (bool, error) {
	s := t.Session()
	r, _, err := t.Trees.Catalog.Current(ctx)
	if err != nil {
		return false, err
	}
	p, err := store.PauseOf(ctx, t.Store.DB, s.Thread.Channel, cmp.Or(s.Repository, r.Name))
	if p == nil || err != nil {
		return false, err
	}
	what := "everything"
	switch p.Scope {
	case store.PauseRepository:
		what = p.Name
	case store.PauseChannel:
		what = "this channel"
	}
	err = t.Record(ctx, store.PauseAnnounced(*p), store.Lines(t.ProgramLine("My operator has paused "+what+
		". What is written here is kept, and I go on by myself when it is resumed.")))
	if errors.Is(err, store.ErrStale) { // the thread was told before
		return true, nil
	}
	return true, err
}

// sayDiskFailed tells the thread of an error of the disk and pauses the session. It returns every other
// error unchanged. A tool call that was under way has no result in the transcript, so it is called again
// when the session goes on.
func (t *turn) sayDiskFailed(ctx context.Context, err error) error {
	words := folder.DiskMessage(err)
	if words == "" || ctx.Err() != nil {
		return err
	}
	t.Log.Error("the disk", "err", err)
	return t.Record(ctx, pausedBy(workflow.TroubleDisk), store.Lines(t.ProgramLine(words)))
}

// pausedBy pauses the session, and says why.
func pausedBy(trouble string) store.Update {
	return store.Update{
		Events: []workflow.Event{workflow.EventPause},
		Open:   ledger.Rest,
		Change: func(s *workflow.Session) { s.Trouble = trouble },
	}
}

// pauseAtLimit pauses the session at a limit, and says so in one line.
func (t *turn) pauseAtLimit(ctx context.Context, e *budget.LimitError) error {
	t.Log.Info("paused at a limit", "used", e.Used())
	who, err := t.Permissions.WhoAllows(ctx)
	if err != nil {
		return err
	}
	line := t.ProgramLine("Paused: " + e.Message(who))
	if line[0].Mentions, err = t.Permissions.ToMention(ctx, t.Session().Requester); err != nil {
		return err
	}
	paused := pausedBy(workflow.TroubleLimit)
	paused.Limited = true
	return t.Record(ctx, paused,
		consent.Decision{What: workflow.DecideLimit, Reason: e.Used()}, store.Lines(line))
}

// sayStranded tells the thread that an agent ended without a result, and what people can do.
func (t *turn) sayStranded(ctx context.Context, row agent.Agent, end agent.End) error {
	t.Log.Warn("agent ended without a result", "agent", row.Name, "end", end)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: ledger.Rest},
		store.Lines(t.ProgramLine("I got nowhere with this ("+runtime.EndReason[end]+"). Nothing was "+
			"pushed since. Reply with what I should look at, or ask somebody who knows this code.")),
	)
}

// sayModelFailed tells the thread of a failed model call, of a missing verdict or of a reached limit, and
// pauses the session. It returns every other error unchanged, and the queue tries again.
func (t *turn) sayModelFailed(ctx context.Context, err error) error {
	var failed *model.Error
	var limit *budget.LimitError
	words := ""
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &limit):
		return t.pauseAtLimit(ctx, limit)
	case errors.As(err, &failed):
		words = modelWords(failed)
	case errors.Is(err, scope.ErrNoVerdict):
		words = "I could not compare the change with what the approval is limited to: the agent that " +
			"judges it gave no answer, twice. Nothing is lost; reply here and it is asked again."
	default:
		return err
	}
	t.Log.Error("model call failed", "err", err)
	return t.Record(ctx, pausedBy(workflow.TroubleModel), store.Lines(t.ProgramLine(words)))
}

// modelWords returns what people are told of a failed model call. The endpoint's error text goes to the
// log only.
func modelWords(e *model.Error) string {
	if e.Kind == model.KindOverflow {
		return "The model could not answer: this conversation is longer than it can read, " +
			"even without its older parts. Nothing is lost; ask again in another thread, " +
			"or reply here once a model with a larger context is configured."
	}
	words := "The model could not answer (" + cmp.Or(runtime.FailureReasons[e.Kind], string(e.Kind)) + ")"
	if e.Hint != "" {
		words += ": " + e.Hint
	}
	return words + ". Nothing is lost; reply here to go on."
}

// setAside answers messages that could not be judged after many tries because Slack does not tell who
// wrote them, or because the program panics at them, and marks them as handled. The rest of the session
// goes on. It returns cause if there are no such messages.
func (t *turn) setAside(ctx context.Context, cause error) error {
	messages, err := t.Inbox().Unhandled(ctx)
	if err != nil || len(messages) == 0 {
		return cmp.Or(err, cause)
	}
	reason, why := "the person could not be looked up", "Slack does not tell me who wrote it"
	help := "Please write it again in a moment; if that does not help, " +
		"my operator finds the cause with `bobbin doctor`."
	if errors.Is(cause, queue.ErrPanic) {
		reason, why = "the program failed at the message", "something failed on my side"
		help = "Please write it in other words; if that does not help, " +
			"my operator finds the cause in the log."
	}
	f := []store.Part{store.Update{ClearStop: true}}
	for _, m := range messages {
		f = append(f, inbox.Handled{ID: m.ID},
			consent.Decision{What: workflow.DecideSpeak, Reason: reason, User: m.User, MessageTS: m.TS})
	}
	t.Log.Error("messages that could not be judged are set aside", "messages", len(messages), "err", cause)
	return t.Record(ctx, append(f, store.Lines(t.ProgramLine("I cannot take what was written here last: "+why+
		" ("+prompt.FirstLine(cause.Error())+"). "+help)))...)
}
