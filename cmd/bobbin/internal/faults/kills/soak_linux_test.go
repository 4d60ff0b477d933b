package kills

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/disk"
)

// A soak makes one replica of the built binary work through many sessions, from report to push, and samples
// its resources whenever everything is settled.
type soak struct {
	t        *testing.T
	sessions int
	keep     string // section keep of the configuration
	cleans   bool   // the configuration makes housekeeping delete everything

	dir, remote, data string
	db                *pgxpool.Pool
	slack             *slacktest.Server
	ann               string
	channels          []string
	said              int    // sessions begun so far
	first             string // root of the first thread
	cmd               *exec.Cmd
	health            string
}

// soakFiles is the number of files in the repository, and so of different bugs.
const soakFiles = 10

// soakChannels is the number of channels; each takes one message a second.
const soakChannels = 24

// keepSeconds makes housekeeping delete everything within seconds, except sessions that wait for a person.
const keepSeconds = "keep: {sessions_days: 0.00003, decisions_days: 0.00004, files_days: 0.00002, " +
	"cache_gb: 0.00001}\n"

// keepEver turns housekeeping off.
const keepEver = "keep: {sessions_days: 36500, waiting_days: 36500, decisions_days: 36500, files_days: " +
	"36500, files_gb: 1000000, cache_gb: 1000000, mirrors_days: 36500}\n"

// TestASoakIsFlat shows that the program's resources do not grow with the number of sessions, and that a
// mention in a thread whose session was deleted begins a new session. BOBBIN_SOAK sets the number of
// sessions.
func TestASoakIsFlat(t *testing.T) {
	t.Parallel()
	s := &soak{t: t, sessions: 9, keep: keepSeconds, cleans: true}
	if own := os.Getenv("BOBBIN_SOAK"); own != "" {
		var err error
		s.sessions, err = strconv.Atoi(own)
		require.NoError(t, err, "BOBBIN_SOAK is how many sessions there are")
	}
	samples := s.run(s.again)
	require.Empty(t, growth(samples[1], samples[2]))
	require.Less(t, samples[2].rss, 300.0, "MB")
}

// The control: with housekeeping off, the same run is found to grow.
func TestASoakWithoutHousekeepingGrows(t *testing.T) {
	t.Parallel()
	if !harness.Every() {
		// It plays as many sessions as the soak whose control it is, and what it counts changes seldom.
		t.Skip("BOBBIN_EVERY plays the control of the soak")
	}
	s := &soak{t: t, sessions: 9, keep: keepEver}
	samples := s.run(func(context.Context) {})
	found := strings.Join(growth(samples[1], samples[2]), "\n")
	t.Logf("without it:\n%s", found)
	for _, what := range []string{
		"rows of sessions", "rows of transcript", "rows of workspaces", "rows of lines", "rows of river_job",
		"KB of sessions' folders",
	} {
		require.Contains(t, found, what)
	}
}

// A sample holds the program's use of resources at one moment.
type sample struct {
	sessions   int
	rss        float64 // MB
	goroutines int
	files      int // open descriptors except packs and sockets
	sockets    int // most are connections to the database, of which a pool opens more while it is busy
	packs      int // open packs of the mirror
	rows       map[string]int
	disk       map[string]int64 // KB, by part of the data directory
}

// growth returns what a later sample has more of than an earlier one, beyond 5 % and a small margin for each
// resource.
func growth(before, after sample) (found []string) {
	compare := func(what string, was, is, slack float64) {
		if is > was*1.05+slack {
			found = append(found, fmt.Sprintf("%s: %.0f, then %.0f", what, was, is))
		}
	}
	compare("goroutines", float64(before.goroutines), float64(after.goroutines), 3)
	compare("descriptors", float64(before.files), float64(after.files), 3)
	compare("sockets", 0, float64(after.sockets), 40)  // more than the pools may open
	compare("packs open", 0, float64(after.packs), 72) // packs that wait to be merged, and merged ones
	compare("MB of memory", before.rss, after.rss, 20) // depends on when the garbage collector ran
	for _, table := range slices.Sorted(maps.Keys(after.rows)) {
		compare("rows of "+table, float64(before.rows[table]), float64(after.rows[table]), 2)
	}
	for _, part := range slices.Sorted(maps.Keys(after.disk)) {
		room := 64.0
		if part == "mirrors" { // the mirror holds the remote's branches: one for each session
			room = 16 * float64(after.sessions-before.sessions)
		}
		compare("KB of "+part, float64(before.disk[part]), float64(after.disk[part]), room)
	}
	return found
}

