package mrkdwn

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Renderer turns the Markdown that models write into Slack's mrkdwn. It changes only the marks (bold,
// italics, headings, links, fences) and keeps the layout: lines, indentation and list markers.
//
// Nothing in the text reaches Slack as a command: &, < and > are escaped everywhere, so <!channel> and <@U…>
// are plain text. An address is shown as code, which Slack does not link, unless it is under one of Links.
type Renderer struct {
	Links []string // addresses under which links are clickable, such as https://github.com/acme/
	// Code holds the address of a line of code by repository, with the placeholders {commit}, {path} and
	// {line}.
	Code map[string]string
}

// Render renders one text. Places in code that the text names become links if code lists them.
func (r Renderer) Render(markdown string, code *workflow.Code) string {
	src := []byte(strings.TrimRight(Visible(markdown), " \t\n"))
	doc := markdownParser.Parse(text.NewReader(src))
	p := &page{Renderer: r, known: code, src: src}
	p.blocks(doc)
	p.gapTo(len(src))
	return strings.Trim(p.out.String(), "\n")
}

// markdownParser parses CommonMark, with emphasis only where it is clearly meant, and ~~strikethrough~~. It
// does not parse tables; the method paragraph renders them as code with aligned columns.
var markdownParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(newEmphasisParser(), 500),
	),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

// page is the state of one rendering. The source up to the offset done has been written.
type page struct {
	Renderer
	known *workflow.Code // existing places in code; nil: none are known
	src   []byte
	out   strings.Builder
	done  int

	lines *text.Segments // lines of the current block
	line  int
	after bool // the previous block was a heading
}

func (p *page) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			p.paragraph(c)
		case *ast.Heading:
			p.heading(c)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			p.codeBlock(c)
		case *ast.HTMLBlock:
			p.rawHTML(c)
		default:
			p.blocks(c)
		}
	}
}

// begin writes the source between the last block and n, which becomes the current block. It returns false if
// the block has no lines.
func (p *page) begin(n ast.Node) bool {
	p.lines, p.line = n.Lines(), 0
	if p.lines == nil || p.lines.Len() == 0 {
		return false
	}
	p.gapTo(p.lineStart(p.lines.At(0).Start))
	return true
}

func (p *page) end() { p.done = p.lines.At(p.lines.Len() - 1).Stop }

func (p *page) lineStart(at int) int {
	return bytes.LastIndexByte(p.src[:at], '\n') + 1
}

var (
	fenceLine  = regexp.MustCompile("^[ \t>*+-]*(?:\\d+[.)])?[ \t]*(?:```+|~~~+)[^`]*$")
	underline  = regexp.MustCompile(`^ {0,3}(?:=+|-+)[ \t]*$`)
	starMarker = regexp.MustCompile(`^([ \t>]*)[*+]([ \t]+)`)
)

// gapTo writes source that belongs to no block: blank lines, rules, link definitions. It leaves out the fences
// and underlines of the neighbouring blocks.
func (p *page) gapTo(at int) {
	if at <= p.done {
		return
	}
	first := true
	for line := range strings.SplitAfterSeq(string(p.src[p.done:at]), "\n") {
		bare := strings.TrimRight(line, "\n")
		switch {
		case fenceLine.MatchString(bare), p.after && !first && underline.MatchString(bare):
			continue
		case bare != line || bare != "":
			p.out.WriteString(p.plain(bare))
			if bare != line {
				p.out.WriteByte('\n')
			}
		}
		first = false
	}
	p.done, p.after = at, false
}

// prefix returns what precedes the text of the current line: indentation, quote marks or a list marker.
func (p *page) prefix() string {
	s := p.lines.At(p.line).Start
	raw := string(p.src[p.lineStart(s):s])
	return Escape(starMarker.ReplaceAllString(raw, "$1-$2"))
}

var tableRule = regexp.MustCompile(`(?m)^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$`)

func (p *page) paragraph(n ast.Node) {
	if !p.begin(n) {
		return
	}
	whole := string(p.src[p.lineStart(p.lines.At(0).Start):p.lines.At(p.lines.Len()-1).Stop])
	if p.lines.Len() > 1 && tableRule.MatchString(whole) {
		p.fenced(alignTable(strings.TrimRight(whole, "\n")))
	} else {
		p.out.WriteString(p.prefix())
		p.inlines(n)
		p.breakTo(len(p.src))
	}
	p.end()
	p.out.WriteString(p.lineEnd())
}

