package tracker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Draft is an issue that is to be filed, or a comment, which has no title. Text is Markdown.
type Draft struct {
	Title, Text string
	// Mark is a word by which the draft is found again at the tracker. It is in the text where people do not
	// see it, or at its end.
	Mark string
}

// A Filed is an issue that was filed.
type Filed struct {
	Shown string // as people name it: SHOP-12
	URL   string // its page, below the tracker's url; empty: the tracker named another address
}

// A writer is how a kind of tracker is written to. What may have been written before is looked up first:
// nothing here is safe to repeat.
type writer interface {
	file(ctx context.Context, project string, d Draft) (Filed, error)
	// find returns the issue of the project, filed since then, that has the mark, or nil.
	find(ctx context.Context, project, mark string, since time.Time) (*Filed, error)
	comment(ctx context.Context, key Key, d Draft) error
	// commented reports whether a comment of the issue has the mark.
	commented(ctx context.Context, key Key, mark string) (bool, error)
	// mayWrite returns an error if the token is known to lack the right to file issues in the project.
	mayWrite(ctx context.Context, project string) error
}

// Files are the kinds of trackers in which issues are filed.
var Files = []string{Jira, Linear, GitHub, GitLab}

// CanFile reports whether issues are filed in the tracker.
func (t *Tracker) CanFile() bool { return t.FileIn != "" && slices.Contains(Files, t.Kind) }

// File files an issue in the project FileIn. The error is an *Error, or that of ctx.
func (t *Tracker) File(ctx context.Context, d Draft) (Filed, error) {
	f, err := t.kind.file(ctx, t.FileIn, d)
	return f, cureOfWriting(err)
}

// FindFiled returns the issue of the project FileIn, filed since then, that has the mark, or nil if there is
// none.
func (t *Tracker) FindFiled(ctx context.Context, mark string, since time.Time) (*Filed, error) {
	return t.kind.find(ctx, t.FileIn, mark, since)
}

// AddComment adds a comment to an issue. The error is an *Error, or that of ctx.
func (t *Tracker) AddComment(ctx context.Context, key Key, d Draft) error {
	return cureOfWriting(t.kind.comment(ctx, key, d))
}

// Commented reports whether a comment of the issue has the mark.
func (t *Tracker) Commented(ctx context.Context, key Key, mark string) (bool, error) {
	return t.kind.commented(ctx, key, mark)
}

// CheckWriting returns an *Error if the token is known to lack the right to file issues in the project, or to
// comment on them. It writes nothing. Linear and Sentry do not tell.
func (t *Tracker) CheckWriting(ctx context.Context, project string) error {
	return cureOfWriting(t.kind.mayWrite(ctx, project))
}

// KeyOf returns the issue with the name that a Ref showed.
func (t *Tracker) KeyOf(shown string) (Key, bool) {
	if keys := t.kind.keysIn(shown); len(keys) == 1 && keys[0].Shown == shown {
		return keys[0], true
	}
	return Key{ID: shown, Shown: shown}, t.Kind == Sentry && digits.MatchString(shown)
}

// SettleTime is how long a kind of tracker may take before it finds what was just written to it.
func (t *Tracker) SettleTime() time.Duration {
	if t.Kind == Jira { // which searches an index
		return time.Minute
	}
	return 0
}

// cureOfWriting returns the error with words about writing, if the token lacks the right.
func cureOfWriting(err error) error {
	var wrong *Error
	if errors.As(err, &wrong) && wrong.forbidden {
		return &Error{
			Reason:    strings.Replace(wrong.Reason, "may not read it", "may not write there", 1),
			Cure:      "let the token file issues of the project and comment on them",
			forbidden: true,
		}
	}
	return err
}

// hidden returns the text with the mark where Markdown does not show it.
func (d Draft) hidden() string { return d.Text + "\n\n<!-- " + d.Mark + " -->" }

// page returns the address if it is below the tracker's url.
func (t *Tracker) page(address string) string {
	if !strings.HasPrefix(address, strings.TrimRight(t.URL, "/")+"/") ||
		strings.ContainsAny(address, " <>|\"`()\n") {
		return ""
	}
	return address
}

// earlier returns the time in the form of a query, earlier by what the clocks may be apart.
func earlier(since time.Time) string {
	return url.QueryEscape(since.Add(-time.Hour).UTC().Format(time.RFC3339))
}

// A listed is an issue in a list of GitHub or GitLab.
type listed struct {
	Number      int64  `json:"number"`
	IID         int64  `json:"iid"`
	Body        string `json:"body"`
	Description string `json:"description"`
	HTML        string `json:"html_url"`
	Web         string `json:"web_url"`
}

func (t *Tracker) filed(project string, i listed) Filed {
	return Filed{Shown: fmt.Sprintf("%s#%d", project, i.Number+i.IID), URL: t.page(i.HTML + i.Web)}
}

