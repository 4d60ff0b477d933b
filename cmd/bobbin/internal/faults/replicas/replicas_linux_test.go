package replicas

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// chosen returns the value of BOBBIN_REPLICAS, and skips the test if it is not set.
func chosen(t *testing.T) string {
	own := os.Getenv("BOBBIN_REPLICAS")
	if own == "" { // too long for make test; make replicas and SIZE=whole set it
		t.Skip(`BOBBIN_REPLICAS is not set: "small", or how many replicas, such as "1 2 3 4"`)
	}
	return own
}

// atWork limits the sessions at work on each replica while replicas are measured. It is so small that the
// time is spent waiting for the model, not for the CPU.
const atWork = 3

// roomy is a configuration in which only the number of replicas limits the work.
var roomy = fmt.Sprintf("sessions_at_once: 1000, sessions_per_replica: %d", atWork)

// slackLimits are the rate limits of Slack for an app.
var slackLimits = map[string]slacktest.RateLimit{
	"chat.postMessage": {Every: time.Second, ByChannel: true},
	"chat.update":      {Every: 1200 * time.Millisecond, Burst: 10},
}

// TestThroughputGrows plays the same sessions on each number of replicas, and then on the largest number with
// one limit each. It prints a table, and fails unless the last number of replicas achieves more than 1.2
// times the pushes and the sessions at work of the first.
func TestThroughputGrows(t *testing.T) {
	own := chosen(t)
	if own == "small" { // takes ten minutes, and shows no fault that the small run does not show
		t.Skip(`it takes many minutes: BOBBIN_REPLICAS="1 2 3 4"`)
	}
	program, inside := ownNetwork(t)
	if !inside {
		return
	}
	like := load{sessions: 24, channels: 8, repositories: 4, thinking: 2 * time.Second, limits: roomy}
	var table []figures
	var most int
	for _, word := range strings.Fields(own) {
		var n int
		_, err := fmt.Sscan(word, &n)
		require.NoError(t, err)
		most = max(most, n)
		table = append(table, measure(t, program, n, fmt.Sprint(n), like))
	}
	few := like
	few.limits = fmt.Sprintf("sessions_at_once: %d, sessions_per_replica: %d", 2*atWork, atWork)
	table = append(table,
		measure(t, program, most, fmt.Sprintf("%d, `sessions_at_once: %d`", most, 2*atWork), few))
	paced := like
	paced.channels = 2
	paced.repositories = 2
	paced.slackLimits = slackLimits
	table = append(table,
		measure(t, program, most, fmt.Sprintf("%d, Slack's limits, two channels", most), paced))
	fmt.Print(tableOf(table))
	if first, last := table[0], table[len(table)-3]; last.replicas > first.replicas {
		require.Greater(t, last.pushes, 1.2*first.pushes)
		require.Greater(t, last.mean, 1.2*first.mean)
	}
}

// figures is a row of the table.
type figures struct {
	name       string
	replicas   int
	most       int     // maximum of sessions at work
	mean       float64 // mean of sessions at work
	pushes     float64 // per minute
	commits    float64 // Postgres commits per second
	writing    float64 // writing Postgres commits per second
	perSession string  // Postgres commits, and writing ones, per session
	limited    int     // 429s
	processor  time.Duration
	shares     []int
}

// measure plays a load on that many replicas and returns the figures.
func measure(t *testing.T, program string, replicas int, name string, l load) (f figures) {
	t.Run(name, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		s := l.begin(openOffice(t, l), program, replicas)
		s.work(ctx)
		require.Empty(t, s.losses(ctx))
		f = figures{
			name:       name,
			replicas:   replicas,
			most:       s.most,
			mean:       float64(s.sum) / float64(max(s.samples, 1)),
			pushes:     float64(l.sessions) / s.took.Minutes(),
			commits:    float64(s.commits) / s.took.Seconds(),
			writing:    float64(s.writing) / s.took.Seconds(),
			perSession: fmt.Sprintf("%d, %d", s.commits/l.sessions, s.writing/l.sessions),
			limited:    s.limited(),
			shares:     s.shares(ctx),
		}
		require.NotContains(t, f.shares, 0, "a replica took no part")
		stopReplicas(ctx, s.replicas)
		for _, r := range s.replicas {
			f.processor += r.used
		}
	})
	return f
}

// tableOf returns the figures as a Markdown table, with ratios to the first row.
func tableOf(all []figures) string {
	text := "| replicas | at work, most | at work, mean | pushes a minute | commits a second | that write |" +
		" of a session | 429s | processor | sessions of each |\n|---|---|---|---|---|---|---|---|---|---|\n"
	for _, f := range all {
		ratio := func(have, first float64) string { return fmt.Sprintf("(%.2f)", have/cmp.Or(first, 1)) }
		text += fmt.Sprintf("| %s | %d | %.1f %s | %.1f %s | %.0f %s | %.0f | %s | %d | %.0f s | %s |\n",
			f.name, f.most, f.mean, ratio(f.mean, all[0].mean), f.pushes, ratio(f.pushes, all[0].pushes),
			f.commits, ratio(f.commits, all[0].commits), f.writing, f.perSession, f.limited,
			f.processor.Seconds(), strings.Trim(fmt.Sprint(f.shares), "[]"))
	}
	return text
}

// TestReplicasAreCutOff kills one replica in the middle of its sessions, cuts one off from everything, and
// one from Postgres alone. All replicas take part; nothing is lost, and nothing happens twice.
func TestReplicasAreCutOff(t *testing.T) {
	own := chosen(t)
	program, inside := ownNetwork(t)
	if !inside {
		return
	}
	replicas := 4
	l := load{sessions: 36, channels: 12, repositories: 4, thinking: 2 * time.Second, limits: roomy}
	if own == "small" {
		replicas = 2
		l.sessions = 9
		l.thinking = time.Second
		l.limits = "sessions_at_once: 64, sessions_per_replica: 2"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	s := l.begin(openOffice(t, l), program, replicas)
	var all sync.WaitGroup
	all.Go(func() { s.suffer(ctx) })
	s.work(ctx)
	all.Wait()
	shares := s.shares(ctx)
	t.Log("sessions that each replica had a turn of: ", shares)
	require.NotContains(t, shares, 0)
	require.Empty(t, s.losses(ctx))
	require.False(t, slices.ContainsFunc(s.replicas, func(r *replica) bool { return r.gone() }),
		"a replica ended by itself")

	// The controls: losses reports a line that was posted twice, and a branch that was pushed twice.
	at := s.threads[0]
	_, err := s.slack.SayAsBot(at.Channel, s.slack.AddBot(slacktest.User{
		Name: "echo",
	}).ID, "and pushed:", at.Root)
	require.NoError(t, err)
	branches := strings.Fields(s.git(s.remotes[0], "for-each-ref", "--format=%(refname)", "--no-merged=main"))
	s.git(s.remotes[0], "update-ref", "refs/heads/again", branches[0])
	require.Len(t, s.losses(ctx), 2)
}
