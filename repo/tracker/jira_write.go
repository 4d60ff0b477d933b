package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

func (j jira) file(ctx context.Context, project string, d Draft) (Filed, error) {
	var made struct{ Key string }
	err := j.client.write(ctx, "/issue", map[string]any{"fields": map[string]any{
		"project":     map[string]any{"key": project},
		"issuetype":   map[string]any{"name": cmp.Or(j.IssueType, "Task")},
		"summary":     d.Title,
		"description": d.wiki(),
	}}, &made)
	var wrong *Error
	if errors.As(err, &wrong) && wrong.status == http.StatusBadRequest {
		return Filed{}, &Error{
			Reason: "Jira does not take the issue (HTTP 400): " +
				cmp.Or(wrong.message, "it does not say why"),
			Cure: "check issue_type, and which fields the project demands of such issues",
		}
	}
	return j.keyed(made.Key), err
}

func (j jira) keyed(key string) Filed {
	return Filed{Shown: key, URL: j.page(strings.TrimRight(j.URL, "/") + "/browse/" + key)}
}

// find searches the newest issues of the project. Cloud has another address for that than Data Center.
func (j jira) find(ctx context.Context, project, mark string, since time.Time) (*Filed, error) {
	minutes := int(time.Since(since)/time.Minute) + 60
	query := "?maxResults=100&fields=description&jql=" + url.QueryEscape(
		fmt.Sprintf(`project = "%s" AND created >= "-%dm" ORDER BY created DESC`, project, minutes))
	var got struct {
		Issues []jiraIssue `json:"issues"`
	}
	err := j.client.get(ctx, "/search/jql"+query, &got)
	var wrong *Error
	if errors.As(err, &wrong) && (wrong.status == http.StatusNotFound ||
		wrong.status == http.StatusMethodNotAllowed) {
		err = j.client.get(ctx, "/search"+query, &got)
	}
	for _, i := range got.Issues {
		if strings.Contains(i.Fields.Description, mark) {
			f := j.keyed(i.Key)
			return &f, nil
		}
	}
	return nil, err
}

func (j jira) comment(ctx context.Context, key Key, d Draft) error {
	return j.client.write(ctx, "/issue/"+url.PathEscape(key.ID)+"/comment",
		map[string]any{"body": d.wiki()}, &struct{}{})
}

func (j jira) commented(ctx context.Context, key Key, mark string) (bool, error) {
	var got struct {
		Comments []struct {
			Body string `json:"body"`
		} `json:"comments"`
	}
	err := j.client.get(ctx, "/issue/"+url.PathEscape(key.ID)+"/comment?maxResults=1000&orderBy=-created",
		&got)
	for _, c := range got.Comments {
		if strings.Contains(c.Body, mark) {
			return true, nil
		}
	}
	return false, err
}

func (j jira) mayWrite(ctx context.Context, project string) error {
	var got struct {
		Permissions map[string]struct {
			Have bool `json:"havePermission"`
		} `json:"permissions"`
	}
	right := "ADD_COMMENTS"
	if project == j.FileIn {
		right = "CREATE_ISSUES"
	}
	err := j.client.get(ctx,
		"/mypermissions?permissions="+right+"&projectKey="+url.QueryEscape(project), &got)
	if err == nil && !got.Permissions[right].Have {
		return errForbidden(http.StatusForbidden)
	}
	return err
}

var (
	heading = regexp.MustCompile(`^#{1,6} `)
	// what begins a macro, a link, a mention or a picture of Jira
	wikiSpecial = strings.NewReplacer(`{`, `\{`, `[`, `\[`, `!`, `\!`)
)

// wiki returns the text in Jira's wiki markup, with the mark at its end. Blocks of code stay as they are, and
// nothing in the text is a macro or mentions anybody.
func (d Draft) wiki() string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(d.Text + "\n") {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			line = "{noformat}"
			code = !code
		case code:
			line = strings.ReplaceAll(line, "{noformat}", "{ noformat}")
		case heading.MatchString(line):
			line = "h3. " + wikiSpecial.Replace(strings.TrimLeft(line, "# "))
		default:
			line = wikiSpecial.Replace(line)
		}
		b.WriteString(line + "\n")
	}
	if code {
		b.WriteString("{noformat}\n")
	}
	return b.String() + "\n" + d.Mark
}
