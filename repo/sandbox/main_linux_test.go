package sandbox

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/cgroup"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("BOBBIN_TEST_PARENT"); kind != "" {
		beParent(kind)
	}
	code := m.Run()
	cgroup.Find() // sweeps what killed programs left
	os.Exit(code)
}

// opened are the sandboxes of this machine, opened once.
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
			panic(err) // name spaces hold wherever these tests run, and so does bwrap where there is one
		}
	}
	return out
})

// configOf opens a kind. gVisor and Docker are tested where these variables, or the PATH,
// say that they are; `make gvisor` sets the first.
func configOf(kind string) Config {
	return Config{
		Kind: kind, Log: slog.Default(), Runsc: os.Getenv("BOBBIN_TEST_RUNSC"),
		Engine: os.Getenv("BOBBIN_TEST_ENGINE"), Image: os.Getenv("BOBBIN_TEST_IMAGE"),
	}
}

// What was named to be tested is tested.
func TestNamedKindsAreThere(t *testing.T) {
	t.Parallel()
	for variable, kind := range map[string]string{"BOBBIN_TEST_RUNSC": KindGVisor, "BOBBIN_TEST_IMAGE": KindDocker} {
		if os.Getenv(variable) != "" && os.Getenv("BOBBIN_TEST_AGAIN") == "" {
			require.Contains(t, opened(), kind)
		}
	}
}

// everyKind runs the test in every kind that confines and is there.
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

// openUnconfined is the control.
func openUnconfined(t *testing.T) *Sandbox {
	t.Helper()
	s, err := Open(t.Context(), Config{Kind: KindNone})
	require.NoError(t, err)
	return s
}

// workspace is an empty one that commands may write.
func workspace(t *testing.T, s *Sandbox) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, s.Own(dir))
	return dir
}

// shell runs a script over a workspace of its own and returns what it wrote.
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

// reason is why the error says that the command was ended.
func reason(t *testing.T, err error) string {
	t.Helper()
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	return exit.Reason
}
