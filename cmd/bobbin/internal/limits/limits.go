// Package limits is the part of the configuration that says how much may be used before people are
// asked, and how much goes on at once. It reads the short forms of numbers (500k, 2 GB) and the keys
// of before there was a table, and checks that a part is no more than its whole. What is used is
// counted elsewhere.
package limits

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/workflow/quota"
)

// Limits are how many sessions work at once, and a small table of how much may be used before
// people are asked: by whose use it is, and what it counts.
type Limits struct {
	Session    Allowance `yaml:"session"`     // of one session
	PersonDay  Allowance `yaml:"person_day"`  // of a day's sessions that one person asked for
	ChannelDay Allowance `yaml:"channel_day"` // of a day's sessions in one channel
	AllDay     Allowance `yaml:"all_day"`     // of all sessions of a day

	SessionsAtOnce int  `yaml:"sessions_at_once"`           // over all replicas; default 8
	PerRepository  int  `yaml:"sessions_per_repository"`    // the same, about one repository; default: as many as at once
	PerReplica     int  `yaml:"sessions_per_replica"`       // of them in one replica, the same in all; default: as many as at once
	Attempts       int  `yaml:"attempts_before_consulting"` // default 2
	Unanswered     int  `yaml:"unanswered_minutes"`         // after which a question takes its recommended answer; default 1440
	Silent         *int `yaml:"silent_minutes"`             // after which a thread at work is told what goes on; default 10, 0: never
	Hunks          *int `yaml:"hunk_minutes"`               // for trying which hunks of a fix are needed; default 2, 0: none is tried
	History        *int `yaml:"history_minutes"`            // for looking since when, and on which releases, a bug is there; default 5, 0: not at all
}

// An Allowance is a row of the limits' table; what is left out or zero has no limit.
type Allowance struct {
	USD      float64   `yaml:"usd"`
	Tokens   Count     `yaml:"tokens"`
	Minutes  int       `yaml:"minutes"` // at work
	Commands Count     `yaml:"commands"`
	Output   Megabytes `yaml:"output"` // printed by commands
	Disk     Megabytes `yaml:"disk"`   // folders now, and files in the database
}

// A Count is a whole number, also written 500k or 2M.
type Count int

// ReadShort takes a number with k, M or G.
func (c *Count) ReadShort(value any) bool {
	return readUnit(value, map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9}, (*int)(c))
}

// Megabytes are a size, also written 500 MB or 2 GB.
type Megabytes int

// ReadShort takes a number with MB or GB.
func (m *Megabytes) ReadShort(value any) bool {
	return readUnit(value, map[string]float64{"MB": 1, "GB": 1 << 10}, (*int)(m))
}

// readUnit reads a number that ends in one of the units and comes to a whole number.
func readUnit(value any, units map[string]float64, into *int) bool {
	text, _ := value.(string)
	for unit, factor := range units {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if f *= factor; err == nil && f == math.Trunc(f) && math.Abs(f) <= mostTokens {
			*into = int(f)
			return true
		}
	}
	return false
}

// What the rows and columns of the table are called in the file.
var (
	rowNames    = map[quota.Span]string{quota.OfSession: "session", quota.OfPersonDay: "person_day", quota.OfChannelDay: "channel_day", quota.OfDay: "all_day"}
	columnNames = map[quota.Unit]string{
		quota.USD: "usd", quota.Tokens: "tokens", quota.Commands: "commands", quota.Minutes: "minutes", quota.Output: "output", quota.Disk: "disk",
	}
)

// limitPath is the path of one limit below limits.
func limitPath(span quota.Span, unit quota.Unit) string {
	return rowNames[span] + "." + columnNames[unit]
}

// Renamed gives the keys of before there was a table: session_usd, day_disk_mb.
func (Limits) Renamed() map[string]string {
	now := map[string]string{}
	for _, span := range quota.Spans {
		for _, unit := range quota.Units {
			now[string(quota.LimitOf(span, unit))] = limitPath(span, unit)
		}
	}
	return now
}

// AskedAt are the limits at which people are asked.
func (l Limits) AskedAt() quota.Limits {
	return quota.Limits{
		quota.OfSession: l.Session.byUnit(), quota.OfPersonDay: l.PersonDay.byUnit(), quota.OfChannelDay: l.ChannelDay.byUnit(), quota.OfDay: l.AllDay.byUnit(),
	}
}

