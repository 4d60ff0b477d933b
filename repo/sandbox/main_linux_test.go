package sandbox

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("BOBBIN_TEST_PARENT"); kind != "" {
		beParent(kind)
	}
	if kind := os.Getenv("BOBBIN_TEST_UNIT"); kind != "" {
		beUnit(kind)
	}
	code := m.Run()
	cgroup.Find() // removes groups that killed programs left
	os.Exit(code)
}

// opened returns the sandboxes that work on this machine, opened once.
var opened = sync.OnceValue(func() map[string]*Sandbox {
	out := map[string]*Sandbox{}
	kinds := []string{KindNamespaces, KindBubblewrap, KindGVisor, KindDocker}
	if os.Getenv("BOBBIN_TEST_AGAIN") == "fast" {
		kinds = kinds[:2]
	}
	for _, kind := range kinds {
		s, err := Open(context.Background(), configOf(kind))
		if err == nil {
			out[kind] = s
			continue
		}
		slog.Info("this kind is not tested here", "err", err)
		var u *Unavailable
		if !errors.As(err, &u) || kind == KindNamespaces || kind == KindBubblewrap && u.Why != "bwrap is not installed" {
			panic(err) // namespaces works wherever these tests run, and bubblewrap wherever bwrap is installed
		}
	}
	return out
})

// configOf returns the Config for a kind. gVisor and Docker are tested if these variables or the PATH name
// them; `make gvisor` sets the first one.
func configOf(kind string) Config {
	return Config{
		Kind: kind, Log: slog.Default(), Runsc: os.Getenv("BOBBIN_TEST_RUNSC"),
		Engine: os.Getenv("BOBBIN_TEST_ENGINE"), Image: os.Getenv("BOBBIN_TEST_IMAGE"),
	}
}

// A kind that was configured for the tests must be tested.
func TestNamedKindsAreThere(t *testing.T) {
	t.Parallel()
	for variable, kind := range map[string]string{"BOBBIN_TEST_RUNSC": KindGVisor, "BOBBIN_TEST_IMAGE": KindDocker} {
		if os.Getenv(variable) != "" && os.Getenv("BOBBIN_TEST_AGAIN") == "" {
			require.Contains(t, opened(), kind)
		}
	}
}

// everyKind runs the test in every kind that confines and works on this machine.
func everyKind(t *testing.T, test func(t *testing.T, s *Sandbox)) {
	t.Helper()
	t.Parallel()
	for kind, s := range opened() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// every makes the tests repeat in each kind what they otherwise show in one kind or less often.
var every = os.Getenv("BOBBIN_EVERY") != ""

// again is true in the process that runs these tests as an ordinary user.
var again = os.Getenv("BOBBIN_TEST_AGAIN") != ""

// hasTurn reports whether case number i of a test is run in this kind: namespaces and bubblewrap take turns. A kind that
// is not there leaves its turns to the other.
func hasTurn(s *Sandbox, i int) bool {
	taking := []string{KindNamespaces, KindBubblewrap}
	mine := slices.Index(taking, s.Kind())
	return every || mine < 0 || opened()[taking[1-mine]] == nil || i%2 == mine
}

// openUnconfined returns the sandbox for controls, which confines nothing.
func openUnconfined(t *testing.T) *Sandbox {
	t.Helper()
	s, err := Open(t.Context(), Config{Kind: KindNone})
	require.NoError(t, err)
	return s
}

// workspace returns an empty workspace that commands can write to.
func workspace(t *testing.T, s *Sandbox) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, s.Own(dir))
	return dir
}

// shell runs a script in a new workspace and returns its output.
func shell(t *testing.T, s *Sandbox, script string) (string, error) {
	t.Helper()
	c := s.Command(workspace(t, s), "sh", "-c", script)
	c.Limits.Time = 10 * time.Minute
	return output(t, c)
}

func output(t *testing.T, c *Cmd) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run(t.Context())
	return strings.TrimSpace(out.String()), err
}

// reason returns the Reason of an ExitError.
func reason(t *testing.T, err error) string {
	t.Helper()
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	return exit.Reason
}
