// Package timeline reads one session as people look at it afterwards: what people wrote, what was
// said, what models called and got, what was decided, tried and pushed, in the order of time. It
// writes nothing, and masks nothing: who shows it does.
package timeline

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
	Fold     Kind = "fold"     // an agent's model is shown less of its conversation from here on: Title says how, Text is what stands for the rest
	Attempt  Kind = "attempt"  // of a task, with what the program's check said
	Report   Kind = "report"   // a revision was shown: Number
	Push     Kind = "push"     // Title is the branch, Text the commit
)

// An Entry is one thing that happened.
type Entry struct {
	ID     string // names it in its session, for good
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
	Took   time.Duration // of a call that has its result

	of   int64  // whose conversation an item of a transcript is in
	n    int    // where in it
	call string // what its result names
}

// A Page is a stretch of a session's entries, in order.
type Page struct {
	Entries []Entry
	Before  time.Time // what is older than the page is; zero: nothing
}

// Most is how many rows a page is of, and a few more that are as old as its oldest.
const Most = 150

// Read gives what happened before a moment, or the newest where that is zero.
func Read(ctx context.Context, db *database.DB, session string, before time.Time) (p Page, err error) {
	until := endOfTime
	if !before.IsZero() {
		until = before
	}
	rows, err := db.Pool.Query(ctx, `select at from (`+moments+`) x where at < $2 order by at desc limit $3`, session, until, Most+1)
	if err != nil {
		return p, fmt.Errorf("timeline of %s: %w", session, err)
	}
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil || len(at) == 0 {
		return p, err
	}
	from := at[min(len(at), Most)-1]
	if len(at) > Most && at[Most].Before(from) {
		p.Before = from
	}
	p.Entries, err = read(ctx, db, session, from, until)
	return p, err
}

var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Find gives one entry by its ID; false where there is none.
func Find(ctx context.Context, db *database.DB, session, id string) (Entry, bool, error) {
	micros, _, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(micros, 36, 64)
	if err != nil {
		return Entry{}, false, nil
	}
	at := time.UnixMicro(n)
	entries, err := read(ctx, db, session, at, at.Add(time.Microsecond))
	for _, e := range entries {
		if e.ID == id {
			return e, true, err
		}
	}
	return Entry{}, false, err
}

// read gives the entries of a time, from its begin on and before its end.
func read(ctx context.Context, db *database.DB, session string, from, until time.Time) ([]Entry, error) {
	rows, err := db.Pool.Query(ctx, `select at, kind, who, task, number, title, body, wrong, place, part, n from (`+everything+`) x where at >= $2 and at < $3 order by at, place, part, n`, session, from, until)
	if err != nil {
		return nil, fmt.Errorf("timeline of %s: %w", session, err)
	}
	read, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
		var place int
		err = r.Scan(&e.At, &e.Kind, &e.Who, &e.Task, &e.Number, &e.Title, &e.Text, &e.Wrong, &place, &e.of, &e.n)
		e.ID = fmt.Sprintf("%s-%d-%d-%d", strconv.FormatInt(e.At.UnixMicro(), 36), place, e.of, e.n)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("timeline of %s: %w", session, err)
	}
	entries := pairCalls(read)
	for of, open := range openCalls(entries) { // their results may be of a later page
		rows, err := db.Pool.Query(ctx, `select at, body::text from transcript where session_id = $1 and task_id = $2 and seq > $3 order by seq limit $4`, session, of, open.last, open.count)
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", session, err)
		}
		results, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
			err = r.Scan(&e.At, &e.Text)
			e.Kind, e.of = message, of
			return e, err
		})
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", session, err)
		}
		closeCalls(entries, results, open.at)
	}
	return entries, nil
}

// everything is each kind of row in one shape. place, part and n order what has the same time.
const everything = `
	select at, 'person' as kind, user_id as who, 0 as task, 0 as number, kind as title, case kind when 'action' then replace(action_id, '_', ' ') else text end as body, false as wrong, 1 as place, 0::bigint as part, id as n
		from inbox where ` + people + `
	union all select t.at, 'message', ` + agentOf + `, coalesce(k.number, 0), 0, '', t.body::text, false, 2, t.task_id, t.seq
		from transcript t ` + agents + ` where t.session_id = $1
	union all select at, 'line', agent, 0, 0, '', text, false, 3, 0, id from lines where session_id = $1
	union all select at, 'report', '', 0, revision, kind, text, false, 4, 0, revision from reports where session_id = $1
	union all select at, 'decision', user_id, 0, revision, what, reason, not allowed, 5, 0, id from decisions where session_id = $1
	union all select a.at, 'attempt', k.category, k.number, a.number, '', a.summary, not a.held, 6, a.task_id, a.number from attempts a join tasks k on k.id = a.task_id where k.session_id = $1
	union all select at, 'push', '', 0, 0, branch, commit_hash, state = 'refused', 7, 0, 0 from pushes where session_id = $1`

