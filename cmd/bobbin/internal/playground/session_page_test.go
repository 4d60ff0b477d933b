package playground

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

// TestSessionPage opens a session's page while the session runs and afterwards, each reader by a personal
// link.
func TestSessionPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, func(opt *Options) {
		// guests do not see code
		opt.adjust = func(s *server.Settings) { s.Repositories[0].MembersOnly = true }
	})
	ann := open(t, p.URL, 1280, 800)
	ann.takes("the refund of order 1042")
	ann.reads("#pane .body", "revision 1 · nothing")
	ann.opensThePage()
	page := ann.again(ann.linkToPage())
	page.reads("h1", "A whole refund gives back more than was paid")
	page.sees("location.search === ''") // the signature is removed from the address
	page.inEveryLook("session")

	// The page follows the session without a reload, and what is open in it stays open.
	page.sees("(window.here = true, document.querySelector('.call summary').click(), true)")
	page.sees("(document.querySelector('.call summary').focus(), true)")
	ann.takes("percent")
	page.reads("#report h3", "Revision 2")
	page.sees("window.here && document.querySelector('.call details').open && document.activeElement === " +
		"document.querySelector('.call summary')")
	ann.reads("#pane .body", "revision 2 · nothing")
	ann.takes("Fix it")
	ann.reads("#pane .body", "and pushed:")
	page.reads("#outcome h2", "Fixed and pushed")
	page.reads("#diff .file", "split.go")
	page.reads("#diff .proof.needed", "Without it: ")
	page.reads("#shares dt", "orchestrator")
	page.sees("window.here")
	page.inOrder()
	page.walked()
	page.light()
	page.closed()
	page.inEveryLook("session-done")
	page.click("#outcome a", "Open the thread")
	page.reads("#pane .body", "and pushed:")
	ann.othersLook(p)
}

// opensThePage follows the link below a message of the open thread, before the person has opened any other:
// in the playground it opens at once.
func (t *tab) opensThePage() {
	t.t.Helper()
	shared, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](
		`[...document.querySelectorAll('#pane a')].find((a) => a.textContent === 'session page').pathname`))
	require.NoError(t.t, err)
	page := t.again(shared)
	page.reads("h1", "A whole refund gives back more than was paid")
}

// linkToPage returns the personal link in the Details of the open thread.
func (t *tab) linkToPage() string {
	t.t.Helper()
	t.click("#pane button", "Details")
	return t.pageLink("dialog[open]")
}

// pageLink returns the path and query of the link to a session page within the selector.
func (t *tab) pageLink(within string) string {
	t.t.Helper()
	t.reads(within+" a", "page")
	link, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](fmt.Sprintf(
		`[...document.querySelectorAll(%q)].find((a) => a.pathname.startsWith('/s/')).href`, within+" a",
	)))
	require.NoError(t.t, err)
	u, err := url.Parse(link)
	require.NoError(t.t, err)
	if within == "dialog[open]" {
		t.do(chromedp.Click("[data-modal] footer .plain"))
		t.sees("!document.querySelector('dialog[data-modal]')")
	}
	return u.RequestURI()
}

// inOrder checks that parts added while the page was open are in the same order as on a page that is loaded
// now.
func (t *tab) inOrder() {
	t.t.Helper()
	const ids = "[...document.querySelectorAll('[data-hash]')].map((e) => e.id + e.dataset.hash).join()"
	t.sees(`fetch(location.pathname).then((r) => r.text()).then((text) => {
		const fresh = new DOMParser().parseFromString(text, 'text/html');
		return [...fresh.querySelectorAll('[data-hash]')].map((e) => e.id + e.dataset.hash).join() === ` +
		ids + `})`)
}

