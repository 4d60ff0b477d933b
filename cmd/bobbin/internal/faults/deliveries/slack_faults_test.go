package deliveries

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// A faultRun makes replicas that share one outbox post many lines in many threads, while Slack fails in every
// way.
type faultRun struct {
	*echoBots
	random  *rand.Rand
	ann     string
	threads []*talk
	said    map[string]int // number of requested lines, by the root's ts
}

// A talk is one thread: the channel's ID and the root's ts.
type talk struct{ channel, root string }

// TestLinesKeepTheirOrderWhateverSlackAnswers shows that each line is posted once, in its thread's order, and
// that a channel that accepts nothing does not delay the others. BOBBIN_WEATHER="seed lines threads" sets
// other sizes.
func TestLinesKeepTheirOrderWhateverSlackAnswers(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	lines := 200
	threads := 10
	if own := os.Getenv("BOBBIN_WEATHER"); own != "" {
		_, err := fmt.Sscan(own, &seed, &lines, &threads)
		require.NoError(t, err, "BOBBIN_WEATHER is: seed lines threads")
	}
	t.Logf("seed %d: %d lines in %d threads", seed, lines, threads)
	s := openGale(t, seed, threads)
	s.start(echoOptions{replicas: 2, connections: 2})
	full := s.threads[0].channel
	s.orderFaults(full)
	s.chat(lines)
	s.awaitOthers(full)
	require.Empty(t, s.lines(s.threads[0]), "this channel takes nothing")
	s.slack.ClearFaults()
	s.orderFaults("")
	s.echoBots.settle()
	t.Log(s.tell())
	require.Empty(t, s.faults())
}

// Each guard has a control: without the guard the same run must show faults.
func TestSlackFaultsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		echoOptions
		fault slacktest.Fault // the fault of Slack that the guard handles
	}{
		"what was tried is looked up": {
			echoOptions{blind: true},
			slacktest.Fault{Probability: 0.2, LoseAnswer: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openGale(t, 1, 10)
			c.replicas, c.connections = 2, 2
			s.start(c.echoOptions)
			c.fault.Method = "chat.postMessage"
			s.slack.Order(c.fault)
			s.orderFaults("")
			s.chat(100)
			s.echoBots.settle()
			found := s.faults()
			t.Logf("without it %d faults, such as:\n%s", len(found),
				strings.Join(found[:min(3, len(found))], "\n"))
			require.Regexp(t, "twice|out of order", strings.Join(found, "\n"), "nothing was noticed")
		})
	}
}

// TestACrowdedChannelHoldsNoOtherUp shows that another channel gets its line while any number of threads wait
// for a channel that accepts nothing. The control has few posters.
func TestACrowdedChannelHoldsNoOtherUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		echoOptions
		within time.Duration
		comes  bool
	}{
		"many posters": {echoOptions{}, harness.StepTimeout, true},
		"few posters":  {echoOptions{posters: 16}, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openGale(t, 1, 0)
			c.replicas, c.connections = 1, 1
			s.start(c.echoOptions)
			crowd := s.channel("crowd")
			other := s.channel("other")
			s.slack.Order(slacktest.Fault{
				Method:  "chat.postMessage",
				Channel: crowd,
				Times:   -1,
				Status:  http.StatusTooManyRequests,
			})
			for range 48 {
				s.ask(crowd)
			}
			ctx, cancel := context.WithTimeout(t.Context(), harness.StepTimeout)
			defer cancel()
			_, err := s.slack.WaitFor(ctx, crowd, s.threads[0].root, func([]slacktest.Message) bool {
				return len(s.slack.Requests("chat.postMessage")) >= 16
			})
			require.NoError(t, err)
			alone := s.ask(other)
			ctx, cancel = context.WithTimeout(t.Context(), c.within)
			defer cancel()
			_, err = s.slack.WaitFor(ctx, other, alone.root,
				func([]slacktest.Message) bool { return len(s.lines(alone)) == 1 })
			require.Equal(t, c.comes, err == nil, "%v", err)
			s.slack.ClearFaults()
			s.echoBots.settle()
			require.Empty(t, s.faults())
		})
	}
}

