package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// wholeConfig sets every key.
const wholeConfig = `
repositories:
  - name: shop
    url: https://github.com/acme/shop.git     # https, ssh or a local path
    base: main
    channels: [C0123ABCD, "#bugs"]
    watch: all
    reactions: [bug]
    checks: {build: go build ./..., test: go test -json ./..., near: 'go test -json {packages}', warm: on}
    approvers: [U0123ABCD, S0456EFGH]
    other_than_requester: true
    approvals: 2
    needs: [{files: "deploy/**", from: [S0OPS456], name: ops}]
    guests: no_code
    private: true
    branch_prefix: bobbin/
    branch: "fix/{{ticket}-}{slug}"
    branch_pattern: ^fix/
    title: "fix({scope}): {summary}"
    title_pattern: '^fix\('
    host:
      template: docs/pull_request.md
      labels: [bug, "needs review"]
      assignees: [approver]
      reviewers: [codeowners, dan]
    scope: services/cart
    code_url: https://git.acme.com/shop/{commit}/{path}#{line}
    setup: {run: [go mod download, npm ci --ignore-scripts], allow: [mirror.acme.internal, "registry.acme.com:3000"], private: [mirror.acme.internal], env: {GOPROXY: "https://mirror.acme.internal/go"}, minutes: 5}
  - {name: blog, url: "git@github.com:acme/blog.git"}
agents:
  orchestrator: {model: gpt-5, effort: medium}
  quick: {model: gpt-5-mini}
  deep: {model: gpt-5, effort: high}
  visual-engineering: {model: gpt-5}
  consultant: {model: gpt-5, effort: high, name: oracle}
models:
  gpt-5: {input_usd_per_million: 1.25, cached_usd_per_million: 0.125, output_usd_per_million: 10, fallback: [gpt-5-mini], vision: true, context_tokens: 400000}
limits:
  session: {usd: 5, tokens: 3M, commands: 200, minutes: 60, output: 500, disk: 2000 MB}
  person_day: {usd: 20, tokens: 4000000, commands: 300, minutes: 300, output: 600MB, disk: 3000}
  channel_day: {usd: 50, tokens: 5M, commands: 400, minutes: 400, output: 700, disk: 4000}
  all_day: {usd: 100, tokens: 6000k, commands: 500, minutes: 2000, output: 800, disk: 5000}
  sessions_at_once: 8
  attempts_before_consulting: 2
sandbox: {kind: auto}
skills_dir: skills
http: {addr: 127.0.0.1:8080}
slack: {connections: 3, progress_card: off, agent_status: true, admins: [U0123ABCD]}
keep: {sessions_days: 30, waiting_days: 180, decisions_days: 400, files_days: 0.5, files_gb: 5, cache_gb: 2.5, mirrors_days: 14}
trackers:
  - kind: jira
    url: https://acme.atlassian.net
    token_env: JIRA_TOKEN
    user: bot@acme.com
    projects: [SHOP]
    repositories: [shop]
    guests: true
    file_in: SHOP
    issue_type: Bug
    comment: true
sources:
  - name: loki
    url: https://mcp.acme.com/loki
    token_env: LOKI_TOKEN
    tools: [query_range, labels]
    allow: [labels]
    calls: 20
    seconds: 10
transcription: {url: "https://api.openai.com/v1", model: whisper-1, key_env: CLIP_KEY}
words: {stop: [finito], hold: [smells fishy], approve: [make it rain], go_on: [onwards], no: [nix da]}
`

