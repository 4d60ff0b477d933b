package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Config is the whole configuration file; docs/configuration.md tells it to people.
type Config struct {
	Repositories []RepositoryConfig     `yaml:"repositories"`
	Agents       map[string]AgentConfig `yaml:"agents"`
	Models       map[string]ModelConfig `yaml:"models"`
	Limits       LimitsConfig           `yaml:"limits"`
	Sandbox      SandboxConfig          `yaml:"sandbox"`
	SkillsDir    string                 `yaml:"skills_dir"` // default: none
	HTTP         HTTPConfig             `yaml:"http"`
	Slack        SlackConfig            `yaml:"slack"`
	GitHubApp    GitHubAppConfig        `yaml:"github_app"` // default: none; for every repository at its GitHub
	Keep         KeepConfig             `yaml:"keep"`
}

// A RepositoryConfig is one repository that sessions can be about.
type RepositoryConfig struct {
	Name               string       `yaml:"name"`
	URL                string       `yaml:"url"`       // https, ssh or a local path
	Base               string       `yaml:"base"`      // default: the remote's default branch
	Channels           []string     `yaml:"channels"`  // ids or #names
	Private            bool         `yaml:"private"`   // threads of other channels cannot be about it; default: whoever names it
	Watch              string       `yaml:"watch"`     // mention (default) or all
	Reactions          []string     `yaml:"reactions"` // names of emoji that make a request of a message in the channels; default: none
	Checks             ChecksConfig `yaml:"checks"`
	Approvers          []string     `yaml:"approvers"` // default: full members in the channel
	OtherThanRequester bool         `yaml:"other_than_requester"`
	Guests             string       `yaml:"guests"`        // all (default) or no_code: what channels with guests read
	BranchPrefix       string       `yaml:"branch_prefix"` // default bobbin/
	Scope              string       `yaml:"scope"`         // default: the whole repository
	CodeURL            string       `yaml:"code_url"`      // of a line, with {commit}, {path} and {line}; default: by the host, where it is known
	Setup              SetupConfig  `yaml:"setup"`         // or off

	TokenEnv  string          `yaml:"token_env"`  // default: BOBBIN_GIT_TOKEN
	GitHubApp GitHubAppConfig `yaml:"github_app"` // default: that of the file
}

// ChecksConfig are command lines; what is left out is found out.
type ChecksConfig struct {
	Build string `yaml:"build"`
	Test  string `yaml:"test"`
}

// An AgentConfig is laid over the agent's defaults.
type AgentConfig struct {
	Model  string `yaml:"model"`
	Effort string `yaml:"effort"` // none, minimal, low, medium, high or xhigh
	Name   string `yaml:"name"`   // how its lines are signed
}

// A ModelConfig is what a model costs, who answers in its place, and whether it can see.
type ModelConfig struct {
	Input    float64  `yaml:"input_usd_per_million"`
	Cached   float64  `yaml:"cached_usd_per_million"` // default: as Input
	Output   float64  `yaml:"output_usd_per_million"`
	Fallback []string `yaml:"fallback"`
	Vision   bool     `yaml:"vision"` // it can see pictures; default: it is told in words that there are some
}

// LimitsConfig bounds what a session may take.
type LimitsConfig struct {
	// At each of the first 24 the session pauses and asks.

	// Of one session; default of each: none.
	SessionUSD      float64 `yaml:"session_usd"`
	SessionTokens   int     `yaml:"session_tokens"`
	SessionCommands int     `yaml:"session_commands"`
	SessionMinutes  int     `yaml:"session_minutes"`   // at work
	SessionOutput   int     `yaml:"session_output_mb"` // printed by commands
	SessionDisk     int     `yaml:"session_disk_mb"`   // its folder now, and its files in the database

	// Of a day's sessions that one person asked for; default of each: none.
	PersonUSD      float64 `yaml:"person_day_usd"`
	PersonTokens   int     `yaml:"person_day_tokens"`
	PersonCommands int     `yaml:"person_day_commands"`
	PersonMinutes  int     `yaml:"person_day_minutes"`   // at work
	PersonOutput   int     `yaml:"person_day_output_mb"` // printed by commands
	PersonDisk     int     `yaml:"person_day_disk_mb"`   // their folders now, and their files in the database

	// Of a day's sessions in one channel; default of each: none.
	ChannelUSD      float64 `yaml:"channel_day_usd"`
	ChannelTokens   int     `yaml:"channel_day_tokens"`
	ChannelCommands int     `yaml:"channel_day_commands"`
	ChannelMinutes  int     `yaml:"channel_day_minutes"`   // at work
	ChannelOutput   int     `yaml:"channel_day_output_mb"` // printed by commands
	ChannelDisk     int     `yaml:"channel_day_disk_mb"`   // their folders now, and their files in the database

	// Of all sessions of a day; default of each: none.
	DayUSD      float64 `yaml:"day_usd"`
	DayTokens   int     `yaml:"day_tokens"`
	DayCommands int     `yaml:"day_commands"`
	DayMinutes  int     `yaml:"day_minutes"`   // at work
	DayOutput   int     `yaml:"day_output_mb"` // printed by commands
	DayDisk     int     `yaml:"day_disk_mb"`   // their folders now, and their files in the database

	SessionsAtOnce int  `yaml:"sessions_at_once"`           // over all replicas; default 8
	PerRepository  int  `yaml:"sessions_per_repository"`    // the same, about one repository; default: as many as at once
	Attempts       int  `yaml:"attempts_before_consulting"` // default 2
	Unanswered     int  `yaml:"unanswered_minutes"`         // after which a question takes its recommended answer; default 1440
	Silent         *int `yaml:"silent_minutes"`             // after which a thread at work is told what goes on; default 10, 0: never
}

