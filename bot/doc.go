// Package bot talks to Slack: what people write comes in through the [Gateway], what
// Bobbin says goes out through the [Poster], and [People] tells who somebody is. It knows
// the client library, slack-go, which stays inside this package; beyond it there are only
// the types of package workflow and two small interfaces, [Inbox] and [Outbox].
//
// # In
//
// The gateway keeps one or more Socket Mode connections. Each has one goroutine, which
// takes the events in their order: read the payload ([Reader.Read], from the raw JSON, so
// that an event that the client library cannot decode is not lost), hand it to the Inbox,
// and acknowledge it when the Inbox has committed it. What the Inbox could not keep is
// not acknowledged: Slack delivers it again, and a person who pressed a button is told by
// Slack that it failed. The Inbox drops duplicates; the gateway keeps no memory.
//
// Some buttons open a modal, and what is sent there is taken in like a reply (form.go).
//
// A slash command opens a thread of its own before it goes to the Inbox as a mention
// (command.go); so does a message that somebody sends to the bot, by a shortcut or a
// reaction (sent.go). Whoever opens the App Home is shown theirs (home.go).
//
// Slack gives an event to one of the connections. Messages of one thread that come a moment
// apart on two of them may be kept in either order, as they may with two replicas. All but
// the first connection are renewed once ahead of Slack, so that no two are renewed together;
// what was written while none was up at all is read again from Slack (backfill.go).
//
// Slack tells a client to reconnect by "disconnect", and slack-go then does so at once,
// thousands of times a second if need be. Each connection therefore opens its links
// through a doorman, which spaces them out (doorman.go).
//
// # Out
//
// The poster drains one session's Outbox at a time, oldest first, and holds the order
// whatever Slack answers: 429 is waited out, a permanent refusal is recorded, and anything
// that leaves open whether the message is there ends the drain with an error. The next
// one finds the posting marked as tried and looks for its key among the thread's metadata
// before it posts again. Files follow the replies they belong to, and are known by their
// names (attach.go).
//
// A run's card is posted like a line and then written again by the [Painter], from rows, as
// the run goes on. It takes no part in the order of the lines and holds none of them up;
// nothing is streamed, since Slack ends a stream after five minutes.
//
// Everything posted is data of somebody else until it was rendered (mrkdwn.go): mentions
// and links do not work unless the configuration names them, and nothing unfurls.
package bot

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
)

// An Inbox keeps what comes in.
type Inbox interface {
	// Receive keeps in for good, with whatever follows from it, before it returns. What
	// was kept before changes nothing and is no error.
	Receive(ctx context.Context, in workflow.Incoming) error
}

// An Outbox holds what has to be posted.
type Outbox interface {
	// Next is the oldest posting of the session that is neither posted nor refused; nil
	// when there is none. It is marked as tried, and that is committed, before Next returns.
	Next(ctx context.Context, session string) (*workflow.Posting, error)
	// Mine fails when the posting is somebody else's by now: a poster that was frozen asks
	// before it sends.
	Mine(ctx context.Context, key string) error
	// Posted keeps the ts of the message that the posting has become, and says which one it
	// stands as: another where somebody else was quicker.
	Posted(ctx context.Context, key, ts string) (stands string, err error)
	// Refused keeps that Slack will never take the posting, and why.
	Refused(ctx context.Context, key, reason string) error
}
