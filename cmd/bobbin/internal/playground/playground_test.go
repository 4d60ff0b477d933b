package playground

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/shopcache"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/story"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// openPlayground opens and serves a playground as the command does, with a database of the tests' Postgres.
func openPlayground(t *testing.T, change func(*Options)) *Playground {
	t.Helper()
	dir, err := stage.MakeDir(harness.Dir(t))
	require.NoError(t, err)
	opt := Options{
		Dir:         dir,
		DatabaseURL: harness.Database(t),
		Progress:    io.Discard,
		Log:         slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&opt)
	}
	p, err := Open(t.Context(), opt)
	require.NoError(t, err)
	if opt.Repository.From == "" && opt.NoSandbox == nil {
		require.NoError(t, shop.CopyTo(t.Context(), p.Stage))
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(t.Context()) }()
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.NoError(t, <-served)
	})
	return p
}

// shop is the build cache of the demo's shop and of the story's changes. These tests look at the page; others
// test the proofs.
var shop = shopcache.Cache{Changes: stage.DemoModel}

// TestTheStoryByMouse plays the story with the mouse, as three people with a tab each.
func TestTheStoryByMouse(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, nil)
	ann := open(t, p.URL, 1280, 800)
	ann.reads("h1", "bugs")
	ann.accessible("a channel")
	ann.shoot("channel")
	ann.click(".story button", "the refund of order 1042")
	ann.reads("#pane .body", "Root cause (revision 1")

	gus := ann.again("/gus/general")
	gus.reads("#nav .unread", "bugs")
	bea := ann.again("/bea/bugs")
	bea.reads("#main .replies", "replies")
	bea.click("#main .replies", "replies")
	bea.reads("#pane .body", "Root cause (revision 1")
	bea.click("#pane button", "Details")
	bea.reads("dialog[open] h2", "Details")
	bea.sees("document.querySelector('dialog[data-modal]').matches(':modal')")
	bea.accessible("a modal")
	bea.shoot("details")
	bea.do(chromedp.Click("[data-modal] footer .plain"))
	bea.sees("!document.querySelector('dialog[data-modal]')")
	bea.click("#pane button", "Correct…")
	bea.reads("dialog[open] h2", "Correct")
	bea.do(chromedp.Click("[data-modal] footer .primary"))
	bea.sees("document.querySelector('dialog textarea:invalid')")
	bea.shoot("modal")
	bea.do(chromedp.SendKeys("[data-modal] textarea", stage.DemoCorrection),
		chromedp.Click("[data-modal] footer .primary"))
	ann.reads("#pane .body", "Root cause (revision 2") // ann's page updates by itself
	ann.accessible("a thread")
	ann.shoot("thread")

	gus.click("#nav .places a", "bugs")
	gus.click("#main .replies", "replies")
	gus.click(".story button", "fix it")
	gus.reads("#pane .body", "guests cannot approve")
	bea.click("#pane button", "Fix it")
	ann.reads("#pane .body", "Done. Pushed")
	ann.reads("#pane .pushed code", "git fetch "+p.Stage.Remote)
	bea.reads("#nav a", "bobbin/the-lines")
	bea.click("#nav a", "home")
	bea.reads("#main .b-section", "the refund of order 1042")
	bea.click("#main .b-section a", "the refund of order 1042")
	bea.reads("#pane .body", "Done. Pushed")
}

// TestTheStoryByKeyboard plays the story with keys alone.
func TestTheStoryByKeyboard(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, nil)
	b := open(t, p.URL, 1280, 800)
	next := func(step string) {
		t.Helper()
		b.reads(".story button.first", step)
		b.press(kb.Escape) // leaves the thread or the input
		b.sees("(document.activeElement.blur(), true)")
		b.press("n")
		b.sees("document.activeElement.matches('[data-next]')")
		b.press(kb.Enter)
	}
	next("the refund of order 1042")
	b.reads("#pane .body", "Root cause (revision 1")
	b.focusOut()
	b.press("2")
	b.sees("document.body.dataset.me === 'bea'")
	b.focusOut()
	b.press("n")
	b.press(kb.Enter)
	b.reads("#pane .body", "Root cause (revision 2")
	b.focusOut()
	b.press("3")
	b.sees("document.body.dataset.me === 'gus'")
	b.sees("document.activeElement.id === 'say'")
	b.press("fix it", kb.Enter)
	b.reads("#pane .body", "guests cannot approve")
	b.focusOut()
	b.press("2")
	b.sees("document.body.dataset.me === 'bea' && document.activeElement.id === 'say'")
	b.press("fix it", kb.Enter)
	b.reads("#pane .body", "Done. Pushed")
}

