package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// opened are the sandboxes of this machine, opened once.
var opened = sync.OnceValue(func() map[string]*Sandbox {
	out := map[string]*Sandbox{}
	for _, kind := range []string{KindNamespaces, KindBubblewrap} {
		s, err := Open(context.Background(), Config{Kind: kind, Log: slog.Default()})
		if err != nil {
			slog.Info("this kind is not tested here", "kind", kind, "err", err)
			var u *Unavailable
			if kind == KindNamespaces || !errors.As(err, &u) || u.Why != "bwrap is not installed" {
				panic(err) // namespaces hold wherever these tests run, and so does bwrap where there is one
			}
			continue
		}
		out[kind] = s
	}
	return out
})

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

// workspace is an empty one that commands may write.
func workspace(t *testing.T, s *Sandbox) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, s.Own(dir))
	return dir
}
