package view

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
)

// homePlace is the place of the app's home in an address.
const homePlace = "home"

// An Address is the parsed address of a page.
type Address struct {
	Me      string // handle of the person that the reader acts as
	Place   string
	Thread  string // ts of the open thread's root; empty: none is open
	Editing string // ts of the message that is being edited
}

// A Page is what Me sees at an address, as the templates take it.
type Page struct {
	*Viewer
	slackhtml.Renderer

	Me      Person
	Place   string            // as in Address
	Channel slacktest.Channel // zero for the home
	Here    bool              // Me is a member of Channel
	Home    *slacktest.View
	Root    string // ts of the open thread; empty: none
	Editing string // ts
	Users   map[string]slacktest.User
}

var errNowhere = errors.New("there is no such place")

// Page returns the current page at an address. It fails if there is no such person, or no channel that the
// person may see.
func (v *Viewer) Page(a Address) (*Page, error) {
	me, err := v.Person(a.Me)
	if err != nil {
		return nil, err
	}
	p := &Page{
		Viewer:  v,
		Me:      me,
		Place:   a.Place,
		Root:    a.Thread,
		Editing: a.Editing,
		Users:   map[string]slacktest.User{},
	}
	for _, u := range v.Slack.Users() {
		p.Users[u.ID] = u
	}
	p.Renderer = p.renderer()
	if p.IsHome() {
		for _, shown := range v.Slack.Views() {
			if shown.Type == "home" && shown.User == me.ID {
				p.Home = &shown
			}
		}
		return p, nil
	}
	for _, ch := range v.Slack.Channels() {
		if placeOf(ch) == p.Place && (ch.Kind == slacktest.Public || slices.Contains(ch.Members, me.ID)) {
			p.Channel = ch
			p.Here = slices.Contains(ch.Members, me.ID)
			return p, nil
		}
	}
	return nil, errNowhere
}

// placeOf returns the name of a channel in addresses.
func placeOf(ch slacktest.Channel) string {
	if ch.Kind == slacktest.IM {
		return ch.ID
	}
	return ch.Name
}

func (p *Page) renderer() slackhtml.Renderer {
	return slackhtml.Renderer{
		Me: p.Me.ID, Zone: time.Local,
		User: func(id string) (string, bool) {
			u, known := p.Users[id]
			return u.Name, known
		},
		Channel: func(id string) (string, bool) {
			for _, ch := range p.Slack.Channels() {
				if ch.ID == id {
					return ch.Name, ch.Name != ""
				}
			}
			return "", false
		},
		Link: func(address string) string { return p.inside(address) },
		Own:  func(address string) string { return p.ownPage(address) },
	}
}

// inside returns the path in this page of a permalink of the workspace, or an empty string for another
// address.
func (p *Page) inside(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.HasSuffix(u.Host, ".slack.com") {
		return ""
	}
	return p.PermalinkPath(p.Me, u)
}

// ownPage returns the path that leads the reader to the page of a session for which everybody is shown this
// address, or an empty string for another address.
func (p *Page) ownPage(address string) string {
	rest, shared := strings.CutPrefix(address, p.SharedPages)
	if !shared || p.SharedPages == "" || strings.Contains(rest, "?") {
		return ""
	}
	return "/-/session/" + p.Me.Handle + "/" + rest
}

// PermalinkPath returns the path of the page that shows a person the thread of a message with that permalink,
// whatever its host is. It is empty if there is no such channel.
func (v *Viewer) PermalinkPath(me Person, u *url.URL) string {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/") // archives/C1/p1700000000000100
	if len(parts) != 3 || parts[0] != "archives" || len(parts[2]) < 8 {
		return ""
	}
	ts := parts[2][1:]
	ts = ts[:len(ts)-6] + "." + ts[len(ts)-6:]
	for _, ch := range v.Slack.Channels() {
		if ch.ID == parts[1] {
			if root := u.Query().Get("thread_ts"); root != "" {
				ts = root
			}
			return "/" + me.Handle + "/" + placeOf(ch) + "/" + ts
		}
	}
	return ""
}

// Title returns the page's title.
func (p *Page) Title() string {
	name := "#" + p.Channel.Name
	switch {
	case p.IsHome():
		name = "Bobbin’s home"
	case p.Channel.Kind == slacktest.IM:
		name = p.Partner()
	}
	return name + " · " + p.Me.Handle + " · Bobbin playground"
}

// Path returns the page's path.
func (p *Page) Path() string {
	path := "/" + p.Me.Handle + "/" + p.Place
	if p.Root != "" {
		path += "/" + p.Root
	}
	return path
}

func (p *Page) Live() string {
	if p.Editing != "" {
		return "/-/live" + p.Path() + "?edit=" + url.QueryEscape(p.Editing)
	}
	return "/-/live" + p.Path()
}

