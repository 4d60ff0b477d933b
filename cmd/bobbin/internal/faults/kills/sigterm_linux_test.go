package kills

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
)

// A heldSessions is a run that holds sessions in the middle of something until letGo: every third in a model
// call, in a command, or in a post whose answer is withheld.
type heldSessions struct {
	*chaos
	marks string // folder in which commands leave marks

	held sync.Map      // numbers of the held sessions
	open chan struct{} // closed when nothing is held any more
}

func newMidst(t *testing.T, sessions int, binary string) *heldSessions {
	m := &heldSessions{
		chaos: &chaos{t: t, seed: 1, sessions: sessions, replicas: 2, binary: binary},
		open:  make(chan struct{}),
	}
	m.chaos.open()
	m.marks = filepath.Join(m.dir, "marks")
	require.NoError(t, os.Mkdir(m.marks, 0o755))
	require.NoError(t, os.Chmod(m.marks, 0o777))
	m.model = m.serve(m.ask)
	slack, err := url.Parse(m.slack.URL())
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: slack.Scheme, Host: slack.Host})
	between := m.serve(func(w http.ResponseWriter, r *http.Request) { m.post(forward, w, r) })
	for n := range m.replicas {
		r := &replicaProcess{
			number: n,
			data:   "data-" + strconv.Itoa(n),
			env:    []string{"SLACK_API_URL=" + between + slack.Path},
		}
		if n == 0 {
			r.env = append(r.env, "BOBBIN_HTTP_ADDR=127.0.0.1:0")
		}
		m.running = append(m.running, r)
	}
	return m
}

func (hs *heldSessions) serve(h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	hs.t.Cleanup(server.Close)
	return server.URL
}

// hold blocks a request of a session until letGo. It returns false if the client has disconnected.
func (hs *heldSessions) hold(ctx context.Context, number int) bool {
	select {
	case <-hs.open:
		return true
	default:
	}
	hs.held.Store(number, true)
	select {
	case <-hs.open:
		return true
	case <-ctx.Done():
		return false
	}
}

// ask answers as FixNumberedBug does, but holds some answers, and makes some commands run until letGo.
func (hs *heldSessions) ask(w http.ResponseWriter, r *http.Request) {
	asked, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	n := -1
	if found := chatmodel.BugNumber.FindSubmatch(asked.Body); found != nil {
		n, _ = strconv.Atoi(string(found[1]))
	}
	leads := asked.IsOrchestrator()
	if n%3 == 0 && !leads && !hs.hold(r.Context(), n) {
		return
	}
	name, args := chatmodel.FixNumberedBug(asked)
	if name == "run" {
		args["command"] = fmt.Sprintf("echo began >> %[1]s/%[2]d; while ! test -e %[1]s/go; do sleep 0.05; "+
			"done; %[3]s", hs.marks, n, args["command"])
	}
	asked.Answer(w, name, args)
}

// post forwards the bot's requests to Slack, and holds the answers to some posts.
func (hs *heldSessions) post(forward http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	channel := ""
	if form, err := url.ParseQuery(string(body)); err == nil && strings.HasSuffix(r.URL.Path,
		"/chat.postMessage") && strings.Contains(form.Get("text")+form.Get("blocks"), "approved") {
		channel = form.Get("channel")
	}
	for n, p := range hs.threads() {
		if n%3 != 1 || p.Channel != channel {
			continue
		}
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		if hs.hold(r.Context(), n) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer.Body.Bytes())
		}
		return
	}
	forward.ServeHTTP(w, r)
}

func (hs *heldSessions) letGo() {
	require.NoError(hs.t, os.WriteFile(filepath.Join(hs.marks, "go"), nil, 0o644))
	close(hs.open)
}

// begin starts the first replica and waits until every session is in the middle of something.
func (hs *heldSessions) begin(ctx context.Context) {
	hs.start(hs.running[0])
	require.NoError(hs.t, hs.slack.WaitConnected(ctx, 1))
	go hs.talk(ctx)
	require.Eventually(hs.t, func() bool {
		for n := range hs.sessions {
			_, held := hs.held.Load(n)
			if _, err := os.Stat(filepath.Join(hs.marks, strconv.Itoa(n))); !held && err != nil {
				return false
			}
		}
		return true
	}, harness.StepTimeout, 20*time.Millisecond)
}

// end lets everything continue, and asserts that nothing was lost and nothing happened twice.
func (hs *heldSessions) end(ctx context.Context) {
	hs.letGo()
	hs.settle(ctx)
	require.NoError(hs.t, ctx.Err(), hs.unsettled())
	require.Empty(hs.t, hs.faults(ctx))
}

