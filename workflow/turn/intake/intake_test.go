package intake

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestWhoIsAddressed(t *testing.T) {
	t.Parallel()
	for text, elsewhere := range map[string]bool{
		"<@U2> can you look?":       true,
		" <@U2|bea> look":           true,
		"also for coupons, <@U2>":   false,
		"fix it":                    false,
		"<#C2> is where it started": false,
	} {
		got := addressedElsewhere(workflow.Message{Incoming: workflow.Incoming{Kind: workflow.IncomingReply, Text: text}})
		require.Equal(t, elsewhere, got, text)
	}
	mention := workflow.Message{Incoming: workflow.Incoming{Kind: workflow.IncomingMention, Text: "<@U2> says it fails"}}
	require.False(t, addressedElsewhere(mention), "who names the bot means the bot")
}
