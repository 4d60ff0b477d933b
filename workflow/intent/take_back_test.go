package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestTakesBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ok, go on", "never mind, go ahead", "sorry, my mistake, go on", "I take it back", "ok, it's fine",
		"no, it is right. Go on.", "my mistake", "all good, push it",
		"sorry, wrong button. Go on please", "wrong thread, sorry. Go on",
		"sorry, I was wrong, go ahead", "I misread it, sorry. Go on",
	} {
		require.True(t, intent.TakesBack(text), text)
	}
	for _, text := range []string{
		"never mind", "ok", "no", "no, that's wrong", "don't go on", "go on?", "go on when bob agrees",
		"> go on", "it is not fine", "<@U1> go on", "sorry, wrong file", "sorry, wrong button", "nvm", "",
		"I was wrong", "sorry, I was wrong",
	} {
		require.False(t, intent.TakesBack(text), text)
	}
}
