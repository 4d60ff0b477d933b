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
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

// pagesHost is the host in the URLs of a stage's pages; browse connects to the bot's address instead.
const pagesHost = "pages.example"

// servePages switches on sessions' pages, or only metrics, as the options of a story say.
func servePages(args []string, set *server.Settings) {
	if slices.Contains(args, "metrics") {
		set.HTTPAddr = "127.0.0.1:0"
	}
	if slices.Contains(args, "pages") {
		set.HTTPAddr = "127.0.0.1:0"
		set.PageURL = "http://" + pagesHost
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

// pageCmd implements "page WHO list|session|BENT FILE": the status and the text of the page behind the
// newest link that WHO got, in the App Home (list) or in a modal. BENT is appended to the link.
func pageCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	var link string
	err := s.Poll(ctx, func() (bool, error) {
		for _, v := range s.Slack.Views() {
			isList := v.Type == "home"
			if found := pageLink.FindString(string(v.Blocks())); found != "" && v.User == s.People[args[0]] &&
				isList == (args[1] == "list") {
				link = found
			}
		}
		return link != "", nil
	})
	if err != nil {
		return fmt.Errorf("there is no link to a page: %w", err)
	}
	if args[1] != "list" && args[1] != "session" {
		link += args[1]
	}
	status, body, err := s.browse(ctx, link)
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

// metricsCmd implements "metrics FILE": the response of /metrics.
func metricsCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	status, body, err := s.browse(ctx, "http://"+pagesHost+"/metrics")
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("/metrics: %d, %w", status, err)
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(body), 0o644)
}

// browse loads a page as a browser without cookies.
func (s *story) browse(ctx context.Context, link string) (status int, body string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return 0, "", err
	}
	var dialer net.Dialer
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, s.Service.Monitor.Addr)
	}}
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
	if response.Request.URL.RawQuery != "" && response.StatusCode == http.StatusOK {
		return 0, "", errors.New("the signature stands in the address of the page")
	}
	b, err := io.ReadAll(response.Body)
	return response.StatusCode, string(b), err
}
