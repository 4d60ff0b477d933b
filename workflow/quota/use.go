package quota

import (
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Use is what was used under one limit.
type Use struct {
	Limit   Limit
	Used    float64
	Allowed float64       // the limit with its extensions
	Step    float64       // the limit without extensions, which is also the amount of one extension
	Subject string        // whose use it is: a session, a person, a channel; empty: everybody's
	Day     string        // 2026-03-02 for a limit of a day; empty for a session's
	Left    time.Duration // until the day ends
	Number  int           // number of extensions so far
	Warned  bool
}

// Reached reports whether the limit is used up.
func (u Use) Reached() bool { return u.Used >= u.Allowed }

// Near reports whether at least the fraction Near of the limit is used.
func (u Use) Near() bool { return u.Used >= Near*u.Allowed }

// String returns how much was used: "$4.02 of $5.00 used in this session (session_usd)".
func (u Use) String() string {
	return fmt.Sprintf("%s of %s used %s (%s)", u.Limit.number(u.Used), u.Limit.amount(u.Allowed), u.Limit.about(), u.Limit)
}

// More returns how much one extension allows.
func (u Use) More() string { return u.Limit.amount(u.Step) }

// Ends says when the day of the limit ends. It returns an empty string for the limit of a session.
func (u Use) Ends() string {
	if u.Day == "" {
		return ""
	}
	return fmt.Sprintf("the day ends at 00:00 UTC, in %s", plaintext.FormatDuration((u.Left + time.Minute - 1).Truncate(time.Minute)))
}

// An Extension is a person's permission to use the amount of the limit once more.
type Extension struct {
	Use
	User, UserName, MessageTS string
}
