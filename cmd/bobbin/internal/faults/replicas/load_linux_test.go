package replicas

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// A load describes the work of the replicas and its limits.
type load struct {
	sessions     int
	channels     int
	repositories int
	thinking     time.Duration // time of the model for each answer
	limits       string        // section limits of the configuration, in YAML
	slackLimits  map[string]slacktest.RateLimit
}

// A shift is one run of a load on some replicas.
type shift struct {
	*office
	load     load
	program  string
	replicas []*replica

	mu      sync.Mutex
	threads []harness.Thread // threads by session number

	pushed    atomic.Int32
	took      time.Duration // time from the first report to the last push
	most, sum int           // maximum and sum of the sampled numbers of sessions at work
	samples   int
	commits   int // commits of Postgres
	writing   int // those of the commits that write
}

// begin starts the replicas and returns when all are connected to Slack.
func (l load) begin(o *office, program string, replicas int) *shift {
	s := &shift{office: o, load: l, program: program, threads: make([]harness.Thread, l.sessions)}
	for n := range replicas {
		s.replicas = append(s.replicas, o.startReplica(program, n, l))
	}
	require.NoError(o.t, o.slack.WaitConnected(harness.Soon(o.t), config.DefaultConnections*replicas))
	return s
}

// work reports all bugs at once, approves each report, and waits until everything is pushed and settled.
func (s *shift) work(ctx context.Context) {
	commits, writing := s.committed(ctx)
	began := time.Now()
	watched, done := context.WithCancel(ctx)
	defer done()
	changes := s.slack.Watch(watched)
	var sampling sync.WaitGroup
	sampling.Go(func() { s.sample(watched) })
	numbers := map[string]int{}
	for n := range s.load.sessions {
		channel := s.channels[n%len(s.channels)]
		root, err := s.slack.Say(channel, s.ann, fmt.Sprintf("%s bug %d", s.slack.Mention(), n), "")
		require.NoError(s.t, err)
		s.mu.Lock()
		s.threads[n] = harness.Thread{Channel: channel, Root: root}
		s.mu.Unlock()
		numbers[channel+root] = n
	}
	answered := map[int]bool{}
	pushed := map[int]bool{}
	for ; len(pushed) < s.load.sessions && ctx.Err() == nil; s.pushed.Store(int32(len(pushed))) {
		var m slacktest.Message
		select {
		case c := <-changes:
			m = c.Message
		case <-ctx.Done():
			continue
		}
		n, ours := numbers[m.Channel+m.ThreadTS]
		switch {
		case !ours || m.BotID == "":
		case !answered[n] && strings.Contains(m.Text, "· revision 1"):
			answered[n] = true
			_, err := s.slack.Say(m.Channel, s.ann, "fix it", m.ThreadTS)
			require.NoError(s.t, err)
		case strings.Contains(m.Text, "I cannot get at the repository"):
			heard, _ := os.ReadFile(s.gitLog())
			require.Fail(s.t, m.Text, "git said: %s", heard)
		case strings.Contains(m.Text, "and pushed:"):
			pushed[n] = true
		}
	}
	s.took = time.Since(began)
	s.commits, s.writing = s.committed(ctx)
	s.commits = s.commits - commits
	s.writing = s.writing - writing
	done()
	sampling.Wait()
	s.settle(ctx)
}

// sample counts the sessions at work, four times a second.
func (s *shift) sample(ctx context.Context) {
	for ; ctx.Err() == nil; harness.Sleep(ctx, 250*time.Millisecond) {
		var now int
		if s.db.QueryRow(ctx, `select count(*) from seats where held`).Scan(&now) == nil {
			s.most = max(s.most, now)
			s.sum += now
			s.samples++
		}
	}
}

// committed returns how many transactions Postgres has committed, and how many of all transactions got a
// transaction ID, as only writing ones do.
func (s *shift) committed(ctx context.Context) (all, writing int) {
	require.NoError(s.t, s.db.QueryRow(
		ctx,
		`select xact_commit, pg_snapshot_xmax(pg_current_snapshot())::text::bigint from pg_stat_database
			where datname = current_database()`,
	).Scan(&all, &writing))
	return all, writing
}

// settle waits until nothing is left to do or to post.
func (s *shift) settle(ctx context.Context) {
	for ctx.Err() == nil {
		var left int
		err := s.db.QueryRow(
			ctx,
			`select (select count(*) from sessions where phase not in ('done', 'failed'))
			+ (select count(*) from inbox where handled_at is null) + (select count(*) from outbox
				where posted_at is null and refused is null)
			+ (select count(*) from river_job where state in ('available', 'running', 'retryable',
				'scheduled'))`,
		).Scan(&left)
		if err == nil && left == 0 && s.slack.WaitSettled(ctx) == nil {
			return
		}
		harness.Sleep(ctx, 50*time.Millisecond)
	}
}

// shares returns how many sessions each replica ran a turn of.
func (s *shift) shares(ctx context.Context) (all []int) {
	for _, r := range s.replicas {
		var n int
		require.NoError(s.t, s.db.QueryRow(ctx,
			`select count(distinct args->>'session') from river_job where kind = 'turn'
				and $1 = any(attempted_by)`,
			r.name()).Scan(&n))
		all = append(all, n)
	}
	return all
}

// limited returns how many requests Slack answered with 429.
func (s *shift) limited() (n int) {
	for _, r := range s.slack.Requests("") {
		if r.Status == 429 {
			n++
		}
	}
	return n
}
