// Package config reads the configuration file and the environment. Load checks the whole file and reports
// everything that is wrong at once, one line "file:line: reason" for each fault; it never repeats a value
// that may be a secret. The package sends no request to Slack, a remote or a model; bobbin doctor does.
// docs/configuration.md describes the settings to people.
//
// Each part has a file: models.go and endpoint.go say which agent uses which model, what it costs and where
// it is served; limits.go how much may be used before people are asked; host.go where pull requests are
// opened.
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
	"syscall"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Config is the whole configuration file; docs/configuration.md describes it to people.
type Config struct {
	Repositories []Repository `yaml:"repositories"`
	ModelTable
	Limits    Limits      `yaml:"limits"`
	Checks    CheckLimits `yaml:"checks"` // the most that a repository's checks may use
	Sandbox   Sandbox     `yaml:"sandbox"`
	SkillsDir string      `yaml:"skills_dir"` // default: none
	HTTP      HTTP        `yaml:"http"`
	Slack     Slack       `yaml:"slack"`
	// default: none; for all repositories at the GitHub of its api_url
	GitHubApp GitHubApp         `yaml:"github_app"`
	Trackers  []Tracker         `yaml:"trackers"` // whose issues are read where a message names one
	Sources   []Source          `yaml:"sources"`  // MCP servers that agents may ask
	Keep      Keep              `yaml:"keep"`
	People    map[string]string `yaml:"people"` // logins at git hosts to the Slack ids of people
	Words     Words             `yaml:"words"`  // phrases added to those by which messages are read
	// default: off
	Transcription Transcription `yaml:"transcription"`

	Warning string // one line about keys with old names, which are still read; empty: there are none
	Text    []byte // the file as it was read
}

// A Repository is one repository that sessions can work on.
type Repository struct {
	Name     string   `yaml:"name"`
	URL      string   `yaml:"url"`      // https, ssh or a local path
	Base     string   `yaml:"base"`     // default: the remote's default branch
	Channels []string `yaml:"channels"` // ids or #names
	// only threads in its channels can be about it; default: false, a thread of any channel that names it can
	Private bool   `yaml:"private"`
	Watch   string `yaml:"watch"` // mention (default) or all
	// ids (A…) or names of apps whose messages in the channels are reports; default: none
	WatchApps []string `yaml:"watch_apps"`
	// emoji names; a reaction with one turns a message in the channels into a request; default: none
	Reactions []string `yaml:"reactions"`
	Checks    Checks   `yaml:"checks"`
	Approval
	BranchPrefix string `yaml:"branch_prefix"` // default bobbin/
	Scope        string `yaml:"scope"`         // default: the whole repository
	Setup        Setup  `yaml:"setup"`         // or the word off
	// servers for the tests, or the word off; default: those of the repository's CI or compose file
	Services Services `yaml:"services"`
	// variables of every command of the repository; no secrets
	Env map[string]string `yaml:"env"`
	// what is installed for its commands besides its packages
	Installed Installed `yaml:"environment"`

	visibility
	Naming
	RemoteAccess
}

// visibility holds the settings of what people see of a repository.
type visibility struct {
	Guests string `yaml:"guests"` // all (default) or no_code: what channels with guests may read
	// public, internal or private: who may read it; default: as its git host says
	Readers string `yaml:"visibility"`
	// named (default) or anonymous: whether commits, pull requests and issues name the people of the thread
	Named string `yaml:"people"`
	// of a line, with {commit}, {path} and {line}; default: by the host, if it is known
	CodeURL string `yaml:"code_url"`
	Visual  visual `yaml:"visual"` // or the word off
}

// Approval says who may approve work on a repository, whether an agent reviews each change, and whether the
// owners of the code and the author of the commit that brought a bug are mentioned.
type Approval struct {
	Approvers          []string `yaml:"approvers"` // default: full members in the channel
	OtherThanRequester bool     `yaml:"other_than_requester"`
	// how many distinct people have to approve; default: 1
	Approvals int `yaml:"approvals"`
	// groups that have to be among the approvers of a change to some files; default: none
	Needs []Need `yaml:"needs"`
	// on (default) or off: another agent reviews each change before its push
	Review string `yaml:"review"`
	Owners string `yaml:"owners"` // name (default) or mention
	// name (default) or mention; of the commit that brought a bug
	Authors string `yaml:"authors"`
}