// findListed returns the issue at a path of the API that has the mark, or nil.
func (t *Tracker) findListed(ctx context.Context, project, path, mark string) (*Filed, error) {
	var some []listed
	if err := t.client.get(ctx, path, &some); err != nil {
		return nil, err
	}
	for _, i := range some {
		if strings.Contains(i.Body+i.Description, mark) {
			f := t.filed(project, i)
			return &f, nil
		}
	}
	return nil, nil
}

// hasMark reports whether one of the comments at a path of the API has the mark.
func (t *Tracker) hasMark(ctx context.Context, path, mark string) (bool, error) {
	var some []struct {
		Body string `json:"body"`
	}
	err := t.client.get(ctx, path, &some)
	for _, c := range some {
		if strings.Contains(c.Body, mark) {
			return true, nil
		}
	}
	return false, err
}

// refusesEmpty asks for an issue without a title: a token without the right is refused before that is seen.
func (t *Tracker) refusesEmpty(ctx context.Context, path string) error {
	err := t.client.write(ctx, path, struct{}{}, &struct{}{})
	var wrong *Error
	if errors.As(err, &wrong) && (wrong.status == http.StatusUnprocessableEntity ||
		wrong.status == http.StatusBadRequest) {
		return nil
	}
	return err
}

func (g github) at(project, rest string) string { return "/repos/" + project + "/issues" + rest }

func (g github) file(ctx context.Context, project string, d Draft) (Filed, error) {
	var made listed
	err := g.client.write(ctx, g.at(project, ""), map[string]any{"title": d.Title, "body": d.hidden()}, &made)
	return g.filed(project, made), err
}

func (g github) find(ctx context.Context, project, mark string, since time.Time) (*Filed, error) {
	return g.findListed(ctx, project,
		g.at(project, "?state=all&sort=created&direction=desc&per_page=100&since="+earlier(since)), mark)
}

func (g github) comment(ctx context.Context, key Key, d Draft) error {
	return g.client.write(ctx, g.at(key.Project, "/"+key.ID+"/comments"), map[string]any{"body": d.hidden()},
		&struct{}{})
}

func (g github) commented(ctx context.Context, key Key, mark string) (bool, error) {
	// A comment of the bot's is at most a few days old when it is looked for.
	since := time.Now().Add(-7 * 24 * time.Hour)
	return g.hasMark(ctx, g.at(key.Project, "/"+key.ID+"/comments?per_page=100&since="+earlier(since)), mark)
}

func (g github) mayWrite(ctx context.Context, project string) error {
	return g.refusesEmpty(ctx, g.at(project, ""))
}

func (g gitlab) at(project, rest string) string {
	return "/projects/" + url.PathEscape(project) + "/issues" + rest
}

func (g gitlab) file(ctx context.Context, project string, d Draft) (Filed, error) {
	var made listed
	err := g.client.write(ctx, g.at(project, ""),
		map[string]any{"title": d.Title, "description": d.hidden()}, &made)
	return g.filed(project, made), err
}

func (g gitlab) find(ctx context.Context, project, mark string, since time.Time) (*Filed, error) {
	return g.findListed(ctx, project,
		g.at(project, "?scope=all&order_by=created_at&sort=desc&per_page=100&created_after="+earlier(since)),
		mark)
}

func (g gitlab) comment(ctx context.Context, key Key, d Draft) error {
	return g.client.write(ctx, g.at(key.Project, "/"+key.ID+"/notes"), map[string]any{"body": d.hidden()},
		&struct{}{})
}

func (g gitlab) commented(ctx context.Context, key Key, mark string) (bool, error) {
	return g.hasMark(ctx,
		g.at(key.Project, "/"+key.ID+"/notes?sort=desc&order_by=created_at&per_page=100"), mark)
}

func (g gitlab) mayWrite(ctx context.Context, project string) error {
	return g.refusesEmpty(ctx, g.at(project, ""))
}

func (s sentry) file(context.Context, string, Draft) (Filed, error) {
	return Filed{}, &Error{Reason: "Sentry has no issues that people file"}
}

func (s sentry) find(context.Context, string, string, time.Time) (*Filed, error) { return nil, nil }

// notes returns the path of an issue's comments.
func (s sentry) notes(ctx context.Context, key Key) (string, error) {
	id, err := s.number(ctx, key)
	return s.path("/issues/" + id + "/comments/"), err
}

func (s sentry) comment(ctx context.Context, key Key, d Draft) error {
	path, err := s.notes(ctx, key)
	if err != nil {
		return err
	}
	return s.client.write(ctx, path, map[string]any{"text": d.Text + "\n" + d.Mark}, &struct{}{})
}

func (s sentry) commented(ctx context.Context, key Key, mark string) (bool, error) {
	path, err := s.notes(ctx, key)
	if err != nil {
		return false, err
	}
	var some []struct {
		Data struct {
			Text string `json:"text"`
		} `json:"data"`
	}
	err = s.client.get(ctx, path, &some)
	for _, c := range some {
		if strings.Contains(c.Data.Text, mark) {
			return true, nil
		}
	}
	return false, err
}

func (s sentry) mayWrite(context.Context, string) error { return nil }
