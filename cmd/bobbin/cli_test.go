package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// secret is part of every secret of these tests, and must not be in anything that the program prints.
const secret = "s3cr3t"

// good is a valid configuration of one line; a test appends what it is about, from line 2 on.
const good = "repositories: [{name: shop, url: /srv/shop.git}]\n"

func writeConfig(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skills"), 0o755))
	name := filepath.Join(dir, "bobbin.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// call runs the program within the test, with env as its whole environment, and checks that its output
// contains no secret.
func call(
	t *testing.T, ctx context.Context, env map[string]string, args ...string,
) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(ctx, args,
		cli.Console{Out: &stdout, Err: &stderr, Env: func(name string) string { return env[name] }})
	require.NotContains(t, stdout.String()+stderr.String(), secret)
	return code, stdout.String(), stderr.String()
}

// TestDemoWithoutSandbox checks the error with which the demo refuses to start without a sandbox, and the
// cures in it.
func TestDemoWithoutSandbox(t *testing.T) {
	t.Parallel()
	whys := []*sandbox.Unavailable{
		{Kind: "bubblewrap", Why: "bwrap is not installed", Cure: "install bubblewrap"},
		{Kind: "namespaces", Why: "no", Cure: "allow them"},
	}
	err := noSandbox(whys, "linux")
	require.ErrorContains(t, err,
		"bubblewrap: bwrap is not installed\n    → install bubblewrap\n  namespaces: no\n    → allow them\n")
	require.ErrorContains(t, err, "bobbin playground works without commands")
	err = noSandbox(whys, "darwin")
	require.ErrorContains(t, err, "needs Linux, and this is macOS.\nNothing was started. What works:")
	for _, way := range []string{
		"docker run --rm -it ", "go run ./cmd/bobbin demo'", "bobbin playground, here", "bobbin serve, here",
	} {
		require.ErrorContains(t, err, way)
	}
	require.NotContains(t, err.Error(), "bubblewrap: ", "what Linux would need is of no use there")
	// The container gets the security options that the compose file gives the bot.
	compose, readErr := os.ReadFile("../../docker-compose.yml")
	require.NoError(t, readErr)
	for _, option := range regexp.MustCompile(`\w+=unconfined`).FindAllString(string(compose), -1) {
		require.ErrorContains(t, err, "--security-opt "+option)
	}
}

func TestPlaygroundRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--push needs --repo":     {"playground", "--push"},
		"variable of a git token": {"playground", "--token-env", "OPENAI_API_KEY"},
		"OPENAI_BASE_URL":         {"playground", "--model-url", "ftp://models"},
		"cannot be read": {
			"playground", "--config", filepath.Join(t.TempDir(), "none.yaml"),
		},
		"can be reached from other machines": {"playground", "--addr", "0.0.0.0:8080"},
	} {
		code, _, errs := call(t, t.Context(), nil, args...)
		require.Equal(t, cli.ExitUsage, code, errs)
		require.Contains(t, errs, want)
	}
}

// TestThePlaygroundNeedsNoTokens checks that the playground says which parts of the configuration it does not
// use, and asks for none of their tokens.
func TestThePlaygroundNeedsNoTokens(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "bobbin.yaml")
	require.NoError(t, os.WriteFile(name, []byte("repositories: [{name: shop, url: /srv/shop.git}]\n"+
		"trackers: [{kind: jira, url: 'https://x', token_env: JIRA_TOKEN, projects: [SHOP]}]\n"+
		"agents: {deep: {model: m}}\n"), 0o600))
	var said strings.Builder
	con := cli.Console{Err: &said, Env: func(string) string { return "" }, Hide: redact.New()}
	pc := playgroundCommand{Config: name, TokenEnv: secrets.GitToken}
	_, err := pc.options(t.Context(), con, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Contains(t, said.String(), "uses the models, the agents and the sandbox of "+name+", and not "+
		"its "+
		"repositories (bases, approvals, names, host, …), trackers, sources")
}

// TestThePlaygroundsFolder checks where the playground keeps its files: where BOBBIN_DATA_DIR or --data-dir
// says, unless --keep names the folder itself.
func TestThePlaygroundsFolder(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_DATA_HOME": "/xdg", "HOME": "/home/ann"}
	con := cli.Console{Env: func(name string) string { return env[name] }}
	opt := playground.Options{}
	usual := "/xdg/bobbin-playground/shop"
	if os.Getuid() == 0 {
		usual = "/var/lib/bobbin-playground/shop"
	}
	require.Equal(t, usual, (&playgroundCommand{}).dir(con, opt))
	require.Equal(t, "/data/playground/shop", (&playgroundCommand{DataDir: "/data"}).dir(con, opt))
	require.Equal(t, "/mine", (&playgroundCommand{DataDir: "/data", Keep: "/mine"}).dir(con, opt))
	opt.Repository.From = "/src/web"
	require.Regexp(t, "^/data/playground/web-[0-9a-f]{8}$",
		(&playgroundCommand{DataDir: "/data"}).dir(con, opt))
	code, out, errs := call(t, t.Context(), nil, "playground", "--help")
	require.Zero(t, code, errs)
	require.Contains(t, out, "$BOBBIN_DATA_DIR")
}

