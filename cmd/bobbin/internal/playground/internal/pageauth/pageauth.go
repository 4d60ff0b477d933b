// Package pageauth protects a page on a loopback address, so that only a person with the printed address can
// use it. The loopback address alone is not enough: other people may be signed in on the machine, and pages
// of other sites are open in the same browser. The key in the printed address becomes a cookie, without which
// nothing is shown or done. Requests for other host names are refused, and so are requests that another page
// sends. The headers forbid inline content, and anything fetched from another site.
package pageauth

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy is the content security policy: a page may show and run only what this server sends.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A KeyAuth admits requests with its key.
type KeyAuth struct {
	Name string // distinguishes the page's cookie from those of other pages on the machine
	Key  string
}

// Guard returns a handler that passes a request to next only if it has the key's cookie and does not come
// from another origin. It also sets the security headers.
func (a KeyAuth) Guard(next http.Handler) http.Handler {
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
		case !isLoopback(r.Host): // another host name for this address: a DNS rebinding attack
			refuse(w, "This page is only for this machine: open the address that bobbin printed.")
		case r.URL.Query().Has("key"):
			a.takeKey(w, r)
		case !a.hasKey(r):
			refuse(w, "Open the address that bobbin printed: it has the key to this page.")
		case sameOrigin.Check(r) != nil:
			refuse(w, "This request came from another page.")
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

// cookieName returns the name of the cookie with the key. It contains the port of the page's address, because
// browsers send a cookie to every port of a host (RFC 6265, section 8.5), and two pages with one name would
// replace each other's key.
func (a KeyAuth) cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "bobbin_" + a.Name + "_" + port
}

func (a KeyAuth) hasKey(r *http.Request) bool {
	c, err := r.Cookie(a.cookieName(r))
	return err == nil && same(c.Value, a.Key)
}

func same(given, key string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(key)) == 1 }

// takeKey stores the key of the address in a cookie, and redirects to the address without it.
func (a KeyAuth) takeKey(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.Method != http.MethodGet || !same(q.Get("key"), a.Key) {
		refuse(w, "That key is from an earlier run. Open the address that bobbin printed last.")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name:     a.cookieName(r),
		Value:    a.Key,
		Path:     "/",
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	q.Del("key")
	to := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	http.Redirect(w, r, to.RequestURI(), http.StatusSeeOther)
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusForbidden) }
