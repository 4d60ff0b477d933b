// Command figures measures Bobbin beside other programs on this machine, in one run, and writes
// docs/engineering/performance.md.
//
//	go run ./.ci/figures                           # every row, and the page
//	go run ./.ci/figures -list                     # the rows, and what each measures
//	go run ./.ci/figures -only workspace,search    # these rows alone, and no page
//	go run ./.ci/figures -only request -beside docs/engineering/performance.md    # each beside what the page says
//
// The sides of a row take turns, A B A B …, and each turn of ours is divided by the peer's turn beside it,
// since other load on the machine slows both. If other programs write to the disk, run the command with
// .ci/in-memory, which keeps temporary files in memory. A row whose peer is not installed is left out, and
// its message says how to get the peer. To add a row, write a file with a function that returns it, and list
// that function in rows (row.go).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("figures", flag.ExitOnError)
	only := flags.String("only", "", "measure these rows alone, `NAMES` with commas between them")
	list := flags.Bool("list", false, "list the rows, and measure nothing")
	pairs := flags.Int("n", 5, "`PAIRS` of turns of each row; a long row may take fewer")
	page := flags.String("page", "",
		"write the page to this `FILE` (default docs/engineering/performance.md, with -only none)")
	beside := flags.String("beside", "", "show below each row what this `PAGE` says of it")
	verbose := flags.Bool("v", false, "show each turn, and what the bot logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(rows(), *only)
	if err != nil {
		return err
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintf(out, "%-12s %s\n", r.name, r.what)
		}
		return nil
	}
	if *page == "" && *only == "" {
		*page = "docs/engineering/performance.md"
	}
	var last lastPage
	if *beside != "" {
		if last, err = readPage(*beside); err != nil {
			return err
		}
	}
	b, err := newBench(*verbose)
	if err != nil {
		return err
	}
	defer b.close()
	began := time.Now()
	var results []result
	for _, r := range chosen {
		fmt.Fprintf(out, "%s: %s\n", r.name, r.what)
		result := measure(ctx, b, r, *pairs)
		printResult(out, result)
		last.print(out, r.name)
		results = append(results, result)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if *page != "" {
		return os.WriteFile(*page, []byte(pageOf(machine(ctx, b.dir), results, began, *pairs)), 0o644)
	}
	return nil
}

// choose returns the rows with these names, separated by commas, in the order of the table. An empty string
// means all rows, and an unknown name is an error.
func choose(all []row, names string) (chosen []row, err error) {
	if names == "" {
		return all, nil
	}
	wanted := strings.Split(names, ",")
	for _, r := range all {
		if i := slices.Index(wanted, r.name); i >= 0 {
			chosen = append(chosen, r)
			wanted = slices.Delete(wanted, i, i+1)
		}
	}
	if len(wanted) > 0 {
		return nil, fmt.Errorf("there is no row %q; -list shows them", strings.Join(wanted, ","))
	}
	return chosen, nil
}

// A bench holds what the rows of a run share.
type bench struct {
	dir     string // temporary folder of this run, removed at its end
	root    string // the module's top folder
	verbose bool
	log     *slog.Logger

	source *repository // set when a row first asks for it
}

func newBench(verbose bool) (*bench, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat("cmd/bobbin"); err != nil {
		return nil, fmt.Errorf("run it in the module's top folder: %w", err)
	}
	dir, err := os.MkdirTemp("", "bobbin-figures-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, root: root, verbose: verbose, log: slog.New(slog.DiscardHandler)}
	if verbose {
		b.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return b, os.Chmod(dir, 0o755) // the sandbox's user needs to pass through the folder
}

func (b *bench) close() {
	if err := os.RemoveAll(b.dir); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
	}
}
