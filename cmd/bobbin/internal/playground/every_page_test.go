package playground

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/chat"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

// noPages holds the patterns of what is served beside the pages, and why nobody looks at it.
var noPages = map[string]string{
	"GET /s/{session}/live":                              "events",
	"GET /s/{session}/picture/{request}/{number}/{side}": "an image",
	"GET /s/-/signed-in":                                 "leads to the page that somebody wanted",
	"GET /assets/look.css":                               "a style",
	"GET /assets/bobbin.svg":                             "an image",
	"GET /assets/{name}":                                 "a style or a script",
	"GET /{$}":                                           "leads to a channel",
	"GET /archives/{channel}/{message}":                  "leads to a thread",
	"GET /-/session/{me}/{session}":                      "leads to the page of a session",
	"GET /-/live/{me}/{place}":                           "events",
	"GET /-/live/{me}/{place}/{thread}":                  "events",
	"GET /-/file/{id}/{name}":                            "what somebody shared",
	"GET /-/assets/look.css":                             "a style",
	"GET /-/assets/{name}":                               "a style or a script",
	"GET /-/assets/emoji/{name}":                         "an image",
}

// A visitor looks at pages, and keeps which they were.
type visitor struct {
	*testing.T
	p      *Playground
	chat   *http.ServeMux
	bot    *http.ServeMux
	seen   map[string]bool // by pattern
	layout map[string]bool // by the class of the page's body
}

// TestEveryPageInEveryLook visits every page that Bobbin serves: those of sessions in every state, those that
// refuse somebody, and those of the playground. It fails if there is a page that it does not visit.
func TestEveryPageInEveryLook(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, func(opt *Options) {
		opt.NoSandbox = unavailable
		// guests do not see code
		opt.adjust = func(s *server.Settings) { s.Repositories[0].MembersOnly = true }
	})
	v := &visitor{t, p, http.NewServeMux(), http.NewServeMux(), map[string]bool{}, map[string]bool{}}
	for _, pattern := range page.Patterns() {
		v.bot.HandleFunc(pattern, http.NotFound)
	}
	for _, pattern := range chat.Patterns() {
		v.chat.HandleFunc(pattern, http.NotFound)
	}
	p.addSessions(t)
	ann := open(t, p.URL, 1280, 800)
	v.refusals(ann)
	v.sessions(ann)
	v.guests(ann)
	v.playground(ann)
	v.everythingSeen()
}

// looksAt checks the page that is open in every look, and keeps that it was visited.
func (v *visitor) looksAt(t *tab, name string) {
	v.Helper()
	t.inEveryLook(name)
	at, err := chromedp.Run(t.ctx,
		chromedp.Evaluate[[]string]("[location.pathname, document.body.className]"))
	require.NoError(v, err)
	r, err := http.NewRequestWithContext(v.Context(), http.MethodGet, at[0], nil)
	require.NoError(v, err)
	mux := v.chat
	for _, path := range page.Paths {
		if strings.HasPrefix(at[0], path) {
			mux = v.bot
			for _, class := range strings.Fields(at[1]) {
				v.layout[class] = true
			}
		}
	}
	if _, pattern := mux.Handler(r); at[1] != "refused" {
		v.seen[pattern] = true
	}
}

// refusals visits the pages that show nothing: without a link, and with one that is expired, forged, of
// another session or of nobody here; and of what is not there, or in a channel that the person is not in.
func (v *visitor) refusals(t *tab) {
	v.Helper()
	links, err := page.NewLinks("", v.p.Stage.Slack.App().BotToken)
	require.NoError(v, err)
	ann := v.p.Stage.People["ann"]
	own := links.To(ann, "bare")
	all := links.To(ann, "")
	eve := links.To(v.p.Stage.People["eve"], "bare")
	links.Now = func() time.Time { return time.Now().Add(-24 * time.Hour) }
	expired := links.To(ann, "bare")
	for _, c := range []struct{ name, path, says string }{
		{"none", "/s/bare", "press Details under the report"},
		{"expired", expired, "has expired"},
		{"forged", own + "x", "not one of mine, or it is incomplete"},
		{"stranger", eve, "Only people of this workspace"},
		{"own", own, ""},
		{"other", "/s/answered", "press Details under the report"},
		{"no-list", "/s/", "open Bobbin’s App Home"},
		{"list", all, ""},
		{"gone", "/s/nothing", "There is no such session"},
		{"no-step", "/s/bare/step/nothing", "There is no such step"},
		{"elsewhere", "/s/elsewhere", "in a channel that you are not in"},
	} {
		t.goes(c.path)
		if c.says == "" {
			t.sees("document.querySelector('h1') && !document.querySelector('.refused')")
			continue
		}
		t.reads("main", c.says)
		v.looksAt(t, "refused-"+c.name)
	}
	v.unanswered(t)
}

