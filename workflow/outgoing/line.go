// Package outgoing holds what goes out, each stored as a row before it happens: a Line with its Buttons
// and Files, the Posting that puts lines into the thread exactly once, and the Push of a commit.
// bot/render makes Slack's blocks of a line, bot/poster posts it, and turn/delivery pushes.
package outgoing

import (
	"fmt"
	"slices"
	"strings"
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

// Mask returns a copy of the line in which mask was applied to its text, its files and their titles, and
// the labels and meanings of its buttons. The meaning of a press is masked like the text that was shown
// beside it, such as the options of a question: the two are compared. What stays are names and ids, and the
// content of pictures.
func (l Line) Mask(mask func(string) string) Line {
	masked := mask(l.Text)
	if strings.Count(masked, "\n") != strings.Count(l.Text, "\n") { // the numbers are another line's now
		l.Vouched = FirstOnly(l.Vouched)
	}
	l.Text = masked
	l.Files, l.Buttons = slices.Clone(l.Files), slices.Clone(l.Buttons)
	for i, f := range l.Files {
		l.Files[i].Name, l.Files[i].Title, l.Files[i].Text = mask(f.Name), mask(f.Title), mask(f.Text)
	}
	for i, b := range l.Buttons {
		l.Buttons[i].Label, l.Buttons[i].Means = mask(b.Label), mask(b.Means)
	}
	return l
}

// String returns the line as it is posted, as plain text.
func (l Line) String() string { return fmt.Sprintf("[%s] %s", l.Agent, l.Marked()) }
