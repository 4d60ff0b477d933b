package main

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

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

// wrongWord matches the parser's error about a value that is not one of the words that a flag or an argument
// takes.
var wrongWord = regexp.MustCompile(`^(.*) must be one of (".*") but got "(.*)"$`)

// describeMisuse returns the parser's error in one line, with the nearest word that would be right.
func describeMisuse(err error) string {
	text := err.Error()
	found := wrongWord.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	known := strings.Split(strings.Trim(found[2], `"`), `","`)
	return found[1] + " has to be one of " + strings.Join(known, ", ") + ", and not \"" + found[3] + "\"" +
		cli.DidYouMean(found[3], known)
}
