package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// quietCmd implements "quiet MINUTES": moves all that was said and done so many minutes into the past, and
// then runs the check for threads that were silent for ten minutes. All that happened since the previous
// quiet is moved to one moment: the time that the story itself took counts a thousandth, so the minutes that
// are shown are the same on every machine, and the order stays.
func quietCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	minutes, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	var now time.Time
	if err := s.Store.Pool.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return err
	}
	for table, column := range map[string]string{
		"lines":      "at",
		"inbox":      "at",
		"transcript": "at",
		"under_way":  "since",
		"sessions":   "created_at",
	} {
		sql := fmt.Sprintf(
			`update %[1]s set %[2]s = $3::timestamptz - case
				when %[2]s > $2::timestamptz then ($3 - %[2]s) / 1000 else $2 - %[2]s end - $1::interval`,
			table, column,
		)
		if _, err := s.Store.Pool.Exec(ctx, sql, time.Duration(minutes)*time.Minute, s.quiet,
			now); err != nil {
			return err
		}
	}
	s.quiet = now
	// A session whose row is locked at this moment is left for the next check.
	return s.Poll(ctx, func() (done bool, err error) {
		if err := s.Service.Runner.PostProgressNotes(ctx, 10*time.Minute); err != nil {
			return false, err
		}
		left, err := store.ListSilent(ctx, s.Store.DB, 10*time.Minute)
		return len(left) == 0, err
	})
}

// runningCmd implements "running [WHAT]": waits until a command of an agent is running, or a run whose name
// contains WHAT.
func runningCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	what := strings.Join(args, " ")
	return s.Poll(ctx, func() (is bool, err error) {
		err = s.Store.Pool.QueryRow(ctx,
			`select exists (select 1 from under_way where position($1 in what) > 0 and since > $2)`, what,
			s.restarted).Scan(&is)
		return is, err
	})
}
