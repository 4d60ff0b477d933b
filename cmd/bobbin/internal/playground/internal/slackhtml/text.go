package slackhtml

import (
	"cmp"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
)

// A Renderer renders text and blocks of a workspace. Its functions resolve IDs to names; an unknown ID is
// shown as it is.
type Renderer struct {
	User    func(id string) (name string, known bool)
	Channel func(id string) (name string, known bool)
	Group   func(id string) (handle string, known bool)
	// Link returns the path in this page to which an address leads. If it is empty, the link opens the
	// address in a new tab.
	Link func(address string) string
	// Own returns what a link opens for the reader alone, or an empty string: then it opens its address. It
	// may be nil.
	Own func(address string) string
	// Me is the reader's user ID; mentions of the reader are highlighted.
	Me string
	// Zone is the reader's time zone; nil: UTC.
	Zone *time.Location
}

const fence = "```"

// Text returns the HTML of text in Slack's markup.
func (r Renderer) Text(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, fence) {
		if i%2 == 1 {
			b.WriteString(string(pagestyle.Code("", plain(strings.Trim(part, "\n")))))
			continue
		}
		if i > 0 {
			part = strings.TrimPrefix(part, "\n")
		}
		r.paragraphs(&b, strings.TrimSuffix(part, "\n"))
	}
	return template.HTML(b.String()) //nolint:gosec // every part was escaped
}

// paragraphs writes lines as HTML, those that begin with > as a quotation.
func (r Renderer) paragraphs(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	quoted := false
	for i, line := range strings.Split(text, "\n") {
		words, isQuote := quotation(line)
		switch {
		case isQuote && !quoted:
			b.WriteString("<blockquote>")
		case !isQuote && quoted:
			b.WriteString("</blockquote>")
		case i > 0:
			b.WriteString("<br>")
		}
		quoted = isQuote
		rest := strings.TrimLeft(words, " ")
		b.WriteString(strings.Repeat("\u00a0", len(words)-len(rest))) // Slack keeps the blanks before a line
		r.inline(b, rest, 0)
	}
	if quoted {
		b.WriteString("</blockquote>")
	}
}

func quotation(line string) (words string, is bool) {
	for _, mark := range []string{"&gt;", ">"} {
		if rest, found := strings.CutPrefix(line, mark); found {
			return strings.TrimPrefix(rest, " "), true
		}
	}
	return line, false
}

// styleTags maps Slack's style marks to HTML elements.
var styleTags = map[byte]string{'*': "strong", '_': "em", '~': "s"}

// deepest is the maximum nesting of style marks.
const deepest = 4

// inline writes one line as HTML.
func (r Renderer) inline(b *strings.Builder, s string, depth int) {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '`':
			if end := strings.IndexByte(s[i+1:], '`'); end > 0 {
				b.WriteString("<code>" + html.EscapeString(plain(s[i+1:i+1+end])) + "</code>")
				i += end + 2
				continue
			}
		case '<':
			if end := strings.IndexByte(s[i:], '>'); end > 1 {
				r.mark(b, s[i+1:i+end])
				i += end + 1
				continue
			}
		case ':':
			found := emojiName.FindString(s[i:])
			if picture, known := emojiByName[strings.Trim(found, ":")]; known {
				b.WriteString(string(picture))
				i += len(found)
				continue
			}
		case '*', '_', '~':
			if end := styled(s, i); end > 0 && depth < deepest {
				b.WriteString("<" + styleTags[c] + ">")
				r.inline(b, s[i+1:end], depth+1)
				b.WriteString("</" + styleTags[c] + ">")
				i = end + 1
				continue
			}
		}
		next := i + 1 + strings.IndexAny(s[i+1:], "`<:*_~")
		if next == i {
			next = len(s)
		}
		b.WriteString(escape(unescape.Replace(s[i:next])))
		i = next
	}
}

// styled returns the index at which the style mark at i closes, or 0 if the mark opens nothing. As in Slack,
// no letter or digit may precede or follow the styled text, and no space may be next to a mark inside it.
func styled(s string, i int) int {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if i > 0 && wordly(before) || i+1 >= len(s) || s[i+1] == ' ' || s[i+1] == s[i] {
		return 0
	}
	for end := i + 2; end < len(s); end++ {
		if s[end] != s[i] || s[end-1] == ' ' {
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[end+1:])
		if end+1 == len(s) || !wordly(after) {
			return end
		}
	}
	return 0
}