func saveConfig(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skills"), 0o755))
	name := filepath.Join(dir, "bobbin.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// wholeShop is the shop of wholeConfig.
var wholeShop = Repository{
	Name:      "shop",
	URL:       "https://github.com/acme/shop.git",
	Base:      "main",
	Channels:  []string{"C0123ABCD", "#bugs"},
	Watch:     "all",
	Reactions: []string{"bug"},
	Checks: Checks{
		Build: "go build ./...", Test: "go test -json ./...", Near: "go test -json {packages}", Warm: "on",
	},
	Approval: Approval{
		Approvers:          []string{"U0123ABCD", "S0456EFGH"},
		OtherThanRequester: true,
		Approvals:          2,
		Needs:              []Need{{Files: "deploy/**", From: []string{"S0OPS456"}, Name: "ops"}},
	},
	Private:      true,
	BranchPrefix: "bobbin/",
	Naming: Naming{
		Branch: "fix/{{ticket}-}{slug}", BranchPattern: "^fix/",
		Title: "fix({scope}): {summary}", TitlePattern: `^fix\(`,
	},
	RemoteAccess: RemoteAccess{Host: GitHost{
		Template: "docs/pull_request.md", Labels: []string{"bug", "needs review"},
		Assignees: []string{"approver"}, Reviewers: []string{"codeowners", "dan"},
	}},
	Scope: "services/cart",
	visibility: visibility{
		Guests:  "no_code",
		CodeURL: "https://git.acme.com/shop/{commit}/{path}#{line}",
	},
	Setup: Setup{
		Run:     commandLines{"go mod download", "npm ci --ignore-scripts"},
		Allow:   []string{"mirror.acme.internal", "registry.acme.com:3000"},
		Private: []string{"mirror.acme.internal"},
		Env:     map[string]string{"GOPROXY": "https://mirror.acme.internal/go"},
		Minutes: 5,
	},
}

// wholeLimits are the limits of wholeConfig.
var wholeLimits = Limits{
	Session: LimitAllowance{
		USD:      5,
		Tokens:   3e6,
		Commands: 200,
		Minutes:  60,
		Output:   500,
		Disk:     2000,
	},
	PersonDay: LimitAllowance{
		USD:      20,
		Tokens:   4e6,
		Commands: 300,
		Minutes:  300,
		Output:   600,
		Disk:     3000,
	},
	ChannelDay: LimitAllowance{
		USD:      50,
		Tokens:   5e6,
		Commands: 400,
		Minutes:  400,
		Output:   700,
		Disk:     4000,
	},
	AllDay: LimitAllowance{
		USD:      100,
		Tokens:   6e6,
		Commands: 500,
		Minutes:  2000,
		Output:   800,
		Disk:     5000,
	},
	SessionsAtOnce: 8, Attempts: 2,
}

func TestConfigIsReadWhole(t *testing.T) {
	t.Parallel()
	name := saveConfig(t, wholeConfig)
	c, err := Load(name)
	require.NoError(t, err)
	require.Equal(t, Config{
		Text: []byte(wholeConfig),
		Words: Words{
			Stop:    []string{"finito"},
			Hold:    []string{"smells fishy"},
			Approve: []string{"make it rain"},
			GoOn:    []string{"onwards"},
			No:      []string{"nix da"},
		},
		Repositories: []Repository{
			wholeShop,
			{Name: "blog", URL: "git@github.com:acme/blog.git"},
		},
		ModelTable: ModelTable{
			Agents: map[string]AgentModel{
				"orchestrator":       {Model: "gpt-5", Effort: "medium"},
				"quick":              {Model: "gpt-5-mini"},
				"deep":               {Model: "gpt-5", Effort: "high"},
				"visual-engineering": {Model: "gpt-5"},
				"consultant":         {Model: "gpt-5", Effort: "high", Name: "oracle"},
			},
			Models: map[string]Model{"gpt-5": {
				Input:    new(1.25),
				Cached:   new(0.125),
				Output:   new(10.0),
				Fallback: []string{"gpt-5-mini"},
				Vision:   true,
				Window:   400000,
			}},
		},
		Limits:    wholeLimits,
		Sandbox:   Sandbox{Kind: "auto"},
		SkillsDir: filepath.Join(filepath.Dir(name), "skills"),
		HTTP:      HTTP{Addr: "127.0.0.1:8080"},
		Slack: Slack{
			Connections:  3,
			ProgressCard: "off",
			AgentStatus:  true,
			Admins:       []string{"U0123ABCD"},
		},
		Keep: Keep{
			Sessions:  30,
			Waiting:   180,
			Decisions: 400,
			Files:     0.5,
			FilesGB:   5,
			CacheGB:   2.5,
			Mirrors:   14,
		},
		Trackers: []Tracker{{
			Kind: "jira", URL: "https://acme.atlassian.net", TokenEnv: "JIRA_TOKEN", User: "bot@acme.com",
			Projects: []string{"SHOP"}, Repositories: []string{"shop"},
			Guests: true, FileIn: "SHOP", IssueType: "Bug", Comment: true,
		}},
		Sources: []Source{{
			Name: "loki", URL: "https://mcp.acme.com/loki", TokenEnv: "LOKI_TOKEN",
			Tools: []string{"query_range", "labels"}, Allow: []string{"labels"}, Calls: 20, Seconds: 10,
		}},
		Transcription: Transcription{
			URL: "https://api.openai.com/v1", Model: "whisper-1", KeyEnv: "CLIP_KEY",
		},
	}, c)
}

func TestConfigOfPeopleIsTaken(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(saveConfig(t, ""))
	for text, want := range map[string]string{
		"repositories: [{name: a, url: " +
			"/srv/git/a.git}]": "/srv/git/a.git",
		"repositories: [{name: a, url: ./a.git}]": filepath.Join(
			dir, "a.git",
		),
		"repositories: [{name: a, url: ../a.git}]": filepath.Join(
			filepath.Dir(dir), "a.git",
		),
		"repositories: [{name: a, url: " +
			"'file:///srv/a.git'}]": "file:///srv/a.git",
		"repositories: [{name: a, url: " +
			"'ssh://git@host:2222/a.git'}]": "ssh://git@host:2222/a.git",
		"repositories: [{name: a, url: " +
			"'http://localhost:3000/a'}]": "http://localhost:3000/a",
		"# first a comment\n---\nrepositories:\n- name: a\n  url: /a\n":                       "/a",
		"repositories:\r\n  - name: a\r\n    url: /a\r\n":                                     "/a",
		"repositories: [{name: a, url: /a}]\nagents:\nlimits:\nmodels: {}\n":                  "/a",
		"repositories: [{name: a, url: /a}]\nlimits: {session_usd: 0, day_usd: 1}\n":          "/a",
		"repositories: [{name: a, url: /a}]\nlimits: {all_day: {tokens: 2G}}\n":               "/a",
		"repositories: [{name: a, url: /a}]\nlimits: {day_commands: 2000000000}\n":            "/a",
		"\ufeffrepositories: [{name: a, url: /a}]\n":                                          "/a",
		"{\"repositories\": [{\"name\": \"a\", \"url\": \"/a\"}]}":                            "/a",
		"repositories:\n- name: a\n  url: /a\n  checks:\n    test: |\n      one\n      two\n": "/a",
	} {
		c, err := parseConfig(filepath.Join(dir, "bobbin.yaml"), []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Repositories[0].URL, text)
	}
}

// TestOldNamesOfLimitsAreRead checks that a file with the old names of limits means the same, and gets one
// warning line with the new names.
func TestOldNamesOfLimitsAreRead(t *testing.T) {
	t.Parallel()
	const old = `limits: {session_usd: 5, session_tokens: 3000000, session_commands: 200, session_minutes: ` +
		`60, session_output_mb: 500, session_disk_mb: 2000, person_day_usd: 20, person_day_tokens: ` +
		`4000000, person_day_commands: 300, person_day_minutes: 300, person_day_output_mb: 600, ` +
		`person_day_disk_mb: 3000, channel_day_usd: 50, channel_day_tokens: 5000000, channel_day_commands: ` +
		`400, channel_day_minutes: 400, channel_day_output_mb: 700, channel_day_disk_mb: 4000, day_usd: ` +
		`100, day_tokens: 6000000, day_commands: 500, day_minutes: 2000, day_output_mb: 800, day_disk_mb: ` +
		`5000, sessions_at_once: 8, attempts_before_consulting: 2}`
	table, err := Load(saveConfig(t, wholeConfig))
	require.NoError(t, err)
	require.Empty(t, table.Warning)
	c, err := parseConfig("c", []byte(plainConfig+old))
	require.NoError(t, err)
	require.Equal(t, table.Limits, c.Limits)
	require.True(t, strings.HasPrefix(c.Warning,
		"c:2: old names, which are still read: limits.session_usd is now limits.session.usd, "), c.Warning)
	require.True(t,
		strings.HasSuffix(c.Warning, ", limits.day_disk_mb is now limits.all_day.disk"), c.Warning)
	require.Equal(t, 24, strings.Count(c.Warning, " is now "))
	require.NotContains(t, c.Warning, "\n")
}

// TestModelsWithoutAPriceAreNamed checks that models without a price are found if a limit is in USD,
// towards which they would count nothing.
func TestModelsWithoutAPriceAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, "limits: {session_tokens: 5}": nil,
		"limits: {session_usd: 5}": nil, // the default model is in the table of prices
		"limits: {session_usd: 5}\nmodels: {gpt-5: {url: 'http://localhost:1/v1'}}": {"gpt-5"},
		"limits: {day_usd: 5}\n" +
			"models: {gpt-5: {output_usd_per_million: 1}}": nil,
		"limits: {day_usd: 5}\n" +
			"models: {gpt-5: {output_usd_per_million: 1, fallback: [b]}}": {"b"},
		"limits: {person_day_usd: 5}\nagents: {deep: {model: c}, quick: {model: c}}\n" +
			"models: {gpt-5: {output_usd_per_million: 1}}": {"c"},
	} {
		c, err := parseConfig("c", []byte(plainConfig+text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.ModelsNotLimited(), text)
	}
}

// plainConfig is a valid configuration of one line, to which a test appends a fault from line 2 on.
const plainConfig = "repositories: [{name: shop, url: /srv/shop.git}]\n"

// hub is a configuration with a repository at GitHub, to which a test appends from line 4 on.
const hub = "repositories:\n- name: a\n  url: https://github.com/acme/shop.git\n"

// one is the beginning of a repository, to which a test appends keys from line 4 on.
const one = "repositories:\n  - name: shop\n    url: /srv/shop.git\n    "

var badConfigs = []struct{ text, want string }{
	// keys
	{plainConfig + "agnets: {}", `c:2: unknown key "agnets"; did you mean "agents"?`},
	{
		plainConfig + "surprise: 1",
		`c:2: unknown key "surprise"; one of repositories, agents, models, limits, checks, sandbox, ` +
			`skills_dir, ` +
			`http, slack, github_app, trackers, sources, keep, people, words, transcription`,
	},
	{
		one + "brnach_prefix: x/",
		`c:4: repositories.shop: unknown key "brnach_prefix"; did you mean "branch_prefix"?`,
	},
	{
		one + "model: gpt-5",
		`c:4: repositories.shop: unknown key "model"; it belongs to an agent`,
	},
	{plainConfig + "day_usd: 5", `c:2: unknown key "day_usd"; it belongs to limits`},
	{
		plainConfig + "limits: {foo: 5}",
		`c:2: limits: unknown key "foo"; one of session, person_day, channel_day, all_day, ` +
			`sessions_at_once, sessions_per_repository, sessions_per_replica, ` +
			`attempts_before_consulting, unanswered_minutes, silent_minutes, hunk_minutes, ` +
			`history_minutes`,
	},
	{
		plainConfig + "keep: {sessions: 5}",
		`c:2: keep: unknown key "sessions"; one of sessions_days, waiting_days, decisions_days, ` +
			`files_days, files_gb, cache_gb, mirrors_days`,
	},
	{plainConfig + "files_gb: 5", `c:2: unknown key "files_gb"; it belongs to keep`},
	{
		plainConfig + "limits: {hunk_minutes: -1}",
		`c:2: limits.hunk_minutes may not be below zero`,
	},
	{
		plainConfig + "limits: {hunk_minutes: 1441}",
		`c:2: limits.hunk_minutes may not be more than 1440`,
	},
	{
		plainConfig + "limits: {silent_minutes: -1}",
		`c:2: limits.silent_minutes may not be below zero`,
	},
	{
		plainConfig + "limits: {silent_minutes: soon}",
		`c:2: limits.silent_minutes: a whole number is expected, not the text "soon"`,
	},
	{
		plainConfig + "slack: {connections: 11}",
		`c:2: slack.connections has to be between 1 and 10, which all replicas share`,
	},
	{
		plainConfig + "slack: {progress_card: maybe}",
		`c:2: slack.progress_card: unknown progress_card "maybe"; one of on, off`,
	},
	{
		plainConfig + "slack: {admins: [S0123ABCD]}",
		`c:2: slack.admins[0]: "S0123ABCD" is not the id of a person (U…), which Slack shows in ` +
			`the person's profile: ⋮, Copy member ID`,
	},
	{
		plainConfig + "slack: {connections: -1}",
		`c:2: slack.connections has to be between 1 and 10, which all replicas share`,
	},
	{
		plainConfig + "keep: {files_days: -1}",
		`c:2: keep.files_days may not be below zero`,
	},
	{
		plainConfig + "keep:\n  files_gb: 5\n  cache_gb: 2000000",
		`c:4: keep.cache_gb may not be more than 1000000`,
	},
	{
		plainConfig + "keep: {sessions_days: a week}",
		`c:2: keep.sessions_days: a number is expected, not the text "a week"`,
	},
	{
		plainConfig + "keep: {sessions_days: 400}",
		`c:2: keep.sessions_days (400) is more than waiting_days (365): sessions that wait have to ` +
			`be kept at least as long as ended ones`,
	},
	{
		plainConfig + "keep: {sessions_days: 40, decisions_days: 30}",
		`c:2: keep.sessions_days (40) is more than decisions_days (30): decisions have to be kept ` +
			`at least as long as messages`,
	},
	{
		plainConfig + "sandbox:\n  kind: auto\n  kind: none",
		`c:4: mapping key "kind" already defined at [3:3]`,
	},
	{plainConfig + "[a]: b", `c:2: found an invalid key for this map`},
	{plainConfig + "skills_dir.x: b", `c:2: unknown key "skills_dir.x"; did you mean "skills_dir"?`},
	{
		plainConfig + "1: b",
		`c:2: unknown key "1"; one of repositories, agents, models, limits, checks, sandbox, ` +
			`skills_dir, http, ` +
			`slack, github_app, trackers, sources, keep, people, words, transcription`,
	},
	// repositories
	{"", `c:1: repositories: name at least one`},
	{"# nothing\n", `c:1: repositories: name at least one`},
	{"repositories: []", `c:1: repositories: name at least one`},
	{
		"\nrepositories:\n  - url: /a",
		`c:3: repositories[0].name is missing: what people call the repository, such as name: shop`,
	},
	{
		"repositories:\n  - name: shop\n",
		`c:2: repositories.shop.url is missing: the address from which the repository is cloned, ` +
			`such as https://github.com/acme/shop.git`,
	},
	{
		"repositories:\n  - name: shop\n    ulr: /a\n",
		`c:3: repositories.shop: unknown key "ulr"; did you mean "url"?`,
	},
	{
		"repositories:\n  - {name: shop, ulr: \"https://github.com/a/b\", host: on}\n",
		`c:2: repositories.shop: unknown key "ulr"; did you mean "url"?`,
	},
	{
		"repositories:\n  - {name: shop, org: /a}\n",
		`c:2: repositories.shop.url is missing: the address from which the repository is cloned, ` +
			"such as https://github.com/acme/shop.git\n" +
			`c:2: repositories.shop: unknown key "org"; did you mean "url"?`,
	},
	{
		"repositories:\n  - name: shop\n     url: /a\n",
		`c:2: a key cannot be here: check how far this line and the next are indented, and put a text ` +
			`with ": " in quotes`,
	},
	{
		"repositories:\n  - name: ''\n    url: ''\n",
		"c:2: repositories[0].name is missing: what people call the repository, such as name: shop\n" +
			`c:3: repositories[0].url is missing: the address from which the repository is cloned, ` +
			`such as https://github.com/acme/shop.git`,
	},
	{
		"repositories:\n  - name: a shop\n    url: /a",
		`c:2: repositories[0].name: the name "a shop" may hold letters, digits, dots, hyphens and ` +
			`underscores only`,
	},
	{
		"repositories:\n  - {name: shop, url: /a}\n  - {name: Shop, url: /b}",
		`c:3: repositories.Shop.name: there are two repositories named "Shop"; the other is in ` +
			`line 2`,
	},
	{
		"repositories:\n  - name: 12\n    url: /a",
		`c:2: repositories[0].name: text is expected, not the number 12`,
	},
	{"repositories: shop", `c:1: repositories: a list is expected, not the text "shop"; put brackets ` +
		`around it`},
	{"repositories: {name: shop}", `c:1: repositories: a list is expected, not keys and values; begin ` +
		`each item with a dash`},
	{"repositories: [shop]", `c:1: repositories[0]: keys and values are expected, not the text "shop"`},
	{
		"repositories:\n  -\n  - {name: a, url: /a}",
		`c:2: repositories[0] is empty; a value that begins with # has to be in quotes`,
	},
	// urls
	{
		"repositories:\n- name: a\n  url: github.com/acme/shop",
		`c:3: repositories.a.url "github.com/acme/shop": it has no scheme; did you mean ` +
			`https://github.com/acme/shop?`,
	},
	{
		"repositories:\n- name: a\n  url: shop",
		`c:3: repositories.a.url "shop": it has to begin with https://, ssh:// or git@, or be a ` +
			`path that begins with / or ./`,
	},
	{
		"repositories:\n- name: a\n  url: ftp://host/shop",
		`c:3: repositories.a.url "ftp://host/shop": it has to begin with https://, ssh:// or git@, ` +
			`or be a path that begins with / or ./`,
	},
	{
		"repositories:\n- name: a\n  url: git://host/shop",
		`c:3: repositories.a.url "git://host/shop": the git protocol is not encrypted; use https ` +
			`or ssh`,
	},
	{
		"repositories:\n- name: a\n  url: https://",
		`c:3: repositories.a.url "https://": it needs a host and a path`,
	},
	{
		"repositories:\n- name: a\n  url: https://host/",
		`c:3: repositories.a.url "https://host/": it needs a host and a path`,
	},
	{
		"repositories:\n- name: a\n  url: https://host:99999/x",
		`c:3: repositories.a.url "https://host:99999/x": "99999" is no port`,
	},
	{
		"repositories:\n- name: a\n  url: https://host:port/x",
		`c:3: repositories.a.url "https://host:port/x": it cannot be read as an address`,
	},
	{
		"repositories:\n- name: a\n  url: https://bot:s3cr3t@host/x",
		`c:3: repositories.a.url "https://xxxxx@host/x": a password does not belong in it; use ` +
			`BOBBIN_GIT_TOKEN or token_env`,
	},
	{
		"repositories:\n- name: a\n  url: https://s3cr3t@host/x",
		`c:3: repositories.a.url "https://xxxxx@host/x": a user does not belong in it; use ` +
			`BOBBIN_GIT_TOKEN or token_env`,
	},
	{
		"repositories:\n- name: a\n  url: https://host/x?a=b",
		`c:3: repositories.a.url "https://host/x?a=b": a query or fragment does not belong in it`,
	},
	{
		"repositories:\n- name: a\n  url: file://srv/x",
		`c:3: repositories.a.url "file://srv/x": a file address has three slashes and a path: ` +
			`file:///srv/git/shop.git`,
	},
	{
		"repositories:\n- name: a\n  url: ~/x",
		`c:3: repositories.a.url "~/x": ~ is not resolved; write the whole path`,
	},
	{
		"repositories:\n- name: a\n  url: \"/a\\nb\"",
		`c:3: repositories.a.url "/a\nb": it has white space where none belongs`,
	},
	// a repository's other keys
	{
		one + "watch: everything",
		`c:4: repositories.shop.watch: unknown watch "everything"; one of mention, all`,
	},
	{
		one + "watch: mentoin",
		`c:4: repositories.shop.watch: unknown watch "mentoin"; one of mention, all; did you mean ` +
			`"mention"?`,
	},
	{
		one + "watch: all",
		`c:4: repositories.shop.watch: all needs channels to watch`,
	},
	{
		one + "reactions: [bug]",
		`c:4: repositories.shop.reactions need channels in which they count`,
	},
	{
		one + "channels: [C0123]\n    reactions: [':bug:']",
		`c:5: repositories.shop.reactions[0]: reaction ":bug:": write it without the colons, bug`,
	},
	{
		one + "channels: [C0123]\n    reactions: [A bug]",
		`c:5: repositories.shop.reactions[0]: "A bug" is not the name of an emoji such as bug`,
	},
	{
		one + "watch: true",
		`c:4: repositories.shop.watch: text is expected, not true (put it in quotes if it is text)`,
	},
	{
		one + "channels: [bugs]",
		`c:4: repositories.shop.channels[0]: "bugs" is not a channel's id such as C0123ABCD, or ` +
			`its #name in quotes`,
	},
	{
		one + "channels:\n    - #bugs\n",
		`c:5: repositories.shop.channels[0] is empty; a value that begins with # has to be in ` +
			`quotes`,
	},
	{
		one + "channels: [C012, C013, C012]",
		`c:4: repositories.shop.channels[2]: "C012" is there twice; remove one`,
	},
	{
		one + "channels: C012",
		`c:4: repositories.shop.channels: a list is expected, not the text "C012"; put brackets around it`,
	},
	{
		one + "approvers: ['@ann']",
		`c:4: repositories.shop.approvers[0]: "@ann" is not the id of a person (U…) or a user ` +
			`group (S…), which Slack shows in the menu ⋮ of the person or the group: Copy member ` +
			`ID, Copy group ID`,
	},
	{
		one + "other_than_requester: yes",
		`c:4: repositories.shop.other_than_requester: true is expected, not the text "yes"`,
	},
	{
		one + "branch: 'fix/{slug}'\n    branch_pattern: ^feat/",
		`c:5: repositories.shop.branch_pattern: "^feat/" matches no name of the form "fix/{slug}"; ` +
			`change the pattern, or the template`,
	},
	{
		one + "branch_pattern: ^fix/",
		`c:4: repositories.shop.branch_pattern: "^fix/" matches no name of the form ` +
			`"bobbin/{slug}-{id}"; change the pattern, or the template`,
	},
	{
		one + "approvals: 0x",
		`c:4: repositories.shop.approvals: a whole number is expected, not the text "0x"`,
	},
	{
		one + "approvals: -1",
		`c:4: repositories.shop.approvals is -1; write how many people have to approve, from 1 to ` +
			`10, or leave it out for 1`,
	},
	{
		one + "approvals: 2\n    approvers: [U0123ABCD]",
		`c:4: repositories.shop.approvals is 2, and approvers names only 1; name more people ` +
			`there, or lower approvals`,
	},
	{
		one + "needs: [{from: [S0456EFGH]}]",
		`c:4: repositories.shop.needs[0].files is missing: a pattern of paths, such as files: ` +
			`"deploy/**"`,
	},
	{
		one + "needs: [{files: 'a[', from: [S0456EFGH]}]",
		`c:4: repositories.shop.needs[0].files "a[" is no pattern of paths within the repository; ` +
			`write one such as deploy/**`,
	},
	{
		one + "needs: [{files: a}]",
		`c:4: repositories.shop.needs[0].from is missing: the people and groups of whom somebody ` +
			`has to approve, such as from: [S0456EFGH]`,
	},
	{
		one + "needs: [{files: a, from: [ops]}]",
		`c:4: repositories.shop.needs[0].from[0]: "ops" is not the id of a person (U…) or a user ` +
			`group (S…), which Slack shows in the menu ⋮ of the person or the group: Copy member ` +
			`ID, Copy group ID`,
	},
	{
		one + "review: never",
		`c:4: repositories.shop.review: unknown review "never"; one of on, off`,
	},
	{
		one + "guests: none",
		`c:4: repositories.shop.guests: unknown guests "none"; one of all, no_code`,
	},
	{
		one + "branch_prefix: bobbin",
		`c:4: repositories.shop.branch_prefix "bobbin" has to be the beginning of a branch's name ` +
			`and end in a slash, such as bobbin/`,
	},
	{
		one + "visual: {pages: [/etc/passwd]}",
		`c:4: repositories.shop.visual.pages[0]: "/etc/passwd" has to be the path of a file within ` +
			`the repository, such as docs/index.html or out/iframe.html?id=cart`,
	},
	{
		one + "visual: {pages: [a.html, \"../b.html?x\"]}",
		`c:4: repositories.shop.visual.pages[1]: "../b.html?x" has to be the path of a file within ` +
			`the repository, such as docs/index.html or out/iframe.html?id=cart`,
	},
	{
		one + "visual: {pages: [a, b, c, d, e, f]}",
		`c:4: repositories.shop.visual.pages has 6 pages; at most 5 are shown`,
	},
	{
		one + "visual: {build: make}",
		`c:4: repositories.shop.visual.build makes pages; name those to show in visual.pages`,
	},
	{
		one + "releases: [v*, \"release/[\"]",
		`c:4: repositories.shop.releases[1]: "release/[" is no pattern of names of branches or ` +
			`tags; write one such as release/* or v*`,
	},
	{
		one + "releases: [bobbin/*]",
		`c:4: repositories.shop.releases[0]: "bobbin/*" begins with branch_prefix bobbin/, as the ` +
			`branches do that Bobbin pushes; change one of them`,
	},
	{
		one + "bases: [bobbin/*]",
		`c:4: repositories.shop.bases[0]: "bobbin/*" begins with branch_prefix bobbin/, as the ` +
			`branches do that Bobbin pushes; change one of them`,
	},
	{
		one + "branch: fix/{tiket}-{slug}",
		`c:4: repositories.shop.branch "fix/{tiket}-{slug}": there is no placeholder {tiket}; ` +
			`there are {ticket}, {slug}, {id}, {type}`,
	},
	{
		one + "branch: fix/{ticket}",
		`c:4: repositories.shop.branch "fix/{ticket}" needs {slug} or {id} in it`,
	},
	{
		one + "branch: fix//{slug}",
		`c:4: repositories.shop.branch "fix//{slug}" makes names such as ` +
			`"fix//refunds-are-too-high": git does not accept that as the name of a branch`,
	},
	{
		one + "branch_pattern: '^(fix'",
		"c:4: repositories.shop.branch_pattern \"^(fix\" is no regular expression (RE2): error " +
			"parsing regexp: missing closing ): `^(fix`",
	},
	{
		one + `title: "fix: {ticket}"`,
		`c:4: repositories.shop.title "fix: {ticket}" needs {summary} in it`,
	},
	{
		one + `title: "fix: {summary"`,
		`c:4: repositories.shop.title "fix: {summary": an opening brace has no closing one`,
	},
	{
		one + "branch_prefix: /",
		`c:4: repositories.shop.branch_prefix "/" has to be the beginning of a branch's name and ` +
			`end in a slash, such as bobbin/`,
	},
	{
		one + "branch_prefix: refs/heads/bobbin/",
		`c:4: repositories.shop.branch_prefix "refs/heads/bobbin/" has to be the beginning of a ` +
			`branch's name and end in a slash, such as bobbin/`,
	},
	{
		one + "base: bobbin/main\n    branch_prefix: bobbin/",
		`c:5: repositories.shop.branch_prefix: base "bobbin/main" begins with branch_prefix ` +
			`"bobbin/"; name another branch_prefix, so that Bobbin's branches differ from it`,
	},
	{
		one + "base: bobbin/main",
		`c:2: repositories.shop.branch_prefix: base "bobbin/main" begins with branch_prefix ` +
			`"bobbin/"; name another branch_prefix, so that Bobbin's branches differ from it`,
	},
	{
		one + "base: refs/heads/main",
		`c:4: repositories.shop.base "refs/heads/main": leave refs/heads/ out`,
	},
	{
		one + "base: my branch",
		`c:4: repositories.shop.base "my branch": a branch's name has no spaces and none of ~ ^ : ` +
			`? * [ \`,
	},
	{
		one + "base: a..b",
		`c:4: repositories.shop.base "a..b": git does not accept that as the name of a branch`,
	},
	{
		one + "scope: ../other",
		`c:4: repositories.shop.scope "../other" has to be a folder within the repository`,
	},
	{
		one + "scope: /services",
		`c:4: repositories.shop.scope "/services" has to be a folder within the repository`,
	},
	{
		one + "checks: make test",
		`c:4: repositories.shop.checks: keys and values are expected, not the text "make test"`,
	},
	{
		one + "checks: {warm: yes}",
		`c:4: repositories.shop.checks.warm: unknown warm "yes"; one of on, off`,
	},
	{
		hub + "  host: on\n  checks: {ci: green}",
		`c:5: repositories.a.checks.ci: unknown ci "green"; one of off, on, red`,
	},
	{
		one + "checks: {ci: red}",
		`c:4: repositories.shop.checks.ci is red, and CI can be asked only where host names the ` +
			`git host whose checks are read: add host: on`,
	},
	{
		one + "checks: {near: npm test}",
		`c:4: repositories.shop.checks.near "npm test" needs {files} or {packages} where the ` +
			`changed ones are to be`,
	},
	// credentials
	{
		hub + "  token_env: SHOP TOKEN",
		`c:4: repositories.a.token_env has to be the name of a variable of the environment, such ` +
			`as SHOP_TOKEN; the token itself does not belong here`,
	},
	{
		"repositories:\n- name: a\n  url: https://h/x\n  token_env: ghp_s3cr3t",
		`c:4: repositories.a.token_env has to be the name of a variable of the environment, such ` +
			`as SHOP_TOKEN; the token itself does not belong here`,
	},
	{
		"repositories:\n- name: a\n  url: https://h/x\n  token_env: DATABASE_URL",
		`c:4: repositories.a.token_env DATABASE_URL is a secret for something else`,
	},
	{
		one + "token_env: SHOP_TOKEN",
		`c:4: repositories.shop.token_env is for addresses that begin with https://`,
	},
	{
		one + "github_app: {id: 12}",
		`c:4: repositories.shop.github_app is for addresses that begin with https://`,
	},
	{
		hub + "  token_env: A\n  github_app: {id: 12}",
		`c:4: repositories.a.token_env and github_app: set only one of them`,
	},
	{
		hub + "github_app: {installation: 7}",
		`c:4: github_app.id is missing; it is on the App's page under About`,
	},
	{
		hub + "github_app:",
		`c:4: github_app.id is missing; it is on the App's page under About`,
	},
	{
		hub + "github_app: {id: my app}",
		`c:4: github_app.id: the id "my app" is no number and no client id`,
	},
	{
		hub + "github_app: {id: 12, installation: all}",
		`c:4: github_app.installation: installation "all" has to be auto or a number`,
	},
	{
		hub + "github_app: {id: 12, installation: 07}",
		`c:4: github_app.installation: installation "07" has to be auto or a number`,
	},
	{
		hub + "github_app: {id: 12, api_url: http://ghe.example.com/api/v3}",
		"c:4: github_app.api_url \"http://ghe.example.com/api/v3\": it has to begin with https://\n" +
			`c:4: github_app: no repository has an https address at the GitHub of ` +
			`http://ghe.example.com/api/v3`,
	},
	{
		hub + "github_app: {id: 12, api_url: 'https://me:s3cr3t@ghe.example.com'}",
		`c:4: github_app.api_url "https://xxxxx@ghe.example.com": a user, query or fragment does ` +
			"not belong in it\n" +
			`c:4: github_app: no repository has an https address at the GitHub of ` +
			`https://xxxxx@ghe.example.com`,
	},
	{
		hub + "github_app: {id: 12, api_url: https://ghe.example.com/api/v3}",
		`c:4: github_app: no repository has an https address at the GitHub of https://ghe.example.com/api/v3`,
	},
	{
		hub + "  github_app: {id: 12, api_url: https://ghe.example.com/api/v3}",
		`c:4: repositories.a.github_app: https://github.com/acme/shop.git is not at the GitHub of ` +
			`https://ghe.example.com/api/v3; set api_url, such as https://github.example.com/api/v3`,
	},
	{
		"repositories:\n- {name: a, url: https://github.com/acme}\ngithub_app: {id: 12}",
		`c:2: repositories.a.url "https://github.com/acme": a repository of GitHub has the address ` +
			`https://HOST/OWNER/NAME`,
	},
	{
		hub + "github_app: {id: 12, key: x}",
		`c:4: github_app: unknown key "key"; one of id, key_file, installation, api_url`,
	},
	{
		hub + "app_id: 12",
		`c:4: unknown key "app_id"; one of repositories, agents, models, limits, checks, sandbox, ` +
			`skills_dir, ` +
			`http, slack, github_app, trackers, sources, keep, people, words, transcription`,
	},
	{
		hub + "github_app: {id: 12, key_file: /no/such/key.pem}",
		`c:4: github_app.key_file /no/such/key.pem: no such file or directory`,
	},
	{
		hub + "github_app: {id: 12, key_file: /dev/zero}",
		`c:4: github_app.key_file /dev/zero: it is not a file with a key`,
	},
	{
		hub + "github_app: {id: 12, key_file: '-----BEGIN RSA PRIVATE KEY----- MIIEpAIB -----END RSA " +
			"PRIVATE KEY-----'}",
		`c:4: github_app.key_file has to be the path of a file; the key itself does not belong here`,
	},
	{
		hub + "github_app:\n  id: 12\n  key_file: |\n    MIIEpAIB\n    AKCAQEA",
		`c:6: github_app.key_file has to be the path of a file; the key itself does not belong here`,
	},
	// agents and models
	{
		plainConfig + "agents:\n  depe: {model: gpt-5}",
		`c:3: agents.depe: unknown agent "depe"; one of consultant, critic, deep, orchestrator, ` +
			`quick, visual-engineering; did you mean "deep"?`,
	},
	{
		plainConfig + "agents:\n  deep: {model: gpt-5, effort: hihg}",
		`c:3: agents.deep.effort: unknown effort "hihg"; one of none, minimal, low, medium, high, ` +
			`xhigh; did you mean "high"?`,
	},
	{
		plainConfig + "agents:\n  deep: {model: gpt 5}",
		`c:3: agents.deep.model "gpt 5" has white space in it`,
	},
	{
		plainConfig + "agents:\n  deep: {name: '[deep]'}",
		`c:3: agents.deep.name: the name "[deep]" has to be one line of at most 40 characters, ` +
			`without brackets or white space around it`,
	},
	{
		plainConfig + "agents:\n  deep: {name: ' '}",
		`c:3: agents.deep.name: the name " " has to be one line of at most 40 characters, without ` +
			`brackets or white space around it`,
	},
	{
		plainConfig + "agents:\n  deep: gpt-5",
		`c:3: agents.deep: keys and values are expected, not the text "gpt-5"`,
	},
	{
		plainConfig + "models:\n  gpt5: {input_usd_per_million: 1}",
		`c:3: models.gpt5: no agent uses it, and it is the fallback of no model; did you mean ` +
			`"gpt-5"?`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    output_usd_per_million: -1",
		`c:4: models.gpt-5.output_usd_per_million may not be below zero`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    input_usd_per_million: cheap",
		`c:4: models.gpt-5.input_usd_per_million: a number is expected, not the text "cheap"`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    fallback: [gpt-5]",
		`c:4: models.gpt-5.fallback: "gpt-5" is its own fallback`,
	},
	{
		plainConfig + "models:\n  gpt-5: {fallback: [a.b]}\n  a.b: {fallback: [gpt-5]}",
		"c:3: models.gpt-5.fallback: \"gpt-5\" is its own fallback\n" +
			`c:4: models.a.b.fallback: "a.b" is its own fallback`,
	},
	{
		one + "code_url: 'javascript:{commit}{path}'",
		`c:4: repositories.shop.code_url has to begin with https:// or http://`,
	},
	{
		one + "code_url: 'https://x.example/{path}'",
		`c:4: repositories.shop.code_url has no {commit} in it: it is the address of a line of ` +
			`code, with {commit}, {path} and {line}`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    context_tokens: 400",
		`c:4: models.gpt-5.context_tokens has to be 8000 or more: no model that can use tools ` +
			`reads less`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    vision: sometimes",
		`c:4: models.gpt-5.vision: true or false is expected, not the text "sometimes"`,
	},
	{
		plainConfig + "models:\n  gpt-5: {fallback: ['']}",
		`c:3: models.gpt-5.fallback[0] "" is not the name of a model`,
	},
	// words
	{
		plainConfig + "words:\n  stop: [finito]\n  hold:\n    - moment mal\n    - x",
		`c:6: words.hold[1]: "x" is too short: a phrase has 2 to 60 characters`,
	},
	{plainConfig + "words: {stop: finito}", `c:2: words.stop: a list is expected, not the text "finito"; ` +
		`put brackets around it`},
	{
		plainConfig + "words: {halt: [finito]}",
		`c:2: words: unknown key "halt"; did you mean "hold"?`,
	},
	// limits
	{
		plainConfig + "limits:\n  session_usd: -5",
		`c:3: limits.session_usd may not be below zero`,
	},
	{
		plainConfig + "limits:\n  session_minutes: -1",
		`c:3: limits.session_minutes may not be below zero`,
	},
	{
		plainConfig + "limits:\n  session_usd: .nan",
		`c:3: limits.session_usd: a number is expected, not the number .nan`,
	},
	{
		plainConfig + "limits:\n  day_usd: .inf",
		`c:3: limits.day_usd: a number is expected, not the number .inf`,
	},
	{
		plainConfig + "limits:\n  session_minutes: 1.5",
		`c:3: limits.session_minutes: a whole number is expected, not the number 1.5`,
	},
	{
		plainConfig + "limits:\n  sessions_at_once: 99999999999999999999",
		`c:3: limits.sessions_at_once: a whole number is expected, not the text "99999999999999999999"`,
	},
	{
		plainConfig + "limits:\n  sessions_at_once: '8'",
		`c:3: limits.sessions_at_once: a whole number is expected, not the text "8"`,
	},
	{
		plainConfig + "limits:\n  attempts_before_consulting: -2",
		`c:3: limits.attempts_before_consulting may not be below zero`,
	},
	{
		plainConfig + "limits:\n  sessions_at_once: 100000",
		`c:3: limits.sessions_at_once may not be more than 1000`,
	},
	{
		plainConfig + "limits:\n  session_minutes: 99999999",
		`c:3: limits.session_minutes may not be more than 10080`,
	},
	{
		plainConfig + "models:\n  gpt-5:\n    input_usd_per_million: 1250000",
		`c:4: models.gpt-5.input_usd_per_million may not be more than 100000`,
	},
	{
		plainConfig + "limits: {session_usd: 10, day_usd: 5}",
		`c:2: limits.session_usd is more than day_usd`,
	},
	{
		plainConfig + "limits: {session_usd: 10, person_day_usd: 5}",
		`c:2: limits.session_usd is more than person_day_usd`,
	},
	{
		plainConfig + "limits:\n  session_usd: 10\n  channel_day_usd: 5",
		`c:3: limits.session_usd is more than channel_day_usd`,
	},
	{
		plainConfig + "limits: {channel_day_usd: 10, day_usd: 5}",
		`c:2: limits.channel_day_usd is more than day_usd`,
	},
	{
		plainConfig + "limits:\n  day_usd: 5\n  person_day_usd: 6",
		`c:4: limits.person_day_usd is more than day_usd`,
	},
	{
		plainConfig + "limits: {session_tokens: 10, person_day_tokens: 5}",
		`c:2: limits.session_tokens is more than person_day_tokens`,
	},
	{
		"repositories: [{name: shop, url: /srv/shop.git, private: true}]",
		`c:1: repositories.shop.private: true needs channels: only threads in them could be about ` +
			`the repository; if you mean that its git host shows it to few, write visibility: private`,
	},
	{
		plainConfig + "limits: {channel_day_commands: 10, day_commands: 5}",
		`c:2: limits.channel_day_commands is more than day_commands`,
	},
	{
		plainConfig + "limits: {session_disk_mb: 10, person_day_disk_mb: 5}",
		`c:2: limits.session_disk_mb is more than person_day_disk_mb`,
	},
	{
		plainConfig + "limits: {channel_day_minutes: 10, day_minutes: 5}",
		`c:2: limits.channel_day_minutes is more than day_minutes`,
	},
	{
		plainConfig + "limits: {day_minutes: 2000000}",
		`c:2: limits.day_minutes may not be more than 1440000`,
	},
	{
		plainConfig + "limits: {session_disk_mb: -1}",
		`c:2: limits.session_disk_mb may not be below zero`,
	},
	{
		plainConfig + "limits: {session_output_mb: 1.5}",
		`c:2: limits.session_output_mb: a whole number is expected, not the number 1.5`,
	},
	{
		plainConfig + "limits: {session_tokens: 1e12}",
		`c:2: limits.session_tokens: a whole number is expected, not the text "1e12"`,
	},
	{
		plainConfig + "limits: {session_tokens: -1}",
		`c:2: limits.session_tokens may not be below zero`,
	},
	{
		plainConfig + "limits: {session_commands: many}",
		`c:2: limits.session_commands: a whole number is expected, not the text "many"`,
	},
	{
		plainConfig + "limits: {person_day_usd: 2000000}",
		`c:2: limits.person_day_usd may not be more than 1000000`,
	},
	{
		plainConfig + "limits:\n  session: {usd: -5}",
		`c:3: limits.session.usd may not be below zero`,
	},
	{
		plainConfig + "limits:\n  session: {usd: 10}\n  all_day: {usd: 5}",
		`c:3: limits.session.usd is more than all_day.usd`,
	},
	{
		plainConfig + "limits:\n  session_usd: 10\n  all_day: {usd: 5}",
		`c:3: limits.session_usd is more than all_day.usd`,
	},
	{
		plainConfig + "limits:\n  session: {usd: 10}\n  session_usd: 5",
		`c:4: limits.session_usd is the old name of limits.session.usd, and both are there; ` +
			`keep limits.session.usd`,
	},
	{
		plainConfig + "limits:\n  day_disk_mb: 10\n  all_day: {disk: 10}",
		`c:4: limits.day_disk_mb is the old name of limits.all_day.disk, and both are there; ` +
			`keep limits.all_day.disk`,
	},
	{
		plainConfig + "limits: {session: {euros: 5}}",
		`c:2: limits.session: unknown key "euros"; one of usd, tokens, minutes, commands, output, ` +
			`disk`,
	},
	{
		plainConfig + "limits: {usd: 5}",
		`c:2: limits: unknown key "usd"; it belongs to session, person_day, channel_day and ` +
			`all_day of limits`,
	},
	{
		plainConfig + "limits: {session: 5}",
		`c:2: limits.session: keys and values are expected, not the number 5`,
	},
	{
		plainConfig + "limits: {session: {tokens: 2m}}",
		`c:2: limits.session.tokens: a whole number is expected, not the text "2m"`,
	},
	{
		plainConfig + "limits: {session: {tokens: 0.0001k}}",
		`c:2: limits.session.tokens: a whole number is expected, not the text "0.0001k"`,
	},
	{
		plainConfig + "limits: {session: {output: 2 TB}}",
		`c:2: limits.session.output: a whole number is expected, not the text "2 TB"`,
	},
	{
		plainConfig + "limits: {session: {minutes: 2M}}",
		`c:2: limits.session.minutes: a whole number is expected, not the text "2M"`,
	},
	{
		plainConfig + "limits: {session: {tokens: 2G}}",
		`c:2: limits.session.tokens may not be more than 1000000000`,
	},
	{
		plainConfig + "limits: {session: {commands: 2000000000}}",
		`c:2: limits.session.commands may not be more than 1000000000`,
	},
	{
		plainConfig + "limits: {all_day: {tokens: 2000G}}",
		`c:2: limits.all_day.tokens may not be more than 1000000000000`,
	},
	{
		plainConfig + "limits: {all_day: {minutes: 2000000}}",
		`c:2: limits.all_day.minutes may not be more than 1440000`,
	},
	// the rest
	{
		plainConfig + "sandbox: {kind: bubblewarp}",
		`c:2: sandbox.kind: unknown sandbox kind "bubblewarp"; one of auto, bubblewrap, ` +
			`namespaces, gvisor, docker, none; did you mean "bubblewrap"?`,
	},
	{
		plainConfig + "sandbox: {kind: docker}",
		`c:2: sandbox.kind: the sandbox kind docker needs an image, such as image: golang:1.26, ` +
			`that the engine has`,
	},
	{
		plainConfig + "sandbox: {kind: docker, image: '--privileged'}",
		`c:2: sandbox.image "--privileged": a name is expected`,
	},
	{
		plainConfig + "sandbox: {kind: docker, image: go, engine: bin/podman}",
		`c:2: sandbox.engine: there is no program bin/podman`,
	},
	{
		plainConfig + "sandbox: {kind: gvisor, runsc: /no/such/runsc}",
		`c:2: sandbox.runsc: there is no program /no/such/runsc`,
	},
	{plainConfig + "sandbox: {kind: gvisor, image: go}", `c:2: sandbox.image is for the kind docker only`},
	{plainConfig + "sandbox:\n  runsc: runsc", `c:3: sandbox.runsc is for the kind gvisor only`},
	{
		plainConfig + "sandbox: {env: {A=B: x}}",
		`c:2: sandbox.env "A=B": a name has letters, digits and underscores`,
	},
	{plainConfig + "sandbox: none", `c:2: sandbox: keys and values are expected, not the text "none"`},
	{plainConfig + "skills_dir: /no/such/folder", `c:2: skills_dir: there is no folder /no/such/folder`},
	{plainConfig + "http: {addr: 8080}", `c:2: http.addr: text is expected, not the number 8080`},
	{
		plainConfig + "http: {addr: localhost}",
		`c:2: http.addr "localhost": it has to be host:port, such as 127.0.0.1:8080`,
	},
	{plainConfig + "http: {addr: 'localhost:'}", `c:2: http.addr "localhost:": the port is missing`},
	{plainConfig + "http: {addr: 'localhost:70000'}", `c:2: http.addr "localhost:70000": "70000" is no port`},
	// YAML itself
	{"just text", `c:1: the file: keys and values are expected, not the text "just text"`},
	{"- a", `c:1: the file: keys and values are expected, not a list`},
	{plainConfig + "---\nlimits: {}", `c:3: one document is expected, and another begins here`},
	{plainConfig + "limits: &l {session_usd: 1}", `c:2: limits: anchors, aliases and tags are not read here`},
	{plainConfig + "limits: *l", `c:2: limits: anchors, aliases and tags are not read here`},
	{
		plainConfig + "skills_dir: !!binary aGk=",
		`c:2: skills_dir: anchors, aliases and tags are not read here`,
	},
	{plainConfig + "\tlimits: {}", `c:2: there is a tab where spaces are needed`},
	{plainConfig + "limits: {session_usd: 1", `c:2: could not find flow mapping end token '}'`},
	{plainConfig + "\xff\xfe", `c:2: this is not UTF-8 text`},
	{"\xff\xfer\x00e\x00p\x00", `c:1: this is not UTF-8 text`},
	{
		plainConfig + "limits:\n  day_usd: 1\x00",
		`c:3: the control character U+0000 does not belong in a configuration`,
	},
	{plainConfig + "\x1b[31m: 5", `c:2: the control character U+001B does not belong in a configuration`},
	{strings.Repeat("#", strictyaml.MaxConfig+1), `c: a configuration has at most 256 KiB`},
	{strings.Repeat("[", 200000), `c:1: brackets or dashes are nested more than 50 deep`},
	{strings.Repeat("- ", 1000), `c:1: brackets or dashes are nested more than 50 deep`},
	{
		plainConfig + `sources:
  - {name: Lo-ki, url: "https://u:s3cr3t@x", token_env: "s3cr3t", tools: [a, a], allow: [b], calls: -1, bytes: 1 MB}
  - {url: "https://x", command: [x], tools: [a], repositories: [shp]}
  - {name: m, command: [x], env: {A_TOKEN: s3cr3t}, env_from: [SLACK_BOT_TOKEN]}
`,
		"c:3: sources.Lo-ki.allow[0] names \"b\", which is not among tools; did you mean \"a\"?\n" +
			"c:3: sources.Lo-ki.bytes has to be between 1 and 150 KB\n" +
			"c:3: sources.Lo-ki.calls has to be between 1 and 10000\n" +
			`c:3: sources.Lo-ki.name: the name "Lo-ki" has to be at most 20 lower-case letters and ` +
			"digits, since agents see its tools as source_NAME_TOOL\n" +
			`c:3: sources.Lo-ki.token_env has to be the name of a variable of the environment, such as ` +
			"LOKI_TOKEN; the token itself does not belong here\n" +
			"c:3: sources.Lo-ki.tools[1]: \"a\" is there twice; remove one\n" +
			`c:3: sources.Lo-ki.url https://xxxxx@x has a user or password in it; name a variable with ` +
			"token_env\n" +
			"c:4: sources[1].command: a source has a url or a command, not both\n" +
			"c:4: sources[1].name is missing: lower-case letters and digits, such as name: loki\n" +
			"c:4: sources[1].repositories[0]: there is no repository \"shp\"; did you mean \"shop\"?\n" +
			`c:5: sources.m.env.A_TOKEN: env A_TOKEN looks like a secret: put it into a variable, and ` +
			"name that under env_from\n" +
			"c:5: sources.m.env_from[0] SLACK_BOT_TOKEN is a secret for something else\n" +
			`c:5: sources.m.tools names the tools that may be called; bobbin doctor lists what a ` +
			`server offers`,
	},
	{
		plainConfig + `trackers:
  - {kind: jria, url: "https://x", projects: [SHOP]}
  - {kind: jira, url: "ftp://x", projects: [shop]}
  - {kind: linear, url: "https://x", token_env: K, user: me, projects: [SHOP, WEB]}
  - {kind: jira, url: "https://y", token_env: K, projects: [WEB]}
  - {kind: github, url: "https://x", api_url: x}
`,
		`c:3: trackers[0].kind: unknown kind of a tracker "jria"; one of jira, linear, sentry, ` +
			"github, gitlab; did you mean \"jira\"?\n" +
			"c:4: trackers[1].projects[0]: \"shop\" is not the key of a project, such as SHOP\n" +
			"c:4: trackers[1].token_env is missing: the name of the variable with the token\n" +
			"c:4: trackers[1].url has to begin with https:// or http:// and a host\n" +
			"c:5: trackers[2].user is for Jira Cloud only; remove it\n" +
			`c:6: trackers[3].projects[0]: "WEB" is a project of linear, too, and its keys would name ` +
			"two issues; remove one\n" +
			"c:7: trackers[4].api_url has to begin with https:// or http://\n" +
			`c:7: trackers[4].projects is missing: what may be read, each the path of a repository, ` +
			`such as acme/shop`,
	},
	{
		plainConfig + `trackers:
  - {kind: jira, url: "https://x", token_env: K, projects: [SHOP], file_in: WEB}
  - {kind: sentry, url: "https://x", token_env: K, projects: [shop], file_in: shop}
  - {kind: linear, url: "https://x", token_env: K, projects: [WEB], issue_type: Bug}
  - {kind: github, url: "https://x", projects: [acme/shop], comment: true}
  - {kind: linear, url: "https://y", token_env: K, projects: [APP], file_in: APP, comments: true}
`,
		`c:3: trackers[0].file_in: "WEB" is not among projects (SHOP); add it there, or name one ` +
			"of them\n" +
			`c:4: trackers[1].file_in is for jira, linear, github, gitlab: issues cannot be filed in ` +
			"sentry; remove it\n" +
			"c:5: trackers[2].issue_type is for Jira with file_in; remove it, or add file_in\n" +
			`c:6: trackers[3].token_env is missing: file_in and comment write to the tracker, which ` +
			"needs the name of the variable with a token\n" +
			`c:7: trackers[4].file_in: issues of the same repositories are filed in WEB of jira ` +
			"already; give each of these trackers its own repositories, or remove one file_in\n" +
			`c:7: trackers[4]: unknown key "comments"; did you mean "comment"?`,
	},
	// several at once, in the order of the file
	{
		"repositories:\n  - name: shop\n    url: nowhere\n    watch: al\nlimits:\n  day_usd: -1\n" +
			"sandbox: {kind: x}\nhtpp: {}",
		`c:3: repositories.shop.url "nowhere": it has to begin with https://, ssh:// or git@, or ` +
			"be a path that begins with / or ./\n" +
			"c:4: repositories.shop.watch: unknown watch \"al\"; one of mention, all; did you mean " +
			"\"all\"?\n" +
			"c:6: limits.day_usd may not be below zero\n" +
			`c:7: sandbox.kind: unknown sandbox kind "x"; one of auto, bubblewrap, namespaces, gvisor, ` +
			"docker, none\n" +
			`c:8: unknown key "htpp"; did you mean "http"?`,
	},
}

func TestBadConfigsAreSaidWithTheirLines(t *testing.T) {
	t.Parallel()
	for i, c := range badConfigs {
		t.Run(fmt.Sprintf("%d %.40q", i, c.text), func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig("c", []byte(c.text))
			require.EqualError(t, err, c.want)
			var usage cli.UsageError
			require.ErrorAs(t, err, &usage)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

func TestUnreadableConfigs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "the configuration cannot be read: no such file or directory; " +
			"bobbin init writes one",
		dir: "the configuration cannot be read: is a directory; a container makes such a folder if the " +
			"file that it mounts is not there; remove it, and bobbin init writes the file",
		filepath.Join(dir, "none", "a.y"): "the configuration cannot be read: no such file or directory; " +
			"bobbin init writes one",
	} {
		_, err := Load(name)
		require.EqualError(t, err, name+": "+want)
	}
	// Root may read every file, so the cure is asked for alone.
	require.Equal(t, fmt.Sprintf("let user id %d read it: this program runs as that user", os.Geteuid()),
		Cure(cli.UsageError{Err: syscall.EACCES}))
	_, err := Load(saveConfig(t, "repositories: []\n"))
	require.Error(t, err)
	require.Empty(t, Cure(err), "the file is there, and a line in it is wrong")
}

// readmeBlock returns the indented block of the README that begins with this line, without its indentation.
func readmeBlock(t *testing.T, first string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "README.md"))
	require.NoError(t, err)
	before, block, found := strings.Cut(string(text), first+"\n")
	require.True(t, found, first)
	indent := before[strings.LastIndexByte(before, '\n')+1:]
	block, _, _ = strings.Cut(block, "\n\n")
	for line := range strings.SplitSeq(first+"\n"+block, "\n") {
		lines = append(lines, strings.TrimPrefix(line, indent))
	}
	return lines
}

