package leaks

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host/githubapp/githubtest"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A leakFixture is everything around a bot. All of it knows secrets and repeats them.
type leakFixture struct {
	t       *testing.T
	dir     string
	secrets canaries
	slack   *slacktest.Server
	ann     string
	model   *httptest.Server
	hub     *githubtest.Server // host of shop, which uses a GitHub App
	desk    *githost.Host      // host of desk, which uses BOBBIN_GIT_TOKEN
	proxy   *httptest.Server   // proxy for everything that is not on this machine
	db      *pgxpool.Pool
	dbURL   string // URL with the password
	log     bytes.Buffer

	mu      sync.Mutex
	prompts bytes.Buffer
	threads map[string]string // root ts by channel
}

func openMine(t *testing.T) *leakFixture {
	t.Helper()
	dir := harness.Dir(t)
	var err error
	m := &leakFixture{
		t:       t,
		dir:     dir,
		threads: map[string]string{},
		secrets: canaries{"app key": appKey(), "git token": githost.Password},
	}
	for _, name := range []string{
		"bot token", "app token", "model key", "database password", "ghost token", "proxy password",
	} {
		m.secrets[name] = strings.ToLower(rand.Text() + rand.Text())[:40]
	}
	m.secrets["bot token"] = "xoxb-" + m.secrets["bot token"]
	m.secrets["app token"] = "xapp-1-" + m.secrets["app token"]
	m.slack, err = slacktest.Listen(slacktest.Config{
		AppName:  "bobbin",
		TeamName: "Acme",
		BotToken: m.secrets["bot token"],
		AppToken: m.secrets["app token"],
	})
	require.NoError(t, err)
	t.Cleanup(func() { m.slack.Close() })
	m.ann = m.slack.AddUser(slacktest.User{Name: "ann"}).ID
	m.openModel()
	m.openRemotes()
	m.openDatabase()
	return m
}

// openModel starts the model. It looks around in its sandbox before it works, and if a conversation mentions
// "the wrong key", the endpoint answers 401 and repeats the key, as real endpoints do.
func (l *leakFixture) openModel() {
	l.model = chatmodel.ServeRequests(l.t,
		func(w http.ResponseWriter, r *http.Request, asked chatmodel.Request) {
			body := asked.Body
			l.mu.Lock()
			l.prompts.Write(body)
			l.mu.Unlock()
			if key := r.Header.Get("Authorization"); bytes.Contains(body, []byte("the wrong key")) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprintf(w, `{"error": {"message": "Incorrect API key provided: %s.", "type": `+
					`"invalid_request_error", "code": "invalid_api_key"}}`,
					strings.TrimPrefix(key, "Bearer "))
				return
			}
			name, args := chatmodel.FixOneWord(asked)
			if name == "report_root_cause" && !bytes.Contains(body, []byte("looking around")) {
				name = "run"
				args = map[string]any{"command": nosy}
			}
			asked.Answer(w, name, args)
		})
}

// nosy is a command that looks where a program's secrets may be.
const nosy = `echo looking around; env; for f in /proc/*/environ /proc/*/cmdline; do tr '\0' '\n' <$f; ` +
	`done; find / -xdev \( -name '*.pem' -o -name '.netrc' -o -name '.pgpass' \) ` +
	`-print 2>/dev/null | head; true`

func (l *leakFixture) openRemotes() {
	t := l.t
	files := []txtar.File{{Name: "bugs/0.txt", Data: []byte("wrong\n")}}
	key, err := x509.ParsePKCS1PrivateKey(pemBytes(appKey()))
	require.NoError(t, err)
	// a prefix that no redaction rule knows
	l.hub, err = githubtest.Listen(githubtest.Config{
		Dir:   filepath.Join(l.dir, "hub"),
		AppID: "12345",
		Key:   &key.PublicKey,
		Print: "tok_",
	})
	require.NoError(t, err)
	t.Cleanup(l.hub.Close)
	require.NoError(t, stage.PlantRemote(filepath.Join(l.dir, "hub", "acme", "shop.git"), files))
	l.hub.Install("acme/shop", 7)
	l.desk = githost.Open(t, filepath.Join(l.dir, "desk"), files)
	l.desk.Address = regexp.MustCompile(`//.*@`).ReplaceAllString(l.desk.Address, "//")
	l.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 502 %s cannot get at %s\r\nX-Was: %s\r\n\r\n",
			r.Header.Get("Proxy-Authorization"), r.URL, r.Header)
	}))
	t.Cleanup(l.proxy.Close)
}

