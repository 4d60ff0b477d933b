package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Limit names one of the limits on what may be used before people are asked, as rows and
// people call it.
type Limit string

// A Span is whose use a limit adds up. Days are those of the database, in UTC.
type Span string

// The spans.
const (
	OfSession    Span = "session"
	OfPersonDay  Span = "person_day"  // of all sessions that the person asked for
	OfChannelDay Span = "channel_day" // of all sessions in the channel
	OfDay        Span = "day"         // of all sessions
)

// A Unit is what a limit counts.
type Unit string

// The units.
const (
	USD      Unit = "usd"
	Tokens   Unit = "tokens"
	Commands Unit = "commands"
	Minutes  Unit = "minutes"   // at work; waiting for people or for a seat does not count
	Output   Unit = "output_mb" // that commands printed, before it is cut
	Disk     Unit = "disk_mb"   // taken now, here and in the database; of a day's sessions, by those that were at work on it
)

// Each of both, in the order in which they are told.
var (
	Spans = []Span{OfSession, OfPersonDay, OfChannelDay, OfDay}
	Units = []Unit{USD, Tokens, Commands, Minutes, Output, Disk}
)

// LimitOf is the limit of that unit over that span.
func LimitOf(s Span, u Unit) Limit { return Limit(string(s) + "_" + string(u)) }

// Parts are the span and the unit that the name is made of; of one that was kept by another
// version they may be of no known kind.
func (l Limit) Parts() (Span, Unit) {
	for _, s := range Spans {
		if u, ok := strings.CutPrefix(string(l), string(s)+"_"); ok {
			return s, Unit(u)
		}
	}
	return "", Unit(l)
}

// OfCommands reports whether only commands bring a session further to the limit, so that
// models may still be asked.
func (l Limit) OfCommands() bool {
	_, u := l.Parts()
	return u == Commands || u == Output || u == Disk
}

// Limits is the table of how much may be used: whose use, by what is counted. What is absent or
// zero has no limit.
type Limits map[Span]map[Unit]float64

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

// amount is a number with what it counts.
func (l Limit) amount(n float64) string {
	_, unit := l.Parts()
	what := map[Unit]string{Tokens: " token", Commands: " command", Minutes: " minute"}[unit]
	if what != "" && n != 1 {
		what += "s"
	}
	return l.number(n) + what + map[Unit]string{Minutes: " of work", Output: " MB of output", Disk: " MB on disk"}[unit]
}

func (l Limit) number(n float64) string {
	_, unit := l.Parts()
	switch {
	case unit == Output || unit == Disk:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
	case unit != USD:
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
	switch span, _ := l.Parts(); span {
	case OfPersonDay:
		return "today by whoever asked for this"
	case OfChannelDay:
		return "today in this channel"
	case OfDay:
		return "today in all sessions"
	}
	return "in this session"
}

// An Extension is a person's word that as much again may be used.
type Extension struct {
	Use
	User, UserName, MessageTS string
}
