package main

import (
	"context"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
)

type doctorCommand struct {
	operate.StorageFlags
	Config   string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	SlackURL string `from:"SLACK_API_URL" help:"A Slack API other than Slack's own ($SLACK_API_URL)." placeholder:"URL"`
	ModelURL string `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
	JSON     bool   `name:"json" help:"As one JSON object."`
}

// Help returns the detailed text of bobbin doctor --help.
func (doctorCommand) Help() string {
	return `Checks everything that bobbin serve needs, with the same variables and the same file: the
configuration, this machine, Slack, the database, the sandbox, each repository and the models. Says
for each what is wrong and what to do. Works with nothing set at all: then it says where to begin.
Works while a bot runs. Nothing is posted, pushed or migrated, and no secret is shown.

The exit code is 0 if nothing prevents the start (there may be warnings), 1 if something does, and 2
if the configuration cannot be read.`
}

// Run examines everything that bobbin serve needs and prints the findings.
func (d *doctorCommand) Run(ctx context.Context, con cli.Console) error {
	target, err := d.Target(con)
	if err != nil {
		return err
	}
	return doctor.New(
		doctor.Options{Config: d.Config, Storage: target, SlackURL: d.SlackURL, ModelURL: d.ModelURL}, con,
	).Examine(ctx, d.JSON)
}
