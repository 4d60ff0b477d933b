package deliveries

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// A deed is one kind of thing that people, Slack or other apps do, with its expected effect.
type deed struct {
	name    string
	direct  bool // happens in a direct conversation
	watched bool // happens in a watched channel
	before  func(*eventCase)
	happens func(*eventCase)
	frames  []string // sent unchanged, over any connection
	want    []string // all rows of the inbox at the end, and the lines that follow from them
	silent  bool     // the bot posts no lines
	command string   // first word of the one thread that the bot begins
}

// actions are the bot's buttons, and one action that it does not know.
var actions = []string{
	"fix_it", "correct", "confirm", "option", "option", "wrap_up", "consult", "stop", "change_repository",
	"brand_new",
}

// forgetful is SQL for a trigger that undoes the first update of each inbox row that marks it as handled.
const forgetful = `create table again (id bigint);
	create function forget() returns trigger language plpgsql as $$ begin
		if not exists (select 1 from again where id = new.id) then
			insert into again values (new.id);
			new.handled_at := null;
		end if;
		return new;
	end $$;
	create trigger forget before update on inbox for each row execute function forget()`

func (ec *eventCase) must(err error) { require.NoError(ec.t, err, ec.name) }

// say posts as ann, in the case's thread if there is one.
func (ec *eventCase) say(text string) string { return ec.sayAs(ec.ann, text) }

func (ec *eventCase) sayAs(user, text string) string {
	ts, err := ec.slack.Say(ec.channel, user, text, ec.root)
	ec.must(err)
	return ts
}

// bound begins a thread that belongs to a session.
func bound(c *eventCase) { c.root = c.say(c.slack.Mention() + " look") }

// quiet begins a thread of a session in which the bot posts nothing.
func quiet(c *eventCase) { c.root = c.say(c.slack.Mention() + " quiet") }

// unbound begins a thread that belongs to no session.
func unbound(c *eventCase) { c.root = c.say("lunch?") }

func directly(c *eventCase) { c.root = c.say("look") }

func shown(c *eventCase) { c.root = c.say(c.slack.Mention() + " buttons") }

// standing posts a message, drops its events and returns its message event, so that the case can send
// another.
func (ec *eventCase) standing(text string) (event map[string]any) {
	ts := ec.say(text)
	ec.slack.Lose(func(d slacktest.Delivery) bool {
		if e := inner(d); e["ts"] == ts && e["type"] == "message" {
			event = e
		}
		return inner(d)["ts"] == ts
	})
	require.NotNil(ec.t, event, ec.name)
	return event
}

func inner(d slacktest.Delivery) map[string]any {
	var payload struct {
		Event map[string]any `json:"event"`
	}
	_ = json.Unmarshal(d.Payload, &payload)
	return payload.Event
}

func (ec *eventCase) emit(event map[string]any) { ec.must(ec.slack.Emit(ec.channel, event)) }

// with sets a field of an event, or deletes it if value is nil, and returns the event.
func with(event map[string]any, field string, value any) map[string]any {
	event[field] = value
	if value == nil {
		delete(event, field)
	}
	return event
}

// press clicks a button of the newest message with buttons, or of the oldest.
func (ec *eventCase) press(user, action string, oldest bool) {
	var found string
	for _, m := range ec.slack.Thread(ec.channel, ec.root) {
		if len(m.Pressable()) > 0 && (found == "" || !oldest) {
			found = m.TS
		}
	}
	ec.must(ec.slack.Click(ec.channel, found, action, user))
}

func press(action string) func(*eventCase) {
	return func(c *eventCase) { c.press(c.ann, action, false) }
}

// own posts as the bot itself, without its poster.
func (ec *eventCase) own(text string) {
	r, err := http.PostForm(ec.slack.URL()+"chat.postMessage", url.Values{
		"token": {ec.slack.App().BotToken}, "channel": {ec.channel}, "text": {text}, "thread_ts": {ec.root},
	})
	ec.must(err)
	r.Body.Close()
}

