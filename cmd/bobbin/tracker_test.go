package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
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
