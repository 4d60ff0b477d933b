package upgrades

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
)

// TestRecordRelease makes testdata/releases/VERSION: it builds the program of a commit, runs it until every
// case has reached its state, kills it, and stores the database, the Slack, the remote and the sessions'
// files. It runs only if BOBBIN_RELEASE="VERSION COMMIT" is set.
func TestRecordRelease(t *testing.T) {
	wanted := os.Getenv("BOBBIN_RELEASE")
	if wanted == "" {
		t.Skip("BOBBIN_RELEASE is not set")
	}
	r := &recorder{t: t, out: map[string][]byte{}}
	_, err := fmt.Sscan(wanted, &r.version, &r.commit)
	require.NoError(t, err, "BOBBIN_RELEASE is: VERSION COMMIT")
	r.open()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	r.start(ctx)
	r.takeOff(ctx)
	r.kill()
	r.keep(ctx)
	r.write()
}

type recorder struct {
	upgradeDriver
	t               *testing.T
	version, commit string
	dir, remote     string
	url             string
	scripted        *scriptedModel
	program         *exec.Cmd
	out             map[string][]byte // stored content by file name
}

func (r *recorder) open() {
	t := r.t
	dir := harness.Dir(t)
	var err error
	r.dir, r.remote = dir, filepath.Join(dir, "remote.git")
	hold, files := map[string]string{}, []txtar.File(nil)
	for _, f := range casesOf(r.version) {
		hold[f.name] = f.hold
		for _, name := range f.files() {
			files = append(files, txtar.File{Name: "words/" + name + ".txt", Data: []byte("wrong " + name + "\n")})
		}
	}
	require.NoError(t, stage.PlantRemote(r.remote, files))
	r.hooks()
	r.scripted = openScriptedModel(t, hold)
	r.url = postgrestest.Database(t, nil)
	r.db, err = pgxpool.New(t.Context(), r.url)
	require.NoError(t, err)
	t.Cleanup(r.db.Close)
	r.slack, err = slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(r.slack.Close)
	r.ann, r.channels = r.slack.AddUser(slacktest.User{Name: "ann"}).ID, map[string]string{}
	for _, f := range casesOf(r.version) {
		r.channels[f.name] = r.slack.AddChannel(slacktest.Channel{Name: f.name, Members: []string{r.ann, r.slack.App().BotUser}}).ID
	}
}

// hooks makes the remote refuse one branch, and hold one push before its branch is written and one after, as
// long as the file "hold" exists.
func (r *recorder) hooks() {
	hold, held := filepath.Join(r.dir, "hold"), filepath.Join(r.dir, "held-")
	wait := `touch %[2]s"$1"; while [ -e %[1]s ]; do sleep 0.05; done; rm %[2]s"$1"`
	hooks := map[string]string{
		"update": "#!/bin/sh\nwait() { " + wait + `; }
case "$1" in
*refused*) echo "branches are closed today"; exit 1 ;;
*intended*) wait before; exit 1 ;;
esac
`,
		"reference-transaction": "#!/bin/sh\nwait() { " + wait + `; }
[ "$1" = committed ] || exit 0
grep -q unrecorded && wait after
exit 0
`,
	}
	require.NoError(r.t, os.MkdirAll(filepath.Join(r.remote, "hooks"), 0o755))
	for name, text := range hooks {
		require.NoError(r.t, os.WriteFile(filepath.Join(r.remote, "hooks", name), []byte(strings.NewReplacer("%[1]s", hold, "%[2]s", held).Replace(text)), 0o755))
	}
	require.NoError(r.t, os.WriteFile(hold, nil, 0o644))
}

// start builds the program in a separate work tree, and runs it.
func (r *recorder) start(ctx context.Context) {
	tree, binary := filepath.Join(r.dir, "source"), filepath.Join(r.dir, "bobbin")
	r.do("git", "worktree", "add", "--detach", tree, r.commit)
	build := exec.Command("go", "build", "-o", binary, "./cmd/bobbin")
	build.Dir = tree
	out, err := build.CombinedOutput()
	r.do("git", "worktree", "remove", "--force", tree)
	require.NoError(r.t, err, string(out))

	// As many sessions at once as are held in the end: then no worker is free to handle further messages.
	busy := 0
	for _, f := range casesOf(r.version) {
		if f.hold != "" {
			busy++
		}
	}
	config := fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\nlimits: {sessions_at_once: %d}\n", r.remote, busy)
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, "bobbin.yaml"), []byte(config), 0o644))
	app := r.slack.App()
	r.program = exec.Command(binary, "serve", "--config", filepath.Join(r.dir, "bobbin.yaml"))
	r.program.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken, "SLACK_API_URL="+r.slack.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+r.scripted.URL+"/v1", "DATABASE_URL="+r.url, "BOBBIN_DATA_DIR="+filepath.Join(r.dir, "data"))
	log, err := os.Create(filepath.Join(r.dir, "log"))
	require.NoError(r.t, err)
	r.program.Stdout, r.program.Stderr = log, log
	r.program.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(r.t, r.program.Start())
	r.t.Cleanup(func() {
		r.program.Process.Kill()
		if log, err := os.ReadFile(filepath.Join(r.dir, "log")); err == nil && r.t.Failed() {
			r.t.Logf("the program said:\n%s", log)
		}
	})
	require.NoError(r.t, r.slack.WaitConnected(ctx, 1))
}

