package gateway

import (
	"context"
	"log/slog"
	"time"

	"github.com/slack-go/slack/socketmode"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// With one commit for each message, a storm of messages in one thread would wait for many commits in a row.
// So the messages that wait while a transaction runs are taken together: those of one thread are stored in
// their order in one transaction, and acknowledged after it.

// maxTogether limits how many waiting events are taken along with one event.
const maxTogether = 50

// A message is an event that is stored and then acknowledged.
type message struct {
	envelope string
	in       workflow.IncomingEvent
	attempt  int // of Slack to deliver it, from 0
	log      *slog.Logger
}

// lastAttempt is the attempt after which Slack gives up, about six minutes after the first.
const lastAttempt = 3

// handleWaiting handles an event, and the events that wait behind it at that moment.
func (l *link) handleWaiting(ctx context.Context, e socketmode.Event) error {
	var list messages
	defer func() { list.keep(ctx, l) }()
	for waiting := min(len(l.client.Events), maxTogether); ; waiting-- {
		m, ok := readMessage(l, e)
		if ok {
			list = append(list, m)
		} else {
			if e.Request == nil || e.Request.Type != eventsAPI {
				// a press may depend on the messages before it
				list.keep(ctx, l)
				list = nil
			}
			if err := l.handleEvent(ctx, e); err != nil {
				return err
			}
		}
		if waiting == 0 {
			return nil
		}
		e = <-l.client.Events // does not block: only this goroutine receives from it
	}
}

// eventsAPI is the type of the envelopes that carry messages.
const eventsAPI = "events_api"

// readMessage reads an event; ok is false if it is not a message for the bot.
func readMessage(l *link, e socketmode.Event) (m message, ok bool) {
	if e.Request == nil || e.Request.EnvelopeID == "" || e.Request.Type != eventsAPI {
		return m, false
	}
	in, ok, _ := l.reader.Normalise(eventsAPI, e.Request.Payload)
	if !ok {
		return m, false
	}
	switch in.Kind {
	case workflow.MessageMention, workflow.MessageReply, workflow.MessageEdit, workflow.MessageDelete,
		workflow.MessageSent, workflow.MessageReacted, workflow.MessagePreview:
		return message{
			e.Request.EnvelopeID, in, e.Request.RetryAttempt,
			l.log.With("event", in.EventID, "attempt", e.Request.RetryAttempt),
		}, true
	}
	return m, false
}

// messages are events that a link has taken together.
type messages []message

// keep stores the messages, thread by thread, and acknowledges them.
func (list messages) keep(ctx context.Context, l *link) {
	for len(list) > 0 {
		var thread, others messages
		for _, m := range list {
			if m.in.Thread == list[0].in.Thread {
				thread = append(thread, m)
			} else {
				others = append(others, m)
			}
		}
		thread.keepTogether(ctx, l)
		list = others
	}
}

// keepTogether stores messages of one thread in one transaction. If that fails, it stores each alone, so that
// a message that cannot be stored does not block the others.
func (list messages) keepTogether(ctx context.Context, l *link) {
	if len(list) > 1 {
		var all []workflow.IncomingEvent
		for _, m := range list {
			all = append(all, m.in)
		}
		if l.Inbox.Receive(ctx, all...) == nil {
			for _, m := range list {
				l.acknowledge(ctx, m.envelope, nil, m.log)
			}
			return
		}
	}
	for _, m := range list {
		failpoint.Crash("event_received")
		m.keep(ctx, l, time.Now().Add(l.storeTimeout()))
	}
}

// keep stores an event and only then acknowledges it.
func (m message) keep(ctx context.Context, l *link, until time.Time) {
	if err := l.keepIncoming(ctx, m.in, until); err != nil {
		if m.attempt < lastAttempt {
			m.log.Error("could not keep an event; Slack will deliver it again", "kind", m.in.Kind, "err", err)
			return
		}
		m.log.Error("could not keep an event; a message is read again later", "kind", m.in.Kind, "err", err)
		l.missed(m.in)
		return
	}
	failpoint.Crash("event_stored")
	l.acknowledge(ctx, m.envelope, nil, m.log)
	failpoint.Crash("event_acknowledged")
}
