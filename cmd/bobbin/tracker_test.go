package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
)

// trackerToken is the token of the trackers of a stage.
const trackerToken = "token-of-the-trackers"

// A trackerServer answers as trackers do. It knows the paths that the story names.
type trackerServer struct {
	mu      sync.Mutex
	answers map[string]string // JSON, or an HTTP status, by path
}

func (t *trackerServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	answer, ok := t.answers[r.URL.Path]
	t.mu.Unlock()
	status, err := strconv.Atoi(answer)
	switch {
	case r.Header.Get("Authorization") != "Bearer "+trackerToken:
		http.Error(w, `{"errorMessages":["You are not logged in"]}`, http.StatusUnauthorized)
	case !ok:
		http.Error(w, `{"errorMessages":["Issue does not exist"]}`, http.StatusNotFound)
	case err == nil:
		http.Error(w, `{"detail":"You do not have permission to perform this action."}`, status)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

// withTrackers has issues read of a Jira and of a Sentry at the story's own server, with the option
// "trackers".
func (s *story) withTrackers(ts *testscript.TestScript, options []string, cfg *stage.Config) {
	if !slices.Contains(options, "trackers") {
		return
	}
	s.trackers = &trackerServer{answers: map[string]string{}}
	at := httptest.NewServer(s.trackers)
	ts.Defer(at.Close)
	before := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		before(set)
		set.Trackers = nil
		for _, c := range []config.Tracker{
			{Kind: "jira", URL: "https://acme.atlassian.net", Projects: []string{"SHOP"}, Guests: true},
			{Kind: "sentry", URL: "https://acme.sentry.io", Projects: []string{"shop"}, Guests: true},
		} {
			c.API = at.URL + "/" + c.Kind
			c.TokenEnv = "TOKEN"
			one, err := c.Open(map[string]string{c.TokenEnv: trackerToken})
			if err != nil {
				ts.Fatalf("%v", err)
			}
			set.Trackers = append(set.Trackers, one)
		}
	}
}

// withFiling has issues filed in a Jira, and results told there and in a Linear and a Sentry, with the option
// "filing".
func (s *story) withFiling(ts *testscript.TestScript, options []string, cfg *stage.Config) {
	if !slices.Contains(options, "filing") {
		return
	}
	s.filing = map[string]*trackertest.Server{}
	before := cfg.Adjust
	var all []*tracker.Tracker
	for _, c := range []config.Tracker{
		{
			Kind: tracker.Jira, URL: "https://acme.atlassian.net", Projects: []string{"SHOP"},
			FileIn: "SHOP", IssueType: "Bug",
		},
		{Kind: tracker.Linear, URL: "https://linear.app/acme", Projects: []string{"WEB"}},
		{Kind: tracker.Sentry, URL: "https://acme.sentry.io", Projects: []string{"shop"}},
	} {
		at := trackertest.Listen(c.Kind, c.Projects[0])
		ts.Defer(at.Close)
		s.filing[c.Kind] = at
		c.API = at.API
		c.TokenEnv = "TOKEN"
		c.Comment = true
		c.Guests = true
		one, err := c.Open(map[string]string{c.TokenEnv: trackertest.Token})
		if err != nil {
			ts.Fatalf("%v", err)
		}
		all = append(all, one)
	}
	cfg.Adjust = func(set *server.Settings) {
		before(set)
		set.Trackers = all
	}
}

// filingCmd implements "filing KIND lose", which loses the answer to the next request that writes, "filing
// KIND break N", after which so many requests fail, "filing KIND demand FIELD", a field that Jira needs,
// and "filing KIND add KEY TITLE", an issue that somebody filed.
func filingCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	at := s.filing[args[0]]
	if at == nil || len(args) < 2 {
		return errors.New("usage, with the option filing: " +
			"filing KIND lose|break N|demand FIELD|add KEY TITLE")
	}
	switch args[1] {
	case "lose":
		at.Lose()
	case "break":
		n, err := strconv.Atoi(args[2])
		at.Break(n)
		return err
	case "demand":
		at.Demand(strings.Join(args[2:], ""))
	case "add":
		at.Add(trackertest.Issue{Key: args[2], Title: strings.Join(args[3:], " ")})
	}
	return nil
}

// trackerCmd implements "tracker PATH FILE|STATUS": the trackers answer with that file, or with that HTTP
// status.
func trackerCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	if s.trackers == nil || len(args) != 2 {
		return fmt.Errorf("usage, with the option trackers: tracker PATH FILE|STATUS")
	}
	answer := args[1]
	if _, err := strconv.Atoi(answer); err != nil {
		answer = ts.ReadFile(answer)
	}
	s.trackers.mu.Lock()
	defer s.trackers.mu.Unlock()
	s.trackers.answers[args[0]] = answer
	return nil
}
