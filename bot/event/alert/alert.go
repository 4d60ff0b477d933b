// Package alert reads what apps post about problems: Sentry, PagerDuty, GitHub, Grafana and
// whoever else writes a title, a link and perhaps a stack trace in Slack's attachments or
// blocks. It knows none of them by name: it looks for a title, for the first link, for lines
// that look like frames of a stack, and for what is called a release.
//
// A payload is read leniently: what has another form than expected is left out, and nothing of
// it is trusted. Links other than http and https are no links.
package alert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow/incoming"
)

const (
	maxDepth  = 20
	maxBody   = 6000 // characters of an alert that are kept
	maxTitle  = 200
	maxTrace  = 40 // lines
	maxFrames = 3  // that tell problems apart
	maxField  = 100
)

// Read reads a message of an app: the JSON of an event or of the Web API. It is false for one
// without words.
func Read(message []byte) (a incoming.Alert, ok bool) {
	var m map[string]any
	if json.Unmarshal(message, &m) != nil {
		return a, false
	}
	r := &reading{}
	r.message(m)
	body := cut(strings.TrimSpace(mrkdwn.Visible(strings.Join(r.lines, "\n"))), maxBody)
	a.AppID = str(m, "app_id")
	a.App = mrkdwn.OneLine(cmp.Or(str(object(m, "bot_profile"), "name"), str(m, "username"), "an app"), 80)
	a.AppID = cmp.Or(a.AppID, str(object(m, "bot_profile"), "app_id"))
	first, _, _ := strings.Cut(body, "\n")
	a.Title, a.Link, a.Body = mrkdwn.OneLine(cmp.Or(r.title, first), maxTitle), cmp.Or(r.titleLink, r.link), body
	a.Trace, a.Release = traceOf(body), mrkdwn.OneLine(cmp.Or(r.release, releaseIn(body)), maxField)
	a.Body = beside(a)
	a.Resolved = resolved.MatchString(a.Title)
	a.Fingerprint = fingerprint(a)
	return a, a.Title != ""
}

// emoji matches those that stand before a line.
var emoji = regexp.MustCompile(`^(:[\w+-]+:\s*)+`)

