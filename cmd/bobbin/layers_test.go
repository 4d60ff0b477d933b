package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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

// rooms lists all packages, and the packages of this module that each may import. Tests may also import the
// packages of support, and the package that they test. Add a package when its job fits in a sentence and no
// other package does it.
var rooms = map[string][]string{
	"cmd/bobbin": {
		"cmd/bobbin/internal/traces",
		"cmd/bobbin/internal/initcmd", "cmd/bobbin/internal/completion",
		"cmd/bobbin/internal/address", "cmd/bobbin/internal/cli", "cmd/bobbin/internal/config", "cmd/bobbin/internal/doctor", "cmd/bobbin/internal/health", "cmd/bobbin/internal/housekeeping",
		"cmd/bobbin/internal/eval", "cmd/bobbin/internal/eval/report", "cmd/bobbin/internal/eval/suite",
		"cmd/bobbin/internal/operate", "cmd/bobbin/internal/playground", "cmd/bobbin/internal/schema", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/server", "cmd/bobbin/internal/sessions", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage",
		"bot", "workflow/outgoing", "workflow/store", "workflow/redact", "repo/sandbox", "deploy",
	},
	"cmd/bobbin/internal/cli":        {"workflow/redact", "workflow/plaintext"},
	"cmd/bobbin/internal/strictyaml": {"cmd/bobbin/internal/cli", "workflow/plaintext"},
	"cmd/bobbin/internal/operate":    {"cmd/bobbin/internal/cli", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/storage", "workflow/store", "workflow/store/lessons", "workflow/store/overview", "workflow/store/pauses"},
	"cmd/bobbin/internal/initcmd":    {"bot", "bot/examine", "cmd/bobbin/internal/cli", "cmd/bobbin/internal/config", "cmd/bobbin/internal/doctor", "cmd/bobbin/internal/operate", "cmd/bobbin/internal/secrets", "workflow/agent"},
	"cmd/bobbin/internal/completion": {"cmd/bobbin/internal/cli"},
	"cmd/bobbin/internal/schema":     {"cmd/bobbin/internal/config"},
	"cmd/bobbin/internal/secrets":    {"workflow/redact"},
	"cmd/bobbin/internal/config": {
		"cmd/bobbin/internal/address", "cmd/bobbin/internal/cli", "cmd/bobbin/internal/githost", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/strictyaml", "workflow/intent",
		"workflow/redact", "repo/githubapp", "repo/proxy", "repo/sandbox", "repo/packages", "repo/remote", "cmd/bobbin/internal/models", "cmd/bobbin/internal/limits",
	},
	"cmd/bobbin/internal/models": {
		"cmd/bobbin/internal/cli", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/strictyaml",
		"workflow/agent",
	},
	"cmd/bobbin/internal/limits":  {"cmd/bobbin/internal/strictyaml", "workflow/quota"},
	"cmd/bobbin/internal/address": {},
	"cmd/bobbin/internal/githost": {
		"cmd/bobbin/internal/address", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/strictyaml",
		"repo/githubapp", "repo/host",
	},
	"cmd/bobbin/internal/storage": {
		"cmd/bobbin/internal/cli", "repo/filelock", "workflow/store", "workflow/store/database",
		"workflow/postgres", "workflow/plaintext",
	},
	"cmd/bobbin/internal/sessions": {
		"workflow/outgoing", "workflow/store/timeline", "workflow/store/audit", "workflow/store/lessons",
		"workflow/store/retention", "cmd/bobbin/internal/cli", "workflow", "workflow/store",
		"workflow/plaintext",
	},
	"cmd/bobbin/internal/health": {
		"workflow/store/overview", "cmd/bobbin/internal/cli", "workflow/store", "workflow/plaintext",
	},
	"cmd/bobbin/internal/composetest": {},
	"cmd/bobbin/internal/housekeeping": {
		"workflow/store/retention", "cmd/bobbin/internal/cli", "cmd/bobbin/internal/config", "workflow/store",
		"workflow/turn/folder", "repo", "repo/buildcache", "repo/testrun", "repo/disk",
	},
	"cmd/bobbin/internal/server": {
		"cmd/bobbin/internal/traces", "workflow/tracing", "workflow/intent",
		"workflow/model/endpoint", "workflow/metrics", "workflow/store/overview",
		"cmd/bobbin/internal/address", "workflow/store/inbox", "workflow/store/outbox",
		"cmd/bobbin/internal/cli", "cmd/bobbin/internal/config", "cmd/bobbin/internal/health", "cmd/bobbin/internal/housekeeping", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/storage",
		"bot", "bot/gateway", "bot/page", "bot/people", "bot/poster", "workflow", "workflow/store", "workflow/store/queue", "workflow/store/database", "workflow/postgres", "workflow/home", "repo/filelock", "workflow/turn", "workflow/turn/backport", "workflow/turn/catalog", "workflow/turn/lookback", "workflow/store/backports", "workflow/turn/pictures", "workflow/agent", "workflow/model", "workflow/skill", "workflow/redact", "workflow/redact/private",
		"repo", "repo/sandbox", "repo/buildcache", "repo/testrun", "repo/packages", "repo/packages/account", "repo/proxy", "repo/remote",
		"workflow/pullrequests", "workflow/store/pullrequest", "workflow/tool/workfile", "repo/githubapp", "repo/host", "repo/host/github", "repo/host/gitlab", "repo/host/gitea", "workflow/incoming", "workflow/permit", "workflow/quota",
	},
	"cmd/bobbin/internal/doctor": {
		"cmd/bobbin/internal/traces",
		"workflow/model/endpoint",
		"cmd/bobbin/internal/address", "cmd/bobbin/internal/cli", "cmd/bobbin/internal/config", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/server", "cmd/bobbin/internal/storage",
		"bot", "bot/examine", "workflow/store", "workflow/store/database", "workflow/postgres", "workflow/turn/catalog", "workflow/turn/lookback", "workflow/model", "workflow/plaintext", "repo", "repo/packages/account", "repo/sandbox", "repo/screenshot", "deploy", "repo/remote", "repo/transfer", "workflow/permit", "cmd/bobbin/internal/doctor/findings",
	},
	"cmd/bobbin/internal/doctor/findings": {"workflow/plaintext"},
	"cmd/bobbin/internal/eval": {
		"cmd/bobbin/internal/config", "cmd/bobbin/internal/eval/report", "cmd/bobbin/internal/eval/suite", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage",
		"workflow", "workflow/agent", "workflow/model", "workflow/plaintext", "repo", "repo/packages", "repo/project", "repo/remote", "repo/result", "repo/testrun",
	},
	"cmd/bobbin/internal/eval/report": {"cmd/bobbin/internal/cli", "workflow/plaintext"},
	"cmd/bobbin/internal/eval/suite":  {"cmd/bobbin/internal/cli", "cmd/bobbin/internal/strictyaml", "repo/project"},
	"cmd/bobbin/internal/stage": {
		"cmd/bobbin/internal/config",
		"cmd/bobbin/internal/server",
		"cmd/bobbin/internal/storage",
		"bot/slacktest",
		"workflow/model/modeltest",
		"workflow",
		"workflow/outgoing",
		"workflow/store",
		"workflow/store/queue",
		"workflow/turn/catalog",
		"workflow/agent",
		"workflow/redact",
		"repo",
		"deploy",
		"repo/bare",
		"repo/bundle",
		"repo/objects",
		"repo/remote",
	},
	"cmd/bobbin/internal/playground": {
		"cmd/bobbin/internal/playground/chat", "cmd/bobbin/internal/playground/pageauth", "cmd/bobbin/internal/playground/story", "cmd/bobbin/internal/playground/view",
		"cmd/bobbin/internal/config", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "bot/page", "bot/slacktest", "workflow", "workflow/agent", "repo/filelock", "repo/remote", "repo/sandbox", "deploy", "workflow/permit",
	},
	"cmd/bobbin/internal/playground/chat":      {"bot/pagestyle", "cmd/bobbin/internal/playground/pageauth", "cmd/bobbin/internal/playground/view", "bot/slacktest"},
	"cmd/bobbin/internal/playground/pageauth":  {},
	"cmd/bobbin/internal/playground/slackhtml": {"bot/pagestyle"},
	"cmd/bobbin/internal/playground/story": {
		"cmd/bobbin/internal/playground/view", "bot/slacktest", "workflow/model/modeltest",
	},
	"cmd/bobbin/internal/playground/view": {
		"bot/pagestyle", "cmd/bobbin/internal/playground/slackhtml", "bot/slacktest",
	},
	"bot":        {"workflow"},
	"bot/mrkdwn": {"workflow/plaintext", "workflow/outgoing"},
	"bot/event": {
		"bot", "bot/event/alert", "bot/mrkdwn", "workflow", "workflow/intent", "workflow/button",
		"workflow/incoming",
	},
	"bot/render": {
		"bot/event", "bot/mrkdwn", "workflow", "workflow/button", "workflow/card", "workflow/hometab",
		"workflow/outgoing",
	},
	"bot/attachment": {"bot", "bot/event", "workflow/incoming"},
	"bot/people": {
		"workflow/lazyregexp", "bot", "bot/attachment", "bot/event", "bot/mrkdwn", "workflow",
		"workflow/incoming",
	},
	"bot/gateway": {
		"bot", "bot/event", "bot/mrkdwn", "bot/render", "workflow", "workflow/button", "workflow/hometab",
		"workflow/incoming", "workflow/intent",
	},
	"bot/poster":    {"bot", "bot/mrkdwn", "bot/render", "workflow", "workflow/card", "workflow/outgoing"},
	"bot/pagestyle": {},
	"bot/page": {
		"bot/pagestyle", "workflow", "workflow/home", "workflow/redact", "workflow/store",
		"workflow/store/progress", "workflow/plaintext", "workflow/store/pictures", "workflow/store/timeline",
		"workflow/hunkresult", "workflow/diagnosis", "workflow/hometab", "workflow/outgoing",
		"workflow/planning",
	},
	"bot/examine":            {"bot", "bot/people", "workflow"},
	"bot/bottest":            {"bot", "bot/slacktest", "deploy", "workflow", "workflow/incoming", "workflow/outgoing"},
	"bot/slacktest":          {"bot/slacktest/blockkit"}, // independent of Bobbin
	"bot/slacktest/blockkit": {},
	"workflow":               {},
	"workflow/incoming":      {"workflow"},
	"workflow/outgoing":      {"workflow", "workflow/card"},
	"workflow/card":          {"workflow", "workflow/quota"},
	"workflow/button":        {"workflow"},
	"workflow/hometab":       {"workflow"},
	"workflow/diagnosis":     {"workflow/plaintext", "workflow/expectation"},
	"workflow/expectation":   {"workflow/plaintext"},
	"workflow/planning":      {"workflow/plaintext", "workflow", "workflow/expectation"},
	"workflow/inquiry":       {"workflow/plaintext"},
	"workflow/permit":        {"workflow"},
	"workflow/quota":         {"workflow/plaintext"},
	"workflow/store": {
		"workflow/store/progress", "workflow/store/spending", "workflow/store/record",
		"workflow/store/consent", "workflow", "workflow/store/database", "workflow/store/inbox",
		"workflow/store/queue", "workflow/plaintext", "workflow/diagnosis", "workflow/outgoing",
		"workflow/permit", "workflow/quota",
	},
	"workflow/store/audit": {"workflow/store/database"},
	"workflow/store/consent": {
		"workflow", "workflow/store/audit", "workflow/store/database", "workflow/store/record",
		"workflow/outgoing", "workflow/permit", "workflow/quota",
	},
	"workflow/hunkresult":   {"workflow/plaintext"},
	"workflow/claim":        {"workflow/plaintext"},
	"workflow/store/alerts": {"workflow/store/database", "workflow/store/queue", "workflow/incoming"},
	"bot/event/alert":       {"bot/mrkdwn", "workflow/incoming"},
	"workflow/store/duplicate": {
		"workflow", "workflow/store/database", "workflow/store/record", "workflow/outgoing",
	},
	"workflow/store/progress": {
		"workflow/store/queue", "workflow/hunkresult", "workflow/store/database", "workflow/store/record",
		"workflow", "workflow/diagnosis", "workflow/inquiry", "workflow/planning", "workflow/plaintext",
	},
	"workflow/store/record": {"workflow/store/queue"},
	"workflow/store/spending": {
		"workflow/quota", "workflow/store/database", "workflow/store/progress", "workflow/store/record",
	},
	"workflow/store/inbox": {
		"workflow/store/alerts", "workflow/store/record", "workflow", "workflow/intent",
		"workflow/store/database", "workflow/store/queue", "workflow/button", "workflow/incoming",
	},
	"workflow/store/outbox": {
		"workflow", "workflow/store/database", "workflow/store/queue", "workflow/card", "workflow/outgoing",
	},
	"workflow/store/overview": {
		"workflow/metrics", "workflow", "workflow/store", "workflow/store/database", "workflow/store/queue",
	},
	"workflow/store/lessons":   {"workflow/store/consent", "workflow/store/database", "workflow/store/record"},
	"workflow/store/pauses":    {"workflow/store/database", "workflow/store/record"},
	"workflow/store/retention": {"workflow/store/database"},
	"workflow/store/timeline":  {"workflow/store/database"},
	"workflow/store/pictures": {
		"workflow", "workflow/store", "workflow/store/database", "workflow/store/queue",
		"workflow/store/record", "workflow/outgoing",
	},
	"workflow/store/silence": {"workflow", "workflow/store", "workflow/store/database", "workflow/outgoing"},
	"workflow/store/storetest": {
		"workflow/store/consent", "migrations", "workflow", "workflow/store", "workflow/store/inbox",
		"workflow/store/outbox", "workflow/postgres/postgrestest", "workflow/incoming", "workflow/permit",
	},
	"workflow/store/database": {"workflow/tracing", "migrations"},
	"workflow/store/queue":    {"workflow/tracing", "workflow/store/database", "workflow/incoming"},
	"workflow/store/pullrequest": {
		"workflow/store", "workflow/store/database", "workflow/store/queue", "workflow/store/record",
		"workflow/incoming",
	},
	"workflow/pullrequests": {
		"repo/host", "repo/remote", "workflow", "workflow/plaintext", "workflow/redact", "workflow/store",
		"workflow/store/pullrequest", "workflow/turn/catalog", "workflow/button", "workflow/outgoing",
	},
	"workflow/postgres":              {"repo/filelock", "workflow/postgres/account", "workflow/postgres/programs"},
	"workflow/postgres/account":      {},
	"workflow/postgres/programs":     {"repo/filelock", "workflow/postgres/account"},
	"workflow/postgres/postgrestest": {"workflow/postgres"},
	"workflow/agent/decision": {
		"workflow", "workflow/model", "workflow/diagnosis", "workflow/expectation", "workflow/inquiry",
		"workflow/planning",
	},
	"workflow/agent":            {"workflow/agent/compaction", "workflow/model/endpoint", "workflow", "workflow/model"},
	"workflow/agent/compaction": {"workflow/model"},
	"workflow/tool": {
		"workflow/model", "workflow/skill", "repo", "repo/sandbox", "repo/project", "repo/project/command",
		"repo/proof", "repo/result", "repo/testrun", "workflow/plaintext", "workflow/tool/workfile",
		"workflow/tool/output", "workflow/tool/patch", "workflow/tool/find", "repo/history",
	},
	"workflow/model":             {"workflow/model/endpoint", "workflow/model/arguments", "workflow/plaintext"},
	"workflow/model/endpoint":    {"workflow/plaintext"},
	"workflow/model/arguments":   {"workflow/plaintext"},
	"workflow/skill":             {"workflow/plaintext"},
	"workflow/metrics":           {"workflow/model"},
	"workflow/redact":            {},
	"workflow/redact/private":    {"repo/commits", "workflow/redact", "workflow/tool/workfile"},
	"workflow/tracing":           {},
	"cmd/bobbin/internal/traces": {"cmd/bobbin/internal/secrets", "workflow/tracing"},
	"workflow/tool/find": {
		"workflow/model", "workflow/plaintext", "workflow/tool/workfile", "repo/filetree", "repo/disk",
	},
	"workflow/tool/patch":     {"repo/diff", "workflow/model", "workflow/plaintext", "workflow/tool/workfile"},
	"workflow/tool/output":    {"workflow/model", "workflow/plaintext", "workflow/tool/workfile"},
	"workflow/tool/workfile":  {"workflow/model", "workflow/plaintext", "repo/filetree"},
	"repo/filetree":           {},
	"workflow/lazyregexp":     {},
	"workflow/failpoint":      {},
	"workflow/intent/words":   {"workflow/lazyregexp"},
	"workflow/intent/command": {"workflow/lazyregexp", "workflow", "workflow/intent/words"},
	"workflow/intent/answer":  {"workflow/lazyregexp", "workflow/intent/words"},
	"workflow/intent/phrases": {},
	"workflow/intent": {
		"workflow/lazyregexp", "workflow/button", "workflow/intent/phrases", "workflow/intent/words",
	},
	"workflow/plaintext":       {}, // any package may use it to cut a line
	"workflow/model/modeltest": {"workflow/plaintext"},
	"repo": {
		"repo/bare", "repo/bundle", "repo/commits", "repo/dial", "repo/diff", "repo/disk", "repo/gittree",
		"repo/history", "repo/merge", "repo/objects", "repo/remote", "repo/spare", "repo/transfer",
		"repo/worktree",
	},
	"repo/bare":          {"repo/disk"},
	"repo/commits":       {"repo/gittree", "repo/history", "repo/objects", "repo/transfer"},
	"repo/bundle":        {"repo/gittree", "repo/objects"},
	"repo/dial":          {"repo/bare", "repo/remote"},
	"repo/diff":          {"repo/gittree", "repo/objects"},
	"repo/disk":          {},
	"repo/githubapp":     {"repo/remote"},
	"repo/gittree":       {"repo/objects", "repo/filetree"},
	"repo/host":          {"repo/remote", "workflow/plaintext"},
	"repo/host/github":   {"repo/host", "repo/remote"},
	"repo/host/gitlab":   {"repo/host", "repo/remote"},
	"repo/host/gitea":    {"repo/host", "repo/remote"},
	"repo/host/hosttest": {}, // independent of Bobbin
	"repo/history":       {"repo/diff", "repo/gittree", "repo/objects"},
	"repo/merge":         {"repo/diff", "repo/gittree", "repo/objects"},
	"repo/objects":       {},
	"repo/remote":        {"repo/gittree", "workflow/plaintext"},
	"repo/remotetest":    {"repo/remote"},
	"repo/transfer":      {"repo/bundle", "repo/dial", "repo/gittree", "repo/objects", "repo/remote"},
	"repo/spare":         {"repo/bare", "repo/disk", "repo/objects", "repo/worktree"},
	"repo/worktree": {
		"repo/worktree/index", "repo/bundle", "repo/disk", "repo/gittree", "repo/objects", "repo/filetree",
	},
	"repo/worktree/index":       {"repo/gittree"},
	"repo/githubapp/githubtest": {}, // independent of Bobbin
	"repo/proxy":                {},
	"repo/owners":               {"repo/history"},
	"repo/packages": {
		"repo/packages/account", "repo/packages/manager", "repo/sandbox", "repo/sandbox/process",
		"repo/filelock", "repo/proxy", "repo/disk", "repo/commits",
	},
	"repo/packages/manager":      {},
	"repo/packages/account":      {},
	"repo/packages/packagestest": {},
	"repo/npmtest":               {},
	"repo/filelock":              {},
	"repo/repotest":              {"repo", "repo/sandbox", "repo/filelock", "repo/remote"},
	"repo/buildcache":            {"repo", "repo/sandbox", "repo/filelock", "repo/packages", "repo/disk"},
	"repo/testrun": {
		"repo", "repo/sandbox", "repo/buildcache", "repo/project", "repo/result", "repo/runners", "repo/disk",
	},
	"repo/project":              {"repo/project/command", "repo/project/testcommands"},
	"repo/project/command":      {},
	"repo/project/testcommands": {},
	"repo/result":               {"repo/project"},
	"repo/runners":              {"repo/result", "repo/runners/gotest", "workflow/plaintext"},
	"repo/runners/gotest":       {"repo/result"},
	"repo/stub":                 {},
	"repo/bisect":               {}, // independent of git and of test runs
	"repo/screenshot":           {"repo/sandbox"},
	"repo/retest": {
		"repo/bisect", "repo/diff", "repo/gittree", "repo/packages", "repo/project", "repo/proof",
		"repo/result", "repo/testrun",
	},
	"repo/testtrial": {
		"repo", "repo/diff", "repo/disk", "repo/project", "repo/proof", "repo/result", "repo/testrun",
	},
	"repo/hunktrial": {
		"repo", "repo/diff", "repo/gittree", "repo/project", "repo/proof", "repo/result", "repo/testrun",
	},
	"repo/proof": {
		"repo", "repo/stub", "repo/gittree", "repo/project", "repo/result", "repo/testrun", "repo/diff",
		"repo/disk",
	},
	"repo/design": {
		"repo/design/source", "repo/design/stylesheet", "repo/design/markup", "repo/design/token",
		"workflow/plaintext",
	},
	"repo/design/source":     {},
	"repo/design/stylesheet": {"repo/design/source"},
	"repo/design/markup":     {"repo/design/source", "repo/design/stylesheet"},
	"repo/design/token":      {"repo/design/source", "repo/design/stylesheet", "repo/design/markup"},
	"migrations":             {},
	"deploy":                 {},

	// A turn: from the package that runs it down to the packages of rows and texts that the others use.
	"workflow/turn": {
		"workflow/tracing",
		"workflow/metrics",
		"workflow/agent/decision",
		"workflow/model/endpoint",
		"workflow/store/consent", "workflow/store/inbox", "workflow/store/progress",
		"workflow/store/silence", "workflow/store/pauses",
		"workflow/turn/duplicates",
		"repo", "repo/sandbox", "repo/testrun", "workflow", "workflow/agent", "workflow/intent", "workflow/model", "workflow/plaintext", "workflow/redact", "workflow/skill", "workflow/store", "workflow/store/queue", "workflow/turn/approval", "workflow/turn/attachment", "workflow/turn/budget", "workflow/turn/catalog", "workflow/turn/delivery", "workflow/turn/findings", "workflow/turn/folder", "workflow/turn/inquiry", "workflow/turn/intake", "workflow/turn/ledger", "workflow/turn/objection", "workflow/turn/question", "workflow/turn/orchestrator", "workflow/turn/permission", "workflow/turn/prompt", "workflow/turn/runtime", "workflow/turn/scope", "workflow/turn/worker", "workflow/turn/worktree", "workflow/incoming", "workflow/outgoing", "workflow/quota",
	},
	"workflow/turn/intake": {
		"workflow/store/overview",
		"workflow/store/backports",
		"workflow/store/consent", "workflow/store/inbox", "workflow/store/lessons", "workflow/store/pictures", "workflow/store/progress",
		"workflow/turn/duplicates",
		"workflow", "workflow/agent", "workflow/intent", "workflow/plaintext", "workflow/skill", "workflow/store", "workflow/turn/approval", "workflow/turn/budget", "workflow/turn/catalog", "workflow/turn/ledger", "workflow/turn/objection", "workflow/turn/permission", "workflow/turn/prompt", "workflow/button", "workflow/incoming", "workflow/inquiry", "workflow/outgoing", "workflow/permit", "workflow/planning", "workflow/quota", "workflow/intent/answer", "workflow/intent/command",
	},
	"workflow/turn/objection": {
		"workflow/store/consent", "workflow/store/inbox", "workflow/store/progress",
		"workflow", "workflow/intent", "workflow/plaintext", "workflow/store", "workflow/turn/approval", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/incoming", "workflow/outgoing", "workflow/permit",
	},
	"workflow/turn/duplicates": {
		"workflow", "workflow/plaintext", "workflow/store", "workflow/store/consent", "workflow/store/inbox", "workflow/store/progress", "workflow/store/duplicate", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/button", "workflow/incoming", "workflow/outgoing",
	},
	"workflow/turn/question": {"workflow/agent/decision", "workflow/store", "workflow/outgoing"},
	"workflow/turn/orchestrator": {
		"repo/retest", "workflow/turn/lookback",
		"workflow/agent/decision",
		"workflow/store/progress", "workflow/store/lessons", "workflow/store/inbox", "workflow/store/consent",
		"workflow/turn/question", "workflow/turn/duplicates",
		"workflow", "workflow/agent", "workflow/intent", "workflow/model", "workflow/plaintext", "workflow/store", "workflow/tool", "workflow/turn/approval", "workflow/turn/attachment", "workflow/turn/delivery", "workflow/turn/evidence", "workflow/turn/findings", "workflow/turn/inquiry", "workflow/turn/experts", "workflow/turn/ledger", "workflow/turn/permission", "workflow/turn/prompt", "workflow/turn/proposal", "workflow/turn/runtime", "workflow/turn/siblings", "workflow/turn/worker", "workflow/turn/worktree", "workflow/button", "workflow/diagnosis", "workflow/incoming", "workflow/inquiry", "workflow/outgoing", "workflow/permit", "workflow/planning",
	},
	"workflow/turn/experts": {
		"repo/owners", "workflow", "workflow/plaintext", "workflow/store", "workflow/store/consent", "workflow/turn/evidence", "workflow/turn/findings", "workflow/turn/ledger", "workflow/turn/permission", "workflow/turn/worktree", "workflow/outgoing", "workflow/permit",
	},
	"workflow/turn/siblings": {
		"workflow/model", "workflow/plaintext", "workflow/tool/find", "workflow/turn/evidence", "workflow/diagnosis",
	},
	"workflow/turn/evidence": {
		"repo/project/command", "workflow/model", "workflow/plaintext", "workflow/store/progress", "workflow/turn/findings", "workflow/turn/prompt", "workflow/turn/worktree", "workflow/diagnosis", "workflow/incoming",
	},
	"workflow/turn/reproduction": {
		"repo", "repo/proof", "repo/testrun", "workflow", "workflow/redact", "workflow/store/progress",
		"workflow/turn/evidence", "workflow/turn/findings", "workflow/turn/ledger",
	},
	"workflow/turn/worker": {
		"workflow/claim", "workflow/agent/decision",
		"workflow/store/progress",
		"repo", "repo/design", "repo/disk", "repo/gittree", "repo/project", "repo/proof", "repo/result", "workflow", "workflow/agent", "workflow/model", "workflow/plaintext", "workflow/store", "workflow/tool", "workflow/turn/attachment", "workflow/turn/budget", "workflow/turn/delivery", "workflow/turn/findings", "workflow/turn/inquiry", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/turn/runtime", "workflow/turn/scope", "workflow/turn/worktree", "workflow/inquiry", "workflow/outgoing", "workflow/permit", "workflow/planning",
	},
	"workflow/turn/backport": {
		"repo", "repo/bundle", "repo/diff", "repo/disk", "repo/merge", "repo/project", "repo/proof", "repo/remote", "repo/testrun", "repo/transfer", "workflow/plaintext", "workflow/redact", "workflow/redact/private", "workflow/store", "workflow/store/backports",
		"workflow/store/pullrequest", "workflow/turn/catalog", "workflow/turn/folder", "workflow/turn/lookback", "workflow/turn/prompt", "workflow/turn/proposal", "workflow/button", "workflow/outgoing", "workflow/permit", "repo/commits",
	},
	"workflow/store/backports": {"workflow/store", "workflow/store/audit", "workflow/store/consent", "workflow/store/database", "workflow/store/pullrequest", "workflow/store/queue", "workflow/store/record"},
	"workflow/turn/lookback": {
		"repo", "repo/bisect", "repo/diff", "repo/project", "repo/proof", "repo/retest", "repo/testrun", "repo/transfer", "workflow", "workflow/plaintext", "workflow/redact", "workflow/redact/private", "workflow/store", "workflow/store/progress", "workflow/turn/catalog", "workflow/turn/ledger", "workflow/turn/permission", "workflow/turn/prompt", "workflow/button", "workflow/diagnosis", "workflow/outgoing", "repo/commits",
	},
	"workflow/turn/pictures": {
		"repo", "repo/diff", "repo/screenshot", "repo/testrun", "workflow/plaintext", "workflow/redact", "workflow/store", "workflow/store/pictures", "workflow/tool/workfile", "workflow/turn/catalog", "workflow/turn/prompt", "workflow/outgoing",
	},
	"workflow/turn/delivery": {
		"workflow/claim", "workflow/expectation",
		"workflow/tracing",
		"workflow/turn/lookback", "workflow/turn/pictures",
		"workflow/agent/decision",
		"workflow/store/consent",
		"workflow/store/progress",
		"workflow/store/pullrequest",
		"workflow/intent",
		"workflow/model/endpoint",
		"workflow/turn/budget",
		"workflow/turn/reproduction",
		"workflow/turn/review",
		"workflow/turn/runtime",
		"workflow/turn/scope",
		"workflow/hunkresult",
		"repo",
		"repo/diff",
		"repo/gittree",
		"repo/hunktrial",
		"repo/testtrial",
		"repo/proof",
		"repo/remote",
		"repo/transfer",
		"workflow",
		"workflow/agent",
		"workflow/model",
		"workflow/plaintext",
		"workflow/redact",
		"workflow/store",
		"workflow/turn/catalog",
		"workflow/turn/findings",
		"workflow/turn/inquiry",
		"workflow/turn/ledger",
		"workflow/turn/prompt",
		"workflow/turn/proposal",
		"workflow/turn/worktree",
		"workflow/button",
		"workflow/inquiry",
		"workflow/outgoing",
		"workflow/permit",
		"workflow/planning",
		"repo/commits",
	},
	"workflow/turn/scope": {
		"repo", "repo/diff", "repo/gittree", "workflow", "workflow/agent/decision", "workflow/inquiry", "workflow/permit", "workflow/plaintext", "workflow/store", "workflow/store/consent", "workflow/store/inbox", "workflow/store/progress", "workflow/tool/workfile", "workflow/turn/findings", "workflow/turn/inquiry", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/turn/worktree",
	},
	"workflow/turn/inquiry": {
		"workflow/agent/decision",
		"workflow/store/inbox", "workflow/store/progress",
		"workflow/hunkresult", "repo/diff", "workflow", "workflow/agent", "workflow/intent", "workflow/model", "workflow/plaintext", "workflow/store", "workflow/tool", "workflow/turn/attachment", "workflow/turn/budget", "workflow/turn/folder", "workflow/turn/findings", "workflow/turn/experts", "workflow/turn/ledger", "workflow/turn/permission", "workflow/turn/prompt", "workflow/turn/review", "workflow/turn/runtime", "workflow/turn/worktree", "workflow/inquiry", "workflow/outgoing",
	},
	"workflow/turn/review": {
		"workflow/agent/decision",
		"repo/diff", "workflow/plaintext", "workflow/tool/workfile", "workflow/turn/prompt",
	},
	"workflow/turn/runtime": {
		"workflow/outgoing", "workflow/tracing", "workflow/metrics",
		"workflow/model/endpoint",
		"workflow/store/progress", "workflow/store/spending",
		"repo", "repo/result", "workflow/agent", "workflow/model", "workflow/plaintext", "workflow/skill", "workflow/store", "workflow/tool", "workflow/turn/attachment", "workflow/turn/budget", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/turn/worktree", "workflow/incoming",
	},
	"workflow/turn/approval": {
		"workflow/expectation",
		"workflow/store/backports",
		"workflow/store/consent", "workflow/store/inbox", "workflow/store/progress", "workflow/store/pullrequest",
		"workflow", "workflow/agent", "workflow/intent", "workflow/plaintext", "workflow/store", "workflow/turn/catalog", "workflow/turn/ledger", "workflow/turn/permission", "workflow/turn/prompt", "workflow/button", "workflow/incoming", "workflow/outgoing", "workflow/permit", "workflow/planning",
	},
	"workflow/turn/permission": {
		"workflow/store/consent",
		"workflow/store/inbox",
		"workflow", "workflow/intent", "workflow/plaintext", "workflow/store", "workflow/turn/catalog", "workflow/turn/ledger", "workflow/button", "workflow/incoming", "workflow/permit", "workflow/intent/command",
	},
	"workflow/turn/testsetup": {
		"workflow/store/progress", "workflow/store/lessons",
		"repo/project", "repo/result", "workflow/model", "workflow/plaintext", "workflow/store", "workflow/turn/ledger", "workflow/turn/prompt",
	},
	"workflow/turn/worktree": {
		"workflow/store/database", "workflow/turn/testsetup",
		"workflow/store/inbox", "workflow/store/lessons", "workflow/store/progress",
		"repo", "repo/bundle", "repo/disk", "repo/gittree", "repo/merge", "repo/packages", "repo/project", "repo/proxy", "repo/remote", "repo/result", "repo/sandbox", "repo/testrun", "workflow", "workflow/redact", "workflow/skill", "workflow/store", "workflow/store/queue", "workflow/tool/workfile", "workflow/turn/catalog", "workflow/turn/folder", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/plaintext", "workflow/inquiry", "workflow/outgoing", "repo/commits",
	},
	"workflow/turn/budget": {
		"repo/disk", "workflow/store", "workflow/store/spending", "workflow/turn/ledger", "workflow/quota",
	},
	"workflow/turn/attachment": {
		"workflow/store/inbox",
		"workflow/model", "workflow/plaintext", "workflow/store", "workflow/turn/ledger", "workflow/turn/prompt", "workflow/incoming", "workflow/outgoing",
	},
	"workflow/turn/catalog": {
		"repo/host", "repo/packages", "repo/project", "repo/remote", "workflow", "workflow/store", "workflow/store/pullrequest", "workflow/turn/ledger", "workflow/button", "workflow/outgoing", "workflow/permit", "workflow/plaintext", "workflow/incoming",
	},
	"workflow/turn/folder": {
		"repo/disk",
	},
	"workflow/turn/ledger": {
		"workflow/claim", "workflow/metrics", "workflow/intent",
		"workflow", "workflow/agent", "workflow/model", "workflow/plaintext", "workflow/redact", "workflow/store", "workflow/turn/prompt", "workflow/button", "workflow/incoming", "workflow/outgoing", "workflow/permit", "workflow/planning",
	},
	"workflow/turn/findings": {
		"workflow/expectation",
		"workflow", "workflow/agent/decision", "workflow/plaintext", "workflow/diagnosis", "workflow/planning",
	},
	"workflow/turn/prompt": {
		"workflow/hunkresult", "repo/diff", "workflow/model", "workflow/plaintext", "workflow/incoming", "workflow/permit",
	},
	"workflow/turn/proposal": {"repo/diff", "repo/host", "workflow", "workflow/plaintext", "workflow/permit"},
	"workflow/turn/ledger/ledgertest": {
		"workflow/store/inbox", "workflow", "workflow/agent", "workflow/redact", "workflow/store",
		"workflow/store/storetest", "workflow/turn/ledger", "workflow/incoming",
	},
	"workflow/turn/turntest": {
		"bot", "bot/people", "bot/poster", "bot/slacktest", "repo", "repo/buildcache", "repo/remote", "repo/repotest",
		"repo/testrun", "workflow", "workflow/agent", "workflow/incoming", "workflow/model",
		"workflow/model/modeltest", "workflow/store/inbox", "workflow/store/outbox", "workflow/store/storetest",
		"workflow/turn", "workflow/turn/catalog", "workflow/turn/folder",
	},
	"workflow/home": {
		"workflow/store/overview", "workflow/store/lessons", "workflow/store/pauses",
		"workflow", "workflow/redact", "workflow/store", "workflow/turn/catalog", "workflow/turn/permission", "workflow/button", "workflow/hometab", "workflow/incoming",
	},

	// A sandbox: the kinds are below the API, and the packages that they share are below them.
	"repo/sandbox": {
		"repo/sandbox/bubblewrap", "repo/sandbox/namespaces", "repo/sandbox/gvisor", "repo/sandbox/docker", "repo/sandbox/unconfined",
		"repo/sandbox/backend", "repo/sandbox/bridge", "repo/sandbox/cgroup", "repo/sandbox/diskwatch", "repo/sandbox/probe", "repo/sandbox/process", "repo/sandbox/toolchain", "repo/sandbox/user",
	},
	"repo/sandbox/bubblewrap":    {"repo/sandbox/backend", "repo/sandbox/process", "repo/sandbox/rootfs", "repo/sandbox/seccomp", "repo/sandbox/user"},
	"repo/sandbox/namespaces":    {"repo/sandbox/backend", "repo/sandbox/initproc", "repo/sandbox/lockdown", "repo/sandbox/rootfs", "repo/sandbox/user"},
	"repo/sandbox/gvisor":        {"repo/sandbox/backend", "repo/sandbox/initproc", "repo/sandbox/lockdown", "repo/sandbox/process", "repo/sandbox/rootfs", "repo/sandbox/user"},
	"repo/sandbox/docker":        {"repo/sandbox/backend", "repo/sandbox/initproc", "repo/sandbox/process", "repo/sandbox/user"},
	"repo/sandbox/unconfined":    {"repo/sandbox/backend", "repo/sandbox/process", "repo/sandbox/user"},
	"repo/sandbox/probe":         {"repo/sandbox/backend", "repo/sandbox/bridge", "repo/sandbox/rootfs", "repo/sandbox/toolchain"},
	"repo/sandbox/initproc":      {"repo/sandbox/backend", "repo/sandbox/cgroup", "repo/sandbox/lockdown", "repo/sandbox/process", "repo/sandbox/rootfs", "repo/sandbox/user"},
	"repo/sandbox/lockdown":      {"repo/sandbox/backend", "repo/sandbox/seccomp"},
	"repo/sandbox/seccomp":       {},
	"repo/sandbox/rootfs":        {"repo/sandbox/backend", "repo/sandbox/user"},
	"repo/sandbox/bridge":        {"repo/sandbox/backend"},
	"repo/sandbox/toolchain":     {"repo/sandbox/user"},
	"repo/sandbox/backend":       {"repo/sandbox/process"},
	"repo/sandbox/cgroup":        {},
	"repo/sandbox/diskwatch":     {"repo/sandbox/process"},
	"repo/sandbox/process":       {},
	"repo/sandbox/user":          {},
	"repo/sandbox/user/usertest": {},

	// Tests only: the kinds of faults, and the packages that their tests use.
	"cmd/bobbin/internal/harness": {
		"bot/slacktest", "workflow/outgoing", "repo/filelock", "repo/sandbox",
		"workflow/postgres/postgrestest", "workflow/store/storetest",
	},
	"cmd/bobbin/internal/harness/chatmodel": {},
	"cmd/bobbin/internal/harness/githost":   {"cmd/bobbin/internal/stage", "repo/remotetest"},
	"cmd/bobbin/internal/harness/shopcache": {"repo", "repo/buildcache", "repo/project", "repo/remote", "repo/repotest", "repo/sandbox", "repo/testrun", "cmd/bobbin/internal/harness", "cmd/bobbin/internal/stage"},
	"cmd/bobbin/internal/faults/badinputs":  {},
	"cmd/bobbin/internal/faults/deliveries": {},
	"cmd/bobbin/internal/faults/injections": {},
	"cmd/bobbin/internal/faults/kills":      {},
	"cmd/bobbin/internal/faults/leaks":      {},
	"cmd/bobbin/internal/faults/models":     {},
	"cmd/bobbin/internal/faults/remotes":    {},
	"cmd/bobbin/internal/faults/replicas":   {},
	"cmd/bobbin/internal/faults/upgrades":   {},
}

// staging and playing (with the packages below it) are the parts of the program that may import packages of
// support: a demo needs a fake Slack and a fake model.
const (
	staging = "cmd/bobbin/internal/stage"
	playing = "cmd/bobbin/internal/playground"
)

// support lists the packages for tests and for the demo.
var support = []string{"bot/bottest", "bot/slacktest", "bot/slacktest/blockkit", "workflow/model/modeltest", "workflow/postgres/postgrestest", "repo/npmtest", "repo/packages/packagestest", "repo/repotest", "repo/githubapp/githubtest", "repo/host/hosttest", "cmd/bobbin/internal/harness", "repo/sandbox/user/usertest", "cmd/bobbin/internal/harness/chatmodel", "cmd/bobbin/internal/harness/githost", "cmd/bobbin/internal/harness/shopcache", "repo/remotetest", "workflow/turn/turntest", "workflow/turn/ledger/ledgertest", "workflow/store/storetest"}

// inTests lists the packages that the tests of a package may import besides those in rooms.
var inTests = map[string][]string{
	"repo/retest":              {"repo/buildcache"},
	"workflow/turn/lookback":   {"repo/buildcache", "repo/packages", "repo/remote", "repo/sandbox", "workflow/store/inbox"},
	"workflow/turn/pictures":   {"repo/buildcache", "repo/remote", "repo/sandbox", "workflow/store/progress", "workflow"},
	"workflow/turn/backport":   {"repo/buildcache", "repo/host/github", "repo/sandbox", "workflow/store/audit", "workflow/store/consent", "workflow/store/inbox", "workflow/store/progress"},
	"workflow/agent/decision":  {"workflow/agent"},
	"workflow/store/progress":  {"workflow/store/spending", "workflow/store", "workflow/store/consent", "workflow/store/inbox", "workflow/store/queue", "workflow/incoming", "workflow/outgoing", "workflow/permit"},
	"workflow/store/consent":   {"workflow/store", "workflow/store/inbox", "workflow/store/outbox", "workflow/incoming"},
	"workflow/store/spending":  {"workflow/outgoing", "workflow/permit", "workflow/store", "workflow/store/consent"},
	"workflow/store/silence":   {"workflow/store/inbox", "workflow/incoming"},
	"workflow/store/alerts":    {"workflow/store", "workflow/store/outbox", "workflow"},
	"workflow/store/duplicate": {"workflow/store"},
	"workflow/store/timeline":  {"workflow/store", "workflow/store/progress"},
	"workflow/store": {
		"workflow/store/audit", "workflow/store/backports", "workflow/store/duplicate",
		"workflow/store/lessons", "workflow/store/outbox", "workflow/store/overview", "workflow/store/pauses",
		"workflow/store/pictures", "workflow/store/pullrequest", "workflow/incoming",
	},
	"workflow/store/audit":    {"workflow/store/consent", "workflow/store", "workflow/outgoing"},
	"workflow/store/database": {"workflow/store"},
	"workflow/store/inbox":    {"workflow/store/consent", "workflow/store", "workflow/outgoing"},
	"workflow/store/outbox": {
		"workflow/store/spending", "workflow/store/progress", "workflow/store", "workflow/incoming",
	},
	"workflow/store/retention": {"workflow", "workflow/store"},
	"cmd/bobbin": {
		"workflow/store/silence", "workflow/store/audit",
		"repo/remote", // the tests examine the parts of the whole program
		"repo/host",
		"repo/host/github",
		"repo/host/gitlab",
		"repo/host/gitea",
		"bot/gateway",
		"bot/poster",
		"workflow",
		"workflow/agent",
		"workflow/model",
		"workflow/postgres",
		"workflow/tool",
		"workflow/turn",
		"workflow/turn/catalog",
		"workflow/plaintext",
		"repo",
		"repo/project",
		"repo/buildcache",
		"repo/testrun",
		"migrations",
		"workflow/incoming",
		"workflow/intent",
		"workflow/quota",
		"workflow/button",
	},
	"cmd/bobbin/internal/storage": {"cmd/bobbin/internal/secrets", "workflow/redact"},                                   // the test masks a refused address
	"workflow/model/modeltest":    {"workflow/model/endpoint", "workflow/model"},                                        // the scripted endpoint is made for this client
	"bot/event":                   {"deploy"},                                                                           // reads the commands of the manifest
	"bot/gateway":                 {"bot/poster", "workflow/outgoing", "workflow/intent/command"},                       // people press what was posted
	"bot/people":                  {"workflow/lazyregexp", "bot/poster"},                                                // a thread also contains messages of the bot
	"bot/poster":                  {"bot/gateway", "bot/people"},                                                        // the bot's own files are no events; who is a guest
	"bot/render":                  {"bot/gateway", "bot/poster", "workflow/incoming"},                                   // the gallery shows what Slack gets
	"workflow/store/lessons":      {"workflow/store", "workflow/store/audit", "workflow/store/progress"},                // a test command is kept with its lesson
	"workflow/intent":             {"workflow", "workflow/intent/answer", "workflow/intent/command"},                    // one table of what people write
	"workflow/turn/experts":       {"repo/history"},                                                                     // a history that the test writes
	"workflow/tool":               {"repo/remote", "repo/transfer", "repo/buildcache", "repo/filetree", "repo/commits"}, // what hostile code can do to a proof
	"repo/testrun":                {"repo/packages"},                                                                    // packages are mounted for all that runs
	"workflow/turn/worktree":      {"repo/buildcache", "workflow/permit", "workflow/store/consent"},                     // for a checker, and an approval
	"workflow/turn/runtime":       {"repo/remote", "workflow/turn/catalog", "workflow/turn/folder"},                     // to open trees
	"workflow/turn/reproduction":  {"repo/buildcache", "repo/sandbox"},
	"repo/hunktrial":              {"repo/buildcache"},                                // for a checker
	"repo/testtrial":              {"repo/buildcache"},                                // for a checker
	"repo/proof":                  {"repo/remote", "repo/sandbox", "repo/buildcache"}, // for checkers

	"repo/sandbox":        {"repo/sandbox/initproc", "repo/sandbox/rootfs"},
	"repo/sandbox/cgroup": {"repo/sandbox/process"}, // commands are started from separate threads

	"cmd/bobbin/internal/playground": {"repo/buildcache"}, // Go's standard library is put into the shop's cache

	// Tests only: the assembled program, and what the tests of each kind of fault examine.
	"cmd/bobbin/internal/faults/badinputs":  {"repo/remote", "repo/transfer", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "repo", "repo/buildcache", "repo/sandbox", "repo/testrun", "workflow/agent", "workflow/model", "workflow/redact", "workflow/store", "workflow/store/queue", "workflow/tool", "workflow/turn", "workflow/turn/catalog", "workflow/permit", "repo/commits"},
	"cmd/bobbin/internal/faults/deliveries": {"workflow/store/inbox", "workflow/store/outbox", "bot", "bot/gateway", "bot/poster", "cmd/bobbin/internal/server", "workflow", "workflow/store", "workflow/incoming", "workflow/outgoing"},
	"cmd/bobbin/internal/faults/injections": {"repo/remote", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "repo", "workflow/redact", "workflow/store", "workflow/store/queue", "workflow/turn", "workflow/turn/catalog"},
	"cmd/bobbin/internal/faults/kills":      {"workflow/store/audit", "repo/disk", "cmd/bobbin/internal/config", "cmd/bobbin/internal/health", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage", "repo", "workflow/postgres", "workflow/store"},
	"cmd/bobbin/internal/composetest":       {"cmd/bobbin/internal/stage", "workflow/agent"},
	"cmd/bobbin/internal/faults/leaks":      {"repo/remote", "cmd/bobbin/internal/config", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage", "repo", "workflow/agent", "workflow/store", "workflow/store/queue", "workflow/turn", "workflow/turn/catalog"},
	"cmd/bobbin/internal/faults/models":     {"cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "workflow/model", "workflow/store", "workflow/store/queue", "workflow/quota"},
	"cmd/bobbin/internal/faults/remotes":    {"repo/remote", "cmd/bobbin/internal/config", "cmd/bobbin/internal/server", "cmd/bobbin/internal/storage", "repo", "workflow/agent", "workflow/store", "workflow/store/queue", "workflow/turn", "workflow/turn/catalog"},
	"cmd/bobbin/internal/faults/replicas":   {"cmd/bobbin/internal/config", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage", "workflow/postgres", "workflow/store", "workflow/store/audit"},
	"cmd/bobbin/internal/faults/upgrades":   {"repo/remote", "cmd/bobbin/internal/config", "cmd/bobbin/internal/server", "cmd/bobbin/internal/stage", "cmd/bobbin/internal/storage", "migrations", "repo", "workflow/store", "workflow/store/queue", "workflow/turn", "workflow/turn/catalog"},
	"repo":                                  {"repo/worktree/index"}, // what a workspace has recorded
	"repo/githubapp":                        {"repo", "repo/transfer", "repo/commits"},
	"repo/packages":                         {"repo/remote", "repo"},
	"workflow/pullrequests":                 {"workflow/store/backports", "workflow/store/consent", "repo/host/github", "repo/host/gitlab", "repo/host/gitea", "workflow/permit"},
	"repo/host":                             {"repo/host/github", "repo/host/gitlab", "repo/host/gitea"},
	"workflow/turn":                         {"workflow/store/spending", "workflow/tool", "workflow/store/backports", "workflow/store/pullrequest", "workflow/store/lessons", "workflow/store/duplicate", "workflow/store/audit", "workflow/store/inbox", "workflow/store/outbox", "bot", "bot/people", "bot/poster", "workflow/home", "repo/remote", "repo/diff", "repo/proof", "workflow/button", "workflow/diagnosis", "workflow/hometab", "workflow/inquiry", "workflow/permit", "workflow/planning"}, // who may approve is read as it is in Slack
	"workflow/turn/delivery":                {"workflow/quota"},
}

// everywhere lists the packages that every other may import: they import only the standard library.
var everywhere = []string{"workflow/failpoint"}

// vocabulary lists the packages of the types that all other packages use. They import only the standard
// library.
var vocabulary = []string{
	"workflow", "workflow/button", "workflow/card", "workflow/diagnosis", "workflow/hometab", "workflow/incoming",
	"workflow/inquiry", "workflow/outgoing", "workflow/permit", "workflow/planning", "workflow/quota",
}

// libraryOwners lists, for a library, the only packages that may import it: libraries that change often or are a
// risk stay behind one package boundary.
var libraryOwners = map[string][]string{
	"github.com/slack-go/slack":         {"bot", "bot/attachment", "bot/event", "bot/examine", "bot/gateway", "bot/people", "bot/poster", "bot/render"},
	"github.com/sashabaranov/go-openai": {"workflow/model", "workflow/model/endpoint", "workflow/model/modeltest"},
	"github.com/go-git/go-git/v5":       {"repo", "repo/bare", "repo/bundle", "repo/dial", "repo/diff", "repo/gittree", "repo/history", "repo/merge", "repo/objects", "repo/remote", "repo/remotetest", "repo/commits", "repo/spare", "repo/transfer", "repo/worktree", "repo/worktree/index", "repo/repotest", "cmd/bobbin/internal/stage"},
	"github.com/jackc/pgx/v5":           {"workflow/store", "workflow/store/spending", "workflow/store/audit", "workflow/store/consent", "workflow/store/progress", "workflow/store/record", "workflow/store/inbox", "workflow/store/outbox", "workflow/store/lessons", "workflow/store/overview", "workflow/store/pauses", "workflow/store/pictures", "workflow/store/backports", "workflow/store/pullrequest", "workflow/store/retention", "workflow/store/silence", "workflow/store/storetest", "workflow/store/timeline", "workflow/store/alerts", "workflow/store/duplicate", "workflow/store/database", "workflow/store/queue", "workflow/postgres", "workflow/postgres/postgrestest", "cmd/bobbin", "cmd/bobbin/internal/operate", "cmd/bobbin/internal/health", "cmd/bobbin/internal/secrets", "cmd/bobbin/internal/server", "cmd/bobbin/internal/sessions", "cmd/bobbin/internal/storage"},
	"go.opentelemetry.io":               {"workflow/tracing", "cmd/bobbin/internal/traces", "cmd/bobbin"},
	"github.com/exaring/otelpgx":        {"workflow/store/database"},
	"github.com/riverqueue/river":       {"workflow/store/database", "workflow/store/queue", "cmd/bobbin/internal/server"},
	"github.com/goccy/go-yaml":          {"cmd/bobbin", "cmd/bobbin/internal/strictyaml", "workflow/skill"},
	"go.yaml.in/yaml/v3":                {"repo/project/testcommands"},
	"github.com/alecthomas/kong":        {"cmd/bobbin", "cmd/bobbin/internal/completion"},
	"github.com/zricethezav/gitleaks":   {"workflow/redact"},
	"mvdan.cc/sh/v3":                    {"repo/project/command"},
}

// TestLayers checks the imports of all packages. It reads the source, because a test that runs the go
// command may be answered from the test cache and miss a breach.
func TestLayers(t *testing.T) {
	t.Parallel()
	require.Empty(t, strings.Join(breaches(t, os.DirFS("../.."), rooms), "\n"))
}

// TestLayersAreHeld holds a control for each rule: a tree with one breach of it.
func TestLayersAreHeld(t *testing.T) {
	t.Parallel()
	table := map[string][]string{"cmd/bobbin": {"bot", "bot/slacktest", "workflow"}, staging: {"bot/slacktest"}, "bot": {"workflow"}, "workflow": {}, "bot/slacktest": {}}
	sound := func() fstest.MapFS {
		return fstest.MapFS{
			"cmd/bobbin/main.go":       {Data: []byte("// Command bobbin wires.\npackage main\nimport _ \"" + module + "/bot\"\n")},
			staging + "/stage.go":      {Data: []byte("// Package stage plays.\npackage stage\nimport _ \"" + module + "/bot/slacktest\"\n")},
			"bot/bot.go":               {Data: []byte("// Package bot talks.\npackage bot\nimport _ \"" + module + "/workflow\"\nimport _ \"github.com/slack-go/slack/socketmode\"\n")},
			"bot/bot_test.go":          {Data: []byte("package bot_test\nimport _ \"" + module + "/bot/slacktest\"\nimport _ \"" + module + "/bot\"\n")},
			"bot/slacktest/server.go":  {Data: []byte("// Package slacktest plays.\npackage slacktest\n")},
			"workflow/workflow.go":     {Data: []byte("// Package workflow thinks.\npackage workflow\nimport _ \"go/ast\"\n")},
			"workflow/testdata/bad.go": {Data: []byte("not Go at all")},
			".ci/tools/bad.go":         {Data: []byte("not Go at all")},
		}
	}
	require.Empty(t, breaches(t, sound(), table))
	long := "package bot\nfunc Long() {\n" + strings.Repeat("\t_ = 1\n", maxLines) + "}\n"
	for name, c := range map[string]struct{ file, text, want string }{
		"import upwards":                {"workflow/up.go", "package workflow\nimport _ \"" + module + "/bot\"\n", "workflow/up.go: workflow may not import bot"},
		"support outside tests":         {"bot/more.go", "package bot\nimport _ \"" + module + "/bot/slacktest\"\n", "bot/more.go: fakes such as bot/slacktest are for tests and for " + staging},
		"a fake that the table lets in": {"cmd/bobbin/more.go", "package main\nimport _ \"" + module + "/bot/slacktest\"\n", "cmd/bobbin/more.go: fakes such as bot/slacktest are for tests and for " + staging},
		"upwards in a test":             {"workflow/up_test.go", "package workflow_test\nimport _ \"" + module + "/bot\"\n", "workflow/up_test.go: workflow may not import bot"},
		"a library in vocabulary":       {"workflow/lib.go", "package workflow\nimport _ \"golang.org/x/text\"\n", "workflow/lib.go: workflow imports the standard library alone, not golang.org/x/text"},
		"a kept library":                {"bot/slacktest/lib.go", "package slacktest\nimport _ \"github.com/slack-go/slack\"\n", "bot/slacktest/lib.go: only " + strings.Join(libraryOwners["github.com/slack-go/slack"], ", ") + " may import github.com/slack-go/slack"},
		"an unknown room":               {"util/util.go", "// Package util is a mistake.\npackage util\n", "util: it is not in the table of rooms"},
		"no package comment":            {"bot/slacktest/server.go", "package slacktest\n", "bot/slacktest: no package comment that begins with Package slacktest"},
		"another's comment":             {"bot/slacktest/server.go", "// Package bot plays.\npackage slacktest\n", "bot/slacktest: no package comment that begins with Package slacktest"},
		"a long function":               {"bot/long.go", long, "bot/long.go:2: Long has 102 lines; name its steps"},
		"an init function":              {"bot/init.go", "package bot\nfunc init() {}\n", "bot/init.go:2: no init functions"},
	} {
		tree := sound()
		tree[c.file] = &fstest.MapFile{Data: []byte(c.text)}
		require.Equal(t, []string{c.want}, breaches(t, tree, table), name)
	}
	without := sound()
	delete(without, "bot/slacktest/server.go")
	require.Equal(t, []string{"bot/slacktest: the table names it, and it is not there"}, breaches(t, without, table))
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
		room := path.Dir(name)
		checkImports(say, room, name, file, table)
		checkFunctions(say, files, file)
		if !strings.HasSuffix(name, "_test.go") {
			names[room] = file.Name.Name
			documented[room] = documented[room] || comments(file)
		}
	}
	for room, name := range names {
		if _, ok := table[room]; !ok {
			say("%s: it is not in the table of rooms", room)
		} else if !documented[room] {
			say("%s: no package comment that begins with Package %s", room, name)
		}
	}
	for room := range table {
		if names[room] == "" {
			say("%s: the table names it, and it is not there", room)
		}
	}
	slices.Sort(found)
	return found
}

// sources returns the Go files of the module, as the go command sees them.
func sources(t *testing.T, tree fs.FS) (names []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(base, ".go"):
			names = append(names, name)
		}
		return nil
	}))
	return names
}

