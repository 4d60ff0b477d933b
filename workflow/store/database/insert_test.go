package database

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A statement has its columns in one order, and every text is stored as Postgres can hold it.
func TestARowsStatement(t *testing.T) {
	t.Parallel()
	for range 20 { // a map has no order
		row := Row{
			"text":   "a\x00b",
			"at":     Expr("now()"),
			"number": 3,
			"body":   []byte("{}"),
			"names":  []string{"c\x00", "\xff"},
		}
		sql, values := row.insert("notes")
		require.Equal(t,
			"insert into notes (at, body, names, number, text) values (now(), $1, $2, $3, $4)", sql)
		require.Equal(t, []any{[]byte("{}"), []string{"c", "\uFFFD"}, 3, "ab"}, values)
		require.Equal(t, "c\x00", row["names"].([]string)[0], "the caller's list stays as it is")

		updating, same := row.upsert("notes", []string{"number", "names"})
		require.Equal(t, sql+" on conflict (number, names) do update set "+
			"at = excluded.at, body = excluded.body, text = excluded.text", updating)
		require.Equal(t, values, same)
	}
	_, values := Row{"names": []string(nil)}.insert("notes")
	require.Equal(t, []any{[]string(nil)}, values, "no list is null, as without a row")
}
