package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
)

// TestABackupIsRestored checks that a restored backup has the same sessions and the same audit, and that
// restore.sh refuses a database that is not empty.
func TestABackupIsRestored(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"pg_dump", "pg_restore", "psql"} {
		if _, err := exec.LookPath(program); err != nil {
			// A machine may have only Postgres' server, or use a server elsewhere.
			t.Skip("Postgres' own programs are not installed: ", err)
		}
	}
	before := withSessions(t)[secrets.DatabaseURL]
	after := postgrestest.Database(t, nil)
	script := func(name, url string, good bool, dump string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), filepath.Join("..", "..", "deploy", name), dump)
		c.Env = append(c.Environ(), "DATABASE_URL="+url)
		out, err := c.CombinedOutput()
		require.Equal(t, good, err == nil, "%s: %s", name, out)
		return string(out)
	}
	dump := filepath.Join(t.TempDir(), "bobbin.dump")
	const pool = "&pool_max_conns=4&pool_min_conns=1" // settings of DATABASE_URL that only Bobbin knows
	script("backup.sh", before+pool, true, dump)
	script("restore.sh", after+pool, true, dump)
	require.Contains(t, script("restore.sh", after, false, dump), "not empty")
	script("restore.sh", postgrestest.Database(t, nil), false, filepath.Join("..", "..", "README.md"))

	for _, command := range [][]string{{"sessions"}, {"audit", "--verify"}, {"audit", "k3x9"}, {"spending", "--csv"}, {"learned", "--json"}} {
		var told []string
		for _, url := range []string{before, after} {
			_, out, errs := call(t, t.Context(), map[string]string{secrets.DatabaseURL: url}, command...)
			require.NotEmpty(t, out+errs)
			told = append(told, out+errs)
		}
		require.Equal(t, told[0], told[1], command)
	}
}