// TestATryThatGetsOnIsNotHeldAgainstItsJob shows that single faults among many lines do not count as tries of
// the job, and so do not delay its next try.
func TestATryThatGetsOnIsNotHeldAgainstItsJob(t *testing.T) {
	t.Parallel()
	s := openGale(t, 1, 1)
	s.start(echoOptions{replicas: 1, connections: 1})
	for n := range 4 { // calls 2, 4, 6 and 8
		s.slack.Order(slacktest.Fault{
			Method: "chat.postMessage",
			Nth:    n + 2,
			Status: http.StatusInternalServerError,
		})
	}
	p := s.threads[0]
	root, err := s.slack.Say(p.channel, s.ann, s.slack.Mention()+" say 5 alone", "")
	require.NoError(t, err)
	p.root = root
	s.said[root] = 5
	s.echoBots.settle()
	require.Empty(t, s.faults())
	require.Len(t, s.slack.Requests("chat.postMessage"), 9)
	var tries int
	require.NoError(t,
		s.db.QueryRow(t.Context(), `select max(attempt) from river_job where kind = 'post'`).Scan(&tries))
	require.Equal(t, 1, tries)
}

// ask begins a thread with a request for one line.
func (fr *faultRun) ask(channel string) *talk {
	root, err := fr.slack.Say(channel, fr.ann, fr.slack.Mention()+" say 1", "")
	require.NoError(fr.t, err)
	fr.said[root] = 1
	fr.threads = append(fr.threads, &talk{channel, root})
	return fr.threads[len(fr.threads)-1]
}

// openGale makes five channels, and spreads the threads over them.
func openGale(t *testing.T, seed uint64, threads int) *faultRun {
	s := &faultRun{
		// the long delays are for a busy machine
		echoBots: newEchoBots(t, slacktest.Config{
			Seed: seed,
			Retries: []time.Duration{
				0, time.Millisecond, time.Millisecond, time.Second, 5 * time.Second, 5 * time.Second,
			},
		}),
		random: rand.New(rand.NewPCG(seed, seed)), said: map[string]int{},
	}
	s.ann = s.slack.AddUser(slacktest.User{Name: "ann"}).ID
	var channels []string
	for n := range 5 {
		channels = append(channels, s.channel(fmt.Sprint("talk-", n)))
	}
	for n := range threads {
		s.threads = append(s.threads, &talk{channel: channels[n%len(channels)]})
	}
	return s
}

func (fr *faultRun) channel(name string) string {
	return fr.slack.AddChannel(slacktest.Channel{
		Name:    name,
		Members: []string{fr.ann, fr.slack.App().BotUser},
	}).ID
}

// orderFaults sets how Slack fails from now on. If full is not empty, that channel accepts no message.
func (fr *faultRun) orderFaults(full string) {
	if full != "" {
		fr.slack.Order(slacktest.Fault{
			Method:  "chat.postMessage",
			Channel: full,
			Times:   -1,
			Status:  http.StatusTooManyRequests,
		})
	}
	for _, method := range []string{"chat.postMessage", "conversations.replies", "reactions.add"} {
		for _, f := range []slacktest.Fault{
			{Probability: 0.02, Status: http.StatusTooManyRequests},
			{Probability: 0.01, Status: http.StatusInternalServerError},
			{Probability: 0.01, Status: http.StatusServiceUnavailable},
			{Probability: 0.01, Error: "fatal_error"},
			{Probability: 0.02, LoseCall: true},
			{Probability: 0.03, LoseAnswer: true},
			{Probability: 0.01, LoseAnswer: true, Late: 20 * time.Millisecond},
		} {
			f.Method = method
			fr.slack.Order(f)
		}
	}
}

