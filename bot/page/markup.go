package page

import (
	"html"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/workflow"
)

// A markup turns text as the thread has it into HTML: lists, code and emphasis, and places in code as links.
// Nothing in the text becomes a tag of the page, and only known addresses can be clicked, as in Slack.
type markup struct {
	mrkdwn.Renderer
	known []workflow.Code // the places that exist
}

// html returns the HTML of a text. Lines that isNew accepts are marked; nil accepts none.
func (m markup) html(text string, isNew func(line string) bool) template.HTML {
	if isNew == nil {
		isNew = func(string) bool { return false }
	}
	w := writer{markup: m, src: []byte(separateLines(text)), isNew: isNew}
	w.blocks(mrkdwn.Parse(w.src))
	return template.HTML(w.out.String()) //nolint:gosec // writer escapes every text
}

var (
	bullet   = regexp.MustCompile(`^(\s*)• `)
	listItem = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,3}[.)])\s`)
	fence    = regexp.MustCompile("^\\s*(?:```|~~~)")
	together = regexp.MustCompile(`^(?:\s*[|>]|\s{2,}|\t)`) // tables, quotations, and what is indented
)

// separateLines puts a blank line between the lines of a text, as Markdown needs it if each line is to stay a
// line: the texts of the program have a fact on each.
func separateLines(text string) string {
	var b strings.Builder
	before := ""
	fenced := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = bullet.ReplaceAllString(line, "$1- ")
		isOneList := listItem.MatchString(line) && listItem.MatchString(before)
		if !fenced && before != "" && line != "" && !isOneList && !together.MatchString(line) {
			b.WriteByte('\n')
		}
		if fence.MatchString(line) {
			fenced = !fenced
		}
		b.WriteString(line + "\n")
		before = line
	}
	return b.String()
}

// A writer writes one document.
type writer struct {
	markup
	src   []byte
	isNew func(line string) bool
	out   strings.Builder
	link  bool // the text is within a link
}

func (w *writer) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			w.element(`p class="heading"`, c, w.inlines)
		case *ast.Paragraph:
			w.element("p", c, w.inlines)
		case *ast.TextBlock:
			w.element("span", c, w.inlines)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			code := strings.TrimRight(string(c.Lines().Value(w.src)), "\n")
			w.out.WriteString(string(pagestyle.Code("", code)))
		case *ast.HTMLBlock:
			text := string(c.Lines().Value(w.src))
			if c.HasClosure() {
				text += string(c.ClosureLine.Value(w.src))
			}
			w.out.WriteString(`<p class="words">`)
			w.text(strings.TrimSpace(text))
			w.out.WriteString("</p>")
		case *ast.List:
			w.list(c)
		case *ast.ListItem:
			w.element("li", c, w.blocks)
		case *ast.Blockquote:
			w.element("blockquote", c, w.blocks)
		case *ast.ThematicBreak:
			w.out.WriteString("<hr>")
		default:
			w.blocks(c)
		}
	}
}

// element writes an element; tag is its name, with attributes. It is marked if it begins with a new line.
func (w *writer) element(tag string, n ast.Node, content func(ast.Node)) {
	name, _, _ := strings.Cut(tag, " ")
	if line := w.lineAt(n); line != "" && w.isNew(line) {
		tag = name + ` class="new"`
	}
	w.out.WriteString("<" + tag + ">")
	content(n)
	w.out.WriteString("</" + name + ">")
}

// lineAt returns the whole line of the source with which a block of words begins; empty: n is none.
func (w *writer) lineAt(n ast.Node) string {
	if n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0 {
		return ""
	}
	at := n.Lines().At(0).Start
	from := strings.LastIndexByte(string(w.src[:at]), '\n') + 1
	line, _, _ := strings.Cut(string(w.src[from:]), "\n")
	return strings.TrimSpace(line)
}

func (w *writer) list(n *ast.List) {
	name := "ul"
	tag := "ul"
	if n.IsOrdered() {
		name = "ol"
		tag = "ol"
		if n.Start != 1 {
			tag = `ol start="` + strconv.Itoa(n.Start) + `"`
		}
	}
	w.out.WriteString("<" + tag + ">")
	w.blocks(n)
	w.out.WriteString("</" + name + ">")
}

