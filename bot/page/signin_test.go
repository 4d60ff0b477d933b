package page

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// A signInSite has pages without a database, for which visitors sign in with Slack.
type signInSite struct {
	t     *testing.T
	slack *slacktest.Server
	pages *Pages
	url   string
}

func openSignInSite(t *testing.T) *signInSite {
	t.Helper()
	s := &signInSite{t: t}
	server := httptest.NewUnstartedServer(nil)
	s.url = "http://" + server.Listener.Addr().String()
	s.slack = slacktest.New(slacktest.Config{
		OpenID: slacktest.OpenID{ClientID: "1.2", ClientSecret: "s", Redirects: []string{s.url + SignedIn}},
	})
	t.Cleanup(s.slack.Close)
	connected, err := bot.Open(t.Context(), bot.Config{
		BotToken: s.slack.App().BotToken, AppToken: s.slack.App().AppToken, APIURL: s.slack.URL(),
	})
	require.NoError(t, err)
	links, err := NewLinks(s.url, "xoxb-1")
	require.NoError(t, err)
	s.pages = &Pages{
		Links: links,
		Log:   slog.New(slog.DiscardHandler),
		SignIn: &bot.SignIn{
			Slack: connected, ClientID: "1.2", ClientSecret: "s", Redirect: s.url + SignedIn,
		},
	}
	server.Config.Handler = s.pages.Handler()
	server.Start()
	t.Cleanup(server.Close)
	return s
}

// browser returns a browser that is signed in to Slack as that user; empty: as nobody.
func (s *signInSite) browser(user string) *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	at, err := url.Parse(s.slack.URL())
	require.NoError(s.t, err)
	if user != "" {
		// Cookies have no ports (RFC 6265, section 8.5), so this one also reaches the pages.
		jar.SetCookies(at, []*http.Cookie{s.slack.BrowserOf(user)})
	}
	return &http.Client{Jar: jar}
}

// load follows redirects until the page at path is to be loaded with a grant, whose user it returns, or until
// there is a text.
func (s *signInSite) load(c *http.Client, path string) (user, text string) {
	s.t.Helper()
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		asked := via[0].URL.Query()
		asked.Del("k")
		if user = s.grantedTo(c, r.URL); user != "" && r.URL.Path == via[0].URL.Path &&
			r.URL.RawQuery == asked.Encode() {
			return http.ErrUseLastResponse
		}
		return nil
	}
	response, err := c.Get(s.url + path)
	require.NoError(s.t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return user, string(b)
}

// grantedTo returns whose grant a browser will send to an address.
func (s *signInSite) grantedTo(c *http.Client, at *url.URL) string {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, at.Path, nil)
	for _, kept := range c.Jar.Cookies(at) {
		r.AddCookie(kept)
	}
	g, err := s.pages.granted(r, "")
	if err != nil || !strings.HasPrefix(at.String(), s.url) {
		return ""
	}
	return g.user
}

// begin returns the state with which a browser was sent to sign in.
func (s *signInSite) begin(c *http.Client, path string) (state string) {
	s.t.Helper()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := c.Get(s.url + path)
	require.NoError(s.t, err)
	response.Body.Close()
	require.Equal(s.t, http.StatusSeeOther, response.StatusCode)
	at, err := response.Location()
	require.NoError(s.t, err)
	return at.Query().Get("state")
}

// TestSignInWithSlack opens a page from its shared address as somebody who is signed in to Slack in that
// browser, and as others.
func TestSignInWithSlack(t *testing.T) {
	t.Parallel()
	s := openSignInSite(t)
	ann := s.slack.AddUser(slacktest.User{Name: "ann"}).ID
	eve := s.slack.AddUser(slacktest.User{Name: "eve", Kind: slacktest.External}).ID

	for _, path := range []string{"/s/abc", "/s/", "/s/abc/step/1-2-3-4", "/s/?q=a%7Cb&state=done"} {
		user, text := s.load(s.browser(ann), path)
		require.Equal(t, ann, user, text)
	}
	expired, err := NewLinks(s.url, "xoxb-1")
	require.NoError(t, err)
	expired.Now = func() time.Time { return time.Now().Add(-linkLasts - time.Second) }
	user, text := s.load(s.browser(ann), strings.TrimPrefix(expired.To(ann, "abc"), s.url))
	require.Equal(t, ann, user, text)

	user, text = s.load(s.browser(""), "/s/abc")
	require.Empty(t, user)
	require.Contains(t, text, "Sign in | Slack")
	user, text = s.load(s.browser(eve), "/s/abc")
	require.Empty(t, user)
	require.Contains(t, text, "You are signed in to another workspace than Acme.")
	require.Contains(t, text, `href="/s/abc">Sign in again`)

	s.pages.SignIn.ClientSecret = "wrong"
	user, text = s.load(s.browser(ann), "/s/abc")
	require.Empty(t, user)
	require.Contains(t, text, "Slack did not say who you are.")
	require.ErrorContains(t, s.pages.SignIn.Check(t.Context()), "bad_client_secret")
	s.pages.SignIn.ClientSecret = "s"
	require.NoError(t, s.pages.SignIn.Check(t.Context()))

	s.pages.SignIn = nil
	user, text = s.load(s.browser(ann), "/s/abc")
	require.Empty(t, user, "a control: without it nobody is signed in")
	require.Contains(t, text, "This page opens only with your own link.")
	_, text = s.load(s.browser(ann), SignedIn+"?state=x&code=y")
	require.Contains(t, text, "This page opens only with your own link.")
}

