package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Limit names one of the limits on what may be used before people are asked, as the
// configuration calls it.
type Limit string

// The limits. Days are those of the database, in UTC; a person's are those of all sessions
// that the person asked for.
const (
	LimitSessionUSD        Limit = "session_usd"
	LimitSessionTokens     Limit = "session_tokens"
	LimitSessionCommands   Limit = "session_commands"
	LimitSessionMinutes    Limit = "session_minutes"   // at work; waiting for people or for a seat does not count
	LimitSessionOutput     Limit = "session_output_mb" // that commands printed, before it is cut
	LimitSessionDisk       Limit = "session_disk_mb"   // taken now, here and in the database
	LimitPersonDayUSD      Limit = "person_day_usd"
	LimitPersonDayTokens   Limit = "person_day_tokens"
	LimitPersonDayMinutes  Limit = "person_day_minutes"
	LimitChannelDayUSD     Limit = "channel_day_usd"
	LimitChannelDayTokens  Limit = "channel_day_tokens"
	LimitChannelDayMinutes Limit = "channel_day_minutes"
	LimitDayUSD            Limit = "day_usd"
	LimitDayTokens         Limit = "day_tokens"
	LimitDayMinutes        Limit = "day_minutes"
)

// OfCommands reports whether only commands bring a session further to the limit, so that
// models may still be asked.
func (l Limit) OfCommands() bool {
	return l == LimitSessionCommands || l == LimitSessionOutput || l == LimitSessionDisk
}

// Limits are how much may be used; what is absent or zero has no limit.
type Limits map[Limit]float64

// Near is the part of a limit from which on the thread is warned.
const Near = 0.8

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

// unit is what the limit counts.
func (l Limit) unit() string { return string(l[strings.LastIndexByte(string(l), '_')+1:]) }

// amount is a number with what it counts.
func (l Limit) amount(n float64) string {
	what := map[string]string{"tokens": "token", "commands": "command", "minutes": "minute"}[l.unit()]
	switch {
	case l == LimitSessionOutput:
		return l.number(n) + " MB of output"
	case l == LimitSessionDisk:
		return l.number(n) + " MB on disk"
	case what == "":
		return l.number(n)
	case n != 1:
		what += "s"
	}
	if l.unit() == "minutes" {
		what += " of work"
	}
	return l.number(n) + " " + what
}

func (l Limit) number(n float64) string {
	switch {
	case l.unit() == "mb":
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
	case l.unit() != "usd":
		return grouped(int64(n))
	case n < 0.1:
		return fmt.Sprintf("$%.4f", n)
	}
	return fmt.Sprintf("$%.2f", n)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	var parts []string
	for len(s) > 3 {
		parts, s = append(parts, s[len(s)-3:]), s[:len(s)-3]
	}
	parts = append(parts, s)
	slices.Reverse(parts)
	return strings.Join(parts, ",")
}

func (l Limit) about() string {
	switch {
	case strings.HasPrefix(string(l), "person_"):
		return "today by whoever asked for this"
	case strings.HasPrefix(string(l), "channel_"):
		return "today in this channel"
	case strings.HasPrefix(string(l), "day_"):
		return "today in all sessions"
	}
	return "in this session"
}

// An Extension is a person's word that as much again may be used.
type Extension struct {
	Use
	User, UserName, MessageTS string
}
