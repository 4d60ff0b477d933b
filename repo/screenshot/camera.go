package screenshot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/url"
	"os"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

const (
	// Width is the width of pictures in pixels.
	Width = 1280
	// mostHeight is how many pixels of a long page are shown.
	mostHeight = 4000
	viewHeight = 800

	computing = 20 * time.Second // processor time of each browser process
	patience  = 5 * time.Minute  // the timeout of one picture, however busy the machine is
	budget    = 3000             // milliseconds of virtual time for a page
	began     = 1_700_000_000    // the start of the page's clock, in Unix seconds
	memory    = 1 << 30
)

// A NoPictureError is the reason why there is no picture, in words that continue "there is no picture: ".
type NoPictureError struct{ Why string }

func (n *NoPictureError) Error() string { return "no picture: " + n.Why }

// A Camera takes pictures. Set its fields before the first call.
type Camera struct {
	Sandbox *sandbox.Sandbox // nil: no pictures are taken
	// Processor is the processor time that a page may use, in whole seconds; default 20 s. On a busy
	// machine a page takes longer but shows the same.
	Processor time.Duration
}

// Shoot returns the picture of a page as PNG. page is the path of a file, with an optional query for the
// page to read. read returns the files of the tree, or fs.ErrNotExist.
func (c *Camera) Shoot(
	ctx context.Context, read func(path string) ([]byte, error), page string,
) ([]byte, error) {
	if c.Sandbox == nil || c.Sandbox.Kind() == sandbox.KindNone {
		return nil, &NoPictureError{"there is no sandbox to show a page in"}
	}
	wanted := site{read: read, page: page}
	if err := wanted.check(); err != nil {
		return nil, err
	}
	empty, err := emptyFolder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(empty)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	picture, err := c.shootIn(limited, empty, wanted)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return nil,
			&NoPictureError{fmt.Sprintf("it did not settle within %.0f minutes", patience.Minutes())}
	}
	return picture, err
}

// HasBrowser reports whether there is a browser in the sandbox.
func (c *Camera) HasBrowser(ctx context.Context) bool {
	if c.Sandbox == nil || c.Sandbox.Kind() == sandbox.KindNone {
		return false
	}
	empty, err := emptyFolder()
	if err != nil {
		return false
	}
	defer os.RemoveAll(empty)
	return c.Sandbox.Command(empty, "/bin/sh", "-c", find+"\texit 0\ndone\nexit 1").Run(ctx) == nil
}

