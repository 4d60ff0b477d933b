package database

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A statement has its columns in one order, and every text is stored as Postgres can hold it.
func TestARowsStatement(t *testing.T) {
	t.Parallel()
	for range 20 { // a map has no order
		sql, values := Row{"text": "a\x00b", "at": Expr("now()"), "number": 3, "body": []byte("{}")}.insert("notes")
		require.Equal(t, "insert into notes (at, body, number, text) values (now(), $1, $2, $3)", sql)
		require.Equal(t, []any{[]byte("{}"), 3, "ab"}, values)
	}
}