// walked uses the keys: through the timeline, search, opening an output, the theme; and hides the tool calls.
func (t *tab) walked() {
	t.t.Helper()
	t.focusOut()
	t.press("/")
	t.sees("document.activeElement.id === 'find'")
	t.press("orders/1042.json")
	t.sees("[...document.querySelectorAll('.timeline > li')].some((li) => li.hidden)")
	t.press(kb.Escape)
	t.sees("![...document.querySelectorAll('.timeline > li')].some((li) => li.hidden) " +
		"&& document.activeElement === document.body")
	t.press("j")
	t.sees("document.activeElement.closest('.timeline > li') === document.querySelector('.timeline > li')")
	t.sees("([...document.querySelectorAll('.call:not(.open) details:not([open]) summary')].at(0).focus(), " +
		"true)")
	t.press(kb.Enter)
	t.sees("document.activeElement.parentElement.open")
	t.press("k", "j")
	t.sees("document.activeElement.matches('.call summary')")
	t.press("d")
	t.sees("document.documentElement.dataset.theme === 'dark'")
	t.press("d")
	t.sees("(delete document.documentElement.dataset.theme, localStorage.removeItem('theme'), true)")
	t.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#f-call').click()"))
	t.sees("!document.querySelector('.timeline > .call').checkVisibility()")
	t.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#f-call').click()"))
}

// light checks that the page with its style and script is below 200 KB, and loads nothing from another host.
func (t *tab) light() {
	t.t.Helper()
	bytes, err := chromedp.Run(t.ctx, chromedp.Evaluate[int](
		`fetch(location.href).then((r) => r.text()).then((page) => new TextEncoder().encode(page).length
		+ performance.getEntriesByType('resource')
			.filter((r) => r.initiatorType === 'link' || r.initiatorType === 'script')
			.reduce((sum, r) => sum + r.decodedBodySize, 0))`,
		chromedp.EvalAwaitPromise,
	))
	require.NoError(t.t, err)
	painted, err := chromedp.Run(t.ctx, chromedp.Evaluate[float64](
		`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`))
	require.NoError(t.t, err)
	require.Positive(t.t, painted, "it was seen")
	t.t.Logf("%s is %d bytes with its style and script, and was seen after %.0f ms",
		t.t.Name(), bytes, painted)
	require.Less(t.t, bytes, 200_000)
	require.Greater(t.t, bytes, 20_000, "it has been counted")
	t.sees("performance.getEntriesByType('resource').length > 2 && " +
		"performance.getEntriesByType('resource').every((r) => r.name.startsWith(location.origin + '/'))")
}

// closed checks that an injected script or inline style has no effect, and that nothing can be loaded from
// another host.
func (t *tab) closed() {
	t.t.Helper()
	t.sees(`(() => {
		const script = document.createElement('script'), style = document.createElement('p');
		script.textContent = 'window.taken = true';
		style.setAttribute('style', 'color: rgb(1, 2, 3)');
		document.body.append(script, style);
		const shown = getComputedStyle(style).color;
		script.remove(), style.remove();
		return window.taken === undefined && shown !== 'rgb(1, 2, 3)';
	})()`)
	t.do(chromedp.Evaluate[chromedp.Void](`document.addEventListener('securitypolicyviolation', (e) ` +
		`=> { window.blocked = e.blockedURI }); new Image().src = 'http://127.0.0.1:9/x.png'`))
	t.sees("window.blocked?.startsWith('http://127.0.0.1:9')")
}

// othersLook checks the list of sessions by a personal link, and how the page refuses a guest, a damaged
// link, and a person who has left the channel.
func (t *tab) othersLook(p *Playground) {
	t.t.Helper()
	home := t.again("/bea/home")
	list := home.again(home.pageLink("#main"))
	list.reads(".sessions a", "discounts do not add up")
	list.focusOut()
	list.press("/", "nothing like it", kb.Enter)
	list.reads("main", "No session of yours matches")
	list.click("main a", "Show all")
	list.sees("location.search === '' && document.querySelector('.sessions a')")
	list.click(".tabs a", "Finished")
	list.sees("location.search.includes('state=Finished')")
	list.click(".sessions a", "discounts do not add up")
	list.reads("#diff .file", "split.go")
	list.reads(".crumbs a", "Sessions")
	list.reads(".crumbs a", "#bugs")
	list.click(".crumbs a", "shop")
	list.sees("location.search === '?q=shop'")
	list.reads(".sessions a", "discounts do not add up")

	t.click("#nav .places a", "bugs")
	t.sees("document.activeElement.id === 'say'") // keys type into the message now
	t.focusOut()
	t.press("3")
	t.sees("document.body.dataset.me === 'gus'")
	t.click("#main .replies", "replies")
	guest := t.again(t.linkToPage())
	guest.reads(".notice", "Code and paths are not shown")
	guest.sees("!/split|orders.1042.json|Split/.test(document.body.innerText) " +
		"&& !document.querySelector('.timeline')")
	guest.inEveryLook("session-guest")

	t.focusOut()
	t.press("2")
	t.sees("document.body.dataset.me === 'bea'")
	link := t.linkToPage()
	bent := t.again(link + "x")
	bent.reads("h1", "not one of mine, or it is incomplete")
	require.NoError(t.t, p.Stage.Slack.ChangeChannel(p.Stage.Channel, func(ch *slacktest.Channel) {
		for i, id := range ch.Members {
			if id == p.Stage.People["bea"] {
				ch.Members = append(ch.Members[:i:i], ch.Members[i+1:]...)
				break
			}
		}
	}))
	left := t.again(link)
	left.reads("h1", "in a channel that you are not in")
	left.sees("!document.body.innerText.includes('split')")
}

