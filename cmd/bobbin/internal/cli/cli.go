// Package cli holds what all subcommands share: the console, the errors with their exit codes, and helpers
// for text that is printed to a terminal.
package cli

import (
	"io"
	"os"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// A Console is a subcommand's access to the process: its streams, its environment and its signals.
type Console struct {
	Out, Err io.Writer
	// answers to questions; nil: there are none
	In  io.Reader
	Env func(string) string
	// removes variables from the environment; nil: they are kept
	Forget func(names ...string)
	// returns a channel that signals when to read the configuration again; nil: never
	Hangup func() <-chan os.Signal
	// closes the process to other processes of the same user; nil: does nothing
	Seal func() error

	// Out may have colors
	Colored bool

	// finds secrets, which must not be printed; run sets it, and Err goes through it
	Hide *redact.Finder
}
