package playground

// pageStates holds sessions as they may be long after, with what their pages say first. SQL adds rows to the
// session $1.
var pageStates = []struct {
	id, phase, headline string
	sql                 []string
	then                func(t *tab) // checks more of the page; nil: nothing
}{
	{id: "bare", phase: "stopped", headline: "Stopped"},
	{id: "answered", phase: "answered", headline: "Answered", sql: []string{
		`insert into lines (session_id, agent, text) values ($1, 'orchestrator', E'It rounds down: money/split.go:13.
See:\n- *one*\n- **two**\n<b>three</b>\nask <@U0HIDDEN1> in <#C0HIDDEN1>')`,
	}, then: func(t *tab) {
		t.sees("document.querySelectorAll('#outcome .text li').length === 2")
		t.reads("#outcome .text", "<b>three</b>")
	}},
	{id: "paused", phase: "paused", headline: "Waits for a decision", sql: []string{
		`insert into lines (session_id, agent, text, vouched)
			values ($1, 'bobbin', 'The budget is used up.', '{0}')`,
	}},
	{id: "refused", phase: "paused", headline: "Waits: the model refused", sql: []string{
		`update sessions set trouble = 'model' where id = $1`,
	}},
	{id: "failed", phase: "failed", headline: "Given up"},
	{id: "asking", phase: "exploring", headline: "Waits for an answer"},
	{id: "working", phase: "working", headline: "At work: changing the code", sql: []string{
		turnTomorrow, atWork,
		`insert into tasks (session_id, number, description, category, state)
			values ($1, 1, 'Hand out every cent', 'deep', 'working'), ($1, 2, 'Tell it', 'quick', 'pending')`,
	}},
	{id: "held", phase: "exploring", headline: "Paused by the operator", sql: []string{
		turnTomorrow, atWork,
		`update sessions set repository = 'held' where id = $1`,
		`insert into pauses (scope, name, paused_by) select 'repository', 'held', 'ops' where $1 <> ''`,
	}},
	{id: "reported", phase: "reported", headline: "Revision 1 waits for an approval", sql: []string{
		`insert into reports (session_id, revision, kind, text, hash, base_commit, body) values ($1, 1, 'diagnosis',
			E'=== Diagnosis Report ===\nBug: b\nAffected scope:\n- one\n- two\nProposed fix:\n1. step\nRisk: LOW - x',
			'h', 'b', '{"evidence": [{"claim": "it drops the rest", "grade": "inferred"}]}')`,
	}, then: func(t *tab) {
		t.sees("document.querySelectorAll('#report .text ul li').length === 2 && " +
			"document.querySelectorAll('#report .text ol li').length === 1")
	}},
	{
		id: "plan", phase: "plan_shown", headline: "The plan, revision 1, waits for an approval",
		sql: []string{planReport},
	},
	{id: "old", phase: "done", headline: "Done and merged", sql: []string{ // from before lines had buttons
		`insert into pushes (session_id, commit_hash, tree, base_commit, branch, state)
			values ($1, 'c0ffee1234567', 't', 'b', 'bobbin/old', 'pushed')`,
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state, number, url)
			values ('shop', 'bobbin/old', $1, 'c', 'main', 'Keep every cent', '', 'merged', 31, 'https://h.example/31')`,
		`update sessions set branch = 'bobbin/old' where id = $1`,
	}, then: func(t *tab) {
		t.reads("#outcome dl", "#31 Keep every cent")
		t.reads("#outcome dl a", "site")
		t.reads("#diff", "The diff cannot be read now")
	}},
	{id: "part", phase: "done", headline: "Done", sql: []string{
		`update sessions set part_of = 'old', repository = 'site', thread_ts = '100.old site' where id = $1`,
	}, then: func(t *tab) {
		t.click("#outcome dl a", "shop")
		t.sees("location.pathname === '/s/old'")
	}},
	// names without a space
	{id: "wide", phase: "done", headline: "Fixed and pushed, unproven", sql: []string{
		`update sessions set kind = 'bug', title = repeat('averylongname.', 9),
			branch = 'bobbin/' || repeat('long-', 20),
			repository = 'a-repository-whose-name-is-as-long-as-' || repeat('any-', 9),
			spent_usd = 0.31, tokens = 75000, worked_ms = 240000 where id = $1`,
		`insert into reports (session_id, revision, kind, text, hash, base_commit, body) values ($1, 1, 'root_cause',
			'Cause: ' || repeat('services/cart/internal/', 6) || 'split.go:13', 'h', 'b',
			json_build_object('evidence', json_build_array(json_build_object('claim', repeat('Split::', 30),
				'grade', 'observed', 'source', repeat('services/cart/', 12) || 'split.go:13'))))`,
		`insert into pushes (session_id, commit_hash, tree, base_commit, branch, state, unproven)
			select $1, 'c0ffee1234567', 't', 'b', branch, 'pushed', 'no test shows it' from sessions where id = $1`,
		`insert into tasks (session_id, number, description, category, state)
			values ($1, 1, repeat('Split::', 30), 'visual-engineering', 'done')`,
		`insert into lines (session_id, agent, text, vouched) values ($1, 'orchestrator',
			E'✗ Unproven: no test shows ' || repeat('TestSplit', 20) || E'\nSee ' || repeat('https', 30),
			'{0}')`,
	}},
}

// atWork marks the session as at work, and turnTomorrow has its turn wait until the test is over. The turn
// has to be there first: the running bot begins one for a session at work that has none.
const (
	atWork       = `update sessions set open = true where id = $1`
	turnTomorrow = `insert into river_job (kind, args, max_attempts, state, scheduled_at)
		values ('turn', json_build_object('session', $1::text), 1, 'scheduled', now() + interval '1 day')`
)

// planReport is a plan with two tasks as revision 1.
const planReport = `insert into reports (session_id, revision, kind, text, hash, base_commit, body) values ($1, 1,
	'plan', 'Plan: A button', 'h', 'b', '{"title": "A button to pay later", "tasks": [
		{"title": "Style the button", "description": "With the tokens of the cart.", "category": "visual-engineering",
			"acceptance": "it looks like one", "check": "npm test"},
		{"description": "Tell it in the README", "category": "quick", "acceptance": "it is told",
			"check": "grep later README.md", "after": [1]}]}')`
