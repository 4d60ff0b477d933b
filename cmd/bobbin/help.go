package main

import "strings"

// helpCommand is in the list of commands for people who look for it there: run makes --help of it.
type helpCommand struct {
	Command string `arg:"" optional:"" help:"The command; without one, all commands are listed."`
}

// Run does nothing; see helpArguments.
func (helpCommand) Run() error { return nil }

// helpArguments returns the arguments with "help serve" as "serve --help", and "help" as "--help".
func helpArguments(args []string) []string {
	if args[0] != "help" || len(args) > 1 && strings.HasPrefix(args[1], "-") {
		return args
	}
	return append(args[1:len(args):len(args)], "--help")
}
