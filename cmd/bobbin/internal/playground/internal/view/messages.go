package view

import (
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
)

// A message is a Slack message as the templates take it.
type message struct {
	slacktest.Message
	form
	Page    *Page
	Author  author
	At      time.Time
	Day     string // set on the first message of a day
	Follows bool   // the message above is by the same author, less than 3 minutes older, and has no thread
	Thread  bool   // the message is shown in the thread pane
	Only    string // whose eyes the message is for (ephemeral): "you", or a name; empty: everybody's
}

// An author is the author of a message as people see them.
type author struct {
	Name, Initials, Badge string
	Hue                   int
	App                   bool
}

// Messages returns the channel's messages, or nil if Me is not a member.
func (p *Page) Messages() []message {
	if !p.Here {
		return nil
	}
	return p.list(p.Slack.Channel(p.Channel.ID), "", false)
}

// Thread returns the messages of the open thread, or nil if none is open or Me is not a member.
func (p *Page) Thread() []message {
	if p.Root == "" || !p.Here {
		return nil
	}
	return p.list(p.Slack.Thread(p.Channel.ID, p.Root), p.Root, true)
}

// list returns messages for the templates, merged by time with the ephemeral ones: those for Me and, unless
// Me is a guest, those for the other people that the reader plays.
func (p *Page) list(shown []slacktest.Message, thread string, inThread bool) (list []message) {
	only := map[string]string{}
	p.mu.Lock()
	for _, c := range p.whispers {
		to := p.onlyFor(c.To)
		if to != "" && c.Message.Channel == p.Channel.ID && c.Message.ThreadTS == thread {
			shown = append(shown, c.Message)
			only[c.Message.TS] = to
		}
	}
	p.mu.Unlock()
	slices.SortStableFunc(shown, func(a, b slacktest.Message) int { return strings.Compare(a.TS, b.TS) })
	day := ""
	for i, m := range shown {
		one := message{
			Message: m,
			form:    p.form(),
			Page:    p,
			Author:  p.author(m),
			At:      timeOf(m.TS),
			Thread:  inThread,
			Only:    only[m.TS],
		}
		if d := one.At.Format("Monday, 2 January"); d != day {
			day = d
			one.Day = d
		}
		if i > 0 && one.Day == "" && !(inThread && i == 1) {
			before := list[i-1]
			one.Follows = before.User == m.User && before.BotID == m.BotID && before.Subtype == m.Subtype &&
				one.At.Sub(before.At) < 3*time.Minute && len(before.Summary().Names) == 0
		}
		list = append(list, one)
	}
	return list
}

// onlyFor returns whom the page names as the only reader of an ephemeral message to that user, or an empty
// string if Me is not shown it.
func (p *Page) onlyFor(user string) string {
	if user == p.Me.ID {
		return "you"
	}
	member := p.Users[p.Me.ID].Kind == slacktest.Member
	for _, one := range p.People {
		if one.ID == user && member {
			return one.Handle
		}
	}
	return ""
}

func timeOf(ts string) time.Time {
	seconds, _, _ := strings.Cut(ts, ".")
	n, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0)
}

func (p *Page) author(m slacktest.Message) author {
	u, known := p.Users[m.User]
	if !known {
		return author{Name: m.Username, Initials: initials(m.Username), App: true, Badge: "app"}
	}
	return p.authorOf(u)
}

func (v *Viewer) authorOf(u slacktest.User) author {
	a := author{Name: u.Name, Initials: initials(u.Name), App: u.Kind == slacktest.Bot}
	switch u.Kind {
	case slacktest.Bot:
		a.Badge = "app"
	case slacktest.Guest, slacktest.UltraGuest:
		a.Badge = "guest"
	case slacktest.External:
		a.Badge = "elsewhere"
	}
	a.Hue = 1 + slices.IndexFunc(v.People, func(p Person) bool { return p.ID == u.ID })
	return a
}

func initials(name string) string {
	if name == "" {
		return "?"
	}
	return strings.ToUpper(name[:1])
}

// Avatar returns a person as an author.
func (p *Page) Avatar(person Person) author { return p.authorOf(p.Users[person.ID]) }

// ID returns the message's HTML id.
func (m message) ID() string {
	where := "m"
	if m.Thread {
		where = "t"
	}
	return where + strings.ReplaceAll(m.TS, ".", "-")
}

// Mine reports whether Me may edit and delete the message.
func (m message) Mine() bool { return m.User == m.Page.Me.ID && !m.System() && m.Only == "" }

// Gone reports whether the message was deleted and only its place is left.
func (m message) Gone() bool { return m.Subtype == "tombstone" }

// System reports whether Slack itself wrote the message.
func (m message) System() bool { return m.Subtype == "channel_join" || m.Gone() }

// Edits reports whether Me is editing the message.
func (m message) Edits() bool { return m.Page.Editing == m.TS && m.Mine() }

// ThreadPath returns the path of the message's thread.
func (m message) ThreadPath() string {
	root := m.TS
	if m.ThreadTS != "" {
		root = m.ThreadTS
	}
	return m.Page.ChannelPath() + "/" + root
}

// Pressable reports whether Me can press what the message has.
func (m message) Pressable() bool { return !m.Another() && len(m.Controls()) > 0 }

// Another reports whether the message is for another person alone.
func (m message) Another() bool { return m.Only != "" && m.Only != "you" }

