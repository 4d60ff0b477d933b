package kills

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// once lists the lines that every thread must hold exactly once at the end.
var once = []string{
	"Looking into", "· revision 1", "Revision 1 approved", "Done: The word", "and pushed:",
}

// threads returns the threads of the sessions so far.
func (c *chaos) threads() []harness.Thread {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.places)
}

func (c *chaos) unguarded() bool { return c.unguard != "" || c.forget != "" || c.disabled != "" }

// duplicateSeen reports whether a run without a guard has already shown that something happened twice, so
// that the run can end early. It is false for a run with all guards.
func (c *chaos) duplicateSeen() bool {
	if !c.unguarded() {
		return false
	}
	if c.merging {
		return c.mergesTwice()
	}
	if c.hosted && c.opensTwice() {
		return true
	}
	for n, p := range c.threads() {
		if c.hosted && c.posted(p, "No backport")+c.posted(p, "could not be pushed") > 0 {
			return true
		}
		if c.posted(p, "· revision 1") > 1 ||
			c.posted(p, "Done: The word") > chatmodel.TasksOfBug(n) ||
			c.posted(p, "already approved") > 0 || c.posted(p, "evision 2") > 0 {
			return true
		}
	}
	return false
}

// faults returns a line for everything that was lost or happened twice.
func (c *chaos) faults(ctx context.Context) string {
	found := c.ended
	note := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	all, refused := 0, 0
	if c.hosted {
		refused = 2 * c.sessions // a stranger's comment on each pull request
		found = append(found, c.hostFaults()...)
	}
	for n := range c.sessions {
		all += chatmodel.TasksOfBug(n)
	}
	for _, x := range []struct {
		what string
		want int
		sql  string
	}{
		{"sessions that are done", c.sessions, `select count(*) from sessions where phase = 'done'`},
		{"sessions", c.sessions, `select count(*) from sessions`},
		{"approvals", c.sessions, `select count(*) from approvals`},
		{"pushes", c.sessions, `select count(*) from pushes where state = 'pushed'`},
		{"commits", c.sessions, `select count(*) from pushes`},
		{"tasks", all, `select count(*) from tasks where state = 'done'`},
		{"attempts", all, `select count(*) from attempts where held`},
		{
			"lines said twice", 0,
			`select count(*) from (select 1 from lines where text not like 'Not shown%'
				group by session_id, text having count(*) > 1) x`,
		},
		{"runs", c.sessions, `select count(*) from cards where ended = 'done'`},
		{"decisions refused", refused, `select count(*) from decisions where not allowed`},
		{"calls without a result, or with two", 0, strayCalls},
	} {
		var have int
		require.NoError(c.t, c.db.QueryRow(ctx, x.sql).Scan(&have), x.what)
		if have != x.want {
			note("%s: %d, want %d", x.what, have, x.want)
		}
	}
	for n, p := range c.threads() {
		if c.posted(p, "already approved") > 0 || c.posted(p, "evision 2") > 0 {
			note("session %d: something that was said once was heard twice", n)
		}
		if cards := c.count(p, ":card:"); cards != 1 {
			note("session %d: %d cards stand in the thread, want one", n, cards)
		}
		if signs := c.count(p, ":sign:"); signs > 0 {
			note("session %d: %d signs that it is at work stand in the thread for ever", n, signs)
		}
		for _, line := range once {
			want := 1
			if line == "Done: The word" {
				want = chatmodel.TasksOfBug(n)
			}
			if times := c.posted(p, line); times != want {
				note("session %d: %q stands %d times in the thread, want %d", n, line, times, want)
				if !c.unguarded() {
					c.t.Logf("session %d:\n%s", n, c.said(p))
				}
			}
		}
	}
	found = append(found, c.wrongFiles()...)
	st, err := store.Open(ctx, c.url, slog.New(slog.DiscardHandler))
	require.NoError(c.t, err)
	defer st.Close()
	audited, err := consent.VerifyAudit(ctx, st.DB, "")
	require.NoError(c.t, err)
	if audited.Flaw != nil {
		note("audit: %s", audited.Flaw)
	}
	if len(found) > 0 && !c.unguarded() {
		c.tell()
	}
	return strings.Join(found, "\n")
}

// count returns how many messages have a key with that part: ":card:" shows the progress of a run.
func (c *chaos) count(p harness.Thread, part string) (n int) {
	for _, m := range c.slack.Thread(p.Channel, p.Root) {
		if m.Metadata != nil && strings.Contains(string(m.Metadata.EventPayload), part) {
			n++
		}
	}
	return n
}

// said returns a whole thread as text, to find out what happened in it.
func (c *chaos) said(p harness.Thread) string {
	var text strings.Builder
	for _, m := range c.slack.Thread(p.Channel, p.Root) {
		fmt.Fprintf(&text, "%s %s: %s\n", m.TS, m.User, m.Text)
	}
	return text.String()
}

// strayCalls is SQL that counts the tool calls in transcripts that do not have exactly one result.
const strayCalls = `with calls as (select t.session_id, t.task_id, c->>'id' as id
			from transcript t, json_array_elements(case
			when json_typeof(t.body->'calls') = 'array' then t.body->'calls' else '[]'::json end) c),
		results as (select session_id, task_id, body->>'call_id' as id from transcript
			where body->>'role' = 'tool')
	select count(*) from (select c.id from calls c left join results r using (session_id, task_id, id)
		group by c.session_id, c.task_id, c.id having count(r.id) <> 1) x`

