package outgoing

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/card"
)

// A Posting is one reply that has to be in the thread exactly once: one or more lines that were said
// within about a second of each other.
type Posting struct {
	Key     string // natural key; it is sent as message metadata, so that the message can be found if Slack's answer was lost
	Session string
	Thread  workflow.Thread
	Lines   []Line
	// Repositories holds the names of all repositories that the session was about, the present one last.
	// The last name is empty before one is chosen.
	Repositories []string
	// Reaction makes this posting a reaction on the message OnTS instead of a reply.
	Reaction string
	OnTS     string
	// EphemeralTo makes this posting Ephemeral words that this person alone sees. Nobody can look whether they were shown,
	// so they are tried once.
	EphemeralTo, Ephemeral string

	Tried bool // it was tried before: look it up before posting again
	// Rewrites is the key of an earlier posting whose message, at OnTS, this one rewrites: with other
	// lines and buttons, or with the same lines, without buttons, and with Note below them.
	Rewrites, Note string
	// Brief shortens the rewritten message to its first line, since a newer message has the rest.
	Brief bool
	// Existing is how many of the lines, counted from the first, are already in the message of Rewrites.
	// The other lines are added to it, or posted as a reply of their own if Slack does not accept the
	// edit.
	Existing int
	// Card makes this posting the card of a run.
	Card *card.Card
}

// Text returns the posting's whole content.
func (p Posting) Text() string {
	parts := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		parts[i] = l.String()
	}
	return strings.Join(parts, "\n")
}
