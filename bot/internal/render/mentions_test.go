package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestOnlyThoseOfTheConfigurationAreCalled(t *testing.T) {
	t.Parallel()
	r := Style{Mentionable: []string{"U1", "S2", "<!channel>", "here"}}
	l := workflow.Line{Agent: "deep", Text: "see <@U1> and <!subteam^S2>", Mentions: []string{"U1", "U9", "S2", "<!channel>", "here", ""}}
	posting := workflow.Posting{Key: "k", Lines: []workflow.Line{l}}
	require.Equal(t, "[deep] see &lt;@U1&gt; and &lt;!subteam^S2&gt;\nFor <@U1> <!subteam^S2>", r.renderParts(&posting)[0].Text)
	require.Equal(t, "[deep] see &lt;@U1&gt; and &lt;!subteam^S2&gt;", Style{}.renderParts(&posting)[0].Text)
	require.Equal(t, "[deep] see &lt;@U1&gt; and &lt;!subteam^S2&gt;\nFor <@U1> <@U9>", Style{MentionsOwners: true}.renderParts(&posting)[0].Text)
}
