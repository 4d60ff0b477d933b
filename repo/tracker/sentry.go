package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Sentry, hosted or on one's own, by version 0 of its API: an issue with the stack trace and the release of
// its newest event.
type sentry struct{ *Tracker }

var (
	sentryLink = regexp.MustCompile(`^(?:organizations/([\w-]+)/)?issues/([\w-]{1,80})(?:/|$)`)
	digits     = regexp.MustCompile(`^\d{1,20}$`)
)

// organization returns the slug of the organization: from the path of url, or the first part of its host.
func (s sentry) organization() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	if rest, ok := strings.CutPrefix(strings.Trim(u.Path, "/"), "organizations/"); ok {
		return rest
	}
	slug, _, _ := strings.Cut(u.Hostname(), ".")
	return slug
}

// keyIn takes /issues/4509, /issues/SHOP-4K and the same below /organizations/acme. Whether a number is an
// issue of a configured project shows in the answer.
func (s sentry) keyIn(link *url.URL) (Key, bool) {
	m := sentryLink.FindStringSubmatch(link.Path)
	if m == nil || m[1] != "" && !strings.EqualFold(m[1], s.organization()) {
		return Key{}, false
	}
	if digits.MatchString(m[2]) {
		return Key{ID: m[2], Shown: m[2]}, true
	}
	short := strings.ToUpper(m[2])
	if i := strings.LastIndex(short, "-"); i > 0 {
		return Key{Project: strings.ToLower(short[:i]), ID: short, Shown: short}, true
	}
	return Key{}, false
}

// keysIn takes short ids such as SHOP-4K, with a letter, since SHOP-12 is more often the key of a tracker of
// tickets.
func (s sentry) keysIn(text string) []Key {
	return slices.DeleteFunc(s.keysLike(text, `[0-9A-Z]{1,8}`), func(k Key) bool {
		return digits.MatchString(k.ID[strings.LastIndex(k.ID, "-")+1:])
	})
}

type sentryIssue struct {
	ID        string      `json:"id"`
	ShortID   string      `json:"shortId"`
	Title     string      `json:"title"`
	Culprit   string      `json:"culprit"`
	Status    string      `json:"status"`
	Level     string      `json:"level"`
	Count     json.Number `json:"count"`
	UserCount json.Number `json:"userCount"`
	FirstSeen string      `json:"firstSeen"`
	LastSeen  string      `json:"lastSeen"`
	Project   struct {
		Slug string `json:"slug"`
	} `json:"project"`
	FirstRelease *sentryRelease `json:"firstRelease"`
	LastRelease  *sentryRelease `json:"lastRelease"`
	Activity     []struct {
		Type string `json:"type"`
		Data struct {
			Text string `json:"text"`
		} `json:"data"`
		DateCreated string `json:"dateCreated"`
		User        struct {
			Name string `json:"name"`
		} `json:"user"`
	} `json:"activity"`
}

type sentryRelease struct {
	Version string `json:"version"`
}

