package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/hometab"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/timeline"
)

// A sessionPage is what the page of a session shows.
type sessionPage struct {
	Title   string
	Session workflow.Session
	Asked   string // the requester's name
	Version string
	Code    bool
	Reports []revision
	Way     []step
	work
	bars
	Entries []entry
	Before  string // what is older than Entries; empty: nothing
	Earlier bool   // it is a page of what is older
	Listed  bool   // who looks may see the list of sessions, too
}

// work is what was planned, done and pushed.
type work struct {
	Plan   *plan // nil: there is none
	Tasks  []workflow.Task
	Pushes []push
	Shots  []shot
}

// An entry is a timeline's entry as it is shown.
type entry struct {
	timeline.Entry
	Name  string // of who did it
	Took  string
	Brief string // of a call's arguments: the one that tells the most
	Left  bool   // its arguments or its output are not whole
}

// A revision is one report beside the one before it.
type revision struct {
	Number int
	Kind   string
	Lines  []reportLine
}

// A reportLine is new where the revision before had no such line.
type reportLine struct {
	Text string
	New  bool
}

// A step is one place on the way of a bug from what is seen to what causes it.
type step struct {
	Place string // file:line, or a command: its first line
	Whole string // a command of several lines
	Claim string
	Grade string // observed, inferred, ...
}

type push struct {
	outgoing.Push
	Files []file
}

