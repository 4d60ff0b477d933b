// Package quota is how much may be used before people are asked: a table of limits, whose use
// by what is counted, and what was used under each. A Limit is a Span (a session, a person's
// day, a channel's day, everybody's day) and a Unit (dollars, tokens, minutes, commands,
// output, disk). An Extension is a person's word that as much again may be used.
//
// It holds plain types and their words; turn/budget pauses a session at a limit.
package quota

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
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
		return plaintext.FormatCount(int64(n))
	}
	return Dollars(n)
}

// Dollars is an amount of money as people read it: with two decimals, a small one with four.
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