// lineEnd returns the line end of the block's last line, if it has one.
func (p *page) lineEnd() string {
	if p.done > 0 && p.src[p.done-1] == '\n' {
		return "\n"
	}
	return ""
}

func (p *page) heading(n *ast.Heading) {
	if !p.begin(n) {
		return
	}
	p.out.WriteString("*")
	p.inlines(n)
	p.out.WriteString("*")
	p.end()
	p.out.WriteString(p.lineEnd())
	if end := strings.IndexByte(string(p.src[p.done:]), '\n'); end > 0 && strings.Trim(string(p.src[p.done:p.done+end]), "# \t") == "" {
		p.done += end // skips the closing marks of "## so ##"
	} else if end < 0 && strings.Trim(string(p.src[p.done:]), "# \t") == "" {
		p.done = len(p.src)
	}
	p.after = true
}

// codeBlock writes a fenced or indented code block. Slack has only one kind of fence, without a language.
func (p *page) codeBlock(n ast.Node) {
	if !p.begin(n) {
		return
	}
	var b strings.Builder
	for i := range p.lines.Len() {
		s := p.lines.At(i)
		b.Write(s.Value(p.src))
	}
	p.fenced(strings.TrimRight(b.String(), "\n"))
	p.end()
	p.out.WriteString(p.lineEnd())
}

func (p *page) fenced(code string) {
	if s := p.out.String(); s != "" && !strings.HasSuffix(s, "\n") {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(Fence + "\n" + Escape(unfence(code)) + "\n" + Fence)
}

const Fence = "```"

// unfence keeps code from ending the fenced block that holds it.
func unfence(code string) string { return strings.ReplaceAll(code, Fence, "`\u200b`\u200b`") }

func (p *page) rawHTML(n *ast.HTMLBlock) {
	if !p.begin(n) {
		return
	}
	end := p.lines.At(p.lines.Len() - 1).Stop
	if n.HasClosure() {
		end = max(end, n.ClosureLine.Stop)
	}
	p.out.WriteString(p.plain(string(p.src[p.done:end])))
	p.done = end
}

// breakTo advances to the line that holds the offset at, and writes the prefix of each line that it reaches.
func (p *page) breakTo(at int) {
	for p.line+1 < p.lines.Len() && at >= p.lines.At(p.line+1).Start {
		p.line++
		p.out.WriteString("\n" + p.prefix())
	}
}

func (p *page) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if at := firstOffset(c); at >= 0 {
			p.breakTo(at)
		}
		p.inline(c)
	}
}

func (p *page) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.out.WriteString(p.plain(unslash.Replace(strings.TrimRight(string(n.Segment.Value(p.src)), "\n"))))
	case *ast.String:
		p.out.WriteString(p.plain(string(n.Value)))
	case *ast.CodeSpan:
		if link := p.linkPlace(p.words(n)); link != "" {
			p.out.WriteString(link)
			p.breakTo(lastOffset(n))
			return
		}
		p.out.WriteString("`" + Escape(strings.ReplaceAll(p.code(n), "`", "'")) + "`")
		p.breakTo(lastOffset(n))
	case *ast.Emphasis:
		p.marked(n, map[int]string{1: "_", 2: "*"}[n.Level])
	case *xast.Strikethrough:
		p.marked(n, "~")
	case *ast.Link:
		if end, is := p.isCode(n); is {
			p.out.WriteString("[")
			p.inlines(n)
			p.out.WriteString(p.plain(end))
			return
		}
		p.out.WriteString(p.link(string(n.Destination), p.words(n)))
	case *ast.Image:
		p.out.WriteString(p.link(string(n.Destination), p.words(n)))
	case *ast.AutoLink:
		p.out.WriteString(p.link(string(n.URL(p.src)), ""))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			p.breakTo(s.Start)
			p.out.WriteString(p.plain(strings.TrimRight(string(s.Value(p.src)), "\n")))
		}
	default:
		p.inlines(n)
	}
}

func (p *page) marked(n ast.Node, mark string) {
	p.out.WriteString(mark)
	p.inlines(n)
	p.out.WriteString(mark)
}

