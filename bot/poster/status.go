package poster

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

// A StatusIndicator makes Slack show in a thread that the bot is at work: as the status of an agent session
// if the app is an agent, otherwise as that of an assistant thread
// (docs.slack.dev/reference/methods/agents.sessions.setStatus, assistant.threads.setStatus). It is optional:
// a failure is logged once and has no other effect.
type StatusIndicator struct {
	Slack *bot.Slack
	Log   *slog.Logger // default: no log
	// Again is how often the status is set again; default 90 s. Slack clears the status of an
	// assistant thread after two minutes.
	Again time.Duration
	// Timeout limits one call, since the end of a turn waits for the last one; default 3 s.
	Timeout time.Duration

	older  atomic.Bool // the app is not an agent
	logged sync.Once
	shown  sync.Map // threads whose status Slack took last, as keys
}

// Shown reports whether Slack shows in the thread that the bot is at work.
func (s *StatusIndicator) Shown(thread workflow.Thread) bool {
	_, shown := s.shown.Load(thread)
	return shown
}

// During calls work and shows that the bot is at work in the thread until work returns.
func (s *StatusIndicator) During(
	ctx context.Context, thread workflow.Thread, work func(context.Context) error,
) error {
	ended := make(chan struct{})
	dark := make(chan struct{})
	go func() {
		defer close(dark)
		s.keepShowing(context.WithoutCancel(ctx), thread, ended)
	}()
	defer func() {
		close(ended)
		<-dark
	}()
	return work(ctx)
}

func (s *StatusIndicator) keepShowing(ctx context.Context, thread workflow.Thread, ended <-chan struct{}) {
	tick := time.NewTicker(cmp.Or(s.Again, 90*time.Second))
	defer tick.Stop()
	for {
		s.setStatus(ctx, thread, true)
		select {
		case <-ended:
			s.setStatus(ctx, thread, false)
			return
		case <-tick.C:
		}
	}
}

func (s *StatusIndicator) setStatus(ctx context.Context, thread workflow.Thread, on bool) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, 3*time.Second))
	defer cancel()
	err := s.setAgentSession(ctx, thread, on)
	if bot.IsFinal(err) {
		s.older.Store(true)
		err = s.setAssistantThread(ctx, thread, on)
	}
	if on && err == nil {
		s.shown.Store(thread, true)
	} else {
		s.shown.Delete(thread)
	}
	if err != nil {
		s.logged.Do(func() {
			cmp.Or(s.Log, slog.New(slog.DiscardHandler)).Warn("Slack does not show that the bot is at "+
				"work; turn slack.agent_status off, or see bobbin manifest --agent", "err", err)
		})
	}
}

func (s *StatusIndicator) setAgentSession(ctx context.Context, thread workflow.Thread, on bool) error {
	if s.older.Load() {
		return s.setAssistantThread(ctx, thread, on)
	}
	status := "active"
	if on {
		status = "processing"
	}
	_, err := s.Slack.API.SetAgentSessionStatusContext(ctx,
		slack.AgentSessionSetStatusParameters{Status: status, ChannelID: thread.Channel, ThreadTS: thread.TS})
	return err
}

func (s *StatusIndicator) setAssistantThread(ctx context.Context, thread workflow.Thread, on bool) error {
	status := ""
	if on {
		status = "is looking into it"
	}
	return s.Slack.API.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
		ChannelID: thread.Channel,
		ThreadTS:  thread.TS,
		Status:    status,
	})
}
