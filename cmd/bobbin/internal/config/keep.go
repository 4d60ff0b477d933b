package config

import (
	"cmp"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// Keep says how long and how much data is kept. Zero, or a key that is left out, means the default.
type Keep struct {
	// messages and files of sessions that ended; default 90
	Sessions float64 `yaml:"sessions_days"`
	// the same for sessions that wait for a person; default 365
	Waiting float64 `yaml:"waiting_days"`
	// what bobbin audit shows; default 1095, three years
	Decisions float64 `yaml:"decisions_days"`
	// sessions' folders on this machine, which can be made again; default 7
	Files float64 `yaml:"files_days"`
	// size of all sessions' folders together; default 20
	FilesGB float64 `yaml:"files_gb"`
	// size of the build caches of all repositories; default 10
	CacheGB float64 `yaml:"cache_gb"`
	// mirrors and build caches that were not used for so long; default 30
	Mirrors float64 `yaml:"mirrors_days"`
}

// Upper limits; a larger value is a mistake.
const (
	maxDays = 36500
	maxGB   = 1e6
)

func (k Keep) WithDefaults() Keep {
	return Keep{
		Sessions:  cmp.Or(k.Sessions, 90),
		Waiting:   cmp.Or(k.Waiting, 365),
		Decisions: cmp.Or(k.Decisions, 1095),
		Files:     cmp.Or(k.Files, 7),
		FilesGB:   cmp.Or(k.FilesGB, 20),
		CacheGB:   cmp.Or(k.CacheGB, 10),
		Mirrors:   cmp.Or(k.Mirrors, 30),
	}
}

func (k Keep) check(p *strictyaml.Problems) {
	for _, x := range []struct {
		key         string
		value, most float64
	}{
		{"sessions_days", k.Sessions, maxDays},
		{"waiting_days", k.Waiting, maxDays},
		{"decisions_days", k.Decisions, maxDays},
		{"files_days", k.Files, maxDays},
		{"files_gb", k.FilesGB, maxGB},
		{"cache_gb", k.CacheGB, maxGB},
		{"mirrors_days", k.Mirrors, maxDays},
	} {
		switch {
		case x.value < 0:
			p.At("$.keep."+x.key, "%s may not be below zero", x.key)
		case x.value > x.most:
			p.At("$.keep."+x.key, "%s may not be more than %.0f", x.key, x.most)
		}
	}
	switch all := k.WithDefaults(); {
	case all.Sessions > all.Waiting:
		p.At("$.keep.sessions_days", "sessions_days (%g) is more than waiting_days (%g): "+
			"sessions that wait have to be kept at least as long as ended ones", all.Sessions, all.Waiting)
	case all.Sessions > all.Decisions:
		p.At("$.keep.sessions_days", "sessions_days (%g) is more than decisions_days (%g): "+
			"decisions have to be kept at least as long as messages", all.Sessions, all.Decisions)
	}
}
