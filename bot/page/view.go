package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// A sessionPage is the data of a session's page.
type sessionPage struct {
	Title   string
	Session workflow.Session
	place
	Asked   person // who asked
	In      codebase
	Version string
	Code    bool
	Outcome outcome
	Reports []revision
	Way     []step
	work
	bars
	Entries []entry
	Before  string // cursor for entries older than Entries; empty: there are none
	Earlier bool   // this page shows older entries only
}

// work holds what was planned, done and pushed.
type work struct {
	Plan   *plan // nil: there is no plan
	Tasks  []workflow.Task
	Pushes []push // the newest first
	Shots  []shot
}

// An entry is a timeline entry with the texts that are shown.
type entry struct {
	view.Entry
	Name  string // who did it
	By    *person
	Shown template.HTML // a line of the thread
	Took  string
	Brief string // the most informative argument of a call
	Left  bool   // its arguments or its output are cut
}

// A revision is one report. Its lines that the previous revision does not have are marked.
type revision struct {
	Number int
	Kind   string
	Text   template.HTML
	Marks  bool     // there is a previous revision to which it is compared
	By     []person // who approved it
}

// A step is one piece of evidence on the way from the symptom of a bug to its cause.
type step struct {
	Place template.HTML // file:line, or the first line of a command
	Whole string        // the full command, if it has several lines
	Claim template.HTML
	Grade string // such as observed or inferred
}

// A push is one push of the session, with its diff if it went out.
type push struct {
	workflow.Push
	Files          []file
	Added, Removed int
}

// titleFor returns what the session is called for a visitor. A finding may name code.
func titleFor(a home.Access) string {
	if a.Code {
		return a.Session.Name()
	}
	return a.Session.Title
}

