package kills

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// chaos is one run of the whole program under faults: the built binary as replicas on one database, while
// many sessions go from report to push, with a Slack that loses acknowledgements and answers and redelivers
// events, and a scripted model. blows_linux_test.go holds the blows, and check_linux_test.go the checks.
type chaos struct {
	t        *testing.T
	seed     uint64
	sessions int
	atOnce   int // sessions in progress at a time; default 16
	replicas int
	kills    int
	freezes  int
	restarts int    // restarts of Postgres, immediate and without notice
	strikes  []blow // replaces the kills, freezes and restarts, if not nil
	unguard  string // SQL that disables a guard: the run must then show faults
	forget   string // SQL that disables a guard, run at each death of a replica

	pullsStay bool   // nobody closes pull requests at a death with forget
	froze     bool   // replicas froze at points, and woke again
	disabled  string // guard that the program disables by itself (see package failpoint)
	binary    string // path of the program; default: the unchanged program
	hosted    bool   // pull requests are opened for pushed branches, and watched
	commits   bool   // the host makes the commits
	merging   bool   // main moves after the pushes, and is merged into the branches

	dir    string
	remote string
	url    string
	own    *restartable // Postgres of a run that restarts it; otherwise nil
	db     *pgxpool.Pool
	slack  *slacktest.Server
	ann    string
	places []harness.Thread // one channel for each session, as a channel takes one message a second
	host   *hosttest.Server // nil if no pull requests are opened
	config string           // configuration of the repository, in YAML
	model  string           // URL of the model; default: a model for this run
	random *rand.Rand

	mu       sync.Mutex
	running  []*replicaProcess
	orphaned []orphaned
	ended    []string // replicas that ended by themselves
	armed    int      // how often a replica was armed with crash points
}

// size sets how large a run is: small by default, or with BOBBIN_CHAOS="seed share" that seed and share of
// the given numbers, in percent.
func size(t *testing.T, c *chaos) *chaos {
	t.Helper()
	c.t = t
	c.seed = 1
	share := 0
	if own := os.Getenv("BOBBIN_CHAOS"); own != "" {
		_, err := fmt.Sscan(own, &c.seed, &share)
		require.NoError(t, err, "BOBBIN_CHAOS is: seed percent")
		for _, n := range []*int{&c.sessions, &c.kills, &c.freezes, &c.restarts} {
			*n = (*n*share + 99) / 100
		}
	} else {
		c.sessions = 8
		c.kills = 6
		c.freezes = min(c.freezes, 1)
		c.restarts = min(c.restarts, 2)
	}
	return c
}

// TestKilledAnywhere kills a replica over and over. Nothing is lost, and nothing happens twice.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	c := size(t, &chaos{sessions: 400, kills: 200, replicas: 1})
	c.open()
	c.play()
	require.Empty(t, c.faults(t.Context()))
}

// TestReplicasTakeOver kills and freezes two replicas in turn, and restarts their Postgres. A session that
// loses its worker should continue within fifteen seconds; the test logs how long it took.
func TestReplicasTakeOver(t *testing.T) {
	t.Parallel()
	c := size(t, &chaos{sessions: 400, kills: 200, freezes: 10, restarts: 8, replicas: 2})
	c.open()
	c.play()
	require.Empty(t, c.faults(t.Context()))
	c.tellRecovery()
}

// Each guard has a control: without the guard the same run must show a fault.
func TestKillsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, unguard := range map[string]string{
		"one row for each " +
			"event": `alter table inbox drop constraint inbox_event_id_key; drop index inbox_one_message`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &chaos{t: t, seed: 1, sessions: 4, kills: 4, replicas: 1, unguard: unguard}
			c.open()
			c.play()
			found := c.faults(t.Context())
			t.Logf("without it:\n%s", found)
			require.Regexp(t, `said twice: [1-9]|heard twice|stands [2-9]|refused: [1-9]`, found,
				"nothing was noticed to happen twice")
		})
	}
}

