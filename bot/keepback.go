package bot

import (
	"cmp"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// Where the configuration says so, nothing of a repository's code is shown in a channel with
// guests or people of another workspace: of each text only its first line, without code, paths
// and names of code, and no files. What a line is about is told, and the rest stays in the
// database. Who is in the channel is read when a posting goes out; where it cannot be read,
// everything is kept back.
//
// A model's prose may still tell of the code in words; this is no wall against a reader who
// is not to know at all what is worked on.

// keptBack is what a posting ends with that asks for something, or had files.
const keptBack = "\n(Code and paths are kept back: guests or people from elsewhere are in this channel. Whoever runs me reads all of it with `bobbin sessions "

// A Discretion says where code is kept back. Nil, and without Closed, it is nowhere.
type Discretion struct {
	Closed []string // names of repositories whose code is shown to full members only
	People *People  // tells who is in a channel; without it everything is kept back
	Log    *slog.Logger
}

// holds says whether code of that repository is kept back in the channel now. Before a
// thread is about a repository, it may be about a closed one.
func (d *Discretion) holds(ctx context.Context, repository, channel string) bool {
	if d == nil || len(d.Closed) == 0 || repository != "" && !slices.Contains(d.Closed, repository) {
		return false
	}
	if d.People == nil {
		return true
	}
	there, err := d.People.Outsiders(ctx, channel)
	if err != nil {
		cmp.Or(d.Log, slog.New(slog.DiscardHandler)).Warn("cannot see who is in the channel; code is kept back", "channel", channel, "err", err)
	}
	return there || err != nil
}

// fit is the posting as its channel may read it.
func (d *Discretion) fit(ctx context.Context, posting *workflow.Posting) *workflow.Posting {
	if posting.Reaction != "" || !d.holds(ctx, posting.Repository, posting.Thread.Channel) {
		return posting
	}
	return withoutCode(posting)
}

// card is the card as its channel may read it.
func (d *Discretion) card(ctx context.Context, c *workflow.Card) *workflow.Card {
	if !d.holds(ctx, c.Repository, c.Thread.Channel) {
		return c
	}
	return cardWithoutCode(c)
}

func cardWithoutCode(c *workflow.Card) *workflow.Card {
	if c == nil {
		return nil
	}
	short := *c
	short.Tasks = slices.Clone(c.Tasks)
	for i := range short.Tasks {
		short.Tasks[i].Title = plainly(short.Tasks[i].Title)
	}
	return &short
}

// withoutCode is the posting with what any reader may see.
func withoutCode(posting *workflow.Posting) *workflow.Posting {
	short, cut := *posting, false
	short.Note, short.Card = plainly(posting.Note), cardWithoutCode(posting.Card)
	short.Lines = slices.Clone(posting.Lines)
	for i := range short.Lines {
		l := &short.Lines[i]
		text := plainly(l.Text)
		if strings.Contains(strings.TrimSpace(l.Text), "\n") {
			text += " " + hidden
		}
		// Lines of progress have the mark alone: a sentence below each would be noise.
		cut = cut || text != l.Text && len(l.Buttons) > 0 || len(l.Files) > 0
		l.Text, l.Files = text, nil
		l.Buttons = slices.Clone(l.Buttons)
		for n := range l.Buttons {
			l.Buttons[n].Label = plainly(l.Buttons[n].Label)
		}
	}
	if n := len(short.Lines); cut && n > 0 {
		short.Lines[n-1].Text += keptBack + posting.Session + "`.)"
	}
	return &short
}

// hidden stands for a word that is kept back.
const hidden = "[…]"

var (
	someCode = regexp.MustCompile("`+[^`]*`*")
	// A word with a slash, a dot within, an underscore, brackets, or a capital within is a
	// path or a name of code; a number is none.
	ofCode  = regexp.MustCompile(`[/\\_(){}\[\]<>=;$#@|~^*&]|::|->|\w\.[A-Za-z]|[a-z][A-Z]|[A-Z]{2,}[a-z]`)
	wrapped = regexp.MustCompile(`^[("'\[]*(.*?)[)"'\].,:;!?…]*$`)
)

// plainly is the first line of a text without code, paths and names of code. What is not
// plainly a word is taken to be code.
func plainly(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	words := strings.Fields(someCode.ReplaceAllString(first, hidden))
	for i, w := range words {
		bare := wrapped.FindStringSubmatch(w)[1]
		if w != hidden && ofCode.MatchString(bare) {
			words[i] = strings.Replace(w, bare, hidden, 1)
		}
	}
	return strings.Join(words, " ")
}
