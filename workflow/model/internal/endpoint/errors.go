package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Kind says what a failed request means for the caller.
type Kind string

// The kinds of failure.
const (
	KindQuota Kind = "quota" // no credit, no allowance, or rate limits that did not end
	// a wrong key or address, or a login page in between: an operator has to act
	KindAuth     Kind = "auth"
	KindOverflow Kind = "overflow" // the conversation is longer than the model's window
	// the endpoint does not accept this request, however often it is sent
	KindRefused     Kind = "refused"
	KindUnreachable Kind = "unreachable" // network trouble or a failing endpoint, after all tries
	KindBadAnswer   Kind = "bad_answer"  // answers that were cut, stalled or not valid, after all tries
)

// An Error says why a request got no answer.
type Error struct {
	Kind   Kind
	Status int    // HTTP status; 0: there was none
	Model  string // the model that was asked last
	Text   string // what happened, in the endpoint's words if it sent any
	Hint   string // what to do about it
	Window int    // of KindOverflow: the model's window in tokens, if the endpoint reports it

	Retry bool          // the next try may succeed
	After time.Duration // the wait that the endpoint asked for

	cause error
}

// Error returns the error as one line for people.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s: %s", e.Model, e.Text)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// Unwrap returns the underlying error, or nil if there is none or its text held the key.
func (e *Error) Unwrap() error { return e.cause }

// Words by which endpoints describe an error; the HTTP status alone says too little.
var (
	quotaWords = regexp.MustCompile(`(?i)insufficient[_ ](quota|credit|balance|funds)|exceeded your ` +
		`current quota|billing|credit(s)? (balance|limit|exhausted)|(more|out of) ` +
		`credits|payment required|spend(ing)? limit|usage limit|daily limit|per[- ]day|monthly`)
	overflowWords = regexp.MustCompile(
		`(?i)context[_ ]length[_ ]exceeded|context[_ ](length|window|size)|maximum context|prompt is too ` +
			`long|input is too long|exceed_context_size|too many (input )?tokens|input token count|reduce ` +
			`the length|longer than the (maximum )?model|context limit|request too large`)
	webPage = regexp.MustCompile(`(?i)^\s*<(!doctype|html|head|body)`)
	keyLike = regexp.MustCompile(`\b((sk|rk|pk)[-_]|Bearer )[A-Za-z0-9_*.\-]{8,}`)
)

const (
	hintAuth    = "check OPENAI_API_KEY and that the key may use this model"
	hintAddress = "check OPENAI_BASE_URL: it usually ends in /v1, " +
		"and no login page or proxy may stand before it"
	hintQuota = "raise the allowance at the endpoint, or configure a fallback model"

	hintOverflow = "the conversation has to be shortened"
)

// tooLarge matches one request above the tokens of a minute, which fails however long one waits.
var tooLarge = regexp.MustCompile(`(?i)request too large`)

// Gemini says in words how long a rate limit lasts, and calls it a quota like one that is used up. It names a
// short wait for the quota of a day, too, and for a model that is not offered at all, whose limit is 0.
var (
	waitWords = regexp.MustCompile(`(?i)retry ?(?:in|delay)\W+((?:[\d.]+(?:h|ms|m|s))+)`)
	notSoon   = regexp.MustCompile(`(?i)per[-_ ]?(day|month)|monthly|limit: 0\b`)
)

// waitIn returns how long the text of a rate limit asks to wait, or 0.
func waitIn(body []byte) time.Duration {
	m := waitWords.FindSubmatch(body)
	if m == nil || notSoon.Match(body) {
		return 0
	}
	wait, err := time.ParseDuration(string(m[1]))
	if err != nil {
		return 0
	}
	return seconds(wait.Seconds())
}

// windowWords matches the places where endpoints say how many tokens a model reads.
var windowWords = regexp.MustCompile(`(?i)(?:maximum (?:context|model) length (?:is|of) ` +
	`|context size \(|tokens allowed \(|exceed context limit: [\d+ ]+> |tokens > |limit:? )([\d,]+)`)

// minWindow is less than any model reads: a smaller number in an endpoint's text means something else.
const minWindow = 1000

// windowIn returns how many tokens a model reads, if its endpoint's text says so, or 0.
func windowIn(text string) int {
	m := windowWords.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil || n < minWindow {
		return 0
	}
	return n
}