// wrongFiles checks the pushed branches: each fixes its own bug and nothing else.
func (c *chaos) wrongFiles() (found []string) {
	branches, err := stage.RemoteBranches(c.remote)
	require.NoError(c.t, err)
	each := c.sessions + 1
	if c.hosted {
		each = 2*c.sessions + 2 // a backport of each session, and the release branch
	}
	if len(branches) != each {
		found = append(found, fmt.Sprintf("%d branches stand in the remote, want %d", len(branches), each))
	}
	remote, err := git.PlainOpen(c.remote)
	require.NoError(c.t, err)
	main, err := remote.CommitObject(plumbing.NewHash(branches["main"]))
	require.NoError(c.t, err)
	before, err := main.Tree()
	require.NoError(c.t, err)
	var fixed []string
	for name, hash := range branches {
		if name == "main" || name == release {
			continue
		}
		commit, err := remote.CommitObject(plumbing.NewHash(hash))
		require.NoError(c.t, err)
		if on := onto(remote, branches, name); len(commit.ParentHashes) != 1 ||
			!slices.Contains(on, commit.ParentHashes[0]) {
			found = append(found, fmt.Sprintf("%s is not one commit on its base", name))
		}
		after, err := commit.Tree()
		require.NoError(c.t, err)
		changes, err := before.Diff(after)
		require.NoError(c.t, err)
		for _, change := range changes {
			file, err := after.File(change.To.Name)
			require.NoError(c.t, err)
			text, err := file.Contents()
			require.NoError(c.t, err)
			fixed = append(fixed, change.To.Name+" "+strings.TrimSpace(text))
		}
	}
	var want []string
	for n := range c.sessions {
		want = append(want, fmt.Sprintf("bugs/%d.txt right %d", n, n))
		if chatmodel.TasksOfBug(n) == 2 {
			want = append(want, fmt.Sprintf("bugs/%db.txt right %d", n, n))
		}
	}
	if c.hosted { // the backports have the same files
		want = append(want, want...)
	}
	slices.Sort(fixed)
	slices.Sort(want)
	if len(fixed) != len(want) {
		found = append(found, fmt.Sprintf("%d files were pushed, want %d", len(fixed), len(want)))
	}
	for _, m := range fixed {
		if !slices.Contains(want, m) {
			found = append(found, "pushed, and should not be: "+m)
		}
	}
	for _, w := range want {
		if !slices.Contains(fixed, w) {
			found = append(found, "not pushed: "+w)
		}
	}
	return found
}

// onto returns the commits on which a pushed branch may be based: the commit of main, or for a backport those
// of the release.
func onto(remote *git.Repository, branches map[string]string, name string) (commits []plumbing.Hash) {
	main := plumbing.NewHash(branches["main"])
	if !strings.Contains(name, "-backport-") {
		return []plumbing.Hash{main}
	}
	for at := plumbing.NewHash(branches[release]); at != main; {
		commits = append(commits, at)
		c, err := remote.CommitObject(at)
		if err != nil {
			break
		}
		at = c.ParentHashes[0]
	}
	return commits
}

// orphaned is a session that lost its worker in a blow.
type orphaned struct {
	session string
	job     int64
	at      time.Time // time of the blow, by the database's clock
}

// noteOrphans records the sessions that a replica is working on, just before a blow.
func (c *chaos) noteOrphans(ctx context.Context, replica string) {
	rows, err := c.db.Query(ctx,
		`select args->>'session', id, now() from river_job where kind = 'turn' and state = 'running'
			and attempted_by[array_upper(attempted_by, 1)] = $1`,
		replica)
	if err != nil {
		return // Postgres is unavailable
	}
	defer rows.Close()
	for rows.Next() {
		var o orphaned
		if rows.Scan(&o.session, &o.job, &o.at) == nil {
			c.mu.Lock()
			c.orphaned = append(c.orphaned, o)
			c.mu.Unlock()
		}
	}
}

// tellRecovery logs how long sessions that lost their worker waited for another: the time from the blow until
// a worker has taken the session's next job.
func (c *chaos) tellRecovery() {
	var waits []time.Duration
	for _, o := range c.orphaned {
		var next *time.Time
		err := c.db.QueryRow(c.t.Context(),
			`select min(attempted_at) from river_job where kind = 'turn' and args->>'session' = $1
				and attempted_at > $2 and id > $3`,
			o.session, o.at, o.job).Scan(&next)
		require.NoError(c.t, err)
		if next != nil { // nil if the turn finished in spite of the blow
			waits = append(waits, next.Sub(o.at))
		}
	}
	if len(waits) == 0 {
		return
	}
	slices.Sort(waits)
	at := func(q float64) time.Duration {
		return waits[int(q*float64(len(waits)-1))].Round(10 * time.Millisecond)
	}
	c.t.Logf("recovery of %d sessions that lost their worker: half within %s, 99 %% within %s, "+
		"the longest %s", len(waits), at(0.5), at(0.99), at(1))
}
