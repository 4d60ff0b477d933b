// Package cli holds what all subcommands share: the console, the errors with their exit codes,
// and the few forms of text that go to a terminal.
package cli

import (
	"io"
	"os"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// A Console is what a subcommand may touch of the world around it.
type Console struct {
	Out, Err io.Writer
	In       io.Reader // answers to questions; nil: there are none
	Env      func(string) string
	Forget   func(names ...string)   // takes variables out of the environment; nil: nothing does
	Hangup   func() <-chan os.Signal // says when the configuration is to be read again; nil: never
	Seal     func() error            // keeps others of this user out of the process; nil: nothing does

	Hide *redact.Finder // what must not be shown; run sets it, and Err goes through it
}
