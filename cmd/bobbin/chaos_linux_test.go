package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow/store/cluster/clustertest"
)

// chaos is one run of the whole program under fire: the built binary as replicas on one
// database, killed without a warning while many sessions go from report to push, over a
// Slack that loses acknowledgements and answers and delivers events again.
type chaos struct {
	t        *testing.T
	seed     uint64
	sessions int
	kills    int
	replicas int
	unguard  string // SQL that takes one guard away: the run has to fail then

	dir    string
	remote string
	url    string
	db     *pgxpool.Pool
	slack  *slacktest.Server
	ann    string
	places []place // one channel a session: Slack takes one reply a second in each
	binary string
	model  string

	mu      sync.Mutex
	running []*exec.Cmd
}

type place struct{ channel, root string }

// once is what every thread holds in the end, each once.
var once = []string{"Looking into", "Root cause (revision 1", "Revision 1 approved", "Task:", "Done: The word", "Done. Pushed"}

// TestKilledAnywhere: after every kill the sessions go on from rows alone. Nothing is lost,
// and nothing happens twice. BOBBIN_CHAOS="seed sessions kills" sets a size of one's own.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	c := &chaos{t: t, seed: 1, sessions: 6, kills: 6, replicas: 2}
	if own := os.Getenv("BOBBIN_CHAOS"); own != "" {
		_, err := fmt.Sscan(own, &c.seed, &c.sessions, &c.kills)
		require.NoError(t, err, "BOBBIN_CHAOS is: seed sessions kills")
	}
	c.open()
	c.play()
	require.Empty(t, c.faults(t.Context()))
}

// Each guard has a control: the same run without it is found out.
func TestKillsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, unguard := range map[string]string{
		"one row for each event": `alter table inbox drop constraint inbox_event_id_key; drop index inbox_one_message`,
		"the key that a post is looked up by": `create function forget() returns trigger language plpgsql as $$ begin new.key := old.key || '~'; return new; end $$;
			create trigger forget before update on outbox for each row when (old.batch is null) execute function forget()`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &chaos{t: t, seed: 1, sessions: 4, kills: 4, replicas: 1, unguard: unguard}
			c.open()
			c.play()
			found := c.faults(t.Context())
			t.Logf("without it:\n%s", found)
			require.Regexp(t, `said twice|stands [2-9]|refused`, found, "nothing was noticed to happen twice")
		})
	}
}

func (c *chaos) open() {
	t := c.t
	t.Logf("seed %d: %d sessions, %d replicas, %d kills", c.seed, c.sessions, c.replicas, c.kills)
	dir, err := stageDir("")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	c.dir, c.remote = dir, filepath.Join(dir, "remote.git")
	c.binary, c.model = built(t, dir), reflex(t).URL
	var files []txtar.File
	for n := range c.sessions {
		files = append(files, txtar.File{Name: fmt.Sprintf("bugs/%d.txt", n), Data: fmt.Appendf(nil, "wrong %d\n", n)})
	}
	require.NoError(t, plantRemote(c.remote, files))
	c.url = clustertest.Database(t, migrate)
	c.db, err = pgxpool.New(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(c.db.Close)
	if c.unguard != "" {
		_, err := c.db.Exec(t.Context(), c.unguard)
		require.NoError(t, err)
	}
	c.slack, err = slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { c.slack.Close() })
	c.ann = c.slack.AddUser(slacktest.User{Name: "ann"}).ID
	for n := range c.sessions {
		ch := c.slack.AddChannel(slacktest.Channel{Name: fmt.Sprintf("bugs-%d", n), Members: []string{c.ann, c.slack.App().BotUser}})
		c.places = append(c.places, place{channel: ch.ID})
	}
}

// built is the program itself, as people run it.
func built(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "bobbin")
	out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return name
}

// play runs the sessions and the killing side by side, then waits until all is quiet.
func (c *chaos) play() {
	most := time.Duration(2+c.sessions) * time.Minute
	if c.unguard != "" {
		most = time.Minute // a session that is led astray may never end
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), most)
	defer cancel()
	c.running = make([]*exec.Cmd, c.replicas)
	for n := range c.replicas {
		c.start(n)
	}
	defer c.stop()
	require.NoError(c.t, c.slack.WaitConnected(ctx, c.replicas))
	random := rand.New(rand.NewPCG(c.seed, c.seed))
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.05, LoseAnswer: true})
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.05, Status: 500})
	for n := range c.places {
		c.slack.DropAcks(n % 2)
		root, err := c.slack.Say(c.places[n].channel, c.ann, fmt.Sprintf("%s bug %d", c.slack.Mention(), n), "")
		require.NoError(c.t, err)
		c.places[n].root = root
	}
	approved := make(chan struct{})
	go func() { defer close(approved); c.approve(ctx) }()
	for range c.kills {
		sleep(ctx, time.Duration(300+random.IntN(1500))*time.Millisecond)
		c.kill(random.IntN(c.replicas))
	}
	<-approved
	c.settle(ctx)
	for _, d := range c.slack.Deliveries() { // whatever was delivered before comes again
		if d.EventID != "" && !c.twice() {
			require.NoError(c.t, c.slack.Redeliver(d.EventID))
		}
	}
	c.settle(ctx)
}