func pemBytes(text string) []byte {
	block, _ := pem.Decode([]byte(text))
	return block.Bytes
}

func (l *leakFixture) openDatabase() {
	t := l.t
	plain := harness.Database(t)
	var err error
	l.db, err = pgxpool.New(t.Context(), plain)
	require.NoError(t, err)
	t.Cleanup(l.db.Close)
	role := "miner_" + strings.ToLower(rand.Text())
	_, err = l.db.Exec(t.Context(),
		fmt.Sprintf("create role %s superuser login password '%s'", role, l.secrets["database password"]))
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = l.db.Exec(context.Background(), "drop role "+role) })
	u, err := url.Parse(plain)
	require.NoError(t, err)
	u.User = url.UserPassword(role, l.secrets["database password"])
	l.dbURL = u.String()
}

// channel makes a channel for a repository.
func (l *leakFixture) channel(name string) string {
	return l.slack.AddChannel(slacktest.Channel{
		Name:    name,
		Members: []string{l.ann, l.slack.App().BotUser},
	}).ID
}

// program returns the command bobbin serve with all secrets in its environment, and the variables more.
func (l *leakFixture) program(config string, more ...string) *exec.Cmd {
	name := filepath.Join(l.dir, fmt.Sprintf("bobbin-%d.yaml", l.log.Len()))
	require.NoError(l.t, os.WriteFile(name, []byte(config), 0o600))
	proxy := "http://bot:" + l.secrets["proxy password"] + "@" + strings.TrimPrefix(l.proxy.URL, "http://")
	cmd := exec.Command(harness.Program(l.t), "serve", "--config", name, "--verbose")
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir, "BOBBIN_DATA_DIR=" + filepath.Join(l.dir, "data"),
		secrets.SlackBotToken + "=" + l.secrets["bot token"],
		secrets.SlackAppToken + "=" + l.secrets["app token"], "SLACK_API_URL=" + l.slack.URL(),
		secrets.ModelKey + "=" + l.secrets["model key"], "OPENAI_BASE_URL=" + l.model.URL + "/v1",
		secrets.DatabaseURL + "=" + l.dbURL, secrets.GitToken + "=" + l.secrets["git token"],
		"GHOST_TOKEN=" + l.secrets["ghost token"],
		secrets.GithubAppKey + "=" + strings.ReplaceAll(appKey(), "\n", `\n`), "HTTPS_PROXY=" + proxy,
	}, more...)
	cmd.Stdout = &l.log
	cmd.Stderr = &l.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// waitsForPostgres starts a bot whose Postgres does not answer, and stops it once it says that it waits.
func (l *leakFixture) waitsForPostgres(config string) {
	nobody := "postgres://u:" + l.secrets["database password"] + "@" + harness.ClosedPort(l.t) + "/d"
	bot := l.program(config, secrets.DatabaseURL+"="+nobody)
	bot.Stdout = nil
	said, err := bot.StdoutPipe()
	require.NoError(l.t, err)
	bot.Stderr = bot.Stdout
	require.NoError(l.t, bot.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		fmt.Fprintln(&l.log, lines.Text())
		if strings.Contains(lines.Text(), "no Postgres answers") {
			require.NoError(l.t, bot.Process.Signal(os.Interrupt))
		}
	}
	require.NoError(l.t, lines.Err())
	_ = bot.Wait()
	require.Contains(l.t, l.log.String(), "no Postgres answers")
}