// chat requests lines in all, five at a time, in random threads, while the connections break.
func (fr *faultRun) chat(lines int) {
	var order []*talk
	for n := range lines / 5 {
		order = append(order, fr.threads[n%len(fr.threads)])
	}
	fr.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for n, p := range order {
		text := fr.slack.Mention() + []string{" say 5", " say 5 alone"}[fr.random.IntN(2)]
		ts, err := fr.slack.Say(p.channel, fr.ann, text, p.root)
		require.NoError(fr.t, err)
		if p.root == "" {
			p.root = ts
		}
		fr.said[p.root] += 5
		fr.trouble(fr.random)
		if fr.random.IntN(10) == 0 {
			_ = fr.slack.Frame([]string{
				`{`, `{"type":"brand_new"}`, "\x00", `{"envelope_id":"e","type":"events_api","payload":7}`,
			}[fr.random.IntN(4)])
		}
		if n%4 == 0 {
			fr.breath()
		}
	}
}

// awaitOthers waits until all lines are posted in every channel except full.
func (fr *faultRun) awaitOthers(full string) {
	ctx := harness.Soon(fr.t)
	for _, p := range fr.threads {
		for p.channel != full && len(fr.lines(p)) < fr.said[p.root] {
			require.NoError(fr.t, ctx.Err(), "%d lines of %d stand in %s: %s", len(fr.lines(p)),
				fr.said[p.root],
				p.root, fr.held(p))
			a, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			_, _ = fr.slack.WaitFor(a, p.channel, p.root,
				func([]slacktest.Message) bool { return len(fr.lines(p)) >= fr.said[p.root] })
			cancel()
			fr.echoBots.nudge()
		}
	}
}

// held returns what the database holds about a thread, as JSON.
func (fr *faultRun) held(p *talk) (state string) {
	err := fr.db.QueryRow(context.Background(), `select jsonb_build_object(
			'inbox', (select count(*) from inbox where session_id = s.id), 'unhandled', (select count(*)
				from inbox where session_id = s.id and handled_at is null),
			'lines', (select count(*) from lines where session_id = s.id),
			'waiting', (select jsonb_agg(o) from outbox o where session_id = s.id and posted_at is null),
			'jobs', (select jsonb_agg(j) from river_job j where args->>'session' = s.id
				and state <> 'completed'))::text
		from sessions s where channel = $1 and thread_ts = $2`, p.channel, p.root).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return "its first message did not arrive yet"
	}
	require.NoError(fr.t, err)
	return state
}

var lineNumber = regexp.MustCompile(`line \d{4}`)

// lines returns the numbered lines of a thread in their order.
func (fr *faultRun) lines(p *talk) (found []string) {
	for _, m := range fr.slack.Thread(p.channel, p.root) {
		if m.BotID == fr.slack.App().BotID {
			found = append(found, lineNumber.FindAllString(m.Text, -1)...)
		}
	}
	return found
}

// faults returns a text for each line that was lost, posted twice or out of order.
func (fr *faultRun) faults() (found []string) {
	for n, p := range fr.threads {
		there := fr.lines(p)
		times := map[string]int{}
		for _, l := range there {
			times[l]++
		}
		for i := range fr.said[p.root] {
			switch l := fmt.Sprintf("line %04d", i); times[l] {
			case 0:
				found = append(found, fmt.Sprintf("thread %d: %s is lost", n, l))
			case 1:
			default:
				found = append(found, fmt.Sprintf("thread %d: %s stands twice or more", n, l))
			}
		}
		if !slices.IsSorted(there) {
			found = append(found, fmt.Sprintf("thread %d is out of order: %s", n, there))
		}
		if len(times) > fr.said[p.root] {
			found = append(found, fmt.Sprintf("thread %d: more than was asked for", n))
		}
	}
	return found
}

// tell summarises the outcomes of the run's posts and events.
func (fr *faultRun) tell() string {
	statuses := map[string]int{}
	for _, r := range fr.slack.Requests("chat.postMessage") {
		switch {
		case r.Lost:
			statuses["answer lost"]++
		case r.Status == 0:
			statuses["call lost"]++
		case r.Error == "fatal_error":
			statuses[r.Error]++
		default:
			statuses[fmt.Sprint(r.Status)]++
		}
	}
	outcomes, links := fr.tally()
	return fmt.Sprintf("chat.postMessage: %v; events: %v, over %d links", statuses, outcomes, links)
}
