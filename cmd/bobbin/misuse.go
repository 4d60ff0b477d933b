package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// The errors of the parser that are said in other words.
var (
	// a value that is not one of the words that a flag or an argument takes
	wrongWord = regexp.MustCompile(`^(.*) must be one of (".*") but got "(.*)"$`)
	// a word where a flag takes a number
	wrongNumber = regexp.MustCompile(`^(--[\w-]+|<\w+>): expected a valid \d+ bit u?int but got "(.*)"$`)
	// a word where a flag takes none
	wrongSwitch = regexp.MustCompile(`^(--[\w-]+): bool value must be .* but got "(.*)"$`)
	// a flag at the end, or before another one, that takes a value
	noValue = regexp.MustCompile(`^(--[\w-]+): (?:expected \w+|missing) value`)
	// the first word that is too much
	unexpectedWord = regexp.MustCompile(`^unexpected argument (.*?)(?:, did you mean .*)?$`)
	// an argument that is not there
	missingArgument = regexp.MustCompile(`^expected "?<(\w+)>`)
	// there is no command
	missingCommand = regexp.MustCompile(`^expected one of `)
)

// describeMisuse returns what is wrong with the arguments that the parser refused, and where to read more: a
// line each, or one for both.
func describeMisuse(err error) string {
	said := err.Error()
	node := misusedNode(err)
	if found := unexpectedWord.FindStringSubmatch(said); found != nil && node.Type == kong.ApplicationNode {
		return noCommand(found[1], node)
	}
	if missingCommand.MatchString(said) && node.Type == kong.ApplicationNode {
		return "name a command; bobbin help lists them"
	}
	command := "bobbin"
	if node.Type != kong.ApplicationNode {
		command += " " + node.Name
	}
	return sayMisuse(said, node) + "\nTry: " + command + " --help"
}

// misusedNode returns the command whose arguments could not be parsed, as far as the parser got: the program
// itself if it found no command.
func misusedNode(err error) *kong.Node {
	var misused *kong.ParseError
	switch {
	case !errors.As(err, &misused) || misused.Context == nil:
		return &kong.Node{Type: kong.ApplicationNode}
	case misused.Context.Selected() != nil:
		return misused.Context.Selected()
	}
	return misused.Context.Model.Node
}

// noCommand says that the program has no command of that name, with the nearest that it has.
func noCommand(word string, program *kong.Node) string {
	if word == "" {
		return "an empty word is no command; bobbin help lists them"
	}
	var known []string
	for _, command := range program.Children {
		known = append(known, command.Name)
	}
	near := cli.DidYouMean(word, known)
	begins := slices.IndexFunc(known, func(name string) bool { return strings.HasPrefix(name, word) })
	switch {
	case near == "" && begins >= 0:
		near = cli.DidYouMean(known[begins], known)
	case near == "":
		near = ";"
	}
	return word + " is no command" + near + " bobbin help lists them"
}

// sayMisuse returns one line that says what is wrong, with what would be right.
func sayMisuse(said string, node *kong.Node) string {
	if found := wrongWord.FindStringSubmatch(said); found != nil {
		known := strings.Split(strings.Trim(found[2], `"`), `","`)
		return fmt.Sprintf("%s has to be one of %s, and not %q%s", found[1], strings.Join(known, ", "),
			found[3], cli.DidYouMean(found[3], known))
	}
	if found := wrongNumber.FindStringSubmatch(said); found != nil {
		example := ""
		if flag := flagOf(node, found[1]); flag != nil && flag.HasDefault {
			example = ", such as " + flag.Default
		}
		return fmt.Sprintf("%s takes a whole number%s, and not %q", found[1], example, found[2])
	}
	if found := wrongSwitch.FindStringSubmatch(said); found != nil {
		return fmt.Sprintf("%s takes no value, or true or false, and not %q", found[1], found[2])
	}
	if found := noValue.FindStringSubmatch(said); found != nil {
		value := "VALUE"
		if flag := flagOf(node, found[1]); flag != nil && flag.PlaceHolder != "" {
			value = flag.PlaceHolder
		}
		return fmt.Sprintf("%s needs a value: %s=%s", found[1], found[1], value)
	}
	if found := unexpectedWord.FindStringSubmatch(said); found != nil {
		return fmt.Sprintf("%s takes %s, and %s is one too many", node.Name,
			cli.Count(len(node.Positional), "argument"), found[1])
	}
	if found := missingArgument.FindStringSubmatch(said); found != nil {
		for _, argument := range node.Positional {
			if argument.Name == found[1] {
				return fmt.Sprintf("%s needs <%s>: %s", node.Name, argument.Name, plainHelp(argument.Help))
			}
		}
	}
	return said
}

// flagOf returns the flag of a command, or of the program, with that name; nil if there is none.
func flagOf(node *kong.Node, name string) *kong.Flag {
	for _, flags := range node.AllFlags(false) {
		for _, flag := range flags {
			if "--"+flag.Name == name {
				return flag
			}
		}
	}
	return nil
}

// plainHelp returns the help of an argument as the end of a sentence.
func plainHelp(help string) string {
	help = strings.TrimSuffix(help, ".")
	if help == "" {
		return help
	}
	return strings.ToLower(help[:1]) + help[1:]
}
