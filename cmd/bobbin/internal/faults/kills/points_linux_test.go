package kills

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"iter"
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
// its crashPoint. BOBBIN_CRASH lists the points at which the program may stop, as NAME:HIT: it stops when the
// point was reached that often, by this process and those before it, which count in files in the folder
// BOBBIN_CRASH_COUNTS. A process stops once, and then names the point in the file BOBBIN_CRASH_AT.
const pointCode = `package %s

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func crashPoint(name string) {
	_, rest, listed := strings.Cut(" "+os.Getenv("BOBBIN_CRASH"), " "+name+":")
	if !listed {
		return
	}
	number, _, _ := strings.Cut(rest, " ")
	hit, _ := strconv.ParseInt(number, 10, 64)
	count, err := os.OpenFile(filepath.Join(os.Getenv("BOBBIN_CRASH_COUNTS"), name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer count.Close()
	count.WriteString(".")
	if info, err := count.Stat(); err != nil || info.Size() < hit {
		return
	}
	at, err := os.OpenFile(os.Getenv("BOBBIN_CRASH_AT"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return // another point was first
	}
	at.WriteString(name)
	at.Close()
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
// the full disk. With patience it drains longer, and waits longer for the end of a job before it takes the job
// over: on a busy machine these seconds can pass before a test has seen that the program drains. Both are part of
// the same program because building another takes longer than the tests.
const (
	wordlessDisk = "BOBBIN_WORDLESS_DISK"
	patience     = "BOBBIN_PATIENCE"
)

// changes holds what is replaced in single files of this program, in pairs of a text and the text in its place.
var changes = map[string][]string{
	"workflow/turn/internal/workspace/folder/disk.go": {`"errors"`, `"errors"; "os"`, "errors.Is(err, d.errno)", `os.Getenv("` + wordlessDisk + `") == "" && errors.Is(err, d.errno)`},
	"cmd/bobbin/internal/server/queue.go":             {`"log/slog"`, `"log/slog"; "os"`, "const drainWithin = 12 * time.Second", "var drainWithin = " + patientOr(12)},
	"workflow/store/queue/replica.go":                 {`"log/slog"`, `"log/slog"; "os"`, "const deadAfter = 8 * time.Second", "var deadAfter = " + patientOr(8)},
}

// patientOr returns code for a number of seconds, or for StepTimeout if patience is set.
func patientOr(seconds int) string {
	return fmt.Sprintf(`map[bool]time.Duration{false: %d * time.Second, true: %d * time.Second}[os.Getenv(%q) != ""]`, seconds, int(harness.StepTimeout.Seconds()), patience)
}

// withPoints builds the program with its crash points, and returns their names. The program differs from the
// normal one only in the crash points, shorter waits for Slack's limits, and the variables wordlessDisk and patience.
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
		rel, err := filepath.Rel(harness.Root(t), name)
		if err != nil {
			return err
		}
		for pair := range slices.Chunk(changes[rel], 2) {
			text = harness.ReplaceOnce(t, name, text, pair[0], pair[1])
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

// A stop is a point at which the program dies or freezes, and the how manyth time it reaches the point: the
// first, second or third. After the first the same replica starts again, after the second another replica takes
// over, and after the third the replica starts without its files.
type stop struct {
	point string
	hit   int
}

// TestKilledAtEachPoint kills the program at each point that its source names.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	atEachPoint(t, 5, 3, 8, (*chaos).playUntil)
}

// TestFrozenAtEachPoint freezes a replica at each point until another has done its work, and then wakes it.
// The woken replica must change nothing any more.
func TestFrozenAtEachPoint(t *testing.T) {
	t.Parallel()
	// At most two at a time: half of Slack's deliveries go to each replica that is frozen, and have to be tried again.
	atEachPoint(t, 9, 1, 2, (*chaos).playOverFrozen)
}

// atEachPoint plays sessions whose program stops at the points, some points in each run, and six runs at a time as
// they mostly wait. By default it stops only at each share-th point, once; with BOBBIN_EVERY, or BOBBIN_CHAOS with
// a percentage, at each point once, and with 100 at each point up to hits times.
func atEachPoint(t *testing.T, share, hits, together int, play func(c *chaos, stops []stop) (left []stop)) {
	t.Helper()
	binary, points := withPoints(t)
	require.GreaterOrEqual(t, len(points), 30)
	whole := 0 // percent of BOBBIN_CHAOS
	if own := os.Getenv("BOBBIN_CHAOS"); own != "" {
		_, err := fmt.Sscan(own, new(int), &whole)
		require.NoError(t, err, "BOBBIN_CHAOS is: seed percent")
	}
	stops := map[bool][]stop{} // by whether they need a git host
	for i, point := range points {
		for hit := 1; hit <= hits; hit++ {
			if whole >= 100 || (whole > 0 || os.Getenv("BOBBIN_EVERY") != "") && hit == 1+i%hits || i%share == 0 && hit == 1+i/share%hits {
				stops[isHosted(point)] = append(stops[isHosted(point)], stop{point, hit})
			}
		}
	}
	model := chatmodel.Serve(t, chatmodel.MendNumberedBug).URL
	var room sync.WaitGroup
	places := make(chan struct{}, 6)
	for hosted, list := range stops {
		for some := range spread(list, together) {
			places <- struct{}{}
			room.Go(func() {
				defer func() { <-places }()
				t.Run(fmt.Sprint(some), func(t *testing.T) {
					c := &chaos{t: t, seed: 1, sessions: 3, atOnce: 3, replicas: 1, binary: binary, model: model, hosted: hosted}
					c.open()
					for _, s := range play(c, some) {
						if s.hit == 1 {
							t.Errorf("nothing came to %s", s.point)
						}
					}
					require.Empty(t, c.faults(t.Context()))
				})
			})
		}
	}
	room.Wait()
}

// spread divides the stops into as few runs as possible with at most most stops in each, and the stops of the same
// point among the runs.
func spread(stops []stop, most int) iter.Seq[[]stop] {
	return func(yield func([]stop) bool) {
		runs := (len(stops) + most - 1) / most
		for n := range runs {
			var some []stop
			for i := n; i < len(stops); i += runs {
				some = append(some, stops[i])
			}
			if !yield(some) {
				return
			}
		}
	}
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
				play := (*chaos).playUntil
				if x.frozen {
					play = (*chaos).playOverFrozen
				}
				play(c, []stop{{x.point, x.hit}})
				found = c.faults(t.Context())
				t.Logf("without it:\n%s", found)
			}
			require.Regexp(t, x.want, found)
		})
	}
}

// playUntil runs the sessions with a program that dies at each of the stops, in the order in which it reaches them,
// and continues with another each time. It returns the stops that it never reached.
func (c *chaos) playUntil(stops []stop) (left []stop) {
	ctx, cancel := context.WithTimeout(c.t.Context(), c.most())
	defer cancel()
	r := &replicaProcess{data: "data-0"}
	c.arm(r, stops, false)
	talked := c.begin(ctx, r)
	defer c.stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-talked
		c.leaveHost(ctx)
		c.settle(ctx)
	}()
	for left = stops; ; {
		select {
		case <-over:
			return left
		case <-r.ended:
		}
		at := c.stoppedAt(left, r)
		if at < 0 { // it ended by itself, which stop notes
			<-over
			return left
		}
		hit := left[at].hit
		left = slices.Delete(slices.Clone(left), at, at+1)
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
			r.data = fmt.Sprintf("data-%d", len(stops)-len(left))
		case 3:
			require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, r.data)))
		}
		c.arm(r, left, false)
		c.start(r)
	}
}

// arm makes the replica's next process stop at the first of the stops that it reaches.
func (c *chaos) arm(r *replicaProcess, stops []stop, freeze bool) {
	counts := filepath.Join(c.dir, "counts")
	require.NoError(c.t, os.MkdirAll(counts, 0o755))
	c.armed++
	r.at = filepath.Join(c.dir, fmt.Sprintf("at-%d", c.armed))
	r.env = []string{"BOBBIN_CRASH_COUNTS=" + counts, "BOBBIN_CRASH_AT=" + r.at}
	if freeze {
		r.env = append(r.env, "BOBBIN_CRASH_FREEZE=1")
	}
	var list []string
	for _, s := range stops {
		at := s.hit
		if strings.HasPrefix(s.point, "pull_request_") && s.hit == 3 {
			at = c.sessions + 1 // the hit of a backport's pull request
		}
		list = append(list, fmt.Sprintf("%s:%d", s.point, at))
	}
	r.env = append(r.env, "BOBBIN_CRASH="+strings.Join(list, " "))
}

// stoppedAt returns the index of the stop at which the replica died or froze, or -1.
func (c *chaos) stoppedAt(stops []stop, r *replicaProcess) int {
	point, err := os.ReadFile(r.at)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(stops, func(s stop) bool { return s.point == string(point) })
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

// playOverFrozen runs the sessions with a program that freezes at one of the stops. Another program takes over,
// freezes at the next, and so on; the last one finishes, and then the others are woken. It returns the stops that
// were never reached.
func (c *chaos) playOverFrozen(stops []stop) (left []stop) {
	ctx, cancel := context.WithTimeout(c.t.Context(), c.most())
	defer cancel()
	last := &replicaProcess{data: "data-0"}
	c.arm(last, stops, true)
	talked := c.begin(ctx, last)
	defer c.stop()
	for left = stops; len(left) > 0 && ctx.Err() == nil && !harness.IsClosed(talked); {
		if !stopped(last) {
			harness.Sleep(ctx, 10*time.Millisecond)
			continue
		}
		at := c.stoppedAt(left, last)
		require.GreaterOrEqual(c.t, at, 0)
		left = slices.Delete(slices.Clone(left), at, at+1)
		last = c.addReplica(left)
	}
	if len(left) > 0 { // the armed one may still freeze
		c.addReplica(nil)
	}
	<-talked
	frozen := c.running[:len(c.running)-1]
	for _, r := range frozen {
		r.cmd.Process.Signal(syscall.SIGCONT)
	}
	if !c.hosted {
		c.settle(ctx)
	}
	// Whatever the frozen replicas were doing has to fail or be noticed; their next heartbeats show that they got
	// that far.
	for _, r := range frozen {
		before := c.beats(ctx, r)
		for ctx.Err() == nil && c.beats(ctx, r) < before+2*time.Second {
			harness.Sleep(ctx, 50*time.Millisecond)
		}
	}
	c.leaveHost(ctx) // not earlier: a late request for a pull request is refused while another is open
	c.settle(ctx)
	return left
}

// addReplica starts one more replica, which freezes at the first of the stops that it reaches.
func (c *chaos) addReplica(stops []stop) *replicaProcess {
	n := len(c.running)
	r := &replicaProcess{number: n, data: fmt.Sprintf("data-%d", n)}
	c.arm(r, stops, true)
	c.running = append(c.running, r)
	c.start(r)
	return r
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
