// Command rooms measures the packages of Go trees: the size of each, the width of its API, and the length of
// its longest function. It reads only source, so a tree need not build.
//
//	go run ./.ci/rooms                             # the packages of this repository
//	go run ./.ci/rooms --limits                    # those above the limits; exits 1 if there are any
//	go run ./.ci/rooms --compare ../river          # totals of two trees beside each other
//	go run ./.ci/rooms --help                      # what is counted, and how
package main

import (
	"flag"
	"fmt"
	"os"
)

const definitions = `
What is counted:

  package     the files of one package clause in one directory. Tests, generated files,
              vendor, testdata and directories that begin with a dot or an underscore are
              left out. Files for all systems count.
  support     a package with a path element that ends with "test", or is "testing", "testutil",
              "testdb", "testhelpers", "fake(s)" or "mock(s)": shown apart, in no total, average
              or median.
  lines       of the files, with comments and blank lines.
  functions   declared functions and methods; function literals belong to theirs.
  exported    lines that go doc shows of a package: exported types and functions, and
              declarations with an exported constant or variable in them, of which a group in
              brackets is one. Methods are counted apart, those of exported types.
  one-word    share of the functions whose name is one word. A new word begins at a capital
              after a small letter or digit, at the last capital of several before a small
              letter, and after an underscore. Initialisms are one word: ID, URL and Close
              have one, parseURL, HTTPServer and withID two.
  longest     lines of the longest function, from "func" to its closing brace.
  fields      of the largest struct: the names it declares itself. An embedded struct
              counts as one, and so does a field that is a struct; what is in it is
              counted as a struct of its own.
  methods     of the type that has most.
  parameters  of the function that has most, without its context.Context.
`

func main() {
	os.Exit(run())
}

func run() int {
	limits := limits{}
	for _, l := range []struct {
		value      *int
		name, what string
		most       int
	}{
		{&limits.lines, "lines", "lines a package", 1500},
		{&limits.functions, "functions", "functions a package", 60},
		{&limits.exported, "exported", "exported names a package", 25},
		{&limits.methods, "methods", "methods a type", 25},
		{&limits.parameters, "parameters", "parameters a function", 5},
		{&limits.fields, "fields", "fields a struct", 15},
		{&limits.longest, "longest", "lines a function", 80},
	} {
		flag.IntVar(l.value, l.name, l.most, "at most `N` "+l.what+", for --limits")
	}
	check := flag.Bool("limits", false, "list what is above the limits, and exit 1 if anything is")
	var others []string
	flag.Func("compare", "print totals beside those of the tree at `DIR`; may be repeated", func(dir string) error {
		others = append(others, dir)
		return nil
	})
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: rooms [FLAGS] [DIR...]\n\nMeasures the packages of each tree, by default of this directory.")
		fmt.Fprint(flag.CommandLine.Output(), definitions, "\nFlags:\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var trees []tree
	for _, dir := range append(dirs, others...) {
		t, err := readTree(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "rooms:", err)
			return 2
		}
		trees = append(trees, t)
	}
	switch {
	case *check:
		return printExcesses(os.Stdout, trees, limits)
	case len(others) > 0:
		printComparison(os.Stdout, trees)
	default:
		for _, t := range trees {
			printTree(os.Stdout, t)
		}
	}
	return 0
}
