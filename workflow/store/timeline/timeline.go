// Package timeline reads one session as people look at it afterwards: what people wrote, what was
// said, what models called and got, what was decided, tried and pushed, in the order of time. It
// writes nothing, and masks nothing: who shows it does.
package timeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Kind says what an entry tells of.
type Kind string

// The kinds of entries.
const (
	Person   Kind = "person"   // a message, an edit or a submitted form: Text
	Line     Kind = "line"     // what was said in the thread
	Thought  Kind = "thought"  // what a model wrote beside its calls
	Call     Kind = "call"     // of a tool: Title is its name, Text the arguments, Output the result
	Decision Kind = "decision" // Title is what was decided
	Attempt  Kind = "attempt"  // of a task, with what the program's check said
	Report   Kind = "report"   // a revision was shown: Number
	Push     Kind = "push"     // Title is the branch, Text the commit
)

// An Entry is one thing that happened.
type Entry struct {
	At     time.Time
	Kind   Kind
	Who    string // the agent; of a person and a decision the Slack user's id
	Task   int    // number of the task that it belongs to; 0: to none
	Number int    // of a revision or an attempt
	Title  string
	Text   string
	Output string
	Wrong  bool          // refused, failed or a mistake
	Open   bool          // a call that has no result yet
	Waited time.Duration // for the model, before this
	Took   time.Duration // of a call that has its result
}

// Most is how many rows Read reads, the newest.
const Most = 3000

// Read gives what happened in a session. More says that there is something older, which was
// left out.
func Read(ctx context.Context, db *database.DB, session string) (entries []Entry, more bool, err error) {
	rows, err := db.Pool.Query(ctx, `select at, kind, who, task, number, title, body, wrong from (`+everything+`) x order by at desc, place desc, n desc limit $2`, session, Most+1)
	if err != nil {
		return nil, false, fmt.Errorf("timeline of %s: %w", session, err)
	}
	entries, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
		err = r.Scan(&e.At, &e.Kind, &e.Who, &e.Task, &e.Number, &e.Title, &e.Text, &e.Wrong)
		return e, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("timeline of %s: %w", session, err)
	}
	if more = len(entries) > Most; more {
		entries = entries[:Most]
	}
	slices.Reverse(entries)
	return pairCalls(entries), more, nil
}

// everything is each kind of row in one shape. place orders what has the same time.
const everything = `
	select at, 'person' as kind, user_id as who, 0 as task, 0 as number, kind as title, case kind when 'action' then replace(action_id, '_', ' ') else text end as body, false as wrong, 1 as place, id as n
		from inbox where session_id = $1 and kind in ('mention', 'reply', 'edit', 'delete', 'action', 'form', 'sent') and not (kind = 'action' and action_id = 'details')
	union all select t.at, 'message', ` + agentOf + `, coalesce(k.number, 0), 0, '', t.body::text, false, 2, t.seq
		from transcript t left join tasks k on k.session_id = t.session_id and k.id = t.task_id left join inquiries q on q.session_id = t.session_id and q.id = -t.task_id
		where t.session_id = $1
	union all select at, 'line', agent, 0, 0, '', text, false, 3, id from lines where session_id = $1
	union all select at, 'report', '', 0, revision, kind, text, false, 4, revision from reports where session_id = $1
	union all select at, 'decision', user_id, 0, revision, what, reason, not allowed, 5, id from decisions where session_id = $1
	union all select a.at, 'attempt', k.category, k.number, a.number, '', a.summary, not a.held, 6, a.number from attempts a join tasks k on k.id = a.task_id where k.session_id = $1
	union all select at, 'push', '', 0, 0, branch, commit_hash, state = 'refused', 7, 0 from pushes where session_id = $1`

// agentOf names whose transcript a row is of.
const agentOf = `case when t.task_id = 0 then 'orchestrator' when t.task_id > 0 then coalesce(k.category, 'worker') else coalesce(q.kind, 'inquiry') end`

// pairCalls makes an entry of each call of a tool, with its result, and of what a model wrote.
// What a model was told besides stands elsewhere in the timeline.
func pairCalls(rows []Entry) (entries []Entry) {
	open := map[string]int{}       // by conversation and call: where its entry is
	last := map[string]time.Time{} // by conversation: when its newest item was recorded
	for _, e := range rows {
		if e.Kind != message {
			entries = append(entries, e)
			continue
		}
		of := fmt.Sprint(e.Who, " ", e.Task, " ")
		before := last[of]
		last[of] = e.At
		var m item
		if json.Unmarshal([]byte(e.Text), &m) != nil {
			continue // of a version that is newer than this one
		}
		if i, ok := open[of+m.CallID]; ok && m.Role == "tool" {
			entries[i].Output, entries[i].Wrong, entries[i].Open = m.Text, m.Wrong, false
			entries[i].Took = e.At.Sub(later(entries[i].At, before))
			delete(open, of+m.CallID)
		}
		if m.Role != "assistant" {
			continue
		}
		first := len(entries)
		if m.Text != "" {
			said := e
			said.Kind, said.Text = Thought, m.Text
			entries = append(entries, said)
		}
		for _, c := range m.Calls {
			call := e
			call.Kind, call.Title, call.Text, call.Open = Call, c.Name, string(c.Args), true
			open[of+c.ID] = len(entries)
			entries = append(entries, call)
		}
		if first < len(entries) && !before.IsZero() {
			entries[first].Waited = e.At.Sub(before)
		}
	}
	return entries
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// message is the kind of the rows that pairCalls reads.
const message Kind = "message"

// An item is what is read of an item of a transcript; package model says what it holds.
type item struct {
	Role   string `json:"role"`
	Text   string `json:"text"`
	CallID string `json:"call_id"`
	Wrong  bool   `json:"wrong"`
	Calls  []struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"calls"`
}

// Version changes whenever something of the session does that Read gives.
func Version(ctx context.Context, db *database.DB, session string) (version string, err error) {
	err = db.Pool.QueryRow(ctx, `select s.updated_at::text || ' ' || s.phase || ' ' || (select coalesce(max(id), 0) from lines where session_id = $1)
		|| ' ' || (select count(*) from transcript where session_id = $1) || ' ' || (select coalesce(max(id), 0) from inbox where session_id = $1)
		|| ' ' || (select coalesce(max(id), 0) from decisions where session_id = $1) from sessions s where s.id = $1`, session).Scan(&version)
	if err != nil {
		return "", fmt.Errorf("timeline of %s: %w", session, err)
	}
	return version, nil
}
