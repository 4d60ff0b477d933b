package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

type serveCommand struct {
	Config string `env:"BOBBIN_CONFIG" help:"The configuration file." placeholder:"FILE"`

	BotToken    string `env:"SLACK_BOT_TOKEN" help:"Bot token, xoxb-…" hidden:""`
	AppToken    string `env:"SLACK_APP_TOKEN" help:"App-level token, xapp-…" hidden:""`
	SlackURL    string `env:"SLACK_API_URL" help:"Another Slack API." placeholder:"URL"`
	ModelURL    string `env:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint." placeholder:"URL"`
	ModelKey    string `env:"OPENAI_API_KEY" help:"Its key." hidden:""`
	DatabaseURL string `env:"DATABASE_URL" help:"Postgres; unset: a private one under the data directory." placeholder:"URL"`
	DataDir     string `env:"BOBBIN_DATA_DIR" help:"Mirrors, workspaces, caches, the private Postgres." placeholder:"DIR"`
	GitToken    string `env:"BOBBIN_GIT_TOKEN" help:"Token for https remotes." hidden:""`
}

// Help is what bobbin serve --help teaches.
func (serveCommand) Help() string {
	return `Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN (make the app from deploy/slack-manifest.yaml), OPENAI_API_KEY or
OPENAI_BASE_URL, and a configuration file that names a repository. Secrets come from the environment only.
Stops on Ctrl-C; what was under way goes on at the next start.`
}

// Run is the bot, until ctx ends.
func (c *serveCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	config, err := c.load()
	if err != nil {
		return err
	}
	service, err := newService(ctx, c.settings(config, con), log)
	if err != nil {
		return c.startFailed(err)
	}
	defer service.close()
	fmt.Fprintln(con.Err, "bobbin: listening. Mention the bot in a channel that it is in; Ctrl-C stops.")
	return c.startFailed(service.run(ctx))
}

// startFailed: a token that Slack turns away is the caller's to mend.
func (c *serveCommand) startFailed(err error) error {
	var auth *bot.AuthError
	if errors.As(err, &auth) {
		return usageError{err}
	}
	return err
}

// load reads the file and checks the environment beside it; all problems are said at once.
func (c *serveCommand) load() (Config, error) {
	var config Config
	var errs []error
	if c.Config != "" {
		var err error
		config, err = LoadConfig(c.Config)
		errs = append(errs, err)
	}
	for _, v := range []struct{ name, value, prefix string }{
		{"SLACK_BOT_TOKEN", c.BotToken, "xoxb-"}, {"SLACK_APP_TOKEN", c.AppToken, "xapp-"},
	} {
		switch {
		case v.value == "":
			errs = append(errs, fmt.Errorf("environment: %s is not set; it begins with %s and comes from the Slack app's settings", v.name, v.prefix))
		case !strings.HasPrefix(v.value, v.prefix):
			errs = append(errs, fmt.Errorf("environment: %s has to begin with %s", v.name, v.prefix))
		}
	}
	for _, v := range []struct{ name, value string }{{"SLACK_API_URL", c.SlackURL}, {"OPENAI_BASE_URL", c.ModelURL}} {
		if u, err := url.Parse(v.value); v.value != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("environment: %s is not an http or https address", v.name))
		}
	}
	if c.ModelURL == "" && c.ModelKey == "" {
		errs = append(errs, errors.New("environment: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none"))
	}
	if err := errors.Join(errs...); err != nil {
		return config, usageError{err}
	}
	return config, nil
}

// settings makes of file and environment what the bot is built from.
func (c *serveCommand) settings(config Config, con console) settings {
	s := settings{
		DataDir: c.DataDir, DatabaseURL: c.DatabaseURL, Durable: true, Progress: con.Err,
		SlackToken: c.BotToken, SlackAppToken: c.AppToken, SlackURL: c.SlackURL, ModelURL: c.ModelURL, ModelKey: c.ModelKey,
		Agents: map[string]agent.Setting{}, Prices: map[string]model.Price{}, Fallback: map[string][]string{},
		SandboxKind: config.Sandbox.Kind, SessionsAtOnce: config.Limits.SessionsAtOnce, Attempts: config.Limits.Attempts,
	}
	if s.DataDir == "" {
		s.DataDir = defaultDataDir()
	}
	if s.SessionsAtOnce == 0 {
		s.SessionsAtOnce = 8
	}
	for name, a := range config.Agents {
		s.Agents[name] = agent.Setting{Model: a.Model, Effort: a.Effort, Display: a.Name}
	}
	for name, m := range config.Models {
		s.Prices[name] = model.Price{Input: m.Input, Output: m.Output, Cached: m.Cached}
		s.Fallback[name] = m.Fallback
	}
	for _, r := range config.Repositories {
		s.Repositories = append(s.Repositories, c.repository(r))
		if r.Watch == "all" {
			s.Watch = append(s.Watch, r.Channels...)
		}
	}
	return s
}

func (c *serveCommand) repository(r RepositoryConfig) turn.Repository {
	remote := repo.Remote{Name: r.Name, URL: r.URL}
	if token := c.GitToken; token != "" && strings.HasPrefix(r.URL, "http") {
		remote.Token = func(context.Context) (string, error) { return token, nil }
	}
	return turn.Repository{
		Remote: remote, Base: r.Base, Channels: r.Channels, BranchPrefix: r.BranchPrefix, Build: r.Checks.Build, Test: r.Checks.Test, Scope: r.Scope,
		Approvers: workflow.Approvers{People: r.Approvers, OtherThanRequester: r.OtherThanRequester},
	}
}

// scrub takes the secrets out of this process' environment once they were read, so that
// nothing that is started later inherits them.
func scrub() {
	for _, name := range []string{"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "OPENAI_API_KEY", "BOBBIN_GIT_TOKEN"} {
		os.Unsetenv(name)
	}
}
