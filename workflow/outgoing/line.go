// Package outgoing is what goes out, each a row before it happens: a Line with its Buttons and
// Files, the Posting that puts lines in the thread exactly once, and the Push of a commit.
// bot/render makes Slack's blocks of a line, bot/poster posts it; turn/delivery pushes.
package outgoing

import (
	"fmt"
)

// A Line is one thing said in the thread: "[agent] text".
type Line struct {
	Agent string
	Text  string
	// Buttons are shown under the line, in this order.
	Buttons []Button
	// Calls are ids of people and user groups who are told of the line. Only those that the
	// configuration names are called, and where it says so who knows the code.
	Calls []string
	// Files are attached to the reply.
	Files []File
	// Progress lines only tell how the work goes on: they join the newest reply of such lines.
	Progress bool
	// Code says where the places in the text are, which may be made links; nil: nobody looked.
	Code *Code
}

// Code is which places (path:line) of a text are there, and where.
type Code struct {
	Repository string   `json:"repository"` // its name in the configuration
	Commit     string   `json:"commit"`     // which its remote has
	Places     []string `json:"places"`
}

// A File is text that is too long for a reply, or that people want to keep, or a picture.
type File struct {
	Name  string `json:"name"` // plan.md
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Data  []byte `json:"data,omitempty"` // in the place of Text, of what is no text
	// Snippet is Slack's name of a language to show it in, such as diff; empty: as a file.
	Snippet string `json:"snippet,omitempty"`
}

// A Button carries an opaque id and nothing else; what it stands for is a row.
type Button struct {
	ActionID string
	Label    string
	Value    string
	Style    string // "", primary, danger
	// Means is what the press stands for beyond the action: an option, a scope. It is
	// kept in the row and never sent.
	Means string `json:"-"`
}

// String is the line as it is posted.
func (l Line) String() string { return fmt.Sprintf("[%s] %s", l.Agent, l.Text) }
