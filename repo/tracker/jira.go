package tracker

import (
	"context"
	"net/url"
	"regexp"
	"strings"
)

// Jira, Cloud and Data Center, by version 2 of its REST API, whose texts are wiki markup.
type jira struct{ *Tracker }

var jiraKey = regexp.MustCompile(`^([A-Z][A-Z0-9_]{0,30})-\d{1,9}$`)

// keyIn takes /browse/SHOP-12 and ?selectedIssue=SHOP-12.
func (j jira) keyIn(link *url.URL) (Key, bool) {
	named := link.Query().Get("selectedIssue")
	if rest, ok := strings.CutPrefix(link.Path, "browse/"); ok {
		named, _, _ = strings.Cut(rest, "/")
	}
	m := jiraKey.FindStringSubmatch(strings.ToUpper(named))
	if m == nil {
		return Key{}, false
	}
	return Key{Project: m[1], ID: m[0], Shown: m[0]}, true
}

func (j jira) keysIn(text string) []Key { return j.keysLike(text, `\d{1,9}`) }

type jiraName struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

type jiraIssue struct {
	Key    string `json:"key"`
	Fields struct {
		Summary     string     `json:"summary"`
		Description string     `json:"description"`
		Status      jiraName   `json:"status"`
		Type        jiraName   `json:"issuetype"`
		Priority    jiraName   `json:"priority"`
		Resolution  jiraName   `json:"resolution"`
		Labels      []string   `json:"labels"`
		Components  []jiraName `json:"components"`
		Versions    []jiraName `json:"versions"`
		Comment     struct {
			Total    int `json:"total"`
			Comments []struct {
				Author  jiraName `json:"author"`
				Body    string   `json:"body"`
				Created string   `json:"created"`
			} `json:"comments"`
		} `json:"comment"`
	} `json:"fields"`
}

func (j jira) read(ctx context.Context, key Key) (Issue, error) {
	var got jiraIssue
	const fields = "summary,description,status,issuetype,priority,resolution,labels,components,versions," +
		"comment"
	if err := j.client.get(ctx, "/issue/"+url.PathEscape(key.ID)+"?fields="+fields, &got); err != nil {
		return Issue{}, err
	}
	if project, _, _ := strings.Cut(got.Key, "-"); !strings.EqualFold(project, key.Project) {
		return Issue{}, &Error{Reason: "it was moved to another project, as " + cutLine(got.Key)}
	}
	f := got.Fields
	issue := Issue{
		Shown: key.Shown, Title: f.Summary, State: f.Status.Name, Labels: f.Labels, Body: f.Description,
		Count: f.Comment.Total,
	}
	issue.addFact("Resolution", f.Resolution.Name)
	issue.addFact("Type", f.Type.Name)
	issue.addFact("Priority", f.Priority.Name)
	for _, c := range f.Components {
		issue.addFact("Component", c.Name)
	}
	for _, v := range f.Versions {
		issue.addFact("Affects version", v.Name)
	}
	for _, c := range f.Comment.Comments {
		issue.Comments = append(issue.Comments, Comment{c.Author.DisplayName, c.Created, c.Body})
	}
	return issue, nil
}

func (j jira) check(ctx context.Context, project string) error {
	var got struct{ Key string }
	return j.client.get(ctx, "/project/"+url.PathEscape(project), &got)
}

// addFact adds a fact unless it is empty.
func (i *Issue) addFact(name, text string) {
	if strings.TrimSpace(text) != "" {
		i.Facts = append(i.Facts, name+": "+text)
	}
}