// words returns the text within n, without marks.
func (p *page) words(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(p.src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.RawHTML:
			b.Write(n.Segments.Value(p.src))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// code returns the text of a code span with its blanks; a line end becomes one blank.
func (p *page) code(n *ast.CodeSpan) string {
	if n.ChildCount() != 1 {
		return p.words(n)
	}
	return strings.TrimRight(string(n.FirstChild().(*ast.Text).Segment.Value(p.src)), "\n")
}

// isCode reports whether n has the form of a link but is code, such as a[i](x), because its destination is no
// address. It also returns the source after the link's text.
func (p *page) isCode(n *ast.Link) (end string, is bool) {
	end = "](" + string(n.Destination) + ")"
	return end, n.Pos() >= 0 && n.FirstChild() != nil && !strings.ContainsAny(string(n.Destination), ":/.#") && bytes.Contains(p.src[n.Pos():], []byte(end))
}

// firstOffset returns the offset of the first text within n, or -1 if there is none.
func firstOffset(n ast.Node) int {
	switch n := n.(type) {
	case *ast.Text:
		return n.Segment.Start
	case *ast.RawHTML:
		if n.Segments.Len() > 0 {
			return n.Segments.At(0).Start
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if at := firstOffset(c); at >= 0 {
			return at
		}
	}
	return -1
}

func lastOffset(n ast.Node) int {
	if t, is := n.LastChild().(*ast.Text); is {
		return t.Segment.Start
	}
	return -1
}

// unslash removes the backslashes of Markdown's escapes; other backslashes stay.
var unslash = strings.NewReplacer(`\*`, "*", `\_`, "_", "\\`", "`", `\#`, "#")

var address = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|tel:|slack:)[^\s<>"'` + "`" + `|)\]}]+`)

// BreakAddresses puts an invisible character into each address, so that Slack does not turn it into a link.
func BreakAddresses(s string) string {
	return address.ReplaceAllStringFunc(s, func(a string) string {
		at := strings.IndexAny(a, ":.")
		return a[:at] + "\u200b" + a[at:]
	})
}

// RenderPlain returns text in which mentions, links and markup are disabled.
func RenderPlain(text string) string { return (&page{}).plain(text) }

// plain returns text without markup; its addresses are links or code. It replaces backticks, since a lone
// backtick would pair with one of the code that follows.
func (p *page) plain(s string) string {
	s = strings.ReplaceAll(s, "`", "'")
	var b strings.Builder
	for {
		at := address.FindStringIndex(s)
		if at == nil {
			break
		}
		found := strings.TrimRight(s[at[0]:at[1]], ".,;:!?*_~")
		b.WriteString(p.linkPlaces(s[:at[0]]) + p.link(found, ""))
		s = s[at[0]+len(found):]
	}
	b.WriteString(p.linkPlaces(s))
	return b.String()
}

// link returns the label followed by the address: as a link if it may be clicked, else with the address as
// code.
func (r Renderer) link(to, words string) string {
	words = strings.TrimSpace(words)
	if r.mayLink(to) {
		target := linkTarget.Replace(to)
		if words == "" || words == to {
			return "<" + target + ">"
		}
		return "<" + target + "|" + Escape(strings.ReplaceAll(words, "|", "/")) + ">"
	}
	shown := "`" + Escape(strings.ReplaceAll(to, "`", "'")) + "`"
	switch {
	case to == "":
		return Escape(words)
	case words == "", words == to:
		return shown
	}
	return Escape(strings.ReplaceAll(words, "://", ": //")) + " (" + shown + ")"
}

var linkTarget = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C", " ", "%20", "`", "%60")

// climbs reports whether a path has a ".." segment, as browsers read it.
func climbs(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// mayLink reports whether an address may be clicked. It compares the parsed host and path, so that look-alike
// hosts, a user name before an @, and ../ cannot bypass the check.
func (r Renderer) mayLink(to string) bool {
	u, err := url.Parse(to)
	if err != nil || u.User != nil || climbs(u.Path) {
		return false
	}
	for _, l := range r.Links {
		allowed, err := url.Parse(l)
		if err != nil || allowed.Host == "" || u.Scheme != allowed.Scheme || !strings.EqualFold(u.Host, allowed.Host) {
			continue
		}
		base := strings.TrimRight(allowed.EscapedPath(), "/")
		if u.EscapedPath() == base || strings.HasPrefix(u.EscapedPath(), base+"/") {
			return true
		}
	}
	return false
}
