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
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// A sessionPage is the data of a session's page.
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
	Before  string // cursor for entries older than Entries; empty: there are none
	Earlier bool   // this page shows older entries only
	Listed  bool   // the visitor may also see the list of sessions
}

// work holds what was planned, done and pushed.
type work struct {
	Plan   *plan // nil: there is no plan
	Tasks  []workflow.Task
	Pushes []push
	Shots  []shot
}

// An entry is a timeline entry with the texts that are shown.
type entry struct {
	view.Entry
	Name  string // who did it
	Took  string
	Brief string // the most informative argument of a call
	Left  bool   // its arguments or its output are cut
}

// A revision is one report, compared with the previous one.
type revision struct {
	Number int
	Kind   string
	Lines  []reportLine
}

// A reportLine is new if the previous revision had no such line.
type reportLine struct {
	Text string
	New  bool
}

// A step is one piece of evidence on the way from the symptom of a bug to its cause.
type step struct {
	Place string // file:line, or the first line of a command
	Whole string // the full command, if it has several lines
	Claim string
	Grade string // such as observed or inferred
}

type push struct {
	workflow.Push
	Files []file
}

// sessionView returns what a person may see of a session: its newest entries, or those before a cursor.
func (p *Pages) sessionView(r *http.Request, a home.Access, before string) (sessionPage, error) {
	ctx := r.Context()
	_, unlisted := p.granted(r, "")
	v := sessionPage{
		Title:   cmp.Or(wholeTitle(a.Session.Title), "(no words)"),
		Session: a.Session,
		Code:    a.Code,
		Earlier: before != "",
		Listed:  unlisted == nil,
	}
	name := p.namer(ctx)
	v.Asked = name(a.Session.Requester)
	if !a.Code {
		return v, nil
	}
	page, err := view.Read(ctx, p.Store.DB, a.Session.ID, momentOf(before))
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
	pushed, err := p.Store.PushedRevisions(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	v.Plan = planOf(reports, pushed, v.Tasks, p.Secrets.Mask)
	for i := range v.Tasks {
		v.Tasks[i].Description = p.Secrets.Mask(v.Tasks[i].Description)
		v.Tasks[i].Summary = p.Secrets.Mask(v.Tasks[i].Summary)
	}
	if v.Pushes, err = p.pushes(ctx, a.Session); err != nil {
		return v, err
	}
	if v.Shots, err = p.shots(ctx, a.Session.ID); err != nil {
		return v, err
	}
	took, err := view.Shares(ctx, p.Store.DB, a.Session.ID)
	v.Shares, v.Priced = shares(took, a.Session.SpentUSD)
	return v, err
}

// wholeTitle adds an ellipsis to a title that was cut: a session's row keeps 120 characters of the first
// message.
func wholeTitle(title string) string {
	if utf8.RuneCountInString(title) < 120 {
		return title
	}
	return plaintext.CutLine(title, 119)
}

// momentOf parses a cursor from Before; it returns the zero time for anything else.
func momentOf(before string) time.Time {
	n, err := strconv.ParseInt(before, 36, 64)
	if err != nil || n <= 0 || n > maxMicros {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

const maxMicros = 1 << 56 // the year 4253, which is within the range of Postgres

// namer returns a function that returns display names of users, and looks each up once.
func (p *Pages) namer(ctx context.Context) func(user string) string {
	names := map[string]string{}
	return func(user string) string {
		if _, known := names[user]; !known {
			names[user] = p.NameOf(ctx, user)
		}
		return names[user]
	}
}

// maxShown is how many characters of a call's arguments, and of its output, the page of a session shows. The
// step's own page shows all of it.
const maxShown = 1000

// shownEntry returns an entry for the page of a session, with long texts cut.
func (p *Pages) shownEntry(e view.Entry, name func(string) string) entry {
	shown := p.wholeEntry(e, name)
	if e.Kind == view.Call {
		var args, output int
		shown.Text, args = plaintext.CutMiddle(shown.Text, maxShown/2, maxShown/2)
		shown.Output, output = plaintext.CutMiddle(shown.Output, maxShown/2, maxShown/2)
		shown.Left = args+output > 0
	}
	return shown
}

// wholeEntry returns a complete entry, with names instead of ids and with secrets masked.
func (p *Pages) wholeEntry(e view.Entry, name func(string) string) entry {
	brief := ""
	if e.Kind == view.Call {
		brief, e.Text = p.Secrets.Mask(briefArgument(e.Text)), readableArguments(e.Text)
	}
	if e.Kind == view.Line {
		e.Text = workflow.Line{Text: e.Text, Vouched: e.Vouched}.Marked()
	} else if e.Kind != view.Call { // a call's arguments are shown as data
		e.Text = workflow.WithoutMark(e.Text)
	}
	e.Title = p.Secrets.Mask(workflow.WithoutMark(e.Title))
	e.Text = p.Secrets.Mask(e.Text)
	e.Output = p.Secrets.Mask(e.Output)
	shown := entry{Entry: e, Name: e.Who, Brief: plaintext.CutLine(brief, 100)}
	switch e.Kind {
	case view.Person, view.Decision:
		if shown.Name = "the program"; e.Who != "" {
			shown.Name = name(e.Who)
		}
		shown.Title = strings.ReplaceAll(e.Title, "_", " ")
		shown.Text = mention.ReplaceAllStringFunc(e.Text,
			func(m string) string { return "@" + name(mention.FindStringSubmatch(m)[1]) })
	case view.Report, view.Push:
		shown.Name = "bobbin"
	case view.Reading:
		shown.Name = "the program"
	}
	if took := e.Took.Round(100 * time.Millisecond); took >= 100*time.Millisecond {
		shown.Took = took.String()
	}
	return shown
}

var mention = regexp.MustCompile(`<@([UW][A-Z0-9]+)(?:\|[^>]*)?>`)

// telling lists the arguments that identify a call best, in order of preference.
var telling = []string{
	"command", "path", "pattern", "query", "title", "question", "message", "summary", "task",
}

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

// readableArguments formats a call's arguments, one per line, with real line ends in their values.
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

// revisions returns the reports as revisions, newest first, and the evidence of the newest report.
func (p *Pages) revisions(all []workflow.Report) (list []revision, way []step) {
	var before map[string]bool
	for _, r := range all {
		lines := strings.Split(strings.TrimSpace(p.Secrets.Mask(r.Text)), "\n")
		shown := revision{Number: r.Revision, Kind: strings.ReplaceAll(r.Kind, "_", " ")}
		these := map[string]bool{}
		for _, l := range lines {
			these[l] = true
			shown.Lines = append(shown.Lines, reportLine{Text: l, New: before != nil && !before[l]})
		}
		before = these
		list = append(list, shown)
		way = p.wayOf(r)
	}
	slices.Reverse(list)
	return list, way
}

// wayOf returns the evidence of a report in order: each claim with the place that shows it.
func (p *Pages) wayOf(r workflow.Report) (way []step) {
	var body workflow.DiagnosisReport
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	for _, e := range body.Evidence {
		source := strings.TrimSpace(p.Secrets.Mask(e.Source))
		at := step{Place: source, Claim: p.Secrets.Mask(e.Claim), Grade: e.Grade}
		if first, rest, _ := strings.Cut(source, "\n"); rest != "" {
			at.Place = first + " …"
			at.Whole = source
		}
		way = append(way, at)
	}
	return way
}

// A sessionList is the data of the list page.
type sessionList struct {
	Title        string
	Query, State string
	States       []string
	Groups       []group
	Closed, More bool
	Today        string
}

type group struct {
	Name     string
	Sessions []workflow.HomeSession
}

// listView groups the sessions of a home by state, limited to those that match the query and the state.
func listView(h workflow.HomeView, query, state string) sessionList {
	v := sessionList{
		Title:  "Sessions",
		Query:  query,
		State:  state,
		Closed: h.OwnOnly,
		More:   h.More,
		Today:  h.TodayLine(),
	}
	add := func(name string, list []workflow.HomeSession) {
		v.States = append(v.States, name)
		g := group{Name: name}
		for _, s := range list {
			if (state == "" || state == name) && matches(s, query) {
				g.Sessions = append(g.Sessions, s)
			}
		}
		if len(g.Sessions) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	add("Waits for you", h.Waits)
	for _, standing := range workflow.HomeStatuses {
		var these []workflow.HomeSession
		for _, s := range h.Others {
			if s.Standing() == standing {
				these = append(these, s)
			}
		}
		add(string(standing), these)
	}
	return v
}

// matches reports whether every word of a query occurs in what the list shows of a session.
func matches(s workflow.HomeSession, query string) bool {
	text := strings.ToLower(
		strings.Join([]string{s.Title, s.Repository, s.Branch, s.ID, string(s.Phase), s.Why}, " "))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
