package upgrades

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// Today's program takes over the database of every release, with sessions in progress: each session ends as
// it should, and nothing is lost, posted or pushed twice.
func TestUpgradeFromEveryRelease(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		a := &upgradeRun{version: r.version, only: someOf(r.version)}
		t.Run(r.version+" on another machine", func(t *testing.T) {
			t.Parallel()
			a.t = t
			a.open()
			require.Empty(t, a.faults())
		})
		if !a.recorded("sessions.tar") { // the release stores the files in its database
			continue
		}
		t.Run(r.version+" on the same machine", func(t *testing.T) {
			t.Parallel()
			a := &upgradeRun{t: t, version: r.version, files: true, only: someOf(r.version)}
			a.open()
			require.Empty(t, a.faults())
		})
	}
}

// Each promise has a control: the same upgrade with a faulty migration.
func TestUpgradesThatGoWrongAreFoundOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ wrong, upgrade, want string }{
		"a column is dropped": {
			`alter table sessions drop column way`, "button", `button: "await and pushed`,
		},
		"what was tried is lost": {
			`update outbox set batch = null, tried_at = null where posted_at is null`, "unknown",
			`unknown: .* stands 2 times`,
		},
		"rows are lost": {
			`delete from decisions where id = (select min(id) from decisions)`, "answered",
			`decisions: 1 of the old rows`,
		},
		"a backfill hits too much": {
			`update sessions set phase = 'exploring' where phase = 'stopped'`, "stopped",
			`stopped: it ended exploring, not stopped`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &upgradeRun{
				t:       t,
				version: releases[len(releases)-1].version,
				wrong:   c.wrong,
				only:    single(c.upgrade),
			}
			if strings.Contains(c.wrong, "drop") {
				a.most = 5 * time.Second // no session can end
			}
			a.open()
			require.Regexp(t, c.want, strings.Join(a.faults(), "\n"))
		})
	}
}

// A replica that still runs when a newer version has migrated the database puts its work back, and ends with
// a line that says why.
func TestAnOlderReplicaMakesWayForANewerOne(t *testing.T) {
	t.Parallel()
	a := &upgradeRun{
		t:        t,
		version:  releases[len(releases)-1].version,
		only:     single("asking"),
		scripted: openScriptedModel(t, map[string]string{"asking": "report_root_cause"}),
	}
	a.open()
	ctx, cancel := context.WithTimeout(t.Context(), harness.StepTimeout)
	defer cancel()
	require.NoError(t, a.scripted.await(ctx, "asking"))
	_, err := a.db.Exec(ctx, `insert into goose_db_version (version_id, is_applied) values (1000, true)`)
	require.NoError(t, err)
	select {
	case err = <-a.ended:
	case <-ctx.Done():
		t.Fatal("it goes on")
	}
	require.Regexp(t, `^the database was made by a newer version of Bobbin: its schema is at 1000, `+
		`and this program knows \d+\. That one has taken over; start it here, too$`, err.Error())
	require.Zero(t, a.count(`select count(*) from river_job where state = 'running'`))
	require.Equal(t, 1, a.count(
		`select count(*) from river_job j join sessions s on s.id = j.args->>'session' where s.channel = $1
			and j.kind = 'turn' and j.finalized_at is null`,
		a.channels["asking"],
	))
}

// An upgradeRun is today's program on what an older one left.
type upgradeRun struct {
	upgradeDriver
	t       *testing.T
	version string
	files   bool          // with the data directory of the older program
	wrong   string        // SQL of a faulty migration
	only    []upgradeCase // cases that continue; the sessions of the others are closed
	most    time.Duration

	dir, remote, url string
	before           map[string][]string // old columns by table
	scripted         *scriptedModel
	ended            chan error // receives the program's error when it ends
}

func (ur *upgradeRun) recorded(name string) bool {
	found, err := filepath.Glob(filepath.Join("testdata", "releases", ur.version, name+"*"))
	return err == nil && len(found) > 0
}

// read returns a file of the release, uncompressed.
func (ur *upgradeRun) read(name string) []byte {
	name = filepath.Join("testdata", "releases", ur.version, name)
	text, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(ur.t, err)
		return text
	}
	packed, err := os.Open(name + ".gz")
	require.NoError(ur.t, err)
	defer packed.Close()
	unzip, err := gzip.NewReader(packed)
	require.NoError(ur.t, err)
	text, err = io.ReadAll(unzip)
	require.NoError(ur.t, err)
	return text
}