// unanswered visits the page that is shown while the database does not answer.
func (v *visitor) unanswered(t *tab) {
	v.Helper()
	for _, change := range []string{"lines rename to lines_away", "lines_away rename to lines"} {
		_, err := v.p.Stage.Store.Pool.Exec(v.Context(), "alter table "+change)
		require.NoError(v, err)
		if strings.HasPrefix(change, "lines ") {
			t.goes("/s/bare")
			t.reads("h1", "The database does not answer")
			v.looksAt(t, "refused-unanswered")
		}
	}
}

// sessions visits the list, with and without what is searched for, and the pages of sessions.
func (v *visitor) sessions(t *tab) {
	v.Helper()
	t.goes("/s/")
	t.reads(".sessions a", "A session that is old")
	v.looksAt(t, "list")
	t.goes("/s/?q=old")
	t.sees("document.querySelectorAll('.sessions a').length === 1")
	v.looksAt(t, "list-search")
	t.press("/", "nothing like it", kb.Enter)
	t.reads("main", "No session of yours matches")
	v.looksAt(t, "list-nothing")
	for _, s := range pageStates {
		t.goes("/s/" + s.id)
		t.reads("#outcome h2", s.headline)
		// people read names, never ids
		t.sees(`!/\b[UCDT][A-Z0-9]{7,}\b/.test(document.body.innerText)`)
		v.looksAt(t, "state-"+s.id)
		if s.then != nil {
			s.then(t)
		}
	}
	t.goes("/s/long")
	t.click(".older a", "Earlier")
	t.sees("location.search.startsWith('?before=')")
	v.looksAt(t, "earlier")
	t.click(".older a", "Newest")
	t.sees("location.search === '' && document.readyState === 'complete'")
	t.do(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('.call details')].filter((d) " +
		"=> d.innerHTML.includes('Whole')).at(-1).open = true"))
	v.looksAt(t, "long")
	t.click(".timeline a", "Whole")
	t.reads("h2", "Answered")
	v.looksAt(t, "step")
}

// guests visits the pages of a guest, and of somebody whose link opens one session alone.
func (v *visitor) guests(t *tab) {
	v.Helper()
	links, err := page.NewLinks("", v.p.Stage.Slack.App().BotToken)
	require.NoError(v, err)
	gus := open(v.T, v.p.URL, 1280, 800)
	gus.goes(links.To(v.p.Stage.People["gus"], ""))
	gus.reads(".sessions a", "A session that is guest")
	v.looksAt(gus, "list-guest")
	gus.goes("/s/guest")
	gus.reads(".notice", "Code and paths are not shown")
	v.looksAt(gus, "guest")

	one := open(v.T, v.p.URL, 1280, 800)
	one.goes(links.To(v.p.Stage.People["bea"], "old"))
	one.click(".crumbs summary", "Sessions")
	one.reads(".crumbs p", "App Home")
	v.looksAt(one, "one-link")
}

// playground visits what the chat shows without a story: a channel, a thread, direct messages, a channel that
// one has not joined, the app's home with its forms, and what is edited.
func (v *visitor) playground(t *tab) {
	v.Helper()
	t.goes("/ann/general")
	v.looksAt(t, "chat-empty")
	t.goes("/ann/bugs")
	t.press("@bobbin who wrote this?", kb.Enter)
	t.click("#main .replies", "repl")
	t.reads("#pane .body", "No model is connected")
	v.looksAt(t, "chat-thread")
	t.goes("/ann/home")
	t.reads("#main .b-header", "Finished")
	v.looksAt(t, "chat-home")
	for _, form := range []string{"Report a bug", "Ask for a feature"} {
		t.click("#main button", form)
		t.sees("document.querySelector('dialog[data-modal]')?.matches(':modal')")
		v.looksAt(t, "chat-"+strings.ToLower(strings.ReplaceAll(form, " ", "-")))
		t.do(chromedp.Click("[data-modal] footer .plain"))
		t.sees("!document.querySelector('dialog[data-modal]')")
	}
	t.goes("/ann/bugs")
	v.p.postMenu(v.T)
	t.click("#main .b-overflow summary", "⋯")
	t.reads("#main .b-overflow[open] button", "Diagnose")
	v.looksAt(t, "chat-menu")
	t.click("#main button[popovertarget]", "Halt")
	t.reads("#main .ask:popover-open h3", "Halt the work?")
	v.looksAt(t, "chat-question")
}