func (l *leakFixture) say(channel, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.threads[channel] == "" {
		text = l.slack.Mention() + " " + text
	}
	ts, err := l.slack.Say(channel, l.ann, text, l.threads[channel])
	if err != nil {
		l.t.Error(err)
	}
	if l.threads[channel] == "" {
		l.threads[channel] = ts
	}
}

// await reports whether the bot posts the text in the channel before ctx ends.
func (l *leakFixture) await(ctx context.Context, channel, text string) bool {
	l.mu.Lock()
	root := l.threads[channel]
	l.mu.Unlock()
	_, err := l.slack.WaitFor(ctx, channel, root, func(all []slacktest.Message) bool {
		return slices.ContainsFunc(all, func(x slacktest.Message) bool {
			return x.BotID == l.slack.App().BotID &&
				strings.Contains(harness.Unmarked(l.slack.Readable(x.Text)), text)
		})
	})
	if err != nil {
		l.t.Errorf("waited for %q: %v; the thread is:\n%s", text, err, l.slack.ExportText(channel, root))
	}
	return err == nil
}

// echo returns a Trouble that answers with the credentials that it was sent.
func echo(status int, location string) githost.Trouble {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, password, _ := r.BasicAuth()
		if location != "" {
			w.Header().Set("Location", location+url.QueryEscape(password))
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="`+password+`"`)
		w.WriteHeader(status)
		fmt.Fprintf(w, "not with %s (%s)", password, r.Header.Get("Authorization"))
	}
}

// hubEchoes lets how answer the requests to the fake GitHub whose URI contains at: API calls, fetches or
// pushes.
func (l *leakFixture) hubEchoes(at string, how githost.Trouble) {
	l.hub.Spoil(func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
		if !strings.Contains(r.URL.RequestURI(), at) {
			return false
		}
		how(w, r, real)
		return true
	})
}

// shop plays a whole session with a GitHub App, in which everything fails once.
func (l *leakFixture) shop(ctx context.Context, channel string) {
	l.hubEchoes("/api/", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"message": "no: %s"}`, r.Header.Get("Authorization"))
	})
	l.say(channel, "the word is wrong")
	if !l.await(ctx, channel, "I cannot get at the repository") {
		return
	}
	l.hubEchoes("git-upload-pack", echo(http.StatusFound, "http://elsewhere.invalid/?token="))
	l.say(channel, "it is repaired, I think")
	if !l.await(ctx, channel, "sends us to another host") {
		return
	}
	l.hub.Spoil(nil)
	l.say(channel, "now it is repaired, please go on")
	if !l.await(ctx, channel, "· revision 1") {
		return
	}
	l.hubEchoes("git-receive-pack", echo(http.StatusForbidden, ""))
	l.say(channel, "fix it")
	if !l.await(ctx, channel, "could not be pushed") {
		return
	}
	l.hub.Spoil(nil)
	l.hub.Expire()
	l.say(channel, "push again")
	l.await(ctx, channel, "and pushed:")
}

// atDesk plays a whole session with BOBBIN_GIT_TOKEN, in which everything fails once, and a Postgres whose
// error message holds its password.
func (l *leakFixture) atDesk(ctx context.Context, channel string) {
	l.desk.Fail(githost.ReadRefs, githost.Lasting, echo(http.StatusUnauthorized, ""))
	l.say(channel, "the word is wrong")
	if !l.await(ctx, channel, "does not accept the token BOBBIN_GIT_TOKEN") {
		return
	}
	l.desk.Fix()
	if _, err := l.db.Exec(ctx,
		`create function quotes() returns trigger language plpgsql as $$ begin raise exception
			'connection "%" lost', '`+
			l.dbURL+`'; end $$;
		create trigger quotes before insert on reports for each row execute function quotes()`); err != nil {
		l.t.Error(err)
	}
	l.say(channel, "it is repaired, please go on")
	for failed := 0; failed == 0 && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if err := l.db.QueryRow(ctx,
			`select count(*) from river_job where cardinality(errors) > 0`).Scan(&failed); err != nil {
			l.t.Error(err)
			return
		}
	}
	if _, err := l.db.Exec(ctx, `drop trigger quotes on reports; drop function quotes`); err != nil {
		l.t.Error(err)
	}
	if !l.await(ctx, channel, "· revision 1") {
		return
	}
	l.desk.Fail(githost.WriteRefs, githost.Lasting, echo(http.StatusFound, "/login?token="))
	l.say(channel, "fix it")
	if !l.await(ctx, channel, "could not be pushed") {
		return
	}
	l.desk.Fix()
	l.say(channel, "push again")
	l.await(ctx, channel, "and pushed:")
}