// twice: a run without a guard ends as soon as it shows.
func (c *chaos) twice() bool {
	if c.unguard == "" {
		return false
	}
	for _, p := range c.places {
		for _, line := range once {
			if c.posted(p, line) > 1 {
				return true
			}
		}
		if c.posted(p, "already approved") > 0 || c.posted(p, "evision 2") > 0 {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// approve answers each report as soon as it stands in its thread.
func (c *chaos) approve(ctx context.Context) {
	open := map[int]bool{}
	for n := range c.places {
		open[n] = true
	}
	for len(open) > 0 && ctx.Err() == nil && !c.twice() {
		for n := range open {
			p := c.places[n]
			if c.posted(p, "Root cause (revision 1") == 0 {
				continue
			}
			if _, err := c.slack.Say(p.channel, c.ann, "fix it", p.root); err == nil {
				delete(open, n)
			}
		}
		sleep(ctx, 20*time.Millisecond)
	}
}

// posted counts the bot's replies in a thread that hold the text.
func (c *chaos) posted(p place, text string) (n int) {
	for _, m := range c.slack.Thread(p.channel, p.root) {
		if m.BotID == c.slack.App().BotID {
			n += strings.Count(m.Text, text)
		}
	}
	return n
}

// settle waits until no session has anything left to do or to say.
func (c *chaos) settle(ctx context.Context) {
	c.slack.ClearFaults()
	for ctx.Err() == nil && !c.twice() {
		var left int
		err := c.db.QueryRow(ctx, `select (select count(*) from sessions where phase not in ('done', 'failed'))
			+ (select count(*) from inbox where handled_at is null) + (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from river_job where state in ('available', 'running', 'retryable', 'scheduled'))`).Scan(&left)
		c.slack.ExpireAcks() // what a killed replica had in hand is delivered again now
		soon, cancel := context.WithTimeout(ctx, time.Second)
		quiet := c.slack.WaitSettled(soon) == nil
		cancel()
		if err == nil && left == 0 && quiet {
			return
		}
		sleep(ctx, 50*time.Millisecond)
	}
}

func (c *chaos) start(n int) {
	app := c.slack.App()
	cmd := exec.Command(c.binary, "serve", "--config", filepath.Join(c.dir, "bobbin.yaml"))
	config := fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\n", c.remote)
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, "bobbin.yaml"), []byte(config), 0o644))
	cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken, "SLACK_API_URL="+c.slack.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+c.model+"/v1", "DATABASE_URL="+c.url,
		"BOBBIN_DATA_DIR="+filepath.Join(c.dir, "data-"+strconv.Itoa(n)))
	log, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("log-%d", n)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(c.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that is cut off leaves nothing behind
	require.NoError(c.t, cmd.Start())
	c.mu.Lock()
	c.running[n] = cmd
	c.mu.Unlock()
}

// kill takes a replica away between two instructions, and starts another in its place.
func (c *chaos) kill(n int) {
	cmd := c.running[n]
	cmd.Process.Kill()
	cmd.Wait()
	c.start(n)
}

func (c *chaos) stop() {
	for n, cmd := range c.running {
		cmd.Process.Kill()
		cmd.Wait()
		if c.t.Failed() {
			log, _ := os.ReadFile(filepath.Join(c.dir, fmt.Sprintf("log-%d", n)))
			c.t.Logf("replica %d:\n%s", n, log[max(0, len(log)-4000):])
		}
	}
}

// faults is everything that was lost or happened twice, a line each.
func (c *chaos) faults(ctx context.Context) string {
	var found []string
	note := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	branches, err := remoteBranches(c.remote)
	require.NoError(c.t, err)
	if len(branches) != c.sessions+1 {
		note("%d branches stand in the remote, want %d", len(branches), c.sessions+1)
	}
	for what, sql := range map[string]string{
		"sessions that are not done": `select count(*) - %[1]d from sessions where phase = 'done'`,
		"sessions":                   `select count(*) - %[1]d from sessions`,
		"approvals":                  `select count(*) - %[1]d from approvals`,
		"pushes":                     `select count(*) - %[1]d from pushes where state = 'pushed'`,
		"tasks":                      `select count(*) - %[1]d from tasks`,
		"attempts":                   `select count(*) - %[1]d from attempts where held`,
		"lines said twice":           `select count(*) from (select 1 from lines group by session_id, text having count(*) > 1) x`,
		"decisions refused":          `select count(*) from decisions where not allowed`,
	} {
		if strings.Contains(sql, "%") {
			sql = fmt.Sprintf(sql, c.sessions)
		}
		var off int
		require.NoError(c.t, c.db.QueryRow(ctx, sql).Scan(&off), what)
		if off != 0 {
			note("%s: off by %d", what, off)
		}
	}
	for n, p := range c.places {
		for _, line := range once {
			if times := c.posted(p, line); times != 1 {
				note("session %d: %q stands %d times in the thread", n, line, times)
			}
		}
	}
	return strings.Join(found, "\n")
}
