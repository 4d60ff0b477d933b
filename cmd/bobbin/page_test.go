package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

// pagesHost is the host in the URLs of a stage's pages; browse connects to the bot's address instead.
const pagesHost = "pages.example"

// signInApp is the app's part in Sign in with Slack, for stories with the option sign-in.
var signInApp = slacktest.OpenID{
	ClientID: "1234567890.1234567890", ClientSecret: "client-secret",
	Redirects: []string{"http://" + pagesHost + page.SignedIn},
}

// servePages switches on sessions' pages, or only metrics, as the options of a story say.
func servePages(args []string, set *server.Settings) {
	if slices.Contains(args, "metrics") {
		set.HTTPAddr = "127.0.0.1:0"
	}
	if slices.Contains(args, "pages") {
		set.HTTPAddr = "127.0.0.1:0"
		set.PageURL = "http://" + pagesHost
	}
	if slices.Contains(args, "sign-in") {
		set.SignIn = server.SignIn{ClientID: signInApp.ClientID, ClientSecret: signInApp.ClientSecret}
	}
}

var (
	pageLink  = regexp.MustCompile(`http://` + regexp.QuoteMeta(pagesHost) + `/s/[^\s|>"\\]*`)
	notShown  = regexp.MustCompile(`(?s)<head>.*?</head>|<[^>]*>`)
	blankRuns = regexp.MustCompile(`[ \t]*\n\s*`)
	clockTime = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)
	tokens    = regexp.MustCompile(`[\d,]+ tokens read, [\d,]+ written`)
	tookTime  = regexp.MustCompile(`\b(\d+m)?\d+(\.\d+)?m?s\b`)
)

// pageCmd implements "page WHO list|session|shared|BENT FILE": the status and the text of the page behind a
// link, in a browser that is signed in to Slack as WHO. It is the newest link that WHO got, in the App Home
// (list) or in a modal, or the one that everybody reads in the newest message with one (shared). BENT is
// appended to the link.
func pageCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	link, err := s.linkTo(ctx, args[0], args[1])
	if err != nil {
		return fmt.Errorf("there is no link to a page: %w", err)
	}
	if !slices.Contains([]string{"list", "session", "shared"}, args[1]) {
		link += args[1]
	}
	status, body, err := s.browse(ctx, link, s.People[args[0]])
	if err != nil {
		return err
	}
	text := html.UnescapeString(notShown.ReplaceAllString(body, "\n"))
	text = someTokens.ReplaceAllString(tokens.ReplaceAllString(text, "<tokens>"), "$1<some> tokens")
	text = atWork.ReplaceAllString(text, "<time> at work")
	text = clockTime.ReplaceAllString(shownTime.ReplaceAllString(tookTime.ReplaceAllString(text, ""),
		"<when>"), "<time>")
	text = blankRuns.ReplaceAllString(text, "\n")
	return os.WriteFile(ts.MkAbs(args[2]), []byte(fmt.Sprintln(status)+strings.TrimSpace(text)+"\n"), 0o644)
}

// linkTo returns the newest link to a page of that kind that WHO got.
func (s *story) linkTo(ctx context.Context, who, kind string) (link string, err error) {
	if kind == "shared" {
		m, err := s.holding("session page")
		return pageLink.FindString(m.Text), err
	}
	err = s.Poll(ctx, func() (bool, error) {
		for _, v := range s.Slack.Views() {
			isList := v.Type == "home"
			if found := pageLink.FindString(string(v.Blocks())); found != "" && v.User == s.People[who] &&
				isList == (kind == "list") {
				link = found
			}
		}
		return link != "", nil
	})
	return link, err
}

// metricsCmd implements "metrics FILE": the response of /metrics.
func metricsCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	status, body, err := s.browse(ctx, "http://"+pagesHost+"/metrics", "")
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("/metrics: %d, %w", status, err)
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(body), 0o644)
}

// browse loads a page in a browser without cookies but that of a person who is signed in to Slack.
func (s *story) browse(ctx context.Context, link, user string) (status int, body string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return 0, "", err
	}
	slack, err := url.Parse(s.Slack.URL())
	if err != nil {
		return 0, "", err
	}
	if user != "" {
		jar.SetCookies(slack, []*http.Cookie{s.Slack.BrowserOf(user)})
	}
	var dialer net.Dialer
	dial := func(ctx context.Context, network, at string) (net.Conn, error) {
		if at != slack.Host {
			at = s.Service.Monitor.Addr
		}
		return dialer.DialContext(ctx, network, at)
	}
	transport := &http.Transport{DialContext: dial}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := (&http.Client{Jar: jar, Transport: transport}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	last := response.Request.URL
	if last.Host == pagesHost && last.RawQuery != "" && response.StatusCode == http.StatusOK {
		return 0, "", errors.New("the signature stands in the address of the page")
	}
	b, err := io.ReadAll(response.Body)
	return response.StatusCode, string(b), err
}