// TestTheChat covers what people do in the chat besides the story.
func TestTheChat(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, nil)
	b := open(t, p.URL, 1280, 800)
	b.sees("document.activeElement.id === 'say'")
	b.writes()
	b.changesItsOwn()
	b.dropsAFile(p)
	b.sendsAnothers()
	b.goesAround()
}

// writes checks that names and commands are completed, and that every answer says that no model is connected.
func (b *tab) writes() {
	b.t.Helper()
	b.press("/di")
	b.reads(".hints [aria-selected=true]", "/diagnose")
	b.accessible("the hints")
	b.shoot("hints")
	b.press(kb.Tab, "why is it slow", kb.Enter)
	b.reads("#main .replies", "repl")
	b.press("@bo")
	b.reads(".hints li", "@bobbin")
	b.press(kb.Escape)
	b.sees("!document.querySelector('.hints')")
	b.press("b")
	b.reads(".hints li", "@bobbin")
	b.press(kb.Tab, "who are you? see https://a.example/b, `@bea` & <b>", kb.Enter)
	b.reads("#main .body", "@bobbin who are you? see https://a.example/b, @bea & <b>")
	b.sees(
		`[...document.querySelectorAll('#main .body')].at(-1).querySelector('a[href="https://a.example/b"]')`)

	// Moves from message to message, into the thread, and out again.
	b.press(kb.ArrowUp)
	b.sees("document.activeElement.tagName === 'ARTICLE'")
	b.press(kb.Enter)
	b.reads("#pane .body", "No model is connected")
	b.shoot("unconnected")
	b.press("/diagnose this", kb.Enter)
	b.reads("#toast", "does not work in threads")
	b.sees("document.querySelector('#say').value.trim() === '/diagnose this'")
	b.fill("#say", "")
	b.press("and *this*")
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift)))
	b.press("too", kb.Enter)
	b.sees("[...document.querySelectorAll('#pane .body')].some((e) " +
		"=> e.innerHTML.includes('<strong>this</strong><br>too'))")
}

// changesItsOwn edits and deletes the person's own message, and adds a reaction to another person's, which
// cannot be edited.
func (b *tab) changesItsOwn() {
	b.t.Helper()
	mine := "[...document.querySelectorAll('#pane article')].filter((a) " +
		"=> a.innerText.includes('too')).at(-1)"
	b.sees("(" + mine + ".focus(), true)")
	b.press("e")
	b.sees("document.activeElement.matches('.edit textarea')")
	b.fill(".edit textarea", "and that")
	b.press(kb.Enter)
	b.reads("#pane .body", "and that (edited)")
	theirs := "[...document.querySelectorAll('#pane article')].filter((a) " +
		"=> a.innerText.includes('No model is connected'))[0]"
	b.sees(theirs + ".querySelector('.tools') && !" + theirs + ".querySelector('[data-edit]')")
	b.sees("(" + theirs + ".focus(), true)")
	b.press("r", kb.Enter)
	b.sees(theirs + ".querySelector('.mark.mine')")
	b.do(chromedp.Evaluate[chromedp.Void](theirs + ".querySelector('.mark').click()"))
	b.sees("!" + theirs + ".querySelector('.mark')")
	b.sees("(" + strings.ReplaceAll(mine, "'too'", "'and that'") + ".focus(), true)")
	b.press("m")
	b.reads("#pane details[open]", "Send to Bobbin")
	b.shoot("menu")
	b.click("#pane details[open] button", "Delete")
	b.sees("![...document.querySelectorAll('#pane .body')].some((e) => e.innerText.includes('and that'))")
}