func (r *recorder) do(name string, args ...string) []byte {
	r.t.Helper()
	out, err := exec.Command(name, args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		r.t.Logf("%s", failed.Stderr)
	}
	require.NoError(r.t, err, "%s %v", name, args)
	return out
}

// takeOff brings the cases to their states: first those that rest, then those at work, which occupy every
// worker, then the messages that no worker handles.
func (r *recorder) takeOff(ctx context.Context) {
	all := casesOf(r.version)
	r.together(all, func(f upgradeCase) error {
		if f.hold != "" || f.unread == "ask" {
			return nil
		}
		return r.toRest(ctx, f)
	})
	r.together(all, func(f upgradeCase) error {
		if f.hold == "" {
			return nil
		}
		return r.toWork(ctx, f)
	})
	r.together(all, func(f upgradeCase) error {
		if f.unread == "" {
			return nil
		}
		err := r.fly(ctx, f, f.unread)
		return errors.Join(err, r.until(ctx, `select exists (select 1 from inbox i join sessions s on s.id = i.session_id where s.channel = $1 and i.handled_at is null)`, r.channels[f.name]))
	})
	for _, f := range all {
		var phase string
		require.NoError(r.t, r.db.QueryRow(ctx, `select phase from sessions where channel = $1`, r.channels[f.name]).Scan(&phase))
		require.Equal(r.t, f.stands, phase, f.name)
	}
}

func (r *recorder) together(all []upgradeCase, do func(upgradeCase) error) {
	var group errgroup.Group
	for _, f := range all {
		group.Go(func() error { return do(f) })
	}
	require.NoError(r.t, group.Wait())
}

func (r *recorder) toRest(ctx context.Context, f upgradeCase) error {
	steps := slices.Clone(f.before)
	if len(steps) > 0 && steps[0] == "mute" { // before the bot posts anything
		if err := r.fly(ctx, f, steps[0]); err != nil {
			return err
		}
		steps = steps[1:]
	}
	if err := r.fly(ctx, f, append([]string{"ask"}, steps...)...); err != nil {
		return err
	}
	deaf := slices.Contains(f.before, "mute") || slices.Contains(f.before, "lose")
	return r.until(ctx, `select exists (select 1 from sessions s where s.channel = $1 and s.phase = $2
		and not exists (select 1 from inbox i where i.session_id = s.id and i.handled_at is null)
		and not exists (select 1 from river_job j where j.args->>'session' = s.id and j.kind = 'turn' and j.finalized_at is null)
		and $3 = exists (select 1 from outbox o where o.session_id = s.id and o.posted_at is null))`, r.channels[f.name], f.stands, deaf)
}

func (r *recorder) toWork(ctx context.Context, f upgradeCase) error {
	if err := r.fly(ctx, f, append([]string{"ask"}, f.before...)...); err != nil {
		return err
	}
	for ctx.Err() == nil {
		waits := r.scripted.holding(f.name)
		if f.hold == "hook" {
			_, err := os.Stat(filepath.Join(r.dir, "held-"+map[string]string{"intended": "before", "unrecorded": "after"}[f.name]))
			if err == nil {
				waits = 1
			}
		}
		if waits >= map[bool]int{true: 2, false: 1}[f.asks == "pair"] {
			return r.until(ctx, `select not exists (select 1 from outbox o join sessions s on s.id = o.session_id where s.channel = $1 and o.posted_at is null)`, r.channels[f.name])
		}
		harness.Sleep(ctx, 30*time.Millisecond)
	}
	return fmt.Errorf("%s never came to %s", f.name, f.hold)
}

// kill kills the program at a random instruction, and then releases the hooks that still run in the remote.
func (r *recorder) kill() {
	require.NoError(r.t, r.program.Process.Kill())
	r.program.Wait()
	require.NoError(r.t, os.Remove(filepath.Join(r.dir, "hold")))
	require.Eventually(r.t, func() bool {
		left, err := filepath.Glob(filepath.Join(r.dir, "held-*"))
		return err == nil && len(left) == 0
	}, time.Minute, 50*time.Millisecond)
}