// emptyFolder makes an empty folder that the user of sandboxed commands may enter.
func emptyFolder() (string, error) {
	dir, err := os.MkdirTemp("", "bobbin-page-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755) //nolint:gosec // nothing is in it
}

// shootIn runs the browser for one picture.
func (c *Camera) shootIn(ctx context.Context, empty string, s site) ([]byte, error) {
	most := cmp.Or(c.Processor, computing)
	orders, write := io.Pipe()
	answers, told := io.Pipe()
	command := c.Sandbox.Command(empty, "/bin/sh", "-c",
		fmt.Sprintf("ulimit -t %.0f\n", most.Seconds())+start)
	command.ReadOnly = true
	command.Stdin = orders
	command.Stdout = told
	command.Limits = sandbox.Limits{Memory: memory, Output: 64 << 20, Time: 2 * patience}
	running, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := command.Run(running)
		for _, p := range []interface{ CloseWithError(error) error }{orders, told} {
			p.CloseWithError(io.EOF) //nolint:errcheck // it returns none
		}
		ended <- err
	}()
	b := newBrowser(write, answers, s)
	picture, err := b.shoot()
	end()
	write.Close()
	answers.Close()
	how := <-ended
	switch {
	case err == nil:
		return picture, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	var unshown *NoPictureError
	if errors.As(err, &unshown) {
		return nil, unshown
	}
	if err = whyEnded(how, err); errors.Is(err, errComputing) {
		return nil, &NoPictureError{
			fmt.Sprintf("it did not settle within %.0f seconds of computing time", most.Seconds()),
		}
	}
	return nil, err
}

// noBrowser is the exit code of start if there is no browser.
const noBrowser = 117

// find searches for the browser. The headless shell, which is Chromium without windows, starts in a third of
// the processor time. Debian's own start script is not used: it needs files of /etc that the sandbox does not
// have.
const find = `for b in /usr/lib/chromium/chromium-headless-shell chrome-headless-shell \
	/usr/lib/chromium/chromium chromium-headless-shell chromium chromium-browser google-chrome; do
	b=$(command -v "$b") || continue
`

// start executes the browser, with its control pipe on standard input and output.
var start = find + fmt.Sprintf(
	`	exec "$b" --headless --no-sandbox --no-first-run --no-zygote \
		--disable-gpu --disable-dev-shm-usage --disable-extensions --disable-background-networking \
		--disable-component-update --disable-sync --disable-crash-reporter \
		--mute-audio --hide-scrollbars --force-device-scale-factor=1 --window-size=%d,%d \
		--user-data-dir=/tmp/profile --remote-debugging-pipe about:blank \
		3<&0 4>&1 </dev/null >/dev/null 2>&1
done
exit %d`, Width, viewHeight, noBrowser)

// whyEnded returns why the browser ended before there was a picture.
func whyEnded(how, err error) error {
	var exit *sandbox.ExitError
	if !errors.As(how, &exit) || errors.Is(err, errComputing) && exit.Reason != "memory" {
		return errors.Join(err, how)
	}
	switch {
	case exit.Code == noBrowser:
		return &NoPictureError{NoBrowser}
	case exit.Reason == "memory":
		return &NoPictureError{"it needs more than 1 GB of memory"}
	case exit.Reason == "output":
		return &NoPictureError{"it is too much to show"}
	}
	return &NoPictureError{"Chromium ended at it, with " + exit.Error()}
}

// The reasons of a NoPictureError if there is no browser or no such page.
const (
	NoBrowser = "there is no Chromium in the sandbox"
	NoPage    = "there is no such file"
)

// shoot controls the browser until it has the picture.
func (b *browser) shoot() ([]byte, error) {
	var target struct{ TargetID, SessionID string }
	if err := b.call("Target.setDiscoverTargets", object{"discover": true}, nil); err != nil {
		return nil, err
	}
	if err := b.call("Target.createTarget", object{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	if err := b.call("Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true},
		&target); err != nil {
		return nil, err
	}
	b.session = target.SessionID
	for _, step := range []struct {
		method string
		params object
	}{
		{"Page.enable", nil},
		{"Fetch.enable", object{"patterns": []object{{"urlPattern": "*"}}}},
		{
			"Emulation.setDeviceMetricsOverride",
			object{"width": Width, "height": viewHeight, "deviceScaleFactor": 1, "mobile": false},
		},
		{
			"Emulation.setEmulatedMedia",
			object{"features": []object{
				{"name": "prefers-reduced-motion", "value": "reduce"},
				{"name": "prefers-color-scheme", "value": "light"},
			}},
		},
		{"Page.navigate", object{"url": b.site.address()}},
		{
			"Emulation.setVirtualTimePolicy",
			object{
				"policy":                            "pauseIfNetworkFetchesPending",
				"budget":                            budget,
				"maxVirtualTimeTaskStarvationCount": 1000,
				"initialVirtualTime":                began,
			},
		},
	} {
		if err := b.call(step.method, step.params, nil); err != nil {
			return nil, err
		}
	}
	if err := b.await("Emulation.virtualTimeBudgetExpired"); err != nil {
		return nil, err
	}
	var size struct {
		CSSContentSize struct{ Height float64 }
	}
	if err := b.call("Page.getLayoutMetrics", nil, &size); err != nil {
		return nil, err
	}
	height := min(max(math.Ceil(size.CSSContentSize.Height), 1), mostHeight)
	var shot struct{ Data string }
	err := b.call("Page.captureScreenshot", object{
		"format":                "png",
		"captureBeyondViewport": true,
		"clip":                  object{"x": 0, "y": 0, "width": Width, "height": height, "scale": 1},
	}, &shot)
	if err != nil {
		return nil, err
	}
	return readPicture(shot.Data)
}

// readPicture decodes a picture, and fails if it is no PNG or larger than requested.
func readPicture(data string) ([]byte, error) {
	picture, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, &NoPictureError{"Chromium gave no picture"}
	}
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || size.Width > Width || size.Height > mostHeight {
		return nil, &NoPictureError{"Chromium gave no picture"}
	}
	return picture, nil
}

type object = map[string]any

// host is the host name of the repository's files in the browser. It is never resolved.
const host = "pages.invalid"

func (s site) address() string {
	path, query := splitQuery(s.page)
	u := url.URL{Scheme: "http", Host: host, Path: "/" + path, RawQuery: query}
	return u.String()
}

// unmarshal decodes a browser's message. It does nothing if text is empty or into is nil.
func unmarshal(text json.RawMessage, into any) error {
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}
