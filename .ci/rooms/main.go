// Command rooms measures the packages of Go trees: the size of each, how wide and how dense its lines are,
// the length of its longest function, and how many packages are seen from outside their wing. It reads only
// source, so a tree need not build.
//
//	go run ./.ci/rooms                             # the packages and the wings of this repository
//	go run ./.ci/rooms --limits                    # what is above the limits; exits 1 if anything is
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
  support     a package with a path element that ends with "test" (but for "gotest"), or is
              "testing", "testutil", "testdb", "testhelpers", "fake(s)" or "mock(s)": shown apart,
              in no total, average or median.
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
  p99         lines of the function that is longer than 99 of 100.
  wide        lines over 110 columns, in all .go files of the folder: tests and support
              count, generated files do not. A tab is four columns, and every other
              character one. The tag of a field cannot be broken, and a raw string in a test
              is data: lines with a tag, and those of such a string of several lines, are not
              counted.
  packed      assignments of several names that have nothing to do with each other:
              a, b = x, y and a, b := x, y. Not counted are those in the head of an if, for
              or switch, which has room for one statement; those in which a value reads
              another name that is assigned (a, b = b, a), which have to happen at once; and
              starting values of one kind (low, high := 0, 10). The share is that of all
              assignments by = and := outside tests; --limits lists those of tests, too.
  wing        the packages that one folder keeps together. A folder at the top is a wing if
              it has a package of its own and at most one of its folders has packages in it.
              Otherwise each folder in it is a wing, and so is its own package. What is in a
              folder named internal belongs to the wing around it.
  doors       packages that a package of another wing imports; tests do not count.
  open        packages that one of another wing could import: internal hides the others.
`

func main() {
	os.Exit(run())
}

func run() int {
	limits := limits{}
	flag.IntVar(&limits.columns, "columns", 110, "at most `N` columns a line, for --limits; 0 is any number")
	flag.IntVar(&limits.packed, "packed", 0, "at most `N` packed assignments a tree, for --limits")
	flag.IntVar(&limits.longest, "longest", 100, "at most `N` lines a function, for --limits")
	flag.IntVar(&limits.p99, "p99", 55, "at most `N` lines in 99 of 100 functions, for --limits")
	check := flag.Bool("limits", false, "list what is above the limits, packages without a comment and "+
		"wings that import each\nother in a circle, and exit 1 if there is any")
	var others []string
	addOther := func(dir string) error {
		others = append(others, dir)
		return nil
	}
	flag.Func("compare", "print totals beside those of the tree at `DIR`; may be repeated", addOther)
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: rooms [FLAGS] [DIR...]")
		fmt.Fprintln(flag.CommandLine.Output(),
			"\nMeasures the packages of each tree, by default of this directory.")
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
			printWings(os.Stdout, t)
		}
	}
	return 0
}
