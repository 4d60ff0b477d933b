package playground

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/shopcache"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/story"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
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
	ann.inEveryLook("channel")
	ann.takes("the refund of order 1042")
	ann.reads("#pane .at-work", "bobbin is at work")
	ann.reads("#main .message .at-work", "bobbin is at work")
	ann.reads("#pane .body", "revision 1 · nothing")
	ann.sees("!document.querySelector('.at-work')")
	ann.oneCard()

	gus := ann.again("/gus/general")
	gus.reads("#nav .unread", "bugs")
	bea := ann.again("/bea/bugs")
	bea.reads("#main .replies", "replies")
	bea.click("#main .replies", "replies")
	bea.reads("#pane .body", "revision 1 · nothing")
	bea.click("#pane button", "Details")
	bea.reads("dialog[open] h2", "Details")
	bea.sees("document.querySelector('dialog[data-modal]').matches(':modal')")
	bea.inEveryLook("details")
	bea.do(chromedp.Click("[data-modal] footer .plain"))
	bea.sees("!document.querySelector('dialog[data-modal]')")
	bea.click("#pane button", "Correct…")
	bea.reads("dialog[open] h2", "Correct")
	bea.do(chromedp.Click("[data-modal] footer .primary"))
	bea.sees("document.querySelector('dialog textarea:invalid')")
	bea.inEveryLook("modal")
	bea.do(chromedp.SendKeys("[data-modal] textarea", stage.DemoCorrection),
		chromedp.Click("[data-modal] footer .primary"))
	ann.reads("#pane .body", "revision 2 · nothing") // ann's page updates by itself
	ann.inEveryLook("thread")

	gus.click("#nav .places a", "bugs")
	gus.click("#main .replies", "replies")
	gus.takes("fix it")
	gus.reads("#pane .only .body", "Guests cannot approve")
	bea.sees("(document.querySelector('#pane [data-log]').scrollTop = 0, true)")
	bea.click("#pane form.body .primary", "Fix it")
	bea.atTheEnd("#pane") // of what the press brought
	ann.sees("![...document.querySelectorAll('.story button')].some((e) => e.innerText.includes('Fix it'))")
	ann.reads("#pane .body", "and pushed:")
	ann.reads("#pane .pushed code", "git clone -b bobbin/")
	p.endsInABranch(t, ann)
	bea.reads("#nav a", "bobbin/the-lines")
	bea.click("#nav a", "home")
	bea.reads("#main", "Finished")
	bea.click("#main .b-section a", "The lines' discounts")
	bea.reads("#pane .body", "and pushed:")
}

// oneCard checks that the story offers its next step on one card, and everything else behind "Other ways", in
// a list that leaves most of the room to the messages.
func (t *tab) oneCard() {
	t.t.Helper()
	const visible = "[...document.querySelectorAll('.story button')].filter((e) => e.checkVisibility())" +
		".length"
	t.reads(".story .ways summary", "Other ways")
	t.sees(visible + " === 1 && document.querySelectorAll('.story').length === 1")
	t.sees("document.querySelector('.story').offsetHeight < 120")
	t.focusOut()
	t.press("o")
	t.sees(visible + " > 3 && document.activeElement.matches('.ways button')")
	t.sees("document.querySelector('#pane .stream').offsetHeight > 300")
	t.atTheEnd("#pane")
	t.inEveryLook("ways")
	t.resize(390, 700)
	t.sees("document.querySelector('#pane .stream').offsetHeight > 170")
	t.shoot("ways-phone")
	t.press(kb.Escape)
	t.sees(visible + " === 1 && document.activeElement.matches('[data-next]')")
	t.sees("document.querySelector('#pane .stream').offsetHeight > 350")
	t.shoot("story-phone")
	t.resize(1280, 800)
}

// atTheEnd checks that the newest message of a region is in sight.
func (t *tab) atTheEnd(region string) {
	t.t.Helper()
	t.sees(fmt.Sprintf("((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 60)"+
		"(document.querySelector('%s [data-log]'))", region))
}

