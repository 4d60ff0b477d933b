package slacktest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

// judgedBlocks are blocks, and what Slack says of each; nothing if it takes the block.
var judgedBlocks = map[string]struct{ block, says string }{
	"section too long": {
		`{"type":"section","text":{"type":"mrkdwn","text":"` + long(3001) + `"}}`,
		"must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
	},
	"section fits":  {`{"type":"section","text":{"type":"mrkdwn","text":"` + long(3000) + `"}}`, ""},
	"section empty": {`{"type":"section"}`, "missing required field: text [json-pointer:/blocks/0]"},
	"section empty text": {
		`{"type":"section","text":{"type":"mrkdwn","text":""}}`,
		"must be more than 0 characters [json-pointer:/blocks/0/text/text]",
	},
	"field too long": {
		`{"type":"section","fields":[{"type":"mrkdwn","text":"` + long(2001) + `"}]}`,
		"must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]",
	},
	"header too long": {
		`{"type":"header","text":{"type":"plain_text","text":"` + long(151) + `"}}`,
		"must be less than 151 characters [json-pointer:/blocks/0/text/text]",
	},
	"header in mrkdwn": {
		`{"type":"header","text":{"type":"mrkdwn","text":"x"}}`,
		"unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]",
	},
	"unknown type": {
		`{"type":"hologram"}`, "unsupported type: hologram [json-pointer:/blocks/0/type]",
	},
	"no elements": {
		`{"type":"actions","elements":[]}`,
		"no less than 1 item required [json-pointer:/blocks/0/elements]",
	},
	"text in actions": {
		`{"type":"actions","elements":[{"type":"plain_text","text":"x"}]}`,
		"unsupported type: plain_text [json-pointer:/blocks/0/elements/0]",
	},
	"button value": {
		button(`,"value":"` + long(2001) + `"`),
		"must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
	},
	"button style": {
		button(`,"style":"loud"`),
		"must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]",
	},
	"button fits": {button(`,"value":"` + long(2000) + `","style":"danger","action_id":"a"`), ""},
	"same action twice": {
		`{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text",` +
			`"text":"1"}},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"2"}}]}`,
		"`action_id` \"a\" already exists for this block [json-pointer:/blocks/0/elements/1/action_id]",
	},
	"menu without options": {
		`{"type":"actions","elements":[{"type":"static_select"}]}`,
		"no less than 1 item required [json-pointer:/blocks/0/elements/0/options]",
	},
	"option without value": {
		`{"type":"actions","elements":[{"type":"static_select","options":[{"text":{"type":"plain_text",` +
			`"text":"x"}}]}]}`,
		"missing required field: value [json-pointer:/blocks/0/elements/0/options/0]",
	},
	"overflow fits": {overflow(5, `"text":{"type":"plain_text","text":"`+long(75)+`"},"value":"`+
		long(150)+`"`,
		`,"confirm":{"title":{"type":"plain_text","text":"Sure?"},"text":{"type":"plain_text","text":"`+
			long(300)+`"},"confirm":{"type":"plain_text","text":"`+long(30)+`"},`+
			`"deny":{"type":"plain_text","text":"No"},"style":"danger"}`), ""},
	"overflow with six options": {
		overflow(6, `"text":{"type":"plain_text","text":"x"},"value":"y"`, ""),
		"no more than 5 items allowed [json-pointer:/blocks/0/elements/0/options]",
	},
	"option text too long": {
		overflow(1, `"text":{"type":"plain_text","text":"`+long(76)+`"},"value":"y"`, ""),
		"must be less than 76 characters [json-pointer:/blocks/0/elements/0/options/0/text/text]",
	},
	"option value too long": {
		overflow(1, `"text":{"type":"plain_text","text":"x"},"value":"`+long(151)+`"`, ""),
		"must be less than 151 characters [json-pointer:/blocks/0/elements/0/options/0/value]",
	},
	"option in mrkdwn": {
		overflow(1, `"text":{"type":"mrkdwn","text":"x"},"value":"y"`, ""),
		"unsupported type: mrkdwn [json-pointer:/blocks/0/elements/0/options/0/text/type]",
	},
	"confirm without a question": {
		button(`,"confirm":{"title":{"type":"plain_text","text":"Sure?"}}`),
		"missing required field: text [json-pointer:/blocks/0/elements/0/confirm]",
	},
	"confirm title too long": {
		button(`,"confirm":{"title":{"type":"plain_text","text":"` + long(101) + `"}}`),
		"must be less than 101 characters [json-pointer:/blocks/0/elements/0/confirm/title/text]",
	},
	"markdown too long": {
		`{"type":"markdown","text":"` + long(12_001) + `"}`,
		"markdown text must be less than 12001 characters [json-pointer:/blocks]",
	},
	"markdown fits": {`{"type":"markdown","text":"` + long(12_000) + `"}`, ""},
	"image without alt": {
		`{"type":"image","image_url":"https://x.test/a.png"}`,
		"missing required field: alt_text [json-pointer:/blocks/0]",
	},
	"plan fits": {
		`{"type":"plan","title":"Work","tasks":[{"type":"task_card","task_id":"1","title":"look",` +
			`"status":"in_progress"}]}`,
		"",
	},
	"task status": {
		`{"type":"task_card","task_id":"1","title":"look","status":"busy"}`,
		"must be one of: pending, in_progress, complete, error [json-pointer:/blocks/0/status]",
	},
	"rich text": {
		`{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text",` +
			`"text":"x"}]}]}`,
		"",
	},
}

