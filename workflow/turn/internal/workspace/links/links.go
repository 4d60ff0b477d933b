package links

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/reference"
)

// Links reads what the messages of a session point at.
type Links struct {
	*ledger.Ledger
	Catalog  *catalog.Catalog
	Reader   *reference.Reader
	Trackers []*tracker.Tracker
}

// maxLinks is how many things of each kind are read for one message.
const maxLinks = 5

// pointing are the kinds of message whose references and issues are read.
var pointing = []workflow.MessageKind{
	workflow.MessageMention, workflow.MessageReply, workflow.MessageSent, workflow.MessageAlert,
	workflow.MessageEarlier,
}

// A followed holds what was read for one message.
type followed struct {
	parts  []store.Part // notes for the agents, and lines for the thread
	labels []string     // what the thread is told that was read
}

// add adds what was read to what is there.
func (f *followed) add(more followed) {
	f.parts = append(f.parts, more.parts...)
	f.labels = append(f.labels, more.labels...)
}

const (
	maxReadBytes    = 6 << 10 // of everything that agents are shown at once of what messages point at
	maxEarlierBytes = 4 << 10 // the same, of the messages from before the bot was called
	minReadBytes    = 400     // of each thing
)

// A budget is how many bytes agents are shown of things that messages point at.
type budget struct{ left, things int }

// next returns how many bytes the next thing may have: an equal share of what is left.
func (b *budget) next() int {
	share := max(minReadBytes, b.left/max(1, b.things))
	b.things--
	return share
}

// take subtracts a text that agents are shown.
func (b *budget) take(text string) { b.left -= len(text) }

// Follow reads what messages point at that agents are about to be shown, each thing once for a message, and
// records it. It reports whether there are notes now that there were not.
func (l *Links) Follow(ctx context.Context, of []workflow.Message) (added bool, err error) {
	return l.follow(ctx, of, maxReadBytes)
}

// follow is Follow, with about so many bytes for agents.
func (l *Links) follow(ctx context.Context, of []workflow.Message, most int) (added bool, err error) {
	b := &budget{left: most}
	for _, m := range of {
		b.things += len(l.find(m)) + len(slackLinks(m))
		if slices.Contains(pointing, m.Kind) {
			b.things += len(l.tickets(m.Text))
		}
	}
	if b.things == 0 {
		return false, nil
	}
	referred, err := l.followReferences(ctx, of, b)
	if err != nil {
		return false, err
	}
	for i, m := range of {
		read := referred[i]
		linked, err := l.followMessages(ctx, m, b)
		if err != nil {
			return added, err
		}
		read.add(linked)
		if slices.Contains(pointing, m.Kind) {
			named, err := l.followTickets(ctx, m, b)
			if err != nil {
				return added, err
			}
			read.add(named)
		}
		if len(read.parts) == 0 {
			continue
		}
		if err := l.record(ctx, read); err != nil {
			return added, err
		}
		added = true
	}
	return added, nil
}

// FollowEarlier is Follow for messages of the thread from before the bot was called, of which the newest
// count: maxEarlier that point at something.
func (l *Links) FollowEarlier(ctx context.Context, all []workflow.ThreadMessage) error {
	var of []workflow.Message
	for _, s := range slices.Backward(all) {
		m := workflow.Message{IncomingEvent: workflow.IncomingEvent{
			Kind: workflow.MessageEarlier, TS: s.TS, User: s.User, Text: s.Text,
		}}
		if !s.Own && len(of) < maxEarlier && l.points(m) {
			of = append(of, m)
		}
	}
	slices.Reverse(of)
	_, err := l.follow(ctx, of, maxEarlierBytes)
	return err
}

// maxEarlier is how many messages from before the bot was called are followed.
const maxEarlier = 4

// points reports whether a message points at something.
func (l *Links) points(m workflow.Message) bool {
	return len(l.find(m)) > 0 || len(l.tickets(m.Text)) > 0 || len(slackLinks(m)) > 0
}

// record records what was read for a message, with the line that says so.
func (l *Links) record(ctx context.Context, read followed) error {
	if len(read.labels) > 0 {
		said := l.ProgramLine("Read: " + strings.Join(read.labels, ", ") + ".")
		read.parts = append(read.parts, store.Lines(said))
	}
	return l.Record(ctx, read.parts...)
}
