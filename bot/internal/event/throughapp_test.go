package event

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

// Messages of apps reach the bot where they mention it, or are posted for a person in a thread.
func TestMessagesOfApps(t *testing.T) {
	t.Parallel()
	r := Reader{
		Self:  bot.Self{Team: "T1", User: "UBOT", BotID: "BBOT"},
		Watch: []string{"C1"},
		Feeds: []workflow.Feed{{Channel: "C1", Repository: "shop", Apps: []string{"Grafana", "A0FORM"}}},
	}
	for name, c := range map[string]struct {
		event string
		kind  workflow.MessageKind // empty: it is ignored
		user  string
		app   string
	}{
		"an app that is not watched mentions the bot": {
			`"subtype":"bot_message","bot_id":"B7","username":"Zapier","text":"<@UBOT> look"`,
			workflow.MessageMention, "", "Zapier",
		},
		"in its blocks alone": {
			`"bot_id":"B7","user":"UZAP","bot_profile":{"name":"Zapier"},"text":"",` +
				`"blocks":[{"type":"section",` +
				`"text":{"type":"mrkdwn","text":"<@UBOT> look"}}]`,
			workflow.MessageMention, "UZAP", "Zapier",
		},
		"an app of watch_apps in a thread": {
			`"bot_id":"B8","thread_ts":"1.0","bot_profile":{"name":"Grafana"},"text":"<@UBOT> look"`,
			workflow.MessageAlert, "", "Grafana",
		},
		"a form of watch_apps, by its id": {
			`"bot_id":"B9","app_id":"A0FORM","thread_ts":"1.0","username":"Bugs","text":"<@UBOT> look"`,
			workflow.MessageAlert, "", "Bugs",
		},
		"an app in a thread, without a mention": {
			`"bot_id":"B8","thread_ts":"1.0","bot_profile":{"name":"Grafana"},"text":"look"`, "", "", "",
		},
		"a person through an app, in a thread": {
			`"bot_id":"B5","app_id":"A5","user":"UANN","thread_ts":"1.0","bot_profile":{"name":"Claude"},` +
				`"text":"fix it"`,
			workflow.MessageReply, "UANN", "Claude",
		},
		"a person through an app, in a watched channel": {
			`"bot_id":"B5","app_id":"A5","user":"UANN","bot_profile":{"name":"Claude"},"text":"it fails"`, "",
			"", "",
		},
		"no words": {`"bot_id":"B7","username":"Zapier","text":"<@UBOT>"`, "", "", ""},
	} {
		in, ok, reason := r.Normalise("events_api",
			[]byte(`{"type":"event_callback","event_id":"E1","event":{`+
				`"type":"message","channel":"C1","ts":"2.1",`+c.event+`}}`))
		require.Equal(t, c.kind != "", ok, "%s: %s", name, reason)
		if ok {
			require.Equal(t, c.kind, in.Kind, name)
			require.Equal(t, c.user, in.User, name)
			require.Equal(t, c.app, in.Value, name)
		}
	}
}

// TestNoAppPassesForAPerson checks that the author of a message that an app posted is the app, whatever it
// calls itself, for whomever it posts, and if the message was edited.
func TestNoAppPassesForAPerson(t *testing.T) {
	t.Parallel()
	r := Reader{Self: bot.Self{User: "UBOT", BotID: "BBOT", Team: "T1"}}
	read := func(raw string) bot.Message {
		m := bot.Message{Raw: json.RawMessage(raw)}
		require.NoError(t, json.Unmarshal(m.Raw, &m.Message))
		return m
	}
	for raw, want := range map[string]string{
		`{"subtype":"bot_message","bot_id":"B9","username":"UBEA00001","text":"x","ts":"1.1"}`: "an app",
		`{"user":"UANN","bot_id":"B9","text":"x","ts":"1.1"}`:                                  "an app",
		`{"user":"UANN","bot_id":"B9","bot_profile":{"name":"Zap"},"text":"x","ts":"1.1"}`:     "Zap",
		`{"user":"UANN","text":"x","ts":"1.1"}`:                                                "UANN",
	} {
		in, err := r.ReadMessage(read(raw))
		require.NoError(t, err)
		require.Equal(t, want, in.Value, raw)
	}
	edited := read(`{"type":"message","user":"UANN","bot_id":"B9","app_id":"A9",` +
		`"bot_profile":{"name":"Zap"},` +
		`"text":"<@UBOT> fix it","ts":"1.1","edited":{"user":"UANN","ts":"1.2"}}`)
	sent := 0
	for _, in := range r.ReadHistory("C1", edited) {
		if in.Kind == workflow.MessageSent {
			sent++
			require.Equal(t, "Zap", in.Value)
		}
	}
	require.Equal(t, 1, sent)
}
