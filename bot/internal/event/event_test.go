package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

var reader = Reader{
	Self:  bot.Self{Team: "T1", User: "UBOT", BotID: "BBOT", Name: "bobbin"},
	Watch: []string{"CWATCH"},
}

// callback returns an events_api payload that holds the event.
func callback(event string) []byte {
	return []byte(`{"type":"event_callback","event_id":"Ev1","api_app_id":"ABOT","team_id":"T1","event":` +
		event + `}`)
}

// clip is a voice clip with Slack's transcript.
const clip = `"subtype":"file_share","files":[{"id":"F1","name":"clip.m4a","mimetype":"audio/mp4",` +
	`"transcription":{"status":"complete","preview":{"content":"it fails"}}}]`

// messageEvents are events with messages, and what the reader makes of each.
var messageEvents = map[string]struct {
	event  string
	kind   workflow.MessageKind // empty: the bot ignores the event
	text   string
	thread string
}{
	"a mention": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"10.1","text":"<@UBOT> the total is off"}`,
		"mention", "the total is off", "10.1",
	},
	"its other event": {
		`{"type":"message","channel":"C1","channel_type":"channel","user":"U1","ts":"10.1",` +
			`"text":"<@UBOT> the total is off"}`,
		"mention", "the total is off", "10.1",
	},
	"with a label": {
		`{"type":"message","channel":"C1","user":"U1","ts":"10.1","text":"hey <@UBOT|bobbin>, look"}`,
		"mention", "hey , look", "10.1",
	},
	"in a thread": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"text":"and you, <@UBOT>?"}`,
		"mention", "and you, ?", "10.1",
	},
	"a reply": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1","text":"fix it"}`,
		"reply", "fix it", "10.1",
	},
	"a broadcast reply": {
		`{"type":"message","subtype":"thread_broadcast","channel":"C1","user":"U1","ts":"11.1",` +
			`"thread_ts":"10.1","text":"fix it"}`,
		"reply", "fix it", "10.1",
	},
	"a root": {
		`{"type":"message","channel":"C1","user":"U1","ts":"10.1","text":"hello"}`, "", "hello", "10.1",
	},
	"a root with replies": {
		`{"type":"message","channel":"C1","user":"U1","ts":"10.1","thread_ts":"10.1","text":"hello"}`, "",
		"hello", "10.1",
	},
	"a watched root": {
		`{"type":"message","channel":"CWATCH","user":"U1","ts":"10.1","text":"it fails"}`, "reply",
		"it fails", "10.1",
	},
	"a clip alone in a watched channel": {
		`{"type":"message","channel":"CWATCH","user":"U1","ts":"10.1","text":"",` + clip + `}`, "",
		"[attached: clip.m4a]\n> said in clip.m4a: it fails", "10.1",
	},
	"a clip with a word": {
		`{"type":"message","channel":"CWATCH","user":"U1","ts":"10.1","text":"broken",` + clip + `}`, "reply",
		"broken\n[attached: clip.m4a]\n> said in clip.m4a: it fails", "10.1",
	},
	"a clip in a thread": {
		`{"type":"message","channel":"CWATCH","user":"U1","ts":"11.1","thread_ts":"10.1","text":"",` + clip +
			`}`, "reply", "[attached: clip.m4a]\n> said in clip.m4a: it fails", "10.1",
	},
	"a clip to the bot": {
		`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"10.1","text":"",` + clip +
			`}`, "mention", "[attached: clip.m4a]\n> said in clip.m4a: it fails", "10.1",
	},
	"a picture alone in a watched channel": {
		`{"type":"message","channel":"CWATCH","user":"U1","ts":"10.1","text":"",` +
			`"files":[{"id":"F2","name":"a.png","mimetype":"image/png"}]}`,
		"reply", "[attached: a.png]", "10.1",
	},
	"a direct message": {
		`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"10.1","text":"it fails"}`,
		"mention", "it fails", "10.1",
	},
	"only the mention": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"text":"<@UBOT>"}`,
		"mention", "", "10.1",
	},
	"escapes": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"text":"a &lt; b &amp;&amp; c &gt; d &amp;lt;"}`,
		"reply", "a < b && c > d &lt;", "10.1",
	},
	"other mentions stay": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"text":"<@U2> fix it"}`,
		"reply", "<@U2> fix it", "10.1",
	},
	"a quote": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"text":"&gt; fix it"}`,
		"reply", "> fix it", "10.1",
	},
	"a file": {
		`{"type":"message","subtype":"file_share","channel":"C1","user":"U1","ts":"11.1",` +
			`"thread_ts":"10.1","text":"see","files":[{"name":"crash.log"}]}`,
		"reply", "see\n[attached: crash.log]", "10.1",
	},
	"a file alone": {
		`{"type":"message","subtype":"file_share","channel":"C1","user":"U1","ts":"11.1",` +
			`"thread_ts":"10.1","text":"","files":[{"name":"a\nb.log"}]}`,
		"reply", "[attached: a b.log]", "10.1",
	},
	"a shared message": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"10.1","text":"<@UBOT> this",` +
			`"attachments":[{"is_share":true,"author_name":"Ada",` +
			`"text":"it fails\nfix it"},{"text":"a preview"}]}`,
		"mention", "this\n> forwarded from Ada:\n> it fails\n> fix it\n> attached: a preview", "10.1",
	},
	"me": {
		`{"type":"message","subtype":"me_message","channel":"C1","user":"U1","ts":"11.1",` +
			`"thread_ts":"10.1","text":"waits"}`,
		"reply", "waits", "10.1",
	},
	"no words": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1","text":""}`, "", "",
		"10.1",
	},
	"our own": {
		`{"type":"message","channel":"C1","user":"UBOT","bot_id":"BBOT","ts":"11.1","thread_ts":"10.1",` +
			`"text":"[deep] Done"}`,
		"", "", "",
	},
	"our own by bot id": {
		`{"type":"message","subtype":"bot_message","channel":"C1","bot_id":"BBOT","ts":"11.1",` +
			`"thread_ts":"10.1","text":"[deep] Done"}`,
		"", "", "",
	},
	"our own by app": {
		`{"type":"message","channel":"C1","user":"U1","app_id":"ABOT","ts":"11.1","thread_ts":"10.1",` +
			`"text":"fix it"}`,
		"", "", "",
	},
	"another bot": {
		`{"type":"message","channel":"C1","user":"U7","bot_id":"B7","ts":"11.1","thread_ts":"10.1",` +
			`"text":"fix it"}`,
		"reply", "fix it", "10.1",
	},
	"another bot's mention": {
		`{"type":"app_mention","channel":"C1","user":"U7","bot_id":"B7","ts":"11.1",` +
			`"text":"<@UBOT> fix it"}`,
		"mention", "fix it", "11.1", // whether it counts is judged by who wrote it
	},
	"a webhook": {
		`{"type":"message","subtype":"bot_message","channel":"C1","username":"ada","ts":"11.1",` +
			`"thread_ts":"10.1","text":"fix it"}`,
		"", "", "",
	},
	"slackbot": {
		`{"type":"message","channel":"C1","user":"USLACKBOT","ts":"11.1","thread_ts":"10.1",` +
			`"text":"fix it"}`,
		"", "", "",
	},
	"nobody": {
		`{"type":"message","channel":"C1","ts":"11.1","thread_ts":"10.1","text":"fix it"}`, "", "", "",
	},
	"a join": {
		`{"type":"message","subtype":"channel_join","channel":"CWATCH","user":"U1","ts":"11.1",` +
			`"text":"<@U1> has joined"}`,
		"", "", "",
	},
	"a topic": {
		`{"type":"message","subtype":"channel_topic","channel":"CWATCH","user":"U1","ts":"11.1",` +
			`"text":"<@UBOT> fix it"}`,
		"", "", "",
	},
	"a mention by an edit": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1",` +
			`"edited":{"user":"U1","ts":"12.0"},"text":"<@UBOT> fix it"}`,
		"sent", "fix it", "10.1",
	},
	"a reaction": {
		`{"type":"reaction_added","user":"U1","reaction":"+1","item":{"type":"message","channel":"C1",` +
			`"ts":"10.1"}}`,
		"", "", "",
	},
	"no channel": {
		`{"type":"message","user":"U1","ts":"11.1","text":"<@UBOT> x"}`, "", "", "",
	},
	"no ts": {
		`{"type":"app_mention","channel":"C1","user":"U1","text":"<@UBOT> x"}`, "", "", "",
	},
	"odd types": {
		`{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1","text":"fix it",` +
			`"files":"none","attachments":{"a":1},"edited":7,"team":[1],"blocks":[{"type":"brand_new",` +
			`"x":{}}]}`,
		"reply", "fix it\n[not read: a block of the kind brand_new]", "10.1",
	},
	"an odd text": {
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"11.1","text":{"a":"b"}}`, "mention", "",
		"11.1",
	},
	"an odd event": {`"fix it"`, "", "", ""},
}

func TestNormaliseMessages(t *testing.T) {
	t.Parallel()
	for name, c := range messageEvents {
		in, ok, reason := reader.Normalise("events_api", callback(c.event))
		require.Equal(t, c.kind != "", ok, "%s: %s", name, reason)
		if !ok {
			require.NotEmpty(t, reason, name)
			continue
		}
		require.Equal(t, c.kind, in.Kind, name)
		require.Equal(t, c.text, in.Text, name)
		require.Equal(t, c.thread, in.Thread.TS, name)
		require.Equal(t, "Ev1", in.EventID, name)
		require.Equal(t, "T1", in.Thread.Team, name)
		if !strings.HasPrefix(name, "another bot") {
			require.Equal(t, "U1", in.User, name)
		}
	}
}

func TestNormaliseEditsAndDeletions(t *testing.T) {
	t.Parallel()
	const was = `{"user":"U1","ts":"11.1","thread_ts":"10.1","text":"it fails"}`
	for name, c := range map[string]struct {
		event string
		kind  workflow.MessageKind
		user  string
		ts    string
		text  string
	}{
		"an edit": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"<@UBOT> it fails for guests","edited":{"user":"U1"}},"previous_message":` +
				was + `}`,
			"edit", "U1", "11.1", "it fails for guests",
		},
		"an edit by another": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"fix it","edited":{"user":"U5"}},"previous_message":` + was + `}`,
			"edit", "U5", "11.1", "fix it",
		},
		"without the old one": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1","text":"x",` +
				`"edited":{"user":"U1"}}}`,
			"edit", "U1", "11.1", "x",
		},
		"an edited table": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"it fails","blocks":[{"type":"table","rows":[[{"type":"raw_text","text":"2"}]]}],` +
				`"edited":{"user":"U1"}},"previous_message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"it fails","blocks":[{"type":"table","rows":[[{"type":"raw_text","text":"1"}]]}]}}`,
			"edit", "U1", "11.1", "it fails\n> shown with it: 2",
		},
		"a preview with words": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"it fails","attachments":[{"from_url":"https://x","title":"T"}]},` +
				`"previous_message":` + was + `}`,
			"preview", "U1", "11.1", "> preview of https://x: T",
		},
		"a preview": {
			`{"subtype":"message_changed","message":{"user":"U1","ts":"11.1","thread_ts":"10.1",` +
				`"text":"it fails","attachments":[{"from_url":"https://x"}]},"previous_message":` + was + `}`,
			"", "", "", "",
		},
		"our own update": {
			`{"subtype":"message_changed","message":{"user":"UBOT","bot_id":"BBOT","ts":"11.1",` +
				`"thread_ts":"10.1","text":"x"},"previous_message":` + was + `}`,
			"", "", "", "",
		},
		"a bot's update": {
			`{"subtype":"message_changed","message":{"user":"U7","bot_id":"B7","ts":"11.1",` +
				`"thread_ts":"10.1","text":"fix it"},"previous_message":` + was + `}`,
			"", "", "", "",
		},
		"nothing": {`{"subtype":"message_changed"}`, "", "", "", ""},
		"a deletion": {
			`{"subtype":"message_deleted","deleted_ts":"11.1","previous_message":` + was + `}`, "delete",
			"U1", "11.1", "",
		},
		"of what is not known": {
			`{"subtype":"message_deleted","deleted_ts":"10.1"}`, "delete", "", "10.1", "",
		},
		"of our own": {
			`{"subtype":"message_deleted","deleted_ts":"11.1","previous_message":{"user":"UBOT",` +
				`"bot_id":"BBOT","ts":"11.1","thread_ts":"10.1"}}`,
			"", "", "", "",
		},
		"of nothing": {`{"subtype":"message_deleted"}`, "", "", "", ""},
		"a tombstone": {
			`{"subtype":"message_changed","message":{"subtype":"tombstone","user":"USLACKBOT","ts":"10.1",` +
				`"thread_ts":"10.1","text":"This message was deleted."},"previous_message":{"user":"U1",` +
				`"ts":"10.1","text":"<@UBOT> it fails"}}`,
			"delete", "U1", "10.1", "",
		},
	} {
		event := strings.Replace(c.event, `{"subtype"`,
			`{"type":"message","channel":"C1","ts":"12.5","event_ts":"12.5","subtype"`, 1)
		in, ok, reason := reader.Normalise("events_api", callback(event))
		require.Equal(t, c.kind != "", ok, "%s: %s", name, reason)
		if !ok {
			continue
		}
		require.Equal(t, c.kind, in.Kind, name)
		require.Equal(t, c.user, in.User, name)
		require.Equal(t, c.ts, in.TS, name)
		require.Equal(t, c.text, in.Text, name)
		require.Equal(t, workflow.Thread{Team: "T1", Channel: "C1", TS: "10.1"}, in.Thread, name)
		require.Equal(t, time.Unix(12, 500_000_000).UTC(), in.At, name)
	}
}

func TestNormalisePresses(t *testing.T) {
	t.Parallel()
	const press = `{"type":"block_actions","user":{"id":"U1","team_id":"T9"},"team":{"id":"T9"},
		"container":{"type":"message","channel_id":"C1","message_ts":"11.1","thread_ts":"10.1"},
		"actions":[{"type":"button","action_id":"option#3","value":"id-3","action_ts":"12.000001"}]}`
	in, ok, reason := reader.Normalise("interactive", []byte(press))
	require.True(t, ok, reason)
	require.Equal(t, workflow.IncomingEvent{
		EventID:  "press:C1:11.1:option#3:U1:12.000001",
		Kind:     workflow.MessageAction,
		Thread:   workflow.Thread{Team: "T1", Channel: "C1", TS: "10.1"},
		TS:       "11.1",
		User:     "U1",
		UserTeam: "T9",
		ActionID: workflow.ButtonOption,
		Value:    "id-3",
		At:       time.Unix(12, 1000).UTC(),
	}, in)

	menu := strings.Replace(press, `"value":"id-3"`, `"selected_option":{"value":"shop"}`, 1)
	in, ok, _ = reader.Normalise("interactive", []byte(menu))
	require.True(t, ok)
	require.Equal(t, "shop", in.Value)

	for name, payload := range map[string]string{
		"another kind": `{"type":"view_submission","user":{"id":"U1"}}`,
		"no action": `{"type":"block_actions","user":{"id":"U1"},"container":{"channel_id":"C1",` +
			`"message_ts":"11.1"},"actions":[]}`,
		"no message": `{"type":"block_actions","user":{"id":"U1"},"container":{"type":"view"},` +
			`"actions":[{"action_id":"x"}]}`,
		"no user": `{"type":"block_actions","container":{"channel_id":"C1","message_ts":"11.1"},` +
			`"actions":[{"action_id":"x"}]}`,
		"not JSON": `{`,
		"odd":      `[]`,
	} {
		_, ok, reason := reader.Normalise("interactive", []byte(payload))
		require.False(t, ok, name)
		require.NotEmpty(t, reason, name)
	}
	_, ok, _ = reader.Normalise("slash_commands", []byte(`{}`))
	require.False(t, ok)
}

// A reaction is read if it is under a message of the bot, or says no under any. Its
// thread is found by the store.
func TestNormaliseReactions(t *testing.T) {
	t.Parallel()
	r := Reader{Self: bot.Self{User: "UBOT", Team: "T1"}, Reactions: map[string][]string{"C1": {"no_entry"}}}
	read := func(kind, user, emoji, of string) (workflow.IncomingEvent, bool) {
		payload := fmt.Sprintf(`{"event_id":"Ev1","event":{"type":"%s","user":"%s","reaction":"%s",`+
			`"item_user":"%s","event_ts":"12.5","item":{"type":"message","channel":"C1","ts":"10.1"}}}`, kind,
			user, emoji, of)
		in, ok, _ := r.Normalise("events_api", []byte(payload))
		return in, ok
	}
	want := workflow.IncomingEvent{
		EventID:  "Ev1",
		Kind:     workflow.MessageReacted,
		ActionID: workflow.ReactionAdded,
		Value:    "+1",
		User:     "U1",
		TS:       "10.1",
		At:       ParseTS("12.5"),
		Thread:   workflow.Thread{Team: "T1", Channel: "C1", TS: "10.1"},
	}
	in, ok := read("reaction_added", "U1", "+1::skin-tone-3", "UBOT")
	require.True(t, ok)
	require.Equal(t, want, in)
	want.ActionID = workflow.ReactionRemoved
	want.Value = "x"
	in, ok = read("reaction_removed", "U1", "x", "U2")
	require.True(t, ok)
	require.Equal(t, want, in)
	for why, c := range map[string][4]string{
		"under another's message":        {"reaction_added", "U1", "tada", "U2"},
		"our own":                        {"reaction_added", "UBOT", "x", "UBOT"},
		"configured to send the message": {"reaction_added", "U1", "no_entry", "U2"},
		"of nobody":                      {"reaction_added", "", "x", "UBOT"},
	} {
		_, ok := read(c[0], c[1], c[2], c[3])
		require.False(t, ok, why)
	}
}

func TestStrangersAreTold(t *testing.T) {
	t.Parallel()
	in, ok, _ := reader.Normalise("events_api", callback(
		`{"type":"message","channel":"C1","user":"U1","team":"T1","user_team":"T9","source_team":"T9",`+
			`"ts":"11.1","thread_ts":"10.1","text":"fix it"}`))
	require.True(t, ok)
	require.Equal(t, "T9", in.UserTeam)
	require.Equal(t, "T1", in.Thread.Team)
}

// FuzzNormalise checks that every payload is either translated or ignored with a reason.
func FuzzNormalise(f *testing.F) {
	f.Add("events_api",
		callback(`{"type":"message","channel":"C1","user":"U1","ts":"1.1","text":"<@UBOT> x"}`))
	f.Add("events_api", callback(`{"type":"message","subtype":"message_changed","channel":"C1",`+
		`"message":{"ts":"1"},"previous_message":null}`))
	f.Add("interactive", []byte(`{"type":"block_actions","actions":[{}]}`))
	for _, seed := range []string{
		`{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1.1",` +
			`"previous_message":{"ts":"1.1","user":"U1"}}`,
		`{"type":"message","channel":"C1","user":"U1","ts":"1.1","text":"a","blocks":[{"type":"rich_text",` +
			`"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"},{"type":"user",` +
			`"user_id":"U2"}]}]}],"files":[{"id":"F1","name":"x","size":1e18}]}`,
		`{"type":"message","channel":"C1","bot_id":"B1","subtype":"bot_message","ts":"1.1",` +
			`"text":"<!channel>"}`,
		`{"type":"reaction_added","user":"U1","item":{"type":"message","channel":"C1","ts":"1.1"},` +
			`"reaction":"+1"}`,
	} {
		f.Add("events_api", callback(seed))
	}
	f.Add("interactive", []byte(`{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1",`+
		`"team_id":"T1"},"channel":{"id":"C1"},"container":{"message_ts":"1.2","thread_ts":"1.1"},`+
		`"message":{"ts":"1.2","thread_ts":"1.1"},"actions":[{"action_id":"approve","value":"x",`+
		`"action_ts":"3.3","type":"button"}]}`))
	f.Add("interactive", []byte(`{"type":"view_submission","view":{"id":"V1",`+
		`"state":{"values":{"a":{"b":{"value":"c"}}}}},"user":{"id":"U1"}}`))
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		in, ok, reason := reader.Normalise(kind, payload)
		require.Equal(t, ok, reason == "")
		if ok {
			require.NotEmpty(t, in.EventID)
			require.NotEmpty(t, in.Thread.Channel)
			require.NotEmpty(t, in.TS)
		}
	})
}
