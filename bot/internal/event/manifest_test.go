package event

import (
	"os"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// TestTheManifestHasWhatIsUsed checks that the shipped manifest has the commands, shortcuts and scopes that the
// bot uses.
func TestTheManifestHasWhatIsUsed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../deploy/slack-manifest.yaml")
	require.NoError(t, err)
	var manifest struct {
		Features struct {
			Commands []struct {
				Command string `yaml:"command"`
				Hint    string `yaml:"usage_hint"`
			} `yaml:"slash_commands"`
			Shortcuts []struct {
				ID string `yaml:"callback_id"`
			} `yaml:"shortcuts"`
		} `yaml:"features"`
		OAuth struct {
			Scopes struct {
				Bot []string `yaml:"bot"`
			} `yaml:"scopes"`
		} `yaml:"oauth_config"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &manifest))
	require.Len(t, manifest.Features.Commands, len(commandUsage))
	for i, f := range commandUsage {
		require.Equal(t, "/"+string(f.name), manifest.Features.Commands[i].Command)
		require.Equal(t, f.form, manifest.Features.Commands[i].Hint)
	}
	require.Len(t, manifest.Features.Shortcuts, 1)
	require.Equal(t, SendShortcut, manifest.Features.Shortcuts[0].ID)
	require.Subset(t, manifest.OAuth.Scopes.Bot, []string{
		"app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "files:read", "files:write", "groups:history", "groups:read",
		"im:history", "im:read", "im:write", "reactions:read", "reactions:write", "usergroups:read", "users:read",
	})
}