// TestThePlaygroundFindsTheRepository checks that --repo takes a folder within a repository, as git does, and
// says in one line what is wrong with another.
func TestThePlaygroundFindsTheRepository(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "shop")
	within := filepath.Join(own, "cmd", "shop")
	require.NoError(t, os.MkdirAll(within, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(own, ".git"), 0o755))
	for _, from := range []string{own, within} {
		found, err := (&playgroundCommand{Repo: from}).source()
		require.NoError(t, err)
		require.Equal(t, own, found)
	}
	for _, address := range []string{"https://git.example/shop.git", "git@git.example:acme/shop.git"} {
		found, err := (&playgroundCommand{Repo: address}).source()
		require.NoError(t, err)
		require.Equal(t, address, found)
	}
	for _, from := range []string{filepath.Dir(own), filepath.Join(own, "nowhere")} {
		code, _, errs := call(t, t.Context(), nil, "playground", "--no-browser", "--repo", from)
		require.Equal(t, cli.ExitUsage, code, errs)
		require.Regexp(t, "--repo: (.* is not in a git repository; name a folder that is, or an address|"+
			"there is no folder .*; name one with a git repository)", errs)
	}
}

func TestHelpTeaches(t *testing.T) {
	t.Parallel()
	for command, words := range map[string][]string{
		"":     {"Start with: bobbin demo", "no Slack, no key", "Run the bot.", "List sessions"},
		"demo": {"private Postgres", "--keep=DIR", "Needs nothing but Go and Postgres"},
		"playground": {
			"the demo's story, told step by step", "--repo=PATH|URL", "--push", "how to fetch them",
			"($OPENAI_BASE_URL)", "Only this machine", "Ctrl-C", "the next start continues where it was",
			"--fresh", "--token-env",
		},
		"serve": {
			"SLACK_BOT_TOKEN", "xoxb-", "xapp-", "OPENAI_API_KEY", "BOBBIN_GIT_TOKEN", "--config=FILE",
			"($BOBBIN_CONFIG; else bobbin.yaml here)", "docs/configuration.md", "Ctrl-C", "($DATABASE_URL)",
		},
		"migrate":  {"Bring the database up to date", "before the new version starts", "--data-dir=DIR"},
		"sessions": {"<id>", "--limit=N", "(30)", "while a bot runs"},
		"manifest": {
			"--url", "--pages=URL", "creates the app", "Guests cannot use", "each scope with its purpose",
		},
		"doctor": {
			"Works with nothing set at all", "while a bot runs", "no secret is shown",
			"2 if the configuration",
		},
		"eval": {
			"says \"fix it\"", "hidden tests", "--check", "--compare", "--repeat=K",
			"Ctrl-C keeps what is finished", "Models cost money",
		},
		"health":   {"exit code is 0 if it is", "container", "($BOBBIN_HTTP_ADDR)"},
		"clean":    {"--dry-run", "while a bot runs", "every hour"},
		"reload":   {"--config=FILE", "SIGHUP", "is refused", "the previous configuration stays"},
		"learned":  {"<repository>", "--json", "forget lesson N"},
		"backup":   {"<dir>", "Works while a bot runs", "no tokens", "made again"},
		"restore":  {"<dir>", "whole or not at all", "--replace", "newer version", "Stop the bot"},
		"schema":   {"yaml-language-server", "bobbin.schema.json"},
		"pause":    {"--all", "while a bot runs", "told so once", "bobbin resume"},
		"resume":   {"--list", "within seconds"},
		"spending": {"month,repository --csv", "--json", "in UTC", "ids"},
		"audit": {
			"<id>", "one JSON object per line", "allowed or refused", "--verify", "exit code is not zero",
		},
	} {
		args := []string{"--help"}
		if command != "" {
			args = []string{command, "--help"}
		}
		code, out, errs := call(t, t.Context(), nil, args...)
		require.Equal(t, cli.ExitOK, code, command)
		require.Empty(t, errs, command)
		said := strings.Join(strings.Fields(out), " ")
		for _, w := range words {
			require.Contains(t, said, w, command)
		}
		require.NotContains(t, said, "--bot-token", "a secret on a command line is seen by everybody")
	}
	code, out, errs := call(t, t.Context(), nil)
	require.Equal(t, cli.ExitUsage, code)
	require.Empty(t, out)
	require.Contains(t, errs, "Start with: bobbin demo")
	for _, word := range []string{"--version", "version"} {
		code, out, _ = call(t, t.Context(), nil, word)
		require.Equal(t, cli.ExitOK, code)
		require.Equal(t, programVersion()+"\n", out)
	}
}

// TestHelpAsACommand checks that bobbin help prints the same as --help, and that each command is in a group
// of the list.
func TestHelpAsACommand(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "serve", "sessions"} {
		_, want, _ := call(t, t.Context(), nil, append(strings.Fields(command), "--help")...)
		code, out, errs := call(t, t.Context(), nil, append([]string{"help"}, strings.Fields(command)...)...)
		require.Equal(t, cli.ExitOK, code, errs)
		require.Equal(t, want, out)
	}
	_, out, _ := call(t, t.Context(), nil, "help")
	for _, group := range []string{"Try it", "Set up", "Run", "Look and operate", "This program"} {
		require.Contains(t, out, "\n"+group+"\n")
	}
	require.NotContains(t, out, "Commands:", "a command has no group")
}

