package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// harBegins matches the beginning of a HAR file (http://www.softwareishard.com/blog/har-12-spec/).
var harBegins = regexp.MustCompile(`^(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:\s*\{`)

// isHAR reports whether a file is a HAR file by its name or its content.
func isHAR(name string, head []byte) bool {
	return strings.HasSuffix(strings.ToLower(name), ".har") ||
		harBegins.Match(head) && strings.Contains(string(head), `"creator"`)
}

// A harEntry is one request. Cookies and most headers are not even read: they sign people in.
type harEntry struct {
	Started string  `json:"startedDateTime"`
	Time    float64 `json:"time"` // milliseconds
	Request struct {
		Method string  `json:"method"`
		URL    string  `json:"url"`
		Post   harBody `json:"postData"`
	} `json:"request"`
	Response struct {
		Status     int         `json:"status"`
		StatusText string      `json:"statusText"`
		Headers    []harHeader `json:"headers"`
		Content    harBody     `json:"content"`
		Error      string      `json:"_error"`
	} `json:"response"`
}

type harHeader struct{ Name, Value string }

type harBody struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
}

func (e harEntry) failed() bool { return e.Response.Status == 0 || e.Response.Status >= 400 }

const (
	maxURL       = 500  // characters of an address
	maxHARBody   = 2000 // bytes of a failed request's body, and of its answer's
	maxHARFailed = 200  // failed requests that are shown with their bodies
)

// shownHeaders are the headers of an answer that are shown.
var shownHeaders = []string{
	"content-type", "retry-after", "x-request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid",
	"cf-ray",
}

// readHAR writes the requests of a HAR file: the failed ones first, with their bodies, then all in their
// order.
func (r *reader) readHAR(f File) (string, error) {
	var failed, all []string
	count, failures := 0, 0
	err := r.eachEntry(f, func(e harEntry) {
		count++
		line := e.line()
		if e.failed() {
			failures++
			if len(failed) < maxHARFailed {
				failed = append(failed, line+e.details())
			}
		}
		if len(all) < r.limits.Requests {
			all = append(all, line)
		}
	})
	what := fmt.Sprintf("a HAR file with %s, %d of them failed, read without cookies and logins",
		plaintext.CountNoun(count, "request"), failures)
	if count == 0 {
		if err == nil {
			err = refusal("it is a HAR file without requests")
		}
		return what, err
	}
	if more := count - len(all); more > 0 {
		r.left = append(r.left, plaintext.CountNoun(more, "request"))
	}
	var text strings.Builder
	if len(failed) > 0 {
		text.WriteString("Failed requests:\n" + strings.Join(failed, "\n") + "\n\n")
	}
	text.WriteString("All requests in their order:\n" + strings.Join(all, "\n") + "\n")
	if _, err := r.out.Write(cleanText([]byte(text.String()))); err != nil {
		return what, err
	}
	return what, err
}

// eachEntry calls each with every request of a HAR file. It holds one of them in memory.
func (r *reader) eachEntry(f File, each func(harEntry)) error {
	src := &entryReader{src: f.stream(), most: r.limits.Part}
	d := json.NewDecoder(src)
	if err := enterEntries(d); err != nil {
		return harError(err)
	}
	for d.More() {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		src.read = 0
		var e harEntry
		err := d.Decode(&e)
		var kind *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &kind) { // of a value of an unexpected type the rest is known
			return harError(err)
		}
		each(e)
	}
	if _, err := d.Token(); err != nil {
		return harError(err)
	}
	return nil
}

// enterEntries reads up to the beginning of log.entries.
func enterEntries(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		case "entries":
			if depth == 2 {
				begin, err := d.Token()
				if err == nil && begin != json.Delim('[') {
					err = errors.New("entries is no list")
				}
				return err
			}
		}
		if depth > 20 {
			return errors.New("it is nested too deep")
		}
	}
}

