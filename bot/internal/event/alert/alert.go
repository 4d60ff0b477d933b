// Package alert reads messages in which apps report problems: Sentry, PagerDuty, GitHub, Grafana, and any
// other app that posts a title, a link and perhaps a stack trace in Slack attachments or blocks. It has no
// code for a particular app: it looks for a title, the first link, lines that look like stack frames, and a
// field that is named like a release.
//
// Parsing is lenient and never fails because of an unexpected type: such a value is left out. Nothing in a
// message is trusted. Only http and https links are kept.
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

	"github.com/bobbinhq/bobbin/bot/internal/event/shown"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

const (
	maxBody   = 6000 // characters of an alert that are kept
	maxTitle  = 200
	maxTrace  = 40 // lines of a stack trace that are kept
	maxFrames = 3  // frames in the fingerprint
	maxField  = 100
	maxLinks  = 20
)

// Read parses a message of an app, given as the JSON of an event or of the Web API. It returns false for a
// message without text.
func Read(message []byte) (a workflow.Alert, ok bool) {
	var m map[string]any
	if json.Unmarshal(message, &m) != nil {
		return a, false
	}
	r := &reading{}
	r.message(shown.Read(message))
	body := cut(strings.TrimSpace(mrkdwn.Visible(strings.Join(r.lines, "\n"))), maxBody)
	a.AppID = str(m, "app_id")
	a.App = mrkdwn.OneLine(cmp.Or(str(object(m, "bot_profile"), "name"), str(m, "username"), "an app"), 80)
	a.AppID = cmp.Or(a.AppID, str(object(m, "bot_profile"), "app_id"))
	first, _, _ := strings.Cut(body, "\n")
	a.Title = mrkdwn.OneLine(cmp.Or(r.title, first), maxTitle)
	a.Link = cmp.Or(r.titleLink, r.link)
	a.Links = r.otherLinks(a.Link)
	a.Body = body
	a.Trace = traceOf(body)
	a.Release = mrkdwn.OneLine(cmp.Or(r.release, releaseIn(body)), maxField)
	a.Body = bodyWithoutTitleAndTrace(a)
	a.Resolved = resolved.MatchString(a.Title)
	a.Fingerprint = fingerprint(a, object(m, "bot_profile")["is_workflow_bot"] == true)
	return a, a.Title != ""
}

// emoji matches emoji codes at the start of a line.
var emoji = regexp.MustCompile(`^(:[\w+-]+:\s*)+`)

