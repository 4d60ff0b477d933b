package remotes

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// An outage is what happens to one session's remote, and what the bot says about it in the thread.
type outage struct {
	when     string // moment of the outage: firstLook, atBase or notPushed
	at       string
	times    int
	how      githost.Trouble
	begin    func(o *outages, s *affected) // replaces at, times and how, if not nil
	everyday bool
	more     bool     // people ask for another change before the push is retried
	says     []string // parts of the one line, in this order; empty: no line
}

const (
	firstLook = "I cannot get at the repository"
	notPushed = "could not be pushed"
	atBase    = "when a follow-up looks at the base"
)

// gitOutages holds each fault at each moment where it makes sense. The bot tries transient faults three
// times. The outages with everyday are one of each sort; BOBBIN_GIT_FAULTS=all plays all of them.
var gitOutages = map[string]outage{
	"first look: 401": {
		when:  firstLook,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.HTTPStatus(401),
		says:  []string{"does not accept the token", "Renew it"},
	},
	"first look: 404": {
		everyday: true,
		when:     firstLook,
		at:       githost.ReadRefs,
		times:    githost.Lasting,
		how:      githost.HTTPStatus(404),
		says:     []string{"no such repository", "Check the address http://127.0.0.1"},
	},
	"first look: 503": {
		when:  firstLook,
		at:    githost.ReadPack,
		times: githost.Lasting,
		how:   githost.HTTPStatus(503),
		says:  []string{"503 Service Unavailable (tried 3 times)", "can be tried again"},
	},
	"first look: 503 passes": {
		everyday: true, when: firstLook, at: githost.ReadRefs, times: 2, how: githost.HTTPStatus(503),
	},
	"first look: reset": {
		when:  firstLook,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.BreaksOff,
		says:  []string{"connection reset by peer (tried 3 times)", "Nothing is lost"},
	},
	"first look: page": {
		when:  firstLook,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.ShowsPage,
		says:  []string{"does not speak git", "Check the address http://127.0.0.1"},
	},
	"first look: hangs": {
		when:  firstLook,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.Hangs,
		says:  []string{"did not answer in time (tried 3 times)", "Nothing is lost"},
	},
	"first look: elsewhere": {
		when:  firstLook,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.SendsElsewhere,
		says:  []string{"sends us to another host", "Put the new address"},
	},
	"first look: cut pack": {
		everyday: true,
		when:     firstLook,
		at:       githost.ReadPack,
		times:    githost.Lasting,
		how:      githost.CutsPack,
		says:     []string{"broke off", "Nothing is lost"},
	},
	"base: 401": {
		everyday: true,
		when:     atBase,
		at:       githost.ReadRefs,
		times:    githost.Lasting,
		how:      githost.HTTPStatus(401),
		says:     []string{firstLook, "Renew it"},
	},
	"base: 503": {
		when:  atBase,
		at:    githost.ReadRefs,
		times: githost.Lasting,
		how:   githost.HTTPStatus(503),
		says:  []string{firstLook, "503 Service Unavailable (tried 3 times)"},
	},
	"base: reset passes": {when: atBase, at: githost.ReadRefs, times: 2, how: githost.BreaksOff},
	"push: 401": {
		everyday: true,
		when:     notPushed,
		at:       githost.WriteRefs,
		times:    githost.Lasting,
		how:      githost.HTTPStatus(401),
		says:     []string{"does not accept the token", "Renew it"},
	},
	"push: 403": {
		when:  notPushed,
		at:    githost.WritePack,
		times: githost.Lasting,
		how:   githost.HTTPStatus(403),
		says:  []string{"the token may not do this", "right to write"},
	},
	"push: 404": {
		when:  notPushed,
		at:    githost.WriteRefs,
		times: githost.Lasting,
		how:   githost.HTTPStatus(404),
		says:  []string{"no such repository", "Check the address"},
	},
	"push: 429 for an hour": {
		when:  notPushed,
		at:    githost.WritePack,
		times: githost.Lasting,
		how:   githost.HTTPStatus(429, "Retry-After", "3600"),
		says:  []string{"429 Too Many Requests. It asks to wait 1h0m0s"},
	},
	"push: 502": {
		everyday: true,
		when:     notPushed,
		at:       githost.WritePack,
		times:    githost.Lasting,
		how:      githost.HTTPStatus(502),
		says:     []string{"502 Bad Gateway (tried 3 times)", "can be tried again"},
	},
	"push: 503 passes": {
		everyday: true, when: notPushed, at: githost.WritePack, times: 2, how: githost.HTTPStatus(503),
	},
	"push: reset": {
		when:  notPushed,
		at:    githost.WritePack,
		times: githost.Lasting,
		how:   githost.BreaksOff,
		says:  []string{"connection reset by peer (tried 3 times)", "Nothing is lost"},
	},
	"push: page": {
		when:  notPushed,
		at:    githost.WritePack,
		times: githost.Lasting,
		how:   githost.ShowsPage,
		says:  []string{"does not speak git", "Check the address"},
	},
	"push: hangs": {
		when:  notPushed,
		at:    githost.WriteRefs,
		times: githost.Lasting,
		how:   githost.Hangs,
		says:  []string{"did not answer in time (tried 3 times)"},
	},
	"push: elsewhere": {
		when:  notPushed,
		at:    githost.WriteRefs,
		times: githost.Lasting,
		how:   githost.SendsElsewhere,
		says:  []string{"sends us to another host", "Put the new address"},
	},
	"push: answer lost": {
		everyday: true,
		when:     notPushed,
		at:       githost.WritePack,
		times:    githost.Lasting,
		how:      githost.AfterDone(githost.BreaksOff),
	},
	"push: 500 after it": {
		when:  notPushed,
		at:    githost.WritePack,
		times: githost.Lasting,
		how:   githost.AfterDone(githost.HTTPStatus(500)),
	},
	"push: down after it": {
		everyday: true,
		when:     notPushed,
		begin:    downAfterPush,
		says:     []string{"connection reset by peer (tried 3 times)", "Nothing is lost"},
	},
	"push: down, then more": {
		everyday: true,
		more:     true,
		when:     notPushed,
		begin:    downAfterPush,
		says:     []string{"connection reset by peer (tried 3 times)", "Nothing is lost"},
	},
	"push: refused, then more": {
		more:  true,
		when:  notPushed,
		begin: refusing("exit 1"),
		says:  []string{"a rule of the remote refused it", "The work is kept"},
	},
	"push: hook": {
		everyday: true,
		when:     notPushed,
		begin:    refusing("echo 'Commits need a ticket number.'; exit 1"),
		says: []string{
			"a rule of the remote refused it: Commits need a ticket number.", "The work is kept",
		},
	},
	"push: protected": {
		when:  notPushed,
		begin: refusing("echo 'GH006: Protected branch update failed.'; exit 1"),
		says:  []string{"protected on the remote", "change the protection rule"},
	},
	"push: full disk": {
		when:  notPushed,
		begin: refusing("echo 'fatal: unable to write loose object file: No space left on device'; exit 1"),
		says:  []string{"the remote's disk is full", "Make room there"},
	},
	"push: somebody's own work": {
		everyday: true,
		when:     notPushed,
		begin:    takenBranch,
		says:     []string{"exists on the remote with other commits", "Nothing was overwritten"},
	},
}