func wordly(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// mark writes the HTML of what is between < and >: a mention, a date or a link.
func (r Renderer) mark(b *strings.Builder, inner string) {
	target, label, _ := strings.Cut(inner, "|")
	label = html.EscapeString(unescape.Replace(label))
	name := func(prefix string, find func(string) (string, bool), id string) {
		shown := id
		known := false
		if find != nil {
			shown, known = find(id)
		}
		class := "mention"
		if id == r.Me && id != "" {
			class += " me"
		}
		if !known && label != "" {
			shown = label
		}
		b.WriteString(`<span class="` + class + `">` + prefix + html.EscapeString(shown) + "</span>")
	}
	switch {
	case strings.HasPrefix(target, "@"):
		name("@", r.User, target[1:])
	case strings.HasPrefix(target, "#"):
		name("#", r.Channel, target[1:])
	case strings.HasPrefix(target, "!subteam^"):
		name("@", r.Group, strings.TrimPrefix(target, "!subteam^"))
	case strings.HasPrefix(target, "!date^"):
		b.WriteString(r.date(target, label))
	case strings.HasPrefix(target, "!"):
		b.WriteString(`<span class="mention">@` + html.EscapeString(target[1:]) + "</span>")
	default:
		r.anchor(b, unescape.Replace(target), label)
	}
}

// anchor writes a link. An address that is not a web address is shown as text.
func (r Renderer) anchor(b *strings.Builder, address, label string) {
	if label == "" {
		label = html.EscapeString(address)
	}
	if code, is := strings.CutPrefix(label, "`"); is && strings.HasSuffix(code, "`") {
		label = "<code>" + strings.TrimSuffix(code, "`") + "</code>"
	}
	inside, own := "", ""
	if r.Link != nil {
		inside = r.Link(address)
	}
	if r.Own != nil {
		own = r.Own(address)
	}
	switch {
	case inside != "":
		b.WriteString(`<a href="` + html.EscapeString(inside) + `">` + label + "</a>")
	case own != "", strings.HasPrefix(address, "https://"), strings.HasPrefix(address, "http://"):
		b.WriteString(`<a href="` + html.EscapeString(cmp.Or(own, address)) +
			`" target="_blank" rel="noreferrer noopener">` + label + "</a>")
	default:
		b.WriteString(label)
	}
}

// date returns the HTML of a date such as <!date^1392734382^{date} at {time}|fallback>, in the reader's zone.
func (r Renderer) date(target, label string) string {
	parts := strings.SplitN(target, "^", 4)
	if len(parts) < 3 {
		return label
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return label
	}
	zone := r.Zone
	if zone == nil {
		zone = time.UTC
	}
	at := time.Unix(seconds, 0).In(zone)
	words := dateToken.ReplaceAllStringFunc(parts[2], func(token string) string {
		layout, known := dateLayouts[strings.Replace(token, "_pretty}", "}", 1)]
		if !known {
			return token
		}
		return at.Format(layout)
	})
	return `<time datetime="` + at.Format(time.RFC3339) + `">` + html.EscapeString(words) + "</time>"
}

var (
	dateToken   = regexp.MustCompile(`\{[a-z_]+\}`)
	dateLayouts = map[string]string{
		"{date}":       "January 2, 2006",
		"{date_short}": "Jan 2, 2006",
		"{date_long}":  "Monday, January 2, 2006",
		"{date_num}":   "2006-01-02",
		"{time}":       "15:04",
		"{time_secs}":  "15:04:05",
	}
	emojiName = regexp.MustCompile(`^:[a-z0-9_+-]+:`)
	unescape  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	marks     = regexp.MustCompile(`<([^<>|]+)\|?([^<>]*)>`)
)

// plain returns text as code shows it: unescaped, and with links replaced by their labels or addresses.
func plain(text string) string {
	text = marks.ReplaceAllStringFunc(text, func(m string) string {
		found := marks.FindStringSubmatch(m)
		if found[2] != "" {
			return found[2]
		}
		return found[1]
	})
	return unescape.Replace(text)
}
