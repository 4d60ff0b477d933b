package screenshot

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxMessage is the most bytes of one message of the browser; a picture is one message.
const maxMessage = 32 << 20

// A browser is a Chromium that is controlled over a pipe: JSON, with a zero byte after each message.
// https://chromedevtools.github.io/devtools-protocol/
type browser struct {
	orders   io.Writer
	received chan message
	err      error // set before received is closed
	last     int
	session  string // the page's session; empty: the browser itself
	site     site
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func newBrowser(orders io.Writer, answers io.Reader, s site) *browser {
	b := &browser{orders: orders, received: make(chan message, 1024), site: s}
	go func() {
		defer close(b.received)
		b.err = b.listen(answers)
	}()
	return b
}

// listen reads the browser's messages until the browser ends.
func (b *browser) listen(answers io.Reader) error {
	lines := bufio.NewScanner(answers)
	lines.Buffer(nil, maxMessage)
	lines.Split(func(data []byte, atEnd bool) (int, []byte, error) {
		for i, c := range data {
			if c == 0 {
				return i + 1, data[:i], nil
			}
		}
		if atEnd {
			return len(data), nil, nil
		}
		return 0, nil, nil
	})
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			b.received <- m
		}
	}
	return lines.Err()
}

func (b *browser) send(method string, params object) error {
	b.last++
	order := object{"id": b.last, "method": method, "params": params}
	if params == nil {
		order["params"] = object{}
	}
	if b.session != "" {
		order["sessionId"] = b.session
	}
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	_, err = b.orders.Write(append(text, 0))
	return err
}

// call sends a command and waits for its response. Meanwhile it answers the page's requests.
func (b *browser) call(method string, params object, answer any) error {
	if err := b.send(method, params); err != nil {
		return err
	}
	id := b.last
	m, err := b.until(func(m message) bool { return m.ID == id })
	switch {
	case err != nil:
		return err
	case m.Error != nil:
		return &NoPictureError{"Chromium says: " + m.Error.Message}
	}
	return unmarshal(m.Result, answer)
}

// await waits for an event.
func (b *browser) await(event string) error {
	_, err := b.until(func(m message) bool { return m.Method == event })
	return err
}

var (
	errEnded     = errors.New("the browser ended")
	errComputing = errors.New("the page computed for longer than it may") // the kernel killed its process
)

func (b *browser) until(wanted func(message) bool) (message, error) {
	for m := range b.received {
		if err := b.attend(m); err != nil {
			return m, err
		}
		if wanted(m) {
			return m, nil
		}
	}
	if b.err != nil {
		return message{}, b.err
	}
	return message{}, errEnded
}

// attend answers a request of the page, and closes its dialogs.
func (b *browser) attend(m message) error {
	switch m.Method {
	case "Page.javascriptDialogOpening":
		return b.send("Page.handleJavaScriptDialog", object{"accept": false})
	case "Target.targetCrashed":
		var how struct{ Status string }
		if err := unmarshal(m.Params, &how); err != nil {
			return err
		}
		if how.Status == "killed" {
			return errComputing
		}
		return &NoPictureError{"it crashes the browser"}
	case "Fetch.requestPaused":
	default:
		return nil
	}
	var asked struct {
		RequestID string `json:"requestId"`
		Request   struct {
			URL string `json:"url"`
		} `json:"request"`
	}
	if err := unmarshal(m.Params, &asked); err != nil {
		return err
	}
	content, kind, status := b.site.answer(asked.Request.URL)
	if status == http.StatusForbidden {
		return b.send("Fetch.failRequest", object{
			"requestId":   asked.RequestID,
			"errorReason": "BlockedByClient",
		})
	}
	return b.send("Fetch.fulfillRequest", object{
		"requestId":       asked.RequestID,
		"responseCode":    status,
		"body":            base64.StdEncoding.EncodeToString(content),
		"responseHeaders": []object{{"name": "Content-Type", "value": kind}},
	})
}
