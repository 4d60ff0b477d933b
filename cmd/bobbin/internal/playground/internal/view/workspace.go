package view

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
)

//go:embed pages/*.html
var files embed.FS

// A Person is a member of the workspace that the reader of the page can act as.
type Person struct {
	ID     string // user ID
	Handle string // name after the @
	Role   string // role in a few words
}

// A Command is a slash command of the app.
type Command struct{ Name, Description, Hint string }

// A Shortcut is a message shortcut of the app.
type Shortcut struct{ Name, ID string }

// A Notice tells the reader something before they begin.
type Notice struct {
	Title string
	Text  string   // one or two sentences
	Ways  []string // what can be done about it
}

// A Step is something that a person may say next in a story.
type Step struct {
	ID    string
	Who   string // handle of the person
	Says  string
	Label string // what choosing it leads to
	Other bool   // it is never shown as the next step
}

// A Story offers steps, which the reader takes by pressing a button.
type Story interface {
	// Next returns the story's thread, empty before its start, and the steps that may be taken.
	Next() (thread string, steps []Step)
	// Take posts the step with that ID, and returns the thread.
	Take(id string) (thread string, err error)
}

// A Branch is a branch that the app has pushed.
type Branch struct {
	Name   string
	Thread string // ts of the thread in which it was made
	Where  string // where Fetch is run
	Fetch  string // the command after which one is on the branch
}

// A Workspace holds what pages show.
type Workspace struct {
	Slack     *slacktest.Server
	People    []Person
	Channel   string // name of the channel that is shown first
	Commands  []Command
	Shortcuts []Shortcut
	Notices   []Notice
	Model     string          // describes the answering model to people
	Story     Story           // nil: no story
	Pushed    func() []Branch // returns the pushed branches; nil: none
	// SharedPages begins the addresses of sessions' pages that everybody is shown. They open for whoever has
	// opened an own link before, which OwnPage returns.
	SharedPages string
	OwnPage     func(user, session string) string
	Read        string // file that stores what people have read; empty: it is not stored
}

// Regions are the templates for the parts of a page that can be rendered alone.
var Regions = []string{"nav", "main", "pane", "modal"}

// A Viewer renders pages of a workspace, and remembers what each person has read.
type Viewer struct {
	Workspace
	templates *template.Template

	mu       sync.Mutex
	read     map[string]string  // by "person/channel" IDs: ts of the newest message that the person has read
	whispers []slacktest.Change // ephemeral messages
}

// New returns a Viewer that collects the workspace's ephemeral messages until ctx ends.
func New(ctx context.Context, w Workspace) *Viewer {
	v := &Viewer{Workspace: w, read: map[string]string{}}
	if raw, err := os.ReadFile(w.Read); err == nil && json.Unmarshal(raw, &v.read) != nil {
		v.read = map[string]string{} // the file is damaged: everything counts as unread
	}
	v.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"clock":  func(t time.Time) string { return t.Format("15:04") },
		"emoji":  slackhtml.Emoji,
		"emojis": func() []string { return []string{"eyes", "+1", "-1", "x", "white_check_mark", "bug"} },
	}).ParseFS(files, "pages/*.html"))
	go func() {
		for c := range w.Slack.WatchFrom(ctx, 0) {
			if c.Kind == slacktest.Whispered {
				v.mu.Lock()
				v.whispers = append(v.whispers, c)
				v.mu.Unlock()
			}
		}
	}()
	return v
}

// keepRead stores what was read. The caller holds mu.
func (v *Viewer) keepRead() {
	raw, err := json.Marshal(v.read)
	if v.Read != "" && err == nil && os.WriteFile(v.Read+".new", raw, 0o600) == nil {
		_ = os.Rename(v.Read+".new", v.Read) // if this fails, newer messages count as unread after a restart
	}
}

// Render writes a whole page ("page"), or the named region.
func (v *Viewer) Render(w io.Writer, name string, p *Page) error {
	return v.templates.ExecuteTemplate(w, name, p)
}

// Person returns the person with that handle, or an error.
func (v *Viewer) Person(handle string) (Person, error) {
	for _, p := range v.People {
		if p.Handle == handle {
			return p, nil
		}
	}
	return Person{}, fmt.Errorf("nobody here is called %q", handle)
}
