package playground

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/repo/build/npmtest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asProgram); dir != "" {
		if err := beProgram(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := harness.Main(m)
	shop.Remove()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(status)
}

// browser is the Chromium that all tests of this package share.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  func()
}

// chromium starts the shared browser, or skips the test (repotest.Browser).
func chromium(t *testing.T) context.Context {
	t.Helper()
	program := repotest.Browser(t)
	browser.once.Do(func() {
		dir, err := os.MkdirTemp("", "bobbin-chromium-")
		require.NoError(t, err)
		flags := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.NoFirstRun, chromedp.Headless, chromedp.DisableGPU, chromedp.NoSandbox}
		for _, f := range []string{
			"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
			"force-prefers-reduced-motion",
		} { // a spinner would be drawn sixty times a second
			flags = append(flags, chromedp.Flag(f, true))
		}
		running, stop := chromedp.NewExecAllocator(context.Background(), append(flags, chromedp.Flag("headless", "new"))...)
		ctx, end := chromedp.NewContext(running)
		browser.ctx = ctx
		browser.end = func() { end(); stop(); os.RemoveAll(dir) }
		require.NoError(t, chromedp.Do(ctx))
	})
	return browser.ctx
}

// patience bounds one step on a busy machine.
const patience = harness.StepTimeout

// A tab is a page in a separate browser session.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open opens an address in a new tab.
func open(t *testing.T, address string, width, height int64) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &tab{t, ctx}
	b.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(address))
	b.sees("document.documentElement.classList.contains('alive')")
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx)) // the first Do opens the tab, which has to outlive the timeout below
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.shoot("failed-" + b.t.Name())
		require.NoError(b.t, err)
	}
}

// sees waits until a JavaScript expression is true in the page, even if the page is navigating. It polls
// twenty times a second: polling at each frame, the default, would keep a processor busy.
func (b *tab) sees(expression string) {
	b.t.Helper()
	var err error
	for range 5 {
		if _, err = chromedp.Run(b.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(50*time.Millisecond))); err == nil || !strings.Contains(err.Error(), "(-32000)") {
			break
		}
	}
	if err != nil {
		b.shoot("failed-" + b.t.Name())
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		require.NoError(b.t, err, "%s is not so in:\n%s", expression, text)
	}
}

// reads waits until an element that matches selector contains text.
func (b *tab) reads(selector, text string) {
	b.t.Helper()
	b.sees(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.innerText.includes(%s))", strconv.Quote(selector), strconv.Quote(text)))
}

// click clicks the last element that matches selector and contains text.
func (b *tab) click(selector, text string) {
	b.t.Helper()
	b.reads(selector, text)
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("[...document.querySelectorAll(%s)].filter((e) => e.innerText.includes(%s)).at(-1).click()", strconv.Quote(selector), strconv.Quote(text))))
}

// shoot saves a screenshot in the folder that BOBBIN_SCREENSHOTS names, if it is set.
func (b *tab) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("BOBBIN_SCREENSHOTS")
	if dir == "" {
		return
	}
	if picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot()); err == nil {
		require.NoError(b.t, os.MkdirAll(dir, 0o755))
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, filepath.Base(name)+".png"), picture, 0o644))
	}
}

// shootWhole saves a screenshot of the whole page, like shoot.
func (b *tab) shootWhole(name string) {
	b.t.Helper()
	dir := os.Getenv("BOBBIN_SCREENSHOTS")
	if dir == "" {
		return
	}
	if picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100)); err == nil {
		require.NoError(b.t, os.MkdirAll(dir, 0o755))
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	}
}

// prefers sets the colour scheme that the browser reports, light or dark.
func (b *tab) prefers(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(b.t, err)
}

// again opens another page of the same playground in the same browser session.
func (b *tab) again(path string) *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	other := &tab{b.t, ctx}
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	require.NoError(b.t, err)
	u, err := url.Parse(at)
	require.NoError(b.t, err)
	other.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate("http://"+u.Host+path))
	other.sees("document.documentElement.classList.contains('alive')")
	return other
}

func (b *tab) resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// press presses keys at the current focus as a keyboard does: if the page handles a key when it goes down, no
// letter is typed, however long the handling takes.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k, func(p *input.DispatchKeyEventParams) {
			if p.Type == kb.KeyDown {
				p.Type = input.DispatchKeyEventTypeRawKeyDown
			}
		}))
	}
}

// fill replaces the text of an input.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%s).value = %s", strconv.Quote(selector), strconv.Quote(text))))
}

// focusOut removes the focus from the input.
func (b *tab) focusOut() { b.sees("(document.activeElement.blur(), true)") }

var axe struct {
	once   sync.Once
	script string
}

// accessible checks the page with axe and fails the test on serious or critical violations.
func (b *tab) accessible(what string) {
	b.t.Helper()
	axe.once.Do(func() {
		raw, err := os.ReadFile(filepath.Join(npmtest.Modules(b.t, filepath.Join("testdata", "axe")), "axe-core", "axe.min.js"))
		require.NoError(b.t, err)
		axe.script = string(raw)
	})
	b.do(chromedp.Evaluate[chromedp.Void](axe.script + "; void 0"))
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations
		.filter((v) => ['serious', 'critical'].includes(v.impact))
		.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.failureSummary)))`, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	if len(found) > 0 {
		b.shoot("inaccessible-" + what)
	}
	require.Empty(b.t, found, what)
}

// unavailable describes a machine on which no kind of sandbox works.
var unavailable = []*sandbox.Unavailable{
	{Kind: "bubblewrap", Why: "bwrap is not installed.", Cure: "Install it."},
	{Kind: "namespaces", Why: "no user namespaces.", Cure: "Allow them."},
}
