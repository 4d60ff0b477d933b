package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const module = "github.com/bobbinhq/bobbin"

// maxLines is the most lines that a function may have; the median is about a tenth of it.
const maxLines = 100

// doors lists the packages that others may import. All other packages are behind one of them, in a folder
// "internal" below it, so the compiler keeps them there. The row of a door lists the doors that it, and what
// is behind it, may import. Add a door when its job fits in a sentence and no other package does it.
var doors = map[string][]string{
	"bot":         {"workflow", "workflow/intent", "workflow/plaintext"},
	"bot/bottest": {"bot", "bot/slacktest", "deploy", "workflow"},
	"bot/examine": {"bot", "bot/people", "workflow"},
	"bot/gateway": {"bot", "workflow", "workflow/intent"},
	"bot/page": {
		"bot", "bot/pagestyle", "workflow", "workflow/home", "workflow/plaintext", "workflow/redact",
		"workflow/store", "workflow/store/progress", "workflow/store/view",
	},
	"bot/pagestyle": {},
	"bot/people":    {"bot", "workflow", "workflow/lazyregexp"},
	"bot/poster":    {"bot", "workflow"},
	"bot/slacktest": {},
	"cmd/bobbin": {
		"bot", "bot/examine", "bot/gateway", "bot/page", "bot/pagestyle", "bot/people", "bot/poster",
		"bot/slacktest", "deploy", "repo/build", "repo/build/environment", "repo/build/packages",
		"repo/build/project",
		"repo/build/proxy", "repo/build/result", "repo/disk", "repo/git", "repo/git/remote",
		"repo/git/remotetest", "repo/git/repotest", "repo/git/signing", "repo/host",
		"repo/host/githubapp", "repo/postgres",
		"repo/postgres/postgrestest", "repo/sandbox", "repo/screenshot", "repo/source",
		"repo/source/sourcetest",
		"repo/tracker", "repo/tracker/trackertest",
		"workflow",
		"workflow/agent", "workflow/home", "workflow/intent", "workflow/lazyregexp", "workflow/metrics",
		"workflow/model",
		"workflow/model/modeltest", "workflow/plaintext", "workflow/pullrequests", "workflow/redact",
		"workflow/repository", "workflow/skill", "workflow/store", "workflow/store/backports",
		"workflow/store/backup", "workflow/store/consent", "workflow/store/database", "workflow/store/inbox",
		"workflow/store/lessons", "workflow/store/outbox", "workflow/store/pullrequest",
		"workflow/store/queue", "workflow/store/retention", "workflow/store/storetest",
		"workflow/store/ticket",
		"workflow/store/view", "workflow/tickets", "workflow/tool/workfile", "workflow/tracing",
		"workflow/trial",
		"workflow/turn",
	},
	"deploy":     {},
	"migrations": {},
	"repo/build": {
		"repo/build/environment", "repo/build/packages", "repo/build/project", "repo/build/result",
		"repo/disk", "repo/git",
		"repo/sandbox", "workflow/plaintext",
	},
	"repo/build/environment": {"repo/disk", "repo/sandbox"},
	"repo/build/npmtest":     {},
	"repo/build/packages": {
		"repo/build/proxy", "repo/disk", "repo/git", "repo/git/remote", "repo/sandbox", "workflow/plaintext",
	},
	"repo/build/packages/packagestest": {},
	"repo/build/project":               {},
	"repo/build/proxy":                 {"repo/git/remote"},
	"repo/build/result":                {"repo/build/project", "workflow/plaintext"},
	"repo/design":                      {"workflow/plaintext"},
	"repo/disk":                        {},
	"repo/git": {
		"repo/disk", "repo/git/diff", "repo/git/remote", "workflow/plaintext",
	},
	"repo/git/diff":                  {},
	"repo/git/owners":                {},
	"repo/git/remote":                {"workflow/plaintext"},
	"repo/git/remotetest":            {"repo/git/remote"},
	"repo/git/signing":               {},
	"repo/git/repotest":              {"repo/disk", "repo/git", "repo/git/remote", "repo/sandbox"},
	"repo/host":                      {"repo/git/remote", "workflow/plaintext"},
	"repo/host/githubapp":            {"repo/git/remote"},
	"repo/host/githubapp/githubtest": {},
	"repo/host/hosttest":             {},
	"repo/postgres":                  {"repo/disk"},
	"repo/postgres/postgrestest":     {"repo/postgres"},
	"repo/proof": {
		"repo/build", "repo/build/packages", "repo/build/project", "repo/build/result", "repo/disk",
		"repo/git", "repo/git/diff", "workflow/plaintext",
	},
	"repo/proof/hunktrial": {
		"repo/build", "repo/build/project", "repo/build/result", "repo/git", "repo/git/diff", "repo/proof",
	},
	"repo/proof/past": {
		"repo/build", "repo/build/packages", "repo/build/project", "repo/build/result", "repo/git",
		"repo/git/diff", "repo/proof",
	},
	"repo/proof/testtrial": {
		"repo/build", "repo/build/project", "repo/build/result", "repo/disk", "repo/git", "repo/git/diff",
		"repo/proof",
	},
	"repo/sandbox":             {},
	"repo/screenshot":          {"repo/sandbox"},
	"repo/source":              {"workflow/plaintext"},
	"repo/source/sourcetest":   {},
	"repo/tracker":             {"workflow/plaintext"},
	"repo/tracker/trackertest": {},
	"workflow":                 {"workflow/plaintext"},
	"workflow/agent":           {"workflow", "workflow/model"},
	"workflow/failpoint":       {},
	"workflow/home": {
		"workflow", "workflow/plaintext", "workflow/redact", "workflow/repository", "workflow/store",
		"workflow/store/lessons", "workflow/store/view",
	},
	"workflow/intent":          {"workflow", "workflow/lazyregexp", "workflow/plaintext"},
	"workflow/lazyregexp":      {},
	"workflow/metrics":         {"workflow/model"},
	"workflow/model":           {"workflow/plaintext"},
	"workflow/model/modeltest": {"workflow/plaintext"},
	"workflow/plaintext":       {},
	"workflow/pullrequests": {
		"repo/disk", "repo/git", "repo/git/remote", "repo/host", "workflow", "workflow/plaintext",
		"workflow/redact", "workflow/repository", "workflow/store", "workflow/store/ciproof",
		"workflow/store/merges", "workflow/store/pullrequest",
	},
	"workflow/redact": {},
	"workflow/repository": {
		"repo/build/environment", "repo/build/packages", "repo/build/project", "repo/git/remote",
		"repo/host", "repo/tracker", "workflow", "workflow/plaintext",
	},
	"workflow/skill": {"workflow/plaintext"},
	"workflow/store": {
		"workflow", "workflow/store/consent", "workflow/store/database", "workflow/store/inbox",
		"workflow/store/progress", "workflow/store/queue",
	},
	"workflow/store/backup": {"workflow/store/database"},
	"workflow/store/backports": {
		"workflow/store", "workflow/store/consent", "workflow/store/database",
		"workflow/store/pullrequest", "workflow/store/queue",
	},
	"workflow/store/ciproof": {
		"workflow/store", "workflow/store/consent", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/merges":   {"workflow/store", "workflow/store/consent", "workflow/store/queue"},
	"workflow/store/consent":  {"workflow", "workflow/store/database"},
	"workflow/store/database": {"migrations", "workflow/tracing"},
	"workflow/store/inbox": {
		"workflow", "workflow/intent", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/lessons": {"workflow", "workflow/store/consent", "workflow/store/database"},
	"workflow/store/outbox":  {"workflow", "workflow/store/database", "workflow/store/queue"},
	"workflow/store/progress": {
		"workflow", "workflow/plaintext", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/pullrequest": {
		"workflow", "workflow/store", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/queue":     {"workflow", "workflow/store/database", "workflow/tracing"},
	"workflow/store/retention": {"workflow/store/database"},
	"workflow/store/storetest": {
		"migrations", "repo/postgres/postgrestest", "workflow", "workflow/store", "workflow/store/consent",
		"workflow/store/inbox", "workflow/store/outbox",
	},
	"workflow/store/ticket": {
		"workflow/store", "workflow/store/consent", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/view": {
		"workflow", "workflow/metrics", "workflow/store", "workflow/store/database",
		"workflow/store/queue",
	},
	"workflow/tickets": {
		"repo/git/remote", "repo/host", "repo/tracker", "workflow", "workflow/failpoint",
		"workflow/plaintext", "workflow/redact", "workflow/repository", "workflow/store",
		"workflow/store/consent", "workflow/store/pullrequest", "workflow/store/ticket",
	},
	"workflow/tool": {
		"repo/build", "repo/build/project", "repo/build/result", "repo/disk", "repo/git", "repo/git/diff",
		"repo/host", "repo/proof", "repo/sandbox", "workflow/model", "workflow/plaintext",
		"workflow/skill", "workflow/tool/workfile",
	},
	"workflow/tool/workfile": {
		"repo/disk", "repo/git", "workflow/model", "workflow/plaintext", "workflow/redact",
	},
	"workflow/tracing": {},
	"workflow/trial": {
		"repo/build", "repo/build/environment", "repo/build/packages", "repo/build/project",
		"repo/build/result", "repo/git", "repo/git/remote", "repo/sandbox", "workflow/plaintext",
		"workflow/repository",
	},
	"workflow/turn": {
		"repo/build", "repo/build/environment", "repo/build/packages", "repo/build/project",
		"repo/build/proxy", "repo/build/result", "repo/design", "repo/disk", "repo/git", "repo/git/diff",
		"repo/git/owners", "repo/git/remote", "repo/host", "repo/proof", "repo/proof/hunktrial",
		"repo/proof/past", "repo/proof/testtrial", "repo/sandbox", "repo/screenshot", "repo/source",
		"repo/tracker", "workflow", "workflow/agent", "workflow/intent", "workflow/lazyregexp",
		"workflow/metrics", "workflow/model",
		"workflow/plaintext", "workflow/redact", "workflow/repository", "workflow/skill", "workflow/store",
		"workflow/store/backports", "workflow/store/ciproof", "workflow/store/consent",
		"workflow/store/database", "workflow/store/inbox", "workflow/store/lessons",
		"workflow/store/merges", "workflow/store/progress",
		"workflow/store/pullrequest", "workflow/store/queue", "workflow/store/storetest",
		"workflow/store/ticket",
		"workflow/store/view", "workflow/tool", "workflow/tool/workfile", "workflow/tracing",
	},
	"workflow/turn/turntest": {
		"bot", "bot/people", "bot/poster", "bot/slacktest", "repo/build", "repo/git/remote",
		"repo/git/repotest", "workflow", "workflow/agent", "workflow/model", "workflow/model/modeltest",
		"workflow/repository", "workflow/store/inbox", "workflow/store/outbox", "workflow/store/storetest",
		"workflow/turn",
	},
}

// inTests lists the doors that the tests of a door, and of what is behind it, may
// import besides those in doors.
var inTests = map[string][]string{
	"bot":                      {"bot/gateway", "bot/poster"},
	"bot/gateway":              {"bot/poster"},
	"bot/people":               {"bot/poster"},
	"bot/poster":               {"bot/gateway", "bot/people"},
	"cmd/bobbin":               {"migrations", "workflow/tool"},
	"repo/build/packages":      {"repo/git/remote"},
	"repo/git":                 {"repo/git/signing"},
	"repo/host":                {"repo/git", "repo/git/signing"},
	"repo/host/githubapp":      {"repo/git"},
	"repo/proof":               {"repo/git/remote"},
	"repo/source":              {"repo/source/sourcetest"},
	"workflow/model/modeltest": {"workflow/model"},
	"workflow/pullrequests": {
		"repo/git/remotetest", "workflow/store/backports", "workflow/store/consent",
	},
	"workflow/store": {
		"workflow/store/backports", "workflow/store/ciproof", "workflow/store/lessons",
		"workflow/store/merges", "workflow/store/outbox", "workflow/store/pullrequest",
		"workflow/store/ticket", "workflow/store/view",
	},
	"workflow/store/backup": {"repo/postgres/postgrestest", "workflow/store", "workflow/store/storetest"},
	"workflow/store/consent": {
		"workflow/store", "workflow/store/inbox", "workflow/store/merges", "workflow/store/outbox",
		"workflow/store/ticket",
	},
	"workflow/store/database":  {"workflow/store"},
	"workflow/store/inbox":     {"workflow/store", "workflow/store/consent", "workflow/store/outbox"},
	"workflow/store/lessons":   {"workflow/store", "workflow/store/progress"},
	"workflow/store/outbox":    {"workflow/store", "workflow/store/progress"},
	"workflow/store/progress":  {"workflow/store", "workflow/store/consent", "workflow/store/inbox"},
	"workflow/store/retention": {"workflow", "workflow/store"},
	"workflow/store/view":      {"workflow/store/inbox", "workflow/store/progress"},
	"workflow/tool":            {"repo/git/remote"},
	"workflow/turn": {
		"bot", "bot/people", "bot/poster", "workflow/home", "workflow/store/outbox",
	},
	"workflow/turn/turntest": {
		"repo/host", "repo/source", "repo/source/sourcetest", "repo/tracker", "workflow/redact",
	},
}

// support lists the packages for tests and for the demo. What is below one belongs to it.
var support = []string{
	"bot/bottest",
	"bot/slacktest",
	"cmd/bobbin/internal/composetest",
	"repo/build/npmtest",
	"repo/build/packages/packagestest",
	"repo/git/remotetest",
	"repo/git/repotest",
	"repo/host/githubapp/githubtest",
	"repo/host/hosttest",
	"repo/tracker/trackertest",
	"repo/postgres/postgrestest",
	"repo/sandbox/internal/user/usertest",
	"workflow/model/modeltest",
	"workflow/store/storetest",
	"workflow/turn/internal/ledgertest",
	"workflow/turn/turntest",
}

// shared lists packages behind a door that other doors of the same wing may import without importing the door
// itself, because the door imports them. Behind every other door a package is for that door, and for those in
// whose row the door is.
var shared = map[string][]string{
	"repo/git/internal/gittree": {"repo/git/diff", "repo/git/remote"},
	"repo/git/internal/history": {"repo/git/owners"},
	"repo/git/internal/objects": {"repo/git/diff"},
	"workflow/store/internal/record": {
		"workflow/store/consent", "workflow/store/inbox", "workflow/store/lessons", "workflow/store/progress",
	},
}

// floors lists, for a wing with many packages behind its door, the folders below its folder internal, from
// the bottom up. What is in a folder may import what is in the same folder and in those of the lines before
// its own: neither the other folders of its line, nor those of later lines, nor the door.
var floors = map[string][][]string{
	"cmd/bobbin": {
		{"address", "cli", "secrets"},
		{"completion", "health", "sessions", "storage", "strictyaml", "traces"},
		{"config"},
		{"housekeeping", "operate", "schema"},
		{"server"},
		{"doctor", "stage"},
		{"eval", "initcmd", "playground", "try"},
		{"harness"},
		{"composetest", "faults"},
	},
	"workflow/turn": {
		{"record"},
		{"judge", "workspace"},
		{"agents", "background"},
		{"delivery"},
		{"tasks", "ledgertest"},
	},
}

// libraryOwners lists, for a library, the only packages that may import it: libraries that change often or
// are a risk stay in one place. A package below one that is listed is not meant.
var libraryOwners = map[string][]string{
	"github.com/alecthomas/kong": {"cmd/bobbin", "cmd/bobbin/internal/completion"},
	"github.com/exaring/otelpgx": {"workflow/store/database"},
	"github.com/go-git/go-git/v5": {
		"cmd/bobbin/internal/stage", "repo/git", "repo/git/diff", "repo/git/internal/bare",
		"repo/git/internal/bundle", "repo/git/internal/dial", "repo/git/internal/gittree",
		"repo/git/internal/history", "repo/git/internal/merge", "repo/git/internal/objects",
		"repo/git/internal/spare", "repo/git/internal/transfer", "repo/git/internal/worktree",
		"repo/git/internal/worktree/index", "repo/git/remote", "repo/git/remotetest", "repo/git/repotest",
	},
	"github.com/goccy/go-yaml": {
		"cmd/bobbin", "cmd/bobbin/internal/schema", "cmd/bobbin/internal/strictyaml", "workflow/skill",
	},
	"github.com/jackc/pgx/v5": {
		"cmd/bobbin/internal/health", "cmd/bobbin/internal/operate", "cmd/bobbin/internal/secrets",
		"cmd/bobbin/internal/sessions", "cmd/bobbin/internal/storage", "repo/postgres",
		"repo/postgres/postgrestest", "workflow/store", "workflow/store/backports", "workflow/store/backup",
		"workflow/store/ciproof", "workflow/store/consent", "workflow/store/database", "workflow/store/inbox",
		"workflow/store/internal/record", "workflow/store/lessons", "workflow/store/merges",
		"workflow/store/outbox",
		"workflow/store/progress", "workflow/store/pullrequest", "workflow/store/queue",
		"workflow/store/retention", "workflow/store/storetest", "workflow/store/ticket",
		"workflow/store/view",
	},
	"github.com/riverqueue/river": {
		"cmd/bobbin/internal/server", "workflow/store/database", "workflow/store/queue",
	},
	"github.com/sashabaranov/go-openai": {"workflow/model", "workflow/model/internal/endpoint"},
	"github.com/slack-go/slack": {
		"bot", "bot/examine", "bot/gateway", "bot/internal/attachment", "bot/internal/event",
		"bot/internal/render", "bot/people", "bot/poster",
	},
	"github.com/tailscale/hujson":     {"repo/build/environment/internal/wanted"},
	"github.com/zricethezav/gitleaks": {"workflow/redact"},
	"go.opentelemetry.io":             {"cmd/bobbin/internal/traces", "workflow/tracing"},
	"go.yaml.in/yaml/v3": {
		"repo/build/environment", "repo/build/packages/internal/lockfile",
		"repo/build/project/internal/testcommands",
	},
	"mvdan.cc/sh/v3": {"repo/build/project/internal/command"},
}

// staging and playing (with the packages below it) are the parts of the program that may import packages of
// support: a demo needs a fake Slack and a fake model.
const (
	staging = "cmd/bobbin/internal/stage"
	playing = "cmd/bobbin/internal/playground"
)

// gear, with the packages below it, is for tests only, and so may import packages of support.
const gear = "cmd/bobbin/internal/harness"

// TestLayers checks the imports of all packages. It reads the source, because a test that runs the go
// command may be answered from the test cache and miss a breach.
func TestLayers(t *testing.T) {
	t.Parallel()
	require.Empty(t, strings.Join(breaches(t, os.DirFS("../.."), doors), "\n"))
}

// TestNoCircleOfDoors checks that the doors have an order: what a door imports, directly or through others,
// never imports the door.
func TestNoCircleOfDoors(t *testing.T) {
	t.Parallel()
	require.Empty(t, circle(doors))
	require.Equal(t, []string{"a", "b", "c", "a"}, circle(map[string][]string{
		"a": {"b"}, "b": {"c"}, "c": {"a"},
	}), "the control")
}

// circle returns doors of which each imports the next one, and the last is the first; nil if there are none.
func circle(table map[string][]string) []string {
	done := map[string]bool{}
	var walk func(door string, way []string) []string
	walk = func(door string, way []string) []string {
		if at := slices.Index(way, door); at >= 0 {
			return append(way[at:], door)
		}
		if done[door] {
			return nil
		}
		done[door] = true
		for _, next := range table[door] {
			if found := walk(next, append(way, door)); found != nil {
				return found
			}
		}
		return nil
	}
	for _, door := range slices.Sorted(maps.Keys(table)) {
		if found := walk(door, nil); found != nil {
			return found
		}
	}
	return nil
}

// TestLayersAreHeld holds a control for each rule: a tree with one breach of it.
func TestLayersAreHeld(t *testing.T) {
	t.Parallel()
	table := map[string][]string{
		"cmd/bobbin":    {"bot", "bot/slacktest", "workflow"},
		"bot":           {"workflow"},
		"bot/page":      {"workflow"},
		"bot/poster":    {"bot"},
		"workflow":      {},
		"workflow/turn": {"workflow"},
		"bot/slacktest": {},
	}
	require.Empty(t, breaches(t, soundTree(), table))
	cases := importBreaches()
	maps.Copy(cases, otherBreaches())
	for name, c := range cases {
		tree := soundTree()
		tree[c.file] = &fstest.MapFile{Data: []byte(c.text)}
		require.Equal(t, []string{c.want}, breaches(t, tree, table), name)
	}
	without := soundTree()
	delete(without, "bot/slacktest/server.go")
	require.Equal(t, []string{"bot/slacktest: the table names it, and it is not there"},
		breaches(t, without, table))
}

// A breach is a file that breaks one rule, and what is said about it.
type breach struct{ file, text, want string }

const (
	turnRooms = "workflow/turn/internal/"
	fakeRule  = "fakes such as bot/slacktest are for tests and for " + staging
)

// soundTree returns a tree of source that breaks no rule.
func soundTree() fstest.MapFS {
	ours := "import _ \"" + module + "/"
	texts := map[string]string{
		"cmd/bobbin/main.go": "// Command bobbin wires.\npackage main\n" + ours + "bot\"\n",
		staging + "/stage.go": "// Package stage plays.\npackage stage\n" + ours +
			"bot/slacktest\"\n",
		"bot/bot.go": "// Package bot talks.\npackage bot\n" + ours +
			"workflow\"\nimport _ \"github.com/slack-go/slack/socketmode\"\n",
		"bot/bot_test.go":         "package bot_test\n" + ours + "bot/slacktest\"\n" + ours + "bot\"\n",
		"bot/internal/a/a.go":     "// Package a is behind a door.\npackage a\n" + ours + "workflow\"\n",
		"bot/page/page.go":        "// Package page shows.\npackage page\n",
		"bot/poster/poster.go":    "// Package poster posts.\npackage poster\n" + ours + "bot/internal/a\"\n",
		"bot/slacktest/server.go": "// Package slacktest plays.\npackage slacktest\n",
		"bot/slacktest/internal/b/b.go": "// Package b plays, too.\npackage b\n" + ours +
			"bot/slacktest\"\n",
		"workflow/turn/turn.go": "// Package turn runs.\npackage turn\n" + ours +
			"workflow/turn/internal/delivery\"\n",
		turnRooms + "record/record.go": "// Package record keeps.\npackage record\n",
		turnRooms + "judge/judge.go": "// Package judge judges.\npackage judge\n" + ours + turnRooms +
			"record\"\n",
		turnRooms + "judge/rule/rule.go":     "// Package rule is one.\npackage rule\n",
		turnRooms + "workspace/workspace.go": "// Package workspace holds.\npackage workspace\n",
		turnRooms + "delivery/delivery.go": "// Package delivery ends.\npackage delivery\n" +
			ours + turnRooms +
			"judge/rule\"\n",
		"workflow/workflow.go": "// Package workflow thinks.\npackage workflow\n" +
			"import _ \"go/ast\"\n",
		"workflow/testdata/bad.go": "not Go at all",
		".ci/tools/bad.go":         "not Go at all",
	}
	tree := fstest.MapFS{}
	for name, text := range texts {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// importing returns the source of a package that imports another one.
func importing(name, what string) string { return "package " + name + "\nimport _ \"" + what + "\"\n" }

// importBreaches returns imports of packages of ours that a rule forbids, by what is wrong with them.
func importBreaches() map[string]breach {
	return map[string]breach{
		"import upwards": {
			"workflow/up.go", importing("workflow", module+"/bot"),
			"workflow/up.go: workflow may not import bot",
		},
		"upwards from behind a door": {
			"workflow/internal/up/up.go", "// Package up is wrong.\n" + importing("up", module+"/bot"),
			"workflow/internal/up/up.go: workflow may not import bot",
		},
		"support outside tests": {
			"bot/more.go", importing("bot", module+"/bot/slacktest"), "bot/more.go: " + fakeRule,
		},
		"a fake that the table lets in": {
			"cmd/bobbin/more.go", importing("main", module+"/bot/slacktest"),
			"cmd/bobbin/more.go: " + fakeRule,
		},
		"upwards in a test": {
			"workflow/up_test.go", importing("workflow_test", module+"/bot"),
			"workflow/up_test.go: workflow may not import bot",
		},
		"upwards inside a wing": {
			turnRooms + "record/up.go", importing("record", module+"/"+turnRooms+"judge"),
			turnRooms + "record/up.go: " + turnRooms + "judge is not below " + turnRooms +
				"record (see floors)",
		},
		"upwards inside a wing, in a test": {
			turnRooms + "judge/rule/up_test.go", importing("rule", module+"/"+turnRooms+"delivery"),
			turnRooms + "judge/rule/up_test.go: " + turnRooms + "delivery is not below " + turnRooms +
				"judge/rule (see floors)",
		},
		"aside inside a wing": {
			turnRooms + "judge/aside.go", importing("judge", module+"/"+turnRooms+"workspace"),
			turnRooms + "judge/aside.go: " + turnRooms + "workspace is not below " + turnRooms +
				"judge (see floors)",
		},
		"out of a wing to its door": {
			turnRooms + "judge/door.go", importing("judge", module+"/workflow/turn"),
			turnRooms + "judge/door.go: workflow/turn is not below " + turnRooms + "judge (see floors)",
		},
		"a folder on no floor": {
			turnRooms + "attic/attic.go", "// Package attic is a mistake.\npackage attic\n",
			turnRooms + "attic: the folder attic is in no line of floors",
		},
		"past a door": {
			"bot/page/past.go", importing("page", module+"/bot/internal/a"),
			"bot/page/past.go: bot/page may not import bot/internal/a",
		},
		"past a door, in a test": {
			"bot/slacktest/past_test.go", importing("slacktest", module+"/bot/internal/a"),
			"bot/slacktest/past_test.go: bot/slacktest may not import bot/internal/a",
		},
		"a fake in a package whose name ends with test": {
			"bot/internal/gotest/gotest.go",
			"// Package gotest is no support.\n" + importing("gotest", module+"/bot/slacktest"),
			"bot/internal/gotest/gotest.go: " + fakeRule,
		},
	}
}

// otherBreaches returns breaches of the other rules.
func otherBreaches() map[string]breach {
	long := "package bot\nfunc Long() {\n" + strings.Repeat("\t_ = 1\n", maxLines) + "}\n"
	owners := strings.Join(libraryOwners["github.com/slack-go/slack"], ", ")
	uncommented := "bot/slacktest: no package comment that begins with Package slacktest"
	return map[string]breach{
		"a library in the vocabulary": {
			"workflow/lib.go", importing("workflow", "golang.org/x/text"),
			"workflow/lib.go: workflow imports the standard library alone, not golang.org/x/text",
		},
		"a kept library": {
			"bot/slacktest/lib.go", importing("slacktest", "github.com/slack-go/slack"),
			"bot/slacktest/lib.go: only " + owners + " may import github.com/slack-go/slack",
		},
		"a kept library behind its owner": {
			"bot/internal/a/lib.go", importing("a", "github.com/slack-go/slack"),
			"bot/internal/a/lib.go: only " + owners + " may import github.com/slack-go/slack",
		},
		"a package without a door": {
			"util/util.go", "// Package util is a mistake.\npackage util\n", "util: it is behind no door",
		},
		"an open package": {
			"bot/open/open.go", "// Package open is a mistake.\npackage open\n",
			"bot/open: neither a door nor in a folder internal below one",
		},
		"no package comment": {"bot/slacktest/server.go", "package slacktest\n", uncommented},
		"another's comment": {
			"bot/slacktest/server.go", "// Package bot plays.\npackage slacktest\n", uncommented,
		},
		"a long function": {"bot/long.go", long, "bot/long.go:2: Long has 102 lines; name its steps"},
		"an init function": {
			"bot/init.go", "package bot\nfunc init() {}\n", "bot/init.go:2: no init functions",
		},
	}
}

// breaches returns the breaches of the rules in a tree of source, one line each.
func breaches(t *testing.T, tree fs.FS, table map[string][]string) (found []string) {
	t.Helper()
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	files := token.NewFileSet()
	documented := map[string]bool{}
	names := map[string]string{}
	for _, name := range sources(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		dir := path.Dir(name)
		if doorOf(table, dir) != "" {
			checkImports(say, name, file, table)
		}
		checkFunctions(say, files, file)
		if !strings.HasSuffix(name, "_test.go") {
			names[dir] = file.Name.Name
			documented[dir] = documented[dir] || comments(file)
		} else if names[dir] == "" {
			names[dir] = ""
		}
	}
	for dir, name := range names {
		door := doorOf(table, dir)
		switch {
		case door == "":
			say("%s: it is behind no door", dir)
		case dir != door && !strings.HasPrefix(strings.TrimPrefix(dir, door), "/internal/"):
			say("%s: neither a door nor in a folder internal below one", dir)
		case name != "" && !documented[dir]:
			say("%s: no package comment that begins with Package %s", dir, name)
		}
	}
	for door := range table {
		if _, ok := names[door]; !ok {
			say("%s: the table names it, and it is not there", door)
		}
	}
	for dir := range names {
		door := doorOf(table, dir)
		if lines, ok := floors[door]; ok && dir != door && strings.HasPrefix(dir, door+"/internal/") {
			if at, folder := floorOf(lines, door, dir); at < 0 {
				say("%s: the folder %s is in no line of floors", dir, folder)
			}
		}
	}
	slices.Sort(found)
	return found
}

// doorOf returns the door that a package is behind, or that it is: the one with the longest path that the
// package's path begins with. It is empty if there is none.
func doorOf(table map[string][]string, dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := table[dir]; ok {
			return dir
		}
	}
	return ""
}

// sources returns the Go files of the module, as the go command sees them.
func sources(t *testing.T, tree fs.FS) (names []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && isHidden(base):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(base, ".go"):
			names = append(names, name)
		}
		return nil
	}))
	return names
}

