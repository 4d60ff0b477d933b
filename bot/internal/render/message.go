package render

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

const (
	MaxPart    = 3500 // characters of one reply; Slack advises at most 4,000
	maxSection = 2900 // characters of one section block; Slack's limit is 3,000
	maxLabel   = 75   // characters of a button's label
	maxActions = 25   // buttons in one actions block
	minMenu    = 2    // options in an overflow menu
	maxMenu    = 5
	maxNote    = 300 // characters of a note below a message
)

// A Style configures how lines are rendered and whom they may mention.
type Style struct {
	mrkdwn.Renderer
	Mentionable []string // ids of people and user groups that a line may mention after its text
	// MentionsOwners lets a line mention any person, since a repository's history
	// names the people who know it.
	MentionsOwners bool
	// PageOf returns the address of a session's page, which footers link; nil: sessions have no pages.
	PageOf func(session string) string

	forgeable bool // tests only: leave what looks like another agent's signature or the program's mark
}

// A Part is one message of a posting. A posting that is too long for one message has several parts, each with
// its own key.
type Part struct {
	Key    string
	Text   string
	Blocks []slack.Block
}

// renderParts renders a posting. The same posting always has the same parts, so that a later try can find out
// which of them are already in the thread.
func (s Style) renderParts(p *workflow.Posting) []Part {
	parts := s.cutParts(p, MaxPart)
	last := &parts[len(parts)-1]
	last.Blocks = blocksOf(last.Text, "", p.Lines)
	return parts
}

