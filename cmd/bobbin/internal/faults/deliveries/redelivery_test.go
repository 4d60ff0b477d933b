package deliveries

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// A redeliveryRun delivers every kind of event three times, shuffled, while connections break and
// acknowledgements get lost. Each kind has its own channel, in which its effects are counted.
type redeliveryRun struct {
	*echoBots
	random *rand.Rand
	cases  []*eventCase
}

// An eventCase is one deed in its channel.
type eventCase struct {
	deed
	*redeliveryRun
	channel       string
	ann, ben, eve string
	root          string
}

// TestEveryKindOfEventThreeTimesAndShuffled shows that each kind of event takes effect exactly once, or not
// at all if it should not. BOBBIN_REDELIVERY=seed shuffles in another order.
func TestEveryKindOfEventThreeTimesAndShuffled(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	if own := os.Getenv("BOBBIN_REDELIVERY"); own != "" {
		_, err := fmt.Sscan(own, &seed)
		require.NoError(t, err, "BOBBIN_REDELIVERY is a seed")
	}
	s := gather(t, seed, deeds)
	t.Logf("seed %d: %d kinds", seed, len(s.cases))
	s.start(echoOptions{replicas: 2, connections: 2, watch: s.watched()})
	s.play()
	outcomes, links := s.tally()
	t.Logf("deliveries over %d links: %v", links, outcomes)
	require.Empty(t, s.faults())
}

// Each guard has a control: without the guard the same run must show faults.
func TestRedeliveryIsFoundOutWithoutItsGuards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		echoOptions
		found string // the deed that has to show a fault
	}{
		"one row for each event": {
			echoOptions{unguard: `alter table inbox drop constraint inbox_event_id_key`},
			"edit of a reply",
		},
		"one row for each message":    {echoOptions{unguard: `drop index inbox_one_message`}, "mention"},
		"one thread for each command": {echoOptions{http: oblivious{http.DefaultTransport}}, "/grill-me"},
		"what was judged is kept":     {echoOptions{unguard: forgetful}, "direct message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gather(t, 1, slices.Concat(mentions[:6], changes[:2], slashes[:2]))
			c.replicas = 2
			c.connections = 2
			c.watch = s.watched()
			s.start(c.echoOptions)
			s.play()
			found := s.faults()
			t.Logf("without it %d faults, such as:\n%s", len(found),
				strings.Join(found[:min(3, len(found))], "\n"))
			require.True(t,
				slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, c.found+": ") }),
				"nothing was noticed of %q", c.found)
		})
	}
}

// oblivious is an HTTP transport to a Slack whose channel histories are empty.
type oblivious struct{ http.RoundTripper }

func (o oblivious) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/conversations.history") {
		return o.RoundTripper.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader(`{"ok":true}`)),
		Request:    r,
	}, nil
}

// gather makes the people, and a channel for each deed.
func gather(t *testing.T, seed uint64, deeds []deed) *redeliveryRun {
	s := &redeliveryRun{
		echoBots: newEchoBots(t, slacktest.Config{
			Seed:    seed,
			Retries: []time.Duration{0, time.Millisecond, time.Millisecond},
		}),
		random: rand.New(rand.NewPCG(seed, seed)),
	}
	ben := s.slack.AddUser(slacktest.User{Name: "ben"}).ID
	eve := s.slack.AddUser(slacktest.User{Name: "eve", Kind: slacktest.External}).ID
	for n, d := range deeds {
		c := &eventCase{
			deed:          d,
			redeliveryRun: s,
			ben:           ben,
			eve:           eve,
			ann:           s.slack.AddUser(slacktest.User{Name: fmt.Sprint("ann-", n)}).ID,
		}
		if d.direct {
			im, err := s.slack.OpenIM(c.ann)
			require.NoError(t, err)
			c.channel = im.ID
		} else {
			c.channel = s.slack.AddChannel(slacktest.Channel{
				Name:    fmt.Sprint("place-", n),
				Shared:  true,
				Members: []string{c.ann, ben, eve, s.slack.App().BotUser},
			}).ID
		}
		s.cases = append(s.cases, c)
	}
	return s
}

func (r *redeliveryRun) watched() (ids []string) {
	for _, c := range r.cases {
		if c.deed.watched {
			ids = append(ids, c.channel)
		}
	}
	return ids
}

// play first lets the preparations of all cases happen undisturbed, and then the deeds under redeliveries.
func (r *redeliveryRun) play() {
	for _, c := range r.cases {
		if c.before != nil {
			c.before(c)
		}
	}
	r.echoBots.settle()
	r.slack.Hold()
	var frames []string
	for _, c := range r.cases {
		if c.happens != nil {
			c.happens(c)
		}
		for range 3 {
			frames = append(frames, c.frames...)
		}
	}
	r.random.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
	r.slack.Release(3, r.random, func(left int) {
		if len(frames) > 0 && r.random.IntN(left) < len(frames) && r.slack.Frame(frames[0]) == nil {
			frames = frames[1:]
		}
		r.trouble(r.random)
		if left%8 == 0 {
			r.breath()
		}
	})
	for _, f := range frames { // the frames that found no open connection
		require.NoError(r.t, r.slack.WaitConnected(harness.Soon(r.t), 1))
		_ = r.slack.Frame(f)
	}
	r.echoBots.settle()
	r.pressAgain()
	r.everythingAgain()
}

