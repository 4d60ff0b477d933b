package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A moment is shown in UTC and on its writer's clock, by the rules of that zone on that day.
func TestWhen(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		require.NoError(t, err)
		return z
	}
	for _, c := range []struct {
		at   string
		zone *time.Location
		want string
	}{
		{"2026-11-29T07:14:59Z", nil, "Sun 2026-11-29 07:14 UTC"},
		{"2026-11-29T07:14:59Z", time.UTC, "Sun 2026-11-29 07:14 UTC"},
		{
			"2026-11-29T07:14:00Z", zone("Europe/Berlin"),
			"Sun 2026-11-29 07:14 UTC, 08:14 in Europe/Berlin (UTC+1)",
		},
		{
			"2026-07-01T07:14:00Z", zone("Europe/Berlin"),
			"Wed 2026-07-01 07:14 UTC, 09:14 in Europe/Berlin (UTC+2)",
		},
		{
			"2026-11-29T07:14:00Z", zone("America/Los_Angeles"),
			"Sun 2026-11-29 07:14 UTC, Sat 2026-11-28 23:14 in America/Los_Angeles (UTC-8)",
		},
		{
			"2026-11-29T07:14:00Z", zone("Asia/Kolkata"),
			"Sun 2026-11-29 07:14 UTC, 12:44 in Asia/Kolkata (UTC+5:30)",
		},
		{
			"2026-11-29T07:14:00Z", time.FixedZone("", -34200),
			"Sun 2026-11-29 07:14 UTC, Sat 2026-11-28 21:44 at UTC-9:30",
		},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, When(at, c.zone))
	}
}