// endsInABranch runs the command that the open thread shows, in an empty folder or in a clone, and checks
// that it leads to the pushed branch.
func (p *Playground) endsInABranch(t *testing.T, b *tab) {
	t.Helper()
	remotetest.NeedGit(t)
	command, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
		"document.querySelector('#pane .pushed code').innerText"))
	require.NoError(t, err)
	dir := harness.Dir(t)
	if p.opt.Repository.From != "" {
		remotetest.RunGit(t, "", "clone", "-q", p.opt.Repository.From, dir)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir = dir
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s: %s", command, out)
	if p.opt.Repository.From == "" {
		dir = filepath.Join(dir, "shop")
	}
	sessions, err := p.Stage.Store.Sessions(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, sessions[0].Branch, remotetest.RunGit(t, dir, "branch", "--show-current"))
	require.Equal(t, sessions[0].Head, remotetest.RunGit(t, dir, "rev-parse", "HEAD"))
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
	b.reads("#pane .body", "revision 1 · nothing")
	b.focusOut()
	b.press("2")
	b.sees("document.body.dataset.me === 'bea'")
	b.focusOut()
	b.reads(".story button.first", "Fix it") // what corrects or objects is another way
	b.press("o")
	b.sees("document.activeElement.innerText.includes('percent coupons')")
	b.press(kb.Enter)
	b.reads("#pane .body", "revision 2 · nothing")
	b.focusOut()
	b.press("3")
	b.sees("document.body.dataset.me === 'gus'")
	b.sees("document.activeElement.id === 'say'")
	b.press("fix it", kb.Enter)
	b.reads("#pane .only .body", "Guests cannot approve")
	b.focusOut()
	b.press("1")
	b.sees("document.body.dataset.me === 'ann'")
	b.reads("#pane .only", "Only visible to gus")
	b.reads("#pane .only .body", "Guests cannot approve")
	b.focusOut()
	b.press("2")
	b.sees("document.body.dataset.me === 'bea' && document.activeElement.id === 'say'")
	b.press("fix it", kb.Enter)
	// While the bot works, nothing is the next step: what stops and objects is not.
	b.reads("#pane .story .next", "While bobbin is at work")
	b.sees("!document.querySelector('[data-next]') && document.querySelector('.story .ways summary')")
	b.reads("#pane .body", "and pushed:")
	b.reads(".story button.first", "Once more")
	b.sees("(document.querySelector('#say').focus(), true)")
	b.press("is the receipt of order 1042 wrong, too?", kb.Enter)
	b.reads("#pane .body", "Not with this change.")
	b.reads(".story button.first", "Once more")
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
	b.leavesTheEnd(p)
	b.sendsAnothers()
	b.choosesInAMenu(p)
	b.goesAround()
}

// writes checks that names and commands are completed, and that every answer says that no model is connected.
func (t *tab) writes() {
	t.t.Helper()
	t.press("/di")
	t.reads(".hints [aria-selected=true]", "/diagnose")
	t.inEveryLook("hints")
	t.press(kb.Tab, "why is it slow", kb.Enter)
	t.reads("#main .replies", "repl")
	t.sees("[...document.querySelectorAll('#main .mark img, .tools img')].every((e) => e.naturalWidth > 0) " +
		"&& document.querySelector('#main .mark img').alt === '👀'") // emoji without a font that has them
	t.press("@bo")
	t.reads(".hints li", "@bobbin")
	t.press(kb.Escape)
	t.sees("!document.querySelector('.hints')")
	t.press("b")
	t.reads(".hints li", "@bobbin")
	t.press(kb.Tab, "who are you? see https://a.example/b, `@bea` & <b>", kb.Enter)
	t.reads("#main .body", "@bobbin who are you? see https://a.example/b, @bea & <b>")
	t.sees(
		`[...document.querySelectorAll('#main .body')].at(-1).querySelector('a[href="https://a.example/b"]')`)

	// Moves from message to message, into the thread, and out again.
	t.press(kb.ArrowUp)
	t.sees("document.activeElement.tagName === 'ARTICLE'")
	t.press(kb.Enter)
	t.reads("#pane .body", "No model is connected")
	t.shoot("unconnected")
	t.press("/diagnose this", kb.Enter)
	t.reads("#toast", "does not work in threads")
	t.sees("document.querySelector('#say').value.trim() === '/diagnose this'")
	t.fill("#say", "")
	t.press("and *this*")
	t.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift)))
	t.press("too", kb.Enter)
	t.sees("[...document.querySelectorAll('#pane .body')].some((e) " +
		"=> e.innerHTML.includes('<strong>this</strong><br>too'))")
}

