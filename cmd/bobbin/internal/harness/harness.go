// Package harness supports the tests of the whole program. It starts the real parts around the program: a
// Postgres database, folders that the sandbox may enter, and the program itself, built once for all tests of
// a package. Its subpackages are a model (chatmodel), a git host (githost) and a build cache (shopcache);
// bot/slacktest stands in for Slack; cmd/bobbin/internal/stage runs the bot with people, a remote and a
// scripted model, for the tests as for the demo.
//
// A package's TestMain calls Main. Everything ends with the test that opened it. No test waits for a fixed
// time to pass: StepTimeout only bounds what a busy machine may take.
package harness

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// StepTimeout bounds one step on a busy machine, and RunTimeout a whole run of many sessions. Nothing waits
// for either to pass: they end a test that hangs.
const (
	StepTimeout = 4 * time.Minute
	RunTimeout  = 20 * time.Minute
)

// Main runs the tests of a package, removes the built programs, and returns the exit code for os.Exit.
func Main(m *testing.M) int {
	// Tests of the whole program wait more than they compute, so at least five run at once, whatever the
	// number of cores; the flag -parallel overrides it.
	if err := flag.Set("test.parallel", strconv.Itoa(max(5, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	defer removePrograms()
	return postgrestest.Main(m) // parses the flags
}

// Dir makes a temporary folder for a test that the sandbox's user may enter: below a private temporary
// directory, root's commands, which run as nobody, would see nothing.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bobbin-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// Database makes a database with the program's schema for a test, and returns its URL.
func Database(t testing.TB) string {
	t.Helper()
	return postgrestest.Database(t, storetest.Migrate)
}

// Soon returns a context that ends with the test, or after StepTimeout.
func Soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), StepTimeout)
	t.Cleanup(cancel)
	return ctx
}

// Sleep waits for d or until ctx ends. It is for polling something that does not notify anyone of its
// changes.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Change waits for a change of what a loop looks at, which closes changed: a channel that the loop got, for
// instance from Changed of slacktest, before it looked. It waits 20 ms at least, in which more may change,
// and a second at most, for what closes no channel.
func Change(ctx context.Context, changed <-chan struct{}) {
	Sleep(ctx, 20*time.Millisecond)
	select {
	case <-changed:
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// IsClosed reports whether a channel on which nothing is sent was closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ClosedPort returns a loopback address at which nothing listens.
func ClosedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// A Thread identifies a session's thread in Slack: the channel's ID and the first message's timestamp.
type Thread struct{ Channel, Root string }

// A LogBook is an io.Writer that stores what the program logs. It is safe for concurrent use.
type LogBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends p.
func (l *LogBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns everything that was written.
func (l *LogBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// LogLines returns a logger that writes warnings and errors to the test's log, each line after a name.
func LogLines(t testing.TB, name string) *slog.Logger {
	return slog.New(slog.NewTextHandler(lines{t, name}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

type lines struct {
	t    testing.TB
	name string
}

func (l lines) Write(b []byte) (int, error) {
	l.t.Logf("%s: %s", l.name, strings.TrimRight(string(b), "\n"))
	return len(b), nil
}
