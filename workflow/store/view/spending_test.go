package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

func TestSpendingIsToldApart(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for i, row := range []struct {
		repository, channel, person, day string
		usd                              float64
	}{
		{"shop", "C1", "U1", "2026-03-02", 1}, {"shop", "C1", "U2", "2026-03-31", 2}, {"site", "C2", "U1", "2026-04-01", 4}, {"", "C2", "U1", "2026-04-02", 8},
	} {
		id := fmt.Sprintf("s%d", i)
		_, err := s.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, requester, repository, phase) values ($1, 'T1', $2, $1, $3, $4, 'done')`, id, row.channel, row.person, row.repository)
		require.NoError(t, err)
		_, err = s.Pool.Exec(t.Context(), `insert into spending (session_id, day, team, channel, person, usd, tokens, worked_ms) values ($1, $2::date, 'T1', $3, $4, $5, 10, 60000)`, id, row.day, row.channel, row.person, row.usd)
		require.NoError(t, err)
	}
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		require.NoError(t, err)
		return d
	}
	for _, c := range []struct {
		by          []string
		first, last time.Time
		want        string
	}{
		{by: []string{"month"}, want: "[2026-03] 2 3; [2026-04] 2 12; "},
		{by: []string{"repository", "person"}, want: "[- U1] 1 8; [shop U1] 1 1; [shop U2] 1 2; [site U1] 1 4; "},
		{by: []string{"channel"}, first: day("2026-03-31"), last: day("2026-04-01"), want: "[C1] 1 2; [C2] 1 4; "},
		{by: []string{"day"}, first: day("2027-01-01"), want: ""},
	} {
		spent, err := view.Spending(t.Context(), s.DB, c.by, c.first, c.last)
		require.NoError(t, err)
		said := ""
		for _, x := range spent {
			said += fmt.Sprintf("%v %d %g; ", x.Keys, x.Sessions, x.USD)
			require.Equal(t, int64(10*x.Sessions), x.Tokens)
			require.Equal(t, time.Duration(x.Sessions)*time.Minute, x.Worked)
		}
		require.Equal(t, c.want, said)
	}
	for _, by := range [][]string{{"'; drop table spending"}, {"month", "month"}} {
		_, err := view.Spending(t.Context(), s.DB, by, time.Time{}, time.Time{})
		require.ErrorContains(t, err, "at most once")
	}
}
