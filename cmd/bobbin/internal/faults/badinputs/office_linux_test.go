package badinputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A badOffice is the room of Slack and of approvals: the bot that serve runs, a local Slack with its real
// WebSocket, and a model that makes the calls that a case states, or else reports, delegates and finishes
// correctly. Each case has its own channel; the cases of a batch with "together" share one session, one after
// the other. deeds lists the verbs of a step.
type badOffice struct {
	t     *testing.T
	off   string
	stage *stage.Stage
	model *httptest.Server
	alone sync.RWMutex // held for writing by cases that affect all places
	group string
	donor string // value of a button in another session
	log   harness.LogBook

	mu     sync.Mutex
	places []*officeCase
}

// An officeCase is a place, which is a channel, and the case that is played in it.
type officeCase struct {
	*badOffice
	*badCase
	number  int
	channel string
	remote  string
	people  map[string]string
	root    string
	last    string
	heard   int // the bot's messages in the channel when the case began
	// what the bot had shown to one person alone in the channel by then
	heardAlone int
	rows       rowsOfPlace

	stated map[string]bool

	mu    sync.Mutex
	queue []chatmodel.Call
	asked []string // bodies of the model requests
}

// rowsOfPlace counts the database rows that a bad input must not change.
type rowsOfPlace struct{ sessions, approvals, pushes int }

// playInTheOffice plays batches with "alone", which break connections or API calls of all places, in a second
// instance of the program.
func playInTheOffice(t *testing.T, batches []*badBatch, off string) {
	var alone []*badBatch
	batches = slices.DeleteFunc(slices.Clone(batches), func(b *badBatch) bool {
		if b.has("alone") {
			alone = append(alone, b)
		}
		return b.has("alone")
	})
	for _, group := range [][]*badBatch{batches, alone} {
		if len(group) > 0 {
			(&badOffice{t: t, off: off}).play(group)
		}
	}
}

func (bo *badOffice) play(batches []*badBatch) {
	t := bo.t
	bo.open(batches)
	var all errgroup.Group
	all.SetLimit(8)
	var next int
	donor := bo.places[0]
	require.NoError(t, donor.begin(t.Context()))
	bo.donor = donor.button("fix_it")
	require.NotEmpty(t, bo.donor)
	for _, b := range batches {
		mine := bo.places[next+1:]
		if b.has("together") {
			next++
			all.Go(func() error {
				bo.together(mine[0], b)
				return nil
			})
			continue
		}
		for i, c := range b.cases {
			next++
			p := mine[i]
			p.badCase = c
			all.Go(func() error {
				p.whole(b)
				return nil
			})
		}
	}
	require.NoError(t, all.Wait())
	if err := bo.places[0].afterwards(t.Context()); err != nil {
		t.Errorf("the program does not go on: %v", err)
	}
	for _, r := range bo.stage.Slack.Requests("chat.postMessage") {
		require.Equal(t, []string{"false", "false"},
			[]string{r.Args.Get("unfurl_links"), r.Args.Get("unfurl_media")}, "%v", r.Args)
	}
	require.NotContains(t, bo.log.String(), "panic")
}

func (b *badBatch) has(verb string) bool {
	return slices.ContainsFunc(b.setup, func(s badStep) bool { return s.verb == verb })
}

func (b *badBatch) told(verb string) string {
	for _, s := range b.setup {
		if s.verb == verb {
			return s.text()
		}
	}
	return ""
}

