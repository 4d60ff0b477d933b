package door

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhoGetsIn(t *testing.T) {
	t.Parallel()
	d := Door{Name: "page", Key: "secret"}
	inside := d.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	const cookie = "bobbin_page=secret"
	for what, c := range map[string]struct {
		method, target, host string
		headers              map[string]string
		status               int
	}{
		"with the cookie":              {"GET", "/ann/bugs", "127.0.0.1:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot},
		"by name":                      {"GET", "/ann/bugs", "localhost:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot},
		"over IPv6":                    {"GET", "/ann/bugs", "[::1]:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot},
		"without it":                   {"GET", "/ann/bugs", "127.0.0.1:8080", nil, http.StatusForbidden},
		"with another":                 {"GET", "/ann/bugs", "127.0.0.1:8080", map[string]string{"Cookie": "bobbin_page=guess"}, http.StatusForbidden},
		"under a name that leads here": {"GET", "/ann/bugs", "evil.example:8080", map[string]string{"Cookie": cookie}, http.StatusForbidden},
		"with the key":                 {"GET", "/?key=secret", "127.0.0.1:8080", nil, http.StatusSeeOther},
		"with another key":             {"GET", "/?key=guess", "127.0.0.1:8080", map[string]string{"Cookie": cookie}, http.StatusForbidden},
		"the key by another name":      {"GET", "/?key=secret", "evil.example", nil, http.StatusForbidden},
		"a deed of the page":           {"POST", "/-/say", "127.0.0.1:8080", map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:8080"}, http.StatusTeapot},
		"a deed of another page":       {"POST", "/-/say", "127.0.0.1:8080", map[string]string{"Cookie": cookie, "Origin": "http://evil.example"}, http.StatusForbidden},
		"a deed of another port":       {"POST", "/-/say", "127.0.0.1:8080", map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:9090"}, http.StatusForbidden},
		"a deed from another site":     {"POST", "/-/say", "127.0.0.1:8080", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"a deed with the key alone":    {"POST", "/-/say?key=secret", "127.0.0.1:8080", nil, http.StatusForbidden},
	} {
		r := httptest.NewRequest(c.method, "http://"+c.host+c.target, nil)
		for k, v := range c.headers {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		inside.ServeHTTP(w, r)
		require.Equal(t, c.status, w.Code, what)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'", what)
		require.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe", what)
		if c.status == http.StatusSeeOther {
			require.Equal(t, "/", w.Header().Get("Location"), "the key is out of the address")
			set := w.Header().Get("Set-Cookie")
			require.True(t, strings.HasPrefix(set, cookie+";") && strings.Contains(set, "HttpOnly") && strings.Contains(set, "SameSite=Strict"), set)
		} else {
			require.Empty(t, w.Header().Get("Set-Cookie"), what)
		}
	}
}