// isHidden reports whether the go command passes over a folder of that name.
func isHidden(name string) bool {
	return name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") ||
		strings.HasPrefix(name, "_")
}

func checkImports(say func(string, ...any), name string, file *ast.File, table map[string][]string) {
	test := strings.HasSuffix(name, "_test.go")
	dir := path.Dir(name)
	door := doorOf(table, dir)
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
			switch {
			case isForTests(ours) && !test && !mayUseSupport(dir):
				say("%s: fakes such as %s are for tests and for %s", name, ours, staging)
			case !mayImport(table, dir, ours, test):
				say("%s: %s may not import %s", name, door, ours)
			case !isBelow(table, dir, ours, test):
				say("%s: %s is not below %s (see floors)", name, ours, dir)
			}
			continue
		}
		if test {
			continue
		}
		first, _, _ := strings.Cut(imported, "/")
		if slices.Contains(vocabulary, door) && strings.Contains(first, ".") {
			say("%s: %s imports the standard library alone, not %s", name, door, imported)
		}
		for library, by := range libraryOwners {
			if (imported == library || strings.HasPrefix(imported, library+"/")) &&
				!slices.Contains(by, dir) {
				say("%s: only %s may import %s", name, strings.Join(by, ", "), imported)
			}
		}
	}
}