// TestMisuseGetsPlainLines checks that wrong arguments are answered in words for people, with what is
// accepted.
func TestMisuseGetsPlainLines(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"frobnicate":    "bobbin: frobnicate is no command; bobbin help lists them\n",
		"play":          "bobbin: play is no command; did you mean \"playground\"? bobbin help lists them\n",
		"-v frobnicate": "bobbin: frobnicate is no command; bobbin help lists them\n",
		"sesions":       "bobbin: sesions is no command; did you mean \"sessions\"? bobbin help lists them\n",
		"serv":          "bobbin: serv is no command; did you mean \"serve\"? bobbin help lists them\n",
		"docter":        "bobbin: docter is no command; did you mean \"doctor\"? bobbin help lists them\n",
		"-v":            "bobbin: name a command; bobbin help lists them\n",
		"--nonsense":    "bobbin: unknown flag --nonsense\nTry: bobbin --help\n",
		"serve --confg=x": "bobbin: unknown flag --confg, did you mean \"--config\"?\n" +
			"Try: bobbin serve --help\n",
		"serve now": "bobbin: serve takes no arguments, and now is one too many\nTry: bobbin serve --help\n",
		"serve --config": "bobbin: --config needs a value: --config=FILE\n" +
			"Try: bobbin serve --help\n",
		"serve --config --verbose": "bobbin: --config needs a value: --config=FILE\n" +
			"Try: bobbin serve --help\n",
		"help srve": "bobbin: srve is no command; did you mean \"serve\"? bobbin help lists them\n",
		"--log-format=jsno doctor": "bobbin: --log-format has to be one of text, json, and not \"jsno\"; " +
			"did you mean \"json\"?\nTry: bobbin doctor --help\n",
		"completion bsh": "bobbin: <shell> has to be one of bash, zsh, fish, and not \"bsh\"; " +
			"did you mean \"bash\"?\nTry: bobbin completion --help\n",
		"spending --by=chanel": "bobbin: spending: --by takes each of month, day, channel, person, " +
			"repository at most once; did you mean \"channel\"?\nTry: bobbin spending --help\n",
		"eval a b": "bobbin: eval: name one suite\nTry: bobbin eval --help\n",
		"eval --compare a": "bobbin: eval: --compare needs the folders of two runs\n" +
			"Try: bobbin eval --help\n",
		"eval a -n 0": "bobbin: eval: -n has to be between 1 and 64\nTry: bobbin eval --help\n",
		"audit": "bobbin: audit: name a session, or check all of them with --verify; " +
			"`bobbin sessions` lists them\nTry: bobbin audit --help\n",
		"sessions --limit=x": "bobbin: --limit takes a whole number, such as 30, and not \"x\"\n" +
			"Try: bobbin sessions --help\n",
		"eval a -n x": "bobbin: --at-once takes a whole number, such as 1, and not \"x\"\n" +
			"Try: bobbin eval --help\n",
		"learned --forget 1.5": "bobbin: --forget takes a whole number, and not \"1.5\"\n" +
			"Try: bobbin learned --help\n",
		"sessions --json=perhaps": "bobbin: --json takes no value, or true or false, and not \"perhaps\"\n" +
			"Try: bobbin sessions --help\n",
		"backup": "bobbin: backup needs <dir>: the folder to write; it must not exist, or be empty\n" +
			"Try: bobbin backup --help\n",
		"restore": "bobbin: restore needs <dir>: the folder that bobbin backup wrote\n" +
			"Try: bobbin restore --help\n",
		"sessions --limit=-1": "bobbin: sessions: --limit has to be between 1 and 10000\n" +
			"Try: bobbin sessions --help\n",
		"sessions a b": "bobbin: sessions takes 1 argument, and b is one too many\n" +
			"Try: bobbin sessions --help\n",
	} {
		code, out, errs := call(t, t.Context(), nil, strings.Fields(args)...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.Empty(t, out, args)
		require.Equal(t, want, errs, args)
	}
}

// ready returns an environment with which serve would start if Slack accepted the tokens; more holds
// further names and values in turn.
func ready(more ...string) map[string]string {
	env := map[string]string{
		"SLACK_BOT_TOKEN": "xoxb-" + secret,
		"SLACK_APP_TOKEN": "xapp-" + secret,
		"OPENAI_API_KEY":  "sk-" + secret,
	}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return env
}

func TestServeSaysAllThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	right := writeConfig(t, good)
	wrong := writeConfig(t, good+"limits: {day_usd: -1}\nsandbox: {kind: x}\n")
	const noConfig = "no configuration: there is no bobbin.yaml in this folder; " +
		"bobbin init writes one, or name another with --config or BOBBIN_CONFIG\n"
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"nothing at all": {want: noConfig +
			"environment: SLACK_BOT_TOKEN is not set; it is xoxb-…, on the app's page under OAuth & " +
			"Permissions; if there is no app yet: bobbin manifest --url\n" +
			"environment: SLACK_APP_TOKEN is not set; it is xapp-…, on the app's page under Basic " +
			"Information, App-Level Tokens, with the scope connections:write; if there is no app yet: " +
			"bobbin manifest --url\n" +
			"environment: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none; " +
			"or give each model that agents ask a url\n"},
		"everything": {
			env: ready("BOBBIN_CONFIG", wrong, "SLACK_BOT_TOKEN", secret, "SLACK_APP_TOKEN",
				"'xapp-"+secret+"'", "OPENAI_BASE_URL", "localhost:11434/v1",
				"SLACK_API_URL", "ftp://u:"+secret+"@host", "DATABASE_URL", "mysql://u:"+secret+"@host/x"),
			want: wrong + ":2: limits.day_usd may not be below zero\n" +
				wrong + ":3: sandbox.kind: unknown sandbox kind \"x\"; one of auto, bubblewrap, " +
				"namespaces, gvisor, " +
				"docker, none\n" +
				"environment: SLACK_APP_TOKEN holds white space, quotes or other characters that a token " +
				"cannot have\n" +
				"environment: SLACK_BOT_TOKEN holds something that is not a Slack token, and a bot token " +
				"is needed; it is xoxb-…, on the app's page under OAuth & Permissions\n" +
				"environment: SLACK_API_URL is not an address that begins with http:// or https://\n" +
				"environment: OPENAI_BASE_URL is not an address that begins with http:// or https://\n" +
				"environment: DATABASE_URL is not an address such as " +
				"postgres://user:password@host:5432/bobbin: invalid keyword/value\n",
		},
		"no such file": {
			env: ready(), args: []string{"--config", "/no/such/bobbin.yaml"},
			want: "/no/such/bobbin.yaml: the configuration cannot be read: no such file or directory; " +
				"bobbin init writes one\n",
		},
		"the flag counts more than the variable": {
			env: ready("BOBBIN_CONFIG", right), args: []string{"--config", wrong},
			want: wrong + ":2: limits.day_usd may not be below zero\n" + wrong +
				":3: sandbox.kind: unknown sandbox kind \"x\"; one of auto, bubblewrap, namespaces, " +
				"gvisor, docker, none\n",
		},
		"tokens exchanged": {
			env: ready("BOBBIN_CONFIG", right, "SLACK_BOT_TOKEN", "xapp-"+secret, "SLACK_APP_TOKEN",
				"xoxb-"+secret),
			want: "environment: SLACK_BOT_TOKEN and SLACK_APP_TOKEN hold each other's token (xapp-… and " +
				"xoxb-…); exchange them: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-\n",
		},
		"a token with its line's end": {
			env: ready("BOBBIN_CONFIG", right, "OPENAI_API_KEY", "sk-"+secret+"\n"),
			want: "environment: OPENAI_API_KEY holds white space, quotes or other characters that a token " +
				"cannot have\n",
		},
		"an empty variable is none": {
			env:  ready("BOBBIN_CONFIG", "", "OPENAI_BASE_URL", ""),
			want: noConfig,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := call(t, t.Context(), c.env, append([]string{"serve"}, c.args...)...)
			require.Equal(t, cli.ExitUsage, code)
			require.Empty(t, out)
			require.Equal(t, c.want, errs)
		})
	}
}