func command(word, text string) func(*eventCase) {
	return func(c *eventCase) { c.must(c.slack.Command(c.channel, c.ann, word, text)) }
}

// last returns the ts of ann's newest message in the thread.
func (ec *eventCase) last() string {
	thread := ec.slack.Thread(ec.channel, ec.root)
	for i := len(thread) - 1; ; i-- {
		if thread[i].User == ec.ann {
			return thread[i].TS
		}
	}
}

var deeds = slices.Concat(mentions, replies, changes, presses, slashes, strangers, odd)

var mentions = []deed{
	{name: "mention", happens: bound, want: []string{"mention look"}},
	{
		name: "mention in a thread of people's", before: unbound,
		happens: func(c *eventCase) { c.say(c.slack.Mention() + " look") }, want: []string{"mention look"},
	},
	{
		name:    "mention in its own thread",
		before:  bound,
		happens: func(c *eventCase) { c.say("and " + c.slack.Mention() + " this") },
		want:    []string{"mention look", "mention and this"},
	},
	{
		name:    "the message half of a mention",
		happens: func(c *eventCase) { c.emit(c.standing(c.slack.Mention() + " half")) },
		want:    []string{"mention half"},
	},
	{
		name: "the app_mention half of a mention",
		happens: func(c *eventCase) {
			c.emit(with(c.standing(c.slack.Mention()+" half"), "type", "app_mention"))
		},
		want: []string{"mention half"},
	},
	{name: "direct message", direct: true, happens: directly, want: []string{"mention look"}},
	{
		name:    "reply in a direct conversation",
		direct:  true,
		before:  directly,
		happens: func(c *eventCase) { c.say("more") },
		want:    []string{"mention look", "mention more"},
	},
	{name: "message in a watched channel", watched: true, happens: directly, want: []string{"reply look"}},
	{name: "mention in a watched channel", watched: true, happens: bound, want: []string{"mention look"}},
	{
		name:    "reply in a watched channel",
		watched: true,
		before:  directly,
		happens: func(c *eventCase) { c.say("more") },
		want:    []string{"reply look", "reply more"},
	},
	{
		name: "mention with a file", happens: func(c *eventCase) {
			_, err := c.slack.Share(c.channel, c.ann, c.slack.Mention()+" see", "", "log.txt")
			c.must(err)
		},
		want: []string{"mention see [attached: log.txt]"},
	},
	{
		name: "mention that the client library cannot decode",
		happens: func(c *eventCase) {
			c.emit(with(with(c.standing(c.slack.Mention()+" odd"), "blocks", 7), "files", "x"))
		},
		want: []string{"mention odd"},
	},
}

var replies = []deed{
	{
		name:    "plain reply",
		before:  bound,
		happens: func(c *eventCase) { c.say("more") },
		want:    []string{"mention look", "reply more"},
	},
	{name: "two replies alike", before: bound, happens: func(c *eventCase) {
		c.say("more")
		c.say("more")
	}, want: []string{"mention look", "reply more", "reply more"}},
	{
		name:    "stop",
		before:  bound,
		happens: func(c *eventCase) { c.say("stop") },
		want:    []string{"mention look", "reply stop"},
	},
	{
		name: "reply with a file", before: bound, happens: func(c *eventCase) {
			_, err := c.slack.Share(c.channel, c.ann, "", c.root, "log.txt")
			c.must(err)
		},
		want: []string{"mention look", "reply [attached: log.txt]"},
	},
	{
		name: "reply that is sent to the channel too", before: bound, happens: func(c *eventCase) {
			_, err := c.slack.Broadcast(c.channel, c.ann, "to all", c.root)
			c.must(err)
		},
		want: []string{"mention look", "reply to all"},
	},
	{
		name:    "me_message",
		before:  bound,
		happens: func(c *eventCase) { c.emit(with(c.standing("shrugs"), "subtype", "me_message")) },
		want:    []string{"mention look", "reply shrugs"},
	},
	{name: "plain reply to nobody", before: unbound, happens: func(c *eventCase) { c.say("soup") }},
	{name: "plain message to nobody", happens: unbound},
}

