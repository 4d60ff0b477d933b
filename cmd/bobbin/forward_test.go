package main

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// TestAnOlderProgramLeavesANewerDatabaseAlone checks that a program older than its database refuses to
// start and changes nothing: it would write what the newer version does not expect.
func TestAnOlderProgramLeavesANewerDatabaseAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ newer, want string }{
		"schema": {
			`alter table sessions add column of_tomorrow text; insert into goose_db_version (version_id,
				is_applied) values (1000, true)`,
			`its schema is at 1000, and this program knows \d+`,
		},
		"job queue": {
			`alter table river_job add column of_tomorrow text; insert into river_migration (line, version)
				values ('main', 1000)`,
			`its job queue is at 1000, and this program knows \d+`,
		},
		"both": {
			`drop table goose_db_version; create table goose_db_version (id int generated always as identity primary key, version_id bigint not null, is_applied boolean not null, tstamp timestamp default now());
			insert into goose_db_version (version_id, is_applied) values (0, true), (2000, true); drop table river_job cascade`,
			`its schema is at 2000, and this program knows \d+`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := harness.Database(t)
			db, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			t.Cleanup(func() { db.Close(context.Background()) })
			_, err = db.Exec(t.Context(), c.newer)
			require.NoError(t, err)
			before := shape(t, db)
			env := ready("DATABASE_URL", url, "BOBBIN_DATA_DIR", t.TempDir(), "BOBBIN_CONFIG",
				writeConfig(t, good), "SLACK_API_URL", "http://127.0.0.1:1/")
			for _, command := range []string{"serve", "migrate"} {
				code, out, errs := call(t, t.Context(), env, command)
				require.Equal(t, cli.ExitFailed, code, errs)
				require.Empty(t, out)
				require.Regexp(t, `^bobbin: the database was made by a newer version of Bobbin: `+c.want+
					`; nothing was changed\. Start that version or a later one, `+
					`or restore the back-up from before the upgrade\n$`, errs)
			}
			require.Equal(t, before, shape(t, db))
		})
	}
}

// shape returns all that a migration could change: columns, indexes and the applied migrations.
func shape(t *testing.T, db *pgx.Conn) (lines []string) {
	t.Helper()
	rows, err := db.Query(t.Context(),
		`select concat_ws(' ', table_name, column_name, data_type, column_default)
		from information_schema.columns where table_schema = 'public'
		union all select concat_ws(' ', 'index', indexdef) from pg_indexes where schemaname = 'public'
		union all select concat_ws(' ', 'applied', version_id, is_applied, tstamp) from goose_db_version
		union all select concat_ws(' ', 'applied to the queue', line, version, created_at)
			from river_migration order by 1`)
	require.NoError(t, err)
	lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, lines)
	return lines
}
