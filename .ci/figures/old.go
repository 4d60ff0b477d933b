package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

const (
	oldSessions = 100_000
	oldItems    = 10_000
	manyReports = 2_000 // a report is compared with at most this many others
)

// oldSteps are the database operations that the bot repeats most. Each runs 15 times a turn.
var oldSteps = []struct {
	name string
	do   func(ctx context.Context, a *archive, n int) error
}{
	{"an event of Slack's is stored", func(ctx context.Context, a *archive, n int) error {
		return a.inbox.Receive(ctx, workflow.IncomingEvent{
			EventID: fmt.Sprint("Ev", n),
			Kind:    workflow.MessageReply,
			Thread:  a.thread,
			TS:      fmt.Sprintf("5.%06d", n),
			User:    "U2",
			Text:    "also with two articles",
		})
	}},
	{"an item and a line are recorded", func(ctx context.Context, a *archive, n int) error {
		item := json.RawMessage(fmt.Sprintf(`{"role": "assistant", "content": "line %d"}`, n))
		return a.turn.Record(ctx, progress.Transcript{Items: []json.RawMessage{item}},
			store.Lines{workflow.Line{Agent: "bobbin", Text: "Looking at the total"}})
	}},
	{"a turn begins, and reads what nobody judged", func(ctx context.Context, a *archive, _ int) (err error) {
		if a.turn, err = a.store.Begin(ctx, a.session, store.NoSettling); err != nil {
			return err
		}
		_, err = a.turn.Inbox().Unhandled(ctx)
		return err
	}},
	{"a turn looks whether it goes on", func(ctx context.Context, a *archive, _ int) error {
		_, err := a.turn.Status(ctx)
		return err
	}},
	{"an App Home is opened", func(ctx context.Context, a *archive, n int) error {
		person := fmt.Sprint("U", n%50)
		channels := []string{fmt.Sprint("C", n%20), fmt.Sprint("C", (n+1)%20)}
		_, waiting := view.SessionsOf(ctx, a.store.DB, person, channels, true, 10)
		_, all := view.SessionsOf(ctx, a.store.DB, person, channels, false, 11)
		_, spent := view.SpentToday(ctx, a.store.DB, person)
		return errors.Join(waiting, all, spent)
	}},
	{"duplicates of a report are looked for", func(ctx context.Context, a *archive, _ int) error {
		_, err := store.FindDuplicates(ctx, a.store.DB, a.session, "repo0",
			"The refund of an order with three articles and a coupon is two cents too much")
		return err
	}},
}

// oldRow measures the cost of a database that has been in use for years. The peer is the same code with a
// small database, which holds as many reports of one repository as a comparison reads.
func oldRow() row {
	r := row{
		name: "old",
		what: fmt.Sprintf("What Postgres is asked over and over, with %d old sessions, "+
			"in a session with a transcript of %d items", oldSessions, oldItems),
	}
	var flat []float64
	for _, s := range oldSteps {
		r.figures = append(r.figures, figure{name: s.name, unit: "ms"})
		flat = append(flat, 1.3)
	}
	r.open = func(ctx context.Context, b *bench) (_ []side, _ func(), err error) {
		cluster, err := postgres.Start(ctx, postgres.Config{
			Dir: filepath.Join(b.dir, "postgres"),
			Log: b.log,
		})
		var none *postgres.Unavailable
		if errors.As(err, &none) {
			return nil, nil, skipped{none.Error()}
		}
		if err != nil {
			return nil, nil, err
		}
		full, err := openArchive(ctx, b, cluster, "old", oldSessions, oldItems)
		if err != nil {
			return nil, cluster.Stop, err
		}
		empty, err := openArchive(ctx, b, cluster, "new", manyReports, 10)
		if err != nil {
			return nil, func() {
				full.store.Close()
				cluster.Stop()
			}, err
		}
		end := func() {
			full.store.Close()
			empty.store.Close()
			cluster.Stop()
		}
		return []side{
			{name: "the database after years", turn: full.measure},
			{
				name:  fmt.Sprintf("%d sessions, a transcript of 10 items", manyReports),
				ratio: flat,
				turn:  empty.measure,
			},
		}, end, nil
	}
	return r
}

// An archive is a database with many ended sessions and one session at work.
type archive struct {
	store   *store.Store
	inbox   *inbox.Inbox
	thread  workflow.Thread
	session string
	turn    *store.Turn
	done    int
}