func (ur *upgradeRun) open() {
	t := ur.t
	dir := harness.Dir(t)
	var err error
	ur.dir = dir
	ur.remote = filepath.Join(dir, "remote.git")
	ur.unpack("remote.tar", ur.remote)
	if ur.files {
		ur.unpack("sessions.tar", filepath.Join(dir, "data", "sessions"))
	}
	kept := ur.read("slack.json")
	ur.slack, err = slacktest.Listen(slacktest.Config{
		Kept: kept, Log: slog.New(slog.DiscardHandler),
		// short, so that a slow machine does not wait minutes
		Retries: []time.Duration{0, time.Second, time.Second},
	})
	require.NoError(t, err)
	t.Cleanup(ur.slack.Close)
	var names struct{ Users, Channels []struct{ ID, Name string } }
	require.NoError(t, json.Unmarshal(kept, &names))
	ur.channels = map[string]string{}
	for _, c := range names.Channels {
		ur.channels[c.Name] = c.ID
	}
	for _, u := range names.Users {
		if u.Name == "ann" {
			ur.ann = u.ID
		}
	}
	ur.url = postgrestest.Database(t, nil)
	ur.db, err = pgxpool.New(t.Context(), ur.url)
	require.NoError(t, err)
	t.Cleanup(ur.db.Close)
	ur.restore()
	require.NoError(t, storetest.Migrate(t.Context(), ur.url))
	_, err = ur.db.Exec(t.Context(), ur.wrong)
	require.NoError(t, err)
	if len(ur.only) < len(casesOf(ur.version)) {
		var channels []string
		for _, f := range ur.only {
			channels = append(channels, ur.channels[f.name])
		}
		_, err = ur.db.Exec(t.Context(), `with others as (select id from sessions where channel <> all($1)),
			words as (update inbox set handled_at = now() where handled_at is null
				and session_id in (table others)),
			said as (update outbox set posted_at = now(), ts = '1' where posted_at is null
				and session_id in (table others)),
			rest as (update sessions set open = false where id in (table others)) delete from river_job
				where args->>'session' in (table others)`,
			channels)
		require.NoError(t, err)
	}
	ur.start()
}

func (ur *upgradeRun) unpack(name, to string) {
	r := tar.NewReader(bytes.NewReader(ur.read(name)))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(ur.t, err)
		path := filepath.Join(to, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			require.NoError(ur.t, os.MkdirAll(path, fs.FileMode(h.Mode)|0o700))
			continue
		}
		require.NoError(ur.t, os.MkdirAll(filepath.Dir(path), 0o755))
		text, err := io.ReadAll(r)
		require.NoError(ur.t, err)
		require.NoError(ur.t, os.WriteFile(path, text, fs.FileMode(h.Mode)))
		require.NoError(ur.t, os.Chtimes(path, h.ModTime, h.ModTime))
	}
}

// restore loads the dump and shifts its times, so that the kill was a minute ago: the heartbeat of the dead
// replica is old, and a wait of a day still lasts. The time of an approval stays, since commits are made with
// it. It keeps a copy of the tables in the schema before.
func (ur *upgradeRun) restore() {
	t, ctx := ur.t, ur.t.Context()
	conn, err := pgx.Connect(ctx, ur.url)
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.PgConn().Exec(ctx, string(ur.read("database.sql"))).ReadAll()
	require.NoError(t, err)
	rows, err := conn.Query(ctx,
		`select format('update %I set %s', table_name, string_agg(format('%1$I = %1$I + passed', column_name),
		', ')) from information_schema.columns
		where table_schema = 'public' and data_type = 'timestamp with time zone' and table_name <> 'approvals'
			group by table_name`)
	require.NoError(t, err)
	shifts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	_, err = conn.Exec(ctx, `do $$ declare passed interval := (select now() `+
		`- interval '1 minute' - max(seen_at) from replicas); begin `+strings.Join(shifts, "; ")+`; end $$`)
	require.NoError(t, err)

	rows, err = conn.Query(ctx,
		`select table_name::text, array_agg(column_name::text) from information_schema.columns
		where table_schema = 'public' and table_name not like 'river%' and table_name <> 'replicas'
			group by 1`)
	require.NoError(t, err)
	ur.before = map[string][]string{}
	var table string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&table, &columns}, func() error {
		ur.before[table] = columns
		return nil
	})
	require.NoError(t, err)
	_, err = conn.Exec(ctx, `create schema before`)
	require.NoError(t, err)
	for table := range ur.before {
		_, err = conn.Exec(ctx, fmt.Sprintf(`create table before.%[1]s as table public.%[1]s`, table))
		require.NoError(t, err)
	}
}