// beside is what of the body stands neither in the title nor in the stack trace.
func beside(a incoming.Alert) string {
	var lines []string
	for _, line := range strings.Split(a.Body, "\n") {
		said := plain(emoji.ReplaceAllString(line, "")) == a.Title || a.Trace != "" && slices.Contains(strings.Split(a.Trace, "\n"), strings.TrimRight(strings.ReplaceAll(line, "```", ""), " "))
		if strings.TrimSpace(line) != "" && !said {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// resolved matches the title of an alert that says a problem is over.
var resolved = regexp.MustCompile(`(?i)^[^\pL]*(resolved|recovered|closed|ok)\b|\b(was|is|issue|incident) (resolved|closed)\b`)

// Named reports whether the alert is of one of those apps: ids of apps, or their names.
func Named(a incoming.Alert, apps []string) bool {
	return slices.ContainsFunc(apps, func(app string) bool {
		return a.AppID != "" && app == a.AppID || strings.EqualFold(app, a.App)
	})
}

// reading is what was found in a message so far.
type reading struct {
	lines                []string
	size                 int
	title, link, release string
	titleLink            string
}

func (r *reading) message(m map[string]any) {
	r.say(str(m, "text"))
	r.blocks(m["blocks"], 0)
	for _, x := range list(m, "attachments") {
		at, _ := x.(map[string]any)
		before := len(r.lines)
		r.say(str(at, "pretext"))
		r.head(str(at, "title"), str(at, "title_link"))
		r.say(str(at, "text"))
		for _, f := range list(at, "fields") {
			field, _ := f.(map[string]any)
			r.field(str(field, "title"), str(field, "value"))
		}
		r.blocks(at["blocks"], 0)
		if len(r.lines) == before {
			r.say(str(at, "fallback"))
		}
		r.say(str(at, "footer"))
	}
}

// head is a title with the address that it leads to.
func (r *reading) head(title, to string) {
	if r.title == "" {
		r.title = plain(title)
	}
	if r.titleLink == "" {
		r.titleLink = address(to)
	}
	r.say(title)
}

func (r *reading) field(name, value string) {
	if isRelease.MatchString(strings.TrimSpace(strings.Trim(plain(name), ":* "))) && r.release == "" {
		r.release = plain(value)
	}
	if name != "" || value != "" {
		r.say(strings.Trim(plain(name), ":* ") + ": " + value)
	}
}

var (
	isRelease = regexp.MustCompile(`(?i)^(release|version|commit|build|deploy(ed)?)$`)
	releaseAt = regexp.MustCompile(`(?im)\b(?:release|version)\b\**[:=]\**\s*\x60?([\w.@+/-]{1,100})`)
	slackLink = regexp.MustCompile(`<(https?://[^<>|\s]+)(?:\|([^<>]*))?>`)
	// An emoji and marks may stand before it.
	beginsWithLink = regexp.MustCompile(`^(:[\w+-]+:|[*_~ ])*<https?://`)
	oneMark        = regexp.MustCompile(`<([^<>|\s]+)(?:\|([^<>]*))?>`)
)

func releaseIn(body string) string {
	if m := releaseAt.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// say takes words in, and the first link of them.
func (r *reading) say(text string) {
	if text = strings.TrimSpace(text); text == "" || r.size > maxBody {
		return
	}
	if m := slackLink.FindStringSubmatch(text); m != nil {
		to := address(mrkdwn.Unescape(m[1]))
		r.link = cmp.Or(r.link, to)
		if label := plain(m[2]); r.title == "" && label != "" && beginsWithLink.MatchString(text) {
			r.title, r.titleLink = label, cmp.Or(r.titleLink, to)
		}
	}
	text = unlink(text)
	if len(r.lines) > 0 && r.lines[len(r.lines)-1] == text {
		return
	}
	r.size += len(text)
	r.lines = append(r.lines, text)
}

// address is an address of the web; empty where it is another.
func address(to string) string {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(to) > 500 {
		return ""
	}
	return u.String()
}

// unlink puts a link's words in the place of it, and leaves mentions as Slack writes them.
func unlink(text string) string {
	return mrkdwn.Unescape(oneMark.ReplaceAllStringFunc(text, func(found string) string {
		m := oneMark.FindStringSubmatch(found)
		if strings.ContainsAny(m[1][:1], "@#!") {
			return found
		}
		return cmp.Or(m[2], m[1])
	}))
}

func plain(text string) string {
	return strings.Trim(mrkdwn.OneLine(unlink(text), maxTitle), "*_` ")
}

// blocks reads Block Kit of any kind: the texts in their order, a header as the title, the
// address of a button as a link.
func (r *reading) blocks(v any, depth int) {
	if depth > maxDepth || r.size > maxBody {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.blocks(e, depth+1)
		}
	case map[string]any:
		kind := str(v, "type")
		if kind == "rich_text_section" || kind == "rich_text_preformatted" || kind == "rich_text_quote" {
			r.say(richText(v, 0))
			return
		}
		text := cmp.Or(str(v, "text"), str(object(v, "text"), "text"))
		switch {
		case kind == "header":
			r.head(text, "")
		case kind == "button" || kind == "image":
			r.link = cmp.Or(r.link, address(str(v, "url")))
		default:
			if name, value, pair := strings.Cut(text, "\n"); pair && isRelease.MatchString(strings.Trim(plain(name), ":* ")) {
				r.field(name, value)
			} else {
				r.say(text)
			}
		}
		for _, key := range []string{"fields", "elements", "accessory"} {
			r.blocks(v[key], depth+1)
		}
	}
}

// richText is the words of one section of rich text.
func richText(v any, depth int) string {
	m, _ := v.(map[string]any)
	if depth > maxDepth || m == nil {
		return ""
	}
	var b strings.Builder
	switch str(m, "type") {
	case "link":
		return "<" + str(m, "url") + "|" + strings.NewReplacer("<", "", ">", "").Replace(cmp.Or(str(m, "text"), str(m, "url"))) + ">"
	case "user":
		return "<@" + str(m, "user_id") + ">"
	case "broadcast":
		return "@" + str(m, "range")
	}
	b.WriteString(mrkdwn.Escape(str(m, "text")))
	for _, e := range list(m, "elements") {
		b.WriteString(richText(e, depth+1))
	}
	return b.String()
}

// frame matches a line of a stack trace as Go, JavaScript, Python, Java, Ruby and PHP write it.
var frame = regexp.MustCompile(`^\s*(at .+|File ".+", line \d+.*|goroutine \d+ .*|#\d+ .+|(from )?\S+\.\w{1,5}:\d+\b.*|\S+\(.*\) \S+:\d+.*|panic: .+|\w*(Error|Exception): .+)$`)

// place matches the place in a frame: a file and perhaps a line.
var place = regexp.MustCompile(`([\w./@-]+\.[a-zA-Z]{1,5})(?::\d+|", line \d+)`)

// traceOf is the lines of a text that look like a stack trace, if two of them do.
func traceOf(body string) string {
	var lines []string
	for _, line := range strings.Split(body, "\n") {
		if line = strings.TrimRight(strings.ReplaceAll(line, "```", ""), " "); frame.MatchString(line) && len(lines) < maxTrace {
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 {
		return ""
	}
	return strings.Join(lines, "\n")
}

var (
	varies  = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b|\d+`)
	states  = regexp.MustCompile(`(?i)\[[^\]]{0,40}\]|\b(triggered|acknowledged|firing|alerting|resolved|new issue|regression)\b:?`)
	numbers = regexp.MustCompile(`\d`)
)

// fingerprint is what alerts of one problem have in common: the app, and the address of the
// issue without its query; where the address names no issue, the title without what varies, and
// the first places of the stack without their lines.
func fingerprint(a incoming.Alert) string {
	of := []string{strings.ToLower(cmp.Or(a.AppID, a.App))}
	if issue := issueOf(a.Link); issue != "" {
		of = append(of, issue)
	} else {
		title := strings.ToLower(varies.ReplaceAllString(states.ReplaceAllString(a.Title, ""), "#"))
		of = append(of, strings.Join(strings.Fields(title), " "))
		for i, m := range place.FindAllStringSubmatch(a.Trace, -1) {
			if i < maxFrames {
				of = append(of, m[1])
			}
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(of, "\n")))
	return hex.EncodeToString(sum[:16])
}

// issuePath matches the path of an issue, an incident, or a rule that fires.
var issuePath = regexp.MustCompile(`^(.*?/(?:issues|incidents|pull|merge_requests|errors|alerting|alerts|problems)/[^/]+(?:/[^/]+)?)`)

func issueOf(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	m := issuePath.FindStringSubmatch(u.Path)
	if m == nil || !numbers.MatchString(m[1]) && !strings.Contains(m[1], "/alerting/grafana/") && !strings.Contains(m[1], "/incidents/") {
		return ""
	}
	path := strings.TrimRight(m[1], "/")
	for _, end := range []string{"/view", "/edit", "/events", "/files", "/commits"} {
		path = strings.TrimSuffix(path, end)
	}
	return strings.ToLower(u.Host) + path
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func object(m map[string]any, key string) map[string]any {
	o, _ := m[key].(map[string]any)
	return o
}

func list(m map[string]any, key string) []any {
	l, _ := m[key].([]any)
	return l
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
