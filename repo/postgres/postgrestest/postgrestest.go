// Package postgrestest provides real Postgres databases to tests: one private cluster per test
// process, in memory if there is room, and in it a fresh database per test. If
// BOBBIN_TEST_DATABASE_URL names a server, the databases are created there instead. If
// BOBBIN_TEST_CLUSTER_URL names a server, it is a cluster that serves the tests of many packages, as
// .ci/postgres starts it: the templates that one test process prepares are reused by the next.
//
// A package's TestMain calls Main, and its tests call Database:
//
//	func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		url := postgrestest.Database(t, migrate)
//
// Nothing is started before the first call of Database. A prepare function runs once per process on
// a template database; every test gets a copy of the template.
package postgrestest

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/repo/postgres"
)

// Prepare brings an empty database to the state that tests need. It must close every connection that it
// opens.
type Prepare = func(ctx context.Context, url string) error

// patience is the time limit of one step, long enough for a busy machine.
const patience = 2 * time.Minute

// most is the maximum number of connections: tests run many replicas side by side, and Postgres notices the
// death of some of them late.
const most = 400

// A server is the Postgres server that this process creates its databases on. The single instance is a
// package variable, because a test process has no other place to keep it between tests.
type server struct {
	once      sync.Once
	err       error
	main      bool // Main runs and will clean up
	many      bool // the server and its templates serve the tests of many packages
	admin     string
	stop      func()
	copying   string // options of "create database" for copying a template
	prefix    string
	mu        sync.Mutex
	templates map[uintptr]*template
	count     int

	line sync.Mutex // held while conn is used
	conn *pgconn.PgConn
}

type template struct {
	once sync.Once
	name string
	err  error
}

var shared server

// Main runs the tests of a package and stops the cluster that they started, if any. It returns the exit
// code for os.Exit.
func Main(m *testing.M) int {
	shared.main = true
	defer func() {
		shared.hangUp()
		if shared.stop != nil {
			shared.stop()
		}
	}()
	return m.Run()
}