// exit waits until a replica has ended. On a machine that is not busy a stop takes at most 20 s.
func (hs *heldSessions) exit(r *replicaProcess) *os.ProcessState {
	select {
	case <-r.ended:
		return r.cmd.ProcessState
	case <-time.After(harness.StepTimeout):
		require.FailNow(hs.t, "it did not end")
		return nil
	}
}

func (hs *heldSessions) number(ctx context.Context, sql string, args ...any) (n int) {
	require.NoError(hs.t, hs.db.QueryRow(ctx, sql, args...).Scan(&n))
	return n
}

// atHand counts the running jobs of a replica. If the replica is gone, nobody works on them.
const atHand = `select count(*) from river_job where state = 'running'
	and attempted_by[array_upper(attempted_by, 1)] = $1`

// notHandedOver counts the jobs that a replica still had in its hands when it died, including those that were
// taken from it since.
const notHandedOver = `select count(*) from river_job where state in ('running', 'discarded')
	and attempted_by[array_upper(attempted_by, 1)] = $1`

// missed counts the jobs that were taken from a dead replica.
const missed = `select count(*) from river_job where state = 'discarded'`

const unposted = `select count(*) from outbox where posted_at is null`

// block locks the rows of the running turns, so that the queue cannot record that a turn has ended and the
// replica is still draining when the test looks at it.
func (hs *heldSessions) block(ctx context.Context) (release func()) {
	c, err := pgx.Connect(ctx, hs.url)
	require.NoError(hs.t, err)
	hs.t.Cleanup(func() { c.Close(context.Background()) })
	_, err = c.Exec(ctx,
		`begin; select id from river_job where state = 'running' and kind = 'turn' for update`)
	require.NoError(hs.t, err)
	return func() { require.NoError(hs.t, c.Close(ctx)) }
}

// drains waits until the first replica reports that it is draining.
func (hs *heldSessions) drains() (h health.Health) {
	log, err := os.ReadFile(hs.log(hs.running[0]))
	require.NoError(hs.t, err)
	at := healthAt.FindSubmatch(log)
	require.NotNil(hs.t, at, string(log))
	for ctx := harness.Soon(hs.t); ; harness.Sleep(ctx, 20*time.Millisecond) {
		require.NoError(hs.t, ctx.Err(), "the replica does not say that it drains: %+v", h)
		response, err := http.Get(string(at[1]))
		if err != nil {
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		require.NoError(hs.t, err)
		require.NotContains(hs.t, string(body), "shop", "a repository's name")
		require.NotContains(hs.t, string(body), "xoxb-")
		require.NoError(hs.t, json.Unmarshal(body, &h), string(body))
		if response.StatusCode == http.StatusServiceUnavailable && h.State == health.StateDraining {
			return h
		}
	}
}

func TestStopped(t *testing.T) {
	t.Parallel()
	binary := withPoints(t)
	for name, c := range map[string]struct {
		play    func(context.Context, *heldSessions)
		patient bool
	}{
		"what is under way goes on at the other replica at once": {handsOver, true},
		"the last one leaves all to its next start":              {leavesBehind, true},
		"what cannot be put back in time is taken over":          {runsOutOfTime, false},
		"the second signal ends it at once":                      {endsAtOnce, true},
		"a death is not a handing over":                          {dies, false},
	} {
		t.Run(name, func(t *testing.T) {
			// a stop and its control
			harness.InSample(t, name, "what is under way goes on at the other replica at once",
				"a death is not a handing over")
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), harness.RunTimeout)
			defer cancel()
			m := newMidst(t, 3, binary)
			if c.patient {
				for _, r := range m.running {
					r.env = append(r.env, patient())
				}
			}
			defer m.stop()
			c.play(ctx, m)
		})
	}
}

