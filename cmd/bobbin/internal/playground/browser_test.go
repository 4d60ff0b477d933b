package playground

import (
	"context"
	"fmt"
	"hash/crc32"
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
		flags := []chromedp.ExecAllocatorOption{
			chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.NoFirstRun, chromedp.Headless,
			chromedp.DisableGPU, chromedp.NoSandbox,
		}
		for _, f := range []string{
			"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
			"disable-dev-shm-usage", "force-prefers-reduced-motion",
		} { // a spinner would be drawn sixty times a second
			flags = append(flags, chromedp.Flag(f, true))
		}
		running, stop := chromedp.NewExecAllocator(context.Background(),
			append(flags, chromedp.Flag("headless", "new"))...)
		ctx, end := chromedp.NewContext(running)
		browser.ctx = ctx
		browser.end = func() {
			end()
			stop()
			os.RemoveAll(dir)
		}
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

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.t.Helper()
	// the first Do opens the tab, which has to outlive the timeout below
	require.NoError(t.t, chromedp.Do(t.ctx))
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.shoot("failed-" + t.t.Name())
		require.NoError(t.t, err)
	}
}

// sees waits until a JavaScript expression is true in the page, even if the page is navigating or its end is
// still to come, so that an element is missing. It polls twenty times a second: polling at each frame, the
// default, would keep a processor busy.
func (t *tab) sees(expression string) {
	t.t.Helper()
	polled := "(() => { try { return " + expression + " } catch (e) { " +
		"if (!(e instanceof TypeError)) throw e; window.notYet = e.message; return false } })()"
	var err error
	for range 5 {
		if _, err = chromedp.Run(t.ctx, chromedp.Poll[chromedp.Void](
			polled, chromedp.WithPollingTimeout(patience),
			chromedp.WithPollingInterval(50*time.Millisecond),
		)); err == nil || !strings.Contains(err.Error(), "(-32000)") {
			break
		}
	}
	if err != nil {
		t.shoot("failed-" + t.t.Name())
		text, _ := chromedp.Run(t.ctx, chromedp.Evaluate[string](
			"(window.notYet ? window.notYet + '\\n' : '') + document.body.innerText"))
		require.NoError(t.t, err, "%s is not so in:\n%s", expression, text)
	}
}

// reads waits until an element that matches selector contains text.
func (t *tab) reads(selector, text string) {
	t.t.Helper()
	t.sees(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.innerText.includes(%s))",
		strconv.Quote(selector), strconv.Quote(text)))
}

// click clicks the last element that matches selector and contains text.
func (t *tab) click(selector, text string) {
	t.t.Helper()
	t.reads(selector, text)
	t.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("[...document.querySelectorAll(%s)].filter((e) "+
		"=> e.innerText.includes(%s)).at(-1).click()", strconv.Quote(selector), strconv.Quote(text))))
}

// takes presses the story's step that contains text: the next one, or one of the other ways.
func (t *tab) takes(text string) {
	t.t.Helper()
	step := fmt.Sprintf("[...document.querySelectorAll('.story button')].filter((e) "+
		"=> e.textContent.includes(%s)).at(-1)", strconv.Quote(text))
	t.sees("!!" + step)
	t.do(chromedp.Evaluate[chromedp.Void]("{ const step = " + step +
		"; step.closest('details')?.setAttribute('open', ''); step.click() }"))
}

// shoot saves a screenshot in the folder that BOBBIN_SCREENSHOTS names, if it is set.
func (t *tab) shoot(name string) {
	t.t.Helper()
	dir := os.Getenv("BOBBIN_SCREENSHOTS")
	if dir == "" {
		return
	}
	if picture, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot()); err == nil {
		require.NoError(t.t, os.MkdirAll(dir, 0o755))
		require.NoError(t.t, os.WriteFile(filepath.Join(dir, filepath.Base(name)+".png"), picture, 0o644))
	}
}

// shootWhole saves a screenshot of the whole page, like shoot. What sticks to the top of the window is at the
// top of the picture.
func (t *tab) shootWhole(name string) {
	t.t.Helper()
	dir := os.Getenv("BOBBIN_SCREENSHOTS")
	if dir == "" {
		return
	}
	t.sees("(scrollTo(0, 0), true)")
	if picture, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100)); err == nil {
		require.NoError(t.t, os.MkdirAll(dir, 0o755))
		require.NoError(t.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	}
}

// prefers sets the colour scheme that the browser reports, light or dark.
func (t *tab) prefers(scheme string) {
	t.t.Helper()
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t.t, err)
}