// sessionView returns what a person may see of a session: its newest entries, or those before a cursor.
func (p *Pages) sessionView(r *http.Request, a home.Access, before string) (v sessionPage, err error) {
	ctx := r.Context()
	_, unlisted := p.granted(r, "")
	v = sessionPage{
		Title:   cmp.Or(wholeTitle(titleFor(a)), "(no words)"),
		Session: a.Session,
		Code:    a.Code,
		Earlier: before != "",
	}
	name := p.namer(ctx)
	v.Asked = personOf(name(a.Session.Requester))
	channel := p.channelName(ctx, a.Session.Thread.Channel)
	v.place = placeOf(channel, a.Session.Repository, unlisted == nil)
	v.In = p.codebase(a.Session, nil)
	if !a.Code {
		v.Outcome, err = p.outcome(ctx, a, v, markup{})
		return v, err
	}
	m, err := p.markup(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	page, err := view.Read(ctx, p.Store.DB, a.Session.ID, momentOf(before))
	if err != nil {
		return v, err
	}
	if !page.Before.IsZero() {
		v.Before = strconv.FormatInt(page.Before.UnixMicro(), 36)
	}
	for _, e := range page.Entries {
		shown := p.shownEntry(ctx, e, name)
		if e.Kind == view.Line {
			shown.Shown = m.html(shown.Text, nil)
		}
		v.Entries = append(v.Entries, shown)
	}
	if v.Earlier {
		return v, nil
	}
	if v.work, err = p.work(ctx, a.Session); err != nil {
		return v, err
	}
	v.In = p.codebase(a.Session, newestDone(v.Pushes))
	if v.Outcome, err = p.outcome(ctx, a, v, m); err != nil {
		return v, err
	}
	reports, err := p.Store.Reports(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	v.Reports, v.Way = p.revisions(ctx, reports, v.Outcome.Approvals, m)
	pushed, err := p.Store.PushedRevisions(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	words := func(text string) string { return p.words(ctx, text) }
	v.Plan = planOf(reports, pushed, v.Tasks, words)
	for i := range v.Tasks {
		v.Tasks[i].Description = words(v.Tasks[i].Description)
		v.Tasks[i].Summary = words(v.Tasks[i].Summary)
	}
	took, err := view.Shares(ctx, p.Store.DB, a.Session.ID)
	v.Shares, v.Priced = shares(took, a.Session.SpentUSD)
	return v, err
}

// work returns what was done and pushed in a session.
func (p *Pages) work(ctx context.Context, s workflow.Session) (w work, err error) {
	if w.Tasks, err = p.Store.Tasks(ctx, s.ID, ""); err != nil {
		return w, err
	}
	if w.Pushes, err = p.pushes(ctx, s); err != nil {
		return w, err
	}
	w.Shots, err = p.shots(ctx, s.ID)
	return w, err
}

// wholeTitle adds an ellipsis to a title that was cut: a session's row keeps 120 characters of the first
// message.
func wholeTitle(title string) string {
	title = mrkdwn.Visible(title)
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

// maxShown is how many characters of a call's arguments, and of its output, the page of a session shows. The
// step's own page shows all of it.
const maxShown = 1000

// shownEntry returns an entry for the page of a session, with long texts cut.
func (p *Pages) shownEntry(ctx context.Context, e view.Entry, name func(string) string) entry {
	shown := p.wholeEntry(ctx, e, name)
	if e.Kind == view.Call {
		var args, output int
		shown.Text, args = plaintext.CutMiddle(shown.Text, maxShown/2, maxShown/2)
		shown.Output, output = plaintext.CutMiddle(shown.Output, maxShown/2, maxShown/2)
		shown.Left = args+output > 0
	}
	return shown
}

// wholeEntry returns a complete entry, with names instead of ids and with secrets masked.
func (p *Pages) wholeEntry(ctx context.Context, e view.Entry, name func(string) string) entry {
	brief := ""
	if e.Kind == view.Call {
		brief, e.Text = p.mask(briefArgument(e.Text)), readableArguments(e.Text)
	}
	if e.Kind == view.Decision {
		e.Text = workflow.DecisionKind(e.Title).ShownReason(e.Text)
	}
	if e.Kind == view.Line {
		e.Text = workflow.Line{Text: e.Text, Vouched: e.Vouched}.Marked()
	} else if e.Kind != view.Call { // a call's arguments are shown as data
		e.Text = workflow.Unmark(e.Text)
	}
	e.Title = p.words(ctx, workflow.Unmark(e.Title))
	if e.Kind == view.Call {
		e.Text = p.mask(e.Text)
	} else {
		e.Text = p.words(ctx, e.Text)
	}
	e.Output = p.mask(e.Output)
	shown := entry{Entry: e, Name: e.Who, Brief: plaintext.CutLine(brief, 100)}
	switch e.Kind {
	case view.Person, view.Decision:
		if shown.Name = "the program"; e.Who != "" {
			by := personOf(name(e.Who))
			shown.Name = by.Name
			shown.By = &by
		}
		shown.Title = strings.ReplaceAll(e.Title, "_", " ")
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
func (p *Pages) revisions(
	ctx context.Context, all []workflow.Report, approvals []approval, m markup,
) (list []revision, way []step) {
	var before map[string]bool
	for _, r := range all {
		text := p.words(ctx, reportWords(r))
		isNew := func(string) bool { return false }
		if known := before; known != nil {
			isNew = func(line string) bool { return !known[line] }
		}
		shown := revision{
			Number: r.Revision,
			Kind:   strings.ReplaceAll(r.Kind, "_", " "),
			Text:   m.html(text, isNew),
			Marks:  before != nil,
		}
		for _, a := range approvals {
			if a.Revision == r.Revision && !slices.Contains(shown.By, a.By) {
				shown.By = append(shown.By, a.By)
			}
		}
		before = linesIn(text)
		list = append(list, shown)
		way = p.wayOf(ctx, r, m)
	}
	slices.Reverse(list)
	return list, way
}

// reportWords returns the text of a report, in which no agent's line begins with a mark of the program. Of a
// root cause or a diagnosis, the program says in the second line whether it was reproduced.
func reportWords(r workflow.Report) string {
	lines := strings.SplitN(withoutFooter(workflow.WithoutMark(r.Text)), "\n", 3)
	hasStatus := r.Kind == workflow.ReportRootCause || r.Kind == workflow.ReportDiagnosis
	for i, text := range lines {
		if i != 1 || !hasStatus {
			lines[i] = workflow.Unmark(text)
		}
	}
	return strings.Join(lines, "\n")
}

// withoutFooter returns a report's text without its last line, which says how to answer it in the thread.
func withoutFooter(text string) string {
	text = strings.TrimSpace(text)
	if at := strings.LastIndexByte(text, '\n'); at >= 0 && reportFooter.MatchString(text[at+1:]) {
		return text[:at]
	}
	return text
}

var reportFooter = regexp.MustCompile(`^\S+@[0-9a-f]{7,} · revision \d+ · `)

// linesIn returns the lines of a text as a markup tells them.
func linesIn(text string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(separateLines(text), "\n") {
		lines[strings.TrimSpace(line)] = true
	}
	return lines
}

// wayOf returns the evidence of a report in order: each claim with the place that shows it.
func (p *Pages) wayOf(ctx context.Context, r workflow.Report, m markup) (way []step) {
	var body workflow.DiagnosisReport
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	for _, e := range body.Evidence {
		source := strings.TrimSpace(p.mask(e.Source))
		first, rest, _ := strings.Cut(source, "\n")
		at := step{Claim: m.line(p.words(ctx, workflow.Unmark(e.Claim))), Grade: e.Grade}
		if rest != "" {
			first += " …"
			at.Whole = source
		}
		if source != "" {
			at.Place = m.place(first)
		}
		way = append(way, at)
	}
	return way
}

// A sessionList is the data of the list page.
type sessionList struct {
	Title string
	place
	State        string
	States       []string
	Groups       []group
	Closed, More bool
	Today        string
}

type group struct {
	Name     string
	Sessions []listed
}

// A listed session is one line of the list.
type listed struct {
	workflow.HomeSession
	Channel string
	Stands  string // its state, in words
	Tone    string // how that is marked
}

// Show returns the address of the sessions in that state, among those that are searched for.
func (l sessionList) Show(state string) string {
	q := url.Values{}
	if l.Query != "" {
		q.Set("q", l.Query)
	}
	if state != "" {
		q.Set("state", state)
	}
	if len(q) == 0 {
		return "/s/"
	}
	return "/s/?" + q.Encode()
}

// listView groups the sessions of a home by state, limited to those that match the query and the state.
func listView(h workflow.HomeView, query, state string, channel func(id string) string) sessionList {
	v := sessionList{
		Title:  "Sessions",
		place:  place{Listed: true, Query: query},
		State:  state,
		Closed: h.OwnOnly,
		More:   h.More,
		Today:  h.TodayLine(),
	}
	add := func(name string, list []workflow.HomeSession) {
		v.States = append(v.States, name)
		g := group{Name: name}
		for _, s := range list {
			isPaused := s.Why == workflow.PausedByOperator
			_, tone := headline(s.Session, isPaused, view.Outcome{}, nil)
			s.Title = wholeTitle(s.Title)
			s.Finding = mrkdwn.Visible(s.Finding)
			shown := listed{s, channel(s.Thread.Channel), s.State(isPaused), tone}
			if (state == "" || state == name) && matches(shown, query) {
				g.Sessions = append(g.Sessions, shown)
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
func matches(s listed, query string) bool {
	text := strings.ToLower(strings.Join([]string{
		s.Finding, s.Title, s.Repository, s.Channel, s.Branch, s.ID, s.Stands, s.Why,
	}, " "))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