// TestServeWithWhatSlackRefuses checks that a refusal by Slack is a usage error (exit code 2) with its
// cure.
func TestServeWithWhatSlackRefuses(t *testing.T) {
	t.Parallel()
	slack, err := slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme"})
	require.NoError(t, err)
	t.Cleanup(slack.Close)
	faulty, err := slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme"})
	require.NoError(t, err)
	t.Cleanup(faulty.Close)
	faulty.Order(slacktest.Fault{Method: "auth.test", Error: "account_inactive", Times: -1})
	troubled, err := slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme"})
	require.NoError(t, err)
	t.Cleanup(troubled.Close)
	troubled.Order(slacktest.Fault{Method: "users.conversations", Error: "out_of_order", Times: -1})
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	config := writeConfig(t, good+"sandbox: {kind: none}\n")
	nowhere := writeConfig(t,
		"repositories: [{name: shop, url: /srv/shop.git, channels: ['#nowhere']}]\nsandbox: {kind: none}\n")

	app := slack.App()
	other := faulty.App()
	third := troubled.App()
	for name, c := range map[string]struct {
		url, bot, app, config string
		code                  int
		want                  string
	}{
		"bot token": {
			slack.URL(), "xoxb-" + secret, app.AppToken, config, cli.ExitUsage,
			"bobbin: the bot token xoxb-…: Slack says invalid_auth\n" +
				"  → SLACK_BOT_TOKEN is not valid; copy it again from the app's settings\n",
		},
		"app token": {
			slack.URL(), app.BotToken, "xapp-" + secret, config, cli.ExitUsage,
			"bobbin: the app token xapp-…: Slack says invalid_auth\n" +
				"  → SLACK_APP_TOKEN is not valid; copy it again from the app's settings\n",
		},
		"app gone": {
			faulty.URL(), other.BotToken, other.AppToken, config, cli.ExitUsage,
			": Slack says account_inactive\n" +
				"  → the app was removed from the workspace or its bot was deactivated; " +
				"install it again and set SLACK_BOT_TOKEN again\n",
		},
		"no Slack": {
			web.URL, app.BotToken, app.AppToken, config, cli.ExitUsage,
			"bobbin: Slack says 404\n  → there is no Slack API at that address; check SLACK_API_URL\n",
		},
		"channel": {
			slack.URL(), app.BotToken, app.AppToken, nowhere, cli.ExitUsage,
			"bobbin: the bot is in no channel called #nowhere\n" +
				"  → /invite @bobbin in #nowhere, or correct the name\n",
		},
		"trouble": {
			troubled.URL(), third.BotToken, third.AppToken, nowhere, cli.ExitFailed,
			"bobbin: list the bot's channels: out_of_order\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), harness.StepTimeout)
			defer cancel()
			code, out, errs := call(t, ctx,
				ready("SLACK_API_URL", c.url, "SLACK_BOT_TOKEN", c.bot, "SLACK_APP_TOKEN", c.app,
					"DATABASE_URL", harness.Database(t), "BOBBIN_DATA_DIR", t.TempDir(), "BOBBIN_CONFIG",
					c.config), "serve")
			require.Equal(t, c.code, code, errs)
			require.Empty(t, out)
			require.True(t, strings.HasSuffix(errs, c.want), errs)
			require.NotContains(t, errs, c.bot)
			require.NotContains(t, errs, c.app)
		})
	}
}

func TestServeThatIsStoppedWhileItStarts(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	require.NoError(t, err)
	t.Cleanup(func() { mute.Close() })
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c, err := mute.Accept()
		if err == nil {
			defer c.Close()
		}
		stop()
	}()
	env := ready("DATABASE_URL", "postgres://u:"+secret+"@"+mute.Addr().String()+"/x", "BOBBIN_DATA_DIR",
		t.TempDir(), "BOBBIN_CONFIG", writeConfig(t, good))
	code, _, errs := call(t, ctx, env, "serve")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Equal(t, "bobbin: stopped; sessions go on at the next start.\n", errs)
	code, _, errs = call(t, ctx, env, "sessions")
	require.Equal(t, cli.ExitStopped, code)
	require.Equal(t, "bobbin: stopped\n", errs)
}

