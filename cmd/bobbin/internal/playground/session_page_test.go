package playground

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// pageOf opens the page of the session in the open thread, as the reader of a chat does: by
// Details, and the link in them.
func (b *tab) pageOf(who string) *tab {
	b.t.Helper()
	b.click("#pane button", "Details")
	b.reads("dialog[open] a", "page")
	link, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll('dialog[open] a')].find((a) => a.pathname.startsWith('/s/')).href`))
	require.NoError(b.t, err)
	u, err := url.Parse(link)
	require.NoError(b.t, err)
	require.NotEmpty(b.t, u.Query().Get("k"))
	b.do(chromedp.Click("[data-modal] footer .plain"))
	b.sees("!document.querySelector('dialog[data-modal]')")
	return b.again(strings.TrimPrefix(u.RequestURI(), ""))
}

// TestSessionPage: three people look at a session, while it goes on and after.
func TestSessionPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, nil)
	ann := open(t, p.URL, 1280, 800)
	ann.click(".story button", "the refund of order 1042")
	ann.reads("#pane .body", "Root cause (revision 1")
	page := ann.pageOf("ann")
	page.reads("h1", "the refund of order 1042")
	page.accessible("a session")
	page.shoot("session")
	ann.click(".story button", "percent")
	page.reads("#report h3", "Revision 2")
	ann.reads("#pane .body", "Root cause (revision 2")
	ann.click(".story button", "Fix it")
	ann.reads("#pane .body", "Done. Pushed")
	page.reads(".pill", "done")
	page.reads("#diff .file", "split.go")
	page.accessible("a session that is done")
	page.shoot("session-done")
	page.prefers("dark")
	page.accessible("a session in the dark")
	page.shoot("session-dark")
	page.resize(390, 780)
	page.accessible("a session on a phone")
	page.shoot("session-phone")
}