// limits are those at which people are asked.
func (l LimitsConfig) limits() workflow.Limits {
	limits := workflow.Limits{}
	for span, figures := range map[workflow.Span][]float64{
		workflow.OfSession:    {l.SessionUSD, float64(l.SessionTokens), float64(l.SessionCommands), float64(l.SessionMinutes), float64(l.SessionOutput), float64(l.SessionDisk)},
		workflow.OfPersonDay:  {l.PersonUSD, float64(l.PersonTokens), float64(l.PersonCommands), float64(l.PersonMinutes), float64(l.PersonOutput), float64(l.PersonDisk)},
		workflow.OfChannelDay: {l.ChannelUSD, float64(l.ChannelTokens), float64(l.ChannelCommands), float64(l.ChannelMinutes), float64(l.ChannelOutput), float64(l.ChannelDisk)},
		workflow.OfDay:        {l.DayUSD, float64(l.DayTokens), float64(l.DayCommands), float64(l.DayMinutes), float64(l.DayOutput), float64(l.DayDisk)},
	} {
		for i, unit := range workflow.Units {
			limits[workflow.LimitOf(span, unit)] = figures[i]
		}
	}
	return limits
}

// SandboxConfig says what confines commands.
type SandboxConfig struct {
	Kind   string `yaml:"kind"`   // default auto
	Runsc  string `yaml:"runsc"`  // for gvisor: its program; default: runsc on the PATH
	Engine string `yaml:"engine"` // for docker: docker or podman, or where it is; default: what is on the PATH
	Image  string `yaml:"image"`  // for docker: what commands see
}

// HTTPConfig says where health is served.
type HTTPConfig struct {
	Addr string `yaml:"addr"` // default: nowhere
}

// SlackConfig says how Slack is listened to.
type SlackConfig struct {
	Connections  int      `yaml:"connections"`   // default 2: one is renewed while the other is up
	ProgressCard string   `yaml:"progress_card"` // on (default) or off: one message that shows how the work goes on
	AgentStatus  bool     `yaml:"agent_status"`  // needs features.agent_view, which shuts guests out
	Admins       []string `yaml:"admins"`        // ids of people who see the settings in their App Home; default: the workspace's admins
}

// What Slack allows to one app, and what is kept where nobody says.
const (
	mostConnections    = 10
	defaultConnections = 2
)

// problems are what is wrong with a file, each with its line.
type problems struct {
	name  string
	lines map[string]int  // where each path of the file is
	bad   map[string]bool // paths that hold something unreadable
	list  []problem
}

type problem struct {
	line   int // 0: no line in particular
	reason string
}

// LoadConfig reads and checks a configuration file. Its error holds a line
// "file:line: reason" for each problem, and is the caller's to mend. Paths in the file
// that are not absolute count from the folder that it is in.
func LoadConfig(name string) (Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return Config{}, usageError{fmt.Errorf("%s: the configuration cannot be read: %w", name, err)}
	}
	return parseConfig(name, text)
}

func parseConfig(name string, text []byte) (c Config, err error) {
	p := &problems{name: name, lines: map[string]int{"$": 1}, bad: map[string]bool{}}
	if p.decode(text, &c) {
		c.resolve(filepath.Dir(name))
		c.check(p)
	}
	return c, p.err()
}

// resolve makes paths count from the folder of the file.
func (c *Config) resolve(dir string) {
	if c.SkillsDir != "" && !filepath.IsAbs(c.SkillsDir) {
		c.SkillsDir = filepath.Join(dir, c.SkillsDir)
	}
	resolveKey(&c.GitHubApp, dir)
	for i, r := range c.Repositories {
		resolveKey(&c.Repositories[i].GitHubApp, dir)
		if strings.HasPrefix(r.URL, "./") || strings.HasPrefix(r.URL, "../") {
			if abs, err := filepath.Abs(filepath.Join(dir, r.URL)); err == nil {
				c.Repositories[i].URL = abs
			}
		}
	}
}

// err is everything that was found, a line each, in the order of the file.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.reason, b.reason))
	})
	var lines []string
	for _, x := range p.list {
		where := p.name
		if x.line > 0 {
			where = fmt.Sprintf("%s:%d", p.name, x.line)
		}
		lines = append(lines, where+": "+x.reason)
	}
	return usageError{errors.New(strings.Join(lines, "\n"))}
}

// silent is how long a thread at work may be silent; zero: for ever.
func (l LimitsConfig) silent() time.Duration {
	minutes := 10
	if l.Silent != nil {
		minutes = *l.Silent
	}
	return time.Duration(minutes) * time.Minute
}
