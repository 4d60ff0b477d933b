package bot

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

const (
	maxPart    = 3500 // characters of one reply; Slack advises 4,000
	maxSection = 2900 // of one section block; Slack refuses 3,000
	maxLabel   = 75   // of a button
	maxActions = 25   // in one actions block
)

// A part is one message of a posting. A posting that is too long for one is several,
// each with a key of its own.
type part struct {
	key    string
	text   string
	blocks []slack.Block
}

// parts renders a posting. The same posting always gives the same parts, so that a later
// try knows which of them are in the thread already.
func (r renderer) parts(p *workflow.Posting) []part {
	parts := r.cut(p, maxPart)
	last := &parts[len(parts)-1]
	last.blocks = withButtons(last.text, p.Lines)
	return parts
}

// cut renders a posting into parts of at most so many characters, without buttons.
func (r renderer) cut(p *workflow.Posting, most int) []part {
	lines := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		lines[i] = r.line(l) + r.calls(l)
	}
	var parts []part
	for i, text := range split(strings.Join(lines, "\n"), most) {
		key := p.Key
		if i > 0 {
			key = fmt.Sprintf("%s#%d", p.Key, i+1)
		}
		parts = append(parts, part{key: key, text: text})
	}
	return parts
}

// line is "[agent] text"; a block of code begins below the agent's name. Only the program
// signs: what looks like a signature further down in a text is quoted.
func (r renderer) line(l workflow.Line) string {
	r.code = l.Code
	name, said := escape(oneLine(l.Agent, 80)), r.mrkdwn(l.Text)
	if !r.forgeable {
		said = unsigned(said)
	}
	if strings.HasPrefix(said, fence) {
		return "[" + name + "]\n" + said
	}
	return "[" + name + "] " + said
}

// withButtons makes blocks where there are buttons. Without any, the text alone says it
// all, and looks the same.
func withButtons(text string, lines []workflow.Line) []slack.Block {
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
	for _, s := range split(text, maxSection) {
		blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, s, false, true), nil, nil))
	}
	return append(blocks, rows...)
}

func buttonRow(buttons []workflow.Button, used map[string]int) *slack.ActionBlock {
	elements := make([]slack.BlockElement, len(buttons))
	for i, b := range buttons {
		label := slack.NewTextBlockObject(slack.PlainTextType, cmp.Or(oneLine(b.Label, maxLabel), "…"), false, false)
		e := slack.NewButtonBlockElement(actionID(b.ActionID, used), b.Value, label)
		if b.Style == "primary" || b.Style == "danger" {
			e = e.WithStyle(slack.Style(b.Style))
		}
		elements[i] = e
	}
	return slack.NewActionBlock("", elements...)
}

// actionSuffix tells buttons of one kind apart in a message, where Slack wants every
// action id once: option, option#2, option#3. The gateway takes it off again.
const actionSuffix = "#"

func actionID(id string, used map[string]int) string {
	used[id]++
	if used[id] == 1 {
		return id
	}
	return fmt.Sprintf("%s%s%d", id, actionSuffix, used[id])
}