// inlines writes what is in a line. Texts that stand side by side are one: a name may hold a mark of emphasis
// that is none.
func (w *writer) inlines(n ast.Node) {
	var words strings.Builder
	flush := func() {
		w.text(words.String())
		words.Reset()
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, is := c.(*ast.Text); is {
			words.WriteString(mrkdwn.Unslash(strings.TrimRight(string(t.Segment.Value(w.src)), "\n")))
			if t.SoftLineBreak() || t.HardLineBreak() {
				flush()
				w.out.WriteString("<br>")
			}
			continue
		}
		flush()
		w.inline(c)
	}
	flush()
}

func (w *writer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.code(plainText(n, w.src))
	case *ast.Emphasis:
		w.element(map[int]string{1: "em", 2: "strong"}[n.Level], n, w.inlines)
	case *xast.Strikethrough:
		w.element("s", n, w.inlines)
	case *ast.Link:
		w.anchor(string(n.Destination), n)
	case *ast.Image:
		w.anchor(string(n.Destination), n)
	case *ast.AutoLink:
		w.address(string(n.URL(w.src)))
	case *ast.RawHTML:
		w.text(string(n.Segments.Value(w.src)))
	default:
		w.inlines(n)
	}
}

// anchor writes a link with its words, or the words and the address as code if it may not be clicked.
func (w *writer) anchor(to string, words ast.Node) {
	if w.link || !w.MayLink(to) {
		w.inlines(words)
		if to != "" {
			w.out.WriteString(" (<code>" + html.EscapeString(to) + "</code>)")
		}
		return
	}
	w.link = true
	w.out.WriteString(`<a href="` + html.EscapeString(to) + `" rel="noopener">`)
	w.inlines(words)
	w.out.WriteString("</a>")
	w.link = false
}

func (w *writer) address(to string) {
	if w.link || !w.MayLink(to) {
		w.out.WriteString("<code>" + html.EscapeString(to) + "</code>")
		return
	}
	shown := html.EscapeString(to)
	w.out.WriteString(`<a href="` + shown + `" rel="noopener">` + shown + "</a>")
}

// text writes words; addresses and places in code that it holds become links or code.
func (w *writer) text(s string) {
	for {
		at := mrkdwn.FindAddress(s)
		if at == nil {
			break
		}
		w.places(s[:at[0]])
		found := strings.TrimRight(s[at[0]:at[1]], ".,;:!?*_~")
		w.address(found)
		s = s[at[0]+len(found):]
	}
	w.places(s)
}

func (w *writer) places(s string) {
	for {
		found, path := mrkdwn.FindPlace(s)
		if found == nil {
			break
		}
		from := found[0]
		if w.addressOf(s[from:found[1]]) == "" { // what stands before the path may be a word and a colon
			from = path
		}
		w.out.WriteString(html.EscapeString(s[:from]))
		w.code(s[from:found[1]])
		s = s[found[1]:]
	}
	w.out.WriteString(html.EscapeString(s))
}

// code writes a span of code, as a link if it is a place that exists.
func (w *writer) code(s string) {
	shown := "<code>" + html.EscapeString(s) + "</code>"
	if to := w.addressOf(s); to != "" && !w.link {
		shown = `<a class="place" href="` + html.EscapeString(to) + `" rel="noopener">` + shown + "</a>"
	}
	w.out.WriteString(shown)
}

// place returns a place in code as HTML: code, as a link if it is one that exists.
func (m markup) place(s string) template.HTML {
	w := writer{markup: m}
	w.code(s)
	return template.HTML(w.out.String()) //nolint:gosec // code escapes it
}

// addressOf returns the address of a place in code that exists, or an empty string.
func (m markup) addressOf(place string) string {
	for _, known := range slices.Backward(m.known) {
		own := workflow.OtherCode{Repository: known.Repository, Commit: known.Commit, Places: known.Places}
		for _, c := range append([]workflow.OtherCode{own}, known.Others...) {
			pattern := m.Code[c.Repository]
			if pattern != "" && slices.Contains(c.Places, place) {
				return mrkdwn.LineAddress(pattern, c, place)
			}
		}
	}
	return ""
}

// plainText returns the text within n, without marks.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, is := n.(*ast.Text); is && entering {
			b.WriteString(strings.TrimRight(string(t.Segment.Value(src)), "\n"))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