// places returns the content of all places where no secret may be, after the bot has ended.
func (l *leakFixture) places() map[string]string {
	t := l.t
	places := map[string]string{"the log": l.log.String(), "prompts": l.prompts.String()}
	for table, rows := range tables(t, l.db) {
		places["table "+table] = rows
	}
	var slack strings.Builder
	for _, r := range l.slack.Requests("") {
		fmt.Fprintf(&slack, "%s %v %s\n", r.Method, r.Args, r.Error)
	}
	for channel, root := range l.threads {
		b, err := l.slack.ExportJSON(channel, root)
		require.NoError(t, err)
		slack.Write(b)
	}
	places["Slack"] = slack.String()
	require.NoError(t,
		filepath.WalkDir(filepath.Join(l.dir, "data"), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(name)
			places["file "+name] = name + "\n" + string(b) + inflated(b)
			return err
		}))
	objects := func(dir string) {
		out, err := exec.Command("git", "-c", "safe.directory=*", "-C", dir, "cat-file", "--batch",
			"--batch-all-objects").Output()
		require.NoError(t, err, dir)
		places["objects of "+dir] = string(out)
	}
	objects(l.desk.Dir)
	objects(filepath.Join(l.dir, "hub", "acme", "shop.git"))
	mirrors, err := filepath.Glob(filepath.Join(l.dir, "data", "mirrors", "*.git"))
	require.NoError(t, err)
	for _, dir := range mirrors {
		objects(dir)
	}
	return places
}

// inflated returns the decompressed content of a loose object, or an empty string.
func inflated(b []byte) string {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	plain, _ := io.ReadAll(r)
	return string(plain)
}

// tables returns all rows of all tables as JSON, by table.
func tables(t *testing.T, db *pgxpool.Pool) map[string]string {
	t.Helper()
	rows, err := db.Query(t.Context(),
		`select quote_ident(table_schema) || '.' || quote_ident(table_name) from information_schema.tables
		where table_schema not in ('pg_catalog', 'information_schema')`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(names), 20)
	all := map[string]string{}
	for _, name := range names {
		rows, err := db.Query(t.Context(), `select row_to_json(t)::text from `+name+` t`)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		all[name] = strings.Join(lines, "\n")
	}
	return all
}

