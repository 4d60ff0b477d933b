package render

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// Text that needs more than three replies becomes a file: the first reply says so, and the file holds the
// whole text as Markdown. If Slack refuses the file, the remaining replies are posted instead.

const (
	maxReplies = 3
	spillRoom  = 200 // characters of the first reply that are left for the line that names the file
	spillKey   = "#whole"
)

// Message renders a posting as it is sent: replies, and files after them. The same posting always gives the
// same result.
func (s Style) Message(p *workflow.Posting) (parts []Part, files []File) {
	parts = s.renderParts(p)
	files = filesOf(p)
	if len(parts) <= maxReplies {
		return parts, files
	}
	shorter := s.cutParts(p, MaxPart-spillRoom)
	whole := File{Key: p.Key + spillKey, Agent: p.Lines[0].Agent, File: wholeText(p), Instead: shorter[1:]}
	whole.Mark = markOf(whole.Key)
	first := shorter[0]
	first.Text += fmt.Sprintf("\n… (cut here; the whole, %d characters, is in the file `%s` below)",
		utf8.RuneCountInString(whole.Text), whole.DisplayName())
	for _, l := range p.Lines { // all mentions are in the first reply
		if called := s.mentions(l); !strings.Contains(first.Text, called) {
			first.Text += called
		}
	}
	first.Blocks = blocksOf(first.Text, "", p.Lines)
	return []Part{first}, append([]File{whole}, files...)
}

// wholeText returns the posting as a Markdown file, cut at the limit for files.
func wholeText(p *workflow.Posting) workflow.File {
	text := mrkdwn.Visible(p.Text())
	if len(text) > MaxFile {
		text = strings.ToValidUTF8(text[:MaxFile-100], "") + "\n\n… (cut: a file holds 1 MiB)\n"
	}
	title := strings.Trim(mrkdwn.OneLine(p.Lines[0].Text, 80), "#*_` ")
	return workflow.File{
		Name:  mrkdwn.OneLine(p.Lines[0].Agent, 40) + ".md",
		Title: cmp.Or(title, "The whole text"),
		Text:  text,
	}
}
