package prompt

import (
	"fmt"
	"time"
)

// When returns a moment as agents read it, to the minute: in UTC and, if zone is neither nil nor UTC, on the
// clock of that zone, with the date there if it differs:
//
//	Sun 2026-11-29 07:14 UTC, 08:14 in Europe/Berlin (UTC+1)
//	Sun 2026-11-29 07:14 UTC, Sat 2026-11-28 23:14 in America/Los_Angeles (UTC-8)
func When(at time.Time, zone *time.Location) string {
	const day = "Mon 2006-01-02"
	at = at.UTC()
	text := at.Format(day + " 15:04 UTC")
	if zone == nil || zone == time.UTC {
		return text
	}
	there := at.In(zone)
	clock := there.Format("15:04")
	if there.Format(day) != at.Format(day) {
		clock = there.Format(day + " 15:04")
	}
	if zone.String() == "" { // only the offset is known
		return fmt.Sprintf("%s, %s at %s", text, clock, offset(there))
	}
	return fmt.Sprintf("%s, %s in %s (%s)", text, clock, zone, offset(there))
}

// offset returns how far a zone's clock is from UTC at that time, such as UTC+1 or UTC-9:30.
func offset(there time.Time) string {
	_, seconds := there.Zone()
	sign := '+'
	if seconds < 0 {
		sign = '-'
		seconds = -seconds
	}
	text := fmt.Sprintf("UTC%c%d", sign, seconds/3600)
	if minutes := seconds / 60 % 60; minutes > 0 {
		text += fmt.Sprintf(":%02d", minutes)
	}
	return text
}
