package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A migration whose transaction Postgres ended, because this program stood still in it,
// is done again. That happens to the very first one, and to two later ones.
func TestAMigrationThatStoodStillIsDoneAgain(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), postgrestest.Database(t, nil), storetest.Silent)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	_, err = s.Pool.Exec(t.Context(), `create schema control; create sequence control.commands;
		create function control.stand_still() returns event_trigger language plpgsql as $$ begin
			if nextval('control.commands') in (1, 30, 60) then raise exception 'stood still' using errcode = '25P03'; end if; end $$;
		create event trigger stands_still on ddl_command_start execute function control.stand_still()`)
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))
	require.Greater(t, storetest.CountRows(t, s, `select last_value from control.commands`), 60)
	require.NoError(t, s.Newer(t.Context()))
	storetest.BeginTurn(t, s)
}

// A start on a database that is up to date does not wait for the lock around the migrations, and one with a
// gap is not up to date.
func TestADatabaseThatIsUpToDateIsNotLocked(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	_, err := s.Pool.Exec(t.Context(), `drop extension if exists pg_trgm`)
	require.NoError(t, err)
	other, err := s.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer other.Release()
	_, err = other.Exec(t.Context(), `select pg_advisory_lock($1)`, database.MigrationLock)
	require.NoError(t, err)
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // with the lock it would wait for ever
	defer cancel()
	require.NoError(t, s.Migrate(soon))
	require.Equal(t, storetest.CountRows(t, s, `select count(*) from pg_available_extensions where name = 'pg_trgm'`),
		storetest.CountRows(t, s, `select count(*) from pg_extension where extname = 'pg_trgm'`), "each start adds pg_trgm where the server has it")
	_, err = other.Exec(t.Context(), `select pg_advisory_unlock($1)`, database.MigrationLock)
	require.NoError(t, err)

	_, err = s.Pool.Exec(t.Context(), `delete from goose_db_version where version_id = 3`)
	require.NoError(t, err)
	require.ErrorContains(t, s.Migrate(t.Context()), "missing")
}
