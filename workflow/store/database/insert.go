package database

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A Row is a new row of a table: its values by column. Strings are stored without what Postgres cannot hold:
// see CleanText. A value that is an Expr is computed by Postgres.
type Row map[string]any

// An Expr is an SQL expression without parameters, such as now().
type Expr string

// Insert inserts the row.
func Insert(ctx context.Context, tx pgx.Tx, table string, row Row) error {
	sql, values := row.insert(table)
	_, err := tx.Exec(ctx, sql, values...)
	return err
}

// InsertOnce inserts the row and returns true, unless the table has a row with one of its keys.
func InsertOnce(ctx context.Context, tx pgx.Tx, table string, row Row) (inserted bool, err error) {
	sql, values := row.insert(table)
	tag, err := tx.Exec(ctx, sql+" on conflict do nothing", values...)
	return tag.RowsAffected() > 0, err
}

// InsertID inserts the row and returns its id.
func InsertID(ctx context.Context, tx pgx.Tx, table string, row Row) (id int64, err error) {
	sql, values := row.insert(table)
	err = tx.QueryRow(ctx, sql+" returning id", values...).Scan(&id)
	return id, err
}

// insert returns the statement, with the columns in the order of their names, so that the same columns are
// prepared once, and the values of its parameters.
func (r Row) insert(table string) (sql string, values []any) {
	columns := slices.Sorted(maps.Keys(r))
	var expressions []string
	for _, column := range columns {
		value := r[column]
		switch v := value.(type) {
		case Expr:
			expressions = append(expressions, string(v))
			continue
		case string:
			value = CleanText(v)
		}
		values = append(values, value)
		expressions = append(expressions, fmt.Sprintf("$%d", len(values)))
	}
	sql = fmt.Sprintf("insert into %s (%s) values (%s)", table, strings.Join(columns, ", "),
		strings.Join(expressions, ", "))
	return sql, values
}
