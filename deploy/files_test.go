package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnitIsTaken checks the systemd unit with systemd-analyze. The chart, the compose file and the
// Dockerfile are checked by "make deployment".
func TestUnitIsTaken(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil { // make deps installs it if possible; a machine without systemd does not need the unit
		t.Skip("systemd-analyze is not here to look at the unit")
	}
	unit, err := os.ReadFile("bobbin.service")
	require.NoError(t, err)
	// systemd-analyze verifies only a unit whose program exists.
	here := filepath.Join(t.TempDir(), "bobbin.service")
	program, err := exec.LookPath("true")
	require.NoError(t, err)
	verify := func(text string) string {
		t.Helper()
		require.NoError(t,
			os.WriteFile(here, []byte(strings.Replace(text, "/usr/local/bin/bobbin", program, 1)), 0o600))
		out, err := exec.CommandContext(t.Context(), analyze, "verify", here).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	require.Empty(t, verify(string(unit)))
	require.Contains(t, verify(string(unit)+"Nonsense=yes\n"), "Nonsense", "control")
}

// breaksSandbox matches the settings of a unit under which the sandbox cannot be set up, or programs of
// commands do not run. TestItWorksInOurUnit of package sandbox runs it under the filters of the others.
var breaksSandbox = regexp.MustCompile(
	`(?m)^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProtectControlGroups|ProtectProc|` +
		`ProcSubset|PrivateUsers|ProtectHostname|SystemCallFilter|MemoryDenyWriteExecute)=`)

func TestUnitLeavesTheSandbox(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("bobbin.service")
	require.NoError(t, err)
	require.Empty(t, breaksSandbox.FindAllString(string(unit), -1))
	require.NotEmpty(t, breaksSandbox.FindString("UMask=0022\nProtectHostname=yes\n"), "control")
}