// As returns the path of the same page for another person, or of the first channel if the person is not in
// the direct message.
func (p *Page) As(other Person) string {
	if p.Channel.Kind == slacktest.IM && !slices.Contains(p.Channel.Members, other.ID) {
		return "/" + other.Handle + "/" + p.Viewer.Channel
	}
	return "/" + other.Handle + strings.TrimPrefix(p.Path(), "/"+p.Me.Handle)
}

// App returns the app's name.
func (p *Page) App() string { return p.Slack.App().Name }

// IsHome reports whether the page is the app's home.
func (p *Page) IsHome() bool { return p.Place == homePlace }

// ChannelPath returns the path of the page without its thread.
func (p *Page) ChannelPath() string { return "/" + p.Me.Handle + "/" + p.Place }

// Partner returns the name of the other person in a direct message.
func (p *Page) Partner() string { return p.partner(p.Channel) }

func (p *Page) partner(ch slacktest.Channel) string {
	for _, id := range ch.Members {
		if id != p.Me.ID {
			return p.Users[id].Name
		}
	}
	return p.App()
}

// A link is a channel or direct message in the sidebar.
type link struct {
	Name, Path string
	Now        bool
	Unread     int
	IM         bool
}

// Places returns the channels and direct messages that Me may see.
func (p *Page) Places() (list []link) {
	for _, im := range []bool{false, true} {
		for _, ch := range p.Slack.Channels() {
			if (ch.Kind == slacktest.IM) != im ||
				ch.Kind != slacktest.Public && !slices.Contains(ch.Members, p.Me.ID) {
				continue
			}
			l := link{
				Name: ch.Name,
				IM:   im,
				Path: "/" + p.Me.Handle + "/" + placeOf(ch),
				Now:  placeOf(ch) == p.Place,
			}
			if im {
				l.Name = p.partner(ch)
			}
			l.Unread = p.unread(ch.ID, l.Now)
			list = append(list, l)
		}
	}
	return list
}

// unread returns how many messages of others Me has not seen in a channel. If the channel is open, it marks
// them as seen and returns 0.
func (p *Page) unread(channel string, open bool) (count int) {
	shown := p.Slack.Channel(channel)
	key := p.Me.ID + "/" + channel
	p.mu.Lock()
	defer p.mu.Unlock()
	newest := p.read[key]
	for _, m := range shown {
		for _, one := range p.Slack.Thread(channel, m.TS) {
			if one.TS > p.read[key] && one.User != p.Me.ID {
				count++
			}
			newest = max(newest, one.TS)
		}
	}
	if !open {
		return count
	}
	if newest > p.read[key] {
		p.read[key] = newest
		p.keepRead()
	}
	return 0
}

// StoryBox returns the card with the story's steps, or nil if there are none now, or the page is not in the
// story's channel or shows another thread.
func (p *Page) StoryBox() *storyBox {
	if p.Story == nil || p.Channel.Name != p.Viewer.Channel {
		return nil
	}
	thread, steps := p.Story.Next()
	if len(steps) == 0 || p.Root != "" && p.Root != thread {
		return nil
	}
	title := "Next in the story"
	switch {
	case thread == "":
		title = "Play the story"
	case p.atWork(thread) != "":
		title = "While " + p.App() + " is at work"
	}
	box := &storyBox{Title: title}
	for i := range steps {
		if box.Next == nil && !steps[i].Other {
			box.Next = &steps[i]
		} else {
			box.Others = append(box.Others, steps[i])
		}
	}
	return box
}

type storyBox struct {
	Title  string
	Next   *Step  // nil: nothing goes on at the moment
	Others []Step // what may be said instead
}

// AtWork returns what the bot does in the open thread, as Slack shows it, or an empty string.
func (p *Page) AtWork() string { return p.atWork(p.Root) }

func (p *Page) atWork(thread string) string {
	if thread == "" || !p.Here || p.Slack.Status(p.Channel.ID, thread) == "" {
		return ""
	}
	return p.App() + " is at work"
}

// Branches returns the pushed branches.
func (p *Page) Branches() []Branch {
	if p.Pushed == nil {
		return nil
	}
	return p.Pushed()
}

// BranchesHere returns the branches of the open thread.
func (p *Page) BranchesHere() []Branch {
	if p.Root == "" {
		return nil
	}
	return slices.DeleteFunc(p.Branches(), func(b Branch) bool { return b.Thread != p.Root })
}

// Modal returns the topmost open modal of Me, or nil.
func (p *Page) Modal() *modal {
	var top *modal
	for _, v := range p.Slack.Views() {
		if v.Type == "modal" && v.Open && v.User == p.Me.ID {
			top = &modal{View: v, form: p.form(), page: p}
		}
	}
	return top
}
