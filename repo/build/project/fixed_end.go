package project

import "github.com/bobbinhq/bobbin/repo/build/project/internal/command"

// FixedEnd returns the end of a command line that sets the exit status whatever happens before it. It
// returns an empty string if there is none or the line cannot be parsed.
func FixedEnd(line string) string { return command.FixedEnd(line) }
