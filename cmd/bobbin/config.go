package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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
}

// A RepositoryConfig is one repository that sessions can be about.
type RepositoryConfig struct {
	Name               string       `yaml:"name"`
	URL                string       `yaml:"url"`      // https, ssh or a local path
	Base               string       `yaml:"base"`     // default: the remote's default branch
	Channels           []string     `yaml:"channels"` // ids or #names
	Watch              string       `yaml:"watch"`    // mention (default) or all
	Checks             ChecksConfig `yaml:"checks"`
	Approvers          []string     `yaml:"approvers"` // default: full members in the channel
	OtherThanRequester bool         `yaml:"other_than_requester"`
	BranchPrefix       string       `yaml:"branch_prefix"` // default bobbin/
	Scope              string       `yaml:"scope"`         // default: the whole repository
}

// ChecksConfig are command lines; what is left out is found out.
type ChecksConfig struct {
	Build string `yaml:"build"`
	Test  string `yaml:"test"`
}

// An AgentConfig is laid over the agent's defaults.
type AgentConfig struct {
	Model  string `yaml:"model"`
	Effort string `yaml:"effort"` // low, medium or high
	Name   string `yaml:"name"`   // how its lines are signed
}

// A ModelConfig is what a model costs and who answers in its place.
type ModelConfig struct {
	Input    float64  `yaml:"input_usd_per_million"`
	Cached   float64  `yaml:"cached_usd_per_million"` // default: as Input
	Output   float64  `yaml:"output_usd_per_million"`
	Fallback []string `yaml:"fallback"`
}

// LimitsConfig bounds what a session may take.
type LimitsConfig struct {
	SessionUSD     float64 `yaml:"session_usd"`                // default: none
	SessionMinutes int     `yaml:"session_minutes"`            // default: none
	DayUSD         float64 `yaml:"day_usd"`                    // default: none
	SessionsAtOnce int     `yaml:"sessions_at_once"`           // default 8
	Attempts       int     `yaml:"attempts_before_consulting"` // default 2
}

// SandboxConfig says what confines commands.
type SandboxConfig struct {
	Kind string `yaml:"kind"` // default auto
}

// HTTPConfig says where health is served.
type HTTPConfig struct {
	Addr string `yaml:"addr"` // default: nowhere
}

// problems are what is wrong with a file, each with its line.
type problems struct {
	name string
	file *ast.File
	list []problem
}

type problem struct {
	line   int
	reason string
}

// LoadConfig reads and checks a configuration file. Its error holds a line
// "file:line: reason" for each problem, and is the caller's to mend.
func LoadConfig(name string) (Config, error) {
	var c Config
	text, err := os.ReadFile(name)
	if err != nil {
		return c, usageError{fmt.Errorf("cannot read the configuration: %w", err)}
	}
	return parseConfig(name, text)
}

func parseConfig(name string, text []byte) (c Config, err error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return c, usageError{atLine(name, err)}
	}
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil && !isEmpty(file) {
		return c, usageError{atLine(name, err)}
	}
	p := &problems{name: name, file: file}
	c.check(p)
	return c, p.err()
}

func isEmpty(f *ast.File) bool {
	return len(f.Docs) == 0 || f.Docs[0].Body == nil
}

// atLine makes "file:line: reason" of an error of the YAML library.
func atLine(name string, err error) error {
	var where yaml.Error
	if !errors.As(err, &where) || where.GetToken() == nil {
		return fmt.Errorf("%s: %s", name, oneLine(err.Error()))
	}
	reason := where.GetMessage()
	if unknown := new(yaml.UnknownFieldError); errors.As(err, &unknown) {
		key := where.GetToken().Value
		reason = fmt.Sprintf("unknown key %q", key) + didYouMean(key, knownKeys)
	}
	return fmt.Errorf("%s:%d: %s", name, where.GetToken().Position.Line, oneLine(reason))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// at adds a problem at a path such as $.repositories[0].url; where the path is not in
// the file, its nearest parent that is.
func (p *problems) at(path, format string, args ...any) {
	p.list = append(p.list, problem{p.line(path), fmt.Sprintf(format, args...)})
}

func (p *problems) line(path string) int {
	for path != "$" && path != "" {
		if found, err := yaml.PathString(path); err == nil && !isEmpty(p.file) {
			if node, err := found.FilterFile(p.file); err == nil && node != nil && node.GetToken() != nil {
				return node.GetToken().Position.Line
			}
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 1
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	sort.SliceStable(p.list, func(i, j int) bool { return p.list[i].line < p.list[j].line })
	var lines []string
	for _, x := range p.list {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", p.name, x.line, x.reason))
	}
	return usageError{errors.New(strings.Join(lines, "\n"))}
}

// checkURL takes https, ssh (also git@host:path), file and absolute local paths.
func checkURL(s string) error {
	if filepath.IsAbs(s) || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		return nil
	}
	if at := strings.Index(s, "@"); at > 0 && !strings.Contains(s, "://") && strings.Contains(s[at:], ":") {
		return nil // git@github.com:acme/shop.git
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("it cannot be read as an address")
	case u.User != nil && hasPassword(u):
		return errors.New("a password does not belong in it; use BOBBIN_GIT_TOKEN")
	case u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "ssh":
		if u.Host == "" || u.Path == "" || u.Path == "/" {
			return errors.New("it needs a host and a path")
		}
		return nil
	case u.Scheme == "file":
		return nil
	}
	return errors.New("it has to begin with https://, ssh:// or git@, or be a local path")
}

func hasPassword(u *url.URL) bool {
	_, set := u.User.Password()
	return set
}