// downAfterPush makes the remote accept the push, lose the answer, and be unreachable from then on.
func downAfterPush(_ *outages, s *affected) {
	s.Fail(githost.WritePack, 1,
		githost.AfterDone(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			s.Fail(githost.Anything, githost.Lasting, githost.BreaksOff)
			githost.BreaksOff(w, r, real)
		}))
}

func refusing(script string) func(*outages, *affected) {
	return func(_ *outages, s *affected) {
		if err := s.Hook("pre-receive", script); err != nil {
			s.wrong("%v", err)
		}
	}
}

// takenBranch makes another person's branch with the same name just before the bot pushes.
func takenBranch(o *outages, s *affected) {
	s.Fail(githost.WriteRefs, 1, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		s.taken = query[string](o, s, `select branch from s`)
		theirs, err := s.Git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit-tree", "-m",
			"theirs", "main^{tree}")
		if err == nil {
			theirs, err = s.Git("branch", s.taken, theirs)
		}
		if err != nil {
			s.wrong("%s", theirs)
		}
		real.ServeHTTP(w, r)
	})
}

// affected is one session with its own repository and outage.
type affected struct {
	*githost.Host
	outage
	name, channel, root string
	taken               string   // name of the other person's branch
	found               []string // descriptions of what is wrong
}

