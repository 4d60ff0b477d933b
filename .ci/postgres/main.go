// Command postgres runs a command with a Postgres for the tests of all packages:
//
//	go run ./.ci/postgres go test ./...
//
// Each test has a database of its own in it, as it would have in a cluster of its package's own;
// making a cluster and its tables for each of thirty packages takes longer than many of their
// tests. The cluster is in memory where the temporary files are, always at the same place, since go
// test would not know its results again otherwise. It is gone when the command ends.
//
// Where a server is named already, or another such command runs, the command is run as it is.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/workflow/postgres"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./.ci/postgres COMMAND [ARGUMENT…]")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	address, end, err := start(ctx)
	if err != nil {
		return 1, err
	}
	defer end()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if address != "" {
		cmd.Env = append(os.Environ(), "BOBBIN_TEST_CLUSTER_URL="+address)
	}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// start gives the address of the cluster, or none where the tests are to look for themselves.
func start(ctx context.Context) (address string, end func(), err error) {
	nothing := func() {}
	if os.Getenv("BOBBIN_TEST_DATABASE_URL") != "" || os.Getenv("BOBBIN_TEST_CLUSTER_URL") != "" {
		return "", nothing, nil
	}
	dir := filepath.Join(os.TempDir(), "bobbin-tests-postgres-"+strconv.Itoa(os.Getuid()))
	lock, err := filelock.TryExclusive(dir + ".lock")
	if err != nil || lock == nil {
		return "", nothing, err
	}
	defer func() {
		if err != nil {
			lock.Release()
		}
	}()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o711)); err != nil { // Root's Postgres runs as another account
		return "", nothing, err
	}
	c, err := postgres.Start(ctx, postgres.Config{Dir: dir, Progress: os.Stderr, Most: 400, NoVacuum: true})
	if err != nil {
		return "", nothing, err
	}
	return c.Database("postgres"), func() {
		c.Stop()
		os.RemoveAll(dir)
		lock.Release()
	}, nil
}
