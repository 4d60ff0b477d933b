// Command sales adds up sales.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"sales/table"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sales:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sales", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("usage: sales FILE")
	}
	f, err := os.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := table.Read(f)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d sales\t%s\n", t.Len(), t.Sum())
	return nil
}
