// Package postgrestest gives tests real Postgres databases: one private cluster a test
// process, in memory where there is room, and in it a fresh database a test. Where
// BOBBIN_TEST_DATABASE_URL names a server, the databases are made there instead. Where
// BOBBIN_TEST_CLUSTER_URL names one, that is a cluster which was started for the tests of many
// packages, as .ci/postgres does it: what was prepared by one test process serves the next, too.
//
// A package's TestMain hands over to Main, and its tests call Database:
//
//	func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		url := postgrestest.Database(t, migrate)
//
// Nothing is started before the first call of Database. What prepares a database runs
// once; every test gets a copy of the result.
package postgrestest

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
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

	"github.com/bobbinhq/bobbin/workflow/postgres"
)

// Prepare brings an empty database to the state that tests want. It leaves no connection
// open.
type Prepare = func(ctx context.Context, url string) error

// patience is how long one step may take on a busy machine.
const patience = 2 * time.Minute

// most is how many connections tests may have at once: many replicas side by side, some of
// them dead for longer than Postgres has noticed.
const most = 400

// a server is where this process's databases are. There is one, since test processes
// have no other place to keep it between tests.
type server struct {
	once      sync.Once
	err       error
	main      bool // Main runs, and will clean up
	many      bool // it serves the tests of many packages, and so do its templates
	admin     string
	stop      func()
	copying   string // how a database is copied
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

// Main runs the tests of a package, and stops the cluster that they started, if any. The
// result is for os.Exit.
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

// Database makes a database for one test, and returns its address; it is dropped at the
// test's end, whoever is still connected. prepare runs once a process on a template of
// which each database is a copy; it is told apart by its code, so it has to be a plain
// function or a closure that gives the same result for every test. nil leaves the
// database empty.
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
	// Root's Postgres runs as another account, and moves to a disk where it may not pass.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	c, err := postgres.Start(ctx, postgres.Config{Dir: dir, Progress: os.Stderr, Most: most, NoVacuum: true})
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

// cheapest is the quickest way to copy a database where nothing has to survive a loss of
// power: by its files. Since 15 Postgres writes each block to its log otherwise, which
// takes four times the processor.
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

// sweep removes what test processes that were killed left behind some hours ago.
func sweep(tmp string) {
	old, _ := filepath.Glob(filepath.Join(tmp, dirPrefix+"*"))
	for _, dir := range old {
		if fi, err := os.Stat(dir); err == nil && time.Since(fi.ModTime()) > 6*time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// template is the name of the database that prepare made, made at the first call.
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

// sharedTemplate is the template that a test process made, this one or another. It is named after
// the function that prepares it, and is renamed once it is whole.
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
	if _, err := run("select pg_advisory_lock(hashtext('" + name + "'))"); err != nil { // until c is closed
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

// dropTemplates leaves a server that is not ours as it was.
func (s *server) dropTemplates() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, tpl := range s.templates {
		if err := s.exec(ctx, "drop database if exists "+tpl.name+" with (force)"); err != nil {
			fmt.Fprintf(os.Stderr, "postgrestest: %v\n", err)
		}
	}
}

// exec runs a statement over the connection that this process makes and drops databases with. To
// begin a server process takes longer than either.
func (s *server) exec(ctx context.Context, sql string) (err error) {
	s.line.Lock()
	defer s.line.Unlock()
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgconn.Connect(ctx, s.admin); err != nil {
			return err
		}
	}
	if _, err := s.conn.Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// hangUp ends that connection, if any.
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

// sibling is the address of another database of the same server.
func sibling(address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // start has parsed it before
	}
	u.Path = "/" + name
	return u.String()
}
