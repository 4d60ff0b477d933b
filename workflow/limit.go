package workflow

import (
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Limit is the name of one limit, made of its Span and its Unit, as rows and people use it: session_usd.
type Limit string

// NotLookedInto begins the line that says at which limit a question to an agent that only reads ended. The
// thread does not rest at that limit.
const NotLookedInto = "I did not look into that: "

// A Span says whose use a limit adds up. A day is a day of the database's clock, in UTC.
type Span string

// The spans.
const (
	SpanSession    Span = "session"
	SpanPersonDay  Span = "person_day"  // all sessions that the person asked for
	SpanChannelDay Span = "channel_day" // all sessions in the channel
	SpanDay        Span = "day"         // all sessions
)

// A Unit is what a limit counts.
type Unit string

// The units.
const (
	UnitUSD      Unit = "usd"
	UnitTokens   Unit = "tokens"
	UnitCommands Unit = "commands"
	UnitMinutes  Unit = "minutes"   // at work; waiting for people or for a slot does not count
	UnitOutput   Unit = "output_mb" // printed by commands, before it is cut
	// used now, on this machine and in the database; for a day, by the sessions that were at work on it
	UnitDisk Unit = "disk_mb"
)

// Spans and Units list all spans and units, in the order in which they are shown.
var (
	Spans = []Span{SpanSession, SpanPersonDay, SpanChannelDay, SpanDay}
	Units = []Unit{UnitUSD, UnitTokens, UnitCommands, UnitMinutes, UnitOutput, UnitDisk}
)

// LimitOf returns the name of the limit on u over s.
func LimitOf(s Span, u Unit) Limit { return Limit(string(s) + "_" + string(u)) }

// Parts returns the span and the unit of the name. A name that
// another version stored may have unknown ones.
func (l Limit) Parts() (Span, Unit) {
	for _, s := range Spans {
		if u, ok := strings.CutPrefix(string(l), string(s)+"_"); ok {
			return s, Unit(u)
		}
	}
	return "", Unit(l)
}

// OfCommands reports whether the limit counts only what commands
// use, so that a session at the limit may still call models.
func (l Limit) OfCommands() bool {
	_, u := l.Parts()
	return u == UnitCommands || u == UnitOutput || u == UnitDisk
}

// Limits is the table of limits, by span and unit. A value that is absent or zero means no limit.
type Limits map[Span]map[Unit]float64

// nearLimit is the fraction of a limit at which the thread is warned.
const nearLimit = 0.8

// amount returns n with the name of its unit.
func (l Limit) amount(n float64) string {
	_, unit := l.Parts()
	what := map[Unit]string{UnitTokens: " token", UnitCommands: " command", UnitMinutes: " minute"}[unit]
	if what != "" && n != 1 {
		what += "s"
	}
	return l.number(n) + what +
		map[Unit]string{UnitMinutes: " of work", UnitOutput: " MB of output", UnitDisk: " MB on disk"}[unit]
}

func (l Limit) number(n float64) string {
	_, unit := l.Parts()
	switch {
	case unit == UnitOutput || unit == UnitDisk:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
	case unit != UnitUSD:
		return plaintext.FormatCount(int64(n))
	}
	return dollars(n)
}

// dollars formats an amount of money for people: with two decimals, or four below $0.10.
func dollars(n float64) string {
	if n < 0.1 {
		return fmt.Sprintf("$%.4f", n)
	}
	return fmt.Sprintf("$%.2f", n)
}

func (l Limit) about() string {
	switch span, _ := l.Parts(); span {
	case SpanPersonDay:
		return "today by the person who asked"
	case SpanChannelDay:
		return "today in this channel"
	case SpanDay:
		return "today in all sessions"
	}
	return "in this session"
}

// A LimitUse is what was used under one limit.
type LimitUse struct {
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
func (l LimitUse) Reached() bool { return l.Used >= l.Allowed }

// Near reports whether at least the fraction nearLimit of the limit is used.
func (l LimitUse) Near() bool { return l.Used >= nearLimit*l.Allowed }

// String returns how much was used: "$4.02 of $5.00 used in this session (session_usd)".
func (l LimitUse) String() string {
	return fmt.Sprintf("%s of %s used %s (%s)", l.Limit.number(l.Used), l.Limit.amount(l.Allowed),
		l.Limit.about(), l.Limit)
}

// More returns how much one extension allows.
func (l LimitUse) More() string { return l.Limit.amount(l.Step) }

// Ends says when the day of the limit ends. It returns an empty string for the limit of a session.
func (l LimitUse) Ends() string {
	if l.Day == "" {
		return ""
	}
	return fmt.Sprintf("the day ends at 00:00 UTC, in %s",
		plaintext.FormatDuration((l.Left + time.Minute - 1).Truncate(time.Minute)))
}

// A LimitExtension is a person's permission to use the amount of the limit once more.
type LimitExtension struct {
	LimitUse
	User, UserName, MessageTS string
}