// cutParts renders a posting into parts of at most that many characters, without buttons.
func (s Style) cutParts(p *workflow.Posting, most int) []Part {
	lines := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		lines[i] = s.lineWithPage(l, p.Session)
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

// Line renders one line as "[agent] text"; a code block begins below the agent's name. Only the program signs
// lines: what looks like a signature further down in the text is quoted. Only lines that the program
// vouches for begin with its mark.
func (s Style) Line(l workflow.Line) string {
	name := mrkdwn.Escape(mrkdwn.OneLine(l.Agent, 80))
	words := s.words(l)
	if !s.forgeable {
		words = mrkdwn.QuoteSignatures(words)
	}
	if strings.HasPrefix(words, mrkdwn.Fence) {
		return "[" + name + "]\n" + words
	}
	return "[" + name + "] " + words
}

// lineWithMentions renders a line and its mentions, which come before its footer: a footer is small.
func (s Style) lineWithMentions(l workflow.Line) string {
	text := s.Line(l)
	called := s.mentions(l)
	if above, footer := cutFooter(text); footer != "" && called != "" {
		return above + called + "\n" + footer
	}
	return text + called
}

// lineWithPage renders a line with its mentions. Its footer ends with a link to the page of the session.
func (s Style) lineWithPage(l workflow.Line, session string) string {
	text := s.lineWithMentions(l)
	_, footer := cutFooter(text)
	if footer == "" || session == "" || s.PageOf == nil {
		return text
	}
	return text + footerMark + "<" + mrkdwn.Escape(s.PageOf(session)) + "|session page>"
}

// footerMark separates the facts of a footer.
const footerMark = " · "

// cutFooter cuts the footer from a rendered text: a last line of the program that lists facts, such as the
// revision and the commit of a report. Without one it returns an empty footer.
func cutFooter(text string) (above, footer string) {
	at := strings.LastIndex(text, "\n")
	marked := strings.HasPrefix(text[at+1:], workflow.Mark+" ")
	if at < 0 || !marked || !strings.Contains(text[at:], footerMark) {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// Brief returns a line with its first line and its footer alone.
func Brief(l workflow.Line) workflow.Line {
	lines := strings.Split(l.Text, "\n")
	last := len(lines) - 1
	vouched := workflow.FirstOnly(l.Vouched)
	if last > 0 && slices.Contains(l.Vouched, last) && strings.Contains(lines[last], footerMark) {
		l.Text = lines[0] + "\n" + lines[last]
		vouched = append(vouched, 1)
	} else {
		l.Text = lines[0]
	}
	l.Vouched = vouched
	return l
}

// words renders the text of a line. Each line that the program vouches for is rendered by itself, so that no
// markup of the others reaches into it.
func (s Style) words(l workflow.Line) string {
	var texts []string
	for _, p := range l.Pieces() {
		text := s.Render(p.Text, l.Code)
		switch {
		case text == "" && p.Vouched:
			continue
		case !s.forgeable:
			text = l.Mark(text, p)
		case p.Vouched:
			text = workflow.Mark + " " + text
		}
		texts = append(texts, text)
	}
	return strings.Trim(strings.Join(texts, "\n"), "\n")
}

// blocksOf returns blocks with the text, a small footer if the text has one, a note, and the buttons. It
// returns nil if there is only text, since that alone looks the same.
func blocksOf(text, note string, lines []workflow.Line) []slack.Block {
	above, footer := cutFooter(text)
	var rows []slack.Block
	used := map[workflow.ActionID]int{}
	for _, l := range lines {
		rows = append(rows, buttonRows(l.Buttons, used)...)
	}
	if rows == nil && footer == "" {
		return nil
	}
	var blocks []slack.Block
	for _, section := range mrkdwn.SplitText(shapeDiagnosis(above), maxSection) {
		blocks = append(blocks, slack.NewSectionBlock(verbatim(section), nil, nil))
	}
	if footer != "" {
		blocks = append(blocks, slack.NewContextBlock("", verbatim(footer)))
	}
	if note != "" {
		blocks = append(blocks, slack.NewSectionBlock(verbatim(note), nil, nil))
	}
	return append(blocks, rows...)
}

func verbatim(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, text, false, true)
}

var (
	diagnosisBug   = regexp.MustCompile(`(?m)^=== Diagnosis Report ===\n(?:Bug: [^\n]*\n)?`)
	diagnosisEnd   = regexp.MustCompile(`(?m)\n=== Diagnosis Report ===$`)
	diagnosisLabel = regexp.MustCompile(`(?m)^(Root cause|Affected scope|Proposed fix|Risk):`)
)

// shapeDiagnosis returns the text with its Diagnosis Report shaped for blocks: the labels are bold, and the
// headline above says what the bug is.
func shapeDiagnosis(text string) string {
	from := diagnosisBug.FindStringIndex(text)
	if from == nil {
		return text
	}
	report := diagnosisEnd.ReplaceAllString(text[from[1]:], "")
	return text[:from[0]] + diagnosisLabel.ReplaceAllString(report, "*$1*")
}

// buttonRows returns rows with the buttons, of at most maxActions each. Those that belong in the menu are in
// an overflow menu at the end, as far as they fit there.
func buttonRows(buttons []workflow.Button, used map[workflow.ActionID]int) (rows []slack.Block) {
	var shown, menu []workflow.Button
	for _, b := range buttons {
		if b.Menu {
			menu = append(menu, b)
		} else {
			shown = append(shown, b)
		}
	}
	if len(menu) < minMenu {
		shown = append(shown, menu...)
		menu = nil
	}
	if len(menu) > maxMenu {
		shown = append(shown, menu[maxMenu:]...)
		menu = menu[:maxMenu]
	}
	for at := 0; at < len(shown); at += maxActions {
		row := buttonRow(shown[at:min(at+maxActions, len(shown))], used)
		if menu != nil && len(row.Elements.ElementSet) < maxActions {
			row.Elements.ElementSet = append(row.Elements.ElementSet, overflowMenu(menu, used))
			menu = nil
		}
		rows = append(rows, row)
	}
	if menu != nil {
		rows = append(rows, slack.NewActionBlock("", overflowMenu(menu, used)))
	}
	return rows
}

// overflowMenu returns the menu "⋯". The value of an option is the action and the value of its button.
func overflowMenu(buttons []workflow.Button, used map[workflow.ActionID]int) slack.BlockElement {
	options := make([]*slack.OptionBlockObject, len(buttons))
	for i, b := range buttons {
		options[i] = slack.NewOptionBlockObject(event.MenuValue(b.ActionID, b.Value), buttonLabel(b), nil)
	}
	return slack.NewOverflowBlockElement(actionID(event.MenuAction, used), options...)
}

func buttonLabel(b workflow.Button) *slack.TextBlockObject {
	return plainText(cmp.Or(mrkdwn.OneLine(workflow.Unmark(b.Label), maxLabel), "…"))
}

func buttonRow(buttons []workflow.Button, used map[workflow.ActionID]int) *slack.ActionBlock {
	elements := make([]slack.BlockElement, len(buttons))
	for i, b := range buttons {
		e := slack.NewButtonBlockElement(actionID(b.ActionID, used), b.Value, buttonLabel(b))
		if b.Style == "primary" || b.Style == "danger" {
			e = e.WithStyle(slack.Style(b.Style))
		}
		elements[i] = e
	}
	return slack.NewActionBlock("", elements...)
}

func actionID(id workflow.ActionID, used map[workflow.ActionID]int) string {
	used[id]++
	if used[id] == 1 {
		return string(id)
	}
	return fmt.Sprintf("%s%s%d", id, event.ActionSuffix, used[id])
}

// howToAnswer matches the end of a line that says how to answer it, and the link to a page after that.
var howToAnswer = regexp.MustCompile(
	`(?: · (?:nothing is (?:changed|written) yet|what is done so far is kept)\.|` +
		`\s(?:◆ )?(?:No code was changed\.)?) ?(?:Reply|Say) "(?:[^"\n]*: )?(?:fix it|yes|go ahead)"` +
		`[^\n]*?( · <[^<>|\s]+\|session page>)?$`)

// WithNote returns the part with a note below its text, and with the buttons of these lines. The instructions
// on how to answer are removed, since the note says what was answered.
func (p Part) WithNote(note string, lines []workflow.Line) Part {
	note = "&gt; " + workflow.Mark + " " + mrkdwn.Escape(workflow.WithoutMark(mrkdwn.OneLine(note, maxNote)))
	text := howToAnswer.ReplaceAllString(p.Text, "$1")
	p.Text = text + "\n" + note
	p.Blocks = blocksOf(text, note, lines)
	return p
}

// WithoutBlocks returns the part without its blocks. Its text holds everything that they show, and what a
// button does can also be asked for in words.
func (p Part) WithoutBlocks() Part {
	p.Text += "\n&gt; " + workflow.Mark + " Slack refused the buttons of this message. Answer in words."
	p.Blocks = nil
	return p
}