// again opens another page of the same playground in the same browser session.
func (t *tab) again(path string) *tab {
	t.t.Helper()
	ctx, end := chromedp.NewContext(t.ctx)
	t.t.Cleanup(end)
	other := &tab{t.t, ctx}
	other.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(t.origin()+path))
	other.sees("document.documentElement.classList.contains('alive')")
	return other
}

// goes opens another page of the same playground in the tab.
func (t *tab) goes(path string) {
	t.t.Helper()
	t.do(chromedp.Navigate(t.origin() + path))
	t.sees("document.readyState === 'complete' && document.documentElement.classList.contains('alive')")
}

// origin returns the address of the playground, without a path.
func (t *tab) origin() string {
	t.t.Helper()
	at, err := chromedp.Run(t.ctx, chromedp.Location())
	require.NoError(t.t, err)
	u, err := url.Parse(at)
	require.NoError(t.t, err)
	return "http://" + u.Host
}

func (t *tab) resize(width, height int64) {
	t.t.Helper()
	t.do(chromedp.EmulateViewport(width, height))
}

// press presses keys at the current focus as a keyboard does: if the page handles a key when it goes down, no
// letter is typed, however long the handling takes.
func (t *tab) press(keys ...string) {
	t.t.Helper()
	for _, k := range keys {
		t.do(chromedp.KeyEvent(k, func(p *input.DispatchKeyEventParams) {
			if p.Type == kb.KeyDown {
				p.Type = input.DispatchKeyEventTypeRawKeyDown
			}
		}))
	}
}

// fill replaces the text of an input.
func (t *tab) fill(selector, text string) {
	t.t.Helper()
	t.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%s).value = %s",
		strconv.Quote(selector), strconv.Quote(text))))
}

// focusOut removes the focus from the input.
func (t *tab) focusOut() { t.sees("(document.activeElement.blur(), true)") }

var axe struct {
	once   sync.Once
	script string
}

// looks are the ways in which people see a page.
var looks = []struct {
	name, scheme  string
	width, height int64
}{
	{"", "light", 1280, 800},
	{"-dark", "dark", 1280, 800},
	{"-phone", "light", 390, 780},
}

// inEveryLook checks a page as it is now: in every look nothing is wider than the window, and in those of
// isChecked axe finds no violation. It takes a screenshot of each of these.
func (t *tab) inEveryLook(name string) {
	t.t.Helper()
	for n, look := range looks {
		t.prefers(look.scheme)
		t.resize(look.width, look.height)
		t.sees(fmt.Sprintf("innerWidth === %d && matchMedia('(prefers-color-scheme: %s)').matches "+
			"&& !document.documentElement.dataset.theme", look.width, look.scheme))
		t.sees("document.documentElement.scrollWidth <= innerWidth")
		if isChecked(name, n) {
			t.faultless(name + look.name)
			t.shootWhole(name + look.name)
		}
	}
	t.prefers(looks[0].scheme)
	t.resize(looks[0].width, looks[0].height)
}

// isChecked reports whether axe checks a page in the n-th look: in all with BOBBIN_EVERY, and when pictures
// are made. make test has each page checked in one of them, which depends on the page's name, since every
// check takes more than a second of processor time.
func isChecked(page string, n int) bool {
	return harness.Every() || os.Getenv("BOBBIN_PICTURES") != "" ||
		int(crc32.ChecksumIEEE([]byte(page))%uint32(len(looks))) == n
}

// faultless checks the page with axe and fails the test on any violation.
func (t *tab) faultless(what string) {
	t.t.Helper()
	axe.once.Do(func() {
		raw, err := os.ReadFile(filepath.Join(npmtest.Modules(t.t, filepath.Join("testdata", "axe")),
			"axe-core", "axe.min.js"))
		require.NoError(t.t, err)
		axe.script = string(raw)
	})
	t.do(chromedp.Evaluate[chromedp.Void](axe.script + "; void 0"))
	found, err := chromedp.Run(t.ctx,
		chromedp.Evaluate[[]string](`axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations
		.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.failureSummary)))`,
			chromedp.EvalAwaitPromise))
	require.NoError(t.t, err)
	if len(found) > 0 {
		t.shoot("inaccessible-" + what)
	}
	require.Empty(t.t, found, what)
}

// unavailable describes a machine on which no kind of sandbox works.
var unavailable = []*sandbox.Unavailable{
	{Kind: "bubblewrap", Why: "bwrap is not installed.", Cure: "Install it."},
	{Kind: "namespaces", Why: "no user namespaces.", Cure: "Allow them."},
}
