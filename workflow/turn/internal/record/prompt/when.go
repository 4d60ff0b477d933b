package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// day is how a date is shown.
const day = "Mon 2006-01-02"

// When returns a moment as agents read it, to the minute: in UTC and, if zone is neither nil nor UTC, on the
// clock of that zone, with the date there if it differs:
//
//	Sun 2026-11-29 07:14 UTC, 08:14 in Europe/Berlin (UTC+1)
//	Sun 2026-11-29 07:14 UTC, Sat 2026-11-28 23:14 in America/Los_Angeles (UTC-8)
func When(at time.Time, zone *time.Location) string {
	in := zoneName(at, zone)
	if strings.HasPrefix(in, "UTC") { // only the offset is known
		return clocks(at, zone, "at "+in)
	}
	return clocks(at, zone, "in "+in)
}

// ShortWhen is When without the name of the zone, which Clock says once for each person:
//
//	Sun 2026-11-29 07:14 UTC, 08:14 local
func ShortWhen(at time.Time, zone *time.Location) string { return clocks(at, zone, "local") }

// clocks returns a moment in UTC and on the clock of a zone, of which it says where that is.
func clocks(at time.Time, zone *time.Location, where string) string {
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
	return text + ", " + clock + " " + where
}

// zoneName returns the name of a zone with its offset at that time, only the offset if it has no name, or an
// empty string for nil and UTC.
func zoneName(at time.Time, zone *time.Location) string {
	if zone == nil || zone == time.UTC {
		return ""
	}
	there := at.In(zone)
	if zone.String() == "" {
		return offset(there)
	}
	return fmt.Sprintf("%s (%s)", zone, offset(there))
}

// Clock says in which zone a person's clock is at that time. It is put behind a semicolon into a line of the
// program. It is empty if the zone is not known, or UTC:
//
//	ann's clock is Europe/Berlin (UTC+1)
func Clock(name string, at time.Time, zone *time.Location) string {
	in := zoneName(at, zone)
	if in == "" {
		return ""
	}
	return clockOf(name) + in
}

func clockOf(name string) string {
	return strings.ReplaceAll(PersonName(name), ";", ",") + "'s clock is "
}

// KnowsClock reports whether the last line of the program in the conversation that is about a person's clock
// says what Clock has returned.
func KnowsClock(conversation []model.Message, name, clock string) bool {
	for _, m := range slices.Backward(conversation) {
		if m.Role != model.User {
			continue
		}
		for _, line := range slices.Backward(strings.Split(m.Text, "\n")) {
			if strings.HasPrefix(line, ProgramMark) && strings.Contains(line, "; "+clockOf(name)) {
				return slices.Contains(strings.Split(strings.TrimRight(line, ".:"), "; "), clock)
			}
		}
	}
	return false
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
