package main

import (
	"context"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/workflow/store/silence"
)

// quietCmd implements "quiet MINUTES": moves all that was said and done so many minutes into the past, and
// then runs the check for threads that were silent for ten minutes.
func quietCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	minutes, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	for _, sql := range []string{
		`update lines set at = at - $1::interval`, `update inbox set at = at - $1::interval`, `update transcript set at = at - $1::interval`,
		`update under_way set since = since - $1::interval`, `update sessions set created_at = created_at - $1::interval`,
	} {
		if _, err := s.Store.Pool.Exec(ctx, sql, time.Duration(minutes)*time.Minute); err != nil {
			return err
		}
	}
	// A session whose row is locked at this moment is left for the next check.
	return s.Poll(ctx, func() (done bool, err error) {
		if err := s.Service.Runner.SpeakUp(ctx, 10*time.Minute); err != nil {
			return false, err
		}
		left, err := silence.List(ctx, s.Store.DB, 10*time.Minute)
		return len(left) == 0, err
	})
}

// runningCmd implements "running": waits until a command of an agent is running.
func runningCmd(ctx context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.Poll(ctx, func() (is bool, err error) {
		err = s.Store.Pool.QueryRow(ctx, `select exists (select 1 from under_way)`).Scan(&is)
		return is, err
	})
}
