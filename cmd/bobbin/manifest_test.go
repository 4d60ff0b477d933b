package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
)

func TestManifestIsPrinted(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(filepath.Join("..", "..", "deploy", "slack-manifest.yaml"))
	require.NoError(t, err)
	code, yaml, errs := call(t, t.Context(), nil, "manifest")
	require.Equal(t, cli.ExitOK, code)
	require.Empty(t, errs)
	for line := range strings.Lines(yaml) {
		require.Contains(t, string(file), line)
	}

	var m struct {
		Display struct {
			Name string `json:"name"`
		} `json:"display_information"`
		Features map[string]any `json:"features"`
		OAuth    struct {
			Scopes struct {
				Bot []string `json:"bot"`
			} `json:"scopes"`
		} `json:"oauth_config"`
	}
	code, text, errs := call(t, t.Context(), nil, "manifest", "--json", "--agent", "--name", "Acme Fixer")
	require.Equal(t, cli.ExitOK, code)
	require.Contains(t, errs, "guests cannot use")
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	require.Equal(t, "Acme Fixer", m.Display.Name)
	require.Contains(t, m.Features, "agent_view")
	require.Subset(t, m.OAuth.Scopes.Bot, deploy.Names(deploy.Scopes()))

	code, link, errs := call(t, t.Context(), nil, "manifest", "--url")
	require.Equal(t, cli.ExitOK, code)
	require.Empty(t, errs)
	require.Equal(t, 1, strings.Count(link, "\n"))
	u, err := url.Parse(strings.TrimSpace(link))
	require.NoError(t, err)
	require.Equal(t, "api.slack.com", u.Host)
	require.Contains(t, u.Query().Get("manifest_yaml"), "      - chat:write\n")

	code, text, errs = call(t, t.Context(), nil, "manifest", "--pages", "https://bobbin.example.com/")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, text, "\noauth_config:\n  redirect_urls:\n"+
		"    - \"https://bobbin.example.com/s/-/signed-in\"\n  scopes:\n")
	code, _, errs = call(t, t.Context(), nil, "manifest", "--pages", "http://bobbin.example.com")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "it has to begin with https://: Slack")
	code, _, errs = call(t, t.Context(), nil, "manifest", "--pages", "bobbin.example.com")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "--pages bobbin.example.com: it has to begin with https://")

	code, _, errs = call(t, t.Context(), nil, "manifest", "--name", "Slack Fixer")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, `may not hold "slack"`)
}

// Slack shows a person what a command does in the words of the guide for people, which is also
// docs/for-people.md.
func TestCommandsAreDescribedAsInTheGuide(t *testing.T) {
	t.Parallel()
	described := 0
	for _, c := range deploy.Commands() {
		if c.Name == "/bobbin" { // the guide tells of its subcommands
			continue
		}
		_, says, found := strings.Cut(workflow.ChannelGuide(), "`"+c.Name+" …`")
		require.True(t, found, c.Name)
		says = says[:strings.IndexAny(says, ";.\n")]
		does := strings.ToLower(c.Description[:1]) + c.Description[1:]
		require.True(t, strings.HasSuffix(says, " "+does), "%s: %q in the manifest, and in the guide %q",
			c.Name, does, says)
		described++
	}
	require.Equal(t, 4, described)
}
