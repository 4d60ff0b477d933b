package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/workflow"
)

// Limits say how many sessions work at once, and how much may be used before people are asked: a table of
// allowances, by whose use is counted (row) and what is counted (column).
type Limits struct {
	Session    LimitAllowance `yaml:"session"`     // for one session
	PersonDay  LimitAllowance `yaml:"person_day"`  // for a day's sessions that one person asked for
	ChannelDay LimitAllowance `yaml:"channel_day"` // for a day's sessions in one channel
	AllDay     LimitAllowance `yaml:"all_day"`     // for all sessions of a day

	SessionsAtOnce int `yaml:"sessions_at_once"` // over all replicas; default 8
	// over all replicas, for one repository; default: as sessions_at_once
	PerRepository int `yaml:"sessions_per_repository"`
	// in one replica, the same for each; default: as sessions_at_once
	PerReplica int `yaml:"sessions_per_replica"`
	Attempts   int `yaml:"attempts_before_consulting"` // default 2
	// after which a question takes its recommended answer; default 1440
	Unanswered int `yaml:"unanswered_minutes"`
	// after which a silent thread with work in progress gets a progress note; default 10, 0: never
	Silent *int `yaml:"silent_minutes"`
	// time to find out which hunks of a fix are needed; default 2, 0: not tried
	Hunks *int `yaml:"hunk_minutes"`
	// time to find out since when, and on which releases, a bug exists; default 5, 0: not tried
	History *int `yaml:"history_minutes"`
}

// A LimitAllowance is a row of the table of limits; zero, or a key that is left out, means no limit.
type LimitAllowance struct {
	USD      float64   `yaml:"usd"`
	Tokens   Count     `yaml:"tokens"`
	Minutes  int       `yaml:"minutes"` // at work
	Commands Count     `yaml:"commands"`
	Output   Megabytes `yaml:"output"` // output of commands
	Disk     Megabytes `yaml:"disk"`   // size of the session folders now and of the files in the database
}

// A Count is a whole number, also written 500k or 2M.
type Count int

// ReadShort reads a number with the suffix k, M or G. It returns false for other values.
func (c *Count) ReadShort(value any) bool {
	return readUnit(value, map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9}, (*int)(c))
}

// Megabytes is a size in megabytes, also written 500 MB or 2 GB.
type Megabytes int

// ReadShort reads a number with the suffix MB or GB. It returns false for other values.
func (m *Megabytes) ReadShort(value any) bool {
	return readUnit(value, map[string]float64{"MB": 1, "GB": 1 << 10}, (*int)(m))
}

// Kilobytes is a size in kilobytes, also written 30 KB or 1 MB.
type Kilobytes int

// ReadShort reads a number with the suffix KB or MB. It returns false for other values.
func (k *Kilobytes) ReadShort(value any) bool {
	return readUnit(value, map[string]float64{"KB": 1, "MB": 1 << 10}, (*int)(k))
}

// readUnit parses a number with one of the units as its suffix and stores it in into. It returns false
// unless the result is a whole number of at most strictyaml.MaxWhole.
func readUnit(value any, units map[string]float64, into *int) bool {
	text, _ := value.(string)
	for unit, factor := range units {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if f *= factor; err == nil && f == math.Trunc(f) && math.Abs(f) <= strictyaml.MaxWhole {
			*into = int(f)
			return true
		}
	}
	return false
}

// The names of the table's rows and columns in the file.
var (
	rowNames = map[workflow.Span]string{
		workflow.SpanSession:    "session",
		workflow.SpanPersonDay:  "person_day",
		workflow.SpanChannelDay: "channel_day",
		workflow.SpanDay:        "all_day",
	}
	columnNames = map[workflow.Unit]string{
		workflow.UnitUSD:      "usd",
		workflow.UnitTokens:   "tokens",
		workflow.UnitCommands: "commands",
		workflow.UnitMinutes:  "minutes",
		workflow.UnitOutput:   "output",
		workflow.UnitDisk:     "disk",
	}
)

// limitPath returns the path of one limit, relative to limits: session.usd.
func limitPath(span workflow.Span, unit workflow.Unit) string {
	return rowNames[span] + "." + columnNames[unit]
}

// Renamed returns the old keys (session_usd, day_disk_mb) with the paths that replace them.
func (Limits) Renamed() map[string]string {
	now := map[string]string{}
	for _, span := range workflow.Spans {
		for _, unit := range workflow.Units {
			now[string(workflow.LimitOf(span, unit))] = limitPath(span, unit)
		}
	}
	return now
}

// AskedAt returns the limits at which people are asked.
func (l Limits) AskedAt() workflow.Limits {
	return workflow.Limits{
		workflow.SpanSession:    l.Session.byUnit(),
		workflow.SpanPersonDay:  l.PersonDay.byUnit(),
		workflow.SpanChannelDay: l.ChannelDay.byUnit(),
		workflow.SpanDay:        l.AllDay.byUnit(),
	}
}