// start runs today's program.
func (ur *upgradeRun) start() {
	if ur.scripted == nil {
		ur.scripted = openScriptedModel(ur.t, nil)
	}
	app := ur.slack.App()
	s := server.Settings{
		Target: storage.Target{
			DataDir:     filepath.Join(ur.dir, "data"),
			DatabaseURL: ur.url,
			Progress:    io.Discard,
		},
		SlackSettings: server.SlackSettings{
			SlackToken:    app.BotToken,
			SlackAppToken: app.AppToken,
			SlackURL:      ur.slack.URL(),
		},
		Seams:         server.Seams{SlackPace: 20 * time.Millisecond},
		ModelSettings: server.ModelSettings{ModelURL: ur.scripted.URL},
		Repositories: []repository.Repository{
			{Remote: remote.Remote{Name: "shop", URL: ur.remote}, Base: "main"},
		},
		Sandbox: config.Sandbox{Kind: "none"},
		LimitSettings: server.LimitSettings{
			Seats:    queue.ConcurrencyLimits{AtOnce: len(upgradeCases)},
			Attempts: 2,
		},
	}
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() && ur.wrong == "" {
		log = harness.LogLines(ur.t, ur.version)
	}
	service, err := server.New(ur.t.Context(), s, log)
	require.NoError(ur.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ur.ended = make(chan error, 1)
	go func() {
		ur.ended <- service.Run(ctx)
		close(ur.ended)
	}()
	ur.t.Cleanup(func() {
		stop()
		for range ur.ended {
		}
		service.Close()
	})
	require.NoError(ur.t, ur.slack.WaitConnected(ur.t.Context(), 1))
}

// faults plays the cases to their end, redelivers every event, and returns what was lost or happened twice.
func (ur *upgradeRun) faults() (found []string) {
	all := ur.only
	ctx, cancel := context.WithTimeout(ur.t.Context(), cmp.Or(ur.most, harness.RunTimeout))
	defer cancel()
	flown := make([]error, len(all))
	var group errgroup.Group
	for i, f := range all {
		group.Go(func() error {
			flown[i] = ur.fly(ctx, f, f.after...)
			return nil
		})
	}
	group.Wait()
	for _, err := range flown {
		if err != nil {
			found = append(found, err.Error())
		}
	}
	note := func(err error) {
		if err != nil {
			found = append(found, err.Error())
		}
	}
	note(ur.settle(ctx))
	said := ur.count(
		"select (select count(*) from inbox) + (select count(*) from lines) + (select count(*) " +
			"from transcript)")
	for _, event := range ur.slack.Events() { // Slack sends every earlier event again
		note(ur.slack.Redeliver(event))
	}
	note(ur.settle(ctx))
	if again := ur.count("select (select count(*) from inbox) + (select count(*) from lines) " +
		"+ (select count(*) from transcript)"); again != said {
		found = append(found, fmt.Sprintf("events that came again made %d new rows", again-said))
	}
	for _, f := range all {
		found = append(found, ur.faultsOf(f)...)
	}
	return append(found, ur.lost()...)
}

func (ur *upgradeRun) count(sql string, args ...any) (n int) {
	require.NoError(ur.t, ur.db.QueryRow(ur.t.Context(), sql, args...).Scan(&n))
	return n
}

// settle waits until nothing is left to do or to post. The looks at pushed branches never end.
func (ur *upgradeRun) settle(ctx context.Context) error {
	return errors.Join(ur.slack.WaitSettled(ctx),
		ur.until(ctx, `select not exists (select 1 from inbox where handled_at is null)
		and not exists (select 1 from outbox where posted_at is null and refused is null)
		and not exists (select 1 from river_job
			where kind not in ('due', 'pull_request') and finalized_at is null)`))
}

// faultsOf returns what is wrong with one session.
func (ur *upgradeRun) faultsOf(f upgradeCase) (found []string) {
	note := func(format string, args ...any) {
		found = append(found, f.name+": "+fmt.Sprintf(format, args...))
	}
	var id, phase, branch, head string
	require.NoError(ur.t,
		ur.db.QueryRow(ur.t.Context(), `select id, phase, branch, head from sessions where channel = $1`,
			ur.channels[f.name]).Scan(&id, &phase, &branch, &head))
	if phase != f.ends {
		note("it ended %s, not %s", phase, f.ends)
	}
	stands := map[string]int{}
	for _, m := range ur.slack.Thread(f.name, ur.root(f)) {
		if m.BotID != ur.slack.App().BotID {
			continue
		}
		if m.Metadata != nil {
			stands[string(m.Metadata.EventPayload)]++
		}
		for line := range strings.Lines(m.Text) {
			if strings.HasPrefix(line, "[") && !heads.MatchString(line) &&
				!(ur.doneAgain(f) && strings.HasPrefix(line, "[quick] ")) {
				stands[strings.TrimSpace(line)]++
			}
		}
	}
	for what, n := range stands {
		if n > 1 {
			note("%q stands %d times in the thread", what, n)
		}
	}
	// Each task may say separately that there is nothing to test it with.
	if n := ur.count(
		`select count(*) from (select 1 from lines where session_id = $1 and text not like 'Not shown: %'
		and not ($2 and agent = 'quick')
		group by text having count(*) > 1) x`, id, ur.doneAgain(f)); n > 0 {
		note("%d lines were said twice", n)
	}
	if n := ur.count(`select count(*) from tasks where session_id = $1 and state <> 'done'`,
		id); n > 0 && f.ends == "done" {
		note("%d tasks were not done", n)
	}
	if n := ur.count(`select count(*) from outbox where session_id = $1 and refused is not null`, id); n > 0 {
		note("%d lines were refused", n)
	}
	pushes := ur.count(`select count(*) from pushes where session_id = $1 and state = 'pushed'`, id)
	if want := map[bool]int{true: 1, false: 0}[f.ends == "done"] +
		map[bool]int{true: 1, false: 0}[f.name == "follow"]; pushes != want {
		note("%d pushes are recorded, want %d", pushes, want)
	}
	if n := ur.count(`select count(*) from approvals where session_id = $1`, id); n != pushes {
		note("%d approvals for %d pushes", n, pushes)
	}
	if commits := ur.commits(branch, head); commits != pushes {
		note("%d commits stand on %s in the remote, want %d", commits, branch, pushes)
	}
	return found
}

// heads matches lines that each task may post.
var heads = regexp.MustCompile(`^\[\w+\] (Not shown: .*|Task:)\s*$`)

// doneAgain reports whether a verified task has to be done again, as its files are lost with the other
// machine.
func (ur *upgradeRun) doneAgain(f upgradeCase) bool {
	return f.verified && !ur.files && ur.recorded("sessions.tar")
}

// commits counts the commits of a branch in the remote above main. It returns -1 if the branch is not at
// head.
func (ur *upgradeRun) commits(branch, head string) (n int) {
	if head == "" {
		branches, err := stage.RemoteBranches(ur.remote)
		require.NoError(ur.t, err)
		if _, there := branches[branch]; there {
			return -1
		}
		return 0
	}
	r, err := git.PlainOpen(ur.remote)
	require.NoError(ur.t, err)
	at, err := r.Reference(plumbing.NewBranchReferenceName(branch), true)
	if err != nil || at.Hash().String() != head {
		return -1
	}
	for c, err := r.CommitObject(at.Hash()); ; c, err = c.Parent(0) {
		require.NoError(ur.t, err)
		if c.NumParents() == 0 {
			return n
		}
		n++
	}
}

// changing lists the columns that work may change, by table. All other columns of an old row must stay.
var changing = map[string][]string{
	"sessions": {
		"kind", "phase", "repository", "base_commit", "branch", "head", "revision", "epoch", "seen", "open",
		"stop_asked", "crashes", "spent_usd", "updated_at", "way", "was", "asked", "may_ask",
	},
	"inbox":      {"handled_at", "for_agents", "shown"},
	"outbox":     {"batch", "tried_at", "posted_at", "ts"},
	"tasks":      {"state", "summary", "seen", "failures", "start_tree", "tree"},
	"pushes":     {"state", "reason"},
	"questions":  {"answer", "answered_by"},
	"inquiries":  {"answer", "applied"},
	"workspaces": {"tree", "pack", "at"},
}

// lost returns a line for each table whose old rows are missing or changed.
func (ur *upgradeRun) lost() (found []string) {
	for table, columns := range ur.before {
		kept := slices.DeleteFunc(slices.Clone(columns),
			func(c string) bool { return slices.Contains(changing[table], c) })
		for i, c := range kept {
			kept[i] = pgx.Identifier{c}.Sanitize() + "::text"
		}
		list := strings.Join(kept, ", ")
		if n := ur.count(fmt.Sprintf(
			`select count(*) from (select %[1]s from before.%[2]s except all select %[1]s
				from public.%[2]s) gone`,
			list, table,
		)); n > 0 {
			found = append(found, fmt.Sprintf("%s: %d of the old rows are not there any more", table, n))
		}
	}
	return found
}
