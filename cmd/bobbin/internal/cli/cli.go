// Package cli is what every subcommand shares: the console that it talks to, how it fails and
// with which exit code, and the few forms of text that go to a terminal.
package cli

import (
	"io"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// A Console is what a subcommand may touch of the world around it.
type Console struct {
	Out, Err io.Writer
	Env      func(string) string
	Forget   func(names ...string) // takes variables out of the environment; nil: nothing does
	Seal     func() error          // keeps others of this user out of the process; nil: nothing does

	Hide *redact.Finder // what must not be shown; run sets it, and Err goes through it
}
