package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSandboxTakesOverBeforeExpensivePackages checks the order of package initialisation. A command in the
// sandbox starts as this program, which takes over in an init function of one of the sandbox packages, so
// each command pays for all packages that are initialised before them. The expensive packages, which
// compile hundreds of regular expressions or read lexers, must come later.
func TestSandboxTakesOverBeforeExpensivePackages(t *testing.T) {
	t.Parallel()
	again := exec.Command(os.Args[0], "-test.run", "^$")
	again.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := again.CombinedOutput()
	require.NoError(t, err, string(out))
	order := map[string]int{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "init" {
			order[f[1]] = len(order) + 1
		}
	}
	for _, first := range []string{"bubblewrap", "namespaces", "initproc", "gvisor"} {
		for _, expensive := range []string{
			"github.com/alecthomas/chroma/v2/lexers", "github.com/bobbinhq/bobbin/workflow/intent",
		} {
			at := order["github.com/bobbinhq/bobbin/repo/sandbox/internal/"+first]
			require.NotZero(t, at, first)
			require.Less(t, at, order[expensive], "%s is initialized after %s", first, expensive)
		}
	}
}
