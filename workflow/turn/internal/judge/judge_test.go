package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
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
		got := addressedElsewhere(message(workflow.MessageReply, text))
		require.Equal(t, elsewhere, got, text)
	}
	mention := message(workflow.MessageMention, "<@U2> says it fails")
	require.False(t, addressedElsewhere(mention), "who names the bot means the bot")
}

// message returns a message with its reading.
func message(kind workflow.MessageKind, text string) intent.Message {
	return intent.Lexicon{}.ReadMessage(workflow.Message{
		IncomingEvent: workflow.IncomingEvent{Kind: kind, Text: text},
	})
}

// Decides returns true for the messages whose author is looked up separately.
func TestWordsThatDecide(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Fix it":                      true,
		"fix it, but only in cart.go": true,
		"yes please do this":          true,
		"go on":                       true,
		"stop":                        true,
		"push it unproven":            true,
		"it began on Monday":          false,
		"only with coupons":           false,
	} {
		require.Equal(t, want, message(workflow.MessageReply, text).Says.Decides(), text)
	}
}

// A limit that names another repository of the thread may mean that one, and approves nothing here.
func TestALimitMayMeanAnotherRepository(t *testing.T) {
	t.Parallel()
	parts := []inbox.ThreadPart{{Repository: "shop", Own: true}, {Repository: "site"}}
	for text, want := range map[string]intent.ConsentKind{
		"fix the site only":           intent.ConsentUnclear,
		"fix it at site only":         intent.ConsentUnclear,
		"fix it, but only in cart.go": intent.ConsentScoped,
		"fix only the shop's cart":    intent.ConsentScoped,
	} {
		m := message(workflow.MessageReply, text)
		require.Equal(t, intent.ConsentScoped, m.Says.Consent.Kind, text)
		got := limitHere(m.Text, m.Says.Consent, "shop", parts)
		require.Equal(t, want, got.Kind, text)
		require.Equal(t, m.Says.Consent.Scope, got.Scope)
		require.Equal(t, intent.ConsentScoped, limitHere(m.Text, m.Says.Consent, "shop", nil).Kind)
	}
}