func (r *recorder) keep(ctx context.Context) {
	branches, err := stage.RemoteBranches(r.remote)
	require.NoError(r.t, err)
	r.t.Logf("branches: %v", branches)
	r.out["database.sql"] = r.dump()
	r.out["slack.json"], err = r.slack.Keep()
	require.NoError(r.t, err)
	r.out["remote.tar"] = r.pack(r.remote, func(name string) bool { return strings.HasPrefix(name, "hooks") })
	if !r.inDatabase(ctx) {
		r.out["sessions.tar"] = r.sessions(ctx)
	}
}

// inDatabase reports whether the release stores sessions' files in the database, so that another machine does
// not need them.
func (r *recorder) inDatabase(ctx context.Context) (is bool) {
	require.NoError(r.t, r.db.QueryRow(ctx, `select to_regclass('workspaces') is not null`).Scan(&is))
	return is
}

// sessions returns a tar file of the work files of approved sessions.
func (r *recorder) sessions(ctx context.Context) []byte {
	rows, err := r.db.Query(ctx, `select id from sessions where branch <> ''`)
	require.NoError(r.t, err)
	approved, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(r.t, err)
	return r.pack(filepath.Join(r.dir, "data", "sessions"), func(name string) bool {
		id, part, deeper := strings.Cut(name, "/")
		return !slices.Contains(approved, id) || deeper && part != "work" && !strings.HasPrefix(part, "work/")
	})
}

var addresses = regexp.MustCompile(`127\.0\.0\.1:\d+`)

var notOurs = regexp.MustCompile(`(?m)^(SET .*|\\(un)?restrict .*|SELECT pg_catalog\.set_config.*|--.*)\n`)

// dump returns the database as statements that any version of Postgres accepts. Objects are qualified with
// their schema, so the search path does not matter.
func (r *recorder) dump() []byte {
	sql := r.do(pgDump(r.t), "--dbname="+r.url, "--inserts", "--no-owner", "--no-privileges", "--no-comments")
	return notOurs.ReplaceAll(sql, nil)
}

func pgDump(t *testing.T) string {
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if dir := os.Getenv("BOBBIN_POSTGRES_BIN"); dir != "" {
		places = append(places, filepath.Join(dir, "pg_dump"))
	}
	if found, err := exec.LookPath("pg_dump"); err == nil {
		places = append(places, found)
	}
	require.NotEmpty(t, places, "pg_dump is not here; it comes with Postgres")
	return places[len(places)-1]
}

// pack returns a folder as a tar file without owners or other traces of this machine.
func (r *recorder) pack(dir string, leaveOut func(string) bool) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(r.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		if leaveOut(filepath.ToSlash(name)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return add(w, path, filepath.ToSlash(name), d)
	}))
	require.NoError(r.t, w.Close())
	return b.Bytes()
}

func add(w *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatPAX, Typeflag: tar.TypeDir}
	if d.IsDir() {
		header.Name += "/"
		return w.WriteHeader(header)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header.Typeflag, header.Size = tar.TypeReg, int64(len(text))
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// write removes this machine's names from what was stored, and writes it where the tests read it.
func (r *recorder) write() {
	host, err := os.Hostname()
	require.NoError(r.t, err)
	to := filepath.Join("testdata", "releases", r.version)
	require.NoError(r.t, os.RemoveAll(to))
	require.NoError(r.t, os.MkdirAll(to, 0o755))
	worker := regexp.MustCompile(`\b` + regexp.QuoteMeta(host) + `-(\d+)-`)
	for name, text := range r.out {
		if !strings.HasSuffix(name, ".tar") {
			text = addresses.ReplaceAll(text, []byte("host.example:443"))
			text = worker.ReplaceAll(text, []byte("replica-$1-"))
			text = bytes.ReplaceAll(text, []byte(r.dir), []byte("/srv/bobbin"))
			require.NotRegexp(r.t, `\b`+regexp.QuoteMeta(host)+`\b`, string(text), name)
		}
		for _, word := range []string{r.dir, os.TempDir() + "/"} {
			require.False(r.t, bytes.Contains(text, []byte(word)), "%s holds %s", name, word)
		}
		if len(text) > 200<<10 || strings.HasSuffix(name, ".tar") {
			name, text = name+".gz", zipped(text)
		}
		r.t.Logf("%s: %d bytes", name, len(text))
		require.NoError(r.t, os.WriteFile(filepath.Join(to, name), text, 0o644))
	}
}

func zipped(text []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write(text)
	w.Close()
	return b.Bytes()
}
