package postgres

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

// roleVariable makes this test binary act as another program that runs a cluster.
const roleVariable = "BOBBIN_CLUSTER_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := holdCluster(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	os.RemoveAll(made.dir)
	os.Exit(code)
}

// A role says what the other program does.
type role struct {
	Dir string
	Tie account.Tie
}

// A report is what the other program prints when its cluster answers.
type report struct {
	URL   string
	Owner int
}

// holdCluster runs a cluster until its standard input ends.
func holdCluster(s string) error {
	var r role
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return err
	}
	c, err := Start(context.Background(), Config{Dir: r.Dir, tie: r.Tie})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := json.NewEncoder(os.Stdout).Encode(report{c.URL(), c.owner}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// A program is another process that runs a cluster.
type program struct {
	report
	cmd   *exec.Cmd
	input io.Closer
}

func startProgram(t *testing.T, r role, env ...string) *program {
	t.Helper()
	b, err := json.Marshal(r)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), roleVariable+"="+string(b)), env...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &program{cmd: cmd, input: input}
	t.Cleanup(func() { p.kill() })
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(line), &p.report))
	return p
}

func (p *program) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func (p *program) end(t *testing.T) {
	require.NoError(t, p.input.Close())
	require.NoError(t, p.cmd.Wait())
}

// made holds data that initdb created once. Most tests begin with a copy of it, which is faster than
// running initdb again.
var made struct {
	sync.Once
	dir string
	err error
}

func makeOnce() {
	if made.dir, made.err = os.MkdirTemp("", "bobbin-cluster-test-"); made.err != nil {
		return
	}
	c, err := Start(context.Background(), Config{Dir: made.dir})
	if made.err = err; err == nil {
		c.Stop()
	}
}

// folder returns a folder for a cluster, with data in it.
func folder(t *testing.T) string {
	t.Helper()
	made.Do(makeOnce)
	require.NoError(t, made.err)
	dir := t.TempDir()
	out, err := exec.Command("cp", "-a", filepath.Join(made.dir, "data"),
		filepath.Join(dir, "data")).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	return c
}

// ask runs a query that returns one text.
func ask(t *testing.T, url, sql string) (answer string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer c.Close(t.Context())
	require.NoError(t, c.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func postmaster(t *testing.T, dir string) int {
	t.Helper()
	p, err := readPIDFile(filepath.Join(dir, "data"))
	require.NoError(t, err)
	return p.pid
}

func eventuallyGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return !alive(pid) }, time.Minute, 5*time.Millisecond,
		"process %d is still there", pid)
}

func TestStartsStopsAndIsReused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "down")
	c := start(t, Config{Dir: dir, Durable: true})
	require.Equal(t, os.Getpid(), c.owner)
	require.Equal(t, "bobbin", ask(t, c.URL(), "select current_database()::text"))
	require.Equal(t, "UTF8", ask(t, c.URL(), "show server_encoding"))
	require.Equal(t, "on", ask(t, c.URL(), "show fsync"))
	require.Empty(t, ask(t, c.URL(), "show listen_addresses"))
	ask(t, c.URL(), "with made as (select set_config('a.b', 'c', false)) select 'x'::text from made")
	require.Equal(t, "1",
		ask(t, c.Database("postgres"), "select count(*)::text from pg_database where datname = 'bobbin'"))
	exec1(t, c.URL(), "create table kept as select 'still here' as text")

	pid := postmaster(t, dir)
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	require.NotEqual(t, syscall.Getpgrp(), group,
		"Ctrl-C in a terminal would reach Postgres before this program")
	socket, err := os.Stat(filepath.Join(c.socket, socketName))
	require.NoError(t, err)
	require.Zero(t, socket.Mode().Perm()&0o077)

	c.Stop()
	c.Stop()
	require.False(t, alive(pid))
	<-c.Done()

	again := start(t, Config{Dir: dir})
	require.Equal(t, "still here", ask(t, again.URL(), "select text from kept"))
	require.Equal(t, "off", ask(t, again.URL(), "show fsync"))
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer c.Close(t.Context())
	_, err = c.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func TestLongFolderGetsAShortSocketThatIsSweptAway(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 25))
	c := start(t, Config{Dir: dir})
	require.Equal(t, "1", ask(t, c.URL(), "select '1'"))
	require.Contains(t, c.socket, socketPrefix)
	c.Stop()
	require.NoDirExists(t, c.socket)

	// The next start removes the folder that a killed program leaves behind.
	left, err := os.MkdirTemp(shortTemp(), socketPrefix)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "socket"), []byte(left), 0o600))
	start(t, Config{Dir: dir})
	require.NoDirExists(t, left)
}