// open makes and starts the stage, with a channel for each place.
func (bo *badOffice) open(batches []*badBatch) {
	t := bo.t
	dir := harness.Dir(t)
	var err error
	bo.model = httptest.NewServer(http.HandlerFunc(bo.answer))
	t.Cleanup(bo.model.Close)
	files := []txtar.File{
		{Name: "bugs/0.txt", Data: []byte("wrong\n")},
		{Name: ".env", Data: []byte("KEY=1\n")},
	}
	bo.stage, err = stage.Open(t.Context(), stage.Config{
		Dir:         dir,
		Files:       files,
		Model:       "== nobody\nsay nothing\n",
		ModelName:   "none",
		DatabaseURL: stagedDatabase(t),
		Log:         slog.New(slog.NewTextHandler(&bo.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Adjust:      bo.adjust(batches, files),
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = bo.stage.Close() })
	bo.cast()
	bo.place(nil)
	for _, b := range batches {
		if b.has("together") {
			bo.place(b)
			continue
		}
		for range b.cases {
			bo.place(b)
		}
	}
	require.NoError(t, bo.stage.Start(context.Background()))
	if bo.off == "one row for each event" {
		_, err := bo.stage.Store.Pool.Exec(t.Context(),
			`alter table inbox drop constraint inbox_event_id_key`)
		require.NoError(t, err)
	}
}

func (bo *badOffice) cast() {
	s := bo.stage.Slack
	add := func(u slacktest.User) { bo.stage.People[u.Name] = s.AddUser(u).ID }
	add(slacktest.User{Name: "cem"})
	add(slacktest.User{Name: "una", Kind: slacktest.UltraGuest})
	add(slacktest.User{Name: "gone", Deleted: true})
	add(slacktest.User{Name: "away"})
	bo.stage.People["hook"] = s.AddBot(slacktest.User{Name: "hook", Hook: true}).ID
	bo.group = s.AddGroup(slacktest.UserGroup{
		Handle: "owners",
		Users:  []string{bo.stage.People["bea"], bo.stage.People["gus"]},
	}).ID
}

// place makes a channel for a case, or for a batch with "together".
func (bo *badOffice) place(b *badBatch) {
	p := &officeCase{badOffice: bo, number: len(bo.places), people: map[string]string{}}
	var members []string
	for name, id := range bo.stage.People {
		p.people[name] = id
		if name != "away" && name != "hook" {
			members = append(members, id)
		}
	}
	p.channel = bo.stage.Slack.AddChannel(slacktest.Channel{
		Name:    fmt.Sprint("place-", p.number),
		Shared:  true,
		Members: append(members, bo.stage.Slack.App().BotUser),
	}).ID
	p.remote = bo.stage.Remote
	if b != nil && b.has("own-remote") {
		p.remote = filepath.Join(bo.stage.Dir, fmt.Sprintf("own-%s.git", filepath.Base(b.name)))
	}
	p.badCase = &badCase{batch: &badBatch{}}
	if b != nil {
		p.badCase.batch = b
	}
	bo.places = append(bo.places, p)
}

// adjust configures the bot for the room, and gives each channel a repository with the approval rules that
// its batch wants.
func (bo *badOffice) adjust(batches []*badBatch, files []txtar.File) func(*server.Settings) {
	return func(s *server.Settings) {
		s.ModelURL = bo.model.URL + "/v1"
		s.ModelKey = badKey
		s.Sandbox.Kind = "none"
		s.ModelRetry = model.Retry{Tries: 2, Wait: time.Millisecond, MaxWait: 20 * time.Millisecond}
		s.SlackPace = time.Millisecond
		s.Seats = queue.ConcurrencyLimits{AtOnce: 16}
		s.Secrets = redact.New(s.SlackToken, s.SlackAppToken, badKey)
		s.Agents = map[string]agent.Setting{}
		rules := map[string]repository.Repository{}
		for name, a := range map[string]workflow.Approvers{
			"":        {},
			"another": {OtherThanRequester: true},
			"named":   {People: []string{bo.stage.People["bea"]}},
			"group":   {People: []string{bo.group}},
			"lost":    {People: []string{goneGroup}},
		} {
			rules[name] = repository.Repository{
				Remote:     remote.Remote{Name: "shop" + name, URL: bo.stage.Remote},
				Base:       "main",
				Approvers:  a,
				Visibility: host.Private, // of direct messages, too, the words may be pushed
			}
		}
		for _, p := range bo.places {
			b := p.badCase.batch
			name := b.told("rules")
			r := rules[name]
			if b.has("own-remote") {
				name = b.name
				r.Remote = remote.Remote{
					Name: strings.TrimSuffix(filepath.Base(b.name), ".txtar"),
					URL:  p.remote,
				}
				r.Channels = nil
				if _, err := os.Stat(p.remote); err != nil {
					require.NoError(bo.t, b.plant(p.remote, files))
				}
				if known, ok := rules[name]; ok {
					r = known
				}
			}
			r.Channels = append(slices.Clone(r.Channels), p.channel)
			rules[name] = r
		}
		s.Repositories = nil
		for _, r := range rules {
			s.Repositories = append(s.Repositories, r)
		}
		if bo.off != "" {
			s.SlackURL = bo.withoutGuard(s.SlackURL)
		}
		s.Limits = nil
	}
}

// plant makes the remote of a batch with "own-remote".
func (b *badBatch) plant(dir string, files []txtar.File) error {
	if b.has("unborn") {
		return exec.Command("git", "init", "-q", "--bare", "-b", "main", dir).Run()
	}
	var odd []string // names that go-git does not accept
	files = slices.Clone(files)
	for _, s := range b.setup {
		if s.verb != "file" {
			continue
		}
		name := s.word()
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			odd = append(odd, name)
			continue
		}
		files = append(slices.DeleteFunc(files, func(f txtar.File) bool { return f.Name == name }),
			txtar.File{Name: name, Data: []byte(s.text())})
	}
	if err := stage.PlantRemote(dir, files); err != nil || odd == nil {
		return err
	}
	return plantOdd(dir, odd)
}

// plantOdd commits files with any name, through git's plumbing commands.
func plantOdd(dir string, names []string) error {
	git := func(input string, args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{
			"-c", "safe.directory=*", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", dir,
		}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		return string(out), err
	}
	tree, err := git("", "ls-tree", "-z", "main")
	if err != nil {
		return err
	}
	blob, err := git("owned\n", "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	for _, name := range names {
		tree += fmt.Sprintf("100644 blob %s\t%s\x00", strings.TrimSpace(blob), name)
	}
	if tree, err = git(tree, "mktree", "-z"); err != nil {
		return err
	}
	commit, err := git("", "commit-tree", "-p", "main", "-m", "odd names", strings.TrimSpace(tree))
	if err != nil {
		return err
	}
	_, err = git("", "update-ref", "refs/heads/main", strings.TrimSpace(commit))
	return err
}

// withoutGuard starts a proxy to Slack's API that undoes what the disabled guard does, and returns its URL.
func (bo *badOffice) withoutGuard(address string) string {
	to, err := url.Parse(address)
	require.NoError(bo.t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme = to.Scheme
		r.Out.URL.Host = to.Host
		r.Out.Host = to.Host
		r.Out.Header.Del("Accept-Encoding")
		if bo.off != "what models write is escaped" || !strings.HasSuffix(r.In.URL.Path, "chat.postMessage") {
			return
		}
		body, _ := io.ReadAll(r.In.Body)
		form, _ := url.ParseQuery(string(body))
		for name := range form {
			form.Set(name, strings.NewReplacer("&lt;", "<", "&gt;", ">", `\u0026lt;`, "<",
				`\u0026gt;`, ">").Replace(form.Get(name)))
		}
		text := form.Encode()
		r.Out.Body = io.NopCloser(strings.NewReader(text))
		r.Out.ContentLength = int64(len(text))
	}}
	if bo.off == "everybody is looked up" {
		proxy.ModifyResponse = func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			for _, what := range []string{
				"is_restricted", "is_ultra_restricted", "is_stranger", "deleted", "is_bot",
			} {
				body = bytes.ReplaceAll(body, []byte(`"`+what+`":true`), []byte(`"`+what+`":false`))
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		}
	}
	server := httptest.NewServer(proxy)
	bo.t.Cleanup(server.Close)
	return server.URL + to.Path
}

