package cli

import "fmt"

// An ExitError ends the program with that code and without another word.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// The exit codes.
const (
	ExitOK      = 0
	ExitFailed  = 1
	ExitUsage   = 2   // flags or configuration
	ExitStopped = 130 // Ctrl-C before it was done
)

// A UsageError is the caller's to mend: exit 2, no stack of causes.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap gives what is to be mended.
func (e UsageError) Unwrap() error { return e.Err }
