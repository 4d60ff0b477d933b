// Command postgres runs a command with a Postgres cluster for the tests of all packages:
//
//	go run ./.ci/postgres go test ./...
//
// Each test has its own database, but all packages share one cluster: creating a cluster and its tables for
// each of thirty packages takes longer than many of their tests. The cluster is stored below the folder for
// temporary files, so it is in memory where that folder is. Its path is always the same, because go test reuses
// a cached result only if the environment is the same. The cluster is removed when the command ends.
//
// If BOBBIN_TEST_DATABASE_URL or BOBBIN_TEST_CLUSTER_URL is set, or another such command is running, the
// command runs without a cluster.
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

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/postgres"
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

// start returns the address of a new cluster and a function that ends it, or an empty address if the tests have
// to find a server themselves.
func start(ctx context.Context) (address string, end func(), err error) {
	nothing := func() {}
	if os.Getenv("BOBBIN_TEST_DATABASE_URL") != "" || os.Getenv("BOBBIN_TEST_CLUSTER_URL") != "" {
		return "", nothing, nil
	}
	dir := filepath.Join(os.TempDir(), "bobbin-tests-postgres-"+strconv.Itoa(os.Getuid()))
	lock, err := disk.TryExclusive(dir + ".lock")
	if err != nil || lock == nil {
		return "", nothing, err
	}
	defer func() {
		if err != nil {
			lock.Release()
		}
	}()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o711)); err != nil { // a Postgres of root runs as another account
		return "", nothing, err
	}
	c, err := postgres.Start(ctx, postgres.Config{Dir: dir, Progress: os.Stderr, Most: 400, Brief: true})
	if err != nil {
		return "", nothing, err
	}
	return c.Database("postgres"), func() {
		c.Stop()
		os.RemoveAll(dir)
		lock.Release()
	}, nil
}
