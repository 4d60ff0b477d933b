package budget

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// While a report waits, "go on" is about the report, so it is not offered for the limit.
func TestGoOnIsOfferedWhereItCounts(t *testing.T) {
	t.Parallel()
	e := &LimitError{Reached: []workflow.LimitUse{{Limit: "session_usd", Used: 3, Allowed: 2, Step: 2}}}
	const reached = "I did not look into that: $3.00 of $2.00 used in this session (session_usd). " +
		"Nothing is lost. "
	const first = `Answer first what waits above: what follows pauses at the limit, ` +
		`and "go on" allows as much again there.`
	require.Equal(t, reached+`Reply "go on" to allow as much again. Bea can. Then ask again.`,
		e.NotLookedInto("Bea can.", false))
	require.Equal(t, reached+first, e.NotLookedInto("Bea can.", true))
	e.Reached[0].Day = "2026-01-02"
	e.Reached[0].Left = 2 * time.Hour
	require.Equal(t, reached+first+" Or ask again later: the day ends at 00:00 UTC, in 2 h.",
		e.NotLookedInto("Bea can.", true))
}