// changesItsOwn edits and deletes the person's own message, and adds a reaction to another person's, which
// cannot be edited.
func (t *tab) changesItsOwn() {
	t.t.Helper()
	mine := "[...document.querySelectorAll('#pane article')].filter((a) " +
		"=> a.innerText.includes('too')).at(-1)"
	t.sees("(" + mine + ".focus(), true)")
	t.press("e")
	t.sees("document.activeElement.matches('.edit textarea')")
	t.fill(".edit textarea", "and that")
	t.press(kb.Enter)
	t.reads("#pane .body", "and that (edited)")
	theirs := "[...document.querySelectorAll('#pane article')].filter((a) " +
		"=> a.innerText.includes('No model is connected'))[0]"
	t.sees(theirs + ".querySelector('.tools') && !" + theirs + ".querySelector('[data-edit]')")
	t.sees("(" + theirs + ".focus(), true)")
	t.press("r", kb.Enter)
	t.sees(theirs + ".querySelector('.mark.mine')")
	t.do(chromedp.Evaluate[chromedp.Void](theirs + ".querySelector('.mark').click()"))
	t.sees("!" + theirs + ".querySelector('.mark')")
	t.sees("(" + strings.ReplaceAll(mine, "'too'", "'and that'") + ".focus(), true)")
	t.press("m")
	t.reads("#pane details[open]", "Send to Bobbin")
	t.inEveryLook("menu")
	t.click("#pane details[open] button", "Delete")
	t.sees("![...document.querySelectorAll('#pane .body')].some((e) => e.innerText.includes('and that'))")
}

