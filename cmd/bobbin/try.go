package main

import (
	"context"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/try"
)

type tryCommand struct {
	Repository string `arg:"" name:"repo" help:"A path or URL of a git repository, or the name of one in the configuration."`
	Config     string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	Base       string `help:"The branch; default: the configured one, or the repository's default." placeholder:"BRANCH"`
	Once       bool   `help:"Run the tests once. By default they run twice, which shows flaky ones."`
	TokenEnv   string `help:"The variable with a token for an https URL that is not in the configuration." placeholder:"NAME"`
	JSON       bool   `name:"json" help:"As one JSON object."`
}

// Help returns the detailed text of bobbin try --help.
func (tryCommand) Help() string {
	return `Says what Bobbin would find in a repository, and what it could prove there. It needs no Slack, no
model and no database:

  bobbin try .                                what is committed here, on the default branch
  bobbin try https://github.com/acme/shop     a repository elsewhere
  bobbin try shop                             one of the bobbin.yaml here, or of --config, with its settings

It clones the repository into a temporary folder, looks for the build and test commands, fetches the
packages, and builds and tests the base in the sandbox, with the code that the bot itself uses. Then it
runs the tests near one file, and all tests once more. It says what is missing and how to get it, and
prints the lines for bobbin.yaml that would help. The temporary folder is removed, also after Ctrl-C;
nothing is pushed or posted.

The exit code is 0 if the repository is ready: the tests of its base run, and are counted. It is
1 if it is not ready or cannot be read, and 2 if the arguments or the configuration are wrong.
docs/environments.md describes what is shown and the JSON object.`
}

// AfterApply leaves a configuration file that is part of the repository out.
func (c *tryCommand) AfterApply(here *hereConfig) error {
	return here.leaveToRepository(c.Repository, &c.Config)
}

// Run tries the repository and prints what was found.
func (c *tryCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return try.Run(ctx, try.Options{
		Repository: c.Repository,
		Config:     c.Config,
		Base:       c.Base,
		Once:       c.Once,
		TokenEnv:   c.TokenEnv,
		JSON:       c.JSON,
	}, con, log)
}
