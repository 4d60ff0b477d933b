package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// The name of a person's zone is said once, and again when it differs from what was said last.
func TestAPersonsZoneIsSaidOnce(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := time.Date(2026, time.November, 28, 23, 30, 0, 0, time.UTC)
	require.Equal(t, "Sat 2026-11-28 23:30 UTC, Sun 2026-11-29 00:30 local", ShortWhen(at, berlin))
	require.Equal(t, "Sat 2026-11-28 23:30 UTC", ShortWhen(at, nil))
	require.Empty(t, Clock("ann", at, nil))
	require.Empty(t, Clock("ann", at, time.UTC))
	require.Equal(t, "ann's clock is UTC-9:30", Clock("ann", at, time.FixedZone("", -34200)))
	const winter = "ann's clock is Europe/Berlin (UTC+1)"
	require.Equal(t, winter, Clock("ann", at, berlin))
	summer := Clock("ann", at.AddDate(0, -5, 0), berlin)
	require.Equal(t, "ann's clock is Europe/Berlin (UTC+2)", summer)

	said := func(lines ...string) (all []model.Message) {
		for _, l := range lines {
			all = append(all, model.Message{Role: model.User, Text: l})
		}
		return all
	}
	const sent = "bea wrote:\nx\n(program) Sent at noon; "
	for _, c := range []struct {
		before []model.Message
		knows  bool
	}{
		{nil, false},
		{said(sent + winter + "."), true},
		{said(sent+winter+".", "(program) Sent at noon."), true},
		{said("(program) Said before; cem's clock is UTC+1; " + winter + "; x's clock is UTC+1:\ny"), true},
		{said("(program) Said before; " + winter + ":\ny"), true},
		{said(sent+winter+".", sent+summer+"."), false},
		{said(sent+summer+".", sent+winter+"."), true},
		{said(sent + "jo" + winter + "."), false},
		{said(sent + winter + "0."), false},
		{said("ann wrote:\nSent at noon; " + winter + "."), false},
		{[]model.Message{{Role: model.ToolRole, Text: sent + winter + "."}}, false},
	} {
		require.Equal(t, c.knows, KnowsClock(c.before, "ann", winter), c.before)
	}
	require.Equal(t, "x, ann's clock is UTC+9, y's clock is Europe/Berlin (UTC+1)",
		Clock("x; ann's clock is UTC+9; y", at, berlin), "a name is no statement about another person")
}

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