var changes = []deed{
	{
		name:   "edit of the request",
		before: bound,
		happens: func(c *eventCase) {
			c.must(c.slack.Edit(c.channel, c.root, c.slack.Mention()+" look here"))
		},
		want: []string{"mention look", "edit look here"},
	},
	{
		name: "edit of a reply",
		before: func(c *eventCase) {
			bound(c)
			c.say("more")
		},
		happens: func(c *eventCase) { c.must(c.slack.Edit(c.channel, c.last(), "less")) },
		want:    []string{"mention look", "reply more", "edit less"},
	},
	{
		name: "edit that adds a mention",
		before: func(c *eventCase) {
			bound(c)
			c.say("more")
		},
		happens: func(c *eventCase) { c.must(c.slack.Edit(c.channel, c.last(), c.slack.Mention()+" less")) },
		want:    []string{"mention look", "reply more", "edit less"},
	},
	{
		name: "two edits", before: bound,
		happens: func(c *eventCase) {
			c.must(c.slack.Edit(c.channel, c.root, "look here"))
			c.must(c.slack.Edit(c.channel, c.root, "look there"))
		},
		want: []string{"mention look", "edit look here", "edit look there"},
	},
	{
		name:   "preview of a link",
		before: bound,
		happens: func(c *eventCase) {
			c.must(c.slack.Unfurl(c.channel, c.root, "https://example.com", "",
				""))
		},
		want: []string{"mention look"},
	},
	{
		name:    "deletion of the request",
		before:  bound,
		happens: func(c *eventCase) { c.must(c.slack.Delete(c.channel, c.root)) },
		want:    []string{"mention look", "delete"},
	},
	{
		name:    "deletion of a request without replies",
		before:  quiet,
		happens: func(c *eventCase) { c.must(c.slack.Delete(c.channel, c.root)) },
		want:    []string{"mention quiet", "delete"},
		silent:  true,
	},
	{
		name: "deletion of a reply",
		before: func(c *eventCase) {
			bound(c)
			c.say("more")
		},
		happens: func(c *eventCase) { c.must(c.slack.Delete(c.channel, c.last())) },
		want:    []string{"mention look", "reply more", "delete"},
	},
	{
		name: "edit and deletion in a thread of people's", before: unbound,
		happens: func(c *eventCase) {
			c.must(c.slack.Edit(c.channel, c.root, "dinner?"))
			c.must(c.slack.Delete(c.channel, c.root))
		},
	},
}