// mayImport reports whether the tables let a package import another one of ours. What is behind a door is for
// that door, for those that may import the door, and for those that shared lists.
func mayImport(table map[string][]string, dir, ours string, test bool) bool {
	door := doorOf(table, dir)
	theirs := doorOf(table, ours)
	switch {
	case theirs == door || slices.Contains(everywhere, theirs) || slices.Contains(table[door], theirs):
		return true
	case slices.Contains(shared[ours], door):
		return true
	}
	return test && (isForTests(ours) || slices.Contains(inTests[door], theirs))
}

// isBelow reports whether an import within one wing goes down, as floors says. Imports by the door, and
// tests' imports of packages of support, may go anywhere.
func isBelow(table map[string][]string, dir, ours string, test bool) bool {
	door := doorOf(table, dir)
	lines, ok := floors[door]
	if !ok || dir == door || doorOf(table, ours) != door || test && isForTests(ours) {
		return true
	}
	from, fromFolder := floorOf(lines, door, dir)
	to, toFolder := floorOf(lines, door, ours)
	return from >= 0 && to >= 0 && (to < from || toFolder == fromFolder)
}

// floorOf returns the number of the line in which a package's folder is, and the folder; -1 if it is in none.
func floorOf(lines [][]string, door, dir string) (int, string) {
	below, _ := strings.CutPrefix(dir, door+"/internal/")
	folder, _, _ := strings.Cut(below, "/")
	at := slices.IndexFunc(lines, func(line []string) bool { return slices.Contains(line, folder) })
	return at, folder
}

