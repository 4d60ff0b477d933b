package render

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
)

const (
	MaxPart    = 3500 // characters of one reply; Slack advises 4,000
	maxSection = 2900 // of one section block; Slack refuses 3,000
	maxLabel   = 75   // of a button
	maxActions = 25   // in one actions block
)

// A Style says how lines are rendered, and whom they may mention.
type Style struct {
	mrkdwn.Renderer
	Calls []string // ids of people and user groups that a line may mention, beside its text
	// CallsOwners lets a line mention any person, since who knows a repository is in its history.
	CallsOwners bool

	forgeable bool // tests only: a text may look as if several agents had signed it
}

// A Part is one message of a posting. A posting that is too long for one message has several
// parts, each with a key of its own.
type Part struct {
	Key    string
	Text   string
	Blocks []slack.Block
}

// renderParts renders a posting. The same posting always gives the same parts, so that a later
// try knows which of them are in the thread already.
func (s Style) renderParts(p *outgoing.Posting) []Part {
	parts := s.cutParts(p, MaxPart)
	last := &parts[len(parts)-1]
	last.Blocks = withButtons(last.Text, p.Lines)
	return parts
}

// cutParts renders a posting into parts of at most so many characters, without buttons.
func (s Style) cutParts(p *outgoing.Posting, most int) []Part {
	lines := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		lines[i] = s.Line(l) + s.mentions(l)
	}
	var parts []Part
	for i, text := range mrkdwn.SplitText(strings.Join(lines, "\n"), most) {
		key := p.Key
		if i > 0 {
			key = fmt.Sprintf("%s#%d", p.Key, i+1)
		}
		parts = append(parts, Part{Key: key, Text: text})
	}
	return parts
}

// Line is "[agent] text"; a block of code begins below the agent's name. Only the program
// signs: what looks like a signature further down in a text is quoted.
func (s Style) Line(l outgoing.Line) string {
	name, words := mrkdwn.Escape(mrkdwn.OneLine(l.Agent, 80)), s.Render(l.Text, l.Code)
	if !s.forgeable {
		words = mrkdwn.QuoteSignatures(words)
	}
	if strings.HasPrefix(words, mrkdwn.Fence) {
		return "[" + name + "]\n" + words
	}
	return "[" + name + "] " + words
}

// withButtons adds blocks if there are buttons. Without any, the text alone looks the same.
func withButtons(text string, lines []outgoing.Line) []slack.Block {
	var rows []slack.Block
	used := map[string]int{}
	for _, l := range lines {
		for at := 0; at < len(l.Buttons); at += maxActions {
			rows = append(rows, buttonRow(l.Buttons[at:min(at+maxActions, len(l.Buttons))], used))
		}
	}
	if rows == nil {
		return nil
	}
	var blocks []slack.Block
	for _, section := range mrkdwn.SplitText(text, maxSection) {
		blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, section, false, true), nil, nil))
	}
	return append(blocks, rows...)
}

func buttonRow(buttons []outgoing.Button, used map[string]int) *slack.ActionBlock {
	elements := make([]slack.BlockElement, len(buttons))
	for i, b := range buttons {
		label := slack.NewTextBlockObject(slack.PlainTextType, cmp.Or(mrkdwn.OneLine(b.Label, maxLabel), "…"), false, false)
		e := slack.NewButtonBlockElement(actionID(b.ActionID, used), b.Value, label)
		if b.Style == "primary" || b.Style == "danger" {
			e = e.WithStyle(slack.Style(b.Style))
		}
		elements[i] = e
	}
	return slack.NewActionBlock("", elements...)
}

func actionID(id string, used map[string]int) string {
	used[id]++
	if used[id] == 1 {
		return id
	}
	return fmt.Sprintf("%s%s%d", id, event.ActionSuffix, used[id])
}

// howToAnswer is the end of a line that waits for an answer.
var howToAnswer = regexp.MustCompile(`\s(No code was changed\. )?Reply "(fix it|yes)"[^\n]*$`)

// WithNote returns the part of these lines with a note below its text, which no longer says
// how to answer it: the note says how it was answered.
func (p Part) WithNote(note string, lines []outgoing.Line) Part {
	p.Text = howToAnswer.ReplaceAllString(p.Text, "") + note
	p.Blocks = withButtons(p.Text, lines)
	return p
}

// WithoutBlocks returns the part without its blocks. Its text holds all that they show, and
// what a button does can also be asked for in words.
func (p Part) WithoutBlocks() Part {
	p.Text += "\n&gt; Slack refused the buttons of this message. Answer in words."
	p.Blocks = nil
	return p
}
