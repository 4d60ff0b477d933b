// Package config reads the configuration file and the environment. Load checks the whole file
// and reports everything that is wrong at once, one line "file:line: reason" for each fault; it
// never repeats a value that may be a secret. Nothing here asks Slack, a remote or a model: that
// is what bobbin doctor does. docs/configuration.md describes the settings to people.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/limits"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/models"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Config is the whole configuration file; docs/configuration.md tells it to people.
type Config struct {
	Repositories []Repository `yaml:"repositories"`
	models.Table
	Limits    limits.Limits     `yaml:"limits"`
	Sandbox   Sandbox           `yaml:"sandbox"`
	SkillsDir string            `yaml:"skills_dir"` // default: none
	HTTP      HTTP              `yaml:"http"`
	Slack     Slack             `yaml:"slack"`
	GitHubApp GitHubApp         `yaml:"github_app"` // default: none; for every repository at its GitHub
	Keep      Keep              `yaml:"keep"`
	People    map[string]string `yaml:"people"` // ids of people by their logins at git hosts

	Warning string // one line about what is still read, and should be written otherwise; empty: nothing
}

// A Repository is one repository that sessions can be about.
type Repository struct {
	Name      string   `yaml:"name"`
	URL       string   `yaml:"url"`        // https, ssh or a local path
	Base      string   `yaml:"base"`       // default: the remote's default branch
	Channels  []string `yaml:"channels"`   // ids or #names
	Private   bool     `yaml:"private"`    // threads of other channels cannot be about it; default: whoever names it
	Watch     string   `yaml:"watch"`      // mention (default) or all
	WatchApps []string `yaml:"watch_apps"` // ids (A…) or names of apps whose messages in the channels are reports; default: none
	Reactions []string `yaml:"reactions"`  // names of emoji that make a request of a message in the channels; default: none
	Checks    Checks   `yaml:"checks"`
	Approval
	BranchPrefix string `yaml:"branch_prefix"` // default bobbin/
	Scope        string `yaml:"scope"`         // default: the whole repository
	Setup        Setup  `yaml:"setup"`         // or off

	shown
	RemoteAccess
}

// shown says what people see of a repository.
type shown struct {
	Guests  string `yaml:"guests"`   // all (default) or no_code: what channels with guests read
	CodeURL string `yaml:"code_url"` // of a line, with {commit}, {path} and {line}; default: by the host, where it is known
	Visual  visual `yaml:"visual"`   // or off
}

// Approval says who may approve work on a repository, whether an agent looks at it, too, and
// whether who knows the code, or brought a bug, is called.
type Approval struct {
	Approvers          []string `yaml:"approvers"` // default: full members in the channel
	OtherThanRequester bool     `yaml:"other_than_requester"`
	Review             string   `yaml:"review"`  // on (default) or off: another agent reviews each change before its push
	Owners             string   `yaml:"owners"`  // name (default) or mention
	Authors            string   `yaml:"authors"` // name (default) or mention: who made the commit that brought a bug
}

// RemoteAccess is what a repository's remote is asked with, and which of its branches and tags are
// looked at beside the base.
type RemoteAccess struct {
	Releases  []string  `yaml:"releases"`   // patterns of those on which a bug is looked for, too; default: none
	TokenEnv  string    `yaml:"token_env"`  // default: BOBBIN_GIT_TOKEN
	GitHubApp GitHubApp `yaml:"github_app"` // default: that of the file

	Host githost.Host `yaml:"host"` // default: pushes make no pull requests
}

// Checks are command lines; what is left out is found out.
type Checks struct {
	Build string `yaml:"build"`
	Test  string `yaml:"test"`
}

