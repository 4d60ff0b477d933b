package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

type serveCommand struct {
	placeFlags
	Config   string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG)." placeholder:"FILE"`
	SlackURL string `from:"SLACK_API_URL" help:"Another Slack API than Slack's own ($SLACK_API_URL)." placeholder:"URL"`
	HTTPAddr string `name:"http-addr" from:"BOBBIN_HTTP_ADDR" help:"Where health is served, instead of the file's http.addr ($BOBBIN_HTTP_ADDR)." placeholder:"HOST:PORT"`
	ModelURL string `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
}

// Help is what bobbin serve --help teaches.
func (serveCommand) Help() string {
	return `Needs a configuration file that names a repository (docs/configuration.md shows one) and, in the environment:

  SLACK_BOT_TOKEN   xoxb-…, once the app that bobbin manifest describes is installed
  SLACK_APP_TOKEN   xapp-…, with the scope connections:write
  OPENAI_API_KEY    or --model-url for an endpoint that needs none
  BOBBIN_GIT_TOKEN  for https remotes that are not public; or BOBBIN_GITHUB_APP_KEY, the key of a GitHub App

bobbin doctor looks at all of it before. Secrets come from the environment only. Stops on Ctrl-C; what was under way goes on at the next start.`
}

// Run is the bot, until ctx ends.
func (c *serveCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	config, secrets, err := c.load(con)
	if err != nil {
		return err
	}
	s, err := c.settings(config, secrets, con)
	if err != nil {
		return err
	}
	if con.Seal != nil {
		if err := con.Seal(); err != nil {
			log.Warn("this process is less closed than it could be", "err", err)
		}
	}
	if names := config.unpriced(); len(names) > 0 {
		log.Warn("limits in USD do not count these models; give their prices under models, or set session_tokens", "models", names)
	}
	service, err := newService(ctx, s, log)
	if err != nil {
		return ended(ctx, err)
	}
	defer service.close()
	if service.monitor.addr != "" {
		fmt.Fprintf(con.Err, "bobbin: health is at http://%s/readyz\n", service.monitor.addr)
	}
	fmt.Fprintln(con.Err, "bobbin: listening. Mention the bot in a channel that it is in; Ctrl-C stops.")
	return ended(ctx, service.run(ctx))
}

// ended sorts out why the bot ended: to be stopped is no error, and what Slack turns away
// or a sandbox that is not to be had is the caller's to mend.
func ended(ctx context.Context, err error) error {
	var refused *bot.AuthError
	var unavailable *sandbox.Unavailable
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &refused):
		return usageError{refused}
	case errors.As(err, &unavailable):
		return usageError{unavailable}
	}
	return err
}

// load reads the file and checks the environment beside it; all problems are said at
// once. A secret is never part of what is said.
func (c *serveCommand) load(con console) (config Config, secrets map[string]string, err error) {
	var errs []error
	if c.Config == "" {
		errs = append(errs, errors.New("no configuration: name a file with --config or BOBBIN_CONFIG; docs/configuration.md shows one"))
	} else {
		config, err = LoadConfig(c.Config)
		errs = append(errs, err)
	}
	secrets, err = c.secrets(config, con)
	errs = append(errs, err, checkSlackTokens(secrets), checkWebAddress("SLACK_API_URL", c.SlackURL), checkWebAddress("OPENAI_BASE_URL", c.ModelURL), checkHTTPAddr(c.HTTPAddr), checkDatabase(c.DatabaseURL))
	if c.ModelURL == "" && secrets[modelKey] == "" {
		errs = append(errs, errors.New("environment: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none"))
	}
	if err := errors.Join(errs...); err != nil {
		return config, nil, usageError{err}
	}
	return config, secrets, nil
}

func notOfToken(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"'`\\", r) }

