package kills

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// pointMark begins a comment that names a crash point: a place in the source at which the program may die
// after something has happened and before that is recorded. In the program these lines are only comments; the
// test builds a program that each of them can kill.
const pointMark = "//crash:"

// pointCode is a file that is added to each package with crash points. The comments are replaced by calls of
// its crashPoint.
const pointCode = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

var crashHits atomic.Int64

func crashPoint(name string) {
	if os.Getenv("BOBBIN_CRASH") != name {
		return
	}
	if at, _ := strconv.ParseInt(os.Getenv("BOBBIN_CRASH_HIT"), 10, 64); crashHits.Add(1) != at {
		return
	}
	if os.Getenv("BOBBIN_CRASH_FREEZE") != "" {
		syscall.Kill(os.Getpid(), syscall.SIGSTOP) // somebody wakes it later
		return
	}
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
`

// shortWaits replaces the waits for Slack's limits, and the pause between two requests to a git host, by
// shorter ones in the program of these tests.
var shortWaits = map[string]string{
	"cmp.Or(p.Pace, time.Second)": "cmp.Or(p.Pace, time.Second/20)", "cmp.Or(k.Pace, 30*time.Second)": "cmp.Or(k.Pace, time.Second/5)", "cmp.Or(p.Settle, 3*time.Second)": "cmp.Or(p.Settle, time.Second/5)",
}

// wordlessDisk is the environment variable that makes this program not recognise disk errors, as a control of
// the full disk. It is part of the same program because building another takes longer than the test.
const wordlessDisk = "BOBBIN_WORDLESS_DISK"

var wordless = [2]string{"errors.Is(err, d.errno)", `os.Getenv("` + wordlessDisk + `") == "" && errors.Is(err, d.errno)`}

// withPoints builds the program with its crash points, and returns their names. The program differs from the
// normal one only in the crash points, shorter waits for Slack's limits, and the control wordlessDisk.
func withPoints(t *testing.T) (binary string, points []string) {
	t.Helper()
	replaced, packages, shortened := map[string]string{}, map[string]string{}, 0
	require.NoError(t, filepath.WalkDir(harness.Root(t), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := string(b)
		for long, short := range shortWaits {
			shortened += strings.Count(text, long)
			text = strings.ReplaceAll(text, long, short)
		}
		if name == filepath.Join(harness.Root(t), "workflow/turn/folder/disk.go") {
			text = harness.ReplaceOnce(t, name, text, wordless[0], wordless[1])
			text = harness.ReplaceOnce(t, name, text, `"errors"`, `"errors"; "os"`)
		}
		changed, found := crashing(text)
		if len(found) > 0 {
			packages[filepath.Dir(name)] = packageName(text)
		}
		if points = append(points, found...); len(found) > 0 || text != string(b) {
			replaced[name] = changed
		}
		return nil
	}))
	require.GreaterOrEqual(t, shortened, len(shortWaits), "waits for Slack's limits are written otherwise now")
	for folder, name := range packages {
		replaced[filepath.Join(folder, "crash_points.go")] = fmt.Sprintf(pointCode, name)
	}
	slices.Sort(points)
	require.Equal(t, points, slices.Compact(slices.Clone(points)), "a name that stands twice")
	return harness.ProgramWith(t, replaced), points
}

// crashing replaces the crash point comments of a file by code, line by line, and returns the points' names.
func crashing(text string) (changed string, points []string) {
	var out strings.Builder
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), pointMark); ok {
			points = append(points, name)
			line = fmt.Sprintf("crashPoint(%q)", name)
		}
		out.WriteString(line + "\n")
	}
	return out.String(), points
}

func packageName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// TestKilledAtEachPoint kills the program at each point that its source names, the first, second and third
// time that it reaches the point. After the first the same replica starts again, after the second another
// replica takes over, and after the third the replica starts without its files.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	atEachPoint(t, 5, 3, func(c *chaos, point string, hit int) (came bool) { return c.playUntil(point, hit) })
}

// TestFrozenAtEachPoint freezes a replica at each point until another has done its work, and then wakes it.
// The woken replica must change nothing any more.
func TestFrozenAtEachPoint(t *testing.T) {
	t.Parallel()
	atEachPoint(t, 9, 1, func(c *chaos, point string, hit int) (came bool) { return c.playOverFrozen(point, hit) })
}

// atEachPoint plays sessions for each point, six points at a time as they mostly wait. By default it plays
// only each share-th point, once; BOBBIN_CHAOS with a percentage plays each point at least once, and with 100
// each point up to hits times.
func atEachPoint(t *testing.T, share, hits int, play func(c *chaos, point string, hit int) (came bool)) {
	t.Helper()
	binary, points := withPoints(t)
	require.GreaterOrEqual(t, len(points), 30)
	whole := 0 // percent of BOBBIN_CHAOS
	if own := os.Getenv("BOBBIN_CHAOS"); own != "" {
		_, err := fmt.Sscan(own, new(int), &whole)
		require.NoError(t, err, "BOBBIN_CHAOS is: seed percent")
	}
	model := chatmodel.Serve(t, chatmodel.MendNumberedBug).URL
	var room sync.WaitGroup
	places := make(chan struct{}, 6)
	for i, point := range points {
		for hit := 1; hit <= hits; hit++ {
			switch {
			case whole >= 100:
			case whole > 0 && hit == 1+i%hits: // plays each point once
			case i%share == 0 && hit == 1+i/share%hits:
			default:
				continue
			}
			places <- struct{}{}
			room.Go(func() {
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s/%d", point, hit), func(t *testing.T) {
					c := &chaos{t: t, seed: 1, sessions: 3, atOnce: 3, replicas: 1, binary: binary, model: model, hosted: isHosted(point)}
					c.open()
					if came := play(c, point, hit); hit == 1 && !came {
						t.Errorf("nothing came to %s", point)
					}
					require.Empty(t, c.faults(t.Context()))
				})
			})
		}
	}
	room.Wait()
}

// isHosted reports whether a point is reached only with a git host.
func isHosted(point string) bool {
	return strings.HasPrefix(point, "pull_request_") || strings.HasPrefix(point, "backport_")
}

// Each guard has a control: without the guard, the same death or freeze at the same point must show a fault.
func TestPointsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	binary, _ := withPoints(t)
	model := chatmodel.Serve(t, chatmodel.MendNumberedBug).URL
	for name, x := range map[string]struct {
		point, unguard, forget, want string
		frozen                       bool
		hit                          int
	}{
		"the key that a post is looked up by": {
			point: "reply_posted", hit: 1, want: `stands [2-9] times`,
			forget: `update outbox set key = key || '~', batch = batch || '~' where posted_at is null and batch is not null`,
		},
		"the files in the database": {
			point: "tasks_worked", hit: 3, want: `not pushed|said twice: [1-9]|stands [2-9]`,
			unguard: `create function lose() returns trigger language plpgsql as $$ begin return null; end $$;
				create trigger lose before insert on workspaces for each row execute function lose()`,
		},
		"the mark that a host was asked for a pull request": {
			point: "pull_request_opened", hit: 1, want: `pull requests: \d+|stands [3-9] times`, forget: `update pull_requests set tried_at = null`,
		},
		"the commit of a backport, which is kept before its push": {
			point: "backport_pushed", hit: 1, want: `"No backport" stands 1 times`, forget: `update backports set state = 'asked', onto = '', commit_hash = '', tree = '' where state = 'intended'`,
		},
		"the epoch of a turn": {
			point: "model_answered", hit: 3, frozen: true, want: `with two: [1-9]|said twice|stands [2-9]`,
			unguard: `create function unfenced() returns trigger language plpgsql as $$ begin new.epoch := 0; return new; end $$;
				create trigger unfenced before update on sessions for each row execute function unfenced()`,
		},
		"the heartbeat by which the dead are known": {
			point: "tasks_recorded", hit: 2, want: `sessions that are done`,
			unguard: `create function immortal() returns trigger language plpgsql as $$ begin new.seen_at := 'infinity'; return new; end $$;
				create trigger immortal before insert or update on replicas for each row execute function immortal()`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// On a busy machine the moment in which the guard matters may be missed: three tries.
			wanted, found := regexp.MustCompile(x.want), ""
			for seed := uint64(1); seed <= 3 && !wanted.MatchString(found); seed++ {
				c := &chaos{t: t, seed: seed, sessions: 3, atOnce: 3, replicas: 1, binary: binary, model: model, unguard: x.unguard, forget: x.forget, hosted: isHosted(x.point)}
				c.open()
				if x.frozen {
					c.playOverFrozen(x.point, x.hit)
				} else {
					c.playUntil(x.point, x.hit)
				}
				found = c.faults(t.Context())
				t.Logf("without it:\n%s", found)
			}
			require.Regexp(t, x.want, found)
		})
	}
}

// playUntil runs the sessions with a program that dies at a point, and continues with another. It reports
// whether the program died.
func (c *chaos) playUntil(point string, hit int) (died bool) {
	ctx, cancel := context.WithTimeout(c.t.Context(), c.most())
	defer cancel()
	at := hit
	if strings.HasPrefix(point, "pull_request_") && hit == 3 {
		at = c.sessions + 1 // the hit of a backport's pull request
	}
	first := &replicaProcess{data: "data-0", env: []string{"BOBBIN_CRASH=" + point, fmt.Sprint("BOBBIN_CRASH_HIT=", at)}}
	talked := c.begin(ctx, first)
	defer c.stop()
	select {
	case <-first.ended:
		died = true
		first.env = nil
		if c.forget != "" {
			_, err := c.db.Exec(ctx, c.forget)
			require.NoError(c.t, err)
			c.closePulls() // people may close them before the bot continues
		}
		if c.hosted {
			c.moveRelease() // the release branch moves on meanwhile
		}
		switch hit {
		case 2:
			first.data = "data-1"
		case 3:
			require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, first.data)))
		}
		c.start(first)
		<-talked
	case <-talked:
	}
	c.leaveHost(ctx)
	c.settle(ctx)
	return died
}

// most returns the time limit of a run, which is short if no replica can ever take over.
func (c *chaos) most() time.Duration {
	if strings.Contains(c.unguard, "immortal") {
		return 40 * time.Second // no replica ever takes over
	}
	return 2 * harness.StepTimeout
}

// begin starts a replica, and a goroutine in which people talk to it. The returned channel is closed when
// they have finished.
func (c *chaos) begin(ctx context.Context, first *replicaProcess) (talked chan struct{}) {
	c.running = []*replicaProcess{first}
	c.start(first)
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	talked = make(chan struct{})
	go func() { defer close(talked); c.talk(ctx) }()
	return talked
}

// playOverFrozen runs the sessions with a program that freezes at a point. A second program takes over and
// finishes, and then the first is woken. It reports whether the first reached the point.
func (c *chaos) playOverFrozen(point string, hit int) (came bool) {
	ctx, cancel := context.WithTimeout(c.t.Context(), c.most())
	defer cancel()
	first := &replicaProcess{data: "data-0", env: []string{"BOBBIN_CRASH=" + point, fmt.Sprint("BOBBIN_CRASH_HIT=", hit), "BOBBIN_CRASH_FREEZE=1"}}
	talked := c.begin(ctx, first)
	defer c.stop()
	for ctx.Err() == nil && !came && !harness.IsClosed(talked) {
		came = stopped(first)
		harness.Sleep(ctx, 10*time.Millisecond)
	}
	second := &replicaProcess{number: 1, data: "data-1"}
	c.running = append(c.running, second)
	c.start(second)
	<-talked
	first.cmd.Process.Signal(syscall.SIGCONT)
	if !c.hosted {
		c.settle(ctx)
	}
	// Whatever the first replica was doing has to fail or be noticed; its next heartbeats show that it got
	// that far.
	before := c.beats(ctx, first)
	for ctx.Err() == nil && c.beats(ctx, first) < before+2*time.Second {
		harness.Sleep(ctx, 50*time.Millisecond)
	}
	c.leaveHost(ctx) // not earlier: a late request for a pull request is refused while another is open
	c.settle(ctx)
	return came
}

// stopped reports whether a signal has stopped the process.
func stopped(r *replicaProcess) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	return err == nil && strings.HasPrefix(rest, "T")
}

// beats returns the time of the replica's last heartbeat since the Unix epoch, or 0 if it has none.
func (c *chaos) beats(ctx context.Context, r *replicaProcess) time.Duration {
	var seconds float64
	_ = c.db.QueryRow(ctx, `select coalesce((select extract(epoch from seen_at) from replicas where id = $1), 0)`, c.name(r)).Scan(&seconds)
	return time.Duration(seconds * float64(time.Second))
}
