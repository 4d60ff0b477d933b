package links

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
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

// A followed holds what was read for one message.
type followed struct {
	parts  []store.Part // notes for the agents, and lines for the thread
	labels []string     // what the thread is told that was read
}

// add adds a note for the agents, what the thread is told that was read, or the lines that say why not.
func (f *followed) add(note inbox.AgentNote, label string, lines []workflow.Line) {
	f.parts = append(f.parts, note, store.Lines(lines))
	if label != "" {
		f.labels = append(f.labels, label)
	}
}

const (
	maxReadBytes    = 6 << 10 // of everything that agents are shown at once of what messages point at
	maxEarlierBytes = 4 << 10 // the same, of the messages from before the bot was called
	minReadBytes    = 400     // of each thing
)

// A reading reads what some messages point at.
type reading struct {
	*Links
	known  []string // the keys of all notes, the newest last
	left   int      // bytes that agents may be shown of it
	things int      // that are still to be read
}

// next returns how many bytes the next thing may have: an equal share of what is left.
func (r *reading) next() int {
	share := max(minReadBytes, r.left/max(1, r.things))
	r.things--
	return share
}

// note returns a note for agents, of which next has said how long it may be.
func (r *reading) note(key, text string) inbox.AgentNote {
	r.left -= len(text)
	r.known = append(r.known, key)
	return inbox.AgentNote{Key: key, Text: text}
}

// Follow reads what messages point at that agents are about to be shown, each thing once for a message, and
// records it. It reports whether there are notes now that there were not.
func (l *Links) Follow(ctx context.Context, of []workflow.Message) (added bool, err error) {
	return l.follow(ctx, of, maxReadBytes)
}

// follow is Follow, with about so many bytes for agents.
func (l *Links) follow(ctx context.Context, of []workflow.Message, most int) (added bool, err error) {
	all := make([]targets, len(of))
	points := 0
	for i, m := range of {
		all[i] = l.targets(m)
		points += all[i].count()
	}
	if points == 0 {
		return false, nil
	}
	known, err := l.Inbox().NoteKeys(ctx, "")
	if err != nil {
		return false, err
	}
	r := &reading{Links: l, known: known, left: most}
	references := maxReferences
	for i, m := range of {
		all[i].dropKnown(m.TS, known)
		all[i].limit(maxLinks, references)
		references -= len(all[i].references)
		r.things += all[i].count()
	}
	found, err := l.readReferences(ctx, all)
	if err != nil {
		return false, err
	}
	for i, m := range of {
		read, err := r.follow(ctx, m, all[i], found[i])
		if err != nil {
			return added, err
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

// follow returns what is told of the things at which one message points, of which found are those in the
// configured repositories.
func (r *reading) follow(
	ctx context.Context, m workflow.Message, to targets, found []reference.Found,
) (*followed, error) {
	read := &followed{}
	r.tellLeft(m, to, read)
	r.tellReferences(ctx, m, found, read)
	for _, link := range to.messages {
		if err := r.followMessage(ctx, m, link, read); err != nil {
			return nil, err
		}
	}
	return read, r.followTickets(ctx, m, to.tickets, read)
}

// FollowEarlier is Follow for messages of the thread from before the bot was called, of which the newest
// count: maxEarlier that point at something.
func (l *Links) FollowEarlier(ctx context.Context, all []workflow.ThreadMessage) error {
	var of []workflow.Message
	for _, s := range slices.Backward(all) {
		m := workflow.Message{IncomingEvent: workflow.IncomingEvent{
			Kind: workflow.MessageEarlier, TS: s.TS, User: s.User, Text: s.Text,
		}}
		if s.Own || len(of) == maxEarlier {
			continue
		}
		if t := l.targets(m); t.count() > 0 {
			of = append(of, m)
		}
	}
	slices.Reverse(of)
	_, err := l.follow(ctx, of, maxEarlierBytes)
	return err
}

// maxEarlier is how many messages from before the bot was called are followed.
const maxEarlier = 4

// record records what was read for a message, with the line that says so.
func (l *Links) record(ctx context.Context, read *followed) error {
	if len(read.labels) > 0 {
		said := l.ProgramLine("Read: " + strings.Join(read.labels, ", ") + ".")
		read.parts = append(read.parts, store.Lines(said))
	}
	return l.Record(ctx, read.parts...)
}