// outages is one bot with a session for each outage.
type outages struct {
	t        *testing.T
	slack    *slacktest.Server
	ann      string
	service  *server.Server
	sessions map[string]*affected
	// SQL that is true when a control has shown its fault; empty: the sessions end by themselves
	until string
}

func openOutages(t *testing.T, list map[string]outage, patience remote.RetryPolicy) *outages {
	t.Helper()
	o := &outages{t: t, sessions: map[string]*affected{}}
	dir := harness.Dir(t)
	var err error
	o.slack, err = slacktest.Listen(slacktest.Config{
		AppName:  "bobbin",
		TeamName: "Acme",
		Log:      slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { o.slack.Close() })
	o.ann = o.slack.AddUser(slacktest.User{Name: "ann"}).ID
	app := o.slack.App()
	s := server.Settings{
		Target: storage.Target{DataDir: filepath.Join(dir, "data"), DatabaseURL: harness.Database(t)},
		SlackSettings: server.SlackSettings{
			SlackToken:    app.BotToken,
			SlackAppToken: app.AppToken,
			SlackURL:      o.slack.URL(),
		},
		Seams: server.Seams{SlackPace: time.Millisecond},
		ModelSettings: server.ModelSettings{
			ModelURL: chatmodel.Serve(t, chatmodel.FixOneWord).URL + "/v1",
			Agents:   map[string]agent.Setting{},
		},
		LimitSettings: server.LimitSettings{
			Attempts: 2,
			Seats:    queue.ConcurrencyLimits{AtOnce: len(list), PerRepository: 1},
		},
		Sandbox: config.Sandbox{Kind: "none"},
	}
	for i, name := range slices.Sorted(maps.Keys(list)) {
		files := []txtar.File{{Name: "bugs/0.txt", Data: []byte("wrong\n")}}
		a := &affected{
			outage: list[name],
			name:   name,
			Host:   githost.Open(t, filepath.Join(dir, fmt.Sprint("host-", i)), files),
		}
		a.channel = o.slack.AddChannel(slacktest.Channel{
			Name:    fmt.Sprint("bugs-", i),
			Members: []string{o.ann, app.BotUser},
		}).ID
		s.Repositories = append(s.Repositories, repository.Repository{
			Remote:   remote.Remote{Name: fmt.Sprint("shop-", i), URL: a.Address},
			Base:     "main",
			Channels: []string{a.channel},
		})
		o.sessions[name] = a
	}
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = harness.LogLines(t, "git")
	}
	o.service, err = server.New(t.Context(), s, log)
	require.NoError(t, err)
	o.service.Mirrors.Retry = patience
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
		o.service.Close()
	})
	require.NoError(t, o.slack.WaitConnected(t.Context(), 1))
	return o
}