func TestDatabaseThatDoesNotLetUsIn(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { mute.Close() })
	closed := harness.ClosedPort(t)
	other := strings.Replace(postgrestest.Database(t, nil), "/test_", "/no_", 1)
	for name, c := range map[string]struct{ url, want string }{
		"nobody there": {
			"postgres://u:" + secret + "@" + closed + "/x?sslmode=disable",
			"bobbin: no Postgres answers at " + closed +
				": connect: connection refused; check DATABASE_URL, and that the server runs\n",
		},
		"no name": {
			"postgres://u:" + secret + "@no-such-host.invalid/x",
			"bobbin: no Postgres answers at no-such-host.invalid:5432: there is no host " +
				"no-such-host.invalid (no such host); check DATABASE_URL\n",
		},
		"no socket": {
			"postgres:///x?host=/no/such/run",
			"bobbin: no Postgres answers at /no/such/run: connect: no such file or directory; " +
				"check DATABASE_URL, and that the server runs\n",
		},
		"no word": {
			"postgres://u:" + secret + "@" + mute.Addr().String() + "/x",
			"bobbin: no Postgres answers at " + mute.Addr().String() +
				" within 10s; check DATABASE_URL, and that the server runs\n",
		},
		"no database": {other, "does not exist; check DATABASE_URL\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := "sessions" // serve waits
			if c.url == other {
				command = "serve"
			}
			code, out, errs := call(t, t.Context(), ready("DATABASE_URL", c.url, "BOBBIN_DATA_DIR",
				t.TempDir(), "BOBBIN_CONFIG", writeConfig(t, good)), command)
			require.Equal(t, cli.ExitFailed, code, errs)
			require.Empty(t, out)
			require.True(t, strings.HasSuffix(errs, c.want), errs)
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
		})
	}
}

func TestSessionsNeedTheBotsOwnDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{{"sessions"}, {"audit", "abc"}} {
		code, out, errs := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, args...)
		require.Equal(t, cli.ExitUsage, code)
		require.Empty(t, out)
		require.Equal(t, "bobbin: there is no database in "+dir+"; name the bot's own folder with "+
			"--data-dir or BOBBIN_DATA_DIR, or its Postgres with DATABASE_URL\n", errs)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries, "looking makes nothing")
}

func TestSessionsOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": postgrestest.Database(t, nil), "BOBBIN_DATA_DIR": t.TempDir()}
	for _, args := range [][]string{{"sessions"}, {"sessions", "abc"}, {"audit", "abc"}} {
		code, out, errs := call(t, t.Context(), env, args...)
		require.Equal(t, cli.ExitFailed, code)
		require.Empty(t, out)
		require.Equal(t, "bobbin: the database was not made by this version of Bobbin; "+
			"bring it up to date with: bobbin migrate\n", errs)
	}
	for range 2 { // the second time nothing is left to migrate
		code, out, errs := call(t, t.Context(), env, "migrate")
		require.Equal(t, cli.ExitOK, code, errs)
		require.Equal(t, "The database is up to date.\n", out)
	}
	code, out, errs := call(t, t.Context(), env, "sessions")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Equal(t, "No sessions yet. Mention the bot in a channel that it is in.\n", out)
	for _, args := range [][]string{{"sessions", "abc"}, {"audit", "abc"}} {
		code, out, errs := call(t, t.Context(), env, args...)
		require.Equal(t, cli.ExitFailed, code)
		require.Empty(t, out)
		require.Equal(t, "bobbin: there is no session \"abc\"; `bobbin sessions` lists them\n", errs)
	}
}

// aSession inserts rows of every kind. The title and a line contain terminal control characters.
const aSession = `
insert into sessions (id, team, channel, thread_ts, phase, title, requester, repository, base_commit, branch,
	head, revision, spent_usd, created_at, updated_at)
	values ('k3x9', 'T1', 'C1', '17.1', 'done', E'✓ a cent \x1b[2Jshort, <@U2>', 'U1', 'shop', 'base1234567',
		'bobbin/a-cent', 'head1234567', 1, 0.128, '2026-03-02 09:00', '2026-03-02 09:05'),
		('plain', 'T1', 'C1', '18.1', 'answered', repeat('where? ', 40), 'U2', '', '', '', '', 0, 0,
			'2026-03-02 08:00', '2026-03-02 08:00');
insert into lines (session_id, agent, text, at) values ('k3x9', 'orchestrator',
	E'Root cause\nin \x07split.go, <@U2> and <@U9|gus>', '2026-03-02 09:01'), ('k3x9', 'deep', 'Done', '2026-03-02 09:04');
insert into reports (session_id, revision, kind, body, text, hash, base_commit)
	values ('k3x9', 1, 'root_cause', '{"summary": "s"}', 'Root cause', 'x', 'base1234567');
insert into inbox (id, session_id, event_id, kind, message_ts, user_id, text, action_id, at, handled_at)
	overriding system value
	values (6, 'k3x9', 'Ev6', 'mention', '17.1', 'U1', E'<@U2> it is a cent &lt; what it \x1b[2Jwas\nsee #7',
		'', '2026-03-02 09:00', now()),
	(7, 'k3x9', 'Ev7', 'reply', '17.5', 'U2', 'fix it', '', '2026-03-02 09:02', now()),
	(8, 'k3x9', 'Ev8', 'action', '17.6', 'U2', '', 'fix_it', '2026-03-02 09:03', now());
insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id, user_name)
	values ('p1', 'k3x9', 'report', 1, 7, '17.5', 'U2', 'bea');
insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, user_name, message_ts,
	permission_id) values ('a1', 'k3x9', 1, 'x', 'base1234567', 'U2', 'bea', '17.5', 'p1');
insert into decisions (session_id, what, allowed, reason, user_id, revision)
	values ('k3x9', 'approve', false, 'guests may not', 'U9', 1), ('k3x9', 'request', true, 'U2 S7', 'U9', 1),
		('k3x9', 'approve', true, '', 'U2', 1);
insert into tasks (id, session_id, number, description, category, skill, state) overriding system value
	values (1, 'k3x9', 1, '✓ keep every cent ◆', 'deep', 'tdd', 'done');
insert into attempts (task_id, number, tree, held, summary)
	values (1, 1, 't1', false, E'go test: 1 failed\nTestSplit'), (1, 2, 't2', true, 'go test: 14 passed');
insert into transcript (session_id, task_id, seq, body, at)
	values ('k3x9', 1, 1,
	'{"role": "folded", "text": "<summary>", "fold": {"upto": 40, "was": 480000, "is": 52000}}',
	'2026-03-02 09:03'),
	('k3x9', 0, 1, '{"role": "folded", "fold": {"cut": 9, "was": 500000, "is": 240000}}', '2026-03-02 09:05');
insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id, state)
	values ('k3x9', 'head1234567', 't2', 'base1234567', 'bobbin/a-cent', 'a1', 'pushed');
`

