package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/look"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/timeline"
)

// A sessionPage is what the page of a session shows.
type sessionPage struct {
	Title   string
	Session workflow.Session
	Asked   string // the requester's name
	Version string
	Code    bool
	More    bool // there is something older than Entries
	Entries []entry
	Reports []revision
	Way     []step
	Tasks   []workflow.Task
	Pushes  []push
	Hours   []bar
}

// An entry is a timeline's entry as it is shown.
type entry struct {
	timeline.Entry
	Name string // of who did it
	Took string
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
	workflow.Push
	Files []look.File
}

// A bar is the time that an agent took, as a share of the longest.
type bar struct {
	Name   string
	Took   string
	Models int // percent of the longest, spent with models
	Tools  int // likewise, with tools
}

func (p *Pages) sessionView(ctx context.Context, a home.Access) (sessionPage, error) {
	v := sessionPage{Title: cmp.Or(a.Session.Title, "(no words)"), Session: a.Session, Code: a.Code}
	names := map[string]string{}
	name := func(user string) string {
		if _, known := names[user]; !known {
			names[user] = p.NameOf(ctx, user)
		}
		return names[user]
	}
	v.Asked = name(a.Session.Requester)
	if !a.Code {
		return v, nil
	}
	entries, more, err := timeline.Read(ctx, p.Store.DB, a.Session.ID)
	if err != nil {
		return v, err
	}
	v.More, v.Hours = more, hours(entries)
	for _, e := range entries {
		v.Entries = append(v.Entries, p.shownEntry(e, name))
	}
	if v.Reports, v.Way, err = p.reports(ctx, a.Session); err != nil {
		return v, err
	}
	if v.Tasks, err = p.Store.Tasks(ctx, a.Session.ID, ""); err != nil {
		return v, err
	}
	for i := range v.Tasks {
		v.Tasks[i].Description, v.Tasks[i].Summary = p.Secrets.Mask(v.Tasks[i].Description), p.Secrets.Mask(v.Tasks[i].Summary)
	}
	pushes, err := p.Store.Pushes(ctx, a.Session.ID)
	if err != nil {
		return v, err
	}
	for _, x := range pushes {
		shown := push{Push: x}
		if x.State == workflow.PushDone {
			shown.Files = look.SplitDiff(p.Secrets.Mask(p.DiffOf(ctx, a.Session.Repository, x.Commit)))
		}
		v.Pushes = append(v.Pushes, shown)
	}
	return v, nil
}

// shownEntry is an entry with names for ids and secrets masked.
func (p *Pages) shownEntry(e timeline.Entry, name func(string) string) entry {
	if e.Kind == timeline.Call {
		e.Text = readableArguments(e.Text)
	}
	e.Title, e.Text, e.Output = p.Secrets.Mask(e.Title), p.Secrets.Mask(e.Text), p.Secrets.Mask(e.Output)
	shown := entry{Entry: e, Name: e.Who}
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

// reports are the revisions, the newest first, and the way of the bug by the newest.
func (p *Pages) reports(ctx context.Context, s workflow.Session) (list []revision, way []step, err error) {
	var before map[string]bool
	for n := 1; n <= s.Revision; n++ {
		r, err := consent.Register{DB: p.Store.DB}.Report(ctx, s.ID, n)
		if err != nil {
			return nil, nil, err
		}
		lines := strings.Split(strings.TrimSpace(p.Secrets.Mask(r.Text)), "\n")
		shown, these := revision{Number: n, Kind: strings.ReplaceAll(r.Kind, "_", " ")}, map[string]bool{}
		for _, l := range lines {
			these[l] = true
			shown.Lines = append(shown.Lines, reportLine{Text: l, New: before != nil && !before[l]})
		}
		before = these
		list, way = append(list, shown), p.wayOf(r)
	}
	slices.Reverse(list)
	return list, way, nil
}

// wayOf is the evidence of a report, in its order: each claim with the place that shows it.
func (p *Pages) wayOf(r workflow.Report) (way []step) {
	var body workflow.Diagnosis
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

// hours is the time that each agent took, the longest first.
func hours(entries []timeline.Entry) (bars []bar) {
	models, tools := map[string]time.Duration{}, map[string]time.Duration{}
	var names []string
	for _, e := range entries {
		if e.Kind != timeline.Call && e.Kind != timeline.Thought {
			continue
		}
		if !slices.Contains(names, e.Who) {
			names = append(names, e.Who)
		}
		models[e.Who] += e.Waited
		tools[e.Who] += e.Took
	}
	all := func(n string) time.Duration { return models[n] + tools[n] }
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(all(b), all(a)) })
	for _, n := range names {
		longest := max(all(names[0]), 1)
		bars = append(bars, bar{Name: n, Took: all(n).Round(100 * time.Millisecond).String(), Models: int(100 * models[n] / longest), Tools: int(100 * tools[n] / longest)})
	}
	return bars
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
	Sessions []workflow.HomeSession
}

// listView is a home's sessions by state, those that hold the words of a query.
func listView(h workflow.Home, query, state string) sessionList {
	v := sessionList{Title: "Sessions", Query: query, State: state, Closed: h.Closed, More: h.More, TodayUSD: h.TodayUSD}
	add := func(name string, list []workflow.HomeSession) {
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
	for _, standing := range workflow.Standings {
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

// holds reports whether every word of a query is somewhere in what the list shows of a session.
func holds(s workflow.HomeSession, query string) bool {
	text := strings.ToLower(strings.Join([]string{s.Title, s.Repository, s.Branch, s.ID, string(s.Phase), s.Why}, " "))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
