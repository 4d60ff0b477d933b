package playground

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// pageStates holds sessions as they may be long after, with what their pages say first. SQL adds rows to the
// session $1.
var pageStates = []struct {
	id, phase, headline string
	sql                 []string
}{
	{id: "bare", phase: "stopped", headline: "Stopped"},
	{id: "answered", phase: "answered", headline: "Answered", sql: []string{
		`insert into lines (session_id, agent, text) values ($1, 'orchestrator', E'It rounds down: money/split.go:13.
See:\n- *one*\n- **two**\n<b>three</b>\nask <@U0HIDDEN1> in <#C0HIDDEN1>')`,
	}},
	{id: "paused", phase: "paused", headline: "Waits for a decision", sql: []string{
		`insert into lines (session_id, agent, text, vouched)
			values ($1, 'bobbin', 'The budget is used up.', '{0}')`,
	}},
	{id: "failed", phase: "failed", headline: "Given up"},
	{id: "asking", phase: "exploring", headline: "Waits for an answer"},
	{id: "reported", phase: "reported", headline: "Revision 1 waits for an approval", sql: []string{
		`insert into reports (session_id, revision, kind, text, hash, base_commit, body) values ($1, 1, 'diagnosis',
			E'=== Diagnosis Report ===\nBug: b\nAffected scope:\n- one\n- two\nProposed fix:\n1. step\nRisk: LOW - x',
			'h', 'b', '{"evidence": [{"claim": "it drops the rest", "grade": "inferred"}]}')`,
	}},
	{id: "old", phase: "done", headline: "Done and merged", sql: []string{ // from before lines had buttons
		`insert into pushes (session_id, commit_hash, tree, base_commit, branch, state)
			values ($1, 'c0ffee1234567', 't', 'b', 'bobbin/old', 'pushed')`,
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state, number, url)
			values ('shop', 'bobbin/old', $1, 'c', 'main', 'Keep every cent', '', 'merged', 31, 'https://h.example/31')`,
		`update sessions set branch = 'bobbin/old' where id = $1`,
	}},
	{id: "part", phase: "done", headline: "Done", sql: []string{
		`update sessions set part_of = 'old', repository = 'site', thread_ts = '100.old site' where id = $1`,
	}},
}

// TestSessionPagesInEveryState opens the pages of old sessions, of those without a report, of those that
// rest, and of a thread with several repositories: light, dark and on a phone.
func TestSessionPagesInEveryState(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, func(opt *Options) { opt.NoSandbox = unavailable })
	for i, s := range pageStates {
		_, err := p.Stage.Store.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, phase,
				title, requester, repository, base_commit, revision)
			select $1, 'T1', $2, '100.' || $1, $3, 'A session that is ' || $1, $4, 'shop', '8eef0fc', $5`,
			s.id, p.Stage.Channel, s.phase, p.Stage.People[[]string{"ann", "bea"}[i%2]], min(1, len(s.sql)))
		require.NoError(t, err)
		for _, sql := range s.sql {
			_, err := p.Stage.Store.Pool.Exec(t.Context(), sql, s.id)
			require.NoError(t, err)
		}
	}
	home := open(t, p.URL, 1280, 800).again("/ann/home")
	list := home.again(home.pageLink("#main"))
	list.reads(".sessions a", "A session that is old")
	list.everyWay("list")
	for _, s := range pageStates {
		list.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("void (location.href = '/s/%s')", s.id)))
		list.sees("location.pathname === '/s/" + s.id + "' && document.readyState === 'complete'")
		list.reads("#outcome h2", s.headline)
		// people read names, never ids
		list.sees(`!/\b[UCDT][A-Z0-9]{7,}\b/.test(document.body.innerText)`)
		list.everyWay("state-" + s.id)
		switch s.id {
		case "answered":
			list.sees("document.querySelectorAll('#outcome .text li').length === 2")
			list.reads("#outcome .text", "<b>three</b>")
		case "reported":
			list.sees("document.querySelectorAll('#report .text ul li').length === 2 && " +
				"document.querySelectorAll('#report .text ol li').length === 1")
		case "old":
			list.reads("#outcome dl", "#31 Keep every cent")
			list.reads("#outcome dl a", "site")
			list.reads("#diff", "The diff cannot be read now")
		case "part":
			list.click("#outcome dl a", "shop")
			list.sees("location.pathname === '/s/old'")
		}
	}
}

// everyWay looks at a page of the bot light, dark and on a phone: axe finds nothing, and nothing is cut.
func (t *tab) everyWay(name string) {
	t.t.Helper()
	for _, view := range []struct {
		scheme, name  string
		width, height int64
	}{{"light", "", 1280, 800}, {"dark", "-dark", 1280, 800}, {"light", "-phone", 390, 780}} {
		t.prefers(view.scheme)
		t.resize(view.width, view.height)
		t.sees("document.documentElement.scrollWidth <= innerWidth")
		t.faultless(name + view.name)
		t.shoot("session-" + name + view.name)
	}
	t.prefers("light")
	t.resize(1280, 800)
}
