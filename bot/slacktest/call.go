package slacktest

import (
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A call is one request to the Web API, whatever form its arguments have: query, form, multipart or JSON.
// Arguments that are objects stay JSON text, as in a form.
type call struct {
	id      string
	method  string
	token   string
	args    url.Values
	warning string
	scope   string
	entry   *Request // the call's record in the log
}

const maxBody = 4 << 20

func readCall(r *http.Request) (*call, error) {
	c := &call{method: strings.TrimPrefix(r.URL.Path, "/api/"), args: r.URL.Query(), id: newUUID()}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	err := c.readBody(r)
	c.token = c.args.Get("token")
	c.args.Del("token")
	if bearer, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found {
		c.token = bearer
	}
	return c, err
}

func (c *call) readBody(r *http.Request) error {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		if params["charset"] == "" {
			c.warning = "missing_charset"
		}
		return c.readJSON(r.Body)
	case "multipart/form-data":
		if r.ParseMultipartForm(maxBody) != nil {
			return fail("invalid_form_data")
		}
	default:
		if r.ParseForm() != nil {
			return fail("invalid_form_data")
		}
	}
	for k, v := range r.Form {
		c.args[k] = v
	}
	return nil
}

func (c *call) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return fail("invalid_json")
	}
	if len(raw) == 0 {
		return nil
	}
	if !json.Valid(raw) {
		return fail("invalid_json")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return fail("json_not_object")
	}
	for k, v := range fields {
		var text string
		switch {
		case string(v) == "null":
		case json.Unmarshal(v, &text) == nil:
			c.args.Set(k, text)
		default:
			c.args.Set(k, string(v))
		}
	}
	return nil
}

func (c *call) get(name string) string { return c.args.Get(name) }

// channel returns the channel argument of the call; the methods for sharing a file name it channel_id.
func (c *call) channel() string { return cmp.Or(c.get("channel"), c.get("channel_id")) }

func (c *call) has(name string) bool { return c.args.Has(name) }

// yes reads a flag as loosely as Slack does.
func (c *call) yes(name string) bool {
	v := strings.ToLower(c.get(name))
	return v == "true" || v == "1"
}

// flag returns nil if the argument was not given.
func (c *call) flag(name string) *bool {
	if !c.has(name) {
		return nil
	}
	v := c.yes(name)
	return &v
}

// limit reads the page size, within what the method allows.
func (c *call) limit(byDefault, most int) (int, error) {
	if c.get("limit") == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(c.get("limit"))
	if err != nil || n < 0 {
		return 0, fail("invalid_limit")
	}
	if n == 0 {
		return byDefault, nil
	}
	return min(n, most), nil
}

// page returns one page of a list and the cursor of the next. As with Slack's, a cursor is opaque and only
// valid for the same query.
func page[T any](c *call, list []T, byDefault, most int) (part []T, next string, err error) {
	limit, err := c.limit(byDefault, most)
	if err != nil {
		return nil, "", err
	}
	from, err := readCursor(c.get("cursor"))
	if err != nil || from > len(list) {
		return nil, "", fail("invalid_cursor")
	}
	to := min(from+limit, len(list))
	if to < len(list) {
		next = writeCursor(to)
	}
	return list[from:to], next, nil
}