// TestLongSessionPage shows that of a session with thousands of steps the newest are shown and followed,
// older ones page by page, and a long output on a page of its own.
func TestLongSessionPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, func(opt *Options) { opt.NoSandbox = unavailable })
	ann := open(t, p.URL, 1280, 800)
	ann.press("@bobbin who wrote this?", kb.Enter)
	ann.click("#main .replies", "repl")
	ann.reads("#pane .body", "No model is connected")
	sessions, err := p.Stage.Store.Sessions(t.Context(), 1)
	require.NoError(t, err)
	for _, row := range []string{
		fmt.Sprintf(manySteps, 3000),
		planReport,
		`insert into tasks (session_id, number, description, category, state, plan, revision)
			values ($1, 1, 'Style the button', 'visual-engineering', 'done', 1, 1)`,
		`insert into pictures (session_id, key, repository, base, commit_hash, changed, state)
			values ($1, 'push:c', 'shop', 'b', 'c', '{cart.css}', 'done')`,
		`insert into picture_pages (picture_id, number, page, places, before, before_kind, after, after_kind)
			select id, 1, 'web/cart.html', 2, p, 'png', p, 'png'
			from pictures,
				decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk' ||
					'YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64') p where pictures.session_id = $1`,
	} {
		_, err := p.Stage.Store.Pool.Exec(t.Context(), row, sessions[0].ID)
		require.NoError(t, err)
	}
	home := ann.again("/ann/home")
	list := home.again(home.pageLink("#main"))
	list.click(".sessions a", "who wrote this")
	list.sees("document.querySelectorAll('.plan .box').length === 2 && document.querySelectorAll('.plan " +
		".ticked').length === 1")
	list.sees("(document.querySelectorAll('.sides img').forEach((i) => i.loading = 'eager'), " +
		"[...document.querySelectorAll('.sides img')].map((i) => i.naturalWidth).join() === '1,1')")
	list.inEveryLook("session-plan")
	list.reads(".timeline", "go test ./... # 2998")
	list.light()
	update, err := chromedp.Run(list.ctx, chromedp.Evaluate[[]float64](`(async () => {
		const shown = Object.fromEntries([...document.querySelectorAll('[data-hash]')].map((e) => [e.id, e.dataset.hash]));
		delete shown[[...document.querySelectorAll('.call')].at(-1).id];
		const body = JSON.stringify(shown), began = performance.now();
		const text = await (await fetch(location.pathname + '/parts', { method: 'POST', body })).text();
		return [JSON.parse(text).length, text.length, body.length, performance.now() - began];
	})()`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	t.Logf("an update: %.0f bytes for %.0f asked, in %.0f ms", update[1], update[2], update[3])
	require.Equal(t, 1.0, update[0], "one entry is not shown, and one is sent")
	list.sees("document.readyState === 'complete'")
	list.do(
		chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('.call summary')].at(-2).click()"))
	list.inEveryLook("session-long")
	list.click(".older a", "Earlier")
	list.sees("location.search.startsWith('?before=') && !document.body.innerText.includes('# 2998') " +
		"&& document.querySelectorAll('.call').length > 50")
	list.click(".older a", "Newest")
	list.reads(".timeline", "go test ./... # 2998")
	list.sees("document.readyState === 'complete'") // a long page can be read before it has loaded
	list.do(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('.call details')].filter((d) " +
		"=> d.innerHTML.includes('Whole')).at(-1).open = true"))
	list.click(".timeline a", "Whole")
	list.reads("h2", "Answered")
	list.sees("document.querySelector('pre:last-of-type').innerText.length > 6000")
}
