package kills

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// usualWaits shortens the waits for Slack's limits, and the pause between two requests to a git host, in
// a program with fail points.
var usualWaits = []string{
	failpoint.ReplyPace + "=50ms", failpoint.PostingSettle + "=200ms", failpoint.PullRequestPace + "=200ms",
}

// withWaits returns the environment variable for the usual waits and more.
func withWaits(more ...string) string {
	return failpoint.WaitsVar + "=" + strings.Join(append(more, usualWaits...), " ")
}

// patient returns the environment variable of a program that drains longer, and waits longer for the end
// of a job before it takes the job over: on a busy machine the usual seconds can pass before a test has
// seen that the program drains.
func patient() string {
	long := harness.StepTimeout.String()
	return withWaits(failpoint.DrainTime+"="+long, failpoint.ReplicaDead+"="+long)
}

// withPoints builds the program with its fail points.
func withPoints(t *testing.T) (binary string) {
	t.Helper()
	return harness.ProgramWith(t, harness.Build{Tags: "failpoints"})
}

// crashPoints returns the names of the crash points in the source: the calls of failpoint.Crash.
func crashPoints(t *testing.T) (points []string) {
	t.Helper()
	root := harness.Root(t)
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("failpoint.Crash(")) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		for n := range ast.Preorder(file) {
			if point := crashPoint(n); point != "" {
				points = append(points, point)
			}
		}
		return err
	}))
	slices.Sort(points)
	require.Equal(t, points, slices.Compact(slices.Clone(points)), "a name that stands twice")
	return points
}

// crashPoint returns the name of the crash point if n is a call of failpoint.Crash.
func crashPoint(n ast.Node) string {
	call, _ := n.(*ast.CallExpr)
	if call == nil || len(call.Args) != 1 {
		return ""
	}
	called, _ := call.Fun.(*ast.SelectorExpr)
	name, _ := call.Args[0].(*ast.BasicLit)
	if called == nil || name == nil || called.Sel.Name != "Crash" {
		return ""
	}
	if of, _ := called.X.(*ast.Ident); of == nil || of.Name != "failpoint" {
		return ""
	}
	return strings.Trim(name.Value, `"`)
}

// TestOnlyATaggedProgramHasFailPoints looks for the names of the environment variables in the program that
// people run, and, as a control, in the program of these tests.
func TestOnlyATaggedProgramHasFailPoints(t *testing.T) {
	t.Parallel()
	for binary, tagged := range map[string]bool{harness.Program(t): false, withPoints(t): true} {
		text, err := os.ReadFile(binary)
		require.NoError(t, err)
		for _, variable := range []string{failpoint.CrashVar, failpoint.WaitsVar, failpoint.DisabledVar} {
			require.Equal(t, tagged, bytes.Contains(text, []byte(variable)), variable)
		}
	}
}

// A stop is a point at which the program dies or freezes, and which time it reaches the point: the first,
// second or third. After the first the same replica starts again, after the second another replica
// takes over, and after the third the replica starts without its files.
type stop struct {
	point string
	hit   int
}

// TestKilledAtEachPoint kills the program at each point that its source names.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	atEachPoint(t, 3, 8, (*chaos).playUntil,
		stop{"attempt_held", 1}, stop{"message_judged", 2}, stop{"recording_committed", 3})
}

// TestFrozenAtEachPoint freezes a replica at each point until another has done its work, and then wakes it.
// The woken replica must change nothing any more.
func TestFrozenAtEachPoint(t *testing.T) {
	t.Parallel()
	// At most two at a time: half of Slack's deliveries go to each replica that is frozen,
	// and have to be tried again.
	atEachPoint(t, 1, 2, (*chaos).playOverFrozen, stop{"attempt_held", 1}, stop{"pull_request_tried", 1})
}