// sessionView is what a person may see of a session: the newest of it, or what happened before a
// moment.
func (p *Pages) sessionView(r *http.Request, a home.Access, before string) (sessionPage, error) {
	ctx := r.Context()
	_, unlisted := p.granted(r, "")
	v := sessionPage{Title: cmp.Or(wholeTitle(a.Session.Title), "(no words)"), Session: a.Session, Code: a.Code, Earlier: before != "", Listed: unlisted == nil}
	name := p.namer(ctx)
	v.Asked = name(a.Session.Requester)
	if !a.Code {
		return v, nil
	}
	page, err := timeline.Read(ctx, p.Store.DB, a.Session.ID, momentOf(before))
	if err != nil {
		return v, err
	}
	if !page.Before.IsZero() {
		v.Before = strconv.FormatInt(page.Before.UnixMicro(), 36)
	}
	for _, e := range page.Entries {
		v.Entries = append(v.Entries, p.shownEntry(e, name))
	}
	if v.Earlier {
		return v, nil
	}
	reports, err := p.Store.Reports(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	v.Reports, v.Way = p.revisions(reports)
	if v.Tasks, err = p.Store.Tasks(ctx, a.Session.ID, ""); err != nil {
		return v, err
	}
	v.Plan = planOf(reports, v.Tasks, p.Secrets.Mask)
	for i := range v.Tasks {
		v.Tasks[i].Description, v.Tasks[i].Summary = p.Secrets.Mask(v.Tasks[i].Description), p.Secrets.Mask(v.Tasks[i].Summary)
	}
	if v.Pushes, err = p.pushes(ctx, a.Session); err != nil {
		return v, err
	}
	if v.Shots, err = p.shots(ctx, a.Session.ID); err != nil {
		return v, err
	}
	took, err := timeline.Shares(ctx, p.Store.DB, a.Session.ID)
	v.Shares, v.Priced = shares(took, a.Session.SpentUSD)
	return v, err
}

// wholeTitle tells where a title was cut: a session's row keeps 120 characters of the first message.
func wholeTitle(title string) string {
	if utf8.RuneCountInString(title) < 120 {
		return title
	}
	return plaintext.CutLine(title, 119)
}

// momentOf reads what Before has; the zero time of anything else.
func momentOf(before string) time.Time {
	n, err := strconv.ParseInt(before, 36, 64)
	if err != nil || n <= 0 || n > mostMicros {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

const mostMicros = 1 << 56 // of the year 4253; Postgres knows more

// namer is how people know the users of one page.
func (p *Pages) namer(ctx context.Context) func(user string) string {
	names := map[string]string{}
	return func(user string) string {
		if _, known := names[user]; !known {
			names[user] = p.NameOf(ctx, user)
		}
		return names[user]
	}
}

// mostShown is how many characters of a call's arguments, and of its output, are on the page of a
// session: the whole is on a page of its own.
const mostShown = 1000

// shownEntry is an entry as the page of a session has it.
func (p *Pages) shownEntry(e timeline.Entry, name func(string) string) entry {
	shown := p.wholeEntry(e, name)
	if e.Kind == timeline.Call {
		var args, output int
		shown.Text, args = plaintext.CutMiddle(shown.Text, mostShown/2, mostShown/2)
		shown.Output, output = plaintext.CutMiddle(shown.Output, mostShown/2, mostShown/2)
		shown.Left = args+output > 0
	}
	return shown
}

// wholeEntry is an entry with names for ids and secrets masked.
func (p *Pages) wholeEntry(e timeline.Entry, name func(string) string) entry {
	brief := ""
	if e.Kind == timeline.Call {
		brief, e.Text = p.Secrets.Mask(briefArgument(e.Text)), readableArguments(e.Text)
	}
	e.Title, e.Text, e.Output = p.Secrets.Mask(e.Title), p.Secrets.Mask(e.Text), p.Secrets.Mask(e.Output)
	shown := entry{Entry: e, Name: e.Who, Brief: plaintext.CutLine(brief, 100)}
	switch e.Kind {
	case timeline.Person, timeline.Decision:
		if shown.Name = "the program"; e.Who != "" {
			shown.Name = name(e.Who)
		}
		shown.Title = strings.ReplaceAll(e.Title, "_", " ")
		shown.Text = mention.ReplaceAllStringFunc(e.Text, func(m string) string { return "@" + name(mention.FindStringSubmatch(m)[1]) })
	case timeline.Report, timeline.Push:
		shown.Name = "bobbin"
	}
	if took := e.Took.Round(100 * time.Millisecond); took >= 100*time.Millisecond {
		shown.Took = took.String()
	}
	return shown
}

var mention = regexp.MustCompile(`<@([UW][A-Z0-9]+)(?:\|[^>]*)?>`)

// telling are the arguments by which people know one call from another, the most telling first.
var telling = []string{"command", "path", "pattern", "query", "title", "question", "message", "summary", "task"}

func briefArgument(args string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(args), &fields) != nil {
		return ""
	}
	for _, key := range telling {
		if text, ok := fields[key].(string); ok && strings.TrimSpace(text) != "" {
			return plaintext.OneLine(text)
		}
	}
	return ""
}

// readableArguments is a call's arguments, one in a line, with their newlines.
func readableArguments(args string) string {
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	var fields map[string]any
	if args == "" || d.Decode(&fields) != nil {
		return args
	}
	var lines []string
	for key, value := range fields {
		text, isText := value.(string)
		if !isText {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			_ = e.Encode(value)
			text = strings.TrimSpace(b.String())
		}
		if strings.Contains(text, "\n") {
			text = "\n" + text
		}
		lines = append(lines, key+": "+text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// revisions are those of reports, the newest first, and the way of the bug by the newest.
func (p *Pages) revisions(all []workflow.Report) (list []revision, way []step) {
	var before map[string]bool
	for _, r := range all {
		lines := strings.Split(strings.TrimSpace(p.Secrets.Mask(r.Text)), "\n")
		shown, these := revision{Number: r.Revision, Kind: strings.ReplaceAll(r.Kind, "_", " ")}, map[string]bool{}
		for _, l := range lines {
			these[l] = true
			shown.Lines = append(shown.Lines, reportLine{Text: l, New: before != nil && !before[l]})
		}
		before = these
		list, way = append(list, shown), p.wayOf(r)
	}
	slices.Reverse(list)
	return list, way
}

// wayOf is the evidence of a report, in its order: each claim with the place that shows it.
func (p *Pages) wayOf(r workflow.Report) (way []step) {
	var body diagnosis.Report
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	for _, e := range body.Evidence {
		source := strings.TrimSpace(p.Secrets.Mask(e.Source))
		at := step{Place: source, Claim: p.Secrets.Mask(e.Claim), Grade: e.Grade}
		if first, rest, _ := strings.Cut(source, "\n"); rest != "" {
			at.Place, at.Whole = first+" …", source
		}
		way = append(way, at)
	}
	return way
}

// A sessionList is what the list shows.
type sessionList struct {
	Title        string
	Query, State string
	States       []string
	Groups       []group
	Closed, More bool
	TodayUSD     float64
}

type group struct {
	Name     string
	Sessions []hometab.Session
}

// listView is a home's sessions by state, those that hold the words of a query.
func listView(h hometab.View, query, state string) sessionList {
	v := sessionList{Title: "Sessions", Query: query, State: state, Closed: h.Closed, More: h.More, TodayUSD: h.TodayUSD}
	add := func(name string, list []hometab.Session) {
		v.States = append(v.States, name)
		g := group{Name: name}
		for _, s := range list {
			if (state == "" || state == name) && holds(s, query) {
				g.Sessions = append(g.Sessions, s)
			}
		}
		if len(g.Sessions) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	add("Waits for you", h.Waits)
	for _, standing := range hometab.Standings {
		var these []hometab.Session
		for _, s := range h.Others {
			if s.Standing() == standing {
				these = append(these, s)
			}
		}
		add(string(standing), these)
	}
	return v
}

// holds reports whether every word of a query is somewhere in what the list shows of a session.
func holds(s hometab.Session, query string) bool {
	text := strings.ToLower(strings.Join([]string{s.Title, s.Repository, s.Branch, s.ID, string(s.Phase), s.Why}, " "))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