// everythingSeen checks that each page was visited: each pattern that is served, and each template that is
// a whole page.
func (v *visitor) everythingSeen() {
	v.Helper()
	for _, pattern := range append(page.Patterns(), chat.Patterns()...) {
		if strings.HasPrefix(pattern, "GET ") && noPages[pattern] == "" {
			require.Contains(v, v.seen, pattern, "nobody looked at this page")
		}
	}
	source, err := os.ReadFile(filepath.FromSlash("../../../../bot/page/assets/pages.html"))
	require.NoError(v, err)
	layouts := wholePage.FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(v, layouts)
	for _, layout := range layouts {
		require.Contains(v, v.layout, layout[1], "nobody looked at this page, or its body has another class")
	}
}

// wholePage matches the beginning of a template that is a whole page.
var wholePage = regexp.MustCompile(`\{\{define "(\w+)"\}\}\{\{template "head"`)

// addSessions inserts the sessions of pageStates, and others that only some may see.
func (p *Playground) addSessions(t *testing.T) {
	t.Helper()
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := p.Stage.Store.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err, sql)
	}
	add := func(id, phase, channel, requester string, revision int) {
		exec(`insert into sessions (id, team, channel, thread_ts, phase, title, requester, repository,
				base_commit, revision)
			select $1, 'T1', $2, '100.' || $1, $3, 'A session that is ' || $1, $4, 'shop', '8eef0fc', $5`,
			id, channel, phase, requester, revision)
	}
	for i, s := range pageStates {
		asks := []string{"ann", "bea"}[i%2]
		add(s.id, s.phase, p.Stage.Channel, p.Stage.People[asks], min(1, len(s.sql)))
		for _, sql := range s.sql {
			exec(sql, s.id)
		}
	}
	add("guest", "done", p.Stage.Channel, p.Stage.People["gus"], 1)
	add("elsewhere", "done", "C0ELSEWHERE", p.Stage.People["bea"], 1)
	add("long", "answered", p.Stage.Channel, p.Stage.People["bea"], 0)
	exec(fmt.Sprintf(manySteps, 200), "long")
}

// manySteps inserts steps into the transcript of the session $1, of which each second one is the output of a
// command.
const manySteps = `insert into transcript (session_id, seq, at, body) select s.id, 100 + i,
	s.created_at + i * interval '1 millisecond', case i %% 2
	when 0 then json_build_object('role', 'assistant', 'calls', json_build_array(json_build_object('id',
		'c' || i, 'name', 'run', 'args', json_build_object('command', 'go test ./... # ' || i))))
	else json_build_object('role', 'tool', 'call_id', 'c' || i - 1, 'text', 'output ' || i || E'\n' ||
		repeat('A line of a long output, as tests have it.' || E'\n', 150)) end
	from sessions s, generate_series(1, %d) i where s.id = $1`

// TestTheStylesRepeatNoRule checks that what the pages of sessions and the playground have in common is in
// the style that both load.
func TestTheStylesRepeatNoRule(t *testing.T) {
	t.Parallel()
	in := map[string]string{} // file by rule
	for _, file := range []string{
		"bot/pagestyle/look.css", "bot/page/assets/page.css",
		"cmd/bobbin/internal/playground/internal/chat/assets/chat.css",
	} {
		sheet, err := os.ReadFile(filepath.Join("..", "..", "..", "..", filepath.FromSlash(file)))
		require.NoError(t, err)
		rules := styleRule.FindAllString(string(sheet), -1)
		require.NotEmpty(t, rules)
		for _, rule := range rules {
			rule = strings.TrimSpace(rule)
			require.Contains(t, []string{"", file}, in[rule], "%s is in %s, too", rule, file)
			in[rule] = file
		}
	}
}

var styleRule = regexp.MustCompile(`[^{}/;]+\{[^{}]*\}`)
