package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A wire is a proxy between a store and its Postgres that cuts connections, as a restart, a failover
// or a firewall does. It passes bytes on, and looks for the statement with which a driver commits.
type wire struct {
	address string // of the real server
	dir     string // where the proxy's own socket is
	before  atomic.Int32
	after   atomic.Int32

	mu   sync.Mutex
	open []net.Conn
}

// tap puts a wire before the database, and returns the database's address through it.
func tap(t *testing.T, address string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	w := &wire{dir: t.TempDir()}
	if dir := u.Query().Get("host"); dir != "" {
		w.address = filepath.Join(dir, ".s.PGSQL."+u.Query().Get("port"))
	} else {
		w.address = u.Host
	}
	listener, err := net.Listen("unix", filepath.Join(w.dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(c)
		}
	}()
	q := u.Query()
	q.Set("host", w.dir)
	q.Set("port", "5432")
	u.Host = ""
	u.RawQuery = q.Encode()
	return w, u.String()
}

var commit = []byte("commit\x00")

func (w *wire) carry(client net.Conn) {
	defer client.Close()
	network := "unix"
	if w.address[0] != '/' {
		network = "tcp"
	}
	server, err := net.Dial(network, w.address)
	if err != nil {
		return
	}
	defer server.Close()
	w.mu.Lock()
	w.open = append(w.open, client, server)
	w.mu.Unlock()
	var silent atomic.Bool // what the server says is not passed on any more
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := server.Read(b)
			if silent.Load() {
				client.Close()
				return
			}
			if _, bad := client.Write(b[:n]); err != nil || bad != nil {
				client.Close()
				return
			}
		}
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := client.Read(b)
		if n > 0 && bytes.Contains(b[:n], commit) {
			if w.before.Add(-1) >= 0 {
				return // it never arrives
			}
			if w.after.Add(-1) >= 0 {
				silent.Store(true) // it arrives, and the answer is lost
			}
		}
		if _, bad := server.Write(b[:n]); err != nil || bad != nil {
			return
		}
	}
}

// cut closes all open connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// tapped returns a wire, the store whose connections it can cut, and a second store on the same database.
func tapped(t *testing.T) (*wire, *store.Store, *store.Store) {
	t.Helper()
	beside := storetest.Open(t)
	w, address := tap(t, beside.Pool.Config().ConnString())
	s, err := store.Open(t.Context(), address, storetest.Silent)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return w, s, beside
}

func TestAFactIsWrittenOnceWhateverTheConnectionDoes(t *testing.T) {
	t.Parallel()
	w, s, beside := tapped(t)
	turn := storetest.BeginTurn(t, s)
	fact := func(n int) []store.Part {
		return []store.Part{
			progress.Transcript{Items: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))}},
			store.Usage{USD: 1},
			store.Lines{{Agent: "orchestrator", Text: fmt.Sprint("line ", n)}},
		}
	}
	for n := range 9 {
		switch n % 3 {
		case 0:
			w.before.Store(1) // the commit is lost on its way
		case 1:
			w.after.Store(2) // its answer is lost, twice
		default:
			w.cut()
		}
		require.NoError(t, turn.Record(t.Context(), fact(n)...))
		w.before.Store(0)
		w.after.Store(0)
	}
	require.Equal(t, 9, storetest.CountRows(t, beside, `select count(*) from transcript`))
	require.Equal(t, 9, storetest.CountRows(t, beside, `select count(*) from lines`))
	require.Equal(t, 9, storetest.CountRows(t, beside, `select spent_usd::int from sessions`))
	require.InDelta(t, 9, turn.Session().SpentUSD, 0)
}

// The control: if a retry cannot find the earlier try, the fact is written twice.
func TestAFactTriedAgainBlindlyIsFoundOut(t *testing.T) {
	t.Parallel()
	w, s, beside := tapped(t)
	turn := storetest.BeginTurn(t, s)
	_, err := beside.Pool.Exec(t.Context(),
		`create function forget() returns trigger language plpgsql as $$ begin new.recorded := 0; return new;
		end $$;
		create trigger forget before update on sessions for each row execute function forget()`)
	require.NoError(t, err)
	w.after.Store(1)
	require.NoError(t, turn.Record(t.Context(), store.Lines{{Agent: "orchestrator", Text: "once"}}))
	require.Equal(t, 2, storetest.CountRows(t, beside, `select count(*) from lines`))
}

