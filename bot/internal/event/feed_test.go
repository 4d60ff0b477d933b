package event

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestAlertsOfWatchedAppsAreRead checks that a message of a watched app is an alert. Messages of our own bot,
// of another workspace's app, in a thread, or in another channel are not.
func TestAlertsOfWatchedAppsAreRead(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("alert/testdata/sentry.json")
	require.NoError(t, err)
	watching := func(apps ...string) Reader {
		r := reader
		r.Feeds = []workflow.Feed{{Channel: "C1", Repository: "shop", Apps: apps}}
		return r
	}
	for _, apps := range []string{"Sentry", "sentry", "A0SENTRY"} {
		in, ok, reason := watching(apps).Normalise("events_api", callback(string(raw)))
		require.True(t, ok, reason)
		require.Equal(t, workflow.MessageAlert, in.Kind)
		require.Empty(t, in.User)
		require.Equal(t, "Sentry", in.Value)
		require.Equal(t, "shop", in.Alert.Repository)
		require.True(t, strings.HasPrefix(in.Text, "TypeError: Cannot read"), in.Text)
	}
	for why, c := range map[string]struct {
		r        Reader
		old, new string
	}{
		"a message of an app that is not watched": {watching("PagerDuty"), "", ""},
		"a bot's message":                         {reader, "", ""},
		"a message of another workspace's app":    {watching("Sentry"), `"team_id":"T1"`, `"team_id":"T9"`},
		"our own message":                         {watching("Sentry"), `"bot_id":"B0SENTRY"`, `"bot_id":"` + reader.Self.BotID + `"`},
		"a bot's message without words":           {watching("A0SENTRY"), `"attachments":[`, `"other":[`},
		"a bot's message ":                        {watching("Sentry"), `"channel":"C1"`, `"channel":"C1","thread_ts":"1.1"`},
		"a bot's message  ":                       {watching("Sentry"), `"channel":"C1"`, `"channel":"C2"`},
	} {
		_, ok, reason := c.r.Normalise("events_api", callback(strings.Replace(string(raw), c.old, c.new, 1)))
		require.False(t, ok, why)
		require.Equal(t, strings.TrimSpace(why), reason)
	}
}
