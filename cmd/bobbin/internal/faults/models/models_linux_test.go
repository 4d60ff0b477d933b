package models

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/queue"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A faultRun is one run of the bot with a model that fails: one session for each chosen fault at one turn of
// the conversation. The sessions run in parallel, and all have to end in a push.
type faultRun struct {
	t        *testing.T
	sessions []*faultySession
	heal     bool    // the endpoint hides that answers were cut off
	limit    float64 // cost limit of a session in USD

	stage *stage.Stage
	db    *pgxpool.Pool
	model *faultyModel
	log   *harness.LogBook
}

// A faultySession is a session with one fault at one of its turns.
type faultySession struct {
	number int
	fault  modelFault
	turn   string // named by the tool that the model would call at that turn

	place   harness.Thread
	asked   bool // "fix it" was sent
	replies int  // replies of a person after the bot said that it cannot continue

	mu     sync.Mutex
	hits   int  // spoilt requests
	lifted bool // the fault is over
	whole  int  // complete answers
	most   int  // length of the longest request in bytes
}

// turns are the turns of a session, each a request to the model.
var turns = []string{"report_root_cause", "delegate", "read_file", "edit_file", "done", "finish"}

func byWorker(turn string) bool {
	return slices.Contains([]string{"read_file", "edit_file", "done"}, turn)
}

// everyFault returns each fault at each turn at which it can occur.
func everyFault() (all []*faultySession) {
	for _, f := range modelFaults() {
		for _, turn := range turns {
			if f.only == "" || f.only == turn {
				all = append(all, &faultySession{fault: f, turn: turn})
			}
		}
	}
	return all
}

// trialKey is the API key of the bot, which may appear nowhere else.
const trialKey = "sk-trial-0123456789abcdef"

// TestModelFaults shows that whatever a model or its endpoint does, a session recovers, or rests with one
// line and continues when a person replies; no half call is run or stored. By default it tries a few cases
// from a fixed seed. BOBBIN_MODEL_FAULTS="seed sessions" chooses others, and "all" tries every fault at every
// turn.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	most := 12
	own := os.Getenv("BOBBIN_MODEL_FAULTS")
	if own != "" && own != "all" {
		_, err := fmt.Sscan(own, &seed, &most)
		require.NoError(t, err, `BOBBIN_MODEL_FAULTS is "all", or: seed sessions`)
	}
	all := everyFault()
	if own != "all" {
		random := rand.New(rand.NewPCG(seed, seed))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(most, len(all))]
	}
	t.Logf("seed %d: %d sessions, %d kinds of faults", seed, len(all), len(modelFaults()))
	tr := &faultRun{t: t, sessions: all}
	tr.open()
	tr.play(harness.RunTimeout)
	require.Empty(t, tr.findings())
	require.GreaterOrEqual(t, len(modelFaults()), 25)
}

// A session that has reached its cost limit pauses with a line; each "go on" allows the same amount again.
func TestALimitOfCostRests(t *testing.T) {
	t.Parallel()
	says := []string{"Paused: "}
	tr := &faultRun{
		t:        t,
		limit:    4.5 * unit,
		sessions: []*faultySession{{fault: modelFault{name: "the cost", says: says}}},
	}
	tr.open()
	tr.play(harness.StepTimeout)
	require.Empty(t, tr.findings(), "six answers: after the fifth somebody is asked")
	require.Contains(t, tr.thread(tr.sessions[0]),
		"used in this session (session_usd). Nothing is lost. Reply \"go on\" to allow as much again.")
}

// The control: findings reports each of these corruptions of the database.
func TestPoisonedHistoryIsFoundOut(t *testing.T) {
	t.Parallel()
	tr := &faultRun{t: t}
	poisons := []struct{ sql, found string }{
		{
			`delete from transcript where session_id = $1 and task_id = 0 and body->>'role' = 'tool'
				and seq = (select max(seq) from transcript where session_id = $1 and task_id = 0
				and body->>'role' = 'tool')`,
			"has no result",
		},
		{
			`insert into transcript (session_id, task_id, seq, body) select session_id, task_id, 999, body
				from transcript where session_id = $1 and task_id = 0 and body->>'role' = 'tool' limit 1`,
			"has 2 results",
		},
		{
			`insert into transcript (session_id, task_id, seq, body)
				values ($1, 0, 999,
				'{"role":"assistant","calls":[{"id":"half-1","name":"say","args":"{\"mess"}]}')`,
			"half a call",
		},
		{`update sessions set spent_usd = spent_usd - 0.002 where id = $1`, "were spent"},
		{
			`insert into lines (session_id, agent, text)
				values ($1, 'x', 'The model could not answer (again)')`,
			"could not answer",
		},
	}
	for range poisons {
		tr.sessions = append(tr.sessions, &faultySession{fault: modelFault{name: "none", spoil: nil}})
	}
	tr.open()
	tr.play(harness.StepTimeout)
	require.Empty(t, tr.findings(), "before anything is poisoned")
	for n, p := range poisons {
		_, err := tr.db.Exec(t.Context(), p.sql, tr.sessionID(tr.sessions[n]))
		require.NoError(t, err)
	}
	found := tr.findings()
	for n, p := range poisons {
		require.Regexp(t, fmt.Sprintf(`(?m)^session %d .*%s`, n, p.found), found)
	}
}