var presses = []deed{
	{
		name:    "fix_it",
		before:  shown,
		happens: press("fix_it"),
		want:    []string{"mention buttons", "action fix_it"},
	},
	{
		name:    "correct",
		before:  shown,
		happens: press("correct"),
		want:    []string{"mention buttons", "action correct"},
	},
	{
		name:    "confirm",
		before:  shown,
		happens: press("confirm"),
		want:    []string{"mention buttons", "action confirm"},
	},
	{
		name:    "option",
		before:  shown,
		happens: press("option"),
		want:    []string{"mention buttons", "action option"},
	},
	{
		name:    "the second option",
		before:  shown,
		happens: press("option#2"),
		want:    []string{"mention buttons", "action option"},
	},
	{
		name:    "wrap_up",
		before:  shown,
		happens: press("wrap_up"),
		want:    []string{"mention buttons", "action wrap_up"},
	},
	{
		name:    "consult",
		before:  shown,
		happens: press("consult"),
		want:    []string{"mention buttons", "action consult"},
	},
	{
		name:    "stop button",
		before:  shown,
		happens: press("stop"),
		want:    []string{"mention buttons", "action stop"},
	},
	{
		name:    "change_repository",
		before:  shown,
		happens: press("change_repository"),
		want:    []string{"mention buttons", "action change_repository"},
	},
	{
		name:    "unknown action",
		before:  shown,
		happens: press("brand_new"),
		want:    []string{"mention buttons", "action brand_new"},
	},
	{
		name: "two people press", before: shown,
		happens: func(c *eventCase) {
			c.press(c.ann, "fix_it", false)
			c.press(c.ben, "fix_it", false)
		},
		want: []string{"mention buttons", "action fix_it", "action fix_it"},
	},
	{
		name: "stale button", before: func(c *eventCase) {
			shown(c)
			c.echoBots.settle()
			c.say("anew")
		},
		happens: func(c *eventCase) { c.press(c.ann, "fix_it", true) },
		want:    []string{"mention buttons", "reply anew", "action fix_it (stale)"},
	},
	{
		name:    "message sent by the shortcut",
		before:  bound,
		happens: func(c *eventCase) { c.must(c.slack.Shortcut(c.channel, c.root, "send_to_bobbin", c.ann)) },
		want:    []string{"mention look", "sent lookshortcut"},
	},
	{
		name:    "another shortcut on a message",
		before:  bound,
		happens: func(c *eventCase) { c.must(c.slack.Shortcut(c.channel, c.root, "x", c.ann)) },
		want:    []string{"mention look"},
	},
}

var slashes = []deed{
	{
		name:    "/grill-me",
		happens: command("/grill-me", "refunds"),
		want:    []string{"mention /grill-me refunds"},
		command: "/grill-me",
	},
	{
		name:    "/start-work",
		happens: command("/start-work", "refunds"),
		want:    []string{"mention /start-work refunds"},
		command: "/start-work",
	},
	{
		name:    "/diagnose",
		happens: command("/diagnose", "refunds"),
		want:    []string{"mention /diagnose refunds"},
		command: "/diagnose",
	},
	{
		name:    "/consult",
		happens: command("/consult", "refunds?"),
		want:    []string{"mention /consult refunds?"},
		command: "/consult",
	},
	{name: "command without words", happens: command("/grill-me", "")},
	{name: "unknown command", happens: command("/deploy", "now")},
}

var strangers = []deed{
	{
		name:    "mention by somebody of another workspace",
		happens: func(c *eventCase) { c.sayAs(c.eve, c.slack.Mention()+" look") },
		want:    []string{"mention look"},
	},
	{
		name:    "reply by somebody of another workspace",
		before:  bound,
		happens: func(c *eventCase) { c.sayAs(c.eve, "more") },
		want:    []string{"mention look", "reply more"},
	},
	{
		name: "mention by another app", happens: func(c *eventCase) {
			_, err := c.slack.SayAsBot(c.channel, c.slack.AddBot(slacktest.User{Name: "other"}).ID,
				c.slack.Mention()+" look", "")
			c.must(err)
		},
		want: []string{"mention look"},
	},
	{
		name: "bot_message of a webhook", before: bound, happens: func(c *eventCase) {
			_, err := c.slack.SayAsBot(c.channel, c.slack.AddBot(slacktest.User{Name: "hook", Hook: true}).ID,
				c.slack.Mention()+" alarm", c.root)
			c.must(err)
		},
		want: []string{"mention alarm", "mention look"},
	},
	{
		name:    "our own reply",
		before:  bound,
		happens: func(c *eventCase) { c.own(c.slack.Mention() + " to myself") },
		want:    []string{"mention look"},
	},
	{
		name:    "our own message in a watched channel",
		watched: true,
		happens: func(c *eventCase) { c.own(c.slack.Mention() + " to myself") },
	},
	{
		name:    "Slackbot",
		before:  bound,
		happens: func(c *eventCase) { c.emit(with(c.standing("a reminder"), "user", "USLACKBOT")) },
		want:    []string{"mention look"},
	},
}