// A Need says that somebody of a group has to be among the approvers of a change to some files.
type Need struct {
	Files string   `yaml:"files"` // pattern of paths, such as deploy/**
	From  []string `yaml:"from"`  // ids of people (U…) and user groups (S…)
	Name  string   `yaml:"name"`  // how people call the group; default: by the pattern
}

// RemoteAccess holds the credentials for a repository's remote, the branches and tags besides the base on
// which a bug is looked for or that a request may be about, and the host for pull requests.
type RemoteAccess struct {
	// patterns of branches and tags on which a bug is looked for, too; default: none
	Releases []string `yaml:"releases"`
	// patterns of the branches and tags that a request may be about, besides base and releases; default: none
	Bases     []string  `yaml:"bases"`
	TokenEnv  string    `yaml:"token_env"`  // default: BOBBIN_GIT_TOKEN
	GitHubApp GitHubApp `yaml:"github_app"` // default: that of the whole file

	Host GitHost `yaml:"host"` // default: pushes make no pull requests
	// the fork to which branches are pushed; default: they are pushed to the repository itself
	PushTo  PushTo  `yaml:"push_to"`
	Commits Commits `yaml:"commits"`
}

// Sandbox holds the settings of the sandbox that confines commands.
type Sandbox struct {
	Kind  string `yaml:"kind"`  // default auto
	Runsc string `yaml:"runsc"` // for gvisor: its program; default: runsc on the PATH
	// for docker: docker or podman, or the path of one; default: the one on the PATH
	Engine string `yaml:"engine"`
	Image  string `yaml:"image"` // for docker: the image in which commands run

	// variables of every command, which repositories and models can read; default: none
	Env map[string]string `yaml:"env"`
}

// Options returns the settings as package sandbox takes them, for that kind of sandbox.
func (s Sandbox) Options(kind string, log *slog.Logger) sandbox.Config {
	c := sandbox.Config{Kind: kind, Runsc: s.Runsc, Engine: s.Engine, Image: s.Image, Log: log}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Env = append(c.Env, name+"="+s.Env[name])
	}
	return c
}

// HTTP says where health and the pages of sessions are served.
type HTTP struct {
	Addr string `yaml:"addr"` // host:port to listen on; default: none, nothing is served
	URL  string `yaml:"url"`  // address under which browsers reach addr; default: none, there are no pages

	// how a visitor without a link of their own opens a page; default: not at all
	SignIn SignIn `yaml:"sign_in"`
}

// Slack holds the settings of the connection to Slack.
type Slack struct {
	Connections int `yaml:"connections"` // default 2: one stays up while the other is renewed
	// on (default) or off: one message that shows the progress of the work
	ProgressCard string `yaml:"progress_card"`
	// needs features.agent_view, with which Slack shuts guests out
	AgentStatus bool `yaml:"agent_status"`
	// ids of people who see the settings in their App Home; default: the workspace's admins
	Admins []string `yaml:"admins"`
}

// The number of Socket Mode connections: the most that Slack allows to one app, and the default.
const (
	maxConnections     = 10
	DefaultConnections = 2
)

// Load reads and checks a configuration file. Relative paths in the file count from its folder. The error
// is a cli.UsageError with one line "file:line: reason" for each problem.
func Load(name string) (Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		err = fmt.Errorf("%s: the configuration cannot be read: %w", name, err)
		if cure := Cure(err); cure != "" {
			err = fmt.Errorf("%w; %s", err, cure)
		}
		return Config{}, cli.UsageError{Err: err}
	}
	return parseConfig(name, text)
}

// Cure returns what helps against an error of Load that ends with it: one of a file that is not there, that
// is a folder, or that may not be read. It returns an empty string for other errors.
func Cure(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "bobbin init writes one"
	case errors.Is(err, syscall.EISDIR):
		return "a container makes such a folder if the file that it mounts is not there; remove it, and " +
			"bobbin init writes the file"
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("let user id %d read it: this program runs as that user", os.Geteuid())
	}
	return ""
}

