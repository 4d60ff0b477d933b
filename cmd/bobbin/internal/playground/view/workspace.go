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
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/slackhtml"
)

//go:embed pages/*.html
var files embed.FS

// A Person is somebody whom the reader of the page may speak as.
type Person struct {
	ID     string // in the workspace
	Handle string // what people write behind the @
	Role   string // in a few words
}

// A Command is a slash command of the app.
type Command struct{ Name, Description, Hint string }

// A Shortcut is one of the app's on messages.
type Shortcut struct{ Name, ID string }

// A Notice is something that the reader has to know before they begin.
type Notice struct {
	Title string
	Text  string   // a sentence or two
	Ways  []string // what can be done about it
}

// A Step is what somebody may say next in a story that is told along.
type Step struct {
	ID    string
	Who   string // handle
	Says  string
	Label string // what choosing it comes to
}

// A Story is told along the way; its steps are offered, and taken by pressing.
type Story interface {
	// Next is the thread that the story is told in, empty at its beginning, and what may be
	// said next; without steps, what is waited for.
	Next() (thread string, steps []Step, waiting string)
	// Take says a step, and gives the thread.
	Take(id string) (thread string, err error)
}

// A Branch is what the app has pushed.
type Branch struct {
	Name   string
	Thread string // ts of the one that it was made in
	Fetch  string // the command that fetches it
}

// A Workspace is what pages show.
type Workspace struct {
	Slack     *slacktest.Server
	People    []Person
	Channel   string // the name of the one that is shown first
	Commands  []Command
	Shortcuts []Shortcut
	Notices   []Notice
	Model     string          // which model answers, for people
	Story     Story           // nil: none
	Pushed    func() []Branch // nil: none
	Read      string          // the file of what people have read; empty: it is forgotten with the program
}

// Regions are the parts of a page that can be shown by themselves.
var Regions = []string{"nav", "main", "pane", "modal"}

// A Viewer shows pages of a workspace, and remembers what was read.
type Viewer struct {
	Workspace
	templates *template.Template

	mu       sync.Mutex
	read     map[string]string  // by person/channel: the ts up to which somebody has read a channel
	whispers []slacktest.Change // what only one person sees
}

// New follows the workspace until ctx ends.
func New(ctx context.Context, w Workspace) *Viewer {
	v := &Viewer{Workspace: w, read: map[string]string{}}
	if raw, err := os.ReadFile(w.Read); err == nil && json.Unmarshal(raw, &v.read) != nil {
		v.read = map[string]string{} // all counts as unread
	}
	v.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"clock":  func(t time.Time) string { return t.Format("15:04") },
		"emoji":  slackhtml.Emoji,
		"emojis": func() []string { return []string{"eyes", "+1", "white_check_mark", "heart", "bug"} },
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

// keepRead writes down what was read. The caller holds mu.
func (v *Viewer) keepRead() {
	raw, err := json.Marshal(v.read)
	if v.Read != "" && err == nil && os.WriteFile(v.Read+".new", raw, 0o600) == nil {
		_ = os.Rename(v.Read+".new", v.Read) // without it all counts as unread
	}
}

// Render writes a whole page, or one of its regions.
func (v *Viewer) Render(w io.Writer, name string, p *Page) error {
	return v.templates.ExecuteTemplate(w, name, p)
}

// Person finds somebody whom the reader may speak as.
func (v *Viewer) Person(handle string) (Person, error) {
	for _, p := range v.People {
		if p.Handle == handle {
			return p, nil
		}
	}
	return Person{}, fmt.Errorf("nobody here is called %q", handle)
}