// Sandbox says what confines commands.
type Sandbox struct {
	Kind   string `yaml:"kind"`   // default auto
	Runsc  string `yaml:"runsc"`  // for gvisor: its program; default: runsc on the PATH
	Engine string `yaml:"engine"` // for docker: docker or podman, or where it is; default: what is on the PATH
	Image  string `yaml:"image"`  // for docker: what commands see

	Env map[string]string `yaml:"env"` // variables of every command, which repositories and models read; default: none
}

// Options are what opens the sandbox of that kind.
func (s Sandbox) Options(kind string, log *slog.Logger) sandbox.Config {
	c := sandbox.Config{Kind: kind, Runsc: s.Runsc, Engine: s.Engine, Image: s.Image, Log: log}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Env = append(c.Env, name+"="+s.Env[name])
	}
	return c
}

// HTTP says where health is served, and sessions' pages.
type HTTP struct {
	Addr string `yaml:"addr"` // default: nowhere
	URL  string `yaml:"url"`  // how people's browsers reach addr; default: there are no pages
}

// Slack says how Slack is listened to.
type Slack struct {
	Connections  int      `yaml:"connections"`   // default 2: one is renewed while the other is up
	ProgressCard string   `yaml:"progress_card"` // on (default) or off: one message that shows how the work goes on
	AgentStatus  bool     `yaml:"agent_status"`  // needs features.agent_view, which shuts guests out
	Admins       []string `yaml:"admins"`        // ids of people who see the settings in their App Home; default: the workspace's admins
}

// What Slack allows to one app, and what is kept where nobody says.
const (
	mostConnections    = 10
	DefaultConnections = 2
)

// Load reads and checks a configuration file. Its error holds a line
// "file:line: reason" for each problem, and is the caller's to mend. Paths in the file
// that are not absolute count from the folder that it is in.
func Load(name string) (Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return Config{}, cli.UsageError{Err: fmt.Errorf("%s: the configuration cannot be read: %w", name, err)}
	}
	return parseConfig(name, text)
}

// sections are the parts of the file, by what people call them.
var sections = []strictyaml.Section{
	{Of: Config{}, Name: "the top of the file"},
	{Of: Repository{}, Name: "a repository"},
	{Of: Checks{}, Name: "checks"},
	{Of: Setup{}, Name: "setup"},
	{Of: githost.Host{}, Name: "host"},
	{Of: models.Agent{}, Name: "an agent"},
	{Of: models.Model{}, Name: "a model"},
	{Of: limits.Limits{}, Name: "limits"},
	{Of: limits.Allowance{}, Name: "session, person_day, channel_day and all_day of limits"},
	{Of: Sandbox{}, Name: "sandbox"},
	{Of: HTTP{}, Name: "http"},
	{Of: Slack{}, Name: "slack"},
	{Of: Keep{}, Name: "keep"},
	{Of: GitHubApp{}, Name: "github_app"},
}

func parseConfig(name string, text []byte) (c Config, err error) {
	p := strictyaml.NewProblems(name, sections)
	if p.Decode(text, &c) {
		c.resolvePaths(filepath.Dir(name))
		c.check(p)
	}
	c.Warning = p.Warning()
	if err := p.Err(); err != nil {
		return c, cli.UsageError{Err: err}
	}
	return c, nil
}

// resolvePaths makes paths count from the folder of the file.
func (c *Config) resolvePaths(dir string) {
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

// ReactionsByChannel are those of all repositories, by the channels as they are configured.
func (c Config) ReactionsByChannel() map[string][]string {
	all := map[string][]string{}
	for _, r := range c.Repositories {
		for _, channel := range r.Channels {
			all[channel] = append(all[channel], r.Reactions...)
		}
	}
	return all
}

// ModelsNotLimited are the models in use without a price, where a limit is in money: what they
// take counts as nothing.
func (c *Config) ModelsNotLimited() (names []string) {
	if l := c.Limits; l.Session.USD+l.PersonDay.USD+l.ChannelDay.USD+l.AllDay.USD == 0 {
		return nil
	}
	return c.ModelsWithoutPrice()
}
