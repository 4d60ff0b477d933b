package slacktest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// An OpenID is the app's part in Sign in with Slack, as its settings have it.
// https://docs.slack.dev/authentication/sign-in-with-slack
type OpenID struct {
	ClientID     string
	ClientSecret string
	Redirects    []string // the app's redirect URLs
}

// authorizePath is the page on which a person lets an app know who they are.
const authorizePath = "/openid/connect/authorize"

// browserCookie is the cookie of a browser in which somebody is signed in to Slack.
const browserCookie = "d"

// BrowserOf returns the cookie with which a browser is signed in to Slack as that user.
func (s *Server) BrowserOf(user string) *http.Cookie {
	return &http.Cookie{Name: browserCookie, Value: user, Path: "/"}
}

// A consent is what a person allowed on the authorize page: the app learns who they are.
type consent struct{ user, redirect string }

// serveAuthorize sends a browser back to the app with a code, as if its person had consented before. A
// browser in which nobody is signed in gets the sign-in page.
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to := q.Get("redirect_uri")
	back, err := url.Parse(to)
	switch app := s.cfg.OpenID; {
	case app.ClientID == "" || q.Get("client_id") != app.ClientID:
		authorizeError(w, "invalid_client_id")
		return
	case err != nil || !slices.Contains(app.Redirects, to):
		authorizeError(w, "bad_redirect_uri")
		return
	case q.Get("response_type") != "code" || !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		authorizeError(w, "invalid_scope")
		return
	}
	kept, err := r.Cookie(browserCookie)
	if err != nil {
		serveSignIn(w, r)
		return
	}
	s.mu.Lock()
	code := s.state.id("code-")
	s.consents[code] = consent{kept.Value, to}
	s.mu.Unlock()
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func authorizeError(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!DOCTYPE html><html><head><title>Error | Slack</title></head><body>"+code+
		"</body></html>")
}

// openidToken exchanges a code for a token that says who consented. A code works once.
func (s *Server) openidToken(c *call) (object, error) {
	given, known := s.consents[c.get("code")]
	switch app := s.cfg.OpenID; {
	case app.ClientID == "" || c.get("client_id") != app.ClientID:
		return nil, fail("invalid_client_id")
	case c.get("client_secret") != app.ClientSecret:
		return nil, fail("bad_client_secret")
	case !known:
		return nil, fail("invalid_code")
	case c.get("redirect_uri") != given.redirect:
		return nil, fail("bad_redirect_uri")
	}
	delete(s.consents, c.get("code"))
	token := s.state.id("xoxp-")
	s.openidTokens[token] = given.user
	return object{"access_token": token, "token_type": "Bearer"}, nil
}

// openidUserInfo returns the person whose consent gave the token.
func (s *Server) openidUserInfo(c *call) (object, error) {
	u := s.state.users[s.openidTokens[c.token]]
	if u == nil {
		return nil, fail("invalid_auth")
	}
	return object{
		"sub": u.ID, "https://slack.com/user_id": u.ID, "https://slack.com/team_id": u.TeamID,
	}, nil
}