// run works through the sessions in three parts, takes a sample after each, and then calls then.
func (s *soak) run(then func(context.Context)) []sample {
	s.open()
	ctx, cancel := context.WithTimeout(s.t.Context(),
		harness.RunTimeout+time.Duration(s.sessions)*5*time.Second)
	defer cancel()
	s.start(ctx)
	defer s.stop()
	var samples []sample
	for range 3 {
		s.work(ctx, s.sessions/3)
		x := s.sample(ctx)
		s.t.Logf("after %d sessions: %.0f MB, %d goroutines, %d descriptors, %d sockets and %d packs, "+
			"%d rows, disk %v", x.sessions, x.rss, x.goroutines, x.files, x.sockets, x.packs, sum(x.rows),
			x.disk)
		samples = append(samples, x)
	}
	then(ctx)
	return samples
}

// again mentions the bot in the first thread, whose session was deleted, and waits for a new report.
func (s *soak) again(ctx context.Context) {
	_, err := s.slack.Say(s.channels[0], s.ann, s.slack.Mention()+" bug 0 again", s.first)
	require.NoError(s.t, err)
	s.await(ctx, "a report in the old thread",
		func() bool { return strings.Count(s.thread(s.channels[0], s.first), "· revision 1") == 2 })
	require.Equal(s.t, 1,
		s.number(ctx, `select count(*) from sessions where phase = 'reported' and title like '%again'`))
}

func sum(rows map[string]int) (n int) {
	for _, of := range rows {
		n += of
	}
	return n
}

func (s *soak) open() {
	t := s.t
	var err error
	s.dir = harness.Dir(t)
	s.remote = filepath.Join(s.dir, "remote.git")
	s.data = filepath.Join(s.dir, "data")
	require.NoError(t, stage.PlantRemote(s.remote, chatmodel.NumberedBugs(soakFiles)))
	// A mention that is delivered again after housekeeping has deleted its session would begin another one,
	// so Slack waits for a busy machine.
	s.slack, err = slacktest.Listen(slacktest.Config{
		AppName:    "bobbin",
		TeamName:   "Acme",
		Log:        slog.New(slog.DiscardHandler),
		AckTimeout: time.Minute,
	})
	require.NoError(t, err)
	t.Cleanup(func() { s.slack.Close() })
	s.ann = s.slack.AddUser(slacktest.User{Name: "ann"}).ID
	for n := range soakChannels {
		members := []string{s.ann, s.slack.App().BotUser}
		s.channels = append(s.channels,
			s.slack.AddChannel(slacktest.Channel{Name: fmt.Sprint("bugs-", n), Members: members}).ID)
	}
}

var healthAt = regexp.MustCompile(`health is at (http://\S+)`)

func (s *soak) start(ctx context.Context) {
	t := s.t
	app := s.slack.App()
	url := harness.Database(t)
	var err error
	s.db, err = pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(s.db.Close)
	config := filepath.Join(s.dir, "bobbin.yaml")
	text := fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\n"+
		"http: {addr: 127.0.0.1:0}\n%s", s.remote, s.keep)
	require.NoError(t, os.WriteFile(config, []byte(text), 0o644))
	log, err := os.Create(filepath.Join(s.dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	s.cmd = exec.Command(harness.Program(t), "serve", "--config", config)
	// GOGC: the tests may run with a larger one, with which less of the memory is flat.
	s.cmd.Env = append(os.Environ(), "GOGC=100", "SLACK_BOT_TOKEN="+app.BotToken,
		"SLACK_APP_TOKEN="+app.AppToken, "SLACK_API_URL="+s.slack.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+chatmodel.Serve(t, chatmodel.FixNumberedBug).URL+"/v1",
		"DATABASE_URL="+url, "BOBBIN_DATA_DIR="+s.data)
	s.cmd.Stdout = log
	s.cmd.Stderr = log
	// an aborted test leaves no process behind
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, s.cmd.Start())
	s.await(ctx, "health", func() bool {
		said, _ := os.ReadFile(log.Name())
		if m := healthAt.FindSubmatch(said); m != nil {
			s.health = string(m[1])
		}
		return s.health != ""
	})
	require.NoError(t, s.slack.WaitConnected(ctx, 1))
}

func (s *soak) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	if s.t.Failed() {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		s.t.Logf("the program:\n%s", log[max(0, len(log)-4000):])
	}
}

