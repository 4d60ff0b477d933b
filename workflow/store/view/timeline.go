package view

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Kind says what an entry is about.
type Kind string

// The kinds of entries.
const (
	Person   Kind = "person"   // a message, an edit, a button press or a submitted form: Text
	Line     Kind = "line"     // a line that was said in the thread
	Thought  Kind = "thought"  // what a model wrote beside its calls
	Call     Kind = "call"     // a tool call: Title is the tool's name, Text the arguments, Output the result
	Decision Kind = "decision" // Title is what was decided
	// from here on an agent's model is shown less of its conversation: Title says how, Text replaces the rest
	Fold    Kind = "fold"
	Attempt Kind = "attempt" // an attempt at a task, with the result of the program's check
	Report  Kind = "report"  // a revision was shown: Number
	Push    Kind = "push"    // Title is the branch, Text the commit
	// the program read what a message points at: Title says what, Text is what the agents were given
	Reading Kind = "reading"
)

// An Entry is one event of a session.
type Entry struct {
	ID     string // identifies the entry in its session, for good
	At     time.Time
	Kind   Kind
	Who    string // the agent; for a person and a decision, the Slack user's id
	Task   int    // number of the task that it belongs to; 0: none
	Number int    // of a revision or an attempt
	Title  string
	Text   string
	// Vouched holds the numbers of the lines of Text that the program vouches for, if Kind is Line.
	Vouched []int
	Output  string
	Wrong   bool          // refused, failed or a mistake
	Open    bool          // a call without a result so far
	Took    time.Duration // duration of a call that has its result

	of   int64  // the conversation of a transcript item: its task id
	n    int    // the item's position in the conversation
	call string // the id of a call, which its result names
}

// A Page is a stretch of a session's entries, in order.
type Page struct {
	Entries []Entry
	Before  time.Time // older entries are before this time; zero: there are none
}

// Most is how many rows a page has, besides a few more that are as old as its oldest.
const Most = 150

// Read returns the page of what happened before a moment, or the newest page if that is zero.
func Read(ctx context.Context, db *database.DB, session string, before time.Time) (p Page, err error) {
	until := endOfTime
	if !before.IsZero() {
		until = before
	}
	rows, err := db.Pool.Query(ctx, `select at from (`+moments+`) x where at < $2 order by at desc limit $3`,
		session, until, Most+1)
	if err != nil {
		return p, fmt.Errorf("timeline of %s: %w", session, err)
	}
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil || len(at) == 0 {
		return p, err
	}
	from := at[min(len(at), Most)-1]
	if len(at) > Most { // the next row may be as old, and then is on this page, too
		var older bool
		if err := db.Pool.QueryRow(ctx, `select exists (select 1 from (`+moments+`) x where at < $2)`,
			session, from).Scan(&older); err != nil {
			return p, fmt.Errorf("timeline of %s: %w", session, err)
		}
		if older {
			p.Before = from
		}
	}
	p.Entries, err = read(ctx, db, session, from, until)
	return p, err
}

var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Find returns the entry with that ID; false if there is none.
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

// read returns the entries from the time from on and before until.
func read(ctx context.Context, db *database.DB, session string, from, until time.Time) ([]Entry, error) {
	rows, err := db.Pool.Query(
		ctx,
		`select at, kind, who, task, number, title, body, wrong, rank, part, n, vouched
		from (`+everything+`) x where at >= $2 and at < $3 order by at, rank, part, n`,
		session, from, until,
	)
	if err != nil {
		return nil, fmt.Errorf("timeline of %s: %w", session, err)
	}
	read, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
		var rank int
		err = r.Scan(
			&e.At, &e.Kind, &e.Who, &e.Task, &e.Number, &e.Title, &e.Text, &e.Wrong, &rank, &e.of, &e.n,
			&e.Vouched,
		)
		e.ID = fmt.Sprintf("%s-%d-%d-%d", strconv.FormatInt(e.At.UnixMicro(), 36), rank, e.of, e.n)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("timeline of %s: %w", session, err)
	}
	if err := addFiles(ctx, db, session, read); err != nil {
		return nil, fmt.Errorf("files in the timeline of %s: %w", session, err)
	}
	entries := pairCalls(read)
	for of, open := range openCalls(entries) { // their results may be on a later page
		rows, err := db.Pool.Query(ctx,
			`select at, body::text from transcript where session_id = $1 and task_id = $2 and seq > $3
				order by seq limit $4`,
			session, of, open.last, open.count)
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", session, err)
		}
		results, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
			err = r.Scan(&e.At, &e.Text)
			e.Kind = message
			e.of = of
			return e, err
		})
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", session, err)
		}
		closeCalls(entries, results, open.at)
	}
	return entries, nil
}

// everything selects each kind of row in one shape. rank, part and n order the rows of the same time.
const everything = `
	select at, 'person' as kind, user_id as who, 0 as task, 0 as number, kind as title,
			case kind when 'action' then replace(action_id, '_', ' ') else text end as body, false as wrong,
			1 as rank, 0::bigint as part, id as n, null::int[] as vouched
		from inbox where ` + people + `
	union all select t.at, 'message', ` + agentOf +
	`, coalesce(k.number, 0), 0, '', t.body::text, false, 2, t.task_id, t.seq, null
		from transcript t ` + agents + ` where t.session_id = $1
	union all select at, 'line', agent, 0, 0, '', text, false, 3, 0, id, nullif(vouched, '{}') from lines
		where session_id = $1
	union all select at, 'report', '', 0, revision, kind, text, false, 4, 0, revision, null from reports
		where session_id = $1
	union all select at, 'decision', user_id, 0, revision, what, reason, not allowed, 5, 0, id, null
		from decisions where session_id = $1
	union all select a.at, 'attempt', k.category, k.number, a.number, '', a.summary, not a.held, 6, a.task_id,
			a.number, null
		from attempts a join tasks k on k.id = a.task_id where k.session_id = $1
	union all select at, 'push', '', 0, 0, branch, commit_hash, state = 'refused', 7, 0, 0, null
		from pushes where session_id = $1
	union all select at, 'reading', '', 0, 0, case kind
				when 'alert' then 'alert of ' || value || ': ' || split_part(text, E'\n', 1)
				when 'preview' then 'preview of a link' else split_part(shown, E'\n', 1) end,
			case shown when '' then text else shown end, false, 8, 0, id, null
		from inbox where ` + readings + `
	union all select at, 'reading', '', 0, number, 'attachment:' || number || ' ' || name, '', false, 9, 0,
			number, null
		from attachments where ` + readFiles

