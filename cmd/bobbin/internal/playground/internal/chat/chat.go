package chat

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/pageauth"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

//go:embed assets/*
var files embed.FS

// A Site serves the chat page and carries out its forms.
type Site struct {
	*view.Viewer
	// Beside holds other handlers that are served behind the same key, by path.
	Beside map[string]http.Handler

	auth   pageauth.KeyAuth
	assets fs.FS
	last   atomic.Pointer[view.Person] // who opened a page last
}

// New returns a Site for people with the key that pageauth asks for.
func New(v *view.Viewer, auth pageauth.KeyAuth) *Site {
	assets, _ := fs.Sub(files, "assets") // cannot fail: the folder is embedded
	return &Site{Viewer: v, auth: auth, assets: assets}
}

// Handler returns the handler of the whole site, behind pageauth.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range s.routes() {
		mux.HandleFunc(pattern, serve)
	}
	for name, deed := range s.deeds() {
		mux.HandleFunc("POST /-/"+name, s.do(deed))
	}
	all := http.NewServeMux() // a separate mux, since a path of Beside may look like a person's place
	all.Handle("/", mux)
	for path, handler := range s.Beside {
		all.Handle(path, handler)
	}
	return s.auth.Guard(all)
}

// Patterns returns the patterns of what Handler shows, as http.ServeMux has them.
func Patterns() []string { return slices.Sorted(maps.Keys((&Site{}).routes())) }

// routes returns the handlers of what is shown. What is done is in deeds.
func (s *Site) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /{$}": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/"+s.People[0].Handle+"/"+s.Channel, http.StatusSeeOther)
		},
		"GET /archives/{channel}/{message}": s.servePermalink,
		"GET /{me}/{place}":                 s.servePage,
		"GET /{me}/{place}/{thread}":        s.servePage,
		"GET /-/live/{me}/{place}":          s.serveLive,
		"GET /-/live/{me}/{place}/{thread}": s.serveLive,
		"GET /-/file/{id}/{name}":           s.serveFile,
		"GET /-/session/{me}/{session}":     s.serveSession,
		"GET /-/assets/look.css":            pagestyle.ServeSheet,
		"GET /-/assets/{name}": func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, s.assets, r.PathValue("name"))
		},
		"GET " + slackhtml.EmojiPath + "{name}": func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, slackhtml.EmojiFiles(), r.PathValue("name"))
		},
	}
}

func (s *Site) page(r *http.Request) (*view.Page, error) {
	return s.Page(view.Address{
		Me:      r.PathValue("me"),
		Place:   r.PathValue("place"),
		Thread:  r.PathValue("thread"),
		Editing: r.URL.Query().Get("edit"),
	})
}

func (s *Site) servePage(w http.ResponseWriter, r *http.Request) {
	p, err := s.page(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	s.last.Store(&p.Me)
	if p.IsHome() { // opening the Home tab makes the app draw it anew
		if err := s.Slack.OpenHome(p.Me.ID); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	var b strings.Builder
	if err := s.Render(&b, "page", p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, b.String())
}

// servePermalink leads from the address of a message, as the bot's pages link it, to its thread, for the
// person who opened a page last.
func (s *Site) servePermalink(w http.ResponseWriter, r *http.Request) {
	me := s.People[0]
	if last := s.last.Load(); last != nil {
		me = *last
	}
	path := s.PermalinkPath(me, r.URL)
	if path == "" {
		http.Error(w, "there is no such message", http.StatusNotFound)
		return
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// serveSession leads to the page of a session by a link of the person's own, as Details gives it: here,
// unlike in a browser that comes from Slack, it is known who follows the link.
func (s *Site) serveSession(w http.ResponseWriter, r *http.Request) {
	me, err := s.Person(r.PathValue("me"))
	if err != nil || s.OwnPage == nil {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	http.Redirect(w, r, s.OwnPage(me.ID, r.PathValue("session")), http.StatusSeeOther)
}

// serveFile serves a shared file. Images are shown as such, everything else as plain text, so that no
// uploaded page runs here.
func (s *Site) serveFile(w http.ResponseWriter, r *http.Request) {
	content, err := s.Slack.FileContent(r.PathValue("id"))
	if err != nil {
		http.Error(w, "that file is gone", http.StatusNotFound)
		return
	}
	kind := http.DetectContentType([]byte(content))
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	fmt.Fprint(w, content)
}