// Database creates a database for one test and returns its address. The database is dropped at the end of
// the test, even if clients are still connected. prepare runs once per process, on a template that each
// database is copied from. Templates are distinguished by the code pointer of prepare, so it has to be a
// plain function or a closure that does the same for every test. With a nil prepare the database is empty.
func Database(t testing.TB, prepare Prepare) string {
	t.Helper()
	if !shared.main {
		t.Fatal("postgrestest: this package's TestMain has to be: func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shared.once.Do(func() { shared.err = shared.start(ctx) })
	if shared.err != nil {
		t.Fatalf("postgrestest: %v", shared.err)
	}
	from, err := shared.template(ctx, prepare)
	if err != nil {
		t.Fatalf("postgrestest: preparing the template: %v", err)
	}
	name := shared.name("")
	if err := shared.exec(ctx, fmt.Sprintf("create database %s template %s %s", name, from, shared.copying)); err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	t.Cleanup(func() { shared.drop(t, name) })
	return sibling(shared.admin, name)
}

func (s *server) start(ctx context.Context) error {
	s.prefix = "test_" + strings.ToLower(rand.Text()[:8])
	s.templates = map[uintptr]*template{}
	if given := os.Getenv("BOBBIN_TEST_CLUSTER_URL"); given != "" {
		s.admin, s.many, s.copying = given, true, cheapest(ctx, given)
		return s.exec(ctx, "select 1")
	}
	if given := os.Getenv("BOBBIN_TEST_DATABASE_URL"); given != "" {
		if _, err := url.Parse(given); err != nil || !strings.Contains(given, "://") {
			return fmt.Errorf("BOBBIN_TEST_DATABASE_URL is not of the form postgres://…")
		}
		s.admin, s.stop = given, s.dropTemplates
		return s.exec(ctx, "select 1")
	}
	in := cmp.Or(memoryDir(), os.TempDir())
	sweep(in)
	dir, err := os.MkdirTemp(in, dirPrefix)
	if err != nil {
		return err
	}
	// A server started by root runs as another account, and moves to a disk if that account may not enter
	// dir.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	c, err := postgres.Start(ctx, postgres.Config{Dir: dir, Progress: os.Stderr, Most: most, Brief: true})
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	s.admin = c.Database("postgres")
	s.copying = cheapest(ctx, s.admin)
	s.stop = func() {
		c.Stop()
		os.RemoveAll(dir)
	}
	return nil
}

// cheapest returns the options for the fastest way to copy a database that need not survive a power
// failure: by its files. Otherwise Postgres, since version 15, writes each block to its log, which takes
// four times the processor time.
func cheapest(ctx context.Context, address string) string {
	c, err := pgconn.Connect(ctx, address)
	if err != nil {
		return ""
	}
	defer c.Close(context.WithoutCancel(ctx))
	major, _, _ := strings.Cut(c.ParameterStatus("server_version"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 15 {
		return ""
	}
	return "strategy file_copy"
}

const dirPrefix = "bobbin-test-pg-"

// sweep removes folders that killed test processes left behind more than six hours ago.
func sweep(tmp string) {
	old, _ := filepath.Glob(filepath.Join(tmp, dirPrefix+"*"))
	for _, dir := range old {
		if fi, err := os.Stat(dir); err == nil && time.Since(fi.ModTime()) > 6*time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// template returns the name of the database that prepare made. The first call makes it.
func (s *server) template(ctx context.Context, prepare Prepare) (string, error) {
	if prepare == nil {
		return "template0", nil
	}
	s.mu.Lock()
	key := reflect.ValueOf(prepare).Pointer()
	tpl := s.templates[key]
	if tpl == nil {
		tpl = &template{}
		s.templates[key] = tpl
	}
	s.mu.Unlock()
	tpl.once.Do(func() {
		if s.many {
			tpl.name, tpl.err = s.sharedTemplate(ctx, prepare)
			return
		}
		tpl.name = s.name("_template")
		if tpl.err = s.exec(ctx, "create database "+tpl.name+" template template0"); tpl.err == nil {
			tpl.err = prepare(ctx, sibling(s.admin, tpl.name))
		}
	})
	return tpl.name, tpl.err
}

// sharedTemplate returns the name of a template that this or another test process made. The name is derived
// from the name of the function prepare. The template is made under a temporary name and renamed when it is
// complete.
func (s *server) sharedTemplate(ctx context.Context, prepare Prepare) (string, error) {
	f := runtime.FuncForPC(reflect.ValueOf(prepare).Pointer())
	name := fmt.Sprintf("template_%x", sha256.Sum256([]byte(f.Name())))[:40]
	c, err := pgconn.Connect(ctx, s.admin)
	if err != nil {
		return "", err
	}
	defer c.Close(context.WithoutCancel(ctx))
	run := func(sql string) (rows int64, err error) {
		results, err := c.Exec(ctx, sql).ReadAll()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", sql, err)
		}
		return results[0].CommandTag.RowsAffected(), nil
	}
	if _, err := run("select pg_advisory_lock(hashtext('" + name + "'))"); err != nil { // held until c is closed
		return "", err
	}
	if there, err := run("select 1 from pg_database where datname = '" + name + "'"); err != nil || there == 1 {
		return name, err
	}
	making := s.name("_template")
	if _, err := run("create database " + making + " template template0"); err != nil {
		return "", err
	}
	if err := prepare(ctx, sibling(s.admin, making)); err != nil {
		return "", err
	}
	_, err = run("alter database " + making + " rename to " + name)
	return name, err
}

func (s *server) name(suffix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return fmt.Sprintf("%s_%d%s", s.prefix, s.count, suffix)
}

func (s *server) drop(t testing.TB, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.exec(ctx, "drop database if exists "+name+" with (force)"); err != nil {
		t.Errorf("postgrestest: %v", err)
	}
}

// dropTemplates removes this process's templates from a server that was given, not started.
func (s *server) dropTemplates() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, tpl := range s.templates {
		if err := s.exec(ctx, "drop database if exists "+tpl.name+" with (force)"); err != nil {
			fmt.Fprintf(os.Stderr, "postgrestest: %v\n", err)
		}
	}
}

// exec runs a statement over the one connection that this process creates and drops databases with. The
// connection is kept, because starting a server process takes longer than either statement.
func (s *server) exec(ctx context.Context, sql string) (err error) {
	s.line.Lock()
	defer s.line.Unlock()
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgconn.Connect(ctx, s.admin); err != nil {
			return err
		}
	}
	for {
		_, err := s.conn.Exec(ctx, sql).ReadAll()
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "55006" { // object_in_use: Postgres waited 5 s for a session that is closing
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	}
}

// hangUp closes the connection of exec, if it is open.
func (s *server) hangUp() {
	s.line.Lock()
	defer s.line.Unlock()
	if s.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.conn.Close(ctx)
		s.conn = nil
	}
}

// sibling returns the address of another database of the same server.
func sibling(address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // start has parsed it already
	}
	u.Path = "/" + name
	return u.String()
}