func withSessions(t *testing.T) map[string]string {
	t.Helper()
	address := harness.Database(t)
	db, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), "set time zone interval '"+
		time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local).Format("-07:00")+"' hour to minute;"+aSession)
	require.NoError(t, err)
	return map[string]string{"DATABASE_URL": address}
}

func TestSessionsAreListedAndShown(t *testing.T) {
	t.Parallel()
	env := withSessions(t)
	code, out, errs := call(t, t.Context(), env, "sessions")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Equal(t, `ID     STATE     REPOSITORY  UPDATED              COST   REQUEST
k3x9   pushed    shop        2026-03-02 09:05:00  $0.13  a cent [2Jshort, @bea
plain  answered  -           2026-03-02 08:00:00  –      `+
		plaintext.CutLine(strings.Repeat("where? ", 40), 80)+"\n", out)
	_, out, _ = call(t, t.Context(), env, "sessions", "--limit=1")
	require.Equal(t, 2, strings.Count(out, "\n"))

	code, out, errs = call(t, t.Context(), env, "sessions", "k3x9")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Equal(t, `a cent [2Jshort, @bea
phase done, asked by U1, thread C1/17.1, cost $0.13, begun 2026-03-02 09:00:00
repository shop at base123
branch bobbin/a-cent at head123

09:00:00  U1: @bea it is a cent < what it [2Jwas
          see #7
09:01:00  [orchestrator] Root cause
          in split.go, @bea and @gus
09:02:00  bea: fix it
09:03:00  bea pressed: fix it
09:04:00  [deep] Done

task 1 [deep + tdd skill] done: keep every cent ·
  attempt 1 failed: go test: 1 failed
    TestSplit
  attempt 2 held: go test: 14 passed

conversations that grew too long for their models:
09:03:00  deep (task 1) summed up its older work: its model is shown 52 kB instead of 480 kB
09:05:00  orchestrator goes on without the long outputs of older steps: its model is shown 240 kB instead of 500 kB

decisions:
  approve refused for U9, revision 1: guests may not
  request allowed for U9, revision 1: @bea the group S7
  approve allowed for bea, revision 1

pushes:
  bobbin/a-cent at head123 pushed
`, out)
}

// A session in which nothing was begun has no title. It is listed, and shown, by what the person wrote.
func TestSessionsWithoutATitleAreShownByTheirFirstWords(t *testing.T) {
	t.Parallel()
	env := withSessions(t)
	db, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `
		insert into sessions (id, team, channel, thread_ts, phase, title, requester, updated_at) values
			('asked', 'T1', 'C1', '21.1', 'exploring', '', 'U1', now() + interval '3 minutes'),
			('refused', 'T1', 'C1', '22.1', 'exploring', '', 'U9', now() + interval '2 minutes'),
			('alert', 'T1', 'C1', '23.1', 'exploring', '', '', now() + interval '1 minute');
		insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at) values
			('asked', 'e21', 'mention', '21.1', 'U1', '<@UBOT>', now()),
			('asked', 'e22', 'reply', '21.2', 'U1', 'thanks', now()),
			('refused', 'e23', 'mention', '22.1', 'U9', E'<@UBOT|bobbin>: a &lt;b&gt;\nis off, <@U2>', now())`)
	require.NoError(t, err)
	code, out, errs := call(t, t.Context(), env, "sessions")
	require.Equal(t, cli.ExitOK, code, errs)
	var requests []string
	for _, line := range strings.Split(out, "\n")[1:4] {
		fields := regexp.MustCompile(` {2,}`).Split(line, -1)
		requests = append(requests, fields[0]+": "+fields[len(fields)-1])
	}
	require.Equal(t, []string{
		"asked: (a mention alone)", "refused: a <b> is off, @bea", "alert: (no words)",
	}, requests)
	_, out, _ = call(t, t.Context(), env, "sessions", "refused")
	require.True(t, strings.HasPrefix(out, "a <b> is off, @bea\nphase exploring (nothing was begun)"), out)
}

