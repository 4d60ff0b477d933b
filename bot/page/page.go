package page

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

//go:embed assets
var assets embed.FS

// Pages serves the web pages of sessions. Set its fields before the first request.
type Pages struct {
	Links   *Links
	Homes   *home.Homes
	Threads string // address of the workspace in links to threads; empty: that of Homes
	Store   *store.Store
	Secrets *redact.Finder // masks secrets in everything that is shown; nil: masks nothing
	// NameOf returns the display name of a Slack user, or the id if there is none.
	NameOf func(ctx context.Context, user string) string
	// Readable returns a text of Slack with names in place of the ids of people, groups and channels.
	Readable func(ctx context.Context, text string) string
	// Linked holds the addresses under which the links of texts can be clicked. Others are shown as code.
	Linked []string
	// DiffOf returns the diff of a pushed commit to its parent, or an empty string if it is not available.
	DiffOf func(ctx context.Context, repository, commit string) string
	// SignIn says who a visitor is who has no valid link; nil: such a visitor is told how to get one
	SignIn *bot.SignIn
	Log    *slog.Logger

	lately accessCache
	diffs  diffs
}

// Paths lists the path prefixes that Handler serves.
var Paths = []string{"/s/", "/assets/"}

// Handler returns the handler of all pages and their assets.
func (p *Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range p.routes() {
		mux.HandleFunc(pattern, serve)
	}
	return secured(mux)
}

// Patterns returns the patterns of Handler, as http.ServeMux has them.
func Patterns() []string { return slices.Sorted(maps.Keys((&Pages{}).routes())) }

func (p *Pages) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /s/{$}":                    p.serveList,
		"GET /s/{session}":              p.serveSession,
		"GET /s/{session}/live":         p.serveChanges,
		"GET /s/{session}/step/{entry}": p.serveStep,
		"POST /s/{session}/parts":       p.serveParts,
		"GET " + SignedIn:               p.serveSignedIn,

		"GET /s/{session}/picture/{request}/{number}/{side}": p.servePicture,

		"GET /assets/look.css":   pagestyle.ServeSheet,
		"GET /assets/bobbin.svg": pagestyle.ServeMark,
		"GET /assets/{name}":     serveAsset,
	}
}

// secured sets the headers of every response: nothing is loaded from other servers, cached, framed, or sent
// to other sites as a referrer.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; "+
			"connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		// a diff may have to be fetched
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
		next.ServeHTTP(w, r)
	})
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "max-age=300")
	http.ServeFileFS(w, r, assets, "assets/"+r.PathValue("name"))
}

const cookie = "bobbin_page"

// admit returns the grant of a request for a session, or for the list if session is empty. The signed text of
// a link is moved into a cookie by a redirect, so that it does not show in the address bar or the history. If
// admit returns false, it has sent the response.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request, session string) (grant, bool) {
	if signed := r.URL.Query().Get("k"); signed != "" {
		g, err := p.Links.read(signed)
		switch {
		case err == nil && g.covers(session):
			p.keepGrant(w, g, signed)
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		case !errors.Is(err, errForged) && p.canSignIn(r):
			p.sendToSignIn(w, r)
		default:
			p.refuseLink(w, r, reasonOf(err), session)
		}
		return grant{}, false
	}
	g, err := p.granted(r, session)
	switch {
	case err == nil:
		return g, true
	case p.canSignIn(r):
		p.sendToSignIn(w, r)
	default:
		p.refuseLink(w, r, reasonOf(err), session)
	}
	return grant{}, false
}

// keepGrant stores a grant in the browser, for the pages that it covers.
func (p *Pages) keepGrant(w http.ResponseWriter, g grant, signed string) {
	path := "/s/"
	if g.session != "" {
		path += g.session
	}
	http.SetCookie(w, p.cookieOf(cookie, path, g.until, signed))
}

func (p *Pages) cookieOf(name, path string, until time.Time, value string) *http.Cookie {
	return &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     path,
		Expires:  until,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   strings.HasPrefix(p.Links.base, "https:"),
	}
}

// granted returns the grant in the cookies of a request for a session, or for the list if session is empty.
func (p *Pages) granted(r *http.Request, session string) (grant, error) {
	last := errNoLink
	for _, c := range r.CookiesNamed(cookie) {
		g, err := p.Links.read(c.Value)
		if err == nil && g.covers(session) {
			return g, nil
		}
		if err != nil {
			last = err
		}
	}
	return grant{}, last
}

func reasonOf(err error) string {
	switch {
	case errors.Is(err, errExpired):
		return "This link has expired."
	case errors.Is(err, errForged):
		return "This link is not one of mine, or it is incomplete."
	}
	return "This page opens only with your own link."
}

// A refusal is a page that shows nothing.
type refusal struct {
	Title, Why string
	place
	// Needs says which link the visitor needs: "session" or "list"; empty: another link does not help
	Needs string
	// Again is the path of the page for which the visitor can sign in once more; empty: that would not help
	Again string
}

// refuse sends a page that says why nothing is shown.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	p.sendRefusal(w, r, status, refusal{Why: why})
}

