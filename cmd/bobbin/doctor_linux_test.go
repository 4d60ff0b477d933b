package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
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
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/migrations"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/source/sourcetest"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// A doctorSetup is a set-up of the bot without a fault, until a test breaks something.
type doctorSetup struct {
	*testing.T
	slack  *slacktest.Server
	bugs   slacktest.Channel
	ann    slacktest.User
	model  string // URL of the scripted model's endpoint
	remote string
	file   string // text of the configuration file; empty: none is named
	env    map[string]string
	adjust func(*server.Settings) // changes the settings after they were read; nil: nothing is changed
	box    *sandbox.Sandbox       // used instead of the sandbox that the test passes to look; nil: not used
	hidden map[string]string      // texts that differ between runs, with their placeholders
}

// botTail is the end of the bot token, which may be printed.
const botTail = "-tail"

func openDoctorSetup(t *testing.T, cfg slacktest.Config) *doctorSetup {
	t.Helper()
	w := &doctorSetup{T: t, hidden: map[string]string{}}
	// Slack's limit is 3 s, which a busy machine can exceed
	cfg.AckTimeout = cmp.Or(cfg.AckTimeout, time.Minute)
	cfg.AppName = "bobbin"
	cfg.BotToken = "xoxb-" + secret + "-bobbin" + botTail
	cfg.AppToken = "xapp-1-" + secret + "-bobbin" + botTail
	cfg.OpenID = slacktest.OpenID{ClientID: "1234.5678", ClientSecret: "client-" + secret}
	if cfg.Scopes == nil {
		cfg.Scopes = deploy.Names(deploy.Scopes())
	}
	w.slack = slacktest.New(cfg)
	t.Cleanup(w.slack.Close)
	w.ann = w.slack.AddUser(slacktest.User{Name: "ann"})
	w.bugs = w.slack.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{w.ann.ID, w.slack.App().BotUser},
	})
	dir := harness.Dir(t)
	w.remote = filepath.Join(dir, "remote.git")
	require.NoError(t, stage.PlantRemote(w.remote, []txtar.File{{
		Name: "go.mod", Data: []byte("module shop\n"),
	}}))
	w.play("== " + agent.DefaultModel + "\nsay hello\n")
	w.file = "repositories: [{name: shop, url: " + w.remote + ", channels: [" + w.bugs.ID +
		", \"#bugs\"], approvers: [" + w.ann.ID + "]}]\n" +
		"models: {" + agent.DefaultModel + ": {input_usd_per_million: 1, output_usd_per_million: 2}}\n"
	w.env = map[string]string{
		"SLACK_BOT_TOKEN":  cfg.BotToken,
		"SLACK_APP_TOKEN":  cfg.AppToken,
		"SLACK_API_URL":    w.slack.URL(),
		"OPENAI_API_KEY":   "sk-" + secret,
		"BOBBIN_DATA_DIR":  filepath.Join(dir, "data"),
		"BOBBIN_GIT_TOKEN": "git-" + secret,
	}
	w.hidden[dir] = "<dir>"
	w.hidden[w.slack.URL()] = "<slack>/"
	return w
}

// play starts a scripted model, which replaces the one before.
func (d *doctorSetup) play(script string) {
	parsed, err := modeltest.Parse("doctor", script)
	require.NoError(d, err)
	server, err := modeltest.Serve(parsed)
	require.NoError(d, err)
	d.Cleanup(server.Close)
	d.model = server.URL
	d.hidden[hostOf(server.URL)] = "<model>"
}

