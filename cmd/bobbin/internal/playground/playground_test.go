package playground

import (
	"io"
	"log/slog"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// openPlayground is one as the command opens it.
func openPlayground(t *testing.T) *Playground {
	t.Helper()
	chromium(t)
	dir, err := stage.MakeDir(harness.Dir(t))
	require.NoError(t, err)
	p, err := Open(t.Context(), Options{Dir: dir, DatabaseURL: harness.Database(t), Progress: io.Discard, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- p.Serve(t.Context()) }()
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.NoError(t, <-served)
	})
	return p
}

// TestTheStory is told by mouse, as three people.
func TestTheStory(t *testing.T) {
	t.Parallel()
	p := openPlayground(t)
	b := open(t, p.URL, 1280, 800)
	b.reads("h1", "bugs")
	b.shoot("begin")
	b.click(".story button", "the refund of order 1042")
	b.reads("#pane .who", "ann")
	b.reads("#pane .body", "Root cause (revision 1")
	b.shoot("report")
	b.do(chromedp.Click(`[data-person="1"]`))
	b.sees("document.body.dataset.me === 'bea'")
	b.click(".story button", "also happens for percent coupons")
	b.reads("#pane .body", "Root cause (revision 2")
	b.shoot("revision")
	b.click(".story button", "Fix it")
	b.reads("#pane .body", "Done. Pushed")
	b.shoot("done")
	b.prefers("dark")
	b.sees("getComputedStyle(document.body).backgroundColor === 'rgb(27, 27, 29)'")
	b.shoot("dark")
}
