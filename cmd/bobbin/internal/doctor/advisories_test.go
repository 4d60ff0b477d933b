package doctor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The folder of advisories is looked at: whether it can be read, whether it has any, and how old they are.
func TestExamineAdvisories(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	state := func(dir string) string {
		var f List
		examineAdvisories(t.Context(), dir, now, &f)
		if len(f) == 0 {
			return ""
		}
		return f[0].State + ": " + f[0].What
	}
	require.Empty(t, state(""))
	dir := t.TempDir()
	require.Contains(t, state(filepath.Join(dir, "none")),
		"problem: setup.advisories: the folder cannot be read")
	require.Contains(t, state(dir), "problem: setup.advisories: there are no advisories in ")
	put := func(name string, age time.Duration) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte("{}"), 0o644))
		require.NoError(t, os.Chtimes(file, time.Time{}, now.Add(-age)))
	}
	put("a.json", 40*24*time.Hour)
	require.Equal(t, "warning: setup.advisories: 1 advisory, and the newest is 40 days old", state(dir))
	put("b.json", 24*time.Hour)
	require.Equal(t, "ok: setup.advisories: 2 advisories, the newest of 2026-11-27", state(dir))
}