// openSlackOfAnn opens a Slack that knows the person of the sessions of withSessions.
func openSlackOfAnn(t *testing.T) *slacktest.Server {
	t.Helper()
	slack, err := slacktest.Listen(slacktest.Config{AppName: "bobbin", TeamName: "Acme"})
	require.NoError(t, err)
	t.Cleanup(slack.Close)
	slack.AddUser(slacktest.User{ID: "U1", Name: "ann"})
	return slack
}

// TestSessionsAreShownWithNames checks that Slack is asked for the names of people who decided nothing, and
// that ids stay if it does not answer.
func TestSessionsAreShownWithNames(t *testing.T) {
	t.Parallel()
	slack := openSlackOfAnn(t)
	env := withSessions(t)
	env["SLACK_BOT_TOKEN"] = slack.App().BotToken
	for url, asked := range map[string]string{
		slack.URL():                       "ann",
		"http://" + harness.ClosedPort(t): "U1",
	} {
		env["SLACK_API_URL"] = url
		code, out, errs := call(t, t.Context(), env, "sessions", "k3x9")
		require.Equal(t, cli.ExitOK, code, errs)
		require.Contains(t, out, "\nphase done, asked by "+asked+", thread C1/17.1")
		require.Contains(t, out, "\n09:00:00  "+asked+": @bea it is a cent")
		require.Contains(t, out, "approve refused for U9", "whom Slack does not know")
	}
}

// The tables of what was spent and learned name people like a session does. What programs read has ids.
func TestPeopleAreNamedInTables(t *testing.T) {
	t.Parallel()
	slack := openSlackOfAnn(t)
	env := withSessions(t)
	db, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `
		insert into spending (session_id, day, team, channel, person, usd) values
			('k3x9', '2026-03-02', 'T1', 'C1', 'U1', 2), ('plain', '2026-03-02', 'T1', 'C1', 'U2', 1);
		insert into lessons (repository, key, text, source, person, session_id) values
			('shop', 'note:1', 'in cents', 'said in the thread', 'U1', 'k3x9'),
			('shop', 'note:2', 'by value', 'said in the thread', 'U2', 'k3x9'),
			('shop', 'test', 'go test', 'seen', '', 'k3x9')`)
	require.NoError(t, err)
	firsts := func(column int, args ...string) (list []string) {
		code, out, errs := call(t, t.Context(), env, args...)
		require.Equal(t, cli.ExitOK, code, errs)
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			list = append(list, regexp.MustCompile(` {2,}|,`).Split(line, -1)[column])
		}
		slices.Sort(list)
		return list
	}
	require.Equal(t, []string{"U1", "bea"}, firsts(0, "spending", "--by=person"), "without a token")
	env["SLACK_BOT_TOKEN"] = slack.App().BotToken
	env["SLACK_API_URL"] = slack.URL()
	require.Equal(t, []string{"ann", "bea"}, firsts(0, "spending", "--by=person"))
	require.Equal(t, []string{"U1", "U2"}, firsts(0, "spending", "--by=person", "--csv"))
	require.Equal(t, []string{"ann", "bea", "the program"}, firsts(3, "learned"))
}

// TestNamesThatDoNotExist checks that a name that is nearly right is refused with the right one.
func TestNamesThatDoNotExist(t *testing.T) {
	t.Parallel()
	env := withSessions(t)
	config := writeConfig(t,
		"repositories: [{name: shop, url: /srv/shop.git}, {name: web, url: /srv/web.git}]\n")
	faulty := writeConfig(t, "nonsense: 1\n")
	for args, want := range map[string]string{
		"sessions k3x8": "bobbin: there is no session \"k3x8\"; did you mean \"k3x9\"?; " +
			"`bobbin sessions` lists them\n",
		"audit k3x": "bobbin: there is no session \"k3x\"; did you mean \"k3x9\"?; " +
			"`bobbin sessions` lists them\n",
		"pause shpo": "bobbin: no session was about a repository \"shpo\"; did you mean \"shop\"?\n",
		"pause wbe --config=" + config: "bobbin: " + config +
			" has no repository \"wbe\"; did you mean \"web\"?\n",
		"pause payments --config=" + config: "bobbin: " + config +
			" has no repository \"payments\"; it has shop, web\n",
		"learned shpo --config=" + config: "bobbin: " + config +
			" has no repository \"shpo\"; did you mean \"shop\"?\n",
		"pause shpo --config=" + faulty: "bobbin: " + faulty + " cannot be read, so whether it has shpo " +
			"is not checked\nbobbin: no session was about a repository \"shpo\"; did you mean \"shop\"?\n",
		"resume shop": "bobbin: repository shop is not paused; nothing is\n",
	} {
		code, out, errs := call(t, t.Context(), env, strings.Fields(args)...)
		require.NotEqual(t, cli.ExitOK, code, args)
		require.Empty(t, out, args)
		require.Equal(t, want, errs, args)
	}
	_, out, _ := call(t, t.Context(), env, "learned", "shpo")
	require.Equal(t, "Nothing was learned about shpo yet; did you mean \"shop\"?.\n", out)
}

