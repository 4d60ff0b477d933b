package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/home"
)

func TestLately(t *testing.T) {
	t.Parallel()
	var l accessCache
	at := time.Now()
	known := func(user, session string, after time.Duration) bool {
		_, ok := l.find(user, session, at.Add(after))
		return ok
	}
	require.False(t, known("U1", "a", 0))
	l.note("U1", "a", home.Access{Code: true}, at)
	require.True(t, known("U1", "a", time.Second))
	require.False(t, known("U2", "a", time.Second), "another person")
	require.False(t, known("U1", "b", time.Second), "another session")
	require.False(t, known("U1", "a", followsFor), "Slack is asked again")
	l.note("U1", "a", home.Access{Refused: "not in the channel"}, at.Add(time.Second))
	require.False(t, known("U1", "a", 2*time.Second), "what was refused since")
	l.note("U2", "b", home.Access{}, at)
	l.note("U3", "b", home.Access{}, at.Add(followsFor))
	require.Len(t, l.known, 1, "the old are forgotten")
}
