package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
)

type serveCommand struct {
	operate.StorageFlags
	Config   string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	SlackURL string `from:"SLACK_API_URL" help:"A Slack API other than Slack's own ($SLACK_API_URL)." placeholder:"URL"`
	HTTPAddr string `name:"http-addr" from:"BOBBIN_HTTP_ADDR" help:"Where health is served, instead of the file's http.addr ($BOBBIN_HTTP_ADDR)." placeholder:"HOST:PORT"`
	ModelURL string `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
}

// Help returns the detailed text of bobbin serve --help.
func (serveCommand) Help() string {
	return `Needs a configuration file that names a repository (docs/configuration.md shows one)
and, in the environment:

  SLACK_BOT_TOKEN   xoxb-…, shown when the app that bobbin manifest describes is installed
  SLACK_APP_TOKEN   xapp-…, with the scope connections:write
  OPENAI_API_KEY    or --model-url for an endpoint that needs none
  BOBBIN_GIT_TOKEN  for https remotes that are not public; or BOBBIN_GITHUB_APP_KEY, the key of a GitHub App

bobbin doctor checks all of it first. Secrets come from the environment only. Stops on Ctrl-C;
running work continues at the next start. SIGHUP, or bobbin reload, loads a configuration file that
changed.`
}

// Run runs the bot until ctx ends. When con.Hangup signals, it reads the configuration again and applies
// it.
func (sc *serveCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	con.Env = rememberEnvironment(con.Env)
	s, text, err := sc.settings(con, log)
	if err != nil {
		return err
	}
	if con.Seal != nil {
		if err := con.Seal(); err != nil {
			log.Warn("this process is less protected than it could be", "err", err)
		}
	}
	r := reloader{command: sc, con: con, log: log, file: text}
	if con.Hangup != nil {
		r.asked = con.Hangup()
	}
	err = r.run(ctx, s)
	if err == nil && ctx.Err() != nil {
		fmt.Fprintln(con.Err, "bobbin: stopped; sessions go on at the next start.")
	}
	return err
}

// settings reads the configuration file and the environment, and returns the settings of the
// server and the text of the file.
func (sc *serveCommand) settings(con cli.Console, log *slog.Logger) (server.Settings, []byte, error) {
	file, values, err := sc.load(con)
	if err != nil {
		return server.Settings{}, nil, err
	}
	target, err := sc.Target(con)
	if err != nil {
		return server.Settings{}, nil, err
	}
	file.SharedURL = sc.ModelURL
	s, err := server.FromConfig(file, values, target, con.Hide)
	if err != nil {
		return s, nil, err
	}
	if s.Traces, err = traces.FromEnvironment(con.Env); err != nil {
		return s, nil, cli.UsageError{Err: err}
	}
	s.Waiting = func(err error) {
		fmt.Fprintf(con.Err, "bobbin: waiting: %v. The bot starts once it is there; Ctrl-C stops.\n", err)
	}
	s.SlackURL = sc.SlackURL
	s.ModelURL = sc.ModelURL
	s.HTTPAddr = cmp.Or(sc.HTTPAddr, s.HTTPAddr)
	if file.Warning != "" {
		log.Warn(file.Warning)
	}
	if names := file.ModelsNotLimited(); len(names) > 0 {
		log.Warn("limits in USD do not hold for these models, since their prices are not known; "+
			"give the prices under models, or set limits.session.tokens", "models", names)
	}
	return s, file.Text, nil
}

// describeEnd returns the error with which the bot's end is reported. A stop by ctx is no error. What the
// doctor has a finding for is a usage error in its words, because the caller can fix it.
func describeEnd(ctx context.Context, err error, s server.Settings) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	if f, known := doctor.Explain(err, s); known {
		return cli.UsageError{Err: fmt.Errorf("bobbin: %s\n  → %s", f.What, f.Cure)}
	}
	return err
}

// load reads the configuration file and the secrets of the environment, and checks both. Its error names
// all problems at once and never contains a secret.
func (sc *serveCommand) load(con cli.Console) (file config.Config, values map[string]string, err error) {
	var errs []error
	if sc.Config == "" {
		errs = append(errs, errors.New("no configuration: there is no bobbin.yaml in this folder; "+
			"bobbin init writes one, or name another with --config or BOBBIN_CONFIG"))
	} else {
		file, err = config.Load(sc.Config)
		errs = append(errs, err)
	}
	values, err = file.ReadSecrets(con)
	errs = append(errs, err, config.CheckSlackTokens(values), address.CheckWebAddress("SLACK_API_URL",
		sc.SlackURL), address.CheckWebAddress("OPENAI_BASE_URL", sc.ModelURL),
		config.CheckHTTPAddr(sc.HTTPAddr), file.CheckServed(sc.HTTPAddr),
		storage.CheckDatabase(sc.DatabaseURL))
	if sc.ModelURL == "" && values[secrets.ModelKey] == "" && file.NeedsSharedEndpoint() {
		errs = append(errs, errors.New("environment: set OPENAI_API_KEY, "+
			"or OPENAI_BASE_URL for an endpoint that needs none; or give each model that agents ask a url"))
	}
	if err := errors.Join(errs...); err != nil {
		return file, nil, cli.UsageError{Err: err}
	}
	return file, values, nil
}
