package playground

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/film"
)

// maxFilm is the limit of the moving picture in bytes: people load it with the README.
const maxFilm = 500 << 10

// TestPicturesOfTheDocs makes the pictures of docs/pictures, which make pictures puts there: the moving
// picture of the story, and those of a thread, a session's page and its diff.
func TestPicturesOfTheDocs(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BOBBIN_PICTURES")
	if dir == "" {
		t.Skip("nobody asked for pictures") // other tests play the same story, and look at the same pages
	}
	chromium(t)
	p := openPlayground(t, nil)
	b := open(t, p.URL, 1120, 720)
	var frames []film.Frame
	shows := func(shown time.Duration) {
		t.Helper()
		frames = append(frames, film.Frame{Picture: b.picture(), For: shown})
	}
	keeps := func(name string, picture []byte) {
		t.Helper()
		small, err := film.Reduce(picture)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), small, 0o644))
	}
	waits := func(revision int) {
		t.Helper()
		b.sees("!document.querySelector('.at-work')")
		sessions, err := p.Stage.Store.Sessions(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, revision, sessions[0].Revision)
		b.focusOut()
	}
	b.focusOut()
	shows(1500 * time.Millisecond)
	b.takes("the refund of order 1042")
	b.reads("#pane .at-work", "at work")
	b.focusOut()
	shows(1500 * time.Millisecond)
	b.reads("#pane button.primary", "Fix it")
	waits(1)
	shows(4 * time.Second)
	b.takes("percent")
	b.reads("#pane .at-work", "at work")
	b.focusOut()
	shows(1500 * time.Millisecond)
	b.reads("#pane .story .first", "Bea may approve")
	waits(2)
	shows(4 * time.Second)
	b.resize(1280, 860)
	b.atTheEnd("#pane")
	keeps("playground.png", b.picture())
	b.resize(1120, 720)
	b.takes("Fix it")
	b.reads("#pane .at-work", "at work")
	shows(1500 * time.Millisecond)
	b.reads("#pane .pushed", "git clone")
	waits(2)
	b.sees(`(() => {
		const result = [...document.querySelectorAll('#pane .message')].findLast((m) =>
			m.innerText.includes('Fixed and pushed'));
		result?.scrollIntoView({ block: 'start' });
		return !!result;
	})()`)
	shows(6 * time.Second)
	moving, err := film.Join(frames)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "story.png"), moving, 0o644))

	page := b.again(b.linkToPage())
	page.reads("#diff .file", "split.go")
	keeps("session.png", page.picture())
	page.prefers("dark")
	page.sees("(document.querySelector('#diff').scrollIntoView(), scrollY > 0)")
	keeps("diff.png", page.picture())
}

// picture returns a screenshot.
func (t *tab) picture() []byte {
	t.t.Helper()
	picture, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	require.NoError(t.t, err)
	return picture
}

// TestTheMovingPicturePlays checks the picture that is kept: its size, and that a browser finds all its
// frames.
func TestTheMovingPicturePlays(t *testing.T) {
	t.Parallel()
	folder := os.DirFS(filepath.FromSlash("../../../../docs/pictures"))
	info, err := fs.Stat(folder, "story.png")
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxFilm))
	chromium(t)
	mux := http.NewServeMux()
	mux.Handle("GET /story.png", http.FileServerFS(folder))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html class="alive"><body style="margin:0"><canvas></canvas>`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := open(t, server.URL, 1120, 720)
	last, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]int](`(async () => {
		const data = await (await fetch('/story.png')).arrayBuffer();
		const film = new ImageDecoder({ data, type: 'image/png' });
		await film.tracks.ready;
		await film.completed;
		const { frameCount } = film.tracks.selectedTrack;
		const { image } = await film.decode({ frameIndex: frameCount - 1 });
		const canvas = document.querySelector('canvas');
		canvas.width = image.displayWidth, canvas.height = image.displayHeight;
		canvas.getContext('2d').drawImage(image, 0, 0);
		return [frameCount, image.displayWidth, image.duration];
	})()`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	require.Equal(t, []int{7, 1120, 6_000_000}, last)
	b.shoot("story-last")
}