// isForTests reports whether a package is for tests: one that support lists, one below it, or one of gear.
func isForTests(dir string) bool {
	return isIn(dir, gear) || slices.ContainsFunc(support, isAround(dir))
}

// mayUseSupport reports whether a package may import packages of support outside its tests: one of support
// itself, and those that play the whole program.
func mayUseSupport(dir string) bool {
	return isForTests(dir) || isIn(dir, staging) || isIn(dir, playing)
}

// isIn reports whether a package is that of a folder or below it.
func isIn(dir, folder string) bool { return strings.HasPrefix(dir+"/", folder+"/") }

func isAround(dir string) func(folder string) bool {
	return func(folder string) bool { return isIn(dir, folder) }
}

// vocabulary lists the doors to the types that all others use. They import only the standard library.
var vocabulary = []string{"workflow", "workflow/failpoint", "workflow/plaintext"}

// everywhere lists the doors that every other may import.
var everywhere = []string{"workflow/failpoint"}

// initAllowed lists the packages with an init function that checks whether this process is the first one in
// a sandbox. It takes over before the rest of the program is initialised, which every command would wait
// for.
var initAllowed = []string{
	"repo/sandbox/internal/bridge", "repo/sandbox/internal/bubblewrap", "repo/sandbox/internal/gvisor",
	"repo/sandbox/internal/initproc",
	"repo/sandbox/internal/namespaces", "repo/sandbox/internal/probe",
}

func checkFunctions(say func(string, ...any), files *token.FileSet, file *ast.File) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		at := files.Position(f.Pos())
		if lines := files.Position(f.End()).Line - at.Line + 1; lines > maxLines {
			say("%s:%d: %s has %d lines; name its steps", at.Filename, at.Line, f.Name.Name, lines)
		}
		if f.Name.Name == "init" && f.Recv == nil && !slices.Contains(initAllowed, path.Dir(at.Filename)) {
			say("%s:%d: no init functions", at.Filename, at.Line)
		}
	}
}

// comments reports whether a file contains its package's comment.
func comments(file *ast.File) bool {
	kind := "Package " + file.Name.Name
	if file.Name.Name == "main" {
		kind = "Command "
	}
	return strings.HasPrefix(file.Doc.Text(), kind)
}