// TestResumeSaysWhatStaysPaused pauses three things and resumes them one by one.
func TestResumeSaysWhatStaysPaused(t *testing.T) {
	t.Parallel()
	env := withSessions(t)
	config := writeConfig(t, "repositories: [{name: web, url: /srv/web.git}]\n")
	for _, args := range []string{"pause --all", "pause web --config=" + config, "pause C0123ABCD"} {
		code, _, errs := call(t, t.Context(), env, strings.Fields(args)...)
		require.Equal(t, cli.ExitOK, code, errs)
		require.Equal(t, args != "pause --all" && args != "pause web --config="+config,
			strings.Contains(errs, "no session was about channel C0123ABCD yet"), errs)
	}
	by := regexp.MustCompile(`, by [^.]*\.`)
	for _, step := range []struct{ args, want string }{
		{
			"resume --all",
			"Resumed: everything.\n" +
				"Still paused: channel C0123ABCD, by X. Resume it with: bobbin resume C0123ABCD\n" +
				"Still paused: repository web, by X. Resume it with: bobbin resume web\n",
		},
		{"resume wbe", "bobbin: repository wbe is not paused; did you mean \"web\"?; " +
			"paused: channel C0123ABCD, repository web\n"},
		{"resume C0123ABCD", "Resumed: channel C0123ABCD.\n" +
			"Still paused: repository web, by X. Resume it with: bobbin resume web\n"},
		{"resume web", "Resumed: repository web.\n"},
	} {
		_, out, errs := call(t, t.Context(), env, strings.Fields(step.args)...)
		require.Equal(t, step.want, by.ReplaceAllString(out+errs, ", by X."))
	}
}

func TestAuditIsJSONLines(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, t.Context(), withSessions(t), "audit", "k3x9")
	require.Equal(t, cli.ExitOK, code, errs)
	var kinds []string
	for line := range strings.Lines(out) {
		var record struct {
			What  string         `json:"what"`
			Value map[string]any `json:"value"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		require.NotEmpty(t, record.Value)
		kinds = append(kinds, record.What)
		for _, key := range regexp.MustCompile(`"([^"\\]*)":`).FindAllStringSubmatch(line, -1) {
			require.Regexp(t, snakeCase, key[1], line)
		}
		if record.What == "report" {
			require.Len(t, record.Value["hash"], 64)
			require.Equal(t, map[string]any{"summary": "s"}, record.Value["body"])
		}
		if record.What == "task" {
			require.Equal(t, []string{
				"after", "apart", "category", "description", "display_text", "failures", "id", "number",
				"plan", "revision", "session", "skill", "start_tree", "state", "summary", "tree",
			}, slices.Sorted(maps.Keys(record.Value)), "other programs read them by these names")
		}
	}
	require.Equal(t, []string{
		"session", "report", "approval", "permission", "decision", "decision", "decision", "task", "attempt",
		"attempt", "push",
	}, kinds)
}

func TestAuditIsVerified(t *testing.T) {
	t.Parallel()
	env := withSessions(t)
	for _, id := range []string{"", "k3x9"} { // its rows were inserted by hand, without the chain of hashes
		code, out, errs := call(t, t.Context(), env, strings.Fields("audit --verify "+id)...)
		require.Equal(t, cli.ExitFailed, code)
		require.Empty(t, out)
		require.Equal(t,
			"bobbin: the audit does not hold: session k3x9, approval a1: the row was never recorded\n", errs)
	}
	code, out, errs := call(t, t.Context(), env, "audit", "--verify", "plain") // the session has no decisions
	require.Equal(t, cli.ExitOK, code, errs)
	require.Equal(t, "The audit holds: 1 sessions, 0 records.\nhead none\n", out)
	code, _, errs = call(t, t.Context(), env, "audit", "--verify", "abc")
	require.Equal(t, cli.ExitFailed, code)
	require.Equal(t, "bobbin: there is no session \"abc\"; `bobbin sessions` lists them\n", errs)
}

func TestDataDirectoryIsMadeAbsolute(t *testing.T) {
	t.Parallel()
	s, err := operate.StorageFlags{DataDir: "relative"}.Target(cli.Console{})
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(s.DataDir), "the sandbox and Postgres work in other folders")
}

func TestServeSaysWhichCredentialIsMissing(t *testing.T) {
	t.Parallel()
	two := writeConfig(t,
		"repositories:\n- {name: a, url: https://one.example/x}\n- {name: b, url: https://two.example/y}\n")
	token := writeConfig(t, "repositories:\n- {name: a, url: https://one.example/x, token_env: A_TOKEN}\n")
	app := writeConfig(t,
		"repositories:\n- name: a\n  url: https://github.com/acme/shop.git\n"+"github_app: {id: 12}")
	for name, c := range map[string]struct {
		config string
		env    []string
		want   string
	}{
		"two hosts": {
			two,
			[]string{secrets.GitToken, secret},
			"environment: BOBBIN_GIT_TOKEN would be shown to one.example and two.example; " +
				"give the repositories of all but one of them a token of their own with token_env\n",
		},
		"token_env unset": {
			token, nil, "environment: A_TOKEN is not set; token_env of repository \"a\" names it\n",
		},
		"key_env unset": {
			writeConfig(t, "repositories: [{name: a, url: /a}]\nagents: {deep: {model: m}}\n"+
				"models: {m: {url: 'https://models.example/v1', key_env: M_KEY}}\n"), nil,
			"environment: M_KEY is not set; key_env of model \"m\" names it\n",
		},
		"token_env bad": {
			token,
			[]string{"A_TOKEN", secret + " "},
			"environment: A_TOKEN holds white space, quotes or other characters that a token cannot have\n",
		},
		"no key": {
			app, nil,
			"environment: BOBBIN_GITHUB_APP_KEY is not set, and github_app names no key_file; " +
				"one of them has to give the App's private key\n",
		},
		"a bad key": {
			app,
			[]string{secrets.GithubAppKey, secret},
			"environment: BOBBIN_GITHUB_APP_KEY: it holds no key that begins with -----BEGIN RSA PRIVATE " +
				"KEY-----\n",
		},
	} {
		code, _, errs := call(t, t.Context(), ready(c.env...), "serve", "--config="+c.config)
		require.Equal(t, cli.ExitUsage, code, name)
		require.Equal(t, c.want, errs, name)
	}
}