// TestSignInIsForOnePage checks that nothing else is sent to Slack: no part of a page, no request that
// changes something, and nobody with a forged link.
func TestSignInIsForOnePage(t *testing.T) {
	t.Parallel()
	s := openSignInSite(t)
	for _, c := range []struct {
		method, path, loads string
		want                int
	}{
		{http.MethodGet, "/s/abc", "document", http.StatusSeeOther},
		{http.MethodGet, "/s/abc", "", http.StatusSeeOther},
		{http.MethodGet, "/s/abc", "iframe", http.StatusForbidden},
		{http.MethodGet, "/s/abc/live", "", http.StatusForbidden},
		{http.MethodGet, "/s/abc/picture/1/1/before", "", http.StatusForbidden},
		{http.MethodPost, "/s/abc/parts", "", http.StatusForbidden},
		{http.MethodGet, "/s/abc?k=forged.x", "document", http.StatusForbidden},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil)
		r.Header.Set("Sec-Fetch-Dest", c.loads)
		w := httptest.NewRecorder()
		s.pages.Handler().ServeHTTP(w, r)
		require.Equal(t, c.want, w.Code, c)
	}
}

// TestOnlyOnesOwnSignInCounts comes back from Slack with what another browser began, too late, or twice.
func TestOnlyOnesOwnSignInCounts(t *testing.T) {
	t.Parallel()
	s := openSignInSite(t)
	ann := s.slack.AddUser(slacktest.User{Name: "ann"}).ID
	mallory := s.slack.AddUser(slacktest.User{Name: "mallory"}).ID
	// codeOf has somebody consent, and returns where Slack sends that browser.
	codeOf := func(user, state string) string {
		c := s.browser(user)
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		response, err := c.Get(s.pages.SignIn.Address(state))
		require.NoError(t, err)
		response.Body.Close()
		at, err := response.Location()
		require.NoError(t, err)
		return at.RequestURI()
	}
	comesBack := func(c *http.Client, back string) (int, string) {
		response, err := c.Get(s.url + back)
		require.NoError(t, err)
		defer response.Body.Close()
		b, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(b)
	}

	malloryAtHome := s.browser(mallory)
	code := codeOf(mallory, s.begin(malloryAtHome, "/s/abc"))
	anns := s.browser(ann)
	status, text := comesBack(anns, code)
	require.Equal(t, http.StatusForbidden, status, "ann would read and press as mallory")
	require.Contains(t, text, "This browser did not begin to sign in here")
	state := s.begin(anns, "/s/abc")
	status, _ = comesBack(anns, codeOf(mallory, state+"x"))
	require.Equal(t, http.StatusForbidden, status, "a state that begins like the own one")
	status, _ = comesBack(malloryAtHome, code)
	require.Equal(t, http.StatusSeeOther, status, "a control: in the browser that began it")
	status, _ = comesBack(malloryAtHome, code)
	require.Equal(t, http.StatusForbidden, status, "twice")

	state = s.begin(anns, "/s/abc")
	status, text = comesBack(anns, SignedIn+"?state="+state+"&error=access_denied")
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, text, "Slack did not sign you in.")
	require.Contains(t, text, `href="/s/abc">Sign in again`)

	back := codeOf(ann, s.begin(anns, "/s/abc"))
	s.pages.Links.Now = func() time.Time { return time.Now().Add(signInLasts + time.Second) }
	status, text = comesBack(anns, back)
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, text, "not within ten minutes")
}
