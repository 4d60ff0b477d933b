package ledger

import (
	"context"
	"io"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// Slack is the part of Slack's API that a turn needs. Data is read from Slack anew for each decision.
type Slack interface {
	Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error)
	// Earlier returns the messages of the thread, including those from before the bot was called,
	// oldest first.
	Earlier(ctx context.Context, thread workflow.Thread) ([]workflow.ThreadMessage, error)
	// ReadThread returns a part of the thread or, if everybody who may read the thread may read that one, of
	// another thread; otherwise why it is refused.
	ReadThread(
		ctx context.Context, thread workflow.Thread, q workflow.ThreadQuery,
	) (workflow.ThreadPage, error)
	// Reread returns the current text of a message, and the files that are shared with it.
	Reread(
		ctx context.Context, thread workflow.Thread, ts string,
	) (text string, files []workflow.Attachment, found bool, err error)
	// Linked returns the message that a link in the thread leads to, if everybody who may read the thread may
	// read that message; otherwise why it is refused.
	Linked(ctx context.Context, thread workflow.Thread, link string) (workflow.LinkedMessage, error)
	// Outsiders reports whether the channel has a guest, or a person of another workspace. An error means
	// that it may have one.
	Outsiders(ctx context.Context, channel string) (bool, error)
	// Private reports whether a channel is private, a direct message, or shared with another workspace. An
	// error means that it may be.
	Private(ctx context.Context, channel string) (bool, error)
	// Channel looks up a channel by its id or, with a # before it, by its name. found is false if there is
	// none that the bot can see.
	Channel(ctx context.Context, named string) (c workflow.Channel, found bool, err error)
	// Permalink returns the address of a thread.
	Permalink(t workflow.Thread) string
	// Reactions returns the reactions to a message in the thread's channel, and none if it does not exist.
	Reactions(ctx context.Context, thread workflow.Thread, ts string) ([]workflow.Reaction, error)
	// Zone returns the time zone of a user, or nil if it is not known.
	Zone(ctx context.Context, user string) *time.Location
	// Topic returns the topic of a channel, as Slack wrote it; it may be empty.
	Topic(ctx context.Context, channel string) (string, error)
	// Readable returns the text with names in place of Slack ids.
	Readable(ctx context.Context, text string) string
	// Fetch reads a file that a person attached. It returns a picture's content, and writes the text of any
	// other file to text. dir is a folder for what is downloaded meanwhile.
	Fetch(
		ctx context.Context, a workflow.Attachment, dir string, text io.Writer,
	) (workflow.Attachment, error)
	// ByEmail returns the id of the person with that email address, or an empty string.
	ByEmail(ctx context.Context, address string) (id string, err error)
	// Group returns the ids of the members of a user group (S…).
	Group(ctx context.Context, group string) ([]string, error)
}