func checkImports(say func(string, ...any), room, name string, file *ast.File, table map[string][]string) {
	test := strings.HasSuffix(name, "_test.go")
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
			if slices.Contains(support, ours) && !test && room != staging && !strings.HasPrefix(room+"/", playing+"/") && !slices.Contains(support, room) {
				say("%s: fakes such as %s are for tests and for %s", name, ours, staging)
				continue
			}
			allowed := slices.Contains(table[room], ours) || slices.Contains(everywhere, ours) || test && (ours == room || slices.Contains(support, ours) || slices.Contains(inTests[room], ours))
			if !allowed {
				say("%s: %s may not import %s", name, room, ours)
			}
			continue
		}
		if test {
			continue
		}
		if first, _, _ := strings.Cut(imported, "/"); (slices.Contains(vocabulary, room) || slices.Contains(everywhere, room)) && strings.Contains(first, ".") {
			say("%s: %s imports the standard library alone, not %s", name, room, imported)
		}
		for library, by := range libraryOwners {
			if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(by, room) {
				say("%s: only %s may import %s", name, strings.Join(by, ", "), imported)
			}
		}
	}
}

// initAllowed lists the packages with an init function that checks whether this process is the first one in
// a sandbox. It takes over before the rest of the program is initialised, which every command would wait
// for.
var initAllowed = []string{
	"repo/sandbox/bridge", "repo/sandbox/bubblewrap", "repo/sandbox/gvisor", "repo/sandbox/initproc",
	"repo/sandbox/namespaces", "repo/sandbox/probe",
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
