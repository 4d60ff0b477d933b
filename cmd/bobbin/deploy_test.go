package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// TestSlackManifestHoldsTogether checks the manifest for what Slack would refuse, and for events that would
// never arrive because their scope is missing.
func TestSlackManifestHoldsTogether(t *testing.T) {
	t.Parallel()
	var m struct {
		Display struct {
			Name        string `yaml:"name"`
			Description string `yaml:"description"`
		} `yaml:"display_information"`
		OAuth struct {
			Scopes struct {
				Bot []string `yaml:"bot"`
			} `yaml:"scopes"`
		} `yaml:"oauth_config"`
		Settings struct {
			Events struct {
				Bot []string `yaml:"bot_events"`
			} `yaml:"event_subscriptions"`
			Interactivity struct {
				Enabled bool `yaml:"is_enabled"`
			} `yaml:"interactivity"`
			SocketMode bool `yaml:"socket_mode_enabled"`
		} `yaml:"settings"`
	}
	readYAML(t, "deploy/slack-manifest.yaml", &m)
	require.Equal(t, "Bobbin", m.Display.Name)
	require.LessOrEqual(t, len(m.Display.Description), 140)
	require.True(t, m.Settings.SocketMode)
	require.True(t, m.Settings.Interactivity.Enabled, "buttons need it")
	needs := map[string]string{
		"app_mention":      "app_mentions:read",
		"message.channels": "channels:history",
		"message.groups":   "groups:history",
		"message.im":       "im:history",
		"message.mpim":     "mpim:history",
		"reaction_added":   "reactions:read",
		"reaction_removed": "reactions:read",
	}
	require.Contains(t, m.Settings.Events.Bot, "app_home_opened") // needs no scope
	for _, event := range m.Settings.Events.Bot {
		if event == "app_home_opened" {
			continue
		}
		require.Contains(t, m.OAuth.Scopes.Bot, needs[event], "event %s", event)
		delete(needs, event)
	}
	require.Empty(t, needs, "events that the bot waits for")
	for _, scope := range []string{
		"chat:write", "users:read", "reactions:write", "channels:read", "groups:read",
	} {
		require.Contains(t, m.OAuth.Scopes.Bot, scope)
	}
}

// TestComposeFileNamesVariablesThatAreRead checks that the documentation names every variable that the
// compose file sets for the bot.
func TestComposeFileNamesVariablesThatAreRead(t *testing.T) {
	t.Parallel()
	var c struct {
		Services map[string]struct {
			Environment map[string]string `yaml:"environment"`
			Healthcheck map[string]any    `yaml:"healthcheck"`
			SecurityOpt []string          `yaml:"security_opt"`
		} `yaml:"services"`
	}
	readYAML(t, "docker-compose.yml", &c)
	require.Contains(t, c.Services, "bot")
	require.NotEmpty(t, c.Services["db"].Healthcheck)
	require.Equal(t, []any{"CMD", "bobbin", "health"}, c.Services["bot"].Healthcheck["test"])
	require.NotEmpty(t, c.Services["bot"].Environment["BOBBIN_HTTP_ADDR"], "the check asks there")
	require.Contains(t, c.Services["bot"].SecurityOpt, "seccomp=unconfined",
		"the sandbox needs user namespaces")
	documented, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration", "environment.md"))
	require.NoError(t, err)
	for name := range c.Services["bot"].Environment {
		require.Contains(t, string(documented), "`"+name+"`")
	}
	require.True(t, strings.HasPrefix(c.Services["bot"].Environment["DATABASE_URL"], "postgres://"))
}

func TestImageIsStaticAndNotRoot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "Dockerfile"))
	require.NoError(t, err)
	for _, line := range []string{
		`(?m)^ENV CGO_ENABLED=0 `, `install -y [^\n]*bubblewrap`, `(?m)^USER bobbin$`,
	} {
		require.Regexp(t, regexp.MustCompile(line), string(text))
	}
}