func TestSweepRemovesNothingButItsOwn(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	sweepSocketDir(mine)
	require.DirExists(t, mine)
}

func TestJoinsTheProgramThatRunsItAlready(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	other := startProgram(t, role{Dir: dir})
	require.Equal(t, other.cmd.Process.Pid, other.Owner)

	c := start(t, Config{Dir: dir})
	require.Equal(t, other.Owner, c.owner)
	require.Equal(t, other.URL, c.URL())
	require.Nil(t, c.Done())
	c.Stop()
	require.Equal(t, "1", ask(t, other.URL, "select '1'"),
		"stopping what was joined must not stop the other's server")

	pid := postmaster(t, dir)
	other.end(t)
	require.False(t, alive(pid), "the server outlived an orderly end of its program")
	require.Equal(t, os.Getpid(), start(t, Config{Dir: dir}).owner)
}

// heard receives what is logged, if somebody waits for it.
type heard chan string

func (h heard) Write(b []byte) (int, error) {
	select {
	case h <- string(b):
	default:
	}
	return len(b), nil
}

// TestItsOwnServerIsNotJoined checks that a program which needs a server of its own waits for the end of the
// program that runs one, and is not left without when that ends.
func TestItsOwnServerIsNotJoined(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	other := startProgram(t, role{Dir: dir})
	logged := make(heard, 1)
	cfg := Config{Dir: dir, Own: true, Log: slog.New(slog.NewTextHandler(logged, nil))}
	type result struct {
		c   *Cluster
		err error
	}
	began := func(ctx context.Context) <-chan result {
		done := make(chan result, 1)
		go func() {
			c, err := Start(ctx, cfg)
			done <- result{c, err}
		}()
		require.Contains(t, <-logged, "waiting for its end")
		return done
	}
	ctx, giveUp := context.WithCancel(t.Context())
	waiting := began(ctx)
	giveUp()
	require.ErrorContains(t, (<-waiting).err,
		fmt.Sprintf("process %d uses the Postgres in %s", other.Owner, dir))

	waiting = began(t.Context())
	other.end(t)
	got := <-waiting
	require.NoError(t, got.err)
	defer got.c.Stop()
	require.Equal(t, os.Getpid(), got.c.owner)
	require.NotNil(t, got.c.Done())
	require.Equal(t, "1", ask(t, got.c.URL(), "select '1'"))
}

func TestStartedTwiceAtOnceRunsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results := make(chan *Cluster, 4)
	for range cap(results) {
		go func() {
			c, err := Start(t.Context(), Config{Dir: dir})
			if err != nil {
				t.Error(err)
			}
			results <- c
		}()
	}
	var running int
	for range cap(results) {
		c := <-results
		require.NotNil(t, c)
		defer c.Stop()
		require.Equal(t, "1", ask(t, c.URL(), "select '1'"))
		if c.Done() != nil {
			running++
		}
	}
	require.Equal(t, 1, running)
}

// The database is there after every attempt to create it, also if another attempt was still under way. An
// attempt is made again while another client uses the template.
func TestCreatingTheDatabaseMeetsAnotherAttempt(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: folder(t)})
	admin := c.Database("postgres")
	for range 5 {
		exec1(t, admin, "drop database "+database)
		results := make(chan error, 4)
		for range cap(results) {
			go func() { results <- ensureDatabase(t.Context(), admin) }()
		}
		for range cap(results) {
			require.NoError(t, <-results)
		}
	}
	exec1(t, admin, "drop database "+database)
	user, err := pgx.Connect(t.Context(), c.Database("template1"))
	require.NoError(t, err)
	require.Equal(t, isBusy, judgeAnswer(ensureDatabase(t.Context(), admin)))
	require.NoError(t, user.Close(t.Context()))
	require.NoError(t, c.awaitReady(t.Context()))
	require.Equal(t, database, ask(t, c.URL(), "select current_database()::text"))
}

func TestHeldWithoutAnAnswerNamesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := home{dir: dir, data: filepath.Join(dir, "data")}
	lock, err := h.tryLock()
	require.NoError(t, err)
	require.NotNil(t, lock)
	defer lock.Release()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = Start(ctx, Config{Dir: dir})
	require.ErrorContains(t, err,
		fmt.Sprintf("%s is held by process %d, and its Postgres does not answer", dir, os.Getpid()))
}

// The control runs the same steps with a server that is not tied to its program.
func TestKilledProgramLeavesNoServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tie  account.Tie
		gone bool
	}{
		"the platform's tie": {account.DefaultTie, true},
		"watcher":            {account.WatcherTie, true},
		"control":            {account.NoTie, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			p := startProgram(t, role{Dir: dir, Tie: c.tie})
			exec1(t, p.URL, "create table kept as select 'still here' as text")
			pid := postmaster(t, dir)
			p.kill()
			if c.gone {
				eventuallyGone(t, pid)
			} else {
				require.Equal(t, "1", ask(t, p.URL, "select '1'"))
			}
			// In both cases the next start runs its own server and has the data that was written.
			next := start(t, Config{Dir: dir})
			require.False(t, alive(pid))
			require.Equal(t, os.Getpid(), next.owner)
			require.Equal(t, "still here", ask(t, next.URL(), "select text from kept"))
		})
	}
}

func TestStalePIDFileIsNoHindrance(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	for name, pid := range map[string]int{
		"dead":               dead.Process.Pid,
		"of another program": os.Getpid(),
		"of init":            1,
	} {
		text := fmt.Sprintf("%d\n%s\n1\n5432\n%s\n\n", pid, filepath.Join(dir, "data"),
			filepath.Join(dir, "run"))
		file := filepath.Join(dir, "data", "postmaster.pid")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		c, err := Start(t.Context(), Config{Dir: dir})
		require.NoError(t, err, name)
		require.Equal(t, "1", ask(t, c.URL(), "select '1'"))
		c.Stop()
	}
}

func TestGarbledPIDFileIsReportedInPostgresWords(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), []byte("what?\n"), 0o644))
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorContains(t, err, "bogus data in lock file")
}

func TestInterruptedInitialisationIsDoneAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data.new", "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data.new", "PG_VERSION"), []byte("15\n"), 0o600))
	require.Equal(t, "1", ask(t, start(t, Config{Dir: dir}).URL(), "select '1'"))
	require.NoDirExists(t, filepath.Join(dir, "data.new"))
}

func TestForeignFolderIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious := filepath.Join(dir, "data", "precious")
	require.NoError(t, os.MkdirAll(filepath.Dir(precious), 0o755))
	require.NoError(t, os.WriteFile(precious, nil, 0o644))
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorContains(t, err, "is there, but holds no data of Postgres; move it away")
	require.FileExists(t, precious)
}

func TestBrokenDataIsReportedWithTheServersWords(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "data", "global", "pg_control")))
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorContains(t, err, "the server ended at once")
	require.ErrorContains(t, err, "could not find the database system")
	lock, err := home{dir: dir}.tryLock()
	require.NoError(t, err)
	require.NotNil(t, lock, "a failed start must let go of the folder")
	lock.Release()
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, Config{Dir: dir})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotContains(t, err.Error(), "killed")
	require.Equal(t, "1", ask(t, start(t, Config{Dir: dir}).URL(), "select '1'"))
}

func TestDoneTellsOfAServerThatDied(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, Config{Dir: dir})
	require.NoError(t, syscall.Kill(postmaster(t, dir), syscall.SIGKILL))
	<-c.Done()
	c.Stop()
	require.Equal(t, "1", ask(t, start(t, Config{Dir: dir}).URL(), "select '1'"))
}

func TestEnvironmentOfPostgresDoesNotMatter(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	p := startProgram(t, role{Dir: dir}, "PGDATA=/nowhere", "PGPORT=1", "PGHOST=/nowhere", "PGDATABASE=no",
		"PGUSER=no", "PGSSLMODE=require", "LC_ALL=xx_YY", "PGOPTIONS=-c nonsense")
	require.Equal(t, "1", ask(t, p.URL, "select '1'"))
	p.end(t) // a killed server may still write while its folder is removed
}

func TestBadFoldersGetOneLine(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{})
	require.EqualError(t, err, "postgres: no folder was given")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = Start(t.Context(), Config{Dir: filepath.Join(file, "below")})
	require.ErrorContains(t, err, "not a directory")
	require.NotContains(t, err.Error(), "\n")
}
