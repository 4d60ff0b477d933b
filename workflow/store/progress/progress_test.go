package progress_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestAQuestionWaitsUntilItIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	q, err := s.Waiting(ctx, id)
	require.NoError(t, err)
	require.Nil(t, q)

	asked := workflow.Question{
		Text: "Round up or down?", Options: []string{"up", "down"}, Recommended: "down",
		Open: []workflow.OpenDecision{{Question: "Per line?", Recommended: "yes"}},
	}
	require.NoError(t, turn.Record(ctx, progress.Question(asked)))
	q, err = s.Waiting(ctx, id)
	require.NoError(t, err)
	require.Equal(t, asked.Options, q.Options)
	require.Equal(t, asked.Open, q.Open)
	require.True(t, q.Due.IsZero())

	require.NoError(t, turn.Record(ctx, progress.Answer{Question: q.ID, Text: "up", User: "U1"}))
	require.NoError(t, turn.Record(ctx, progress.Answer{Question: q.ID, Text: "down", User: "U2"}))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from questions where answer = 'up' and answered_by = 'U1'`),
		"the first answer stands")
	q, err = s.Waiting(ctx, id)
	require.NoError(t, err)
	require.Nil(t, q)
}

// The job that ends the waiting is inserted with the question, and wakes the session once.
func TestADueQuestionWakesTheSession(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	require.NoError(t, turn.Record(ctx, progress.Question{
		Text:        "?",
		Recommended: "a",
		Options:     []string{"a", "b"},
		Due:         time.Now().Add(time.Hour),
	}))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from river_job where kind = 'due' and state = 'scheduled'`))

	q, err := s.Waiting(ctx, id)
	require.NoError(t, err)
	worker := &queue.DueWorker{Queue: s.Queue}
	job := &river.Job[queue.DueJob]{
		JobRow: &rivertype.JobRow{},
		Args:   queue.DueJob{Session: id, Question: q.ID},
	}
	require.NoError(t, worker.Work(ctx, job))
	require.NoError(t, worker.Work(ctx, job), "a job that is worked again changes nothing")
	waiting, err := turn.Inbox().Unhandled(ctx)
	require.NoError(t, err)
	due := 0
	for _, m := range waiting {
		if m.Kind == workflow.MessageDue {
			due++
			require.NotEmpty(t, m.Value)
		}
	}
	require.Equal(t, 1, due)
}

func TestAnInquiryIsKeptOnceByItsKey(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	q := workflow.Inquiry{
		Kind:     workflow.InquiryConsult,
		Key:      "call:1",
		Question: "is it the proxy?",
		By:       "U1",
	}
	require.NoError(t, turn.Record(ctx, progress.Inquiry(q)))
	require.NoError(t, turn.Record(ctx, progress.Inquiry(q)))
	all, err := s.Inquiries(ctx, id)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Empty(t, all[0].Answer)

	answered := all[0]
	answered.Answer = json.RawMessage(`{"bottom_line": "no"}`)
	require.NoError(t, turn.Record(ctx, progress.Inquiry(answered)))
	require.NoError(t, turn.Record(ctx, progress.Inquiry{ID: answered.ID, Applied: true}))
	all, err = s.Inquiries(ctx, id)
	require.NoError(t, err)
	require.JSONEq(t, `{"bottom_line": "no"}`, string(all[0].Answer))
	require.True(t, all[0].Applied)
}

// Agents read what the program tells them in order, and only once.
func TestWhatIsToldIsUnseenUntilItIsRead(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	told := inbox.AgentNote{Key: "inquiry:1", Text: "the consultant says no"}
	require.NoError(t, turn.Record(ctx, told))
	require.NoError(t, turn.Record(ctx, told))
	unseen, err := turn.Inbox().Unseen(ctx, 0)
	require.NoError(t, err)
	require.Len(t, unseen, 1)
	require.Equal(t, "the consultant says no", unseen[0].AgentText)
	require.NoError(t, turn.Record(ctx, progress.Transcript{Seen: unseen[0].ID}))
	unseen, err = turn.Inbox().Unseen(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, unseen)
}

