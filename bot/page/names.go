package page

import (
	"context"
	"hash/fnv"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// namer returns a function that returns display names of users, and looks each up once. People read no ids:
// somebody whose name Slack does not tell has none.
func (p *Pages) namer(ctx context.Context) func(user string) string {
	names := map[string]string{}
	return func(user string) string {
		if _, known := names[user]; !known {
			names[user] = "somebody"
			if name := p.NameOf(ctx, user); name != "" && name != user {
				names[user] = name
			}
		}
		return names[user]
	}
}

// mask returns a text without secrets, and without characters that hide or reverse others.
func (p *Pages) mask(text string) string { return mrkdwn.Visible(p.Secrets.Mask(text)) }

// words returns a text as people read it: as mask returns it, with names in place of ids.
func (p *Pages) words(ctx context.Context, text string) string {
	text = p.mask(text)
	if p.Readable == nil {
		return text
	}
	text = mention.ReplaceAllStringFunc(text, func(found string) string {
		m := mention.FindStringSubmatch(found)
		name := p.Readable(ctx, found)
		if !strings.Contains(name, m[2]) {
			return name
		}
		return map[string]string{"@": "@somebody", "#": "#a-channel", "!subteam^": "@a-group"}[m[1]]
	})
	return p.Readable(ctx, text)
}

// mention matches a mention of a person, a channel or a group in Slack's markup.
var mention = regexp.MustCompile(`<(@|#|!subteam\^)([A-Z][A-Z0-9]+)(?:\|[^<>\n]*)?>`)

// channelName returns what a channel is called, or an empty string if Slack does not tell.
func (p *Pages) channelName(ctx context.Context, id string) string {
	if strings.HasPrefix(id, "D") {
		return "direct message"
	}
	if p.Readable == nil {
		return ""
	}
	if name := p.Readable(ctx, "<#"+id+">"); !strings.Contains(name, id) {
		return name
	}
	return ""
}

// channelNamer returns channelName for many channels, and looks each up once.
func (p *Pages) channelNamer(ctx context.Context) func(id string) string {
	names := map[string]string{}
	return func(id string) string {
		if _, known := names[id]; !known {
			names[id] = p.channelName(ctx, id)
		}
		return names[id]
	}
}

// personOf returns how somebody with that name is shown.
func personOf(name string) person {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	first, _ := utf8.DecodeRuneInString(name)
	return person{Name: name, Initials: string(unicode.ToUpper(first)), Hue: int(h.Sum32() % 5)}
}

// A place says where a page is among the sessions: what its header shows.
type place struct {
	Listed bool   // the visitor may see the list of sessions
	Query  string // what is searched for
	Crumbs []crumb
}

// A crumb is a part of a place. Path is empty if the visitor's link does not open it.
type crumb struct{ Text, Path string }

// placeOf returns where the page of a session is: in its channel, and in its repository.
func placeOf(channel, repository string, isListed bool) place {
	at := place{Listed: isListed}
	for _, name := range []string{channel, repository} {
		if name == "" {
			continue
		}
		path := ""
		if isListed {
			path = "/s/?q=" + url.QueryEscape(name)
		}
		at.Crumbs = append(at.Crumbs, crumb{name, path})
	}
	return at
}

// A codebase is a repository as a page shows it.
type codebase struct {
	Name    string
	Page    string // address of its own page; empty: it is not known
	Commit  string
	Compare string // address at which the newest push is compared with its base; empty: it is not known
}

// codebase returns the repository of a session.
func (p *Pages) codebase(s workflow.Session, pushed *push) (c codebase) {
	c.Name = s.Repository
	c.Commit = s.BaseCommit
	for _, r := range p.Homes.Repositories {
		if r.Name != s.Repository {
			continue
		}
		if page := r.Page(); isWeb(page) {
			c.Page = page
		}
		if pushed != nil {
			c.Compare = r.CompareURL(pushed.BaseCommit, pushed.Commit)
		}
	}
	return c
}

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// markup returns what turns the texts of a session into HTML.
func (p *Pages) markup(ctx context.Context, session string) (markup, error) {
	known, err := view.Places(ctx, p.Store.DB, session)
	code := map[string]string{}
	for _, r := range p.Homes.Repositories {
		if r.CodeURL != "" {
			code[r.Name] = r.CodeURL
		}
	}
	return markup{Renderer: mrkdwn.Renderer{Links: p.Linked, Code: code}, known: known}, err
}

// line returns the HTML of one line.
func (m markup) line(text string) template.HTML {
	html := string(m.html(text, nil))
	if inner, ok := strings.CutPrefix(html, "<p>"); ok && strings.Count(html, "<p>") == 1 {
		return template.HTML(strings.TrimSuffix(inner, "</p>")) //nolint:gosec // html has escaped it
	}
	return template.HTML(html) //nolint:gosec // html has escaped it
}
