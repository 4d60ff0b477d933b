package metrics

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Transport returns a RoundTripper that sends requests through next and
// counts them for the named service. On a nil *Metrics it returns next.
func (m *Metrics) Transport(service string, next http.RoundTripper) http.RoundTripper {
	if m == nil {
		return next
	}
	return transport{metrics: m, service: service, next: next}
}

type transport struct {
	metrics *Metrics
	service string
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := t.next.RoundTrip(r)
	status := "error"
	switch {
	case err == nil:
		status = strconv.Itoa(response.StatusCode)
	case errors.Is(err, context.Canceled):
		status = "cancelled"
	}
	t.metrics.requests.WithLabelValues(t.service, MethodOf(r), status).Observe(time.Since(began).Seconds())
	return response, err
}

// MethodOf returns the method of Slack's Web API (chat.postMessage) or the
// last part of a model endpoint's path (completions) that r calls. For every
// other path it returns "other", since URLs of files have ids in them.
func MethodOf(r *http.Request) string {
	dir, name := path.Split(r.URL.Path)
	switch {
	case strings.HasSuffix(dir, "/api/") && isMethod(name):
		return name
	case name == "completions" || name == "responses" || name == "models":
		return name
	}
	return "other"
}

// isMethod reports whether name has the form of a Web API method: words separated by dots.
func isMethod(name string) bool {
	plain := strings.IndexFunc(name,
		func(c rune) bool { return c != '.' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }) < 0
	return plain && strings.Contains(name, ".") && len(name) < 50
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}