// sections are the parts of the file, with the names that error messages use for them.
var sections = []strictyaml.Section{
	{Of: Config{}, Name: "the top of the file"},
	{Of: Repository{}, Name: "a repository"},
	{Of: Checks{}, Name: "checks of a repository"},
	{Of: CheckLimits{}, Name: "checks at the top of the file"},
	{Of: Setup{}, Name: "setup"},
	{Of: Services{}, Name: "services"},
	{Of: Installed{}, Name: "environment"},
	{Of: RegistryLogin{}, Name: "a login of setup.auth"},
	{Of: GitHost{}, Name: "host"},
	{Of: PushTo{}, Name: "push_to"},
	{Of: Need{}, Name: "needs"},
	{Of: Commits{}, Name: "commits"},
	{Of: AgentModel{}, Name: "an agent"},
	{Of: Model{}, Name: "a model"},
	{Of: Limits{}, Name: "limits"},
	{Of: LimitAllowance{}, Name: "session, person_day, channel_day and all_day of limits"},
	{Of: Sandbox{}, Name: "sandbox"},
	{Of: HTTP{}, Name: "http"},
	{Of: SignIn{}, Name: "sign_in"},
	{Of: Slack{}, Name: "slack"},
	{Of: Tracker{}, Name: "a tracker"},
	{Of: Source{}, Name: "a source"},
	{Of: Keep{}, Name: "keep"},
	{Of: GitHubApp{}, Name: "github_app"},
	{Of: Words{}, Name: "words"},
	{Of: Transcription{}, Name: "transcription"},
}

// hints tell apart two settings that are called alike.
var hints = map[string]string{
	"private": "private: true says that only threads in its channels may be about the repository; " +
		"who may read it at its git host is visibility: private",
	"visibility": "visibility is public, internal or private: who may read the repository at its git host; " +
		"that only threads in its channels may be about it is private: true",
}

func parseConfig(name string, text []byte) (c Config, err error) {
	p := strictyaml.NewProblems(name, sections)
	p.Hints = hints
	if p.Decode(text, &c) {
		c.resolvePaths(filepath.Dir(name))
		c.check(p)
	}
	c.Warning = p.Warning()
	c.Text = text
	if err := p.Err(); err != nil {
		return c, cli.UsageError{Err: err}
	}
	return c, nil
}

// resolvePaths makes the relative paths of the file absolute, from dir, the folder of the file.
func (c *Config) resolvePaths(dir string) {
	if c.SkillsDir != "" && !filepath.IsAbs(c.SkillsDir) {
		c.SkillsDir = filepath.Join(dir, c.SkillsDir)
	}
	resolveKey(&c.GitHubApp, dir)
	for i, r := range c.Repositories {
		if at := r.Setup.Advisories; at != "" && !filepath.IsAbs(at) {
			c.Repositories[i].Setup.Advisories = filepath.Join(dir, at)
		}
		resolveKey(&c.Repositories[i].GitHubApp, dir)
		c.Repositories[i].Commits.resolveFiles(dir)
		c.Repositories[i].URL = resolveURL(r.URL, dir)
		c.Repositories[i].PushTo.URL = resolveURL(r.PushTo.URL, dir)
	}
}

// resolveURL makes the address of a repository absolute if it is a relative path.
func resolveURL(url, dir string) string {
	if strings.HasPrefix(url, "./") || strings.HasPrefix(url, "../") {
		if abs, err := filepath.Abs(filepath.Join(dir, url)); err == nil {
			return abs
		}
	}
	return url
}

// ReactionsByChannel returns the reactions of all repositories, by channel as the file names it.
func (c Config) ReactionsByChannel() map[string][]string {
	all := map[string][]string{}
	for _, r := range c.Repositories {
		for _, channel := range r.Channels {
			all[channel] = append(all[channel], r.Reactions...)
		}
	}
	return all
}

// ModelsNotLimited returns the models in use that have no price, if any limit is in USD: their use does not
// count towards it.
func (c *Config) ModelsNotLimited() (names []string) {
	if l := c.Limits; l.Session.USD+l.PersonDay.USD+l.ChannelDay.USD+l.AllDay.USD == 0 {
		return nil
	}
	return c.ModelsWithoutPrice()
}