// pressAgain delivers again the presses and commands whose every copy was lost on a broken connection, as
// Slack itself sends them only once.
func (r *redeliveryRun) pressAgain() {
	for {
		missing := map[string]bool{}
		for _, d := range r.slack.Deliveries() {
			if d.EventID == "" {
				missing[d.EnvelopeID] = true
			}
		}
		for _, d := range r.slack.Deliveries() {
			if d.Outcome == slacktest.Acked {
				delete(missing, d.EnvelopeID)
			}
		}
		if len(missing) == 0 {
			return
		}
		for id := range missing {
			require.NoError(r.t, r.slack.Redeliver(id))
		}
		r.echoBots.settle()
	}
}

// everythingAgain delivers every earlier event once more, long after.
func (r *redeliveryRun) everythingAgain() {
	seen := map[string]bool{}
	for _, d := range r.slack.Deliveries() {
		id := d.EventID
		if id == "" {
			id = d.EnvelopeID
		}
		if !seen[id] {
			seen[id] = true
			require.NoError(r.t, r.slack.Redeliver(id))
		}
	}
	r.echoBots.settle()
}

// faults returns everything that was lost or happened twice, by kind of event.
func (r *redeliveryRun) faults() (found []string) {
	for _, c := range r.cases {
		for what, pair := range map[string][2][]string{
			"rows of the inbox": {
				c.due(), c.rows(`select kind, text || action_id from inbox where session_id in %s`),
			},
			"lines in Slack": {c.heardInSlack(), c.lines()},
			"threads of a session": {
				c.threads(), c.rows(`select 'session', '' from sessions where id in %s`),
			},
			"threads begun by the bot": {c.begun(), c.roots()},
			"reactions to one message": {
				nil,
				c.rows(
					`select 'twice', on_ts from outbox where reaction <> '' and session_id in %s
						group by on_ts having count(*) > 1`,
				),
			},
			"what was neither posted nor": {
				nil,
				c.rows(
					`select key, coalesce(refused, 'open') from outbox where posted_at is null
						and reaction = '' and coalesce(refused, '') <> 'thread_not_found'
						and session_id in %s`,
				),
			},
		} {
			want := slices.Sorted(slices.Values(pair[0]))
			got := slices.Sorted(slices.Values(pair[1]))
			if !slices.Equal(want, got) {
				found = append(found, fmt.Sprintf("%s: %s: want %q, got %q", c.name, what, want, got))
			}
		}
	}
	slices.Sort(found)
	return found
}

func (ec *eventCase) rows(sql string) (list []string) {
	rows, err := ec.db.Query(context.Background(),
		fmt.Sprintf(sql, `(select id from sessions where channel = $1)`), ec.channel)
	require.NoError(ec.t, err)
	defer rows.Close()
	for rows.Next() {
		var a, b string
		require.NoError(ec.t, rows.Scan(&a, &b))
		list = append(list, strings.Join(strings.Fields(a+" "+b), " "))
	}
	require.NoError(ec.t, rows.Err())
	return list
}

// due returns the rows that the inbox must hold at the end.
func (ec *eventCase) due() (list []string) {
	for _, w := range ec.want {
		list = append(list, strings.TrimSuffix(w, " (stale)"))
	}
	return list
}

func (ec *eventCase) heardInSlack() []string {
	if ec.silent {
		return nil
	}
	return ec.want
}

func (ec *eventCase) threads() (list []string) {
	for range ec.sessions() {
		list = append(list, "session")
	}
	return list
}

func (ec *eventCase) sessions() int {
	if len(ec.want) == 0 {
		return 0
	}
	return 1
}

func (ec *eventCase) begun() (list []string) {
	if ec.command != "" {
		return []string{ec.command}
	}
	return nil
}

// lines returns what the bot has repeated in the channel's threads.
func (ec *eventCase) lines() (list []string) {
	for _, root := range ec.slack.Channel(ec.channel) {
		for _, m := range ec.slack.Thread(ec.channel, root.TS) {
			if m.BotID != ec.slack.App().BotID || root.Broadcast {
				continue
			}
			for line := range strings.Lines(m.Text) {
				if said, is := strings.CutPrefix(strings.TrimSpace(line), "[parrot] heard "); is {
					list = append(list, said)
				}
			}
		}
	}
	return list
}

// roots returns the first word after the agent's name of each message with which the bot began a thread in
// the channel.
func (ec *eventCase) roots() (list []string) {
	for _, m := range ec.slack.Channel(ec.channel) {
		if m.BotID == ec.slack.App().BotID && !strings.Contains(m.Text, "to myself") {
			list = append(list, strings.Fields(m.Text)[1])
		}
	}
	return list
}