// A whole bot works with pushes and errors of every kind, and all that it talks to repeats the secrets that
// it was sent. Afterwards none of them may be found anywhere.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	m := openMine(t)
	shop := m.channel("shop")
	desk := m.channel("desk")
	ghost := m.channel("ghost")
	wrongKey := m.channel("wrong-key")
	config := fmt.Sprintf(`repositories:
- {name: shop, url: "%s/acme/shop.git", base: main, channels: [%s], github_app: {id: 12345, api_url: "%s"}}
- {name: desk, url: "%s", base: main, channels: [%s, %s]}
- {name: ghost, url: "https://ghost.invalid/acme/ghost.git", base: main, channels: [%s], token_env: GHOST_TOKEN}
`, m.hub.URL, shop, m.hub.API, m.desk.Address, desk, wrongKey, ghost)

	m.waitsForPostgres(config)
	for _, malformed := range []string{"%zz@h/d", "@h:port/d"} {
		address := "postgres://u:" + m.secrets["database password"] + malformed
		require.Error(t, m.program(config, secrets.DatabaseURL+"="+address).Run())
	}
	bot := m.program(config)
	require.NoError(t, bot.Start())
	ended := make(chan error, 1)
	go func() { ended <- bot.Wait() }()
	ctx, cancel := context.WithTimeout(t.Context(), harness.RunTimeout)
	defer cancel()
	require.NoError(t, m.slack.WaitConnected(ctx, 1))
	m.say(wrongKey, "it has the wrong key")
	m.await(ctx, wrongKey, "key")
	var all sync.WaitGroup
	all.Go(func() { m.shop(ctx, shop) })
	all.Go(func() { m.atDesk(ctx, desk) })
	all.Go(func() {
		m.say(ghost, "the word is wrong")
		m.await(ctx, ghost, "I cannot get at the repository")
	})
	all.Wait()
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", bot.Process.Pid))
	require.NoError(t, err)
	require.NoError(t, bot.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-ended, m.log.String())

	for i, token := range m.hub.Tokens() {
		m.secrets[fmt.Sprintf("minted token %d", i)] = token.Value
	}
	require.Greater(t, len(m.secrets), 10)
	places := m.places()
	// HTTPS_PROXY stays in the environment, as libraries read it later
	places["/proc/PID/environ"] = strings.ReplaceAll(string(environ), m.secrets["proxy password"], "")
	require.Contains(t, places["prompts"], "looking around", "the agent has looked at its sandbox")
	require.Contains(t, places["prompts"], "GOPROXY=off")
	require.Contains(t, places["the log"], "level=")
	require.Contains(t, places["table public.river_job"], "lost", "Postgres' own words are kept")
	require.Empty(t, strings.Join(m.secrets.everywhere(places), "\n"))
	if testing.Verbose() {
		n := 0
		for _, text := range places {
			n += len(text)
		}
		t.Logf("%d secrets in none of %d places, %d KiB\n%s", len(m.secrets), len(places),
			n>>10, m.log.String())
	}
}

// The control: without redaction, and with a password in a remote's address, the same detector finds what the
// same remote repeats.
func TestSecretsAreFoundWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	m := openMine(t)
	channel := m.channel("desk")
	app := m.slack.App()
	s := server.Settings{
		Target: storage.Target{DataDir: filepath.Join(m.dir, "data"), DatabaseURL: m.dbURL},
		SlackSettings: server.SlackSettings{
			SlackToken:    app.BotToken,
			SlackAppToken: app.AppToken,
			SlackURL:      m.slack.URL(),
		},
		Seams: server.Seams{SlackPace: time.Millisecond},
		ModelSettings: server.ModelSettings{
			ModelURL: m.model.URL + "/v1",
			Agents:   map[string]agent.Setting{},
		},
		LimitSettings: server.LimitSettings{Attempts: 2, Seats: queue.ConcurrencyLimits{AtOnce: 2}},
		Sandbox:       config.Sandbox{Kind: "none"},
		Repositories: []repository.Repository{{
			Remote: remote.Remote{
				Name: "desk",
				URL:  strings.Replace(m.desk.Address, "//", "//bot:"+githost.Password+"@", 1),
			},
			Base:     "main",
			Channels: []string{channel},
		}},
	}
	service, err := server.New(t.Context(), s, slog.New(slog.NewTextHandler(&m.log, nil)))
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(context.Background(), harness.StepTimeout)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	require.NoError(t, m.slack.WaitConnected(ctx, 1))
	m.desk.Fail(githost.ReadRefs, githost.Lasting, echo(http.StatusForbidden, ""))
	m.say(channel, "the word is wrong")
	m.await(ctx, channel, "may not do this: not with "+githost.Password)
	stop()
	<-ended
	service.Close()
	found := m.secrets.everywhere(m.places())
	require.Contains(t, found, "git token is in Slack")
	require.Contains(t, found, "git token is in table public.lines")
	require.Contains(t, m.log.String(), "level=INFO")
	require.NotContains(t, m.log.String(), "the word is wrong", "what people write is not for the log")
}

// appKey returns a GitHub App's key in the format of GitHub. It is made once, as that is slow.
var appKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key),
	}))
})
