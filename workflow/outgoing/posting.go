package outgoing

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/card"
)

// A Posting is one reply that has to be in the thread exactly once: one or more lines
// that were said within about a second of each other.
type Posting struct {
	Key     string // natural key; travels as message metadata so that a lost answer can be looked up
	Session string
	Thread  workflow.Thread
	Lines   []Line
	// Repository is the session's, by its name in the configuration; empty before one is chosen.
	Repository string
	// Reaction makes this posting a reaction on the message OnTS instead of a reply.
	Reaction string
	OnTS     string
	Tried    bool // it was attempted before: look it up before posting again
	// Rewrites is the key of the posting whose message this one makes anew, at OnTS: with
	// other lines and buttons, or with its own once more, without buttons, and Note below them.
	Rewrites, Note string
	// Brief leaves of the message that is rewritten its first line: a newer one has the rest.
	Brief bool
	// Stands is how many of the lines, the first, the message of Rewrites has already: the
	// others join them there, or make a reply of their own where Slack does not take it.
	Stands int
	// Card makes this posting a run's card.
	Card *card.Card
}

// Text is the posting's whole content.
func (p Posting) Text() string {
	parts := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		parts[i] = l.String()
	}
	return strings.Join(parts, "\n")
}
