package storage

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDataDirectoryByDefault(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/data/bobbin":                        {"XDG_DATA_HOME": "/data", "HOME": "/home/ann"},
		"/home/ann/.local/share/bobbin":       {"XDG_DATA_HOME": "relative", "HOME": "/home/ann"},
		filepath.Join(os.TempDir(), "bobbin"): {},
	} {
		if os.Getuid() == 0 {
			want = "/var/lib/bobbin"
		}
		require.Equal(t, want, DefaultDataDir(func(name string) string { return env[name] }), maps.Clone(env))
	}
}