// moments are when the rows of everything were written.
const moments = `
	select at from inbox where ` + people + `
	union all select at from transcript where session_id = $1
	union all select at from lines where session_id = $1
	union all select at from reports where session_id = $1
	union all select at from decisions where session_id = $1
	union all select a.at from attempts a join tasks k on k.id = a.task_id where k.session_id = $1
	union all select at from pushes where session_id = $1`

// people are the rows of what they wrote and pressed.
const people = `session_id = $1 and kind in ('mention', 'reply', 'edit', 'delete', 'action', 'form', 'sent') and not (kind = 'action' and action_id = 'details')`

// agentOf names whose conversation a row t is of, with the rows that agents joins.
const (
	agentOf = `case when t.task_id = 0 then 'orchestrator' when t.task_id > 0 then coalesce(k.category, 'worker') else coalesce(q.kind, 'inquiry') end`
	agents  = `left join tasks k on k.session_id = t.session_id and k.id = t.task_id left join inquiries q on q.session_id = t.session_id and q.id = -t.task_id`
)

// pairCalls makes an entry of each call of a tool, with its result, and of what a model wrote.
// What a model was told besides stands elsewhere in the timeline.
func pairCalls(rows []Entry) (entries []Entry) {
	open := map[string]int{}      // by conversation and call: where its entry is
	last := map[int64]time.Time{} // by conversation: when its newest item was recorded
	for _, e := range rows {
		if e.Kind != message {
			entries = append(entries, e)
			continue
		}
		before := last[e.of]
		last[e.of] = e.At
		var m item
		if json.Unmarshal([]byte(e.Text), &m) != nil {
			continue // of a version that is newer than this one
		}
		key := fmt.Sprint(e.of, " ")
		if i, ok := open[key+m.CallID]; ok && m.Role == "tool" {
			entries[i].end(m, e.At, before)
			delete(open, key+m.CallID)
		}
		if m.Role == "folded" {
			e.Kind, e.Title, e.Text = Fold, m.Fold.title(), m.Text
			entries = append(entries, e)
		}
		if m.Role != "assistant" {
			continue
		}
		if m.Text != "" {
			said := e
			said.Kind, said.Text = Thought, m.Text
			entries = append(entries, said)
		}
		for i, c := range m.Calls {
			call := e
			call.ID, call.call = fmt.Sprint(e.ID, "-", i), c.ID
			call.Kind, call.Title, call.Text, call.Open = Call, c.Name, string(c.Args), true
			open[key+c.ID] = len(entries)
			entries = append(entries, call)
		}
	}
	return entries
}

// end gives a call its result, which began after the item before it in the conversation.
func (e *Entry) end(m item, at, before time.Time) {
	e.Output, e.Wrong, e.Open = m.Text, m.Wrong, false
	if before.Before(e.At) {
		before = e.At
	}
	e.Took = at.Sub(before)
}

// openEnd is what is open at the end of a conversation's stretch.
type openEnd struct {
	count int
	last  int // the item that called
	at    time.Time
}

func openCalls(entries []Entry) map[int64]openEnd {
	open := map[int64]openEnd{}
	for _, e := range entries {
		if o := open[e.of]; e.Kind == Call && e.Open {
			open[e.of] = openEnd{o.count + 1, e.n, e.At}
		}
	}
	return open
}

// closeCalls gives calls of one conversation the results that follow it.
func closeCalls(entries, results []Entry, before time.Time) {
	for _, r := range results {
		var m item
		if json.Unmarshal([]byte(r.Text), &m) != nil || m.Role != "tool" {
			continue
		}
		for i := range entries {
			if e := &entries[i]; e.of == r.of && e.Open && e.call == m.CallID {
				e.end(m, r.At, before)
				break
			}
		}
		before = r.At
	}
}

// message is the kind of the rows that pairCalls reads.
const message Kind = "message"

// An item is what is read of an item of a transcript; package model says what it holds.
type item struct {
	Role   string `json:"role"`
	Text   string `json:"text"`
	CallID string `json:"call_id"`
	Wrong  bool   `json:"wrong"`
	Fold   folded `json:"fold"`
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
