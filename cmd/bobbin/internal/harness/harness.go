// Package harness supports the tests of the whole program. It starts the real parts around the
// program: a Postgres database, folders that a sandbox may enter, and the program itself, built
// once for all tests of a package. Below it are a model (chatmodel) and a git host (githost);
// bot/slacktest stands in for Slack; cmd/bobbin/internal/stage stages an office with people, a
// remote and a scripted model, for the tests as for the demo.
//
// A package's TestMain calls Main. Everything ends with the test that opened it, and no test
// waits for time to pass: Patience only bounds what a busy machine may take.
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

	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// Patience is for one step on a busy machine, and LongPatience for a whole run of many sessions.
// Nothing waits for either to pass: they end a test that hangs.
const (
	Patience     = 4 * time.Minute
	LongPatience = 20 * time.Minute
)

// Main runs the tests of a package, and removes what they shared. The result is for os.Exit.
func Main(m *testing.M) int {
	// Tests of the whole program wait more than they work, so more of them run at once than
	// there are cores; -parallel says otherwise.
	if err := flag.Set("test.parallel", strconv.Itoa(max(5, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	defer removePrograms()
	return postgrestest.Main(m) // parses the flags
}

// Dir makes a folder for a test that the sandbox's user may pass through: below a private
// temporary directory root's commands, which run as nobody, would see nothing.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bobbin-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// Database makes a database of the program's schema for a test, and returns its address.
func Database(t testing.TB) string {
	t.Helper()
	return postgrestest.Database(t, storetest.Migrate)
}

// Soon is a context that ends with the test, or when Patience does.
func Soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Sleep waits between two looks at something that tells nobody when it changes.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// IsClosed reports whether a channel that nothing is sent on was closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ClosedPort is an address of this machine at which nobody listens.
func ClosedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// A Thread is where a session is in Slack: ids of a channel and of the first message.
type Thread struct{ Channel, Root string }

// A LogBook keeps what the program logs.
type LogBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the book.
func (l *LogBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is the whole book.
func (l *LogBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// LogLines shows what the program logs beside a test's own log, each line behind a name.
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
