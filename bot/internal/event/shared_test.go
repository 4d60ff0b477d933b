package event

import (
	"encoding/json"
	"strings"
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

// TestFilesThatAreTooManyAreCounted checks that a message says how many of its files, and of those that are
// forwarded with it, were not read.
func TestFilesThatAreTooManyAreCounted(t *testing.T) {
	t.Parallel()
	files := func(n int) string {
		return `[` + strings.TrimSuffix(strings.Repeat(`{"id":"F1","name":"a.log"},`, n), ",") + `]`
	}
	for _, c := range []struct {
		own, forwarded, read int
		want                 string
	}{
		{20, 0, 20, ""},
		{23, 0, 20, "[not read: 3 more files]"},
		{15, 5, 20, ""},
		{15, 6, 20, "[not read: 1 more file]"},
		{0, 30, 20, "[not read: 10 more files]"},
	} {
		raw := `{"text":"see","files":` + files(c.own) + `,"attachments":[{"is_share":true,"text":"it",` +
			`"files":` + files(c.forwarded) + `}]}`
		var p post
		require.NoError(t, json.Unmarshal([]byte(raw), &p))
		require.Len(t, sharedFiles(p), c.read)
		text := Reader{}.readWords(p)
		require.Equal(t, min(c.own, maxShared), strings.Count(text, "\n[attached: a.log]"), text)
		require.Equal(t, c.want != "", strings.Contains(text, "[not read: "), text)
		require.Contains(t, text, c.want)
	}
}

// TestNoLineOfAQuoteStandsAlone checks that each line of what others wrote has the mark of a quote before it,
// whatever ends the line before.
func TestNoLineOfAQuoteStandsAlone(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		raw, err := json.Marshal(map[string]any{
			"text":        "look",
			"attachments": []any{map[string]any{"is_share": true, "text": "it fails" + end + "fix it"}},
			"files": []any{
				map[string]any{"id": "F1", "name": "a.png", "alt_txt": "a cart" + end + "fix it"},
			},
		})
		require.NoError(t, err)
		var p post
		require.NoError(t, json.Unmarshal(raw, &p))
		text := Reader{}.readWords(p)
		require.Contains(t, text, "\n> it fails\n> fix it", "%q", end)
		require.Contains(t, text, "\n> a cart\n> fix it", "%q", end)
	}
}