// dropsAFile drops files on the page, takes one off again, and checks that typed text and the files stay
// meanwhile, also while others write.
func (t *tab) dropsAFile(p *Playground) {
	t.t.Helper()
	drop := func(name, content string) {
		t.t.Helper()
		t.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const data = new DataTransfer();
			data.items.add(new File([%q], %q));
			document.querySelector('#pane').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
		}`, content, name)))
		t.reads("#pane .chosen", name)
	}
	drop("main.go", "package main\n\nfunc main() {}\n")
	t.press("here it is")
	drop("secrets.txt", "nobody should see this")
	drop("change.diff", "--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n package x\n"+
		"-a := 1\n-b := 2\n+a := 3\n end\n")
	t.inEveryLook("files")
	t.sees("(document.querySelector('[aria-label=\"Take off secrets.txt\"]').focus(), true)")
	t.press(kb.Enter)
	t.sees("!document.querySelector('#pane .chosen').innerText.includes('secrets.txt')")
	_, err := p.Stage.Slack.Say(p.Stage.Channel, p.Stage.People["eve"], "hello from elsewhere", "")
	require.NoError(t.t, err)
	t.reads("#main .body", "hello from elsewhere")
	t.reads("#main .badge", "elsewhere")
	t.sees("document.querySelector('#say').value.trim() === 'here it is'")
	t.sees("document.querySelector('#pane .chosen').checkVisibility()")
	t.sees("(document.querySelector('#say').focus(), true)")
	t.press(kb.Enter)
	t.sees("document.querySelector('#pane .file .k, #pane .file .kd')")
	t.reads("#pane .file", "func main()")
	t.reads("#pane .file", "change.diff")
	t.sees("!document.querySelector('#pane .message:last-child').innerText.includes('secrets.txt')")
	// lines of a diff are below each other
	t.sees(`((lines) => lines.length === 3 ` +
		`&& lines.every((r, i) => !i || r.top >= lines[i - 1].bottom - 1))(` +
		`[...document.querySelectorAll('#pane .diff :is(.gd, .gi)')]` +
		`.filter((e) => /^[-+][ab]/.test(e.innerText)).map((e) => e.getBoundingClientRect()))`)
	t.inEveryLook("diff-file")
}

// leavesTheEnd reads older messages while others write: the page stays there, says that there are new
// messages, and goes to them when asked, or when the person writes.
func (t *tab) leavesTheEnd(p *Playground) {
	t.t.Helper()
	const log = "document.querySelector('#main [data-log]')"
	const pill = "document.querySelector('#main [data-pill]')"
	older := func() {
		t.t.Helper()
		t.sees("(" + log + ".scrollTop = 0, true)")
		t.sees(log + ".scrollTop === 0 && " + log + ".scrollHeight > " + log + ".clientHeight + 100")
	}
	says := func(text string) {
		t.t.Helper()
		_, err := p.Stage.Slack.Say(p.Stage.Channel, p.Stage.People["eve"], text, "")
		require.NoError(t.t, err)
		t.reads("#main .body", text)
	}
	for i := range 8 {
		says(fmt.Sprintf("one of many, %d\nand\nmore", i))
	}
	t.atTheEnd("#main")
	older()
	t.sees(pill + ".hidden")
	says("while you read")
	t.sees("!" + pill + ".hidden && " + log + ".scrollTop === 0")
	t.inEveryLook("pill")
	t.click("#main [data-pill]", "New messages")
	t.atTheEnd("#main")
	t.sees(pill + ".hidden && document.activeElement.innerText.includes('while you read')")
	older()
	t.sees("(document.querySelector('#say-in-channel').focus(), true)")
	t.press("mine", kb.Enter)
	t.reads("#main .body", "mine")
	t.atTheEnd("#main")
	t.sees(pill + ".hidden")

	// Escape leaves the box, and the keys work.
	t.press(kb.Escape)
	t.sees("document.activeElement.matches('#main article')")
	t.press(kb.Home)
	t.sees("document.activeElement === document.querySelector('#main .messages article')")
	t.press(kb.End, kb.ArrowUp)
	t.sees("document.activeElement === [...document.querySelectorAll('#main .messages article')].at(-2)")
	t.press("c")
	t.sees("document.activeElement.id === 'say'")
}

// sendsAnothers sends another person's message to the bot with the message's menu.
func (t *tab) sendsAnothers() {
	t.t.Helper()
	theirs := "[...document.querySelectorAll('#main article')].filter((a) " +
		"=> a.innerText.includes('hello from elsewhere'))[0]"
	t.sees("!" + theirs + ".querySelector('.replies')")
	t.sees("(" + theirs + ".focus(), true)")
	t.press("m")
	t.reads("#main details[open] button", "Send to Bobbin")
	closed, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](`
		[...document.querySelectorAll('#main details[open] button')].find((e) => e.innerText.includes('Send to Bobbin')).click();
		!document.querySelector('details[open]')`))
	require.NoError(t.t, err)
	require.True(t.t, closed, "the menu closes before the answer, so the next Escape is the thread's")
	t.sees(theirs + ".querySelector('.replies')")
}

// postMenu posts a message of another app in the channel, with a menu, and a button that asks a question.
func (p *Playground) postMenu(t *testing.T) {
	t.Helper()
	slack := p.Stage.Slack
	bot := slack.AddBot(slacktest.User{Name: "deploys"})
	require.NoError(t, slack.Join(p.Stage.Channel, bot.ID))
	_, err := slack.PostAsBot(p.Stage.Channel, bot.ID, slacktest.Message{Text: "x", Blocks: json.RawMessage(`[
		{"type":"actions","block_id":"b","elements":[
			{"type":"overflow","action_id":"more","options":[
				{"text":{"type":"plain_text","text":"Set limits"},"value":"limits"},
				{"text":{"type":"plain_text","text":"Diagnose"},"value":"diagnose"}]},
			{"type":"button","action_id":"halt","text":{"type":"plain_text","text":"Halt"},"confirm":{
				"title":{"type":"plain_text","text":"Halt the work?"},
				"text":{"type":"mrkdwn","text":"*Nothing* is lost."},
				"confirm":{"type":"plain_text","text":"Halt it"},"deny":{"type":"plain_text","text":"Go on"}}}]}]`)})
	require.NoError(t, err)
}

// choosesInAMenu chooses in an overflow menu, and answers the question that is asked before a press.
func (t *tab) choosesInAMenu(p *Playground) {
	t.t.Helper()
	slack := p.Stage.Slack
	presses := func() (count int) {
		for _, d := range slack.Deliveries() {
			if d.EventType == "block_actions" {
				count++
			}
		}
		return count
	}
	p.postMenu(t.t)
	t.reads("#main button", "Halt")
	before := presses()
	t.click("#main .b-overflow summary", "⋯")
	t.reads("#main .b-overflow[open] button", "Diagnose")
	t.click("#main .b-overflow button", "Diagnose")
	t.sees("!document.querySelector('#main .b-overflow[open]')")
	require.Eventually(t.t, func() bool { return presses() == before+1 }, patience, time.Millisecond)

	const asks = "document.querySelector('#main .ask:popover-open')"
	t.click("#main button[popovertarget]", "Halt")
	t.sees(asks)
	t.reads("#main .ask h3", "Halt the work?")
	t.press(kb.Escape)
	t.sees("!" + asks)
	t.sees("!document.querySelector('#pane').hidden") // Escape closed no more than the question
	require.Equal(t.t, before+1, presses())
	t.click("#main button[popovertarget]", "Halt")
	t.sees(asks)
	t.click("#main .ask button", "Halt it")
	t.sees("!" + asks)
	require.Eventually(t.t, func() bool { return presses() == before+2 }, patience, time.Millisecond)
}

// goesAround closes the thread, switches to the dark theme, and visits a channel without the app, a direct
// message, the app's home and the phone layout.
func (t *tab) goesAround() {
	t.t.Helper()
	t.sees("(document.querySelector('#say').focus(), true)")
	t.press(kb.Escape)
	t.sees("document.activeElement.matches('#pane article')")
	t.press(kb.Escape)
	t.sees("document.querySelector('#pane').hidden")
	t.focusOut()
	t.press("d")
	t.sees("document.documentElement.dataset.theme === 'dark'")
	t.sees("(delete document.documentElement.dataset.theme, localStorage.removeItem('theme'), true)")
	t.press("?")
	t.reads("dialog[open] h2", "Keys")
	t.inEveryLook("keys")
	t.press(kb.Escape)
	t.sees("!document.querySelector('dialog[open]')")
	t.click("#nav .places a", "general")
	t.reads("h1", "general")
	t.press("nobody but us", kb.Enter)
	t.reads("#main .body", "nobody but us")
	t.click("#nav .places ul:nth-of-type(2) a", "bobbin")
	t.reads("h1", "bobbin")
	t.press("hello?", kb.Enter)
	t.click("#main .replies", "repl")
	t.reads("#pane .body", "What to write")
	t.inEveryLook("direct-message")
	t.click("#nav .places a", "home")
	t.reads("#main .b-section", "who are you?")
	t.inEveryLook("home")
	t.click("#main .b-section a", "who are you?")
	t.reads("#pane .body", "No model is connected")
	t.resize(390, 780)
	t.do(chromedp.Click("#pane [data-close]"), chromedp.Click("[data-menu]"))
	t.sees("getComputedStyle(document.querySelector('#nav')).visibility === 'visible'")
	for _, scheme := range []string{"light", "dark"} { // no other look has this menu
		t.prefers(scheme)
		t.faultless("a phone's menu")
		t.shoot("phone-menu-" + scheme)
	}
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
	b.reads(".notice", "No sandbox works on this machine")
	b.reads(".notice", "namespaces: no user namespaces. Allow them.")
	b.reads(".notice", "OPENAI_API_KEY")
	b.sees("!document.querySelector('.story')")
	b.inEveryLook("notices")
	b.press("@bobbin who wrote the README?", kb.Enter)
	b.reads("#main .replies", "repl")
	b.click("#main .replies", "repl")
	b.reads("#pane .body", "my-project")
	b.reads("#pane .body", "No model is connected")
	b.press("@bobbin help", kb.Enter)
	b.reads("#pane .only .body", "my-project")
	b.reads("#pane .only .body", "bea")
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

// TestOwnRepositoryEndsInABranch works with a model on a repository of the operator: its branch keeps its
// name, the page shows that the bot is at work as it does in the story, and the command that it shows at the
// end leads to the branch in the operator's clone.
func TestOwnRepositoryEndsInABranch(t *testing.T) {
	t.Parallel()
	chromium(t)
	remotetest.NeedGit(t)
	own := filepath.Join(harness.Dir(t), "shop")
	require.NoError(t, stage.PlantRemote(filepath.Join(own, ".git"), txtar.Parse(stage.DemoShop).Files))
	remotetest.RunGit(t, own, "branch", "-m", "main", "master")
	model, err := story.Serve("demo/story.model", stage.DemoModel+branches, "nothing else is asked")
	require.NoError(t, err)
	t.Cleanup(model.Close)
	p := openPlayground(t, func(opt *Options) {
		opt.Repository = Repository{From: own}
		opt.Sandbox = stage.Sandbox
		opt.Models = &server.ModelSettings{ModelURL: model.URL, Agents: map[string]agent.Setting{}}
		for _, name := range stage.Agents {
			opt.Models.Agents[name] = agent.Setting{Model: "scripted-" + name}
		}
		opt.adjust = func(s *server.Settings) { s.Repositories[0].Unreviewed = true }
	})
	require.NoError(t, shop.CopyTo(t.Context(), p.Stage))
	b := open(t, p.URL, 1280, 800)
	b.sees("!document.querySelector('.story')")
	b.press("@bobbin "+stage.DemoReport, kb.Enter)
	b.reads("#main .message .at-work", "bobbin is at work")
	b.click("#main .replies", "repl")
	b.reads("#pane .body", "shop (master at ")
	b.reads("#pane .body", "revision 1")
	b.sees("!document.querySelector('#pane .at-work')")
	b.focusOut()
	b.press("2")
	b.sees("document.body.dataset.me === 'bea' && document.activeElement.id === 'say'")
	b.press(stage.DemoApproval, kb.Enter)
	b.reads("#pane .at-work", "bobbin is at work")
	b.reads("#pane .pushed", "In your clone:")
	b.reads("#pane .body", "git fetch "+p.Stage.Remote+" bobbin/") // not from origin, which lacks it
	b.sees("!document.querySelector('#pane .at-work')")
	b.inEveryLook("own-repository")
	p.endsInABranch(t, b)
}

// TestWithAModel shows that the operator's model answers, on the operator's repository.
func TestWithAModel(t *testing.T) {
	t.Parallel()
	own := filepath.Join(harness.Dir(t), "mine.git")
	require.NoError(t, stage.PlantRemote(own, []txtar.File{{Name: "README.md", Data: []byte("# Mine\n")}}))
	for _, push := range []bool{false, true} {
		model, err := story.Serve("mine", "== mine-7\nexpect user \"who wrote this\"\ncall reply\n"+
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
		ts, err := slack.Say(p.Stage.Channel, p.Stage.People["ann"], slack.Mention()+" who wrote this?", "")
		require.NoError(t, err)
		_, err = slack.WaitFor(harness.Soon(t), p.Stage.Channel, ts, func(thread []slacktest.Message) bool {
			return strings.Contains(thread[len(thread)-1].Text, "A model of yours")
		})
		require.NoError(t, err)
	}
}

// TestTheKeysAreListed checks that the page and its documentation name the same keys.
func TestTheKeysAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("internal/view/pages/page.html"))
	require.NoError(t, err)
	doc, err := os.ReadFile(filepath.FromSlash("../../../../docs/playground.md"))
	require.NoError(t, err)
	_, keys, found := strings.Cut(string(doc), "## Keys")
	require.True(t, found)
	keys, _, _ = strings.Cut(keys, "\n## ")
	_, list, _ := strings.Cut(string(page), `<dialog id="keys"`)
	named := regexp.MustCompile(`<kbd>([^<]+)</kbd>`).FindAllStringSubmatch(list, -1)
	require.NotEmpty(t, named)
	for _, key := range named {
		require.Contains(t, keys, "`"+key[1]+"`")
	}
}

// TestTheWeightOfThePage checks that the page's assets are below 100 KB, which leaves 100 KB of a page's 200
// KB for its HTML.
func TestTheWeightOfThePage(t *testing.T) {
	t.Parallel()
	total := int64(0)
	assets, err := filepath.Glob(filepath.Join("internal", "chat", "assets", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, assets)
	for _, name := range assets {
		info, err := os.Stat(name)
		require.NoError(t, err)
		total += info.Size()
	}
	require.Less(t, total, int64(100<<10), "the rest is for the page itself")
}
