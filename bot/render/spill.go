package render

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// Text of more than three replies is a file: the first reply says so, and the file holds
// the whole as it was written. Where Slack takes no file, the replies follow after all.

const (
	maxReplies = 3
	spillRoom  = 200 // characters of the first reply for the line that names the file
	spillKey   = "#whole"
)

// Message is a posting as it is sent: replies, and the files behind them. The same posting
// always has the same shape.
func (s Style) Message(p *workflow.Posting) (parts []Part, files []File) {
	parts, files = s.renderParts(p), filesOf(p)
	if len(parts) <= maxReplies {
		return parts, files
	}
	shorter := s.cutParts(p, MaxPart-spillRoom)
	whole := File{Key: p.Key + spillKey, Agent: p.Lines[0].Agent, File: wholeText(p), Instead: shorter[1:]}
	whole.Mark = markOf(whole.Key)
	first := shorter[0]
	first.Text += fmt.Sprintf("\n… (cut here; the whole, %d characters, is in the file `%s` below)", utf8.RuneCountInString(whole.Text), whole.ShownName())
	for _, l := range p.Lines { // whoever is called is called by the first reply
		if called := s.mentions(l); !strings.Contains(first.Text, called) {
			first.Text += called
		}
	}
	first.Blocks = withButtons(first.Text, p.Lines)
	return []Part{first}, append([]File{whole}, files...)
}

// wholeText is the posting as Markdown, bounded as files are.
func wholeText(p *workflow.Posting) workflow.File {
	text := mrkdwn.Visible(p.Text())
	if len(text) > MaxFile {
		text = strings.ToValidUTF8(text[:MaxFile-100], "") + "\n\n… (cut: a file holds 1 MiB)\n"
	}
	title := strings.Trim(mrkdwn.OneLine(p.Lines[0].Text, 80), "#*_` ")
	return workflow.File{Name: mrkdwn.OneLine(p.Lines[0].Agent, 40) + ".md", Title: cmp.Or(title, "The whole text"), Text: text}
}