var placeNamed = regexp.MustCompile(`\(place (\d+)\)`)

// answer answers as the model: with the call that the case has queued, or else as FixOneWord does.
func (bo *badOffice) answer(w http.ResponseWriter, r *http.Request) {
	asked, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	if m := placeNamed.FindSubmatch(asked.Body); m != nil {
		number, _ := strconv.Atoi(string(m[1]))
		if p := bo.placeOf(number); p != nil {
			if call := p.next(string(asked.Body)); call != nil {
				(&chatmodel.Stream{ResponseWriter: w}).Answer("tool_calls", *call)
				return
			}
		}
	}
	name, args := chatmodel.FixOneWord(asked)
	asked.Answer(w, name, args)
}

func (bo *badOffice) placeOf(number int) *officeCase {
	bo.mu.Lock()
	defer bo.mu.Unlock()
	if number >= len(bo.places) {
		return nil
	}
	return bo.places[number]
}

// next records a request and returns the case's next queued call, or nil.
func (o *officeCase) next(body string) *chatmodel.Call {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, body)
	if len(o.queue) == 0 {
		return nil
	}
	call := o.queue[0]
	o.queue = o.queue[1:]
	call.ID = fmt.Sprintf("stated-%d-%d", o.number, len(o.asked))
	return &call
}