// await polls until so returns true, and fails when ctx ends.
func (s *soak) await(ctx context.Context, what string, so func() bool) {
	for !so() {
		harness.Sleep(ctx, 20*time.Millisecond)
		require.NoError(s.t, ctx.Err(), "waited in vain for %s", what)
	}
}

// work takes sessions from report to push, several at a time, and waits until everything is done, and deleted
// if housekeeping is on.
func (s *soak) work(ctx context.Context, sessions int) {
	type thread struct {
		channel, root string
		fixed         bool
	}
	open := map[int]*thread{}
	for begun := 0; begun < sessions || len(open) > 0; {
		for ; begun < sessions && len(open) < soakChannels/2; begun++ {
			c := s.channels[s.said%soakChannels]
			root, err := s.slack.Say(c, s.ann,
				fmt.Sprintf("%s bug %d", s.slack.Mention(), s.said%soakFiles), "")
			require.NoError(s.t, err)
			open[s.said] = &thread{channel: c, root: root}
			if s.said == 0 {
				s.first = root
			}
			s.said++
		}
		changed := s.slack.Changed()
		for n, k := range open {
			said := s.thread(k.channel, k.root)
			if !k.fixed && strings.Contains(said, "· revision 1") {
				_, err := s.slack.Say(k.channel, s.ann, "fix it", k.root)
				require.NoError(s.t, err)
				k.fixed = true
			}
			if strings.Contains(said, "and pushed:") {
				delete(open, n)
			}
		}
		harness.Change(ctx, changed)
		require.NoError(s.t, ctx.Err(), "%d sessions were not done in time", len(open))
	}
	s.await(ctx, "quiet", func() bool { return s.number(ctx, soakQuiet) == 0 })
	if s.cleans {
		s.await(ctx, "everything to be cleaned",
			func() bool { return s.number(ctx, soakCleaned) == 0 && len(s.folders()) == 0 })
	}
}

const (
	soakQuiet = `select (select count(*) from sessions where phase <> 'done') + (select count(*) from inbox
		where handled_at is null)
		+ (select count(*) from outbox where posted_at is null and refused is null) + (select count(*)
			from river_job where finalized_at is null)`
	soakCleaned = `select (select count(*) from sessions) + (select count(*) from river_job)`
)

func (s *soak) number(ctx context.Context, sql string) (n int) {
	require.NoError(s.t, s.db.QueryRow(ctx, sql).Scan(&n))
	return n
}

func (s *soak) folders() []string {
	found, err := filepath.Glob(filepath.Join(s.data, "sessions", "*"))
	require.NoError(s.t, err)
	return found
}

// thread returns the bot's messages in a thread.
func (s *soak) thread(channel, root string) string {
	var all []string
	for _, m := range s.slack.Thread(channel, root) {
		if m.BotID == s.slack.App().BotID {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

func (s *soak) sample(ctx context.Context) sample {
	t := s.t
	x := sample{sessions: s.said, rows: map[string]int{}, disk: map[string]int64{}}
	proc := fmt.Sprintf("/proc/%d", s.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "/status")
	require.NoError(t, err)
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, m)
	kb, _ := strconv.Atoi(string(m[1]))
	x.rss = float64(kb) / 1000
	open, err := os.ReadDir(proc + "/fd")
	require.NoError(t, err)
	for _, fd := range open {
		switch to, _ := os.Readlink(proc + "/fd/" + fd.Name()); {
		case strings.Contains(to, ".pack"):
			x.packs++
		case strings.HasPrefix(to, "socket:"):
			x.sockets++
		default:
			x.files++
		}
	}
	answer, err := http.Get(s.health)
	require.NoError(t, err)
	defer answer.Body.Close()
	var h health.Health
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&h))
	x.goroutines = h.Counts.Goroutines

	rows, err := s.db.Query(ctx,
		`select relname, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname),
		false, true, '')))[1]::text::int
		from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
	require.NoError(t, err)
	for rows.Next() {
		var table string
		var n int
		require.NoError(t, rows.Scan(&table, &n))
		x.rows[table] = n
	}
	require.NoError(t, rows.Err())
	for part, name := range map[string]string{
		"sessions' folders": "sessions",
		"caches":            "cache",
		"mirrors":           "mirrors",
		"everything else":   "",
	} {
		x.disk[part] = disk.DiskUse(filepath.Join(s.data, name)) / 1000
	}
	x.disk["everything else"] -= x.disk["sessions' folders"] + x.disk["caches"] + x.disk["mirrors"]
	return x
}