func openArchive(
	ctx context.Context, b *bench, cluster *postgres.Cluster, name string, sessions, items int,
) (_ *archive, err error) {
	a := &archive{thread: workflow.Thread{Team: "T1", Channel: "C1", TS: "5.0"}}
	first, err := store.Open(ctx, cluster.URL(), b.log)
	if err != nil {
		return nil, err
	}
	_, err = first.Pool.Exec(ctx, "create database archive_"+name)
	first.Close()
	if err != nil {
		return nil, err
	}
	if a.store, err = store.Open(ctx, cluster.Database("archive_"+name), b.log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			a.store.Close()
		}
	}()
	if err := a.store.Migrate(ctx); err != nil {
		return nil, err
	}
	a.inbox = inbox.New(a.store.DB, a.store.Queue)
	if err := a.fill(ctx, sessions); err != nil {
		return nil, err
	}
	err = a.inbox.Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev",
		Kind:    workflow.MessageMention,
		Thread:  a.thread,
		TS:      "5.0",
		User:    "U1",
		Text:    "the total is off",
	})
	if err != nil {
		return nil, err
	}
	err = a.store.Pool.QueryRow(ctx, `select id from sessions where thread_ts = '5.0'`).Scan(&a.session)
	if err != nil {
		return nil, err
	}
	_, err = a.store.Pool.Exec(ctx, `insert into transcript (session_id, seq, body)
		select $1, n, json_build_object('role', 'assistant', 'content', repeat('word ' || n || ' ', 20))
			from generate_series(1, $2::int) n`,
		a.session, items)
	if err != nil {
		return nil, err
	}
	if a.turn, err = a.store.Begin(ctx, a.session, store.NoSettling); err != nil {
		return nil, err
	}
	_, err = a.store.Pool.Exec(ctx, `vacuum analyze`)
	return a, err
}

// fill inserts ended sessions with their rows in the other tables, for 20 channels and 50 people. There is
// one repository for every 2,000 sessions, so each repository has as many reports as a comparison reads.
func (a *archive) fill(ctx context.Context, sessions int) error {
	for _, sql := range []string{
		`insert into sessions (id, team, channel, thread_ts, phase, title, requester, repository, created_at,
			updated_at)
			select 's' || n, 'T1', 'C' || n % 20, '1.' || n, (array['done', 'answered', 'stopped',
				'failed'])[1 + n % 4], 'the total of order ' || n, 'U' || n % 50,
				'repo' || n % greatest(1, $1::int / 2000), now() - n * interval '5 minutes', now() - n *
					interval '5 minutes' from generate_series(1, $1::int) n`,
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at, for_agents)
			select 's' || n, 'E' || n || '-' || m, case m when 0 then 'mention'
				else 'reply' end, '1.' || n || m, 'U' || n % 50, 'the total of order ' || n || ' is off',
				now(), true
			from generate_series(1, $1::int) n, generate_series(0, 2) m`,
		`insert into transcript (session_id, seq, body) select 's' || n, m, json_build_object('role',
			'assistant', 'content', repeat('word ', 20))
			from generate_series(1, $1::int) n, generate_series(1, 4) m`,
		`insert into lines (session_id, agent, text) select 's' || n, 'bobbin', 'line ' || m
			from generate_series(1, $1::int) n, generate_series(1, 3) m`,
		`insert into outbox (key, session_id, line_id, posted_at) select session_id || ':' || id, session_id,
			id, now() from lines where $1::int > 0`,
		`insert into spending (session_id, day, team, channel, person, usd) select 's' || n, (now() - n *
			interval '5 minutes')::date, 'T1', 'C' || n % 20, 'U' || n % 50, 1
			from generate_series(1, $1::int) n`,
		`insert into report_words (session_id, repository, words) select 's' || n, 'repo' || n % greatest(1,
			$1::int / 2000),
			'The refund of order ' || n || ' is wrong in ' || (array['the cart', 'the receipt', 'the mail',
				'the report', 'the export'])[1 + n % 5] || ' since word' || n % 997 || ' came with word' || n
				% 499
			from generate_series(1, $1::int) n`,
		`insert into agent_usage (session_id, task_id, calls, usd) select 's' || n, 0, 10, 1
			from generate_series(1, $1::int) n`,
	} {
		if _, err := a.store.Pool.Exec(ctx, sql, sessions); err != nil {
			return fmt.Errorf("%w in %.60s", err, sql)
		}
	}
	return nil
}

// measure runs each step 15 times and returns the median of each, in milliseconds.
func (a *archive) measure(ctx context.Context) (values []float64, err error) {
	for _, step := range oldSteps {
		var took []float64
		for range 15 {
			a.done++
			began := time.Now()
			if err := step.do(ctx, a, a.done); err != nil {
				return nil, fmt.Errorf("%s: %w", step.name, err)
			}
			took = append(took, float64(time.Since(began))/float64(time.Millisecond))
		}
		slices.Sort(took)
		values = append(values, took[len(took)/2])
	}
	return values, nil
}
