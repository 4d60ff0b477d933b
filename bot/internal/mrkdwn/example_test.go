package mrkdwn_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// A model's Markdown becomes Slack's; what would be a command to Slack becomes text.
func ExampleRenderer_Render() {
	r := mrkdwn.Renderer{Links: []string{"https://github.com/acme/"}}
	fmt.Println(r.Render("**Done**: see [the pull request](https://github.com/acme/shop/pull/1), <!channel>", nil))
	fmt.Println(r.Render("[click here](https://evil.example/)", nil))
	// Output:
	// *Done*: see <https://github.com/acme/shop/pull/1|the pull request>, &lt;!channel&gt;
	// click here (`https://evil.example/`)
}
