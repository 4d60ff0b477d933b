package secrets

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hidden is part of every secret of these tests.
const hidden = "s3cr3t"

// TestSecretsAreTakenOutOfTheEnvironment checks that secrets are removed from the process before it starts
// any other.
func TestSecretsAreTakenOutOfTheEnvironment(t *testing.T) {
	names := []string{
		"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "OPENAI_API_KEY", "BOBBIN_GIT_TOKEN", "DATABASE_URL",
	}
	for _, name := range names {
		t.Setenv(name, hidden+name)
	}
	t.Setenv("BOBBIN_CONFIG", "bobbin.yaml")
	env := TakeEnvironment()
	for _, name := range names {
		require.Equal(t, hidden+name, env(name))
	}
	require.Equal(t, "bobbin.yaml", env("BOBBIN_CONFIG"))
	require.NotContains(t, strings.Join(os.Environ(), "\n"), hidden)
}
