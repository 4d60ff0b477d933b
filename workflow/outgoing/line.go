// Package outgoing holds what goes out, each stored as a row before it happens: a Line with its Buttons
// and Files, the Posting that puts lines into the thread exactly once, and the Push of a commit.
// bot/render makes Slack's blocks of a line, bot/poster posts it, and turn/delivery pushes.
package outgoing

import (
	"fmt"
)

// A Line is one thing said in the thread: "[agent] text".
type Line struct {
	Agent string
	Text  string
	// Vouched holds the numbers of the lines of Text, from 0, that the program itself vouches for. They are shown
	// with [Mark] before them; all other lines are an agent's, or quote people and the repository.
	Vouched []int
	// Buttons are shown under the line, in this order.
	Buttons []Button
	// Mentions holds the ids of people and user groups that the line mentions. They are only those that
	// the configuration names and, where the configuration wants it, people who know the code.
	Mentions []string
	// Files are attached to the reply.
	Files []File
	// Progress marks a line that only reports progress: it is added to the newest reply of such lines.
	Progress bool
	// Code says where the places in the text are, so that they can be made links; nil: they were not
	// looked up.
	Code *Code
}

// Code holds which of the places (path:line) in a text exist, and in which commit.
type Code struct {
	Repository string   `json:"repository"` // name in the configuration
	Commit     string   `json:"commit"`     // a commit that the remote has
	Places     []string `json:"places"`
}

// A File is a picture, or text that is too long for a reply or that people want to keep.
type File struct {
	Name  string `json:"name"` // plan.md
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Data  []byte `json:"data,omitempty"` // in place of Text, for content that is not text
	// Snippet is Slack's name of the language to show the text in, such as diff; empty: it is shown as
	// a file.
	Snippet string `json:"snippet,omitempty"`
}

// A Button carries only an opaque id; what a press means is stored in a row.
type Button struct {
	ActionID string
	Label    string
	Value    string
	Style    string // "", primary, danger
	// Means is what the press means beyond the action: an option, a scope. It is stored in the row and
	// never sent.
	Means string `json:"-"`
}

// String returns the line as it is posted, as plain text.
func (l Line) String() string { return fmt.Sprintf("[%s] %s", l.Agent, l.Marked()) }
