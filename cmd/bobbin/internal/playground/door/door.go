// Package door lets into a page of this machine only who was given its address. The page listens
// on a loopback address alone, but other people may be signed in on the machine, and pages of
// others are open in the same browser: the key in the address that the program prints becomes a
// cookie, without which nothing is shown or done; requests for other host names are refused, and
// so are deeds that another page sends. The headers forbid what is inline, and whatever would be
// fetched from anywhere else.
package door

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy lets a page show and run what this server sends, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A Door has a key.
type Door struct {
	Name string // of the page among others on the machine, for its cookie
	Key  string
}

// Guard lets in who has the key, from a page of this server's own.
func (d Door) Guard(next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !isLoopback(r.Host): // another name that leads here: a page elsewhere has rebound it
			refuse(w, "This page is for this machine alone: open the address that bobbin printed.")
		case r.URL.Query().Has("key"):
			d.takeKey(w, r)
		case !d.hasKey(r):
			refuse(w, "Open the address that bobbin printed: it has the key to this page.")
		case sameOrigin.Check(r) != nil:
			refuse(w, "Another page has sent this.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

func (d Door) cookieName() string { return "bobbin_" + d.Name }

func (d Door) hasKey(r *http.Request) bool {
	c, err := r.Cookie(d.cookieName())
	return err == nil && same(c.Value, d.Key)
}

func same(given, key string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(key)) == 1 }

// takeKey makes a cookie of the key in the address, and takes it out of the address.
func (d Door) takeKey(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.Method != http.MethodGet || !same(q.Get("key"), d.Key) {
		refuse(w, "That key is of an earlier run. Open the address that bobbin printed last.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: d.cookieName(), Value: d.Key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	q.Del("key")
	to := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	http.Redirect(w, r, to.RequestURI(), http.StatusSeeOther)
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusForbidden) }
