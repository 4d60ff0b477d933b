package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/deploy"
)

type manifestCommand struct {
	Name  string `help:"What the app is called (Bobbin)." placeholder:"NAME"`
	Agent bool   `help:"With Slack's agent view. Guests cannot use such an app."`
	Pages string `help:"The configuration's http.url, for Sign in with Slack (http.sign_in)." placeholder:"URL"`
	URL   bool   `name:"url" help:"Only the link to Slack's page that creates the app, with all of this filled in." xor:"form"`
	JSON  bool   `name:"json" help:"As JSON." xor:"form"`
}

// Help returns the detailed text of bobbin manifest --help.
func (manifestCommand) Help() string {
	return `Prints the manifest of the Slack app: its scopes, events, commands and settings, each
scope with its purpose. Open the link that --url prints, choose your workspace and create the
app; or paste the output under "Create New App", "From a manifest" at https://api.slack.com/apps. For
an existing app, paste it under "App Manifest", and then install the app again.`
}

// Run prints the manifest of the Slack app, or the link that creates the app.
func (m *manifestCommand) Run(_ context.Context, con cli.Console) error {
	app := deploy.App{Name: m.Name, Agent: m.Agent}
	if m.Pages != "" {
		err := address.CheckPages(m.Pages)
		if err == nil && !strings.HasPrefix(m.Pages, "https://") {
			err = errors.New("it has to begin with https://: Slack sends people back to no other address")
		}
		if err != nil {
			return cli.UsageError{Err: fmt.Errorf("bobbin: --pages %s: %w", m.Pages, err)}
		}
		app.Redirect = page.SignedInURL(m.Pages)
	}
	if m.Agent {
		fmt.Fprintln(con.Err, "bobbin: guests cannot use an app with the agent view: "+
			"they can neither mention it nor press its buttons.")
	}
	text, err := m.form(app)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
	}
	fmt.Fprint(con.Out, text)
	return nil
}

func (m *manifestCommand) form(app deploy.App) (string, error) {
	if m.URL {
		link, err := app.Link()
		return link + "\n", err
	}
	text, err := app.Manifest()
	if err != nil || !m.JSON {
		return text, err
	}
	return asJSON(text)
}

func asJSON(text string) (string, error) {
	var manifest map[string]any
	if err := yaml.Unmarshal([]byte(text), &manifest); err != nil {
		return "", err
	}
	out, err := json.MarshalIndent(manifest, "", "  ")
	return string(out) + "\n", err
}