// bodyWithoutTitleAndTrace returns the lines of the body that are neither the title
// nor part of the stack trace.
func bodyWithoutTitleAndTrace(a workflow.Alert) string {
	var lines []string
	for _, line := range strings.Split(a.Body, "\n") {
		repeated := plain(emoji.ReplaceAllString(line, "")) == a.Title ||
			a.Trace != "" && slices.Contains(strings.Split(a.Trace, "\n"),
				strings.TrimRight(strings.ReplaceAll(line, "```", ""), " "))
		if strings.TrimSpace(line) != "" && !repeated {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// resolved matches the title of an alert whose problem is over. It asks for the form of a state, because
// errors have such words in their messages: "Event loop is closed", "Recovered from panic".
var resolved = regexp.MustCompile(
	`(?i)^[^\pL]*(resolved|recovered|closed|ok)(:\d+|\s+(issue|incident|alert|problem))?` +
		`(\]|\s+[-–—|#]|$)` +
		`|^[^\pL]*((resolved|recovered|ok)|(resolved|closed)\s+(issue|incident|alert|problem)):` +
		`|^[^\pL]*(\w+\s)?(issue|incident|alert|problem)(\s\S*\d\S*)?(\s(was|is|has been))?\s` +
		`(resolved|closed)(\sby\s|\W*$)` +
		`|\s(was|is|has been)\sresolved(\sby\s\w+)?\W*$`)

// Named reports whether the alert was posted by one of these apps, which are given by id or by name.
func Named(a workflow.Alert, apps []string) bool {
	return slices.ContainsFunc(apps, func(app string) bool {
		return a.AppID != "" && app == a.AppID || strings.EqualFold(app, a.App)
	})
}

// reading collects what was found in a message so far.
type reading struct {
	lines                []string
	size                 int
	title, link, release string
	titleLink            string
	links                []workflow.AlertLink
}

func (r *reading) message(m shown.Message) {
	r.all(m.Lines)
	for _, p := range m.Parts {
		r.all(p.Lines)
		r.say(p.Where)
	}
}

func (r *reading) all(lines []shown.Line) {
	for _, l := range lines {
		switch l.Kind {
		case shown.Heading:
			r.head(l.Text, l.Link)
		case shown.Field:
			r.field(l.Name, l.Text)
		case shown.Address:
			to := address(l.Link)
			r.link = cmp.Or(r.link, to)
			r.addLink(plain(l.Text), to)
		default:
			r.say(l.Text)
		}
	}
}

// addLink keeps an address to which the alert points, with what it is called there.
func (r *reading) addLink(name, to string) {
	known := slices.ContainsFunc(r.links, func(l workflow.AlertLink) bool { return l.URL == to })
	if to != "" && !known && len(r.links) < maxLinks {
		r.links = append(r.links, workflow.AlertLink{Name: name, URL: to})
	}
}

// otherLinks returns the links but the one that is the alert's own.
func (r *reading) otherLinks(own string) (others []workflow.AlertLink) {
	for _, l := range r.links {
		if l.URL != own {
			others = append(others, l)
		}
	}
	return others
}

// head stores a title and the address that it links to.
func (r *reading) head(title, to string) {
	if r.title == "" {
		r.title = plain(title)
	}
	if r.titleLink == "" {
		r.titleLink = address(to)
	}
	r.addLink(plain(title), address(to))
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
	// Matches a text that begins with a link; emoji and formatting marks may precede it.
	beginsWithLink = regexp.MustCompile(`^(:[\w+-]+:|[*_~ ])*<https?://`)
	oneMark        = regexp.MustCompile(`<([^<>|\s]+)(?:\|([^<>]*))?>`)
)

func releaseIn(body string) string {
	if m := releaseAt.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// say adds a text to the lines and keeps the first link. If the text begins with a labelled link and there is
// no title yet, the label becomes the title.
func (r *reading) say(text string) {
	if text = strings.TrimSpace(text); text == "" || r.size > maxBody {
		return
	}
	for i, m := range slackLink.FindAllStringSubmatch(text, maxLinks) {
		to := address(mrkdwn.Unescape(m[1]))
		r.addLink(plain(m[2]), to)
		if i > 0 {
			continue
		}
		r.link = cmp.Or(r.link, to)
		if label := plain(m[2]); r.title == "" && label != "" && beginsWithLink.MatchString(text) {
			r.title = label
			r.titleLink = cmp.Or(r.titleLink, to)
		}
	}
	text = unlink(text)
	if len(r.lines) > 0 && r.lines[len(r.lines)-1] == text {
		return
	}
	r.size += len(text)
	r.lines = append(r.lines, text)
}

// address returns an http or https address, or an empty string for anything else.
func address(to string) string {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || len(to) > 500 {
		return ""
	}
	return u.String()
}

// unlink replaces each link by its label, and leaves mentions as Slack writes them.
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

// frame matches a line of a stack trace in the format of Go, JavaScript, Python, Java, Ruby or PHP.
var frame = regexp.MustCompile(`^\s*(at .+|File ".+", line \d+.*|goroutine \d+ .*|#\d+ .+|(from ` +
	`)?\S+\.\w{1,5}:\d+\b.*|\S+\(.*\) \S+:\d+.*|panic: .+|\w*(Error|Exception): .+)$`)

// place matches the location in a frame: a file and a line.
var place = regexp.MustCompile(`([\w./@-]+\.[a-zA-Z]{1,5})(?::\d+|", line \d+)`)

// traceOf returns the lines of a text that look like a stack trace, at most maxTrace, or an empty string if
// there are fewer than two.
func traceOf(body string) string {
	var lines []string
	for _, line := range strings.Split(body, "\n") {
		if line = strings.TrimRight(strings.ReplaceAll(line, "```", ""),
			" "); frame.MatchString(line) && len(lines) < maxTrace {
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// fingerprint returns a hash that is equal for alerts of the same problem. It covers the app and the address
// of the issue without its query; a rule may fire for several services, so its title counts, too. If the
// address names no issue, it covers the title without what varies, and
// the first files of the stack without line numbers or, without a stack, the first line of the rest that
// names something: two services with one title are two problems. Of a form, it covers all: each is a report
// of its own.
func fingerprint(a workflow.Alert, form bool) string {
	of := []string{strings.ToLower(cmp.Or(a.AppID, a.App))}
	issue := issueOf(a.Link)
	switch {
	case form:
		of = append(of, a.Title, a.Body)
	case issue != "" && rulePath.MatchString(issue):
		of = append(of, issue, nameOf(a.Title))
	case issue != "":
		of = append(of, issue)
	case a.Trace != "":
		of = append(of, nameOf(a.Title))
		for i, m := range place.FindAllStringSubmatch(a.Trace, -1) {
			if i < maxFrames {
				of = append(of, m[1])
			}
		}
	default:
		of = append(of, nameOf(a.Title), firstName(a.Body))
	}
	sum := sha256.Sum256([]byte(strings.Join(of, "\n")))
	return hex.EncodeToString(sum[:16])
}

// issuePath matches the path of an issue, an incident, or a rule that fires, without what may follow it, such
// as /tags or /checks.
var issuePath = regexp.MustCompile(`^.*?/(?:incidents/[^/]+|alerting/grafana/[^/]+|` +
	`(?:issues|pull|merge_requests|errors|alerting|alerts|problems|monitors)/(?:[^/]+/)??[^/]*\d[^/]*)`)

// rulePath matches the address of a rule that fires.
var rulePath = regexp.MustCompile(`/(?:alerting|alerts|monitors)/`)

// issueOf returns the address of the issue that a link leads to, or an empty string for another link.
func issueOf(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	path := issuePath.FindString(u.Path)
	if path == "" {
		return ""
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

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