// moments selects the times of all rows of everything.
const moments = `
	select at from inbox where ` + people + `
	union all select at from transcript where session_id = $1
	union all select at from lines where session_id = $1
	union all select at from reports where session_id = $1
	union all select at from decisions where session_id = $1
	union all select a.at from attempts a join tasks k on k.id = a.task_id where k.session_id = $1
	union all select at from pushes where session_id = $1
	union all select at from inbox where ` + readings + `
	union all select at from attachments where ` + readFiles

// people is the condition for inbox rows that people wrote or pressed. A press that only opened a window is
// none of them: what was sent with the window is a row of its own.
const people = `session_id = $1 and kind in ('mention', 'reply', 'edit', 'delete', 'action', 'form', ` +
	`'sent') and not (kind = 'action' and (action_id = '` + string(workflow.ButtonDetails) +
	`' or text = '` + workflow.FormOpened + `'))`

// readings is the condition for inbox rows of what nobody in the thread wrote: alerts, previews of links, and
// notes to the agents about what the program read for a message.
const readings = `session_id = $1 and (kind in ('alert', 'preview') or kind = 'told' and
	(starts_with(event_id, session_id || ':` + workflow.KeyOfLink + `')
		or starts_with(event_id, session_id || ':` + workflow.KeyOfReference + `')
		or starts_with(event_id, session_id || ':` + workflow.KeyOfTicket + `')))`

// readFiles is the condition for files that were read.
const readFiles = `session_id = $1 and state = '` + string(workflow.AttachmentRead) + `'`

// agentOf names the agent of the conversation that a
// transcript row t is in; agents joins the tables for it.
const (
	agentOf = `case when t.task_id = 0 then 'orchestrator'
		when t.task_id > 0 then coalesce(k.category, 'worker') else coalesce(q.kind, 'inquiry') end`
	agents = `left join tasks k on k.session_id = t.session_id and k.id = t.task_id left
		join inquiries q on q.session_id = t.session_id and q.id = -t.task_id`
)

// role is the role of a transcript row, which is the first field of its body. Postgres' operators for JSON
// fail if any other field holds an escaped NUL or half of a surrogate pair, as a model's arguments may.
const role = `substring(body::text from '^{ *"role" *: *"([a-z]+)"')`

// pairCalls returns an entry for each tool call, with its result, and for each text
// that a model wrote. What else a model was told has other entries in the timeline.
func pairCalls(rows []Entry) (entries []Entry) {
	open := map[string]int{}      // by conversation and call id: index of its entry
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
			continue // written by a newer version
		}
		key := fmt.Sprint(e.of, " ")
		if i, ok := open[key+m.CallID]; ok && m.Role == "tool" {
			entries[i].end(m, e.At, before)
			delete(open, key+m.CallID)
		}
		if m.Role == "folded" {
			e.Kind = Fold
			e.Title = m.Fold.title()
			e.Text = m.Text
			entries = append(entries, e)
		}
		if m.Role != "assistant" {
			continue
		}
		if m.Text != "" {
			text := e
			text.Kind = Thought
			text.Text = m.Text
			entries = append(entries, text)
		}
		for i, c := range m.Calls {
			call := e
			call.ID = fmt.Sprint(e.ID, "-", i)
			call.call = c.ID
			call.Kind = Call
			call.Title = c.Name
			call.Text = string(c.Args)
			call.Open = true
			open[key+c.ID] = len(entries)
			entries = append(entries, call)
		}
	}
	return entries
}

// end sets the result of a call. The call ran at the earliest
// since the item before the result in the conversation.
func (e *Entry) end(m item, at, before time.Time) {
	e.Output = m.Text
	e.Wrong = m.Wrong
	e.Open = false
	if before.Before(e.At) {
		before = e.At
	}
	e.Took = at.Sub(before)
}

// An openEnd describes the calls of one conversation that have no result in the entries that were read.
type openEnd struct {
	count int
	last  int // position of the item that made the last call
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

// closeCalls sets the results of calls of one conversation from the items that follow.
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

// message is the kind of the transcript rows that pairCalls reads.
const message Kind = "message"

// An item is the part of a transcript item that is read here; package model defines all of it.
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

// Version returns a text that changes whenever something that Read returns changes.
func Version(ctx context.Context, db *database.DB, session string) (version string, err error) {
	err = db.Pool.QueryRow(ctx,
		`select s.updated_at::text || ' ' || s.phase || ' ' || (select coalesce(max(id), 0) from lines
		where session_id = $1)
		|| ' ' || (select count(*) from transcript where session_id = $1) || ' ' || (select coalesce(max(id),
			0) from inbox where session_id = $1)
		|| ' ' || (select coalesce(max(id), 0) from decisions where session_id = $1) from sessions s
			where s.id = $1`,
		session).Scan(&version)
	if err != nil {
		return "", fmt.Errorf("timeline of %s: %w", session, err)
	}
	return version, nil
}
