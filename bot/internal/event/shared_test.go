package event

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

func TestCommandsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`[]`, `{`, `{}`, `{"command":"/diagnose","text":"x","user_id":"U1"}`,
		`{"command":"/diagnose","text":"x","channel_id":7,"user_id":"U1"}`,
	} {
		_, err := Reader{}.ReadCommand("e1", []byte(payload))
		require.Error(t, err, payload)
	}
	c, err := Reader{}.ReadCommand("e1",
		[]byte(`{"command":"/diagnose","text":["x"],"channel_id":"C1","user_id":"U1","brand_new":{}}`))
	require.NoError(t, err)
	require.Equal(t, "e1", c.Key, "the envelope's id stands in for a trigger")
	require.NotEmpty(t, c.Help())
}

// TestForwardedBlocksAreQuoted checks that a forwarded message without text is quoted from its blocks.
func TestForwardedBlocksAreQuoted(t *testing.T) {
	t.Parallel()
	in, _ := normalised(t,
		`{"type":"message","channel":"C1","user":"U1","ts":"1.1","text":"<@UBOT> look",
		"attachments":[{"is_share":true,"author_name":"bea",
		"message_blocks":[{"message":{"blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"it fails for "},
		{"type":"user","user_id":"U7"},{"type":"link","url":"https://x.example"}]},{"type":"rich_text_preformatted","elements":[{"type":"text","text":"panic"}]}]}]}}]}]}`)
	require.Contains(t, in.Text, "> forwarded from bea:\n> it fails for <@U7><https://x.example>\n> ```\n> "+
		"panic\n> ```")
}

func normalised(t *testing.T, event string) (workflow.IncomingEvent, bool) {
	t.Helper()
	in, ok, _ := Reader{
		Self: bot.Self{Team: "T1", User: "UBOT"},
	}.Normalise("events_api", []byte(`{"type":"event_callback","event_id":"E1","event":`+event+`}`))
	return in, ok
}
