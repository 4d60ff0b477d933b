package cli

import "fmt"

// An ExitError ends the program with that exit code; nothing more is printed.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// The exit codes.
const (
	ExitOK      = 0
	ExitFailed  = 1
	ExitUsage   = 2   // wrong flags or configuration
	ExitStopped = 130 // Ctrl-C before the command was done
)

// A UsageError is an error that the caller can fix: it is printed as it is, and the exit code is 2.
type UsageError struct{ Err error }

func (u UsageError) Error() string { return u.Err.Error() }

// Unwrap returns the error that the caller has to fix.
func (u UsageError) Unwrap() error { return u.Err }
