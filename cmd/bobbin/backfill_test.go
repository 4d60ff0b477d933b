package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

// TestWhatWasWrittenWhileTheBotWasDown checks that messages which people wrote while the bot was down, and
// which Slack no longer delivers, are in the inbox after the next start: a reply in a session's thread and
// a mention in a configured channel. The control starts without the ledger by which the bot reads them.
func TestWhatWasWrittenWhileTheBotWasDown(t *testing.T) {
	t.Parallel()
	for _, filled := range []bool{true, false} {
		database := harness.Database(t)
		slack := healthSlack(t)
		ann := slack.AddUser(slacktest.User{Name: "ann"}).ID
		bugs := slack.AddChannel(slacktest.Channel{
			Name:    "bugs",
			Members: []string{ann, slack.App().BotUser},
		}).ID
		s := healthSettings(t, slack, database)
		s.HTTPAddr = ""
		s.Repositories[0].Channels = []string{bugs}
		say := func(text, thread string) string {
			ts, err := slack.Say(bugs, ann, text, thread)
			require.NoError(t, err)
			return ts
		}
		db, err := pgx.Connect(t.Context(), database)
		require.NoError(t, err)
		t.Cleanup(func() { db.Close(context.Background()) })
		heard := func() (texts []string) {
			rows, err := db.Query(t.Context(),
				`select text from inbox where kind in ('mention', 'reply') and user_id = $1
					order by message_ts`,
				ann)
			require.NoError(t, err)
			texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			return texts
		}

		up := startService(t, s, true)
		root := say("who has seen this?", "")
		// was written before the bot was called, so it is no reply to it, however often it is read
		say("stop", root)
		say(slack.Mention()+" it fails", root)
		require.NoError(t, slack.WaitSettled(harness.Soon(t)))
		up()
		require.NoError(t, slack.WaitDisconnected(harness.Soon(t)))
		require.Equal(t, []string{"it fails"}, heard())

		say("for guests", root)
		say(slack.Mention()+" the total is off", "")
		slack.Forget()
		startService(t, s, filled)
		say("since Monday", root)
		require.NoError(t, slack.WaitSettled(harness.Soon(t)))
		if !filled {
			require.Equal(t, []string{"it fails", "since Monday"}, heard())
			continue
		}
		require.Eventually(t, func() bool { return len(heard()) == 4 }, harness.StepTimeout,
			10*time.Millisecond)
		require.Equal(t, []string{"it fails", "for guests", "the total is off", "since Monday"}, heard())
	}
}

// startService runs the bot until the test ends or until the function that it returns is called. Without
// ledger, the bot does not read missed messages.
func startService(t *testing.T, s server.Settings, ledger bool) (end func()) {
	b, err := server.New(t.Context(), s, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	if !ledger {
		b.Gateway.History = nil
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	ended := false
	end = func() {
		if !ended {
			ended = true
			stop()
			require.NoError(t, <-done)
			b.Close()
		}
	}
	t.Cleanup(end)
	require.Eventually(t, func() bool { return b.Gateway.Links() == config.DefaultConnections },
		harness.StepTimeout, time.Millisecond)
	return end
}
