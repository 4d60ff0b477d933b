package kills

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// strike lets loose what the run asks for. Blows are spread over the sessions: the next
// one waits until as many are done as are its share.
func (c *chaos) strike(ctx context.Context, all *sync.WaitGroup) {
	for _, b := range c.blows() {
		var waits, victims []int // drawn in one place, so that a seed means one run
		for range b.times {
			waits = append(waits, 300+c.random.IntN(1500))
			victims = append(victims, c.random.IntN(c.replicas))
		}
		all.Go(func() {
			for i := range b.times {
				harness.Sleep(ctx, time.Duration(waits[i])*time.Millisecond)
				for ctx.Err() == nil && !c.twice() && c.done(ctx) < i*c.sessions/b.times-c.sessions/4 {
					harness.Sleep(ctx, 100*time.Millisecond)
				}
				if ctx.Err() != nil || c.twice() {
					return
				}
				b.do(ctx, victims[i])
			}
		})
	}
}

// A blow is one kind of thing that strikes, some times in a run.
type blow struct {
	name  string
	times int
	do    func(ctx context.Context, replica int)
}

func (c *chaos) blows() []blow {
	if c.strikes != nil {
		return c.strikes
	}
	return []blow{
		{"kill", c.kills, c.kill}, {"freeze", c.freezes, c.freeze}, {"restart", c.restarts, c.restartPostgres}, {"disconnect", c.kills / 4, c.disconnect},
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
		harness.Sleep(ctx, 100*time.Millisecond)
	}
	c.noteOrphans(ctx, c.name(r))
	c.takeAway(r)
	c.start(r)
}

// process is what runs there by now, and what is closed when it has ended.
func (c *chaos) process(r *replicaProcess) (*exec.Cmd, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.cmd, r.ended
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
	cmd, _ := c.process(r)
	c.noteOrphans(ctx, c.name(r))
	if cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return
	}
	harness.Sleep(ctx, 15*time.Second)
	cmd.Process.Signal(syscall.SIGCONT)
	// A kill that waited for its turn would always hit the one moment that is not promised:
	// between a late request of a replica that wakes and its taking that back. Its next beats
	// show that it is past it.
	before := c.beats(ctx, r)
	for awake, cancel := context.WithTimeout(ctx, harness.Patience); ; harness.Sleep(awake, 50*time.Millisecond) {
		if awake.Err() != nil || c.beats(awake, r) >= before+2*time.Second {
			cancel()
			return
		}
	}
}

// disconnect ends the links to Slack, as it does every few hours.
func (c *chaos) disconnect(context.Context, int) { c.slack.Disconnect("refresh_requested") }

func (c *chaos) restartPostgres(ctx context.Context, n int) {
	require.NoError(c.t, c.own.restart(ctx, time.Duration(n)*time.Second))
}