// Body returns the HTML of the message: the app's blocks, or the text.
func (m message) Body() template.HTML {
	if m.BotID != "" && len(m.Blocks) > 0 && !m.Another() {
		return m.Page.Blocks(m.Blocks, slackhtml.View{Prefix: m.ID()})
	}
	return m.Page.Text(m.Text)
}

// Plain returns the text as its author typed it.
func (m message) Plain() string { return m.Page.Slack.Readable(m.Text) }

// A summary describes a thread below its first message in the channel.
type summary struct {
	Count int
	Names []author
	Last  time.Time
	Work  string // what the bot does in the thread; empty: nothing
}

// Summary returns the summary of the message's thread. It is zero for a reply.
func (m message) Summary() (s summary) {
	if m.Thread || m.ThreadTS != "" || m.Only != "" {
		return s
	}
	s.Work = m.Page.atWork(m.TS)
	for _, r := range m.Page.Slack.Thread(m.Channel, m.TS) {
		if r.TS == m.TS {
			continue
		}
		s.Count++
		s.Last = timeOf(r.TS)
		if a := m.Page.author(r); !slices.Contains(s.Names, a) && len(s.Names) < 4 {
			s.Names = append(s.Names, a)
		}
	}
	return s
}

// Forwarded returns the HTML of the messages and links that are attached to this message.
func (m message) Forwarded() (list []template.HTML) {
	var attached []struct {
		Author string `json:"author_name"`
		Text   string
		Title  string
		From   string `json:"from_url"`
	}
	if json.Unmarshal(m.Attachments, &attached) != nil {
		return nil
	}
	for _, a := range attached {
		words := a.Text
		if a.Author != "" {
			words = "*" + a.Author + "*\n" + words
		}
		if words == "" {
			words = "<" + a.From + ">"
		}
		list = append(list, m.Page.Text(words))
	}
	return list
}

// A reaction is one emoji below a message, as Me sees it.
type reaction struct {
	Name, Who string
	Picture   template.HTML
	Count     int
	Mine      bool
}

// Marks returns the message's reactions.
func (m message) Marks() (list []reaction) {
	for _, r := range m.Reactions {
		one := reaction{
			Name:    r.Name,
			Picture: slackhtml.Emoji(r.Name),
			Count:   len(r.Users),
			Mine:    slices.Contains(r.Users, m.Page.Me.ID),
		}
		var names []string
		for _, u := range r.Users {
			names = append(names, m.Page.Users[u].Name)
		}
		one.Who = strings.Join(names, ", ")
		list = append(list, one)
	}
	return list
}

// A shownFile is a shared file as the page shows it.
type shownFile struct {
	Name, Size, Path string
	Image            bool
	Excerpt          template.HTML
	More             bool
	Gone             bool
}

// excerptLines is the maximum number of lines of a text file that its message shows.
const excerptLines = 12

// Shared returns the message's files.
func (m message) Shared() (list []shownFile) {
	for _, f := range m.Files {
		one := shownFile{
			Name:  f.Name,
			Size:  size(f.Size),
			Path:  "/-/file/" + f.ID + "/" + path.Base("/"+strings.ReplaceAll(f.Name, "?", "")),
			Image: strings.HasPrefix(f.Mimetype, "image/") && f.Mimetype != "image/svg+xml",
		}
		content, err := m.Page.Slack.FileContent(f.ID)
		if one.Gone = err != nil || f.Mode == "tombstone"; !one.Gone && !one.Image {
			lines := strings.SplitAfterN(strings.ToValidUTF8(content, "?"), "\n", excerptLines+1)
			if one.More = len(lines) > excerptLines; one.More {
				lines = lines[:excerptLines]
			}
			one.Excerpt = pagestyle.Code(f.Name, strings.TrimRight(strings.Join(lines, ""), "\n"))
		}
		list = append(list, one)
	}
	return list
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// A form holds the hidden fields of an element's forms: who sends them, and the page to return to.
type form struct{ Me, Back string }

func (p *Page) form() form { return form{p.Me.Handle, p.Path()} }

// A modal is an open modal as the templates take it.
type modal struct {
	slacktest.View
	form
	page *Page
}

// Shown returns the HTML of the modal's blocks.
func (m *modal) Shown() template.HTML {
	return m.page.Blocks(m.Blocks(), slackhtml.View{Errors: m.Errors, Prefix: m.ID})
}

// Trouble returns the error that belongs to no input.
func (m *modal) Trouble() string { return m.Errors[""] }

// ShownHome returns the HTML of the app's home.
func (p *Page) ShownHome() template.HTML {
	return p.Blocks(p.Home.Blocks(), slackhtml.View{Prefix: "home", Home: true})
}

// A composer is the box in which a person writes a message.
type composer struct {
	form
	Channel string // channel ID
	Thread  string
	Key     string // key of the draft
	DOM     string // HTML id
	Label   string
}

// Composer returns the composer of a thread, or of the channel if thread is empty.
func (p *Page) Composer(thread string) composer {
	c := composer{
		form:    p.form(),
		Channel: p.Channel.ID,
		Thread:  thread,
		Key:     p.Me.Handle + " " + p.Channel.ID + " " + thread,
		DOM:     "say-in-channel",
	}
	if thread != "" || p.Root == "" {
		c.DOM = "say" // the one that gets the focus
	}
	switch {
	case thread != "":
		c.Label = "Reply as " + p.Me.Handle
	case p.Channel.Kind == slacktest.IM:
		c.Label = "Message " + p.Partner() + " as " + p.Me.Handle
	default:
		c.Label = "Message #" + p.Channel.Name + " as " + p.Me.Handle
	}
	return c
}