func TestWhatWasRunAndSeenIsKept(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	require.NoError(t, turn.Record(ctx, progress.Task{Task: workflow.Task{
		Number:      1,
		Description: "fix",
		Category:    workflow.CategoryDeep,
		Apart:       true,
		Plan:        3,
	}}))
	tasks, err := s.Tasks(ctx, id, "")
	require.NoError(t, err)
	k := tasks[0]
	require.True(t, k.Apart)
	require.Equal(t, 3, k.Plan)
	k.State = workflow.TaskFailed
	k.Failures = 2
	k.StartTree = "a"
	k.Tree = "b"
	require.NoError(t, turn.Record(ctx,
		progress.Task{Task: k},
		progress.Check{Task: k.ID, Red: []string{"TestSplit/one"}, Built: true},
		progress.Command{Command: "go test ./...", ExitCode: 1, Output: "FAIL"},
		progress.Command{Number: 7, Command: "go vet"},
		progress.NumberedCheck{Number: 9, ExitCode: 1, Output: "1 failed"},
	))
	last, err := s.LastNumber(ctx, id)
	require.NoError(t, err)
	require.Equal(t, 9, last)
	tasks, err = s.Tasks(ctx, id, "")
	require.NoError(t, err)
	require.Equal(t, k, tasks[0])
	checks, err := s.Checks(ctx, k.ID)
	require.NoError(t, err)
	require.True(t, checks[0].Failed("TestSplit"))
	require.False(t, checks[0].Failed("TestSpli"))
	commands, err := s.Commands(ctx, id)
	require.NoError(t, err)
	require.Equal(t, []progress.Command{
		{Command: "go test ./...", ExitCode: 1, Output: "FAIL"},
		{Number: 7, Command: "go vet"},
		{Number: 9, ExitCode: 1, Output: "1 failed"},
	}, commands)
}

func TestWorkIsKept(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	require.NoError(t, turn.Record(ctx, progress.Task{
		Task: workflow.Task{Number: 1, Description: "fix", Category: workflow.CategoryDeep, After: []int{}},
		Call: "c",
	}))
	tasks, err := s.Tasks(ctx, id, "")
	require.NoError(t, err)
	k := tasks[0]
	k.State = workflow.TaskDone
	k.Summary = "fixed"
	require.NoError(t,
		turn.Record(ctx, storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	push := workflow.Push{
		Commit:     "abc",
		Tree:       "t",
		BaseCommit: "c0ffee",
		Branch:     "bobbin/x",
		Approval:   "a",
		State:      workflow.PushIntended,
	}
	require.NoError(t, turn.Record(ctx,
		store.Usage{USD: 0.25},
		consent.Decision{What: "approve", Allowed: true, User: "U1", Revision: 1},
		progress.Task{Task: k},
		progress.Attempt{Task: k.ID, Number: 1, Tree: "t", Held: true, Summary: "3 passed"},
		consent.Push(push),
	))
	push.State = workflow.PushDone
	require.NoError(t, turn.Record(ctx, store.Usage{USD: 0.25}, consent.Push(push)))

	attempts, err := s.Attempts(ctx, k.ID)
	require.NoError(t, err)
	require.Equal(t,
		[]workflow.Attempt{{Task: k.ID, Number: 1, Tree: "t", Held: true, Summary: "3 passed"}}, attempts)
	pushes, err := s.Pushes(ctx, id)
	require.NoError(t, err)
	require.Len(t, pushes[0].ReportHash, 64)
	push.ReportHash = pushes[0].ReportHash
	require.Equal(t, []workflow.Push{push}, pushes)
	decisions, err := s.Decisions(ctx, id)
	require.NoError(t, err)
	require.Equal(t,
		[]workflow.Decision{{What: "approve", Allowed: true, User: "U1", Revision: 1}}, decisions)
	session, err := s.Session(ctx, id)
	require.NoError(t, err)
	require.InDelta(t, 0.5, session.SpentUSD, 1e-9)
}

// The result of trying a change's hunks survives a restart. A
// reason for one change does not replace another's.
func TestTriedHunksAreKeptByTheirChange(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	hunks := workflow.HunkResults{
		{
			Numbers: []int{1},
			Sum:     "aa",
			Path:    "a.go",
			Line:    3,
			Text:    "+x\x00y\n",
			Verdict: workflow.HunkUnneeded,
		},
		{Numbers: []int{2, 5}, Verdict: workflow.HunkNeeded, Why: "it \xff fails"},
	}
	require.NoError(t, turn.Record(ctx, progress.TriedHunks{Base: "b", Tree: "t", Hunks: hunks}))
	require.NoError(t, turn.Record(ctx, progress.TriedHunks{Base: "b", Tree: "other"}))
	hunks[0].Kept = "it reads better"
	require.NoError(t, turn.Record(ctx, progress.TriedHunks{Base: "b", Tree: "t", Hunks: hunks}))

	rows, err := s.TriedHunks(ctx, id)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, "t", rows[0].Tree)
	require.Equal(t, workflow.HunkResult{
		Numbers: []int{1},
		Sum:     "aa",
		Path:    "a.go",
		Line:    3,
		Text:    "+xy\n",
		Verdict: workflow.HunkUnneeded,
		Kept:    "it reads better",
	}, rows[0].Hunks[0])
	require.Equal(t, []int{2, 5}, rows[0].Hunks[1].Numbers)
	require.Empty(t, rows[1].Hunks)
}
