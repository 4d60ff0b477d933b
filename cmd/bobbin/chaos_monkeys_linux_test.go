package main

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/cluster"
)

// strike lets loose what the run asks for. Blows are spread over the sessions: the next
// one waits until as many are done as are its share.
func (c *chaos) strike(ctx context.Context, all *sync.WaitGroup) {
	type blow struct {
		name  string
		times int
		do    func(context.Context, int)
	}
	for _, b := range []blow{
		{"kill", c.kills, c.kill}, {"freeze", c.freezes, c.freeze}, {"restart", c.restarts, c.restartPostgres}, {"disconnect", c.kills / 4, c.disconnect},
	} {
		var waits, victims []int // drawn in one place, so that a seed means one run
		for range b.times {
			waits = append(waits, 200+c.random.IntN(1000))
			victims = append(victims, c.random.IntN(c.replicas))
		}
		all.Go(func() {
			for i := range b.times {
				sleep(ctx, time.Duration(waits[i])*time.Millisecond)
				for ctx.Err() == nil && !c.twice() && c.done(ctx) < i*c.sessions/b.times-c.sessions/4 {
					sleep(ctx, 100*time.Millisecond)
				}
				if ctx.Err() != nil || c.twice() {
					return
				}
				b.do(ctx, victims[i])
			}
		})
	}
}

// done is how many sessions have come to their end.
func (c *chaos) done(ctx context.Context) (n int) {
	_ = c.db.QueryRow(ctx, `select count(*) from sessions where phase = 'done'`).Scan(&n) // 0 while Postgres is away
	return n
}

// name is what a replica is called in the queue.
func (c *chaos) name(r *replicaProcess) string {
	host, _ := os.Hostname()
	token, _ := os.ReadFile(filepath.Join(c.dir, r.data, "replica"))
	return host + "-" + strings.TrimSpace(string(token))
}

// kill takes a replica away between two instructions, and starts another in its place.
func (c *chaos) kill(ctx context.Context, n int) {
	r := c.running[n]
	for c.isFrozen(r) && ctx.Err() == nil {
		sleep(ctx, 100*time.Millisecond)
	}
	c.noteOrphans(ctx, c.name(r))
	r.cmd.Process.Kill()
	<-r.ended
	c.start(r)
}

func (c *chaos) isFrozen(r *replicaProcess) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.frozen
}

func (c *chaos) setFrozen(r *replicaProcess, frozen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.frozen = frozen
}

// freeze stops a replica in the middle of whatever it does, for longer than it takes to
// be given up for dead, and wakes it.
func (c *chaos) freeze(ctx context.Context, n int) {
	r := c.running[n]
	c.setFrozen(r, true)
	defer c.setFrozen(r, false)
	cmd := r.cmd
	c.noteOrphans(ctx, c.name(r))
	if cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return
	}
	sleep(ctx, 15*time.Second)
	cmd.Process.Signal(syscall.SIGCONT)
}

// disconnect ends the links to Slack, as it does every few hours.
func (c *chaos) disconnect(context.Context, int) { c.slack.Disconnect("refresh_requested") }

// A postgres is a server of one test's own, which can be restarted under its clients.
type postgres struct {
	dir, url string
	server   *cluster.Cluster
}

// startPostgres starts one. Its clients reach it at one address whatever becomes of it.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	dir, err := stageDir("")
	require.NoError(t, err)
	p := &postgres{dir: dir}
	t.Cleanup(func() { p.server.Stop(); os.RemoveAll(dir) })
	require.NoError(t, p.start(t.Context()))
	return p
}

func (p *postgres) start(ctx context.Context) (err error) {
	// It has to keep its word through an immediate shutdown, so it is a durable one.
	if p.server, err = cluster.Start(ctx, cluster.Config{Dir: filepath.Join(p.dir, "cluster"), Durable: true}); err != nil {
		return err
	}
	u, err := url.Parse(p.server.URL())
	if err != nil {
		return err
	}
	q := u.Query()
	link := filepath.Join(p.dir, "socket")
	os.Remove(link)
	if err := os.Symlink(q.Get("host"), link); err != nil {
		return err
	}
	q.Set("host", link)
	u.RawQuery = q.Encode()
	p.url = u.String()
	return nil
}

// restart ends the server at once, without a word to its clients, and starts it again.
func (p *postgres) restart(ctx context.Context, away time.Duration) error {
	pidFile, err := filepath.Glob(filepath.Join(p.dir, "cluster", "*", "postmaster.pid"))
	if err == nil && len(pidFile) == 1 {
		var text []byte
		if text, err = os.ReadFile(pidFile[0]); err == nil {
			line, _, _ := strings.Cut(string(text), "\n")
			var pid int
			if pid, err = strconv.Atoi(line); err == nil {
				err = syscall.Kill(pid, syscall.SIGQUIT)
			}
		}
	}
	if err != nil {
		return err
	}
	p.server.Stop()
	sleep(ctx, away)
	return p.start(context.WithoutCancel(ctx))
}

func (c *chaos) restartPostgres(ctx context.Context, n int) {
	require.NoError(c.t, c.own.restart(ctx, time.Duration(n)*time.Second))
}
