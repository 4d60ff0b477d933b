package replicas

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// A blow disturbs one replica in the middle of its sessions, and is fixed when other replicas have taken
// them over.
type blow struct {
	name   string
	victim int
	strike func(r *replica)
	fix    func(r *replica)
}

// blows returns one blow of each kind, each on another replica if there are enough.
func (s *shift) blows() []blow {
	return []blow{
		{"killed", 0, (*replica).kill, func(r *replica) { s.run(s.program, r) }},
		{
			"cut off", 1, func(r *replica) { ip(r.t, "link set "+r.link()+" down") },
			func(r *replica) { ip(r.t, "link set "+r.link()+" up") },
		},
		{
			"cut off from Postgres", 2 % len(s.replicas),
			func(r *replica) { r.ip("route add blackhole " + databaseAddress) },
			func(r *replica) { r.ip("route del blackhole " + databaseAddress) },
		},
	}
}

// suffer causes the blows one after the other, spread over the pushes.
func (s *shift) suffer(ctx context.Context) {
	all := s.blows()
	for i, b := range all {
		r := s.replicas[b.victim]
		var jobs []int64
		for ctx.Err() == nil && (int(s.pushed.Load()) < i*s.load.sessions/(len(all)+1) || len(jobs) == 0) {
			harness.Sleep(ctx, 50*time.Millisecond)
			jobs = s.inHand(ctx, r)
		}
		s.t.Logf("replica %d is %s with %d sessions in hand, after %d pushes", b.victim, b.name, len(jobs),
			s.pushed.Load())
		b.strike(r)
		for ctx.Err() == nil && slices.ContainsFunc(s.inHand(ctx, r),
			func(job int64) bool { return slices.Contains(jobs, job) }) {
			harness.Sleep(ctx, 50*time.Millisecond)
		}
		b.fix(r)
	}
	require.NoError(s.t, ctx.Err(), "not every blow found a replica at work")
}

// inHand returns the turns that the replica is running according to the queue.
func (s *shift) inHand(ctx context.Context, r *replica) []int64 {
	rows, err := s.db.Query(ctx,
		`select id from river_job where kind = 'turn' and state = 'running'
			and attempted_by[array_upper(attempted_by, 1)] = $1`,
		r.name())
	if err != nil {
		return nil
	}
	jobs, _ := pgx.CollectRows(rows, pgx.RowTo[int64])
	return jobs
}

// inOrder lists the lines that each thread must hold at the end, in this order.
var inOrder = []string{
	"Looking into", "· revision 1", "Revision 1 approved", "Done: The word", "and pushed:",
}

// losses returns a line for everything that was lost, happened twice or is out of order.
func (s *shift) losses(ctx context.Context) (found []string) {
	note := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	all := s.load.sessions
	tasks := 0
	for n := range all {
		tasks += chatmodel.TasksOfBug(n)
	}
	for _, x := range []struct {
		what string
		want int
		sql  string
	}{
		{"sessions that are done", all, `select count(*) from sessions where phase = 'done'`},
		{"sessions", all, `select count(*) from sessions`},
		{"approvals", all, `select count(*) from approvals`},
		{"pushes", all, `select count(*) from pushes where state = 'pushed'`},
		{"commits", all, `select count(*) from pushes`},
		{"tasks", tasks, `select count(*) from tasks where state = 'done'`},
		{"decisions refused", 0, `select count(*) from decisions where not allowed`},
	} {
		var have int
		require.NoError(s.t, s.db.QueryRow(ctx, x.sql).Scan(&have), x.what)
		if have != x.want {
			note("%s: %d, want %d", x.what, have, x.want)
		}
	}
	// The notice about waiting is repeated in each run in which a session waits.
	rows, err := s.db.Query(ctx,
		`select text from lines where text not like '%Others are at work%'
			group by session_id, text having count(*) > 1`)
	require.NoError(s.t, err)
	twice, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	for _, text := range twice {
		note("a line was said twice: %s", text)
	}
	for n := range all {
		if fault := s.threadFault(n); fault != "" {
			note("session %d: %s", n, fault)
		}
	}
	found = append(found, s.wrongPushes()...)
	st, err := store.Open(ctx, s.database, slog.New(slog.DiscardHandler))
	require.NoError(s.t, err)
	defer st.Close()
	audited, err := consent.VerifyAudit(ctx, st.DB, "")
	require.NoError(s.t, err)
	if audited.Flaw != nil {
		note("audit: %s", audited.Flaw)
	}
	return found
}

// threadFault returns what is wrong with the bot's messages in a session's thread, or an empty string.
func (s *shift) threadFault(n int) string {
	var text strings.Builder
	at := s.threads[n]
	for _, m := range s.slack.Thread(at.Channel, at.Root) {
		if m.BotID != "" {
			text.WriteString(m.Text + "\n")
		}
	}
	said := text.String()
	from := 0
	for _, line := range inOrder {
		want := 1
		if line == "Done: The word" {
			want = chatmodel.TasksOfBug(n)
		}
		where := strings.Index(said, line)
		if times := strings.Count(said, line); times != want || where < from {
			return fmt.Sprintf("%q stands %d times and at %d, want %d times after %d:\n%s", line, times,
				where, want, from, said)
		}
		from = where
	}
	return ""
}

// git runs git with args in one of the remotes and returns its output.
func (s *shift) git(remote string, args ...string) string {
	out, err := exec.Command("git",
		append([]string{"-c", "safe.directory=*", "-C", remote}, args...)...).CombinedOutput()
	require.NoError(s.t, err, string(out))
	return string(out)
}

// wrongPushes returns what is wrong with the branches and the recorded updates of the remotes.
func (s *shift) wrongPushes() (found []string) {
	var have, want []string
	for _, remote := range s.remotes {
		for _, branch := range strings.Fields(s.git(remote, "for-each-ref", "--format=%(refname)",
			"--no-merged=main")) {
			for line := range strings.Lines(s.git(remote, "diff", "--unified=0", "main", branch)) {
				if strings.HasPrefix(line, "+right") {
					have = append(have, filepath.Base(remote)+" "+strings.TrimSpace(line))
				}
			}
			if commits := strings.TrimSpace(s.git(remote, "rev-list", "--count",
				"main.."+branch)); commits != "1" {
				found = append(found, fmt.Sprintf("%s has %s commits", branch, commits))
			}
		}
	}
	for n := range s.load.sessions {
		for range chatmodel.TasksOfBug(n) {
			want = append(want,
				fmt.Sprintf("%s +right %d", filepath.Base(s.remotes[n%len(s.channels)%len(s.remotes)]), n))
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		found = append(found,
			fmt.Sprintf("the remotes hold\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n")))
	}
	book, err := os.ReadFile(s.book())
	require.NoError(s.t, err)
	if updates := strings.Count(string(book), "\n"); updates != s.load.sessions {
		found = append(found,
			fmt.Sprintf("%d updates of branches reached the remotes, want %d", updates, s.load.sessions))
	}
	return found
}
