package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs a program that knows a kind of file, where it is installed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not here to look at the files", name)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// The chart holds by helm's own rules, and its pods run neither as root nor with more than they need.
func TestChartIsTaken(t *testing.T) {
	t.Parallel()
	values := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(values, []byte("config: {repositories: [{name: shop, url: 'https://github.com/acme/shop.git'}]}\nexistingSecret: bobbin-tokens\nserviceMonitor: {enabled: true}\n"), 0o600))
	run(t, "helm", "lint", "--strict", "helm/bobbin", "--values", values)
	all := run(t, "helm", "template", "try", "helm/bobbin", "--kube-version", "1.33.0", "--values", values)
	for _, part := range []string{"kind: StatefulSet", "replicas: 2", "kind: PodDisruptionBudget", "kind: NetworkPolicy", "kind: ServiceMonitor", "runAsNonRoot: true", "name: bobbin-tokens", "hostUsers: false", "procMount: Unmasked"} {
		require.Contains(t, all, part)
	}
	require.NotContains(t, all, "kind: Secret\n", "the operator's own secret is used")
	out, err := exec.Command("helm", "template", "try", "helm/bobbin", "--kube-version", "1.33.0").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "config is empty: give bobbin.yaml with at least one repository")
}

func TestComposeFileIsTaken(t *testing.T) {
	t.Parallel()
	require.Contains(t, run(t, "docker-compose", "-f", "../docker-compose.yml", "config"), "deploy/Dockerfile")
}

func TestUnitIsTaken(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("bobbin.service")
	require.NoError(t, err)
	// The program has to be there to be verified.
	here := filepath.Join(t.TempDir(), "bobbin.service")
	program, err := exec.LookPath("true")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(here, []byte(strings.Replace(string(unit), "/usr/local/bin/bobbin", program, 1)), 0o600))
	require.Empty(t, run(t, "systemd-analyze", "verify", here))
}