// TestQuickStartOfTheReadme checks that the configuration in the README is accepted and says what the text
// around it says, and that its commands are on lines of their own.
func TestQuickStartOfTheReadme(t *testing.T) {
	t.Parallel()
	lines := readmeBlock(t, "repositories:")
	read := func(lines []string, joinedBy string) (Config, error) {
		return parseConfig("README.md", []byte(strings.Join(lines, joinedBy)+"\n"))
	}
	c, err := read(lines, "\n")
	require.NoError(t, err)
	require.Len(t, c.Repositories, 1)
	r := c.Repositories[0]
	require.Equal(t, []string{"shop", "https://github.com/acme/shop.git", "main", "C0123ABCD"},
		append([]string{r.Name, r.URL, r.Base}, r.Channels...))
	for i, lost := range lines {
		other, err := read(slices.Delete(slices.Clone(lines), i, i+1), "\n")
		require.False(t, err == nil && reflect.DeepEqual(c, other), "the control: without %q", lost)
	}
	_, err = read(lines, " ")
	require.Error(t, err, "the control: all on one line")

	commands := readmeBlock(t, "export SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-… OPENAI_API_KEY=…")
	require.Equal(t, []string{
		"bobbin doctor --config bobbin.yaml", "bobbin serve --config bobbin.yaml",
	}, commands[1:])
}