// play takes every session through its outage, in parallel, and returns what was wrong.
func (o *outages) play() (found []string) {
	ctx, cancel := context.WithTimeout(o.t.Context(), harness.RunTimeout)
	defer cancel()
	if o.until != "" {
		go o.endWhenShown(ctx, cancel)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, s := range o.sessions {
		all.Go(func() {
			if err := o.session(ctx, s); err != nil {
				s.wrong("%v", err)
			}
			o.examine(s)
			mu.Lock()
			defer mu.Unlock()
			for _, w := range s.found {
				found = append(found, s.name+": "+w)
			}
		})
	}
	all.Wait()
	slices.Sort(found)
	return found
}

// endWhenShown ends a control as soon as the database shows the expected fault, as the sessions themselves
// may never end.
func (o *outages) endWhenShown(ctx context.Context, end func()) {
	for shown := false; ctx.Err() == nil; harness.Sleep(ctx, 20*time.Millisecond) {
		if err := o.service.Store.Pool.QueryRow(ctx, o.until).Scan(&shown); err == nil && shown {
			end()
		}
	}
}

// session plays one session from the first message to the push, through its outage.
func (o *outages) session(ctx context.Context, s *affected) error {
	err := o.step(ctx, s, firstLook, o.slack.Mention()+" the word is wrong", "· revision 1")
	if err == nil {
		err = o.step(ctx, s, notPushed, "fix it", "and pushed:")
	}
	if err == nil && s.when == atBase {
		if err = o.step(ctx, s, atBase, "it is wrong elsewhere, too", "· revision 2"); err == nil {
			err = o.step(ctx, s, "", "fix it", "Pushed twice")
		}
	}
	return err
}

// step posts a message and waits for its answer. If the outage belongs to this step, step causes it first,
// and if the bot reports it, fixes it and replies.
func (o *outages) step(ctx context.Context, s *affected, when, say, brings string) error {
	now := s.when == when
	switch {
	case now && s.begin != nil:
		s.begin(o, s)
	case now:
		s.Fail(s.at, s.times, s.how)
	}
	if err := o.say(s, say); err != nil {
		return err
	}
	if now && len(s.says) > 0 {
		if err := o.await(ctx, s, "when it is fixed"); err != nil {
			return err
		}
		o.paused(s)
		o.relieve(s)
		after := "it is repaired, please go on"
		switch {
		case s.more:
			after = "it is repaired, please write another one and push then"
		case when == notPushed:
			after = "push again"
		}
		if err := o.say(s, after); err != nil {
			return err
		}
	}
	return o.await(ctx, s, brings)
}

func (o *outages) say(s *affected, text string) error {
	ts, err := o.slack.Say(s.channel, o.ann, text, s.root)
	if s.root == "" {
		s.root = ts
	}
	return err
}

func (o *outages) await(ctx context.Context, s *affected, text string) error {
	_, err := o.slack.WaitFor(ctx, s.channel, s.root, func(all []slacktest.Message) bool {
		return slices.ContainsFunc(all, func(m slacktest.Message) bool {
			return m.BotID == o.slack.App().BotID &&
				strings.Contains(harness.Unmarked(o.slack.Readable(m.Text)), text)
		})
	})
	if err != nil {
		return fmt.Errorf("waited for %q: %w; the thread is:\n%s", text, err,
			o.slack.ExportText(s.channel, s.root))
	}
	return nil
}

// relieve repairs the remote.
func (o *outages) relieve(s *affected) {
	s.Fix()
	os.Remove(filepath.Join(s.Dir, "hooks", "pre-receive"))
	if s.taken != "" {
		if out, err := s.Git("branch", "-m", s.taken, "theirs"); err != nil {
			s.wrong("%s", out)
		}
	}
}

// query returns one value about a session, which the SQL finds in the relation s.
func query[T any](o *outages, s *affected, sql string) (value T) {
	err := o.service.Store.Pool.QueryRow(context.Background(),
		`with s as (select * from sessions where channel = $1) `+sql, s.channel).Scan(&value)
	if err != nil {
		s.wrong("%s: %v", sql, err)
	}
	return value
}

// paused checks the session while the remote fails.
func (o *outages) paused(s *affected) {
	if phase := query[string](o, s, `select phase from s`); phase != "paused" {
		s.wrong("the session is %s", phase)
	}
	if s.when == notPushed {
		if n := query[int](o, s, `select count(*) from approvals, s where session_id = s.id`); n != 1 {
			s.wrong("%d approvals while the remote fails", n)
		}
		if n := query[int](o, s,
			`select count(*) from pushes, s where session_id = s.id and state = 'refused'`); n != 1 {
			s.wrong("%d pushes that were refused", n)
		}
	}
	if s.taken != "" && len(s.Updates()) > 0 {
		s.wrong("somebody else's branch was changed")
	}
}

// examine checks that at the end nothing was lost, nothing happened twice and nothing was forced.
func (o *outages) examine(s *affected) {
	pushes := 1
	if s.when == atBase {
		pushes = 2
	}
	told := query[[]string](o, s,
		`select coalesce(array_agg(text), '{}') from lines, s where session_id = s.id and (text like '%`+
			firstLook+`%' or text like '%`+notPushed+`%')`)
	if len(told) != min(len(s.says), 1) {
		s.wrong("%d lines tell of it: %q", len(told), told)
	}
	for _, line := range told {
		for _, part := range s.says {
			if !strings.Contains(line, part) {
				s.wrong("%q does not stand in %q", part, line)
			}
		}
		if strings.Contains(line, "\n") || !oneCure.MatchString(line) {
			s.wrong("this is not one line in whole sentences: %q", line)
		}
	}
	if n := query[int](o, s, `select count(*) from lines, s where session_id = s.id and text like '%`+
		githost.Password+`%'`); n > 0 {
		s.wrong("the password was told")
	}
	if n := query[int](o, s, `select count(*) from approvals, s where session_id = s.id`); n != pushes {
		s.wrong("%d approvals", n)
	}
	if n := query[int](o, s,
		`select count(*) from lines, s where session_id = s.id and text like '%and pushed:%'`); n != pushes {
		s.wrong("%d times done", n)
	}
	o.branches(s, pushes)
}

// branches compares the updates that the remote recorded with the pushes in the database.
func (o *outages) branches(s *affected, pushes int) {
	rows := query[[]string](o, s,
		`select coalesce(array_agg(commit_hash || ' ' || state order by at), '{}') from pushes, s
			where session_id = s.id`)
	updates := s.Updates()
	wantRows := pushes
	wantUpdates := pushes
	if s.more { // the first commit stays refused, although the branch may have received it
		wantRows++
		if !strings.Contains(s.says[0], "refused") {
			wantUpdates++
		}
	}
	if len(rows) != wantRows || len(updates) != wantUpdates {
		s.wrong("%d commits and %d updates of branches: %q %q", len(rows), len(updates), rows, updates)
		return
	}
	if last := updates[len(updates)-1][1] + " pushed"; last != rows[len(rows)-1] {
		s.wrong("the branch went to %s, and the push was %s", last, rows[len(rows)-1])
	}
	for _, u := range updates {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, u[1]) }) {
			s.wrong("nothing is known of the push of %s", u[1])
		}
		if strings.Trim(u[0], "0") != "" {
			if _, err := s.Git("merge-base", "--is-ancestor", u[0], u[1]); err != nil {
				s.wrong("forced: %s", u)
			}
		}
	}
}

