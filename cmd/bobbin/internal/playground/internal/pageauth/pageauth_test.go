package pageauth

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhoGetsIn(t *testing.T) {
	t.Parallel()
	d := KeyAuth{Name: "page", Key: "secret"}
	inside := d.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	const cookie = "bobbin_page_8080=secret"
	for what, c := range map[string]struct {
		method, target, host string
		headers              map[string]string
		status               int
	}{
		"with the cookie": {
			"GET", "/ann/bugs", "127.0.0.1:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot,
		},
		"by name": {
			"GET", "/ann/bugs", "localhost:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot,
		},
		"over IPv6": {
			"GET", "/ann/bugs", "[::1]:8080", map[string]string{"Cookie": cookie}, http.StatusTeapot,
		},
		"without it": {"GET", "/ann/bugs", "127.0.0.1:8080", nil, http.StatusForbidden},
		"with another": {
			"GET", "/ann/bugs", "127.0.0.1:8080",
			map[string]string{"Cookie": "bobbin_page_8080=guess"},
			http.StatusForbidden,
		},
		"under a name that leads here": {
			"GET", "/ann/bugs", "evil.example:8080",
			map[string]string{"Cookie": cookie},
			http.StatusForbidden,
		},
		"with the key": {"GET", "/?key=secret", "127.0.0.1:8080", nil, http.StatusSeeOther},
		"with another key": {
			"GET", "/?key=guess", "127.0.0.1:8080", map[string]string{"Cookie": cookie}, http.StatusForbidden,
		},
		"the key by another name": {"GET", "/?key=secret", "evil.example", nil, http.StatusForbidden},
		"a deed of the page": {
			"POST", "/-/say", "127.0.0.1:8080",
			map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:8080"},
			http.StatusTeapot,
		},
		"a deed of another page": {
			"POST", "/-/say", "127.0.0.1:8080",
			map[string]string{"Cookie": cookie, "Origin": "http://evil.example"},
			http.StatusForbidden,
		},
		"a deed of another port": {
			"POST", "/-/say", "127.0.0.1:8080",
			map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:9090"},
			http.StatusForbidden,
		},
		"a deed from another site": {
			"POST", "/-/say", "127.0.0.1:8080",
			map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"},
			http.StatusForbidden,
		},
		"a deed with the key alone": {
			"POST", "/-/say?key=secret", "127.0.0.1:8080", nil, http.StatusForbidden,
		},
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
			require.True(t, strings.HasPrefix(set, cookie+";") && strings.Contains(set, "HttpOnly") &&
				strings.Contains(set, "SameSite=Strict"), set)
		} else {
			require.Empty(t, w.Header().Get("Set-Cookie"), what)
		}
	}
}

// TestTwoPagesInOneBrowser checks that a browser can have two pages of this machine open: it sends the
// cookies of a host to all of its ports.
func TestTwoPagesInOneBrowser(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := http.Client{Jar: jar}
	get := func(address string) int {
		answer, err := browser.Get(address)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	open := func(key string) string {
		inside := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
		})
		server := httptest.NewServer(KeyAuth{Name: "page", Key: key}.Guard(inside))
		t.Cleanup(server.Close)
		require.Equal(t, http.StatusTeapot, get(server.URL+"/?key="+key))
		return server.URL
	}
	first := open("one")
	second := open("two")
	require.Equal(t, http.StatusTeapot, get(first))
	require.Equal(t, http.StatusTeapot, get(second))
}
