package workflow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A help says of costs what is known, and never a price that nobody knows.
func TestHelpSaysWhatIsKnownOfCosts(t *testing.T) {
	t.Parallel()
	of := func(limits Limits, past Past) string {
		h := Help{Limits: limits, Repositories: []HelpRepository{{Name: "shop", Past: past}}}
		return strings.Join(h.costs(), "\n")
	}
	for want, said := range map[string]string{
		"No limit is configured, and no change was pushed here yet, so I cannot say. " +
			"Each result says what it took.": of(nil, Past{}),
		"At $5.00 or 60 minutes of work one request stops, and I ask before I go on.\n" +
			"In a day: a person $20.00, all together $100.00.": of(Limits{
			SpanSession:   {UnitUSD: 5, UnitMinutes: 60},
			SpanPersonDay: {UnitUSD: 20},
			SpanDay:       {UnitUSD: 100},
		}, Past{}),
		"In `shop` each of the last 12 pushed changes took about $0.40 and 6 min of work.": of(nil,
			Past{Pushed: 12, USD: 0.4, Tokens: 9, Worked: 6 * time.Minute}),
		"In `shop` the last pushed change took about 90,000 tokens (no price is known).": of(nil,
			Past{Pushed: 1, Tokens: 90000}),
	} {
		require.Equal(t, want, said)
	}
}

// A help says where there is no repository what the operator has to do.
func TestHelpWithoutARepositorySaysWhatIsToBeDone(t *testing.T) {
	t.Parallel()
	require.Contains(t, Help{Unconfigured: true}.Markdown(), "My operator adds one under `repositories:`")
	require.Contains(t, Help{}.Markdown(), "My operator adds the channel to one, under `channels:`")
	require.Contains(t, Help{Place: HelpDirect}.Markdown(), "Write in the channel of one")
	several := Help{Others: 3, Repositories: []HelpRepository{
		{Name: "shop", Approvers: "bea"}, {Name: "site", Approvers: "cem", May: "You may."},
	}}.Markdown()
	require.Contains(t, several, "• `shop`: bea.\n• `site`: cem. You may.")
	require.Contains(t, several, "and 3 more\nSay which one it is about: `repo:shop`.")
	bound := Help{Repositories: []HelpRepository{{Name: "shop", Own: true}}}.Markdown()
	require.NotContains(t, bound, "bound")
}
