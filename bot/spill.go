package bot

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
)

// Text of more than three replies is a file: the first reply says so, and the file holds
// the whole as it was written. Where Slack takes no file, the replies follow after all.

const (
	maxReplies = 3
	spillRoom  = 200 // characters of the first reply for the line that names the file
	spillKey   = "#whole"
)

func (p *Poster) render() renderer { return renderer{Links: p.Links, Calls: p.Calls, Code: p.Code} }

// shape is a posting as it is sent: replies, and the files behind them. The same posting
// always has the same shape.
func (r renderer) shape(p *workflow.Posting) (parts []part, files []fileCopy) {
	parts, files = r.parts(p), copies(p)
	if len(parts) <= maxReplies {
		return parts, files
	}
	shorter := r.cut(p, maxPart-spillRoom)
	whole := fileCopy{key: p.Key + spillKey, agent: p.Lines[0].Agent, File: wholeText(p), instead: shorter[1:]}
	whole.mark = markOf(whole.key)
	first := shorter[0]
	first.text += fmt.Sprintf("\n… (cut here; the whole, %d characters, is in the file `%s` below)", utf8.RuneCountInString(whole.Text), whole.shown())
	for _, l := range p.Lines { // whoever is called is called by the first reply
		if called := r.calls(l); !strings.Contains(first.text, called) {
			first.text += called
		}
	}
	first.blocks = withButtons(first.text, p.Lines)
	return []part{first}, append([]fileCopy{whole}, files...)
}

// wholeText is the posting as Markdown, bounded as files are.
func wholeText(p *workflow.Posting) workflow.File {
	text := visible(p.Text())
	if len(text) > maxFile {
		text = strings.ToValidUTF8(text[:maxFile-100], "") + "\n\n… (cut: a file holds 1 MiB)\n"
	}
	title := strings.Trim(oneLine(p.Lines[0].Text, 80), "#*_` ")
	return workflow.File{Name: oneLine(p.Lines[0].Agent, 40) + ".md", Title: cmp.Or(title, "The whole text"), Text: text}
}
