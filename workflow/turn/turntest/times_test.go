package turntest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// Two people in two zones say "since yesterday 8am", and mean different moments between which the same commit
// is the first. The control: the same words in UTC find another one.
func TestYesterdayIsTheWritersOwn(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment
	}
	now := at("2026-03-05T18:00:00Z")
	th := turntest.Open(t, turntest.Settings{
		Commits: []turntest.Commit{
			{At: at("2026-03-04T15:30:00Z"), Message: "rename the shares"},
			{At: at("2026-03-04T23:30:00Z"), Message: "cut the cents"},
			{At: at("2026-03-05T09:00:00Z"), Message: "spell the totals"},
		},
		Now:   func() time.Time { return now },
		Zones: map[string]string{"ann": "America/Los_Angeles", "bea": "Asia/Tokyo"},
		Script: `
expect user /It is now \w+ \d{4}-\d\d-\d\d \d\d:\d\d UTC\. A time that a person names/
expect user "(program) Sent Thu 2026-03-05 18:00 UTC, 10:00 local; ann's clock is "
expect user "ann's clock is America/Los_Angeles (UTC-8)."
call history {"since": "2026-03-04 08:00 America/Los_Angeles"}
---
capture FOUND tool history /([0-9a-f]{12} 2026-03-04T23:30Z Ada: cut the cents)\nthe one before: /
expect tool history /\nthe one before: [0-9a-f]{12} 2026-03-04T15:30Z Ada: rename the shares\n$/
call reply {"text": "It came with the cut."}
---
expect user "(program) Sent Fri 2026-03-06 01:00 UTC, 10:00 local; bea's clock is Asia/Tokyo (UTC+9)."
expect not user "It is now"
call history {"since": "2026-03-05 08:00 Asia/Tokyo"}
call history {"since": "2026-03-05 08:00 UTC"}
call history {"since": "2026-03-05 08:00"}
---
expect tool history /${FOUND}\nthe one before: .* rename the shares\n$/
expect tool history /^[0-9a-f]{12} 2026-03-05T09:00Z Ada: spell the totals\nthe one before: .* cut the c/
expect tool history "no time with a zone"
call reply {"text": "The same one."}
`,
	})
	th.Say("ann", "@bobbin totals are a cent off since yesterday 8am")
	now = at("2026-03-06T01:00:00Z")
	th.Say("bea", "here too, since yesterday 8am")
	require.Contains(t, th.Text(), "The same one.")
}

// The zone of each person is named once in a conversation, however much the person writes, and again when the
// clocks change.
func TestAZoneIsNamedOnceInAConversation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 7, 18, 0, 0, 0, time.UTC)
	th := turntest.Open(t, turntest.Settings{
		Now:   func() time.Time { return now },
		Zones: map[string]string{"ann": "America/Los_Angeles", "bea": "Asia/Tokyo"},
		Script: `
expect user "(program) Said in the thread before; bea's clock is Asia/Tokyo (UTC+9):"
expect user "bea (Sat 2026-03-07 18:00 UTC, Sun 2026-03-08 03:00 local): It is late."
expect user "(program) Sent Sat 2026-03-07 18:00 UTC, 10:00 local; ann's clock is "
expect user "ann's clock is America/Los_Angeles (UTC-8)."
call reply {"text": "It is 3 cents."}
---
expect user "(program) Sent Sat 2026-03-07 19:00 UTC, 11:00 local."
expect not user "clock is"
call reply {"text": "It is still 3 cents."}
---
expect user "(program) Sent Sat 2026-03-07 19:00 UTC, Sun 2026-03-08 04:00 local."
expect not user "clock is"
call reply {"text": "Good night."}
---
expect user "(program) Sent Sun 2026-03-08 19:00 UTC, 12:00 local; ann's clock is "
expect user "ann's clock is America/Los_Angeles (UTC-7)."
call reply {"text": "Good morning."}
`,
	})
	th.Write("bea", "It is late.")
	th.Call("ann", "what is the total?")
	now = now.Add(time.Hour)
	th.Say("ann", "and now?")
	th.Say("bea", "and here?")
	now = now.Add(24 * time.Hour)
	th.Say("ann", "and in summer?")
	require.Contains(t, th.Text(), "Good morning.")
}
