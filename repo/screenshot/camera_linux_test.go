package screenshot

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// newCamera returns a Camera with a Chromium. Without a Chromium it skips the test, but fails in CI.
func newCamera(t *testing.T) *Camera {
	t.Helper()
	repotest.Browser(t)
	return &Camera{Sandbox: repotest.OpenSandbox(t), Processor: time.Minute}
}

func reader(files repotest.Files) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
}

func shoot(t *testing.T, c *Camera, files repotest.Files, page string) (image.Image, []byte) {
	t.Helper()
	raw, err := c.Shoot(t.Context(), reader(files), page)
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	return picture, raw
}

func colour(p image.Image, x, y int) string {
	r, g, b, _ := p.At(x, y).RGBA()
	return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
}

// TestAPageWithAllThatItUses checks that a page is shown in full length with its styles, modules and data,
// wherever it is served from, and gives the same picture at another time.
func TestAPageWithAllThatItUses(t *testing.T) {
	t.Parallel()
	c := newCamera(t)
	files := repotest.Files{
		"site/public/shop/cart.html": `<!doctype html><link rel="stylesheet" href="../look.css"><link ` +
			`rel="stylesheet" href="/css/more.css"><body><script type="module" ` +
			`src="/js/cart.js"></script><p class="clock"></p><div style="height: 2000px"></div>`,
		"site/public/look.css":     `body { margin: 0; background: rgb(1, 2, 3); }`,
		"site/public/css/more.css": `div { background: rgb(4, 5, 6); }`,
		"site/public/js/cart.js": `import { colour } from "./colour.js"; const d = await (await ` +
			`fetch("/data.json?x=1")).json(); document.querySelector("div").style.background = d[colour]; ` +
			`document.querySelector(".clock").textContent = new Date() + location.search; alert("hello");`,
		"site/public/js/colour.js": `export const colour = "a";`,
		"site/public/data.json":    `{"a": "rgb(7, 8, 9)"}`,
	}
	picture, raw := shoot(t, c, files, "site/public/shop/cart.html?id=1")
	require.Equal(t, Width, picture.Bounds().Dx())
	require.Greater(t, picture.Bounds().Dy(), 2000)
	require.Equal(t, "070809", colour(picture, 1000, 1500))
	require.Equal(t, "010203", colour(picture, 1200, 5))
	_, again := shoot(t, c, files, "site/public/shop/cart.html?id=1")
	require.True(t, bytes.Equal(raw, again), "the same files, the same picture")
	require.True(t, c.HasBrowser(t.Context()))
}

// TestHostilePages checks that a file that is no page, or a page that never rests, gives a reason in words
// within the limits.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	c := newCamera(t)
	for name, want := range map[string]struct{ page, why string }{
		"busy": {`<script>for (;;) {}</script>`, "it did not settle within 5 seconds of computing time"},
		"hungry": {
			`<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()));</script>`,
			"memory|crashes|rest|ended",
		},
	} {
		_, err := (&Camera{
			Sandbox:   c.Sandbox,
			Processor: map[string]time.Duration{"busy": 5 * time.Second, "hungry": time.Minute}[name],
		}).Shoot(t.Context(), reader(repotest.Files{"a.html": want.page}), "a.html")
		var unshown *NoPictureError
		require.ErrorAs(t, err, &unshown, name)
		require.Regexp(t, want.why, unshown.Why)
	}
	_, err := c.Shoot(t.Context(), reader(repotest.Files{}), "gone.html")
	var unshown *NoPictureError
	require.ErrorAs(t, err, &unshown)
	require.Equal(t, "there is no such file", unshown.Why)
	_, err = c.Shoot(t.Context(), reader(repotest.Files{"huge.html": strings.Repeat(" ", maxFile+1)}),
		"huge.html?a=1")
	require.ErrorAs(t, err, &unshown)
	require.Equal(t, "its file is larger than 8 MB", unshown.Why)

	// A page sees neither this machine nor a network, and a page without an end is cut.
	picture, _ := shoot(t, c, repotest.Files{
		"a.html": `<body style="margin:0"><img src="http://127.0.0.1:9/x.png">
		<script src="https://cdn.example/x.js"></script>
		<script>for (let i = 0; i < 500; i++) { const d = document.createElement('div'); d.style = 'height: 100000px; width: 9000px; background: rgb(9, 9, 9)'; document.body.append(d); }
		setInterval(() => document.body.append(document.createElement('p')), 1); window.open('a.html'); location.hash = 'x'; onbeforeunload = () => 'stay';
		fetch('file:///etc/passwd').then(() => document.body.style.display = 'none');</script>`,
	}, "a.html")
	require.Equal(t, image.Pt(Width, mostHeight), picture.Bounds().Size())
	require.Equal(t, "090909", colour(picture, 1000, 3000))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Shoot(ctx, reader(repotest.Files{"a.html": "x"}), "a.html")
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&Camera{}).Shoot(t.Context(), reader(nil), "a.html")
	require.ErrorAs(t, err, &unshown)
	require.Equal(t, "there is no sandbox to show a page in", unshown.Why)
	require.False(t, (&Camera{}).HasBrowser(t.Context()))
}