var odd = []deed{
	{
		name:    "reaction",
		before:  bound,
		happens: func(c *eventCase) { c.must(c.slack.React(c.channel, c.root, c.ann, "tada")) },
		want:    []string{"mention look"},
	},
	{
		name: "reaction taken away",
		before: func(c *eventCase) {
			bound(c)
			c.must(c.slack.React(c.channel, c.root, c.ann, "tada"))
		},
		happens: func(c *eventCase) { c.must(c.slack.Unreact(c.channel, c.root, c.ann, "tada")) },
		want:    []string{"mention look"},
	},
	{name: "member_joined_channel", watched: true, happens: func(c *eventCase) {
		c.must(c.slack.Join(c.channel, c.slack.AddUser(slacktest.User{Name: "new-" + c.channel}).ID))
	}},
	{
		name:    "member_left_channel",
		watched: true,
		happens: func(c *eventCase) { c.must(c.slack.Leave(c.channel, c.ben)) },
	},
	{name: "channel_rename", happens: func(c *eventCase) {
		c.emit(map[string]any{
			"type":    "channel_rename",
			"channel": map[string]any{"id": c.channel, "name": "renamed"},
		})
	}},
	{
		name:    "channel_topic",
		watched: true,
		happens: func(c *eventCase) { c.emit(with(c.standing("set the topic"), "subtype", "channel_topic")) },
	},
	{name: "app_home_opened", happens: func(c *eventCase) { c.must(c.slack.OpenHome(c.ben)) }},
	{name: "subteam_members_changed", happens: func(c *eventCase) {
		c.must(c.slack.ChangeGroup(c.slack.AddGroup(slacktest.UserGroup{}).ID, []string{c.ann}))
	}},
	{
		name: "unknown event type",
		happens: func(c *eventCase) {
			c.emit(map[string]any{"type": "brand_new_thing", "channel": c.channel})
		},
	},
	{
		name:    "event of an odd type",
		happens: func(c *eventCase) { c.emit(map[string]any{"type": 7, "channel": []string{c.channel}}) },
	},
	{
		name:    "message without a ts",
		happens: func(c *eventCase) { c.emit(with(c.standing(c.slack.Mention()+" when?"), "ts", nil)) },
	},
	{
		name:    "message without a channel",
		happens: func(c *eventCase) { c.emit(with(c.standing(c.slack.Mention()+" where?"), "channel", nil)) },
	},
	{
		name:    "message without a writer",
		happens: func(c *eventCase) { c.emit(with(c.standing(c.slack.Mention()+" who?"), "user", nil)) },
	},
	{name: "frames that are no envelopes", frames: []string{
		`{`, `[]`, `"x"`, `null`, "\x00\xff", `{"type":"hello","num_connections":"many"}`,
		`{"type":"hello","num_connections":2}`, `{"type":"brand_new"}`,
		`{"type":"disconnect","reason":"warning"}`,
	}},
	{name: "envelopes that cannot be read", frames: []string{
		`{"envelope_id":"e1","type":"brand_new","payload":{}}`,
		`{"envelope_id":"e2","type":"interactive","payload":["x"]}`,
		`{"envelope_id":"e3","type":"events_api","payload":5}`,
		`{"envelope_id":"e4","type":"slash_commands","payload":{"command":7}}`,
		`{"envelope_id":"e5","type":"events_api","payload":{"type":"event_callback",` +
			`"event":{"type":"app_mention","channel":"C1","user":"U1","ts":"1.1","text":"no id"}}}`,
		`{"envelope_id":"e6","type":"events_api","payload":{"type":"event_callback","event_id":"EvOdd",` +
			`"event":["x"]}}`,
		`{"envelope_id":"e7","type":"interactive","payload":{"type":"block_actions",` +
			`"actions":[{"action_id":"fix_it"}]}}`,
	}},
}