func handsOver(ctx context.Context, m *heldSessions) {
	t := m.t
	first := m.running[0]
	second := m.running[1]
	more := m.slack.AddChannel(slacktest.Channel{
		Name:    "more",
		Members: []string{m.ann, m.slack.App().BotUser},
	}).ID
	m.begin(ctx)
	m.start(second)
	require.NoError(t, m.slack.WaitConnected(ctx, 2*config.DefaultConnections))
	release := m.block(ctx)
	require.NoError(t, first.cmd.Process.Signal(syscall.SIGTERM))
	h := m.drains()
	require.Contains(t, h.Wrong, "told to stop")
	// A message that arrives now goes to the other replica.
	root, err := m.slack.Say(more, m.ann, m.slack.Mention()+" bug 0, again", "")
	require.NoError(t, err)
	late := harness.Thread{Channel: more, Root: root}
	require.Eventually(t, func() bool { return m.workers(ctx, more) != "" }, harness.StepTimeout,
		20*time.Millisecond)
	select {
	case <-first.ended:
		require.Fail(t, "it ended before what it had in hand was put back")
	default:
	}
	release()
	require.Zero(t, m.exit(first).ExitCode())
	require.Eventually(t, func() bool { return m.posted(late, "· revision 1") > 0 },
		harness.StepTimeout, 20*time.Millisecond)
	require.Equal(t, m.name(second), m.workers(ctx, more))
	require.Zero(t, m.number(ctx, atHand, m.name(first)), "nothing is left in its hands")
	_, err = m.slack.Say(more, m.ann, "stop", root)
	require.NoError(t, err)
	m.letGo()
	require.Eventually(t, func() bool {
		return m.done(ctx) == m.sessions && m.posted(late, "Stopped") > 0 && m.number(ctx, unposted) == 0
	}, harness.StepTimeout, 50*time.Millisecond)
	require.Zero(t, m.number(ctx, missed), "nobody had to miss it")
	for n := range m.sessions {
		for _, line := range once[:3] {
			require.Equal(t, 1, m.posted(m.places[n], line), "session %d: %s", n, line)
		}
		require.Equal(t, 1, m.posted(m.places[n], "and pushed:"), "session %d", n)
	}
}

// workers returns the replicas that took jobs of the session in a channel.
func (hs *heldSessions) workers(ctx context.Context, channel string) (names string) {
	require.NoError(hs.t, hs.db.QueryRow(ctx,
		`select coalesce(string_agg(distinct w, ' '), '') from river_job j
		join sessions s on s.id = j.args->>'session', unnest(j.attempted_by) w
		where s.channel = $1`, channel).Scan(&names))
	return names
}

func leavesBehind(ctx context.Context, m *heldSessions) {
	r := m.running[0]
	m.running = m.running[:1]
	m.begin(ctx)
	require.NoError(m.t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(m.t, m.exit(r).ExitCode())
	require.Zero(m.t, m.number(ctx, atHand, m.name(r)))
	require.Positive(m.t,
		m.number(ctx, `select count(*) from river_job where state = 'available' and kind = 'turn'`))
	m.start(r)
	m.end(ctx)
	require.Zero(m.t, m.number(ctx, missed))
}

// The stop is bounded: whatever hangs, the replica ends in time with exit code 0, since nothing went wrong.
func runsOutOfTime(ctx context.Context, m *heldSessions) {
	first := m.running[0]
	m.begin(ctx)
	m.start(m.running[1])
	require.NoError(m.t, m.slack.WaitConnected(ctx, 2*config.DefaultConnections))
	release := m.block(ctx)
	require.NoError(m.t, first.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(m.t, m.exit(first).ExitCode())
	require.Positive(m.t, m.number(ctx, atHand, m.name(first)))
	release()
	m.end(ctx)
}

func endsAtOnce(ctx context.Context, m *heldSessions) {
	r := m.running[0]
	m.running = m.running[:1]
	m.begin(ctx)
	release := m.block(ctx)
	require.NoError(m.t, r.cmd.Process.Signal(syscall.SIGTERM))
	m.drains()
	require.NoError(m.t, r.cmd.Process.Signal(syscall.SIGTERM))
	status, ok := m.exit(r).Sys().(syscall.WaitStatus)
	require.True(m.t, ok)
	require.True(m.t, status.Signaled(), "exit code %d", status.ExitStatus())
	require.Equal(m.t, syscall.SIGTERM, status.Signal())
	release()
	m.start(r)
	m.end(ctx)
}

// The control: a killed replica hands nothing over; the others first have to notice its death.
func dies(ctx context.Context, m *heldSessions) {
	first := m.running[0]
	m.begin(ctx)
	m.start(m.running[1])
	require.NoError(m.t, m.slack.WaitConnected(ctx, 2*config.DefaultConnections))
	require.NoError(m.t, first.cmd.Process.Signal(syscall.SIGKILL))
	m.exit(first)
	require.Positive(m.t, m.number(ctx, notHandedOver, m.name(first)))
	m.end(ctx)
	require.Positive(m.t, m.number(ctx, missed))
}
