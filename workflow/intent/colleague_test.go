package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// What is said to a colleague against the work is a hold, and small talk is none. Neither is a refusal that
// is said to the bot.
func TestReadRefusalToColleague(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<@UANN> wait, please don't push this", "@ann wait, please don't push this",
		"<@UANN|ann>: don't push this", "please don't push this <@UANN>", "<@UANN> that's the wrong file",
		"<@UANN> <@UBEA> I don't want this pushed", "<@UANN> this must not go live",
		"<!subteam^S1|@devs> don't merge this",
		"<@UANN> I'd rather they didn't touch it. It should not be pushed.", "<@UANN> bitte nicht pushen",
		"<@UANN> プッシュしないで", "<@UANN> abort the push", "<@UANN> no, don't push it yet",
	} {
		require.Equal(t, intent.RefusalHold, intent.Lexicon{}.ReadRefusalToColleague(text), text)
		require.NotEqual(t, intent.RefusalStop, intent.Lexicon{}.ReadRefusal(text), text)
	}
	for _, text := range []string{
		"<@UANN> wait for me at lunch", "<@UANN> wait for me", "<@UANN> one moment", "<@UANN> hold on a sec",
		"<@UANN> no", "<@UANN> not yet", "<@UANN> wait, what?",
		"<@UANN> I don't think so", "<@UANN> never mind", "<@UANN> stop it", "<@UANN> give me 5 minutes",
		"<@UANN> don't forget the meeting", "<@UANN> no worries",
		"<@UANN> moment", "<@UANN> attends-moi", "<@UANN> un momento", "<@UANN> ちょっと待って", "<@UANN> 等一下",
		"<@UANN> 잠깐만요", "<@UANN> it doesn't stop for me, does it for you?",
		"<@UANN> > don't push this", "<@UANN> the log says \"do not push\"", "please don't push this", "stop",
	} {
		require.Equal(t, intent.RefusalNone, intent.Lexicon{}.ReadRefusalToColleague(text), text)
	}
}