func (c *chaos) open() {
	t := c.t
	t.Logf("seed %d: %d sessions, %d replicas, %d kills, %d freezes, %d restarts of Postgres", c.seed,
		c.sessions, c.replicas, c.kills, c.freezes, c.restarts)
	c.random = rand.New(rand.NewPCG(c.seed, c.seed))
	dir := harness.Dir(t)
	c.dir = dir
	c.remote = filepath.Join(dir, "remote.git")
	if c.binary == "" {
		c.binary = harness.Program(t)
	}
	if c.model == "" {
		c.model = chatmodel.Serve(t, chatmodel.FixNumberedBug).URL
	}
	if files := chatmodel.NumberedBugs(c.sessions); c.hosted {
		c.openHost(files)
	} else {
		require.NoError(t, stage.PlantRemote(c.remote, files))
		c.config = fmt.Sprintf("url: %q", c.remote)
	}
	c.openDatabase()
	c.openSlack()
}

func (c *chaos) openDatabase() {
	t := c.t
	if c.restarts > 0 {
		c.own = startPostgres(t)
		c.url = c.own.url
		require.NoError(t, storetest.Migrate(t.Context(), c.url))
	} else {
		c.url = harness.Database(t)
	}
	var err error
	c.db, err = pgxpool.New(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(c.db.Close)
	if c.unguard != "" {
		_, err := c.db.Exec(t.Context(), c.unguard)
		require.NoError(t, err)
	}
}

func (c *chaos) openSlack() {
	t := c.t
	var err error
	c.slack, err = slacktest.Listen(slacktest.Config{
		AppName: "bobbin", TeamName: "Acme", Log: slog.New(slog.DiscardHandler),
		// Slack waits three seconds for an acknowledgement, and tries again at once, after a minute and after
		// five; a run is shorter than that. Slack would also close the connection of a frozen program; here
		// the connection stays open and receives half of the deliveries.
		AckTimeout: time.Second,
		// A press is sent once. If Slack gave up after that second, a test on a slow machine would look for
		// the effect of a press before the program has stored it.
		OnceTimeout: harness.StepTimeout,
		Retries: append([]time.Duration{0, time.Second},
			slices.Repeat([]time.Duration{5 * time.Second}, 20)...),
	})
	require.NoError(t, err)
	t.Cleanup(func() { c.slack.Close() })
	c.ann = c.slack.AddUser(slacktest.User{Name: "ann"}).ID
	for n := range c.sessions {
		ch := c.slack.AddChannel(slacktest.Channel{
			Name:    fmt.Sprintf("bugs-%d", n),
			Members: []string{c.ann, c.slack.App().BotUser},
		})
		c.places = append(c.places, harness.Thread{Channel: ch.ID})
	}
}

// play runs the sessions and the blows at the same time, waits until everything is settled, and then
// redelivers every event.
func (c *chaos) play() {
	most := harness.RunTimeout + time.Duration(c.sessions)*2*time.Second // there may be hundreds of sessions
	if c.unguarded() {
		most = 2 * harness.StepTimeout // a session without a guard may never end
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), most)
	defer cancel()
	c.running = make([]*replicaProcess, c.replicas)
	for n := range c.replicas {
		c.running[n] = &replicaProcess{number: n, data: "data-" + strconv.Itoa(n)}
		c.start(c.running[n])
	}
	defer c.stop()
	require.NoError(c.t, c.slack.WaitConnected(ctx, config.DefaultConnections*c.replicas))
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.05, LoseAnswer: true})
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.05, Status: 500})
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.05, Status: 429})

	var all sync.WaitGroup
	all.Go(func() { c.talk(ctx) })
	c.strike(ctx, &all)
	all.Wait()
	c.settle(ctx)
	for _, d := range c.slack.Deliveries() { // every event comes again
		if d.EventID != "" && !c.duplicateSeen() {
			require.NoError(c.t, c.slack.Redeliver(d.EventID))
		}
	}
	c.settle(ctx)
}

