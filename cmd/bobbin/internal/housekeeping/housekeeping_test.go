package housekeeping

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// TestADiskThatFailsStopsNoOtherCleaning checks that the error of one part is returned, and that the other
// parts are cleaned nevertheless.
func TestADiskThatFailsStopsNoOtherCleaning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"sessions", "cache"} { // files in place of the folders
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	left := filepath.Join(dir, "mirrors", "shop.git.gone-1")
	require.NoError(t, os.MkdirAll(left, 0o755))
	s := storetest.Open(t)
	_, err := s.Pool.Exec(t.Context(),
		`insert into sessions (id, team, channel, thread_ts, phase, updated_at)
			values ('old', 'T1', 'C1', '1.0', 'done', now() - '91 days'::interval)`)
	require.NoError(t, err)
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	New(dir, FromConfig(config.Keep{}), s, log).cleanOnce(t.Context())
	require.Contains(t, said.String(), "clean sessions' folders")
	require.Contains(t, said.String(), "build cache: clean")
	require.Contains(t, said.String(), "1 sessions' words and files")
	require.NoDirExists(t, left)
}

func TestItIsLookedAsOftenAsLimitsAreShort(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Hour, Retention{}.cleanEvery())
	require.Equal(t, time.Hour, FromConfig(config.Keep{}).cleanEvery())
	require.Equal(t, 3*time.Hour/4, FromConfig(config.Keep{Files: 0.125}).cleanEvery())
	require.Equal(t, time.Second, FromConfig(config.Keep{Files: 0.00001}).cleanEvery())
	require.Equal(t, time.Hour, FromConfig(config.Keep{Mirrors: 0.00001}).Mirrors)
}