// refuseLink sends a page that says what is wrong with the visitor's link to a session, or to the list if
// session is empty, and how to get another one.
func (p *Pages) refuseLink(w http.ResponseWriter, r *http.Request, why, session string) {
	p.sendRefusal(w, r, http.StatusForbidden, refusal{Why: why, Needs: needsLink(session)})
}

// needsLink returns which link opens that session, or the list if session is empty.
func needsLink(session string) string {
	if session == "" {
		return "list"
	}
	return "session"
}

func (p *Pages) sendRefusal(w http.ResponseWriter, r *http.Request, status int, shown refusal) {
	_, unlisted := p.granted(r, "")
	shown.Title = "Not shown"
	shown.Listed = unlisted == nil
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	p.render(w, "refused", shown)
}

// access returns what the person of a request may see of a session. If access returns false, it has sent the
// response.
func (p *Pages) access(w http.ResponseWriter, r *http.Request, session string) (home.Access, bool) {
	g, ok := p.admit(w, r, session)
	if !ok {
		return home.Access{}, false
	}
	if follows := r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, "/live"); follows {
		if a, ok := p.lately.find(g.user, session, time.Now()); ok {
			if s, err := p.Store.Session(r.Context(), session); err == nil {
				a.Session = p.Homes.Masked(s)
				return a, true
			}
		}
	}
	a, err := p.Homes.Access(r.Context(), g.user, session)
	if err == nil {
		p.lately.note(g.user, session, a, time.Now())
	}
	switch {
	case err != nil:
		p.fail(w, r, err)
		return a, false
	case a.Refused != "":
		p.refuse(w, r, http.StatusForbidden, a.Refused)
		return a, false
	}
	return a, true
}

func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	p.Log.Error("cannot show a session's page", "err", err)
	p.refuse(w, r, http.StatusServiceUnavailable,
		"The database does not answer. Load this page again in a moment.")
}

func (p *Pages) serveList(w http.ResponseWriter, r *http.Request) {
	g, ok := p.admit(w, r, "")
	if !ok {
		return
	}
	visitor, refused := p.Homes.Visitor(r.Context(), g.user)
	if refused != "" {
		p.refuse(w, r, http.StatusForbidden, refused)
		return
	}
	h, err := p.Homes.HomeOf(r.Context(), visitor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, "list", listView(h, r.URL.Query().Get("q"), r.URL.Query().Get("state"),
		p.channelNamer(r.Context())))
}

func (p *Pages) serveSession(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session")
	a, ok := p.access(w, r, id)
	if !ok {
		return
	}
	version, err := view.Version(r.Context(), p.Store.DB, id)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	view, err := p.sessionView(r, a, r.URL.Query().Get("before"))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	view.Version = version
	before, entries, err := view.parts()
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, "session", struct {
		sessionPage
		Parts, Steps []part
	}{view, before, entries})
}

// serveStep shows one timeline entry in full.
func (p *Pages) serveStep(w http.ResponseWriter, r *http.Request) {
	a, ok := p.access(w, r, r.PathValue("session"))
	if !ok {
		return
	}
	_, unlisted := p.granted(r, "")
	e, found, err := view.Find(r.Context(), p.Store.DB, a.Session.ID, r.PathValue("entry"))
	switch {
	case err != nil:
		p.fail(w, r, err)
	case !found || !a.Code:
		p.refuse(w, r, http.StatusNotFound, "There is no such step, or it was removed.")
	default:
		channel := p.channelName(r.Context(), a.Session.Thread.Channel)
		p.render(w, "step", struct {
			Title string
			place
			Session workflow.Session
			Entry   entry
		}{
			e.Title, placeOf(channel, a.Session.Repository, unlisted == nil), a.Session,
			p.wholeEntry(r.Context(), e, p.namer(r.Context())),
		})
	}
}

// serveChanges sends a server-sent event whenever the session has changed; the page then requests the changed
// parts. It ends after 5 minutes, so that access is checked again.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
func (p *Pages) serveChanges(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session")
	if _, ok := p.access(w, r, id); !ok {
		return
	}
	shown := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("version"))
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	looks := time.NewTicker(time.Second)
	defer looks.Stop()
	for until := time.After(5 * time.Minute); ; {
		version, err := view.Version(r.Context(), p.Store.DB, id)
		if err != nil {
			if r.Context().Err() == nil { // the reader is still there
				p.Log.Warn("a page is not told of changes", "session", id, "err", err)
			}
			return
		}
		said := ": nothing new\n\n"
		if version != shown {
			said = "event: changed\nid: " + version + "\ndata: \n\n"
		}
		shown = version
		_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second))
		if _, err := w.Write([]byte(said)); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-looks.C:
		case <-until: // the next request checks access again
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (p *Pages) render(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := pages.ExecuteTemplate(w, name, data); err != nil {
		p.Log.Debug("a page was not read to its end", "err", err)
	}
}

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"clock": func(at time.Time) string { return at.UTC().Format("15:04:05") },
	"day":   func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") },
	"cut":   func(text string) string { return plaintext.CutLine(text, 120) },
}).ParseFS(assets, "assets/*.html"))