// Two conflicting transactions, a server without a free connection, a
// server that stops or starts: none of this is the statement's fault.
func TestWhatPasses(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	raise := func(code string) error {
		_, err := s.Pool.Exec(t.Context(),
			fmt.Sprintf(`do $$ begin raise exception 'x' using errcode = '%s'; end $$`, code))
		return fmt.Errorf("record in abc: %w", err)
	}
	for _, code := range []string{
		"40001", "40P01", "53100", "53300", "57P01", "57P02", "57P03", "25006", "25P03", "08006", "55P03",
	} {
		require.True(t, database.IsTransient(raise(code)), code)
	}
	for _, code := range []string{"23505", "42P01", "22P02"} {
		require.False(t, database.IsTransient(raise(code)), code)
	}
	require.True(t, database.IsTransient(io.ErrUnexpectedEOF))
	require.False(t, database.IsTransient(nil))
	require.False(t, database.IsTransient(context.Canceled))
	require.False(t, database.IsTransient(fmt.Errorf("record in abc: %w", context.DeadlineExceeded)),
		"the caller's time is up")
	_, err := os.Open(filepath.Join(t.TempDir(), "missing"))
	require.False(t, database.IsTransient(err), "%v", err)
	require.False(t, database.IsTransient(fmt.Errorf("tidy up: %w", &fs.PathError{
		Op:   "open",
		Path: "x",
		Err:  syscall.EACCES,
	})))
	require.True(t,
		database.IsTransient(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}))
	_, err = pgx.Connect(t.Context(), "postgres://x@127.0.0.1:1/x?connect_timeout=1")
	require.True(t, database.IsTransient(err), "%v", err)
}

func TestATransactionThatMetAnotherIsDoneAgain(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`create sequence tries; create function meet() returns trigger language plpgsql as $$ begin
			if nextval('tries') <= 2 then raise exception 'could not serialize access' using errcode =
				'40001'; end if; return new; end $$;
		create trigger meet before insert on lines for each row execute function meet()`)
	require.NoError(t, err)
	require.NoError(t, turn.Record(t.Context(), store.Lines{{Agent: "orchestrator", Text: "once"}}))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from lines`))
}

func TestAServerWithoutAFreeConnectionIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`do $$ begin execute format('alter database %I connection limit 0', current_database()); end $$`)
	require.NoError(t, err)
	refused := false
	ctx := t.Context()
	// A superuser is never refused, so this one is an ordinary role.
	_, err = s.Pool.Exec(ctx, fmt.Sprintf(`do $$ begin execute format('create role plain_%%s login', %d); `+
		`exception when duplicate_object then null; end $$`, s.Pool.Config().ConnConfig.Port))
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Pool.Exec(context.Background(),
			fmt.Sprintf(`drop owned by plain_%[1]d; drop role if exists plain_%[1]d`,
				s.Pool.Config().ConnConfig.Port))
	})
	config := s.Pool.Config().ConnConfig.Copy()
	config.User = fmt.Sprint("plain_", config.Port)
	_, err = pgx.ConnectConfig(ctx, config)
	refused = database.IsTransient(err)
	require.True(t, refused, "%v", err)
	require.NoError(t, turn.Record(ctx, store.Lines{{
		Agent: "orchestrator", Text: "once",
	}}), "connections that are open go on")
}

// A replica that freezes in the middle of a transaction does
// not lock its session away from the others for ever.
func TestATransactionThatNobodyGoesOnWithEnds(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	frozen, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer frozen.Rollback(context.Background())
	_, err = frozen.Exec(t.Context(), `select 1 from sessions for update`)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, turn.Record(ctx, store.Lines{{Agent: "orchestrator", Text: "once"}}))
	require.Error(t, frozen.Commit(t.Context()))
}