func TestBlockRules(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	for name, c := range judgedBlocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, answer := o.raw("chat.postMessage", url.Values{
				"token":   {o.App().BotToken},
				"channel": {o.bugs.ID},
				"blocks":  {"[" + c.block + "]"},
				"text":    {"x"},
			})
			if c.says == "" {
				require.Equal(t, true, answer["ok"], answer)
				return
			}
			require.Equal(t, "invalid_blocks", answer["error"], answer)
			require.Contains(t, answer["errors"], c.says)
			meta, _ := answer["response_metadata"].(map[string]any)
			require.Contains(t, meta["messages"], "[ERROR] "+c.says)
		})
	}
}

// long returns a text of n characters.
func long(n int) string { return strings.Repeat("x", n) }

// button returns a block with one button that has these fields, too.
func button(fields string) string {
	return `{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Go"}` +
		fields + `}]}`
}

// overflow returns a block with an overflow menu of n options that have these fields.
func overflow(n int, option, fields string) string {
	return `{"type":"actions","elements":[{"type":"overflow","options":[{` +
		strings.Join(slices.Repeat([]string{option}, n), "},{") + `}]` + fields + `}]}`
}

func TestTooManyAndTooMuch(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	dividers := make([]slack.Block, 51)
	for i := range dividers {
		dividers[i] = slack.NewDividerBlock()
	}
	_, _, err := o.api.PostMessage(o.bugs.ID, slack.MsgOptionBlocks(dividers...))
	var answer slack.SlackErrorResponse
	require.ErrorAs(t, err, &answer)
	require.Equal(t, "invalid_blocks", answer.Err)
	require.Equal(t, []string{"[ERROR] no more than 50 items allowed [json-pointer:/blocks]"},
		answer.ResponseMetadata.Messages)
	o.post(slack.MsgOptionBlocks(dividers[:50]...))

	var sections []slack.Block
	for range 5 {
		sections = append(sections, slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn",
			strings.Repeat("x", 2900), false, false), nil, nil))
	}
	_, _, err = o.api.PostMessage(o.bugs.ID, slack.MsgOptionBlocks(sections...))
	refused(t, err, "msg_blocks_too_long")
}

func TestBlocksAndButtonsGetIDs(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	blocks := `[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text",` +
		`"text":"Go"}}]},{"type":"divider","block_id":"mine"}]`
	o.raw("chat.postMessage",
		url.Values{"token": {o.App().BotToken}, "channel": {o.bugs.ID}, "blocks": {blocks}})
	m := o.Channel("bugs")[0]
	var got []map[string]any
	require.NoError(t, json.Unmarshal(m.Blocks, &got))
	require.NotEmpty(t, got[0]["block_id"])
	require.Equal(t, "mine", got[1]["block_id"])
	controls := m.Controls()
	require.Len(t, controls, 1)
	require.NotEmpty(t, controls[0].ActionID)
	require.Equal(t, "Go", controls[0].Text)

	again := `[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"a"}]`
	_, answer := o.raw("chat.postMessage",
		url.Values{"token": {o.App().BotToken}, "channel": {o.bugs.ID}, "blocks": {again}})
	require.Equal(t, "invalid_blocks", answer["error"])
}

func TestAPersonsMessageHasRichText(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.say("hi <@"+o.ben.ID+"> see <https://x.test|this> &amp; <#"+o.bugs.ID+">", "")
	m := o.Channel("bugs")[0]
	require.JSONEq(t, `[{"type":"rich_text","block_id":"`+blockID(t, m)+
		`","elements":[{"type":"rich_text_section","elements":[
		{"type":"text","text":"hi "},{"type":"user","user_id":"`+o.ben.ID+`"},{"type":"text","text":" see "},
		{"type":"link","url":"https://x.test","text":"this"},{"type":"text","text":" & "},
		{"type":"channel","channel_id":"`+
		o.bugs.ID+`"}]}]}]`, string(m.Blocks))
	require.Equal(t, "hi @ben see this & #bugs", o.Readable(m.Text))
}