func (l LimitAllowance) byUnit() map[workflow.Unit]float64 {
	return map[workflow.Unit]float64{
		workflow.UnitUSD:      l.USD,
		workflow.UnitTokens:   float64(l.Tokens),
		workflow.UnitCommands: float64(l.Commands),
		workflow.UnitMinutes:  float64(l.Minutes),
		workflow.UnitOutput:   float64(l.Output),
		workflow.UnitDisk:     float64(l.Disk),
	}
}

// SilentFor returns how long a thread with work in progress may be silent; zero means for ever.
func (l Limits) SilentFor() time.Duration { return minutesOr(l.Silent, 10) }

// HunkTime returns the time to find out which hunks of a fix are needed; zero means that it is not tried.
func (l Limits) HunkTime() time.Duration { return minutesOr(l.Hunks, 2) }

// HistoryTime returns the time to find out since when, and on which releases, a bug exists; zero means that
// it is not tried.
func (l Limits) HistoryTime() time.Duration { return minutesOr(l.History, 5) }

func minutesOr(written *int, otherwise int) time.Duration {
	if written != nil {
		otherwise = *written
	}
	return time.Duration(otherwise) * time.Minute
}

// Upper limits; a larger value is a slip of the hand.
const (
	aDay        = 24 * 60 // minutes
	aWeek       = 7 * aDay
	maxSessions = 1000
	maxAttempts = 20
	maxUSD      = 1e6
	maxTokens   = 1e9
	maxMB       = 1e9
)

// maxOf returns the largest value that a limit may have; with a larger value the unit was probably
// mistaken.
func maxOf(span workflow.Span, unit workflow.Unit) float64 {
	most := map[workflow.Unit]float64{
		workflow.UnitUSD:      maxUSD,
		workflow.UnitTokens:   maxTokens,
		workflow.UnitCommands: maxTokens,
		workflow.UnitMinutes:  aWeek,
		workflow.UnitOutput:   maxMB,
		workflow.UnitDisk:     maxMB,
	}[unit]
	switch {
	case span == workflow.SpanSession || unit == workflow.UnitUSD:
		return most
	case unit == workflow.UnitMinutes:
		return maxSessions * aDay
	}
	return maxSessions * most
}

// check adds to p each limit that is negative or implausibly large, or above the limit of the whole that it
// is a part of.
func (l Limits) check(p *strictyaml.Problems) {
	limits := l.AskedAt()
	for _, span := range workflow.Spans {
		for _, unit := range workflow.Units {
			checkMost(p, limitPath(span, unit), limits[span][unit], maxOf(span, unit))
		}
	}
	checkMost(p, "sessions_at_once", float64(l.SessionsAtOnce), maxSessions)
	checkMost(p, "sessions_per_repository", float64(l.PerRepository), maxSessions)
	checkMost(p, "sessions_per_replica", float64(l.PerReplica), maxSessions)
	checkMost(p, "attempts_before_consulting", float64(l.Attempts), maxAttempts)
	checkMost(p, "unanswered_minutes", float64(l.Unanswered), 4*aWeek)
	checkMost(p, "silent_minutes", l.SilentFor().Minutes(), aWeek)
	checkMost(p, "hunk_minutes", l.HunkTime().Minutes(), aDay)
	checkMost(p, "history_minutes", l.HistoryTime().Minutes(), aDay)
	for _, unit := range workflow.Units {
		for _, x := range [][2]workflow.Span{
			{workflow.SpanSession, workflow.SpanDay},
			{workflow.SpanSession, workflow.SpanPersonDay},
			{workflow.SpanSession, workflow.SpanChannelDay},
			{workflow.SpanPersonDay, workflow.SpanDay},
			{workflow.SpanChannelDay, workflow.SpanDay},
		} {
			if x[0] == workflow.SpanSession && unit == workflow.UnitMinutes {
				continue // a session may last for days
			}
			checkPart(p, limitPath(x[0], unit), limitPath(x[1], unit), limits[x[0]][unit], limits[x[1]][unit])
		}
	}
}

// checkMost adds a problem if a limit is below zero or above most.
func checkMost(p *strictyaml.Problems, key string, value, most float64) {
	switch {
	case value < 0:
		p.At("$.limits."+key, "%s may not be below zero", nameInFile(p, key))
	case value > most:
		p.At("$.limits."+key, "%s may not be more than %.0f", nameInFile(p, key), most)
	}
}

// nameInFile returns the key of a limit as the file has it: the old name if that was written.
func nameInFile(p *strictyaml.Problems, key string) string {
	return strings.TrimPrefix(p.Written("$.limits."+key), "$.limits.")
}

// checkPart adds a problem if a limit is above the limit of the whole that it is a part of.
func checkPart(p *strictyaml.Problems, key, whole string, value, most float64) {
	if most > 0 && value > most {
		p.At("$.limits."+key, "%s is more than %s", nameInFile(p, key), nameInFile(p, whole))
	}
}