// atEachPoint plays sessions whose program stops at the points, some points in each run, and six runs at a
// time as they mostly wait. By default it stops only at those of the sample; with BOBBIN_EVERY, or
// BOBBIN_CHAOS with a percentage, at each point once, and with 100 at each point up to hits times.
func atEachPoint(
	t *testing.T, hits, together int, play func(c *chaos, stops []stop) (left []stop), sample ...stop,
) {
	t.Helper()
	binary := withPoints(t)
	// those of a merge, a move or a second repository have runs of their own
	points := slices.DeleteFunc(crashPoints(t), func(point string) bool {
		return isMerging(point) || isMoving(point) || point == wordsAsked || point == "part_begun"
	})
	require.GreaterOrEqual(t, len(points), 30)
	for _, s := range sample {
		require.Contains(t, points, s.point)
	}
	whole := 0 // percent of BOBBIN_CHAOS
	if own := os.Getenv("BOBBIN_CHAOS"); own != "" {
		_, err := fmt.Sscan(own, new(int), &whole)
		require.NoError(t, err, "BOBBIN_CHAOS is: seed percent")
	}
	all := harness.Every()
	stops := map[repositoryKind][]stop{}
	for i, point := range points {
		for hit := 1; hit <= hits; hit++ {
			s := stop{point, hit}
			if whole >= 100 || all && hit == 1+i%hits || !all && slices.Contains(sample, s) {
				of := kindFor(point)
				stops[of] = append(stops[of], s)
				if of == committedByHost { // what comes after is looked up at the host, not made again
					stops[of] = append(stops[of], stop{"push_intended", hit}, stop{"backport_intended", hit})
				}
			}
		}
	}
	model := chatmodel.Serve(t, chatmodel.FixNumberedBug).URL
	var room sync.WaitGroup
	places := make(chan struct{}, 6)
	for of, list := range stops {
		for some := range spread(list, together) {
			places <- struct{}{}
			room.Go(func() {
				defer func() { <-places }()
				t.Run(fmt.Sprint(some), func(t *testing.T) {
					c := &chaos{
						t:        t,
						seed:     1,
						sessions: 3,
						atOnce:   3,
						replicas: 1,
						binary:   binary,
						model:    model,
						hosted:   of != plainRepository,
						commits:  of == committedByHost,
					}
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

// spread divides the stops into as few runs as possible with at most most stops in each, and the stops of
// the same point among the runs.
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

// A repositoryKind says what the repository of a run has.
type repositoryKind int

const (
	plainRepository repositoryKind = iota
	withHost                       // a git host, where pull requests are opened
	committedByHost                // a git host that makes the commits, too
)

// kindFor returns what a repository needs so that a point is reached.
func kindFor(point string) repositoryKind {
	switch {
	case strings.HasPrefix(point, "host_commit_"):
		return committedByHost
	case strings.HasPrefix(point, "pull_request_"), strings.HasPrefix(point, "backport_"),
		strings.HasPrefix(point, "ticket_"):
		return withHost
	}
	return plainRepository
}

// A guardControl is how a run goes without a guard, and which fault it has to show.
type guardControl struct {
	point, unguard, forget, disabled, want string
	frozen, commits                        bool
	pullsStay                              bool // nobody closes pull requests before the bot goes on
	hit                                    int
}

// guardControls are the controls, by the guard that is off.
var guardControls = map[string]guardControl{
	"the key that a post is looked up by": {
		point: "reply_posted", hit: 1, want: `stands [2-9] times`,
		forget: `update outbox set key = key || '~', batch = batch || '~' where posted_at is null
			and batch is not null`,
	},
	"the files in the database": {
		point: "tasks_worked", hit: 3, want: `not pushed|said twice: [1-9]|stands [2-9]`,
		unguard: `create function lose() returns trigger language plpgsql as $$ begin return null; end $$;
			create trigger lose before insert on workspaces for each row execute function lose()`,
	},
	"the mark that a host was asked for a pull request": {
		point:  "pull_request_opened",
		hit:    1,
		want:   `pull requests: \d+|stands [3-9] times`,
		forget: `update pull_requests set tried_at = null`,
	},
	"the mark that a host was asked for labels and people": {
		point:     "pull_request_papered",
		hit:       1,
		want:      `was put [2-9] times`,
		forget:    `update pull_request_papers set tried_at = null`,
		pullsStay: true,
	},
	"the mark that a host was sent an issue": {
		point:  "ticket_filed",
		hit:    1,
		want:   `issues: \d+, want`,
		forget: `update tickets set tried_at = null`,
	},
	"the job of an issue, which is checked once more": {
		point: "ticket_tried", hit: 1, frozen: true, want: `issues: \d+, want`,
		disabled: failpoint.HostJob,
	},
	"the job of a pull request, which is checked once more": {
		point: "pull_request_tried", hit: 1, frozen: true, want: `pull requests: [7-9]`,
		disabled: failpoint.HostJob,
	},
	"the commit of a backport, which is kept before its push": {
		point: "backport_pushed",
		hit:   1,
		want:  `"No backport" stands 1 times`,
		forget: `update backports set state = 'asked', onto = '', commit_hash = '', tree = ''
			where state = 'intended'`,
	},
	"the commit that a host made, which is kept before its push": {
		point: "pushed", hit: 1, commits: true,
		want:   `sessions that are done: [012], want 3`,
		forget: `delete from pushes where state = 'intended'`,
	},
	"the commit of a backport that a host made": {
		point: "backport_pushed", hit: 1, commits: true, want: `"No backport" stands 1 times`,
		forget: `update backports set state = 'asked', onto = '', commit_hash = '', tree = ''
			where state = 'intended'`,
	},
	"the epoch of a turn": {
		point: "model_answered", hit: 3, frozen: true, want: `with two: [1-9]|said twice|stands [2-9]`,
		unguard: `create function unfenced() returns trigger language plpgsql as $$ begin new.epoch := 0;
			return new; end $$;
			create trigger unfenced before update on sessions for each row execute function unfenced()`,
	},
	"the heartbeat by which the dead are known": {
		point: "tasks_recorded", hit: 2, want: `sessions that are done`,
		unguard: `create function immortal() returns trigger language plpgsql as $$ begin new.seen_at :=
			'infinity'; return new; end $$;
			create trigger immortal before insert or update on replicas for each row execute function
				immortal()`,
	},
}

// Each guard has a control: without the guard, the same death or freeze at the same point must show a fault.
func TestPointsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	binary := withPoints(t)
	model := chatmodel.Serve(t, chatmodel.FixNumberedBug).URL
	for name, x := range guardControls {
		t.Run(name, func(t *testing.T) {
			// a death and a frozen replica
			harness.InSample(t, name, "the key that a post is looked up by", "the epoch of a turn")
			t.Parallel()
			// On a busy machine the moment in which the guard matters may be missed: three tries.
			wanted := regexp.MustCompile(x.want)
			found := ""
			for seed := uint64(1); seed <= 3 && !wanted.MatchString(found); seed++ {
				c := &chaos{
					t:        t,
					seed:     seed,
					sessions: 3,
					atOnce:   3,
					replicas: 1,
					binary:   binary,
					model:    model,
					unguard:  x.unguard,
					forget:   x.forget,
					disabled: x.disabled,
					hosted:   x.commits || kindFor(x.point) != plainRepository,
					commits:  x.commits,

					pullsStay: x.pullsStay,
				}
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

// playUntil runs the sessions with a program that dies at each of the stops, in the order in which it reaches
// them, and continues with another each time. It returns the stops that it never reached.
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
			if c.merging { // what is forgotten is never merged
				defer time.AfterFunc(time.Minute, cancel).Stop()
			}
			if !c.pullsStay {
				c.closePulls() // people may close them before the bot continues
			}
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
	r.env = []string{failpoint.CountsVar + "=" + counts, failpoint.StoppedVar + "=" + r.at}
	if freeze {
		r.env = append(r.env, failpoint.FreezeVar+"=1")
	}
	var list []string
	for _, s := range stops {
		at := s.hit
		if strings.HasPrefix(s.point, "pull_request_") && s.hit == 3 {
			at = c.sessions + 1 // the hit of a backport's pull request
		}
		list = append(list, fmt.Sprintf("%s:%d", s.point, at))
	}
	r.env = append(r.env, failpoint.CrashVar+"="+strings.Join(list, " "))
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
	go func() {
		defer close(talked)
		c.talk(ctx)
	}()
	return talked
}

// playOverFrozen runs the sessions with a program that freezes at one of the stops. Another program takes
// over, freezes at the next, and so on; the last one finishes, and then the others are woken. It returns the
// stops that were never reached.
func (c *chaos) playOverFrozen(stops []stop) (left []stop) {
	c.froze = true
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
	leaving := sync.OnceFunc(func() { c.leaveHost(ctx) })
	if slices.ContainsFunc(stops, opensLate) {
		leaving()
	}
	frozen := c.running[:len(c.running)-1]
	for _, r := range frozen {
		r.cmd.Process.Signal(syscall.SIGCONT)
	}
	if !c.hosted {
		c.settle(ctx)
	}
	// Whatever the frozen replicas were doing has to fail or be noticed; that they have sent heartbeats for a
	// while since they woke shows that they got that far.
	for _, r := range frozen {
		c.awaitBeats(ctx, r)
	}
	// Not earlier, except for a replica that froze where it asks whether it may still open a pull request:
	// one that froze while it sent a request is refused only while another pull request is open.
	leaving()
	c.settle(ctx)
	return left
}

// opensLate reports whether the program stops where it is about to open a pull request. Everything is closed
// before it wakes, so that the host would take a second one.
func opensLate(s stop) bool { return s.point == "pull_request_tried" }

// awaitBeats waits until a replica that has just woken has sent heartbeats for two seconds. The time until
// the first one does not count, as it comes after all the time in which the replica was frozen.
func (c *chaos) awaitBeats(ctx context.Context, r *replicaProcess) {
	frozen := c.beats(ctx, r)
	var first time.Duration
	for ctx.Err() == nil {
		now := c.beats(ctx, r)
		if first == 0 && now > frozen {
			first = now
		}
		if first > 0 && now >= first+2*time.Second {
			return
		}
		harness.Sleep(ctx, 50*time.Millisecond)
	}
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
	_ = c.db.QueryRow(ctx,
		`select coalesce((select extract(epoch from seen_at) from replicas where id = $1), 0)`,
		c.name(r)).Scan(&seconds)
	return time.Duration(seconds * float64(time.Second))
}