// talk reports bugs, up to atOnce at a time, and approves each report.
func (c *chaos) talk(ctx context.Context) {
	atOnce := c.atOnce
	if atOnce == 0 {
		atOnce = 16
	}
	next := 0
	open := map[int]bool{}
	answered := map[int]bool{}
	for (next < c.sessions || len(open) > 0) && ctx.Err() == nil && !c.duplicateSeen() {
		for next < c.sessions && len(open) < atOnce {
			c.slack.DropAcks(next % 2)
			root, err := c.slack.Say(c.places[next].Channel, c.ann,
				fmt.Sprintf("%s bug %d", c.slack.Mention(), next), "")
			require.NoError(c.t, err)
			c.mu.Lock()
			c.places[next].Root = root
			c.mu.Unlock()
			open[next] = true
			next++
		}
		changed := c.slack.Changed()
		for n := range open {
			p := c.places[n]
			switch {
			case !answered[n] && c.posted(p, "· revision 1") > 0:
				_, err := c.slack.Say(p.Channel, c.ann, "fix it", p.Root)
				answered[n] = err == nil
			case answered[n] && c.posted(p, "and pushed:") > 0:
				delete(open, n)
			}
		}
		harness.Change(ctx, changed)
	}
	if c.hosted {
		c.useHost(ctx)
	}
	if c.merging {
		c.mergeMain(ctx)
	}
}

// posted counts how often the text occurs in the bot's messages in a thread.
func (c *chaos) posted(p harness.Thread, text string) (n int) {
	if p.Root == "" {
		return 0
	}
	for _, m := range c.slack.Thread(p.Channel, p.Root) {
		if m.BotID == c.slack.App().BotID {
			n += strings.Count(m.Text, text)
		}
	}
	return n
}

// settle clears Slack's faults and waits until no session has anything left to do or to post.
func (c *chaos) settle(ctx context.Context) {
	c.slack.ClearFaults()
	for ctx.Err() == nil && !c.duplicateSeen() {
		var left int
		err := c.db.QueryRow(ctx,
			`select (select count(*) from sessions where phase not in ('done', 'failed'))
			+ (select count(*) from inbox where handled_at is null) + (select count(*) from outbox
				where posted_at is null and refused is null)
			+ (select count(*) from river_job where `+isToDo+`)`).Scan(&left)
		soon, cancel := context.WithTimeout(ctx, time.Second)
		quiet := c.slack.WaitSettled(soon) == nil
		cancel()
		if err == nil && left == 0 && quiet {
			return
		}
		harness.Sleep(ctx, 50*time.Millisecond)
	}
}

// isToDo is a condition on jobs that are not done yet. A pull request that is closed is looked at for two
// more weeks, since somebody may reopen it, and these looks never end in a run.
const isToDo = `state in ('available', 'running', 'retryable', 'scheduled') and (kind <> 'pull_request' or exists (select 1
	from pull_requests r where r.session_id = args->>'session' and r.state in ('intended', 'open')))`

// unsettled describes what settle still waits for.
func (c *chaos) unsettled() string {
	var left string
	err := c.db.QueryRow(context.Background(),
		`select coalesce(string_agg(what, e'\n'), 'Slack: not every event is acknowledged') from (
		select format('session %s: %s', id, phase) as what from sessions where phase not in ('done', 'failed')
		union all select format('inbox %s: %s %s', id, kind, text) from inbox where handled_at is null
		union all select format('outbox %s: tried %s, rewrites %s', key, tried_at, rewrites) from outbox
			where posted_at is null and refused is null
		union all select format('job %s: %s %s, attempt %s, errors %s', id, kind, state, attempt, errors)
			from river_job where `+
			isToDo+`) x`).Scan(&left)
	if err != nil {
		return err.Error()
	}
	return left
}

