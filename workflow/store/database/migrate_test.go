package database_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store"
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