func (a Allowance) byUnit() map[quota.Unit]float64 {
	return map[quota.Unit]float64{
		quota.USD: a.USD, quota.Tokens: float64(a.Tokens), quota.Commands: float64(a.Commands),
		quota.Minutes: float64(a.Minutes), quota.Output: float64(a.Output), quota.Disk: float64(a.Disk),
	}
}

// SilentFor is how long a thread at work may be silent; zero: for ever.
func (l Limits) SilentFor() time.Duration { return minutesOr(l.Silent, 10) }

// HunkTime is how long it is tried which hunks of a fix are needed; zero: none is tried.
func (l Limits) HunkTime() time.Duration { return minutesOr(l.Hunks, 2) }

// HistoryTime is how long it is looked since when, and on which releases, a bug is there; zero: not
// at all.
func (l Limits) HistoryTime() time.Duration { return minutesOr(l.History, 5) }

func minutesOr(written *int, otherwise int) time.Duration {
	if written != nil {
		otherwise = *written
	}
	return time.Duration(otherwise) * time.Minute
}

// What no team means to ask for: beyond it stands a slip of the hand.
const (
	aDay         = 24 * 60 // minutes
	aWeek        = 7 * aDay
	mostSessions = 1000
	mostAttempts = 20
	mostUSD      = 1e6
	mostTokens   = 1e9
	mostMB       = 1e9
)

// mostOf is the most that a limit may be: beyond it somebody has mistaken the unit.
func mostOf(span quota.Span, unit quota.Unit) float64 {
	most := map[quota.Unit]float64{
		quota.USD: mostUSD, quota.Tokens: mostTokens, quota.Commands: mostTokens, quota.Minutes: aWeek, quota.Output: mostMB, quota.Disk: mostMB,
	}[unit]
	switch {
	case span == quota.OfSession || unit == quota.USD:
		return most
	case unit == quota.Minutes:
		return mostSessions * aDay
	}
	return mostSessions * most
}

// Check adds what makes no sense to p: more than anybody means, or more than the whole that it is a
// part of.
func (l Limits) Check(p *strictyaml.Problems) {
	limits := l.AskedAt()
	for _, span := range quota.Spans {
		for _, unit := range quota.Units {
			checkMost(p, limitPath(span, unit), limits[span][unit], mostOf(span, unit))
		}
	}
	checkMost(p, "sessions_at_once", float64(l.SessionsAtOnce), mostSessions)
	checkMost(p, "sessions_per_repository", float64(l.PerRepository), mostSessions)
	checkMost(p, "sessions_per_replica", float64(l.PerReplica), mostSessions)
	checkMost(p, "attempts_before_consulting", float64(l.Attempts), mostAttempts)
	checkMost(p, "unanswered_minutes", float64(l.Unanswered), 4*aWeek)
	checkMost(p, "silent_minutes", l.SilentFor().Minutes(), aWeek)
	checkMost(p, "hunk_minutes", l.HunkTime().Minutes(), aDay)
	checkMost(p, "history_minutes", l.HistoryTime().Minutes(), aDay)
	for _, unit := range quota.Units {
		for _, x := range [][2]quota.Span{
			{quota.OfSession, quota.OfDay},
			{quota.OfSession, quota.OfPersonDay},
			{quota.OfSession, quota.OfChannelDay},
			{quota.OfPersonDay, quota.OfDay},
			{quota.OfChannelDay, quota.OfDay},
		} {
			if x[0] == quota.OfSession && unit == quota.Minutes {
				continue // a session may go on for days
			}
			checkPart(p, limitPath(x[0], unit), limitPath(x[1], unit), limits[x[0]][unit], limits[x[1]][unit])
		}
	}
}

// checkMost finds a limit that is below zero, or more than anybody means.
func checkMost(p *strictyaml.Problems, key string, value, most float64) {
	switch {
	case value < 0:
		p.At("$.limits."+key, "%s may not be below zero", nameInFile(p, key))
	case value > most:
		p.At("$.limits."+key, "%s may not be more than %.0f", nameInFile(p, key), most)
	}
}

// nameInFile is a limit as the file calls it.
func nameInFile(p *strictyaml.Problems, key string) string {
	return strings.TrimPrefix(p.Written("$.limits."+key), "$.limits.")
}

// checkPart finds a limit that is more than one of a whole that it is a part of.
func checkPart(p *strictyaml.Problems, key, whole string, value, most float64) {
	if most > 0 && value > most {
		p.At("$.limits."+key, "%s is more than %s", nameInFile(p, key), nameInFile(p, whole))
	}
}
