// Package quota defines how much may be used before people are asked to allow more. Limits is
// the table of limits, by Span (a session, a person's day, a channel's day, everybody's day) and
// by Unit (dollars, tokens, minutes, commands, output, disk). A Limit names one of them, a Use
// is what was used under it, and an Extension is a person's permission to use as much again.
//
// The package holds plain types and their wording; turn/budget pauses a session at a limit.
package quota

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Limit is the name of one limit, made of its Span and its Unit, as rows and people use it: session_usd.
type Limit string

// NotLookedInto begins the line that says at which limit a question to an agent that only reads ended. The thread
// does not rest at that limit.
const NotLookedInto = "I did not look into that: "

// A Span says whose use a limit adds up. A day is a day of the database's clock, in UTC.
type Span string

// The spans.
const (
	OfSession    Span = "session"
	OfPersonDay  Span = "person_day"  // all sessions that the person asked for
	OfChannelDay Span = "channel_day" // all sessions in the channel
	OfDay        Span = "day"         // all sessions
)

// A Unit is what a limit counts.
type Unit string

// The units.
const (
	USD      Unit = "usd"
	Tokens   Unit = "tokens"
	Commands Unit = "commands"
	Minutes  Unit = "minutes"   // at work; waiting for people or for a slot does not count
	Output   Unit = "output_mb" // printed by commands, before it is cut
	Disk     Unit = "disk_mb"   // used now, on this machine and in the database; for a day, by the sessions that were at work on it
)

// Spans and Units list all spans and units, in the order in which they are shown.
var (
	Spans = []Span{OfSession, OfPersonDay, OfChannelDay, OfDay}
	Units = []Unit{USD, Tokens, Commands, Minutes, Output, Disk}
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
	return u == Commands || u == Output || u == Disk
}

// Limits is the table of limits, by span and unit. A value that is absent or zero means no limit.
type Limits map[Span]map[Unit]float64

// Near is the fraction of a limit at which the thread is warned.
const Near = 0.8

// amount returns n with the name of its unit.
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
		return plaintext.FormatCount(int64(n))
	}
	return Dollars(n)
}

// Dollars formats an amount of money for people: with two decimals, or four below $0.10.
func Dollars(n float64) string {
	if n < 0.1 {
		return fmt.Sprintf("$%.4f", n)
	}
	return fmt.Sprintf("$%.2f", n)
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
