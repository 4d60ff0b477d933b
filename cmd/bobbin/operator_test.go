package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
)

// makeDatabase creates the story's database and returns its URL.
func (s *story) makeDatabase() string {
	s.database = harness.Database(s.t)
	return s.database
}

// operatorCmd implements "bobbin FILE ARGS…": the operator runs that command beside the bot, after the bot
// has received all that people did until now, and FILE gets its output. The argument <session> stands for the
// id of the main thread's session.
func operatorCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	for i, a := range args {
		if a != "<session>" {
			continue
		}
		x, err := s.session(ctx)
		if err != nil {
			return err
		}
		args[i] = x.ID
	}
	var out strings.Builder
	code := run(ctx, args[1:], cli.Console{Out: &out, Err: &out, Env: func(name string) string {
		if name == secrets.DatabaseURL {
			return s.database
		}
		return ""
	}})
	if err := os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o644); err != nil {
		return err
	}
	if code != cli.ExitOK {
		return fmt.Errorf("exit code %d: %s", code, out.String())
	}
	return nil
}
