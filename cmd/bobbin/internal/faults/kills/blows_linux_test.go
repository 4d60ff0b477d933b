package kills

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
)

// strike starts the run's blows in the background. Each kind is spread over the run: a blow waits until
// nearly its share of the sessions is done.
func (c *chaos) strike(ctx context.Context, all *sync.WaitGroup) {
	for _, b := range c.blows() {
		var waits, victims []int // drawn here and in order, so that a seed always means the same run
		for range b.times {
			waits = append(waits, 300+c.random.IntN(1500))
			victims = append(victims, c.random.IntN(c.replicas))
		}
		all.Go(func() {
			for i := range b.times {
				harness.Sleep(ctx, time.Duration(waits[i])*time.Millisecond)
				for ctx.Err() == nil && !c.duplicateSeen() &&
					c.done(ctx) < i*c.sessions/b.times-c.sessions/4 {
					harness.Sleep(ctx, 100*time.Millisecond)
				}
				if ctx.Err() != nil || c.duplicateSeen() {
					return
				}
				b.do(ctx, victims[i])
			}
		})
	}
}

// A blow is one kind of disturbance, which happens some times in a run.
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
		{"kill", c.kills, c.kill},
		{"freeze", c.freezes, c.freeze},
		{"restart", c.restarts, c.restartPostgres},
		{"disconnect", c.kills / 4, c.disconnect},
	}
}

// done returns how many sessions have finished.
func (c *chaos) done(ctx context.Context) (n int) {
	// 0 while Postgres is unavailable
	_ = c.db.QueryRow(ctx, `select count(*) from sessions where phase = 'done'`).Scan(&n)
	return n
}

// name returns the replica's name in the queue.
func (c *chaos) name(r *replicaProcess) string {
	name, _ := storage.ReplicaName(filepath.Join(c.dir, r.data)) // none before its first start
	return name
}

// kill kills a replica with SIGKILL at a random instruction, and starts it again.
func (c *chaos) kill(ctx context.Context, n int) {
	r := c.running[n]
	for c.isFrozen(r) && ctx.Err() == nil {
		harness.Sleep(ctx, 100*time.Millisecond)
	}
	c.noteOrphans(ctx, c.name(r))
	c.takeAway(r)
	c.start(r)
}

// process returns the replica's current process, and the channel that is closed when it has ended.
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

// freeze stops a replica with SIGSTOP for 15 seconds, longer than it takes the others to consider it dead,
// and wakes it.
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
	// freeze returns only after the replica's heartbeats continue. Otherwise a kill that waits for the end of
	// the freeze would always hit the one moment for which nothing is promised: after a waking replica has
	// sent a late request, and before it has taken the request back.
	before := c.beats(ctx, r)
	for awake, cancel := context.WithTimeout(ctx,
		harness.StepTimeout); ; harness.Sleep(awake, 50*time.Millisecond) {
		if awake.Err() != nil || c.beats(awake, r) >= before+2*time.Second {
			cancel()
			return
		}
	}
}

// disconnect ends the connections to Slack, as Slack does every few hours.
func (c *chaos) disconnect(context.Context, int) { c.slack.Disconnect("refresh_requested") }

func (c *chaos) restartPostgres(ctx context.Context, n int) {
	require.NoError(c.t, c.own.restart(ctx, time.Duration(n)*time.Second))
}