// The control: a client believes an endpoint that hides its cuts, as it would believe every endpoint if it
// did not require a finish reason. The half calls are then run, and findings reports that.
func TestHalfCallsThatAreRunAreFoundOut(t *testing.T) {
	t.Parallel()
	tr := &faultRun{t: t, heal: true}
	for _, s := range everyFault() {
		if s.fault.half && s.turn == "report_root_cause" {
			tr.sessions = append(tr.sessions, s)
		}
	}
	require.GreaterOrEqual(t, len(tr.sessions), 4)
	tr.open()
	tr.play(harness.StepTimeout)
	found := tr.findings()
	for n := range tr.sessions {
		require.Regexp(t, fmt.Sprintf(`(?m)^session %d .*half a call`, n), found)
	}
}

func (f *faultRun) open() {
	t := f.t
	dir := harness.Dir(t)
	var err error
	files := []txtar.File{{
		Name: "big.txt", Data: bytes.Repeat([]byte(strings.Repeat("all is well here ", 5)+"\n"), 1200),
	}}
	var bugs []byte // one file for all sessions: each has its own tree
	for n, s := range f.sessions {
		s.number = n
		bugs = fmt.Appendf(bugs, "wrong <%d>\n", n)
	}
	files = append(files, txtar.File{Name: bugsFile, Data: bugs})
	f.model = serveFaults(t, f.sessions, f.heal)
	f.log = &harness.LogBook{}
	f.stage, err = stage.Open(t.Context(), stage.Config{
		Dir:         dir,
		Files:       files,
		Model:       "== nobody\nsay nothing\n",
		ModelName:   "none",
		DatabaseURL: harness.Database(t),
		Log:         slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Adjust:      f.adjust,
	})
	require.NoError(t, err)
	t.Cleanup(func() { f.stage.Close() })
	require.NoError(t, f.stage.Start(context.Background()))
	f.db = f.stage.Store.Pool
	for n, s := range f.sessions {
		ch := f.stage.Slack.AddChannel(slacktest.Channel{
			Name:    fmt.Sprintf("bugs-%d", n),
			Members: []string{f.stage.People["ann"], f.stage.Slack.App().BotUser},
		})
		s.place.Channel = ch.ID
	}
}

// adjust makes the bot ask the failing model, with short waits.
func (f *faultRun) adjust(s *server.Settings) {
	s.ModelURL = f.model.URL + "/v1"
	s.ModelKey = trialKey
	s.ModelRetry = model.Retry{Tries: 3, Wait: 5 * time.Millisecond, MaxWait: 2 * time.Second}
	s.ModelIdle = harness.StepTimeout
	s.NoticeAfter = 150 * time.Millisecond
	if slices.ContainsFunc(f.sessions, func(s *faultySession) bool { return s.fault.silent }) {
		s.ModelIdle = 20 * time.Second
	}
	s.Limits = workflow.Limits{workflow.SpanSession: {workflow.UnitUSD: f.limit}}
	s.Sandbox.Kind = "none"
	s.Seats = queue.ConcurrencyLimits{AtOnce: atOnce}
	s.Prices = map[string]model.Price{"spare": {Input: 1, Output: 10}}
	s.Fallback = map[string][]string{}
	for _, a := range s.Agents {
		s.Prices[a.Model] = model.Price{Input: 1, Output: 10}
		s.Fallback[a.Model] = []string{"spare"}
	}
}

// play acts as the people: they report, write "fix it", and reply when the bot rests.
func (f *faultRun) play(most time.Duration) {
	ctx, cancel := context.WithTimeout(f.t.Context(), most)
	defer cancel()
	waiting := f.sessions
	open := []*faultySession{}
	for len(waiting)+len(open) > 0 && ctx.Err() == nil {
		for len(waiting) > 0 && len(open) < atOnce {
			f.begin(waiting[0])
			waiting, open = waiting[1:], append(open, waiting[0])
		}
		open = slices.DeleteFunc(open, f.tend)
		harness.Sleep(ctx, 40*time.Millisecond)
	}
}

// atOnce is the number of sessions in progress at a time.
const atOnce = 16

func (f *faultRun) begin(s *faultySession) {
	slack := f.stage.Slack
	root, err := slack.Say(s.place.Channel, f.stage.People["ann"],
		fmt.Sprintf("%s bug %d", slack.Mention(), s.number), "")
	require.NoError(f.t, err)
	s.place.Root = root
}

// rests matches the lines after which nothing happens until a person writes.
var rests = regexp.MustCompile(`The model could not answer|I got nowhere with this|Paused: ` +
	`|tasks ended without a result|failed on my side`)

// tend sends the next message in one session if it is due, and reports whether the session is over.
func (f *faultRun) tend(s *faultySession) bool {
	said := f.thread(s)
	say := func(text string) {
		_, err := f.stage.Slack.Say(s.place.Channel, f.stage.People["ann"], text, s.place.Root)
		require.NoError(f.t, err)
	}
	switch stuck := len(rests.FindAllString(said, -1)); {
	case strings.Contains(said, "and pushed:"), f.heal && strings.Contains(said, canary):
		return true
	case stuck > s.replies && s.replies < 3:
		s.replies = stuck
		s.mu.Lock()
		s.lifted = true
		s.mu.Unlock()
		if strings.Contains(said, "Paused: ") {
			say("go on")
			break
		}
		say("try it again now")
	case !s.asked && strings.Contains(said, "nothing is changed yet"):
		s.asked = true
		say("fix it")
	}
	return false
}

// thread returns the bot's messages in a session's thread.
func (f *faultRun) thread(s *faultySession) string {
	var b strings.Builder
	for _, m := range f.stage.Slack.Thread(s.place.Channel, s.place.Root) {
		if m.BotID == f.stage.Slack.App().BotID {
			b.WriteString(m.Text + "\n")
		}
	}
	return b.String()
}