// dropsAFile drops a file on the page, and checks that typed text stays while others write.
func (b *tab) dropsAFile(p *Playground) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const data = new DataTransfer();
		data.items.add(new File(['package main\n\nfunc main() {}\n'], 'main.go'));
		document.querySelector('#pane').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
	}`))
	b.reads("#pane .chosen", "main.go")
	b.press("here it is")
	_, err := p.Stage.Slack.Say(p.Stage.Channel, p.Stage.People["eve"], "hello from elsewhere", "")
	require.NoError(b.t, err)
	b.reads("#main .body", "hello from elsewhere")
	b.reads("#main .badge", "elsewhere")
	b.sees("document.querySelector('#say').value.trim() === 'here it is'")
	b.press(kb.Enter)
	b.sees("document.querySelector('#pane .file .k, #pane .file .kd')")
	b.reads("#pane .file", "func main()")
}

// sendsAnothers sends another person's message to the bot with the message's menu.
func (b *tab) sendsAnothers() {
	b.t.Helper()
	theirs := "[...document.querySelectorAll('#main article')].filter((a) " +
		"=> a.innerText.includes('hello from elsewhere'))[0]"
	b.sees("!" + theirs + ".querySelector('.replies')")
	b.sees("(" + theirs + ".focus(), true)")
	b.press("m")
	b.reads("#main details[open] button", "Send to Bobbin")
	closed, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`
		[...document.querySelectorAll('#main details[open] button')].find((e) => e.innerText.includes('Send to Bobbin')).click();
		!document.querySelector('details[open]')`))
	require.NoError(b.t, err)
	require.True(b.t, closed, "the menu closes before the answer, so the next Escape is the thread's")
	b.sees(theirs + ".querySelector('.replies')")
}

// goesAround closes the thread, switches to the dark theme, and visits a channel without the app, a direct
// message, the app's home and the phone layout.
func (b *tab) goesAround() {
	b.t.Helper()
	b.press(kb.Escape)
	b.sees("document.querySelector('#pane').hidden")
	b.focusOut()
	b.press("d")
	b.sees("document.documentElement.dataset.theme === 'dark'")
	b.press("?")
	b.reads("dialog[open] h2", "Keys")
	b.accessible("the keys")
	b.shoot("keys")
	b.press(kb.Escape)
	b.sees("!document.querySelector('dialog[open]')")
	b.click("#nav .places a", "general")
	b.reads("h1", "general")
	b.press("nobody but us", kb.Enter)
	b.reads("#main .body", "nobody but us")
	b.click("#nav .places ul:nth-of-type(2) a", "bobbin")
	b.reads("h1", "bobbin")
	b.press("hello?", kb.Enter)
	b.click("#main .replies", "repl")
	b.reads("#pane .body", "No model is connected")
	b.accessible("a direct message")
	b.prefers("dark")
	b.click("#nav .places a", "home")
	b.reads("#main .b-section", "who are you?")
	b.accessible("the home, in the dark")
	b.shoot("home")
	b.click("#main .b-section a", "who are you?")
	b.reads("#pane .body", "No model is connected")
	b.resize(390, 780)
	b.accessible("a phone")
	b.shoot("phone")
	b.do(chromedp.Click("#pane [data-close]"), chromedp.Click("[data-menu]"))
	b.sees("getComputedStyle(document.querySelector('#nav')).visibility === 'visible'")
	b.accessible("a phone's menu")
	b.shoot("phone-menu")
}

// TestOwnRepository shows that on an own repository, without a model and a sandbox, the first page says what
// is missing, and the bot says so too.
func TestOwnRepository(t *testing.T) {
	t.Parallel()
	chromium(t)
	own := filepath.Join(harness.Dir(t), "my project.git")
	require.NoError(t, stage.PlantRemote(own, []txtar.File{{Name: "README.md", Data: []byte("# Mine\n")}}))
	p := openPlayground(t, func(opt *Options) {
		opt.Repository = Repository{From: own}
		opt.NoSandbox = unavailable
	})
	b := open(t, p.URL, 1280, 800)
	b.reads(".notice", "No sandbox holds on this machine")
	b.reads(".notice", "namespaces: no user namespaces. Allow them.")
	b.reads(".notice", "OPENAI_API_KEY")
	b.sees("!document.querySelector('.story')")
	b.accessible("notices")
	b.shoot("notices")
	b.press("@bobbin hello", kb.Enter, kb.Enter)
	b.reads("#main .replies", "repl")
	b.click("#main .replies", "repl")
	b.reads("#pane .body", "my-project")
	b.reads("#pane .body", "No model is connected")
}

// TestTheLocalSlackHasTokensOfItsOwn checks that the local Slack, which any program or web page on this
// machine can reach, refuses the tokens that every other such Slack has.
func TestTheLocalSlackHasTokensOfItsOwn(t *testing.T) {
	t.Parallel()
	p := openPlayground(t, func(opt *Options) { opt.NoSandbox = unavailable })
	other := slacktest.New(slacktest.Config{})
	t.Cleanup(other.Close)
	refusal := func(method, token string) string {
		r, err := http.PostForm(p.Stage.Slack.URL()+method, url.Values{"token": {token}})
		require.NoError(t, err)
		defer r.Body.Close()
		var answer struct {
			OK    bool   `json:"ok"`
			Error string `json:"error"`
		}
		require.NoError(t, json.NewDecoder(r.Body).Decode(&answer))
		require.Equal(t, answer.OK, answer.Error == "")
		return answer.Error
	}
	own := p.Stage.Slack.App()
	every := other.App()
	require.Equal(t, "invalid_auth", refusal("auth.test", every.BotToken))
	require.Equal(t, "invalid_auth", refusal("apps.connections.open", every.AppToken))
	require.Empty(t, refusal("auth.test", own.BotToken))
	require.Empty(t, refusal("apps.connections.open", own.AppToken))
}

// TestWithAModel shows that the operator's model answers, on the operator's repository.
func TestWithAModel(t *testing.T) {
	t.Parallel()
	own := filepath.Join(harness.Dir(t), "mine.git")
	require.NoError(t, stage.PlantRemote(own, []txtar.File{{Name: "README.md", Data: []byte("# Mine\n")}}))
	for _, push := range []bool{false, true} {
		model, err := story.Serve("mine", "== mine-7\nexpect user \"who are you\"\ncall reply\n"+
			"  text: A model of yours\n---\n", "nothing else is asked")
		require.NoError(t, err)
		t.Cleanup(model.Close)
		p := openPlayground(t, func(opt *Options) {
			opt.Repository = Repository{From: own, Push: push}
			opt.Models = &server.ModelSettings{
				ModelURL: model.URL,
				Agents:   map[string]agent.Setting{"orchestrator": {Model: "mine-7"}},
			}
		})
		w := p.workspace()
		require.Nil(t, w.Story)
		require.Empty(t, w.Notices)
		require.Equal(t, "mine-7 on mine", w.Model)
		require.Equal(t, push, p.Stage.RemoteConfig().URL == own)
		slack := p.Stage.Slack
		ts, err := slack.Say(p.Stage.Channel, p.Stage.People["ann"], slack.Mention()+" who are you?", "")
		require.NoError(t, err)
		_, err = slack.WaitFor(harness.Soon(t), p.Stage.Channel, ts, func(thread []slacktest.Message) bool {
			return strings.Contains(thread[len(thread)-1].Text, "A model of yours")
		})
		require.NoError(t, err)
	}
}

// TestTheWeightOfThePage checks that the page's assets are below 100 KB, which leaves 100 KB of a page's 200
// KB for its HTML.
func TestTheWeightOfThePage(t *testing.T) {
	t.Parallel()
	total := int64(0)
	assets, err := filepath.Glob(filepath.Join("chat", "assets", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, assets)
	for _, name := range assets {
		info, err := os.Stat(name)
		require.NoError(t, err)
		total += info.Size()
	}
	require.Less(t, total, int64(100<<10), "the rest is for the page itself")
}
