package kills

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// skewVariable is the environment variable with the name of a file that holds by how many seconds a program's
// clock is wrong.
const skewVariable = "BOBBIN_CLOCK_SKEW"

// skewed is a file that is added to the package time of a program under test. It maps the file into memory,
// so that the clock jumps as soon as the file is written.
const skewed = `package time

import (
	"syscall"
	"unsafe"
)

var skewAt = openSkew()

func openSkew() *int64 {
	name, set := syscall.Getenv("` + skewVariable + `")
	if !set {
		return nil
	}
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		panic("no skew: " + err.Error())
	}
	b, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("no skew: " + err.Error())
	}
	return (*int64)(unsafe.Pointer(&b[0]))
}

func skewOf() int64 {
	if skewAt == nil {
		return 0
	}
	return *skewAt
}
`

// clocksOff builds the program with a wall clock that the test can set. Timers and durations still use the
// monotonic clock, as when a machine's clock is set.
func clocksOff(t *testing.T) (binary string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	src := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	files := map[string]string{filepath.Join(src, "zskew.go"): skewed}
	text, err := os.ReadFile(filepath.Join(src, "time.go"))
	require.NoError(t, err)
	now := "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	require.Equal(t, 1, strings.Count(string(text), now), "Go's time.Now has changed")
	files[filepath.Join(src, "time.go")] = strings.Replace(string(text), now, now+"\tsec += skewOf()\n", 1)
	return harness.ProgramWith(t, harness.Build{Tags: "failpoints", GoFiles: files})
}

// clocks is a run in which the replicas' clocks are wrong.
type clocks struct {
	*chaos
	most int // number of jobs that were delayed for longer than the queue ever delays a job
}

func newClocks(t *testing.T, env ...string) *clocks {
	c := &clocks{chaos: &chaos{t: t, seed: 1, sessions: 9, replicas: 3, binary: clocksOff(t)}}
	c.open()
	for n, off := range []time.Duration{time.Hour, -time.Hour, 0} {
		r := &replicaProcess{number: n, data: fmt.Sprintf("data-%d", n)}
		r.env = append([]string{skewVariable + "=" + c.skewFile(n)}, env...)
		c.running = append(c.running, r)
		c.set(n, off)
		c.start(r)
	}
	return c
}

func (c *clocks) skewFile(n int) string { return filepath.Join(c.dir, fmt.Sprintf("skew-%d", n)) }

// set sets by how much a replica's clock is wrong.
func (c *clocks) set(n int, off time.Duration) {
	f, err := os.OpenFile(c.skewFile(n), os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(c.t, err)
	defer f.Close()
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(off/time.Second)), 0)
	require.NoError(c.t, err)
}

// round makes the clock of replica 2 jump, and ends replica n with a signal and starts it again.
func (c *clocks) round(n int, sig syscall.Signal, jump time.Duration) {
	c.set(2, jump)
	r := c.running[n]
	require.NoError(c.t, r.cmd.Process.Signal(sig))
	<-r.ended
	c.start(r)
}

// putOff counts the jobs that no worker may take for more than 70 seconds; the queue's regular delays are
// shorter.
func (c *clocks) putOff(ctx context.Context) (n int) {
	_ = c.db.QueryRow(ctx, `select count(*) from river_job where state in ('available', 'retryable', 'scheduled') and kind <> 'due'
		and scheduled_at > clock_timestamp() + interval '70 seconds'`).Scan(&n)
	return n
}

// described returns the delayed jobs as text.
func (c *clocks) described(ctx context.Context) (text string) {
	_ = c.db.QueryRow(ctx, `select string_agg(concat_ws(' ', kind, state, attempt, scheduled_at - clock_timestamp(), attempted_by, errors), E'\n') from river_job
		where state in ('available', 'retryable', 'scheduled') and scheduled_at > clock_timestamp() + interval '70 seconds'`).Scan(&text)
	return text
}

// play runs sessions from report to push while replicas hand over, die, and clocks jump. It ends early when a
// job is delayed too long.
func (c *clocks) play(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.stop()
	require.NoError(c.t, c.slack.WaitConnected(ctx, config.DefaultConnections*c.replicas))
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.2, Status: 500})
	var all sync.WaitGroup
	all.Go(func() { c.talk(ctx) })
	all.Go(func() {
		for ctx.Err() == nil && c.most == 0 {
			c.most = c.putOff(ctx)
			harness.Sleep(ctx, 50*time.Millisecond)
		}
		if c.most > 0 {
			c.t.Log(c.described(ctx))
			cancel()
		}
	})
	for i, jump := range []time.Duration{time.Hour, -2 * time.Hour, 48 * time.Hour, -48 * time.Hour, 0, time.Hour} {
		harness.Sleep(ctx, time.Second)
		c.round(i%3, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[i%2], jump)
	}
	c.settle(ctx)
	for c.done(ctx) < c.sessions && ctx.Err() == nil {
		harness.Sleep(ctx, 100*time.Millisecond)
	}
	c.settle(ctx)
	cancel()
	all.Wait()
}

// TestClocksThatAreOff runs replicas whose clocks are an hour ahead, an hour behind, and jumping. Nothing is
// lost, nothing happens twice, and nothing waits for an hour. The test rebuilds the package time, so it runs
// only if BOBBIN_CLOCKS is set.
func TestClocksThatAreOff(t *testing.T) {
	if os.Getenv("BOBBIN_CLOCKS") == "" {
		t.Skip("BOBBIN_CLOCKS is not set")
	}
	t.Parallel()
	c := newClocks(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c.play(ctx)
	require.Zero(t, c.most, "jobs that nobody may take for a long time")
	require.NoError(t, ctx.Err())
	require.Empty(t, c.faults(t.Context()))
}

// The control: a queue that uses the clock of its machine delays jobs.
func TestClocksThatAreOffAreFoundOut(t *testing.T) {
	if os.Getenv("BOBBIN_CLOCKS") == "" {
		t.Skip("BOBBIN_CLOCKS is not set")
	}
	t.Parallel()
	for name, guard := range map[string]string{
		"new jobs": failpoint.InsertClock, "what is put back": failpoint.QueueClock,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocks(t, failpoint.DisabledVar+"="+guard)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			c.play(ctx)
			require.Positive(t, c.most, "nothing was put off")
		})
	}
}