// FuzzConfig checks that any text gives a configuration or an error whose lines name the file, and never a
// panic.
func FuzzConfig(f *testing.F) {
	f.Add(wholeConfig)
	for _, c := range badConfigs {
		if len(c.text) < 1000 {
			f.Add(c.text)
		}
	}
	f.Add(strings.Repeat("[", 200))
	f.Add("a: &a [*a, *a]\n<<: *a\n? {b: c}\n: d\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := parseConfig("c", []byte(text))
		if err == nil {
			return
		}
		for line := range strings.Lines(err.Error()) {
			require.Regexp(t, `^c(:\d+)?: \S`, line)
		}
	})
}

// TestWhatIsServedNeedsAnAddress checks that pages and webhooks need an address, which the file
// or the environment may give.
func TestWhatIsServedNeedsAnAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		plainConfig: "",
		plainConfig +
			"http: {url: 'https://bobbin.example.com'}": "http.url needs http.addr or BOBBIN_HTTP_ADDR, " +
			"where the pages are served",
		"repositories: [{name: shop, url: 'https://github.com/acme/shop.git', host: {webhook_secret_env: " +
			"HOOK_SECRET}}]\n": `webhook_secret_env of repository "shop" needs http.addr or ` +
			`BOBBIN_HTTP_ADDR, where webhooks arrive`,
	} {
		c, err := parseConfig("c", []byte(text))
		require.NoError(t, err)
		require.NoError(t, c.CheckServed("127.0.0.1:8080"))
		if want == "" {
			require.NoError(t, c.CheckServed(""))
			continue
		}
		require.EqualError(t, c.CheckServed(""), want)
		c.HTTP.Addr = "127.0.0.1:8080"
		require.NoError(t, c.CheckServed(""))
	}
}
