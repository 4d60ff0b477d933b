package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// SpendingBy lists the words by which Spending can group.
var SpendingBy = []string{"month", "day", "channel", "person", "repository"}

var spendingColumns = map[string]string{
	"month":      `to_char(p.day, 'YYYY-MM')`,
	"day":        `to_char(p.day, 'YYYY-MM-DD')`,
	"channel":    `p.channel`,
	"person":     `p.person`,
	"repository": `coalesce(nullif(s.repository, ''), '-')`,
}

// Spent is what the sessions with the same keys used.
type Spent struct {
	Keys     []string // the values of the words, in the order asked for
	Sessions int
	workflow.Cost
	Commands int64
	Worked   time.Duration
}

// Spending returns what was used from the day first to the day last, inclusive and in
// UTC, for each combination of the words in by, in their order. A zero time is no bound.
// Deleted sessions are not counted. It fails if a word is unknown or given twice.
func Spending(ctx context.Context, db *database.DB, by []string, first, last time.Time) ([]Spent, error) {
	var columns []string
	for _, word := range by {
		c, known := spendingColumns[word]
		if !known || slices.Contains(columns, c) {
			return nil, fmt.Errorf("spending by %q: choose each of %s at most once", word,
				strings.Join(SpendingBy, ", "))
		}
		columns = append(columns, c)
	}
	keys := `array[` + strings.Join(columns, ", ") + `]::text[]`
	rows, err := db.Pool.Query(ctx, `select `+keys+
		`, count(distinct p.session_id), sum(p.usd), sum(p.tokens)::bigint,
		sum(p.unpriced)::bigint, sum(p.commands)::bigint,
		sum(p.worked_ms)::bigint
		from spending p join sessions s on s.id = p.session_id where ($1::date is null or p.day >= $1)
			and ($2::date is null or p.day <= $2)
		group by 1 order by 1`, day(first), day(last))
	if err != nil {
		return nil, fmt.Errorf("spending: %w", err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (x Spent, err error) {
		var worked int64
		err = r.Scan(&x.Keys, &x.Sessions, &x.USD, &x.Tokens, &x.Unpriced, &x.Commands, &worked)
		x.Worked = time.Duration(worked) * time.Millisecond
		return x, err
	})
}

func day(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.Format(time.DateOnly)
	return &s
}
