package links

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/reference"
)

// targets are the things at which a message points and that were not read for it before.
type targets struct {
	references []reference.Reference
	messages   []string // addresses of messages of Slack
	tickets    []tracker.Ref
	// left are the names of the things that are not read, since a message points at too many.
	left []string
}

const (
	maxLinks      = 5 // things of each kind that are read for one message
	maxReferences = 8 // that are read at once, for all messages
)

// pointing are the kinds of message that may point at something.
var pointing = []workflow.MessageKind{
	workflow.MessageMention, workflow.MessageReply, workflow.MessageSent, workflow.MessageAlert,
	workflow.MessageEarlier, workflow.MessageEdit,
}

// targets returns everything at which a message points.
func (l *Links) targets(m workflow.Message) (t targets) {
	if !slices.Contains(pointing, m.Kind) {
		return t
	}
	own := l.Session().Repository
	mine := slices.DeleteFunc(slices.Clone(l.Trackers),
		func(one *tracker.Tracker) bool { return !one.For(own) })
	if len(mine) > 0 {
		t.tickets = tracker.Find(mine, m.Text)
	}
	// An issue that a tracker reads is no reference of a repository without a host.
	t.references = slices.DeleteFunc(reference.Find(m.Text, own, l.readable()),
		func(r reference.Reference) bool {
			return r.NeedsHost() && slices.ContainsFunc(t.tickets,
				func(ref tracker.Ref) bool { return r.IsNumber(ref.Shown) })
		})
	if m.AgentText == "" && m.Kind != workflow.MessageAlert {
		t.messages = messageLinks(m.Text)
	}
	return t
}

// readable returns the repositories of which references are read in the thread: those that it may be about,
// but no other one whose code is only for members.
func (l *Links) readable() []repository.Repository {
	own := l.Session().Repository
	return slices.DeleteFunc(l.Catalog.Allowed(),
		func(r repository.Repository) bool { return r.MembersOnly && r.Name != own })
}

// messageLink matches the address of a message of Slack.
var messageLink = regexp.MustCompile(
	`https://[a-z0-9.-]{1,100}\.slack\.com/archives/[A-Z0-9]+/p\d{16}(?:\?[^\s<>|]{0,200})?`)

// messageLinks returns the addresses of messages of Slack in a text, but not those in quotes, nor those of
// which Slack shows a preview.
func messageLinks(text string) (links []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ">") {
			continue
		}
		for _, link := range messageLink.FindAllString(line, -1) {
			if !slices.Contains(links, link) && !strings.Contains(text, "preview of "+link) {
				links = append(links, link)
			}
		}
	}
	return links
}

// count returns how many things are to be read.
func (t *targets) count() int { return len(t.references) + len(t.messages) + len(t.tickets) }

// dropKnown drops what was read for the message before, by the keys of its notes.
func (t *targets) dropKnown(ts string, known []string) {
	is := func(prefix string) bool {
		return slices.ContainsFunc(known, func(key string) bool { return strings.HasPrefix(key, prefix) })
	}
	t.references = slices.DeleteFunc(t.references,
		func(r reference.Reference) bool { return is(keyOfReference(ts, r)) })
	t.messages = slices.DeleteFunc(t.messages,
		func(link string) bool { return slices.Contains(known, keyOfMessage(ts, link)) })
	t.tickets = slices.DeleteFunc(t.tickets, func(ref tracker.Ref) bool {
		return slices.ContainsFunc(known, func(key string) bool {
			return strings.HasPrefix(key, workflow.KeyOfTicket+ts+":") && strings.HasSuffix(key, keyEnd(ref))
		})
	})
	all := *t
	if all.limit(0, 0); is(keyOfLeft(ts, all.left)) { // they were too many, and named as that
		*t = targets{}
	}
}

// limit leaves so many things of each kind, and so many references. The others are named in left.
func (t *targets) limit(each, references int) {
	t.references = keep(t, t.references, min(each, references), reference.Reference.Name)
	t.messages = keep(t, t.messages, each, func(link string) string { return link })
	t.tickets = keep(t, t.tickets, each, func(ref tracker.Ref) string { return ref.Shown })
}

// keep returns the first things of one kind, and names the others in left.
func keep[T any](t *targets, all []T, most int, name func(T) string) []T {
	kept := all[:min(len(all), most)]
	for _, one := range all[len(kept):] {
		t.left = append(t.left, name(one))
	}
	return kept
}

// maxNamed is how many of the things that were not read are named.
const maxNamed = 10

// tellLeft adds that a message points at more than was read.
func (r *reading) tellLeft(m workflow.Message, to targets, read *followed) {
	if len(to.left) == 0 {
		return
	}
	n := to.count()
	line := fmt.Sprintf("I read only %d of the %d things that a message points at. Name in another one what "+
		"matters of the others: %s.", n, n+len(to.left), named(to.left, plaintext.CodeSpan))
	note := "A message points at too much. These were not read, and you do not know what they say: " +
		named(to.left, prompt.PersonName) + "."
	read.add(r.note(keyOfLeft(m.TS, to.left), note), "", r.ProgramLine(line))
}

// named returns the first names, as shown has each, and how many more there are.
func named(names []string, shown func(string) string) string {
	var list []string
	for _, name := range names {
		list = append(list, shown(plaintext.OneLine(name)))
	}
	return plaintext.FirstOf(list, maxNamed)
}

// The keys of the notes about what a message points at, so that each is read once for it. What was not read
// has a key that ends in ":" and notRead.

func keyOfLeft(ts string, left []string) string {
	return workflow.KeyOfReference + ts + ":left " + shortSum(strings.Join(left, "\n")) + ":" + notRead
}

func keyOfReference(ts string, r reference.Reference) string {
	return workflow.KeyOfReference + ts + ":" + shortSum(r.ID()) + ":"
}

func keyOfMessage(ts, link string) string { return workflow.KeyOfLink + ts + ":" + link }