func checkSlackTokens(secrets map[string]string) error {
	var errs []error
	for _, v := range []struct{ name, prefix, other, from string }{
		{slackBotToken, "xoxb-", slackAppToken, "OAuth & Permissions"},
		{slackAppToken, "xapp-", slackBotToken, "Basic Information, App-Level Tokens"},
	} {
		switch value := secrets[v.name]; {
		case value == "":
			errs = append(errs, fmt.Errorf("environment: %s is not set; it begins with %s and is shown on the Slack app's page under %s", v.name, v.prefix, v.from))
		case strings.HasPrefix(value, "xapp-") && v.prefix == "xoxb-", strings.HasPrefix(value, "xoxb-") && v.prefix == "xapp-":
			errs = append(errs, fmt.Errorf("environment: %s has to begin with %s; what it holds belongs into %s", v.name, v.prefix, v.other))
		case !strings.HasPrefix(value, v.prefix):
			errs = append(errs, fmt.Errorf("environment: %s has to begin with %s", v.name, v.prefix))
		}
	}
	return errors.Join(errs...)
}

func checkWebAddress(name, value string) error {
	u, err := url.Parse(value)
	if value == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return fmt.Errorf("environment: %s is not an address that begins with http:// or https://", name)
}

func checkHTTPAddr(addr string) error {
	if addr == "" {
		return nil
	}
	if err := checkListen(addr); err != nil {
		return fmt.Errorf("environment: BOBBIN_HTTP_ADDR: %w", err)
	}
	return nil
}

// settings makes of file and environment what the bot is built from.
func (c *serveCommand) settings(config Config, secrets map[string]string, con console) (settings, error) {
	s, err := c.place(con)
	if err != nil {
		return s, err
	}
	s.SlackToken, s.SlackAppToken, s.SlackURL = secrets[slackBotToken], secrets[slackAppToken], c.SlackURL
	s.ModelURL, s.ModelKey = c.ModelURL, secrets[modelKey]
	s.Sandbox, s.Attempts = config.Sandbox, config.Limits.Attempts
	s.Never = ownHosts(s.DatabaseURL)
	s.Limits, s.Secrets = config.Limits.limits(), con.Hide
	s.Seats = store.Seats{AtOnce: cmp.Or(config.Limits.SessionsAtOnce, 8), PerRepository: config.Limits.PerRepository}
	s.Silent = config.Limits.silent()
	s.Unanswered, s.SkillsDir = time.Duration(config.Limits.Unanswered)*time.Minute, config.SkillsDir
	s.SlackLinks, s.ProgressCards, s.AgentStatus = config.Slack.Connections, config.Slack.ProgressCard != "off", config.Slack.AgentStatus
	s.Admins = config.Slack.Admins
	s.HTTPAddr, s.Keep = cmp.Or(c.HTTPAddr, config.HTTP.Addr), config.Keep.retention()
	s.Vision = map[string]bool{}
	s.Agents, s.Prices, s.Fallback = map[string]agent.Setting{}, map[string]model.Price{}, map[string][]string{}
	for name, a := range config.Agents {
		s.Agents[name] = agent.Setting{Model: a.Model, Effort: a.Effort, Display: a.Name}
	}
	for name, m := range config.Models {
		s.Prices[name] = model.Price{Input: m.Input, Output: m.Output, Cached: m.Cached}
		s.Fallback[name] = m.Fallback
		s.Vision[name] = m.Vision
	}
	credentials, err := config.credentials(secrets, con.Hide)
	if err != nil {
		return s, err
	}
	s.Reactions = config.reactions()
	for _, r := range config.Repositories {
		s.Repositories = append(s.Repositories, r.repository(credentials[r.Name]))
		if r.Watch == "all" {
			s.Watch = append(s.Watch, r.Channels...)
		}
	}
	return s, nil
}

func (r RepositoryConfig) repository(credentials repo.Credentials) turn.Repository {
	return turn.Repository{
		Remote: repo.Remote{Name: r.Name, URL: r.URL, Credentials: credentials}, Base: r.Base, Channels: r.Channels, BranchPrefix: r.BranchPrefix,
		Build: r.Checks.Build, Test: r.Checks.Test, Scope: r.Scope, CodeURL: codeURL(r), Setup: r.Setup.setup(),
		Approvers: workflow.Approvers{People: r.Approvers, OtherThanRequester: r.OtherThanRequester},
		Closed:    r.Guests == noCode, Private: r.Private,
	}
}
