package sessions

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/retention"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// A namer knows people by their ids, and sessions that have no title by their first words.
type namer struct {
	known map[string]string
	ask   func(id string) string // asks Slack; nil: cannot
	first map[string]string      // what the first message of a session says, by the session's id
}

func newNamer(ctx context.Context, s *store.Store, ask func(id string) string) (namer, error) {
	known, err := view.People(ctx, s.DB)
	return namer{known: known, ask: ask}, err
}

// Names returns a function that returns a person's name by the id in Slack: as the database has it, else as
// ask says, else the id. Without an id it is the program. ask may be nil.
func Names(ctx context.Context, s *store.Store, ask func(id string) string) (func(id string) string, error) {
	n, err := newNamer(ctx, s, ask)
	return n.name, err
}

// readFirst reads the first words of those of the sessions that have no title.
func (n *namer) readFirst(ctx context.Context, s *store.Store, sessions ...workflow.Session) (err error) {
	var ids []string
	for _, x := range sessions {
		if x.Name() == "" {
			ids = append(ids, x.ID)
		}
	}
	if len(ids) > 0 {
		n.first, err = view.FirstWords(ctx, s.DB, ids)
	}
	return err
}

// name returns the name of a person, or the id if it is not known. An id that is empty stands for the
// program.
func (n namer) name(id string) string {
	if id == "" {
		return "the program"
	}
	if n.known[id] == "" && n.ask != nil {
		n.known[id] = n.ask(id)
	}
	return cli.WithoutControls(cmp.Or(n.known[id], id))
}

// mention matches the mention of a person in Slack's text, with the name that it may have.
var mention = regexp.MustCompile(`<@([UW][A-Z0-9]+)(?:\|([^>]*))?>`)

// leadingMention matches the mentions with which a message begins.
var leadingMention = regexp.MustCompile(`^(?:<@[UW][A-Z0-9]+(?:\|[^>]*)?>[\s,:]*)+`)

// group matches the mention of a user group, whose name the database does not have.
var group = regexp.MustCompile(`<!subteam\^(S[A-Z0-9]+)(?:\|[^>]*)?>`)

// readable returns a person's text with names for ids.
func (n namer) readable(text string) string { return html.UnescapeString(n.named(text)) }

// named returns a text with names for the ids of people that it mentions.
func (n namer) named(text string) string {
	text = group.ReplaceAllString(text, "the group $1")
	return mention.ReplaceAllStringFunc(text, func(found string) string {
		m := mention.FindStringSubmatch(found)
		name := n.name(m[1])
		if name == m[1] {
			name = cmp.Or(m[2], name)
		}
		return "@" + name
	})
}

// showThread prints what people and agents said, in order.
func showThread(ctx context.Context, out io.Writer, s *store.Store, id string, names namer) error {
	fmt.Fprintln(out)
	if at, err := retention.ClearedAt(ctx, s.DB, id); err != nil {
		return err
	} else if !at.IsZero() {
		fmt.Fprintf(out, "what was said here was cleaned away on %s\n", at.Format(time.DateOnly))
	}
	lines, err := s.Lines(ctx, id)
	if err != nil {
		return err
	}
	messages, err := view.Messages(ctx, s.DB, id)
	if err != nil {
		return err
	}
	type said struct {
		at   time.Time
		text string
	}
	var all []said
	for _, m := range messages {
		if text := describeMessage(m, names); text != "" {
			all = append(all, said{m.At, text})
		}
	}
	for _, l := range lines {
		text := workflow.Line{Text: names.named(l.Text), Vouched: l.Vouched}.Marked()
		all = append(all, said{l.At, "[" + l.Agent + "] " + text})
	}
	slices.SortStableFunc(all, func(a, b said) int { return a.at.Compare(b.at) })
	for _, x := range all {
		fmt.Fprintf(out, "%s  %s\n", x.at.Format(time.TimeOnly), cli.Indent(x.text, 10))
	}
	return nil
}

// describeMessage returns what a person did, with the person's name; empty if the words were cleaned away.
func describeMessage(m view.Entry, names namer) string {
	text := names.readable(m.Text)
	who := names.name(m.Who)
	switch workflow.MessageKind(m.Title) {
	case workflow.MessageAction:
		return who + " pressed: " + text
	case workflow.MessageDelete:
		return who + " deleted a message"
	case workflow.MessageEdit:
		who += " edited"
	case workflow.MessageForm:
		who += " sent a form"
	}
	if text == "" {
		return ""
	}
	return who + ": " + text
}