func (bo *badOffice) limit(b *badBatch) func() {
	if b.has("alone") {
		bo.alone.Lock()
		return func() {
			bo.stage.Slack.ClearFaults()
			bo.alone.Unlock()
		}
	}
	bo.alone.RLock()
	return bo.alone.RUnlock
}

// whole plays the setup and a case in the case's own place.
func (o *officeCase) whole(b *badBatch) {
	defer o.limit(b)()
	err := o.setUp(o.t.Context(), b)
	if err == nil {
		err = o.play(o.t.Context())
	}
	if err != nil {
		o.faults = append(o.faults, err.Error())
	}
	o.end()
}

// together plays the setup and then the cases of a batch in one session, one after the other.
func (bo *badOffice) together(p *officeCase, b *badBatch) {
	defer bo.limit(b)()
	err := p.setUp(bo.t.Context(), b)
	for _, c := range b.cases {
		p.badCase = c
		if err == nil {
			err = p.play(bo.t.Context())
		}
		if err != nil {
			c.faults = append(c.faults, err.Error())
		}
		c.end()
	}
}

func (o *officeCase) setUp(ctx context.Context, b *badBatch) error {
	for _, s := range b.setup {
		switch s.verb {
		case "together", "rules", "alone", "own-remote", "unborn", "file":
			continue
		}
		if err := o.step(ctx, s); err != nil {
			return fmt.Errorf("%s:%d: %w", b.name, s.at, err)
		}
	}
	return o.settle(ctx)
}

func (o *officeCase) play(ctx context.Context) error {
	o.stated = map[string]bool{}
	o.heard = len(o.own())
	o.heardAlone = len(o.alone())
	var err error
	if o.rows, err = o.count(ctx); err != nil {
		return err
	}
	for _, s := range o.steps {
		if err := o.step(ctx, s); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", o.batch.name, s.at, s.verb, err)
		}
	}
	if err := o.settle(ctx); err != nil {
		return err
	}
	return o.examine(ctx)
}

// examine checks that the case approved, pushed and began nothing that it does not state, and that no message
// of the bot has a live mention or link or the API key.
func (o *officeCase) examine(ctx context.Context) error {
	last := badStep{at: o.at, verb: "afterwards"}
	now, err := o.count(ctx)
	if err != nil {
		return err
	}
	for what, pair := range map[string][2]int{
		"sessions":  {o.rows.sessions, now.sessions},
		"approvals": {o.rows.approvals, now.approvals},
		"pushes":    {o.rows.pushes, now.pushes},
	} {
		if !o.stated[what] && pair[0] != pair[1] {
			o.wrong(last, "there were %d %s, and there are %d", pair[0], what, pair[1])
		}
	}
	due := o.calledFor()
	for _, m := range o.own() {
		// not what a case posts in the bot's name, nor the first message of a command's thread,
		// which mentions the requester
		posted := m.Metadata != nil && m.Metadata.EventType != "bobbin_command"
		if live := liveMarks.FindString(due.Replace(m.Text + plainText.ReplaceAllString(string(m.Blocks),
			""))); live != "" && posted {
			o.wrong(last, "this is live: %s in %q", live, m.Text)
		}
		if strings.Contains(m.Text+string(m.Blocks), badKey) {
			o.wrong(last, "the key is told: %s", m.Text)
		}
	}
	return nil
}