// endpointError returns the Error for an HTTP response that is a failure.
func endpointError(status int, header http.Header, body []byte) *Error {
	text, code := endpointWords(body)
	page := webPage.Match(body)
	if page {
		text = "" // markup tells people nothing
	}
	e := &Error{Status: status, Text: text, After: retryAfter(header, time.Now())}
	if e.Text == "" {
		e.Text = strings.ToLower(http.StatusText(status))
	}
	all := code + " " + text
	switch {
	case status >= 500 && page:
		e.Kind = KindUnreachable
		e.Retry = true
		e.Text = "the endpoint's gateway answered with an error page"
	case page && status != 413 && status != 429:
		// these two say enough, also if a proxy before the endpoint sends them
		e.Kind = KindAuth
		e.Text = "the endpoint answered with a web page instead of JSON"
		e.Hint = hintAddress
	case status == 401 || status == 403:
		e.Kind = KindAuth
		e.Hint = hintAuth
	case status == 413 || status == 429 && tooLarge.MatchString(all):
		e.Kind = KindOverflow
		e.Hint = hintOverflow
		e.Window = windowIn(text)
	case status == 429 && waitIn(body) > 0:
		e.Kind = KindQuota
		e.Retry = true
		e.Hint = hintQuota
		e.After = waitIn(body)
	case status == 402 || status == 429 && quotaWords.MatchString(all):
		e.Kind = KindQuota
		e.Hint = hintQuota
	case status == 429:
		e.Kind = KindQuota
		e.Retry = true
		e.Hint = hintQuota
	case status >= 400 && overflowWords.MatchString(all):
		e.Kind = KindOverflow
		e.Hint = hintOverflow
		e.Window = windowIn(text)
	case status == 408 || status == 409 || status == 425 || status >= 500:
		e.Kind = KindUnreachable
		e.Retry = true
	case status >= 300 && status < 400:
		e.Kind = KindRefused
		e.Text = "the endpoint redirects to " + header.Get("Location")
		e.Hint = hintAddress
	case status == 404:
		e.Kind = KindRefused
		e.Hint = "check the model's name and OPENAI_BASE_URL"
	default:
		e.Kind = KindRefused
	}
	return e
}

// streamedError returns the Error for an error inside a response whose status was 200.
func streamedError(raw json.RawMessage) *Error {
	body, _ := json.Marshal(map[string]json.RawMessage{"error": raw})
	_, code := endpointWords(body)
	status := 0
	_, _ = fmt.Sscanf(code, "%d", &status)
	if status < 400 || status > 599 {
		status = 500 // it had begun to answer: a temporary failure, unless its words say otherwise
		if text, _ := endpointWords(body); quotaWords.MatchString(code + text) {
			status = 429
		} else if overflowWords.MatchString(code + text) {
			status = 400
		}
	}
	e := endpointError(status, nil, body)
	e.Status = http.StatusOK
	if e.Kind == KindUnreachable {
		e.Kind = KindBadAnswer
	}
	return e
}

// endpointWords returns the message and the codes of an error body, which has many forms.
func endpointWords(body []byte) (text, code string) {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Object  string          `json:"object"`
		Type    string          `json:"type"`
		Code    any             `json:"code"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return oneLine(string(body)), ""
	}
	var inner struct {
		Message any `json:"message"`
		Type    any `json:"type"`
		Code    any `json:"code"`
	}
	var plain string
	switch {
	case json.Unmarshal(shape.Error, &plain) == nil:
		return oneLine(plain), words(shape.Code, shape.Type)
	case json.Unmarshal(shape.Error, &inner) == nil && inner.Message != nil:
		return oneLine(fmt.Sprint(inner.Message)), words(inner.Code, inner.Type)
	case shape.Message != "":
		return oneLine(shape.Message), words(shape.Code, shape.Type)
	case len(shape.Detail) > 0:
		return oneLine(string(shape.Detail)), ""
	}
	return oneLine(string(body)), words(shape.Code, shape.Type)
}

func words(values ...any) string {
	var out []string
	for _, v := range values {
		if v != nil && v != "" {
			out = append(out, fmt.Sprint(v))
		}
	}
	return strings.Join(out, " ")
}

// oneLine returns an endpoint's words as a line for people.
func oneLine(s string) string { return plaintext.SafeLine(s, 300) }

// hide masks the key in a text, and whatever else looks like a key.
func hide(text, key string) string {
	if len(key) >= 4 {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return keyLike.ReplaceAllString(text, "[key]")
}