// A replicaProcess is one replica: a data folder, in which one process runs after another.
type replicaProcess struct {
	number int
	data   string // folder below the run's folder
	env    []string
	at     string // file that names the crash point at which the process stopped
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the replica has ended and is not restarted
	struck bool          // the replica must not be restarted
	frozen bool
}

// start runs the program until it is killed or ends. It restarts a program that ended because it found no
// Postgres.
func (c *chaos) start(r *replicaProcess) {
	c.mu.Lock()
	r.struck = false
	r.ended = make(chan struct{})
	c.mu.Unlock()
	cmd := c.run(r)
	ended := r.ended
	go func() {
		defer close(ended)
		for cmd != nil {
			cmd.Wait()
			if cmd.ProcessState.ExitCode() != 1 || !c.foundNoPostgres(r) {
				return
			}
			// RestartSec of systemd, whose part the test plays: no assertion waits for it
			time.Sleep(100 * time.Millisecond)
			cmd = c.run(r)
		}
	}()
}

// run starts one process of the replica. It returns nil if the replica was struck.
func (c *chaos) run(r *replicaProcess) *exec.Cmd {
	app := c.slack.App()
	cmd := exec.Command(c.binary, "serve", "--config", filepath.Join(c.dir, "bobbin.yaml"))
	config := fmt.Sprintf("repositories: [{name: shop, %s, base: main}]\nsandbox: {kind: none}\n"+
		"limits: {sessions_at_once: 64}\n", c.config)
	assert.NoError(c.t, os.WriteFile(filepath.Join(c.dir, "bobbin.yaml"), []byte(config), 0o644))
	cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken,
		"SLACK_API_URL="+c.slack.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+c.model+"/v1", "DATABASE_URL="+c.url,
		"BOBBIN_DATA_DIR="+filepath.Join(c.dir, r.data))
	cmd.Env = append(cmd.Env, withWaits(), failpoint.DisabledVar+"="+c.disabled)
	cmd.Env = append(cmd.Env, r.env...)
	if c.hosted {
		cmd.Env = append(cmd.Env, "BOBBIN_GIT_TOKEN="+githost.Password)
	}
	log, err := os.OpenFile(c.log(r), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if !assert.NoError(c.t, err) {
		return nil
	}
	defer log.Close()
	cmd.Stdout = log
	cmd.Stderr = log
	// an aborted test leaves no process behind
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.struck || !assert.NoError(c.t, cmd.Start()) {
		return nil
	}
	r.cmd = cmd
	return cmd
}

// takeAway kills the replica's process and waits until it is gone.
func (c *chaos) takeAway(r *replicaProcess) {
	c.mu.Lock()
	r.struck = true
	r.cmd.Process.Kill()
	c.mu.Unlock()
	<-r.ended
}

// foundNoPostgres reports whether the program's last log line says that no Postgres answers, as when Postgres
// was being restarted.
func (c *chaos) foundNoPostgres(r *replicaProcess) bool {
	said, err := os.ReadFile(c.log(r))
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return err == nil && strings.HasPrefix(lines[len(lines)-1], "bobbin: no Postgres answers at ")
}

func (c *chaos) log(r *replicaProcess) string {
	return filepath.Join(c.dir, fmt.Sprintf("log-%d", r.number))
}

func (c *chaos) stop() {
	for _, r := range c.running {
		cmd, ended := c.process(r)
		if cmd == nil { // the test ended before the replica was started
			continue
		}
		if harness.IsClosed(ended) { // explains effects that are missing
			c.ended = append(c.ended,
				fmt.Sprintf("replica %d ended by itself: %s", r.number, cmd.ProcessState))
		}
		c.takeAway(r)
	}
	if c.t.Failed() {
		c.tell()
	}
}

// tell logs the end of each replica's log.
func (c *chaos) tell() {
	for _, r := range c.running {
		log, _ := os.ReadFile(c.log(r))
		c.t.Logf("replica %d:\n%s", r.number, log[max(0, len(log)-4000):])
	}
}