// oneCure matches the end of a line about a remote: the remedy is a separate sentence.
var oneCure = regexp.MustCompile(`[^.]\. [A-Z].+[^.]\. (Nothing was forced, and the approval stands\. ` +
	`Reply "push again" when it is fixed\.|Reply here when it is fixed, and I try again\.)$`)

func (a *affected) wrong(format string, args ...any) {
	a.found = append(a.found, fmt.Sprintf(format, args...))
}

// idle is how long a remote may be silent. The outages of BOBBIN_GIT_FAULTS=all that hang wait for its end.
const idle = 30 * time.Second

var patient = remote.RetryPolicy{Tries: 3, Wait: time.Millisecond, Idle: idle}

// TestGitFaults shows that whatever a remote does, the approval stays valid, one line says what is wrong and
// what to do, and the same commit is pushed once in the end.
func TestGitFaults(t *testing.T) {
	t.Parallel()
	list := maps.Clone(gitOutages)
	maps.DeleteFunc(list,
		func(_ string, o outage) bool { return !o.everyday && os.Getenv("BOBBIN_GIT_FAULTS") != "all" })
	t.Logf("%d outages", len(list))
	require.Empty(t, strings.Join(openOutages(t, list, patient).play(), "\n"))
}

// Each guard has a control: without the guard the same outages must show a fault.
func TestGitFaultsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	few := func(names ...string) map[string]outage {
		list := map[string]outage{}
		for _, name := range names {
			list[name] = gitOutages[name]
		}
		return list
	}
	t.Run("what passes is tried again", func(t *testing.T) {
		t.Parallel()
		o := openOutages(t, few("push: 503 passes", "base: reset passes"), remote.RetryPolicy{
			Tries: 1,
			Idle:  idle,
		})
		o.until = `select exists (select 1 from lines where text like '%' || $$` + firstLook +
			`$$ || '%' or text like '%' || $$` + notPushed + `$$ || '%')`
		require.Contains(t, strings.Join(o.play(), "\n"), "1 lines tell of it")
	})
	t.Run("the same commit is pushed again", func(t *testing.T) {
		t.Parallel()
		o := openOutages(t, few("push: down after it"), patient)
		o.until = `select count(*) > 1 from pushes`
		_, err := o.service.Store.Pool.Exec(t.Context(),
			`create function forget() returns trigger language plpgsql as $$ begin new.approval_id := null;
			return new; end $$;
			create trigger forget before update on pushes for each row
				when (new.state = 'refused') execute function forget()`)
		require.NoError(t, err)
		require.Contains(t, strings.Join(o.play(), "\n"), "2 commits and 1 updates")
	})
}
