package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// findings returns a line for everything that is wrong after a run.
func (f *faultRun) findings() string {
	found := f.model.problems()
	log := f.log.String()
	for _, s := range f.sessions {
		note := func(format string, args ...any) {
			found = append(found, fmt.Sprintf("session %d (%s at %s): ", s.number, s.fault.name,
				s.turn)+fmt.Sprintf(format, args...))
		}
		f.ending(s, log, note)
		f.lines(s, note)
		answers := 0
		for task, messages := range f.transcripts(s, note) {
			answers += history(task, messages, note)
		}
		f.money(s, answers, note)
	}
	if strings.Contains(log, trialKey) {
		found = append(found, "the key stands in the log")
	}
	return strings.Join(found, "\n")
}

type noting = func(format string, args ...any)

func (f *faultRun) sessionID(s *faultySession) (id string) {
	_ = f.db.QueryRow(f.t.Context(), `select id from sessions where channel = $1`,
		s.place.Channel).Scan(&id)
	return id
}

// ending checks that the session was approved once and pushed once, and that its fault occurred and, if the
// bot had to rest, was logged.
func (f *faultRun) ending(s *faultySession, log string, note noting) {
	var phase string
	var pushes, approvals int
	err := f.db.QueryRow(f.t.Context(),
		`select phase, (select count(*) from pushes p where p.session_id = s.id and state = 'pushed'),
		(select count(*) from approvals a where a.session_id = s.id) from sessions s where channel = $1`,
		s.place.Channel).Scan(&phase, &pushes, &approvals)
	if err != nil {
		note("there is no session: %v", err)
		return
	}
	if phase != "done" || pushes != 1 || approvals != 1 {
		note("it is %s with %d pushes and %d approvals; the thread says:\n%s", phase, pushes, approvals,
			indented(f.thread(s)))
	}
	alarm := regexp.MustCompile(`level=ERROR msg="model call failed" session=` + f.sessionID(s))
	if s.fault.rests && !alarm.MatchString(log) {
		note("the operator finds nothing of it in the log")
	}
	if s.fault.spoil != nil && s.hits == 0 {
		note("its fault never came")
	}
}

// lines checks that people are told of a fault exactly once, and of nothing else, and read no half call and
// no key.
func (f *faultRun) lines(s *faultySession, note noting) {
	want := map[string]int{
		"The model could not answer":        0,
		"I got nowhere with this":           0,
		"Got nowhere with task":             0,
		"tasks ended without a result":      0,
		"failed on my side":                 0,
		"Asking the model":                  0,
		"The model's endpoint asks to wait": 0,
		"does not answer at the moment":     0,
		"Paused: ":                          0,
	}
	switch {
	case s.fault.rests:
		want["The model could not answer"] = 1
	case s.fault.strays && !byWorker(s.turn):
		want["I got nowhere with this"] = 1
	case s.fault.strays && s.fault.times == 0:
		want["Got nowhere with task"], want["tasks ended without a result"] = 3, 1
	case s.fault.strays:
		want["Got nowhere with task"] = 1
	}
	for _, says := range s.fault.says {
		for line := range want {
			if strings.HasPrefix(says, line) {
				want[line]++
			}
		}
	}
	var kept []string
	rows, err := f.db.Query(f.t.Context(),
		`select text from lines l join sessions s on s.id = l.session_id where channel = $1`, s.place.Channel)
	require.NoError(f.t, err)
	for rows.Next() {
		var text string
		require.NoError(f.t, rows.Scan(&text))
		kept = append(kept, text)
	}
	all := strings.Join(kept, "\n")
	thread := f.thread(s)
	for _, line := range sortedKeys(want) {
		if inRows, inThread := strings.Count(all, line), strings.Count(thread, line); inRows != want[line] ||
			inThread != want[line] && inThread != inRows {
			note("%q is said %d times (%d in the thread), want %d", line, inRows, inThread, want[line])
		}
	}
	if strings.Contains(all+thread, canary) {
		note("half a call was run: people read %s", canary)
	}
	if strings.Contains(all+thread, trialKey) {
		note("people read the key")
	}
}

// transcripts returns the session's conversations by task.
func (f *faultRun) transcripts(s *faultySession, note noting) map[int64][]model.Message {
	rows, err := f.db.Query(f.t.Context(),
		`select task_id, body from transcript t join sessions s on s.id = t.session_id where channel = $1
			order by task_id, seq`,
		s.place.Channel)
	require.NoError(f.t, err)
	all := map[int64][]model.Message{}
	for rows.Next() {
		var task int64
		var body []byte
		require.NoError(f.t, rows.Scan(&task, &body))
		var m model.Message
		if err := json.Unmarshal(body, &m); err != nil {
			note("a row of the transcript of task %d does not parse: %v", task, err)
			continue
		}
		all[task] = append(all[task], m)
	}
	require.NoError(f.t, rows.Err())
	return all
}

// history checks one stored conversation, and counts the model's answers in it.
func history(task int64, messages []model.Message, note noting) (answers int) {
	calls := map[string]model.Call{}
	results := map[string]int{}
	for i, m := range messages {
		switch m.Role {
		case model.Assistant:
			answers++
		case model.ToolRole:
			results[m.CallID]++
			if _, ok := calls[m.CallID]; !ok {
				note("task %d, row %d: a result without a call: %s", task, i, m.CallID)
			}
			if strings.HasPrefix(m.CallID, "bad") && !(m.Wrong && m.Malformed) {
				note("task %d, row %d: a malformed call was run: %s", task, i, m.Text)
			}
		case model.User:
		case model.CompactionRole: // the model's answer to the request for a summary
			answers++
		default:
			note("task %d, row %d: the role %q", task, i, m.Role)
		}
		for _, c := range m.Calls {
			if _, known := calls[c.ID]; known || c.ID == "" || c.Name == "" {
				note("task %d, row %d: the call %q %q is there twice or has no name", task, i, c.ID, c.Name)
			}
			if strings.HasPrefix(c.ID, "half") {
				note("task %d, row %d: half a call is kept: %s", task, i, c.ID)
			}
			calls[c.ID] = c
		}
	}
	for _, id := range sortedKeys(calls) {
		switch results[id] {
		case 1:
		case 0:
			note("task %d: the call %s has no result", task, id)
		default:
			note("task %d: the call %s has %d results", task, id, results[id])
		}
	}
	return answers
}

// money checks that each complete answer is stored, and that the session was charged for exactly these.
func (f *faultRun) money(s *faultySession, answers int, note noting) {
	var spent float64
	require.NoError(f.t, f.db.QueryRow(f.t.Context(),
		`select coalesce(sum(spent_usd), 0)::float8 from sessions where channel = $1`,
		s.place.Channel).Scan(&spent))
	if want := float64(s.whole) * unit; answers != s.whole || math.Abs(spent-want) > unit/100 {
		note("%.4f USD were spent on %d answers that are kept; the model gave %d whole ones for %.4f", spent,
			answers, s.whole, want)
	}
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