type sentryEvent struct {
	Message     string         `json:"message"`
	DateCreated string         `json:"dateCreated"`
	Release     *sentryRelease `json:"release"`
	Tags        []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"tags"`
	Entries []struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	} `json:"entries"`
}

type sentryTrace struct {
	Frames []sentryFrame `json:"frames"`
}

type sentryFrame struct {
	Filename string  `json:"filename"`
	AbsPath  string  `json:"absPath"`
	Module   string  `json:"module"`
	Function string  `json:"function"`
	LineNo   int     `json:"lineNo"`
	InApp    bool    `json:"inApp"`
	Context  [][]any `json:"context"` // pairs of a line's number and its text
}

func (s sentry) path(rest string) string {
	return "/organizations/" + url.PathEscape(s.organization()) + rest
}

// number returns the number of an issue, which Sentry is asked for if the key is a short id.
func (s sentry) number(ctx context.Context, key Key) (string, error) {
	if digits.MatchString(key.ID) {
		return key.ID, nil
	}
	var short struct {
		GroupID string `json:"groupId"`
	}
	if err := s.client.get(ctx, s.path("/shortids/"+url.PathEscape(key.ID)+"/"), &short); err != nil {
		return "", err
	}
	if !digits.MatchString(short.GroupID) {
		return "", errNotThere(404)
	}
	return short.GroupID, nil
}

func (s sentry) read(ctx context.Context, key Key) (Issue, error) {
	id, err := s.number(ctx, key)
	if err != nil {
		return Issue{}, err
	}
	var got sentryIssue
	if err := s.client.get(ctx, s.path("/issues/"+id+"/"), &got); err != nil {
		return Issue{}, err
	}
	if _, ok := s.project(got.Project.Slug); !ok { // its number did not tell
		return Issue{}, &Error{
			Reason: "its project " + cutLine(got.Project.Slug) + " is not among the projects of trackers",
			Cure:   "add it to projects of " + s.Name(),
		}
	}
	var event sentryEvent
	if err := s.client.get(ctx, s.path("/issues/"+id+"/events/latest/"), &event); err != nil {
		return Issue{}, err
	}
	return got.issue(event), nil
}

func (s sentry) check(ctx context.Context, project string) error {
	var got struct{ Slug string }
	path := "/projects/" + url.PathEscape(s.organization()) + "/" + url.PathEscape(project) + "/"
	return s.client.get(ctx, path, &got)
}

// issue returns the issue with what its newest event shows.
func (got sentryIssue) issue(event sentryEvent) Issue {
	issue := Issue{Shown: got.ShortID, Title: got.Title, State: got.Status, Body: event.Message}
	if issue.Shown == "" {
		issue.Shown = got.ID
	}
	issue.addFact("Culprit", got.Culprit)
	issue.addFact("Level", got.Level)
	issue.addFact("Events", got.Count.String())
	issue.addFact("Users", got.UserCount.String())
	issue.addFact("First seen", got.FirstSeen)
	issue.addFact("Last seen", got.LastSeen)
	if got.FirstRelease != nil {
		issue.addFact("First release", got.FirstRelease.Version)
	}
	if got.LastRelease != nil {
		issue.addFact("Last release", got.LastRelease.Version)
	}
	if event.Release != nil {
		issue.addFact("Release of the newest event", event.Release.Version)
	}
	for _, t := range event.Tags {
		if t.Key == "environment" || t.Key == "transaction" {
			issue.addFact(t.Key, t.Value)
		}
	}
	issue.Trace = event.trace()
	for _, a := range got.Activity {
		if a.Type == "note" {
			issue.Comments = append(issue.Comments, Comment{a.User.Name, a.DateCreated, a.Data.Text})
		}
	}
	slices.Reverse(issue.Comments) // the newest is first there
	return issue
}

// trace returns the exceptions of an event with their frames, the failing call first.
func (e sentryEvent) trace() string {
	var b strings.Builder
	for _, entry := range e.Entries {
		var data struct {
			Values []struct {
				Type       string       `json:"type"`
				Value      string       `json:"value"`
				Stacktrace *sentryTrace `json:"stacktrace"`
			} `json:"values"`
			sentryTrace
		}
		if json.Unmarshal(entry.Data, &data) != nil {
			continue // of another form, such as breadcrumbs
		}
		switch entry.Type {
		case "exception":
			for _, x := range slices.Backward(data.Values) {
				fmt.Fprintf(&b, "%s: %s\n", oneLine(x.Type), oneLine(x.Value))
				if x.Stacktrace != nil {
					x.Stacktrace.write(&b)
				}
			}
		case "stacktrace":
			data.sentryTrace.write(&b)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// maxFrames is how many frames of one trace are shown, those that failed.
const maxFrames = 30

func (t sentryTrace) write(b *strings.Builder) {
	frames := t.Frames[max(0, len(t.Frames)-maxFrames):]
	for _, f := range slices.Backward(frames) {
		file := f.Filename
		for _, other := range []string{f.AbsPath, f.Module} {
			if file == "" {
				file = other
			}
		}
		fmt.Fprintf(b, "  %s:%d in %s", oneLine(file), f.LineNo, oneLine(f.Function))
		if !f.InApp {
			b.WriteString(" (not of the app)")
		}
		b.WriteString("\n")
		if code := f.line(); code != "" {
			fmt.Fprintf(b, "      %s\n", code)
		}
	}
	if left := len(t.Frames) - len(frames); left > 0 {
		fmt.Fprintf(b, "  [%d calls above it are left out]\n", left)
	}
}

// line returns the source line of a frame, if the event has it.
func (f sentryFrame) line() string {
	for _, pair := range f.Context {
		if len(pair) < 2 {
			continue
		}
		number, _ := pair[0].(float64)
		text, _ := pair[1].(string)
		if int(number) == f.LineNo {
			return oneLine(strings.TrimSpace(text))
		}
	}
	return ""
}