// goneGroup is a user group that a configuration names, and that Slack does not know.
const goneGroup = "S0GONE"

// calledFor returns a replacer that removes the lines with which the bot mentions a configured approver to
// ask for an approval.
func (o *officeCase) calledFor() *strings.Replacer {
	var pairs []string
	called := []string{"!subteam^" + o.group, "!subteam^" + goneGroup, "@" + o.stage.People["bea"]}
	for _, mark := range called {
		pairs = append(pairs, "\nFor <"+mark+">", "", `\nFor <`+mark+">", "",
			`\nFor \u003c`+mark+`\u003e`, "")
	}
	return strings.NewReplacer(pairs...)
}

// liveMarks matches markup that Slack acts on: mentions and links.
var liveMarks = regexp.MustCompile(`<[!@#][^>]*>|<https?://[^>]*>|<mailto:[^>]*>|\\u003c[!@#]`)

// plainText matches plain_text objects, in which Slack interprets no markup.
var plainText = regexp.MustCompile(`"text":"(?:[^"\\]|\\.)*","type":"plain_text"`)

func (o *officeCase) count(ctx context.Context) (rows rowsOfPlace, err error) {
	err = o.stage.Store.Pool.QueryRow(ctx,
		`with s as (select id from sessions where channel = $1) select (select count(*) from s),
		(select count(*) from approvals where session_id in (select id from s)), (select count(*) from pushes
			where state = 'pushed' and session_id in (select id from s))`,
		o.channel).Scan(&rows.sessions, &rows.approvals, &rows.pushes)
	return rows, err
}

// own returns all messages of the bot in the place, sorted by time.
func (o *officeCase) own() (list []slacktest.Message) {
	for _, root := range o.stage.Slack.Channel(o.channel) {
		for _, m := range o.stage.Slack.Thread(o.channel, root.TS) {
			if m.BotID == o.stage.Slack.App().BotID && m.TS != "" {
				list = append(list, m)
			}
		}
	}
	slices.SortFunc(list, func(a, b slacktest.Message) int { return strings.Compare(a.TS, b.TS) })
	return list
}

// button returns the value of the newest button of that action, or an empty string.
func (o *officeCase) button(action string) string {
	own := o.own()
	for _, m := range slices.Backward(own) {
		for _, c := range m.Pressable() {
			if c.ActionID == action {
				return c.Value
			}
		}
	}
	return ""
}

// settle waits until all events of the place are handled, its replies posted and its jobs finished.
func (o *officeCase) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, harness.StepTimeout)
	defer cancel()
	for {
		if err := o.stage.Slack.WaitTaken(ctx); err != nil {
			return fmt.Errorf("what was sent is not taken: %w", err)
		}
		var left int
		err := o.stage.Store.Pool.QueryRow(ctx, `with s as (select id from sessions where channel = $1)
			select (select count(*) from inbox where handled_at is null and session_id in (select id from s))
			+ (select count(*) from outbox where posted_at is null and refused is null
				and session_id in (select id from s))
			+ (select count(*) from river_job where kind in ('turn', 'post')
				and state not in ('completed', 'discarded', 'cancelled') and args->>'session' in (select id
				from s))`,
			o.channel).Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		harness.Sleep(ctx, 25*time.Millisecond)
	}
}

// begin makes the bot show a report in the place.
func (o *officeCase) begin(ctx context.Context) error {
	for _, s := range []badStep{
		{verb: "say", rest: "ann @bobbin the word is wrong"},
		{verb: "await", rest: "· revision 1"},
	} {
		if err := o.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// afterwards checks that the session that begin made can still be approved and pushed.
func (o *officeCase) afterwards(ctx context.Context) error {
	for _, s := range []badStep{{verb: "say", rest: "ann fix it"}, {verb: "await", rest: "and pushed:"}} {
		if err := o.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// git runs git with args in the place's remote and returns its trimmed output.
func (o *officeCase) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{
		"-c", "safe.directory=*", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", o.remote,
	}, args...)...).CombinedOutput()
	if err != nil {
		return "", errors.New(strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}
