package quota

import (
	"fmt"
	"time"
)

// A Use is what was used under one limit.
type Use struct {
	Limit   Limit
	Used    float64
	Allowed float64       // the limit, and what people allowed beyond it
	Step    float64       // the limit by itself: what one word allows
	Subject string        // what the limit is about: a session, a person, a channel; empty: all of them
	Day     string        // 2026-03-02 for a limit of a day
	Left    time.Duration // of that day
	Number  int           // of extensions so far
	Warned  bool
}

// Reached reports whether nothing more may be used.
func (u Use) Reached() bool { return u.Used >= u.Allowed }

// Near reports whether most of it is used.
func (u Use) Near() bool { return u.Used >= Near*u.Allowed }

// String says how much was used: "$4.02 of $5.00 used in this session (session_usd)".
func (u Use) String() string {
	return fmt.Sprintf("%s of %s used %s (%s)", u.Limit.number(u.Used), u.Limit.amount(u.Allowed), u.Limit.about(), u.Limit)
}

// More says what one word allows.
func (u Use) More() string { return u.Limit.amount(u.Step) }

// Ends says when the day of the limit ends; empty for one of a session.
func (u Use) Ends() string {
	if u.Day == "" {
		return ""
	}
	return fmt.Sprintf("the day ends at 00:00 UTC, in %s", hours(u.Left))
}

func hours(d time.Duration) string {
	minutes := int((d + time.Minute - 1) / time.Minute)
	if minutes < 60 {
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

// An Extension is a person's word that as much again may be used.
type Extension struct {
	Use
	User, UserName, MessageTS string
}
