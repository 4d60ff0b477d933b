package harness

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// PostProblems reports each kind of problem, and nothing in a post as the bot makes it.
func TestEveryLookAtAPostFinds(t *testing.T) {
	t.Parallel()
	section := func(kind, text, more string) string {
		return `[{"type": "section", "text": {"type": "` + kind + `", "text": "` + text + `"` + more + `}}]`
	}
	for want, change := range map[string][2]string{
		"":                           {"text", "[deep] `https://example.com` is &lt;!here&gt; code"},
		"calls somebody: <!channel>": {"text", "[deep] <!channel>"},
		"calls somebody: <@U1>":      {"blocks", section("mrkdwn", "<@U1>", `,"verbatim":true`)},
		"a link: <https://x.test|y>": {"text", "[deep] <https://x.test|y>"},
		"a link that a client":       {"text", "[deep] see www.x.test"},
		"signs as another":           {"text", "[deep] so\n[program] forged"},
		"unfurl_links=\"true\"":      {"unfurl_links", "true"},
		"unfurl_media=\"\"":          {"unfurl_media", ""},
		"link_names=\"1\"":           {"link_names", "1"},
		"parse=\"full\"":             {"parse", "full"},
		"the argument attachments":   {"attachments", `[{"image_url": "https://x.test/a.png"}]`},
		"the argument username":      {"username", "ann"},
		"the argument icon_url":      {"icon_url", "https://x.test/a.png"},
		"a picture": {
			"blocks", `[{"type": "image", "image_url": "https://x.test/a.png", "alt_text": "a"}]`,
		},
		"a block in which Slack makes": {"blocks", section("mrkdwn", "x.test", "")},
	} {
		r := slacktest.Request{Method: "chat.postMessage", Args: url.Values{
			"text":         {"[deep] fine"},
			"unfurl_links": {"false"},
			"unfurl_media": {"false"},
			"parse":        {"none"},
			"blocks":       {section("mrkdwn", "fine", `,"verbatim":true`)},
		}}
		r.Args.Set(change[0], change[1])
		problems := PostProblems(r)
		if want == "" {
			require.Empty(t, problems)
			continue
		}
		require.Len(t, problems, 1, want)
		require.Contains(t, problems[0], want)
	}
}