// harError returns why a HAR file is not read further.
func harError(err error) error {
	var refused refusal
	if errors.As(err, &refused) {
		return refused
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refusal("it is a HAR file that ends too early")
	}
	return brokenError(err)
}

// An entryReader limits how much is read until its count is set back.
type entryReader struct {
	src        io.Reader
	read, most int64
}

func (e *entryReader) Read(p []byte) (int, error) {
	if e.read > e.most {
		return 0, refusal("a request in it is larger than " + plaintext.FormatSize(e.most))
	}
	n, err := e.src.Read(p[:min(len(p), 1<<20)])
	e.read += int64(n)
	return n, err
}

// line returns a request as one line.
func (e harEntry) line() string {
	status := fmt.Sprint(e.Response.Status)
	if e.Response.Status == 0 {
		status = "no answer"
	}
	if e.Response.Error != "" {
		status += " (" + e.Response.Error + ")"
	}
	return plaintext.OneLine(fmt.Sprintf("%s %s %s %s %.0f ms", e.Started, e.Request.Method,
		publicURL(e.Request.URL), status, e.Time))
}

// details returns the lines about a request that failed.
func (e harEntry) details() (text string) {
	for _, h := range e.Response.Headers {
		if slices.Contains(shownHeaders, strings.ToLower(h.Name)) {
			text += "\n    " + plaintext.OneLine(h.Name+": "+plaintext.CutBytes(h.Value, 200))
		}
	}
	for _, part := range []struct {
		name string
		body harBody
	}{{"sent", e.Request.Post}, {"answer", e.Response.Content}} {
		if body := part.body.public(); body != "" {
			text += "\n    " + part.name + ": " + strings.ReplaceAll(body, "\n", "\n      ")
		}
	}
	return text
}

// secretField matches the names of fields and parameters whose values are left out.
var secretField = regexp.MustCompile(`(?i)token|secret|passw|passphrase|pwd|api[_-]?key|auth|signature|` +
	`session|jwt|credential|cookie|csrf|xsrf|saml|card|iban|^code$|` +
	`(?:^|[_-])(?:key|sig|sid|otp|pin|cvc|cvv)$`)

const leftOut = "[left out]"

// publicURL returns an address without what may sign somebody in.
func publicURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		address, _, _ = strings.Cut(address, "?")
		return plaintext.CutCounted(address, maxURL)
	}
	if u.Opaque != "" || u.Scheme == "data" {
		return u.Scheme + ":" + leftOut
	}
	u.User = nil
	u.Fragment = ""
	u.RawFragment = ""
	u.RawQuery = publicQuery(u.RawQuery)
	return plaintext.CutCounted(u.String(), maxURL)
}

// publicQuery returns the parameters of an address or a form without secrets.
func publicQuery(query string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, has := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if has && (err != nil || secretField.MatchString(plain) || len(value) > 200) {
			pair = name + "=" + leftOut
		}
		kept = append(kept, pair)
	}
	return strings.Join(kept, "&")
}

// public returns a body without the values of fields that may be secret, or an empty string if it is of a
// kind in which they cannot be told.
func (b harBody) public() string {
	text := strings.TrimSpace(b.Text)
	kind, _, _ := strings.Cut(b.MimeType, ";")
	var value any
	switch {
	case text == "" || b.Encoding != "":
		return ""
	case json.Unmarshal([]byte(text), &value) == nil:
		plain, err := json.Marshal(withoutSecrets(value))
		if err != nil {
			return ""
		}
		text = string(plain)
	case kind == "application/x-www-form-urlencoded":
		text = publicQuery(text)
	case kind != "text/plain" && kind != "text/html" && kind != "application/problem+xml":
		return ""
	}
	return plaintext.CutBytes(text, maxHARBody)
}

// withoutSecrets returns a JSON value without the values of fields that may be secret.
func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if secretField.MatchString(name) {
				v[name] = leftOut
				continue
			}
			v[name] = withoutSecrets(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutSecrets(inner)
		}
	}
	return value
}