func (d *doctorSetup) http(handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	d.Cleanup(server.Close)
	d.hidden[hostOf(server.URL)] = "<model>"
	return server.URL
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// change replaces a text in the configuration.
func (d *doctorSetup) change(old, now string) {
	require.Contains(d, d.file, old)
	d.file = strings.Replace(d.file, old, now, 1)
}

func (d *doctorSetup) options() doctor.Options {
	c := doctor.Options{
		SlackURL: d.env["SLACK_API_URL"],
		ModelURL: d.model,
		Storage: storage.Target{
			DataDir:     d.env["BOBBIN_DATA_DIR"],
			DatabaseURL: d.env["DATABASE_URL"],
			Durable:     true,
		},
	}
	if d.file != "" {
		c.Config = writeConfig(d, d.file)
		d.hidden[filepath.Dir(c.Config)+"/"] = ""
	}
	return c
}

// look returns what the doctor prints about one part, with placeholders for what differs between runs.
func (d *doctorSetup) look(name string, box *sandbox.Sandbox) string {
	var said strings.Builder
	con := cli.Console{Out: &said, Err: &said, Env: func(name string) string { return d.env[name] }}
	o := d.options()
	o.Adjust = d.adjust
	if o.Sandbox = box; d.box != nil {
		o.Sandbox = d.box
	}
	doctor.New(o, con).ExaminePart(d.Context(), name)
	return d.stable(said.String())
}

var (
	someTime     = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(ms|µs|s)\b`)
	someSize     = regexp.MustCompile(`\b\d+\.\d [MG]B`)
	someFiles    = regexp.MustCompile(`\d+ files`)
	somePrograms = regexp.MustCompile(`(Postgres|here is) \d.*?( answers|, run as|\n)`)
	someTools    = regexp.MustCompile(`commands find .*`)
	someSchema   = regexp.MustCompile(`\b(schema(?: is)?|knows|to) (\d+)\b`)
)

func (d *doctorSetup) stable(text string) string {
	require.NotContains(d, strings.ReplaceAll(text, botTail, ""), secret)
	for value, name := range d.hidden {
		text = strings.ReplaceAll(text, value, name)
	}
	text = someTime.ReplaceAllString(someSize.ReplaceAllString(text, "<size>"), "<time>")
	text = somePrograms.ReplaceAllString(someFiles.ReplaceAllString(text, "<n> files"), "$1 <version>$2")
	return someTools.ReplaceAllString(withoutSchema(text), "commands find <tools>")
}

// withoutSchema replaces the numbers of this program's schema, and of the one before it, by placeholders.
func withoutSchema(text string) string {
	files, _ := fs.Glob(migrations.Files, "*.sql")
	slices.Sort(files)
	known, _ := strconv.Atoi(files[len(files)-1][:5])
	before, _ := strconv.Atoi(files[len(files)-2][:5]) // numbers may be skipped
	return someSchema.ReplaceAllStringFunc(text, func(found string) string {
		word := found[:strings.LastIndexByte(found, ' ')]
		number := found[strings.LastIndexByte(found, ' ')+1:]
		switch number {
		case fmt.Sprint(known):
			return word + " <known>"
		case fmt.Sprint(before):
			return word + " <known-1>"
		}
		return found
	})
}

// problemsIn returns the problems and warnings in the output about a part.
func problemsIn(said string) string {
	part, findings, _ := strings.Cut(said, "\n")
	var bad []string
	for _, f := range strings.Split("\n"+findings, "\n  ") {
		if strings.HasPrefix(f, "problem") || strings.HasPrefix(f, "warning") {
			bad = append(bad, "  "+strings.ReplaceAll(strings.TrimRight(f, "\n"), "\n  ", "\n    "))
		}
	}
	return part + "\n" + strings.Join(bad, "\n") + "\n"
}

// A doctorFault is one fault, and the part in which the doctor has to find it.
type doctorFault struct {
	name, part string
	slack      slacktest.Config
	breaks     func(w *doctorSetup)
}

// asItShouldBe begins the names of the controls, which have no fault.
const asItShouldBe = "as it should be"

// TestDoctorFindsWhatIsWrong causes each fault for real and compares the findings with the golden file. The
// controls without a fault have no problems and no warnings.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Open(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	golden := filepath.Join("testdata", "golden", "doctor.golden")
	before, _ := os.ReadFile(golden)
	want := map[string]string{}
	for _, f := range txtar.Parse(before).Files {
		want[f.Name] = string(f.Data)
	}
	var now txtar.Archive
	now.Comment = []byte("What bobbin doctor says of each thing that is broken. UPDATE_GOLDEN=1 writes it; " +
		"read the difference.\n")
	for _, c := range complaints() {
		t.Run(c.name, func(t *testing.T) {
			w := openDoctorSetup(t, c.slack)
			if c.breaks != nil {
				c.breaks(w)
			}
			opened := box
			if c.part == "sandbox" {
				opened = nil // the doctor opens its own
			}
			said := w.look(c.part, opened)
			bad := strings.Contains(said, "\n  problem") || strings.Contains(said, "\n  warning")
			require.Equal(t,
				!strings.HasPrefix(c.name, asItShouldBe) && !strings.HasSuffix(c.name, "(noted)"), bad, said)
			if bad {
				said = problemsIn(said)
			}
			now.Files = append(now.Files, txtar.File{Name: c.name, Data: []byte(said)})
			if os.Getenv("UPDATE_GOLDEN") == "" {
				require.Equal(t, want[c.name], said)
			}
		})
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, txtar.Format(&now), 0o644))
	}
}

func complaints() (all []doctorFault) {
	add := func(part string, list ...doctorFault) {
		for _, c := range list {
			c.name = c.name + " (" + part + ")"
			c.part = part
			if i := strings.Index(c.name, " (noted)"); i > 0 {
				c.name = c.name[:i] + c.name[i+len(" (noted)"):] + " (noted)"
			}
			all = append(all, c)
		}
	}
	add("configuration", configurationComplaints()...)
	add("this machine", machineComplaints()...)
	add("Slack", tokenComplaints()...)
	add("Slack", channelComplaints()...)
	add("Slack", quorumComplaints()...)
	add("database", databaseComplaints()...)
	add("sandbox", sandboxComplaints()...)
	add("repository shop", repositoryComplaints()...)
	add("models", modelComplaints()...)
	add("tracker github at git.example", trackerComplaints()...)
	add("source loki", sourceComplaints()...)
	add("transcription", transcriptionComplaints()...)
	add("Sign in with Slack", signInComplaints()...)
	return all
}

func configurationComplaints() []doctorFault {
	return []doctorFault{
		{name: asItShouldBe},
		{name: "no file", breaks: func(w *doctorSetup) { w.file = "" }},
		{
			name:   "mistakes in it",
			breaks: func(w *doctorSetup) { w.file += "limts: {}\nsandbox: {kind: jail}\n" },
		},
		{
			name:   "old names of limits",
			breaks: func(w *doctorSetup) { w.file += "limits: {session_usd: 5, day_tokens: 100}\n" },
		},
		{name: "no YAML", breaks: func(w *doctorSetup) { w.file = "repositories: [" }},
		{name: "variables missing", breaks: func(w *doctorSetup) {
			w.change(w.remote, "https://git.example/acme/shop.git")
			w.change("channels:", "token_env: SHOP_TOKEN, setup: {auth: [{host: npm.example, "+
				"token_env: NPM_TOKEN}]}, channels:")
			w.change("models: {"+agent.DefaultModel+": {",
				"models: {"+agent.DefaultModel+": {url: \"https://models.example/v1\", key_env: BIG_KEY, ")
		}},
		{
			name:   "a variable with quotes",
			breaks: func(w *doctorSetup) { w.env[secrets.ModelKey] = `"` + secret + `"` },
		},
		{
			name:   "an address of health without a port",
			breaks: func(w *doctorSetup) { w.env["BOBBIN_HTTP_ADDR"] = "localhost" },
		},
		{name: "no key of the App", breaks: func(w *doctorSetup) {
			w.change(w.remote, "https://github.com/acme/shop.git")
			w.change("channels:", "github_app: {id: 1}, channels:")
		}},
	}
}

func machineComplaints() []doctorFault {
	return []doctorFault{
		{name: asItShouldBe},
		{
			name: "data directory below a file",
			breaks: func(w *doctorSetup) {
				w.env["BOBBIN_DATA_DIR"] = filepath.Join(w.remote, "HEAD", "data")
			},
		},
		{name: "a bot at work there (noted)", breaks: func(w *doctorSetup) {
			require.NoError(w, os.MkdirAll(w.env["BOBBIN_DATA_DIR"], 0o755))
			lock, err := storage.LockDataDir(w.env["BOBBIN_DATA_DIR"])
			require.NoError(w, err)
			w.Cleanup(lock.Release)
		}},
		{
			name: "a proxy (noted)",
			breaks: func(w *doctorSetup) {
				w.env["https_proxy"] = "http://me:" + secret + "@proxy.example:3128"
			},
		},
		{
			name:   "traces that nobody takes",
			breaks: func(w *doctorSetup) { w.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1" },
		},
		{
			name:   "traces to no address",
			breaks: func(w *doctorSetup) { w.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "collector:4318" },
		},
		{name: "a proxy that is none", breaks: func(w *doctorSetup) { w.env["HTTP_PROXY"] = "://" + secret }},
		{
			name:   "a proxy that nobody reads",
			breaks: func(w *doctorSetup) { w.env["ALL_PROXY"] = "socks5://" + secret + "@proxy.example" },
		},
	}
}

func tokenComplaints() []doctorFault {
	scopes := func(without ...string) slacktest.Config {
		var cfg slacktest.Config
		for _, s := range deploy.Names(deploy.Scopes()) {
			if !strings.Contains(" "+strings.Join(without, " ")+" ", " "+s+" ") {
				cfg.Scopes = append(cfg.Scopes, s)
			}
		}
		return cfg
	}
	refuse := func(code string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			w.slack.Order(slacktest.Fault{Method: "apps.connections.open", Error: code})
		}
	}
	return []doctorFault{
		{name: asItShouldBe},
		{name: "no tokens", breaks: func(w *doctorSetup) {
			delete(w.env, secrets.SlackBotToken)
			delete(w.env, secrets.SlackAppToken)
		}},
		{name: "swapped tokens", breaks: func(w *doctorSetup) {
			w.env[secrets.SlackBotToken], w.env[secrets.SlackAppToken] = w.env[secrets.SlackAppToken],
				w.env[secrets.SlackBotToken]
		}},
		{
			name:   "a person's token",
			breaks: func(w *doctorSetup) { w.env[secrets.SlackBotToken] = "xoxp-" + secret },
		},
		{
			name: "quotes around a token",
			breaks: func(w *doctorSetup) {
				w.env[secrets.SlackAppToken] = `"` + w.env[secrets.SlackAppToken] + `"`
			},
		},
		{name: "no token at all", breaks: func(w *doctorSetup) { w.env[secrets.SlackBotToken] = secret }},
		{name: "revoked tokens", breaks: func(w *doctorSetup) {
			w.slack.Order(slacktest.Fault{Method: "auth.test", Error: "token_revoked"})
			refuse("token_revoked")(w)
		}},
		{name: "a wrong token", breaks: func(w *doctorSetup) { w.env[secrets.SlackBotToken] += "x" }},
		{name: "two apps", slack: slacktest.Config{LinkApp: "A0OTHER"}},
		{name: "scopes missing", slack: scopes("reactions:write", "groups:history")},
		{name: "a scope that only groups need", slack: scopes("usergroups:read")},
		{
			name:   "who knows the code cannot be called",
			slack:  scopes(),
			breaks: func(w *doctorSetup) { w.change("approvers: [", "owners: mention, approvers: [") },
		},
		{name: "a scope of the app token missing", breaks: refuse("missing_scope")},
		{name: "Socket Mode off", breaks: refuse("socket_mode_not_enabled")},
		{
			name:  "the clock",
			slack: slacktest.Config{Now: func() time.Time { return time.Now().Add(-time.Hour) }},
		},
		{
			name:   "nobody answers",
			breaks: func(w *doctorSetup) { w.env["SLACK_API_URL"] = "http://" + quietPort(w) + "/api/" },
		},
		{name: "no link after the answer", breaks: func(w *doctorSetup) { w.slack.RefuseLinks(1) }},
	}
}

// quietPort returns an address on which nothing listens.
func quietPort(w *doctorSetup) string {
	address := harness.ClosedPort(w.T)
	w.hidden[address] = "<nobody>"
	return address
}

func channelComplaints() []doctorFault {
	channel := func(named string) func(w *doctorSetup) {
		return func(w *doctorSetup) { w.change(w.bugs.ID+", ", named+", ") }
	}
	watched := func(named string, member bool) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			app := w.slack.AddBot(slacktest.User{Name: "sentry", RealName: "Sentry", AppID: "A0SENTRY"})
			if member {
				require.NoError(w, w.slack.Join("bugs", app.ID))
			}
			w.change("approvers: [", "watch_apps: ["+named+"], approvers: [")
		}
	}
	approver := func(u slacktest.User) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			w.change("approvers: ["+w.ann.ID, "approvers: ["+w.slack.AddUser(u).ID+", "+w.ann.ID)
		}
	}
	group := func(users ...string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			g := w.slack.AddGroup(slacktest.UserGroup{Handle: "leads", Users: users})
			w.change("approvers: ["+w.ann.ID, "approvers: ["+g.ID+", "+w.ann.ID)
		}
	}
	return []doctorFault{
		{name: "no such channel", breaks: channel("C0NOWHERE")},
		{name: "no channel of that name", breaks: channel(`"#bug"`)},
		{name: "a channel without the bot", breaks: func(w *doctorSetup) {
			channel(w.slack.AddChannel(slacktest.Channel{Name: "ops", Members: []string{w.ann.ID}}).ID)(w)
		}},
		{name: "an archived channel", breaks: func(w *doctorSetup) {
			channel(w.slack.AddChannel(slacktest.Channel{
				Name:     "old",
				Archived: true,
				Members:  []string{w.slack.App().BotUser},
			}).ID)(w)
		}},
		{name: "a shared channel", breaks: func(w *doctorSetup) {
			require.NoError(w, w.slack.ChangeChannel("bugs", func(c *slacktest.Channel) { c.Shared = true }))
		}},
		{name: "no channel at all", breaks: func(w *doctorSetup) {
			w.change("channels: ["+w.bugs.ID+", \"#bugs\"], ", "")
			require.NoError(w, w.slack.Leave("bugs", w.slack.App().BotUser))
		}},
		{name: asItShouldBe + " with a watched app", breaks: watched("A0SENTRY", true)},
		{
			name:   "a watched app that is not in the channel, by its name (noted)",
			breaks: watched("sentry", false),
		},
		{name: "a watched app that Slack does not show (noted)", breaks: watched("Grafana", true)},
		{name: "a watched app that is mistyped", breaks: watched("Sentri", true)},
		{
			name:   "an approver who is nobody",
			breaks: func(w *doctorSetup) { w.change(w.ann.ID+"]", "U0NOBODY]") },
		},
		{
			name:   "an approver who is a guest",
			breaks: approver(slacktest.User{Name: "gus", Kind: slacktest.Guest}),
		},
		{name: "an approver who has left", breaks: approver(slacktest.User{Name: "lea", Deleted: true})},
		{
			name:   "an approver from elsewhere",
			breaks: approver(slacktest.User{Name: "eve", Kind: slacktest.External}),
		},
		{
			name:   "an approver who is a bot",
			breaks: approver(slacktest.User{Name: "robot", Kind: slacktest.Bot}),
		},
		{name: "an empty user group", breaks: group()},
		{name: asItShouldBe + " with a user group", breaks: group("U1", "U2")},
		{
			name:   "a user group that is none",
			breaks: func(w *doctorSetup) { w.change(w.ann.ID+"]", "S0NOGROUP]") },
		},
		{
			name:   "one approver and two persons",
			breaks: func(w *doctorSetup) { w.change("approvers:", "other_than_requester: true, approvers:") },
		},
	}
}

func quorumComplaints() []doctorFault {
	// needs returns a fault in which the group ops has these people; it is an approver if in is set.
	needs := func(people []slacktest.User, in bool) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			var ids []string
			for _, u := range people {
				ids = append(ids, w.slack.AddUser(u).ID)
			}
			g := w.slack.AddGroup(slacktest.UserGroup{Handle: "ops", Users: ids}).ID
			approvers := "approvers: ["
			if in {
				approvers += g + ", "
			}
			w.change("approvers: [", "needs: [{files: deploy/**, from: ["+g+"], name: ops}], "+approvers)
		}
	}
	return []doctorFault{
		{
			name: "fewer approvers than approvals",
			breaks: func(w *doctorSetup) {
				g := w.slack.AddGroup(slacktest.UserGroup{Handle: "leads", Users: []string{w.ann.ID}})
				w.change("approvers: ["+w.ann.ID, "approvals: 2, approvers: ["+g.ID)
			},
		},
		{
			name: "as many approvers as approvals, without the requester",
			breaks: func(w *doctorSetup) {
				dan := w.slack.AddUser(slacktest.User{Name: "dan"})
				w.change("approvers: ["+w.ann.ID, "approvals: 2, other_than_requester: true, approvers: ["+
					w.ann.ID+", "+dan.ID)
			},
		},
		{name: "a needed group that is empty", breaks: needs(nil, false)},
		{
			name:   "a needed group outside the approvers",
			breaks: needs([]slacktest.User{{Name: "dan"}}, false),
		},
		{
			name:   asItShouldBe + " with a needed group",
			breaks: needs([]slacktest.User{{Name: "dan"}}, true),
		},
	}
}

func databaseComplaints() []doctorFault {
	exec := func(statements ...string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			w.env[secrets.DatabaseURL] = harness.Database(w.T)
			c, err := pgx.Connect(w.Context(), w.env[secrets.DatabaseURL])
			require.NoError(w, err)
			defer c.Close(w.Context())
			for _, s := range statements {
				_, err := c.Exec(w.Context(), s)
				require.NoError(w, err)
			}
		}
	}
	// reader returns a fault in which the doctor uses a read-only account on the same database.
	reader := func(statements ...string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			exec(statements...)(w)
			w.env[secrets.DatabaseURL] = asRole(w, w.env[secrets.DatabaseURL],
				"reader_"+strings.ToLower(filepath.Base(filepath.Dir(w.remote))[7:]))
		}
	}
	return []doctorFault{
		{name: asItShouldBe, breaks: exec()},
		{
			name:   asItShouldBe + " before the first start",
			breaks: func(w *doctorSetup) { w.env[secrets.DatabaseURL] = postgrestest.Database(w.T, nil) },
		},
		{name: asItShouldBe + " with none set"},
		{
			name:   "a bot at work on it (noted)",
			breaks: exec(`insert into replicas (id, seen_at) values ('host-1', now())`),
		},
		{name: "messages have come (noted)", breaks: exec(
			`insert into sessions (id, team, channel, thread_ts) values ('s', 'T', 'C', '1.1')`,
			`insert into inbox (session_id, event_id, kind, message_ts, user_id)
				values ('s', 'e1', 'mention', '1.1', 'U'), ('s', 'e2', 'action', '1.2', 'U')`)},
		{
			name: "older (noted)",
			breaks: exec(
				`delete from goose_db_version where version_id = (select max(version_id)
					from goose_db_version)`,
			),
		},
		{
			name:   "newer",
			breaks: exec(`insert into goose_db_version (version_id, is_applied) values (9999, true)`),
		},
		{name: "nobody answers", breaks: func(w *doctorSetup) {
			w.env[secrets.DatabaseURL] = "postgres://u:" + secret + "@" + quietPort(w) + "/x?sslmode=disable"
		}},
		{
			name:   "no address",
			breaks: func(w *doctorSetup) { w.env[secrets.DatabaseURL] = "postgres://u:" + secret + "@[/x" },
		},
		{name: "may not write", breaks: reader()},
		{
			name: "may not migrate",
			breaks: reader(
				`delete from goose_db_version where version_id = (select max(version_id)
					from goose_db_version)`,
			),
		},
		{name: "read only", breaks: func(w *doctorSetup) {
			exec()(w)
			w.env[secrets.DatabaseURL] += "&default_transaction_read_only=on"
		}},
		{name: "data of another version", breaks: func(w *doctorSetup) {
			data := filepath.Join(w.env["BOBBIN_DATA_DIR"], "postgres", "data")
			require.NoError(w, os.MkdirAll(data, 0o755))
			require.NoError(w, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("9\n"), 0o644))
		}},
	}
}

// asRole creates an account that may only read, and returns its URL of the database.
func asRole(w *doctorSetup, address, role string) string {
	c, err := pgx.Connect(w.Context(), address)
	require.NoError(w, err)
	defer c.Close(w.Context())
	for _, s := range []string{
		"create role " + role + " login", "grant select on all tables in schema public to " + role,
		"revoke create on schema public from public",
	} {
		_, err := c.Exec(w.Context(), s)
		require.NoError(w, err)
	}
	w.Cleanup(func() {
		c, err := pgx.Connect(w.Context(), address)
		if err == nil {
			_, _ = c.Exec(w.Context(), "drop owned by "+role)
			_, _ = c.Exec(w.Context(), "drop role "+role)
			c.Close(w.Context())
		}
	})
	w.hidden[role] = "reader"
	cfg, err := pgx.ParseConfig(address)
	require.NoError(w, err)
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d&sslmode=disable", role, cfg.Database,
		cfg.Host, cfg.Port)
}

func sandboxComplaints() []doctorFault {
	return []doctorFault{
		{name: "not confined", breaks: func(w *doctorSetup) { w.file += "sandbox: {kind: none}\n" }},
		{name: "a kind that does not hold", breaks: func(w *doctorSetup) {
			w.adjust = func(s *server.Settings) { s.Sandbox.Kind = sandbox.KindDocker }
		}},
	}
}

func repositoryComplaints() []doctorFault {
	url := func(url string) func(w *doctorSetup) {
		return func(w *doctorSetup) { w.change(w.remote, url) }
	}
	hosted := func(password string, broken string, how githost.Trouble) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			h := githost.Open(w.T, w.TempDir(), []txtar.File{{Name: "go.mod", Data: []byte("module shop\n")}})
			h.Fail(broken, githost.Lasting, how)
			address := strings.Replace(h.Address, "bot:"+githost.Password+"@", "", 1)
			w.change(w.remote, address)
			w.hidden[hostOf(address)] = "<host>"
			w.env[secrets.GitToken] = password
		}
	}
	return []doctorFault{
		{name: asItShouldBe},
		{name: asItShouldBe + " at a host", breaks: hosted(githost.Password, "", nil)},
		{name: asItShouldBe + " with a token of its own", breaks: func(w *doctorSetup) {
			hosted("", "", nil)(w)
			w.change("channels:", "token_env: SHOP_TOKEN, setup: {auth: [{host: npm.example, "+
				"token_env: NPM_TOKEN}]}, channels:")
			w.env["SHOP_TOKEN"] = githost.Password
			w.env["NPM_TOKEN"] = "npm-" + secret
		}},
		{name: "a wrong token of its own", breaks: func(w *doctorSetup) {
			hosted(githost.Password, "", nil)(w)
			w.change("channels:", "token_env: SHOP_TOKEN, channels:")
			w.env["SHOP_TOKEN"] = "shop-" + secret
		}},
		{name: "a wrong token", breaks: hosted("git-"+secret, "", nil)},
		{name: "no token", breaks: hosted("", "", nil)},
		{
			name:   "it may be read only",
			breaks: hosted(githost.Password, githost.WriteRefs, githost.HTTPStatus(http.StatusForbidden)),
		},
		{name: "a sign-in page", breaks: hosted(githost.Password, githost.Anything, githost.ShowsPage)},
		{
			name:   "nobody answers",
			breaks: func(w *doctorSetup) { url("http://" + quietPort(w) + "/shop.git")(w) },
		},
		{name: "no such folder", breaks: url("/srv/nowhere/shop.git")},
		{
			name:   "no such base",
			breaks: func(w *doctorSetup) { w.change("channels:", "base: mian, channels:") },
		},
		{name: "empty", breaks: func(w *doctorSetup) {
			inRemote(w, w.remote, "update-ref", "-d", "refs/heads/main")
		}},
		{name: "no tests", breaks: func(w *doctorSetup) {
			require.NoError(w, os.RemoveAll(w.remote))
			require.NoError(w, stage.PlantRemote(w.remote, []txtar.File{
				{Name: "README.md", Data: []byte("A shop.\n")},
			}))
		}},
		{name: "shallow", breaks: func(w *doctorSetup) {
			require.NoError(w, os.WriteFile(filepath.Join(w.remote, "shallow"),
				[]byte(inRemote(w, w.remote, "rev-parse", "main")+"\n"), 0o644))
		}},
		{name: "releases", breaks: func(w *doctorSetup) {
			inRemote(w, w.remote, "branch", "release/1.0", "main")
			inRemote(w, w.remote, "tag", "v0.9", "main")
			w.change("channels:", `releases: ["release/*", "v*", "rel-*"], channels:`)
		}},
		{
			name:   "a branch in the way",
			breaks: func(w *doctorSetup) { inRemote(w, w.remote, "branch", "bobbin", "main") },
		},
		{name: "not writable", breaks: func(w *doctorSetup) {
			objects := filepath.Join(w.remote, "objects")
			require.NoError(w, os.Rename(objects, objects+".kept"))
			require.NoError(w, os.Symlink("/proc/self/net", objects))
			require.NoError(w, os.MkdirAll(filepath.Join(w.remote, "info"), 0o755))
		}},
		{name: "a tool that is missing", breaks: func(w *doctorSetup) {
			if _, err := os.Stat("/usr/bin/go"); err == nil {
				w.Skip("here, every command finds go")
			}
			bare, err := sandbox.Open(w.Context(), sandbox.Config{Toolchains: []string{}})
			require.NoError(w, err)
			w.box = bare
		}},
	}
}

func inRemote(w *doctorSetup, dir string, args ...string) string {
	out, err := (&githost.Host{Dir: dir}).Git(args...)
	require.NoError(w, err, out)
	return out
}

func modelComplaints() []doctorFault {
	page := func(code int, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(code)
			fmt.Fprint(rw, body)
		}
	}
	answers := func(code int, body string) func(w *doctorSetup) {
		return func(w *doctorSetup) { w.model = w.http(page(code, body)) }
	}
	return []doctorFault{
		{name: asItShouldBe},
		{name: asItShouldBe + " with a key of its own", breaks: func(w *doctorSetup) {
			w.play("== *\ncall ready\n")
			played, err := url.Parse(w.model)
			require.NoError(w, err)
			forward := httputil.NewSingleHostReverseProxy(played)
			guarded := w.http(func(rw http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer big-"+secret {
					page(401, `{"error":{"message":"wrong key"}}`)(rw, r)
					return
				}
				forward.ServeHTTP(rw, r)
			})
			w.change("models: {"+agent.DefaultModel+": {",
				"models: {"+agent.DefaultModel+": {url: \""+guarded+"\", key_env: BIG_KEY, ")
			w.env["BIG_KEY"] = "big-" + secret
		}},
		{name: "no key", breaks: func(w *doctorSetup) {
			w.model = ""
			delete(w.env, secrets.ModelKey)
		}},
		{
			name:   "a wrong key",
			breaks: answers(401, `{"error":{"message":"Incorrect API key provided: sk-`+secret+`"}}`),
		},
		{name: "a web page", breaks: answers(200, "<!doctype html><title>Sign in</title>")},
		{name: "nobody answers", breaks: func(w *doctorSetup) { w.model = "http://" + quietPort(w) + "/v1" }},
		{name: "no address", breaks: func(w *doctorSetup) { w.model = "localhost:11434" }},
		{name: "no list (noted)", breaks: func(w *doctorSetup) { w.play("== *\ncall ready\n") }},
		{
			name:   "a model that calls no tools",
			breaks: func(w *doctorSetup) { w.play("== *\nsay I am ready.\n") },
		},
		{name: "a model that is not there", breaks: func(w *doctorSetup) { w.play("== other\nsay hello\n") }},
		{name: "limits in money without prices", breaks: func(w *doctorSetup) {
			w.file = w.file[:strings.Index(w.file, "models:")] + "limits: {session: {usd: 5}}\n"
		}},
		{
			name:   "no prices (noted)",
			breaks: func(w *doctorSetup) { w.file = w.file[:strings.Index(w.file, "models:")] },
		},
	}
}

// answersWith returns the URL of a server that answers each request with a status and a text, if its token is
// right. If it is wrong, the answer repeats it.
func (d *doctorSetup) answersWith(status int, text string) (address string) {
	return d.http(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer outside-"+secret {
			status = http.StatusUnauthorized
			text = `{"error": {"message": "wrong token ` + r.Header.Get("Authorization") + `"}}`
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		fmt.Fprint(rw, text)
	})
}

// outsideFaults returns faults of something outside that is reached by a url with a token, which configure
// adds to the configuration. right opens one that answers as it should.
func outsideFaults(
	right func(w *doctorSetup) string, configure func(w *doctorSetup, url string),
) []doctorFault {
	at := func(token string, open func(w *doctorSetup) string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			w.env["OUTSIDE_TOKEN"] = token + secret
			configure(w, open(w))
		}
	}
	status := func(code int, text string) func(w *doctorSetup) string {
		return func(w *doctorSetup) string { return w.answersWith(code, text) }
	}
	return []doctorFault{
		{name: asItShouldBe, breaks: at("outside-", right)},
		{name: "a wrong token", breaks: at("other-", status(200, "{}"))},
		{name: "no right", breaks: at("outside-", status(403, "{}"))},
		{name: "a wrong url", breaks: at("outside-", status(404, "not here"))},
		{name: "a web page", breaks: at("outside-", status(200, "<html>"))},
		{name: "out of order", breaks: at("outside-", status(502, "<html>"))},
		{name: "nobody answers", breaks: at("outside-", func(w *doctorSetup) string {
			return "http://" + quietPort(w)
		})},
	}
}

func trackerComplaints() []doctorFault {
	return outsideFaults(func(w *doctorSetup) string {
		return w.answersWith(200, "{}")
	}, func(w *doctorSetup, url string) {
		w.file += "trackers: [{kind: github, url: \"https://git.example\", api_url: \"" + url +
			"\", token_env: OUTSIDE_TOKEN, projects: [acme/shop]}]\n"
	})
}

func sourceComplaints() []doctorFault {
	configure := func(w *doctorSetup, url string) {
		w.file += "sources: [{name: loki, url: \"" + url +
			"\", token_env: OUTSIDE_TOKEN, tools: [query_range]}]\n"
	}
	command := func(rest string) func(w *doctorSetup) {
		return func(w *doctorSetup) { w.file += "sources: [{name: loki, command: " + rest + "}]\n" }
	}
	all := outsideFaults(func(w *doctorSetup) string {
		s := sourcetest.Start(w.T, "ok")
		s.Token = "outside-" + secret
		return s.URL
	}, configure)
	self := "[" + os.Args[0] + "], env: {" + asSource + ": ok}, "
	return append(all,
		doctorFault{name: asItShouldBe + " as a command", breaks: command(self + "tools: [query_range]")},
		doctorFault{name: "tools that may not be called", breaks: command(self +
			"tools: [query_range, delete_series, query]")},
		doctorFault{name: "no such command", breaks: command("[/srv/nowhere/logs], tools: [query_range]")},
		doctorFault{name: "a command that ends", breaks: command(
			"[sh, -c, 'echo no licence >&2; exit 4'], tools: [query_range]")},
		doctorFault{name: "a command that is no server", breaks: command(
			"[sh, -c, 'echo Hello; exec cat'], tools: [query_range]")},
	)
}

func transcriptionComplaints() []doctorFault {
	return outsideFaults(func(w *doctorSetup) string {
		return w.answersWith(200, `{"text": ""}`)
	}, func(w *doctorSetup, url string) {
		w.file += "transcription: {url: \"" + url + "/v1\", key_env: OUTSIDE_TOKEN}\n"
	})
}

func signInComplaints() []doctorFault {
	with := func(id, clientSecret string) func(w *doctorSetup) {
		return func(w *doctorSetup) {
			w.file += "http: {addr: 127.0.0.1:0, url: 'https://bobbin.example.com/', " +
				"sign_in: {client_id: " + id + ", secret_env: CLIENT_SECRET}}\n"
			w.env["CLIENT_SECRET"] = clientSecret + secret
		}
	}
	return []doctorFault{
		{name: asItShouldBe, breaks: with("1234.5678", "client-")},
		{name: "another app's id", breaks: with("1234.5679", "client-")},
		{name: "a wrong secret", breaks: with("1234.5678", "other-")},
		{name: "nobody answers", breaks: func(w *doctorSetup) {
			with("1234.5678", "client-")(w)
			w.env["SLACK_API_URL"] = "http://" + quietPort(w) + "/api/"
		}},
	}
}

func TestDoctorWithEverythingGood(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	w.env[secrets.DatabaseURL] = harness.Database(t)
	w.env["OPENAI_BASE_URL"] = w.model
	w.env["BOBBIN_CONFIG"] = writeConfig(t, w.file)
	code, out, errs := call(t, t.Context(), w.env, "doctor")
	require.Equal(t, cli.ExitOK, code, out+errs)
	require.Contains(t, out, "\nno problems, no warnings. Start it: bobbin serve --config ")
	for _, line := range strings.Split(errs, "\n") {
		require.True(t, line == "" || strings.HasPrefix(line, "bobbin: still looking at "), errs)
	}
	require.NoError(t, w.slack.WaitDisconnected(harness.Soon(t)), "the link is closed")
	require.Empty(t, w.slack.Channel("bugs"), "nothing is said")

	code, out, _ = call(t, t.Context(), w.env, "doctor", "--json")
	require.Equal(t, cli.ExitOK, code)
	var all struct {
		Problems int
		Steps    []string
		Parts    []struct {
			Name     string `json:"part"`
			Findings []any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Zero(t, all.Problems)
	require.Empty(t, all.Steps)
	require.Len(t, all.Parts, 7)
	for _, p := range all.Parts {
		require.NotEmpty(t, p.Findings, p.Name)
	}
	// The bot starts with a set-up in which the doctor finds no problem, and receives messages.
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan string, 1)
	go func() {
		code, out, errs := call(t, ctx, w.env, "serve")
		served <- fmt.Sprint(code, out, errs)
	}()
	require.NoError(t, w.slack.WaitConnected(harness.Soon(t), config.DefaultConnections))
	_, err := w.slack.Say("bugs", w.ann.ID, w.slack.Mention()+" it fails", "")
	require.NoError(t, err)
	require.NoError(t, w.slack.WaitSettled(harness.Soon(t)))
	stop()
	require.Equal(t, "0", (<-served)[:1])
	for _, d := range w.slack.Deliveries() {
		// what the bot posted last may still be on its way
		require.NotContains(t, []slacktest.Outcome{slacktest.Late, slacktest.AckLost}, d.Outcome)
	}
	// The control: with one fault, the doctor fails and reports one problem.
	w.env[secrets.SlackBotToken] += "x"
	code, out, _ = call(t, t.Context(), w.env, "doctor", "--json")
	require.Equal(t, cli.ExitFailed, code)
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Equal(t, 1, all.Problems)
}

func TestDoctorWithNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	code, out, _ := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "doctor")
	require.Equal(t, cli.ExitFailed, code)
	_, steps, found := strings.Cut(out, "\nTo get a working bot, in this order:\n")
	require.True(t, found, out)
	for i, words := range []string{
		"bobbin manifest --url", "Install App", "connections:write", "/invite @bobbin", "bobbin.yaml",
		"DATABASE_URL", "OPENAI_API_KEY", "bobbin doctor, and when it finds no problem: bobbin serve",
	} {
		line, rest, _ := strings.Cut(steps, "\n")
		require.Contains(t, line, fmt.Sprintf("  %d. ", i+1))
		require.Contains(t, line, words)
		steps = rest
	}
	require.NoDirExists(t, dir, "it only looks")
	code, out, _ = call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "doctor",
		"--config", "nowhere.yaml")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, out, "  problem  nowhere.yaml: the configuration cannot be read: "+
		"no such file or directory\n           → bobbin init writes one\n")
	require.Contains(t, out, "  5. Write nowhere.yaml with the repository and the channel to which "+
		"you invited it: bobbin init --config nowhere.yaml asks for them")

	// A key that is misspelt is said once, and not as a repository that cannot be read.
	misspelt := writeConfig(t, "repositories: [{name: shop, ulr: /a}]\n")
	_, out, _ = call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "doctor",
		"--config", misspelt)
	require.Contains(t, out, misspelt+`:1: repositories.shop: unknown key "ulr"; did you mean "url"?`)
	require.NotContains(t, out, "url is missing")
	require.NotContains(t, out, "repository shop")
}

// TestDoctorsStepsNameWhatIsWrong checks the steps for tokens in each other's variable, for channels that the
// configuration names, and for a configuration with a fault.
func TestDoctorsStepsNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	steps := func(breaks func(w *doctorSetup)) string {
		w := openDoctorSetup(t, slacktest.Config{})
		breaks(w)
		return w.stable(strings.Join(doctor.New(w.options(), cli.Console{
			Out: io.Discard,
			Err: io.Discard,
			Env: func(name string) string { return w.env[name] },
		}).Steps(), "\n"))
	}
	require.Empty(t, steps(func(*doctorSetup) {}), "the control")
	require.Contains(t, steps(func(w *doctorSetup) {
		w.env[secrets.SlackBotToken], w.env[secrets.SlackAppToken] = w.env[secrets.SlackAppToken],
			w.env[secrets.SlackBotToken]
	}), "SLACK_BOT_TOKEN and SLACK_APP_TOKEN hold each other's token (xapp-…tail and xoxb-…tail): "+
		"exchange them")
	require.Contains(t, steps(func(w *doctorSetup) { w.env[secrets.SlackAppToken] = "xoxp-" + secret }),
		"SLACK_APP_TOKEN holds a person's token, and an app-level token is needed: it is xapp-…")
	named := steps(func(w *doctorSetup) {
		delete(w.env, secrets.SlackBotToken)
		w.change(w.bugs.ID, `"#shop"`)
	})
	require.Contains(t, named, "In Slack, in #shop and #bugs, which bobbin.yaml names: /invite @bobbin")
	require.NotContains(t, named, "Write bobbin.yaml")
	require.Contains(t, steps(func(w *doctorSetup) { w.file += "nonsense: 1\n" }),
		"Correct the lines of bobbin.yaml that are named above.")
}

// TestDoctorLeadsFromNothingToABot checks, from nothing to a working bot, that the first step that the
// doctor prints is always the next one to do.
func TestDoctorLeadsFromNothingToABot(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	env := w.env
	file := w.file
	w.env = map[string]string{"BOBBIN_DATA_DIR": env["BOBBIN_DATA_DIR"]}
	w.file = ""
	w.model = ""
	for _, next := range []struct {
		step string
		do   func()
	}{
		{
			"Create the Slack app: open the link that `bobbin manifest --url` prints.",
			func() { w.env[secrets.SlackAppToken] = env[secrets.SlackAppToken] },
		},
		{
			"On the app's page, Install App",
			func() { w.env[secrets.SlackBotToken] = env[secrets.SlackBotToken] },
		},
		{"Write bobbin.yaml", func() { w.file = file }},
		{"Set OPENAI_API_KEY", func() { w.env[secrets.ModelKey] = env[secrets.ModelKey] }},
		{"", nil},
	} {
		steps := doctor.New(w.options(), cli.Console{
			Out: io.Discard,
			Err: io.Discard,
			Env: func(name string) string { return w.env[name] },
		}).Steps()
		if next.do == nil {
			require.Empty(t, steps)
			continue
		}
		require.True(t, strings.HasPrefix(steps[0], next.step), steps)
		next.do()
	}
}

// TestDoctorBesideARunningBot checks that beside a running bot the doctor examines the same things, and
// opens no link, which could take events away from the bot.
func TestDoctorBesideARunningBot(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	w.env[secrets.DatabaseURL] = harness.Database(t)
	w.env["OPENAI_BASE_URL"] = w.model
	w.env["BOBBIN_CONFIG"] = writeConfig(t, w.file)
	s := healthSettings(t, w.slack, w.env[secrets.DatabaseURL])
	s.HTTPAddr = ""
	s.DataDir = w.env["BOBBIN_DATA_DIR"]
	startService(t, s, true)
	// On a busy machine a heartbeat may be eight seconds old, and the database then names no bot.
	for ctx, named := harness.Soon(t), false; !named; {
		require.NoError(t, ctx.Err(), "the database names no bot")
		asked := len(w.slack.Requests("apps.connections.open"))
		code, out, errs := call(t, t.Context(), w.env, "doctor")
		require.Equal(t, cli.ExitOK, code, out+errs)
		require.Contains(t, out, "where a bot is at work now")
		require.Contains(t, out, "may open links; none was opened, since a bot is running")
		require.Contains(t, out, "no problems, no warnings. A bot is running already.\n")
		require.Len(t, w.slack.Requests("apps.connections.open"), asked+1)
		named = strings.Contains(out, "  note     a bot uses it now: ")
	}
	require.Equal(t, config.DefaultConnections, w.slack.Connections())
	require.Empty(t, w.slack.Ended())
}

// TestDoctorInAPoorProcess runs the doctor in a process with low limits, which a test cannot set for its
// own process.
func TestDoctorInAPoorProcess(t *testing.T) {
	t.Parallel()
	start := func(path, line string, wrapped ...string) string {
		cmd := exec.Command("/bin/sh", "-c", line+" && exec "+os.Args[0]+" doctor")
		if len(wrapped) > 0 {
			cmd = exec.Command(wrapped[0], append(wrapped[1:], cmd.Args...)...)
		}
		cmd.Env = []string{
			asProgram + "=1", "PATH=" + path, "HOME=" + harness.Dir(t),
			"BOBBIN_DATA_DIR=" + filepath.Join(t.TempDir(), "data"),
		}
		out, err := cmd.Output()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, cli.ExitFailed, exit.ExitCode(), string(exit.Stderr))
		return string(out)
	}
	const off = "  warning  no kind of sandbox works here: commands and checks are off"
	for limit, poor := range map[string]bool{"512": true, "8192": false} {
		path := os.Getenv("PATH")
		if poor {
			path = t.TempDir()
		}
		out := start(path, "ulimit -n "+limit)
		require.NotContains(t, out, off)
		require.Equal(t, poor, strings.Contains(out, "  warning  this process may have 512 files open at "+
			"once\n           → raise it before the start: ulimit -n "), out)
		require.Equal(t, poor, strings.Contains(out,
			"bubblewrap is not it: bwrap is not installed\n           → install the package bubblewrap"), out)
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil || exec.Command(unshare, "--user", "--map-root-user", "true").Run() != nil {
		t.Skip("no user name space can be made here to take the rest from")
	}
	out := start(t.TempDir(), "echo 0 > /proc/sys/user/max_user_namespaces", unshare, "--user",
		"--map-root-user")
	require.Contains(t, out, off)
	require.Contains(t, out, "  note     namespaces: ")
	require.Contains(t, out, "→ allow user name spaces: sysctl -w user.max_user_namespaces=")
}
