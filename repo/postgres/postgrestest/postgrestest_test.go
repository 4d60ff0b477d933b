package postgrestest_test

import (
	"context"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
)

// TestMain ignores a cluster that many packages share, because these tests look at all databases of their
// server, and a shared one has databases of other packages.
func TestMain(m *testing.M) {
	if os.Getenv(sharing) == "" {
		os.Unsetenv("BOBBIN_TEST_CLUSTER_URL")
	}
	os.Exit(postgrestest.Main(m))
}

// sharing is set in the processes that share a cluster of these tests.
const sharing = "BOBBIN_TEST_SHARING"

var prepared atomic.Int32

func prepare(ctx context.Context, url string) error {
	prepared.Add(1)
	return run(ctx, url, "create table note (text text); insert into note values ('from the template')")
}

func run(ctx context.Context, url, sql string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}

func count(t *testing.T, url, sql string) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer c.Close(t.Context())
	require.NoError(t, c.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func TestDatabasesArePrivateCopiesOfOneTemplate(t *testing.T) {
	t.Parallel()
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Database(t, prepare)
			require.NoError(t, run(t.Context(), url, "insert into note values ('mine')"))
			require.Equal(t, 2, count(t, url, "select count(*) from note"))
			if os.Getenv(sharing) != "again" {
				require.EqualValues(t, 1, prepared.Load())
			}
		})
	}
}

func TestDatabaseIsDroppedAtTheEndOfItsTestWhoeverIsConnected(t *testing.T) {
	t.Parallel()
	var name string
	var left *pgx.Conn
	keep := postgrestest.Database(t, nil)
	t.Run("inner", func(t *testing.T) {
		var err error
		left, err = pgx.Connect(context.Background(), postgrestest.Database(t, nil))
		require.NoError(t, err)
		name = left.Config().Database
		require.Zero(t, count(t, keep, "select count(*) from pg_tables where schemaname = 'public'"))
	})
	require.Zero(t, count(t, keep, "select count(*) from pg_database where datname = '"+name+"'"))
	require.Error(t, left.Ping(t.Context()))
}

// The variable applies to the whole process, so a second process of this binary runs the tests above, on
// the server of this process.
func TestGivenServerIsUsedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	if os.Getenv("BOBBIN_TEST_DATABASE_URL") != "" {
		return // this is the second process
	}
	url := postgrestest.Database(t, nil)
	others := "select count(*) from pg_database where datname not like current_database()"
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	prefix := c.Config().Database[:len("test_12345678")]
	require.NoError(t, c.Close(t.Context()))
	strangers := "select count(*) from pg_database where datname like 'test%' and datname not like '" + prefix + "%'"
	require.Zero(t, count(t, url, strangers))
	require.Positive(t, count(t, url, others))

	cmd := exec.Command(os.Args[0], "-test.run=TestDatabase")
	cmd.Env = append(os.Environ(), "BOBBIN_TEST_DATABASE_URL="+url)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Zero(t, count(t, url, strangers), "the other process left databases behind")
}

// This test is not parallel, so it runs before the others, which look at which databases exist.
func TestProcessesOfOneClusterShareTheirTemplate(t *testing.T) {
	if os.Getenv(sharing) != "" {
		return // this is one of the sharing processes
	}
	url := postgrestest.Database(t, nil)
	for _, which := range []string{"first", "again"} {
		cmd := exec.Command(os.Args[0], "-test.run=TestDatabasesArePrivate")
		cmd.Env = append(os.Environ(), "BOBBIN_TEST_CLUSTER_URL="+url, sharing+"="+which)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, 1, count(t, url, "select count(*) from pg_database where datname like 'template\\_%'"), "%s: %s", which, out)
	}
}
