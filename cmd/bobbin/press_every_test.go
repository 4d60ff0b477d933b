package main

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// At the end of a story an approver presses every button that its threads still show, one after another, and
// each press has to be answered, and not by words that something failed or is to be asked again. From then on
// the model leaves its script, and answers whatever it is asked. With BOBBIN_EVERY this is done in every
// story, otherwise in those of pressedStories, which show most kinds of buttons between them.

// pressedStories are the stories whose buttons are pressed in any case.
var pressedStories = []string{
	"happy", "endpoint_start_work", "endpoint_grill_me", "stop_work", "objection", "show_diff_kept_back",
	"duplicates",
}

// pressTimeout bounds what one press leads to.
const pressTimeout = time.Minute

// pressEvery presses every button that the story's threads show. It presses none if the story ends in the
// middle of something, such as a bot that is stopped or a model that is away.
func (s *story) pressEvery(ts *testscript.TestScript) {
	always := slices.Contains(pressedStories, ts.Name())
	if os.Getenv("BOBBIN_EVERY") == "" && !always {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.RunTimeout)
	defer cancel()
	rests := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, pressTimeout)
		defer cancel()
		return s.WaitSettled(ctx)
	}
	s.Model.Improvise("It is as the report says.")
	p := &harness.Presser{Slack: s.Slack, Who: s.presser(), Rests: rests}
	if p.Who == "" || s.Service == nil || rests(ctx) != nil {
		return
	}
	var threads []harness.Thread
	for name, root := range s.threads {
		threads = append(threads, harness.Thread{Channel: s.channelOf(name), Root: root})
	}
	n, faults := p.Press(ctx, threads, func(harness.Button) bool { return true })
	for _, fault := range faults {
		s.t.Errorf("%s: %s", ts.Name(), fault)
	}
	if always && n == 0 {
		s.t.Errorf("%s: it shows no button any more; name another story", ts.Name())
	}
	s.t.Logf("%s: %d buttons were pressed", ts.Name(), n)
}

// presser returns the id of a full member who may approve wherever one of the people may, or an empty string.
func (s *story) presser() string {
	for _, name := range []string{"bea", "ann"} {
		for _, u := range s.Slack.Users() {
			if u.ID == s.People[name] && u.Kind == slacktest.Member && !u.Deleted {
				return u.ID
			}
		}
	}
	return ""
}

// TestPressedStoriesExist checks that the stories whose buttons are always pressed are there.
func TestPressedStoriesExist(t *testing.T) {
	t.Parallel()
	for _, name := range pressedStories {
		_, err := os.Stat("testdata/script/" + name + ".txtar")
		require.NoError(t, err)
	}
}
