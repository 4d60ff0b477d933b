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
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A readerOf names code that reads data from outside this program, and the fuzz targets that cover it. A
// target is named with its package, a function with its file.
type readerOf struct {
	what      string
	functions []string
	targets   []string
}

// outside lists all code that parses data of others: of Slack and its people, of models, of repositories
// and what runs in them, of remotes and GitHub, of operators.
var outside = []readerOf{
	{
		"events, messages, blocks, files, clicks and forms of Slack",
		[]string{
			"bot/internal/event/event.go Normalise", "bot/internal/event/frame.go ReadFrame",
			"bot/internal/event/wire.go UnmarshalJSON",
		},
		[]string{"bot/internal/event FuzzNormalise"},
	},
	{
		"tickets in messages",
		[]string{"workflow/turn/internal/record/catalog/tickets.go TicketsIn"},
		[]string{"workflow/turn/internal/record/catalog FuzzTicketsIn"},
	},
	{
		"pull request templates of repositories",
		[]string{
			"workflow/turn/internal/record/proposal/template.go PullRequestTemplate",
			"workflow/pullrequests/template.go fill",
		},
		[]string{
			"workflow/turn/internal/record/proposal FuzzPullRequestTemplate",
			"workflow/pullrequests FuzzFill",
		},
	},
	{
		"reactions to messages",
		[]string{"bot/internal/event/reaction.go readReacted"},
		[]string{"bot/internal/event FuzzNormalise"},
	},
	{
		"words of models that look like the program's",
		[]string{"workflow/line.go Unmark", "workflow/turn/internal/record/claim/claim.go Without"},
		[]string{
			"bot/internal/render FuzzModelTextNeverLooksLikeTheProgram",
			"workflow/turn/internal/record/claim FuzzWithout",
		},
	},
	{
		"the completion of a refused call of a model",
		[]string{"workflow/turn/internal/tasks/orchestrator/amend.go completed"},
		[]string{"workflow/turn/internal/tasks/orchestrator FuzzCompleted"},
	},
	{
		"services and values that a repository's CI, compose and .env files name",
		[]string{
			"repo/build/environment/files.go readYAML", "repo/build/environment/declaration.go number",
		},
		[]string{"repo/build/environment FuzzFind"},
	},
	{
		"addresses of submodules",
		[]string{"repo/git/submodules.go parseRemote"},
		[]string{"repo/git FuzzSubmodule"},
	},
	{
		"versions and containers in a repository's files",
		[]string{
			"repo/build/environment/internal/wanted/versions.go manifestVersions",
			"repo/build/environment/internal/wanted/compare.go partsOf",
			"repo/build/environment/internal/wanted/devcontainer.go ReadDevcontainer",
		},
		[]string{"repo/build/environment/internal/wanted FuzzRead"},
	},
	{
		"advisories in the form of OSV, and the versions in them",
		[]string{
			"repo/build/packages/internal/osv/osv.go Find",
			"repo/build/packages/internal/osv/versions.go parsed",
		},
		[]string{"repo/build/packages/internal/osv FuzzEntry"},
	},
	{
		"answers of servers of Git LFS",
		[]string{"repo/build/packages/internal/lfs/client.go readAnswer"},
		[]string{"repo/build/packages/internal/lfs FuzzAnswer"},
	},
	{
		"pointers, attributes and settings of Git LFS in a repository's files",
		[]string{"repo/git/lfs.go ParsePointer", "repo/git/lfs.go parseAttributes", "repo/git/lfs.go lfsURL"},
		[]string{"repo/git FuzzLFS"},
	},
	{
		"modals that people send",
		[]string{"bot/internal/event/submission.go ReadSubmission", "workflow/intent/scope.go LimitedTo"},
		[]string{"bot/internal/event FuzzSubmission"},
	},
	{
		"messages that are sent to the bot, and homes that are opened",
		[]string{
			"bot/internal/event/sharedmessage.go ReadSharedMessage",
			"bot/internal/event/frame.go HomeOpenedBy", "bot/internal/event/frame.go HomePress",
		},
		[]string{"bot/internal/event FuzzSent"},
	},
	{
		"files that people attach",
		[]string{
			"bot/internal/attachment/fetch.go judgeContent", "bot/internal/attachment/fetch.go isSignInPage",
			"bot/internal/attachment/fetch.go pageText", "bot/internal/attachment/clip.go readVTT",
		},
		[]string{"bot/internal/attachment FuzzFetched"},
	},
	{
		"archives, office documents, HAR files and JSON lines that people attach",
		[]string{
			"bot/internal/attachment/extract/extract.go Read",
			"bot/internal/attachment/extract/archive.go readGzip",
			"bot/internal/attachment/extract/archive.go readTar",
			"bot/internal/attachment/extract/archive.go readZip",
			"bot/internal/attachment/extract/har.go readHAR",
			"bot/internal/attachment/extract/office.go documentOf",
			"bot/internal/attachment/extract/jsonlines.go layOut",
		},
		[]string{"bot/internal/attachment/extract FuzzRead"},
	},
	{
		"files and messages that are shared with a message",
		[]string{
			"bot/internal/event/shared.go sharedFiles", "bot/internal/event/shared.go quoteShared",
			"bot/internal/event/shared.go readPost",
		},
		[]string{"bot/internal/event FuzzShared"},
	},
	{
		"blocks, tables, attachments and previews of messages",
		[]string{"bot/internal/event/shown/shown.go Read"},
		[]string{"bot/internal/event/shown FuzzRead"},
	},
	{
		"pages of a thread, whose messages are kept with their JSON",
		[]string{"bot/history.go pair"},
		[]string{"bot FuzzPage"},
	},
	{
		"links to messages",
		[]string{"bot/people/linked.go permalink"},
		[]string{"bot/people FuzzPermalink"},
	},
	{
		"ids of Slack in what people write",
		[]string{"bot/people/names.go Readable"},
		[]string{"bot/people FuzzReadable"},
	},
	{
		"alerts that apps post",
		[]string{
			"bot/internal/event/feed.go readAlert", "bot/internal/event/alert/alert.go Read",
			"bot/internal/event/alert/name.go nameOf",
		},
		[]string{"bot/internal/event/alert FuzzRead", "bot/internal/event FuzzNormalise"},
	},
	{
		"slash commands",
		[]string{"bot/internal/event/slashcommand.go ReadCommand"},
		[]string{"bot/internal/event FuzzCommand"},
	},
	{
		"text of people and models on its way to Slack",
		[]string{
			"bot/internal/mrkdwn/text.go Visible", "bot/internal/mrkdwn/text.go Escape",
			"bot/internal/mrkdwn/split.go SplitText",
		},
		[]string{"bot/internal/mrkdwn FuzzText", "bot/internal/mrkdwn FuzzSplit"},
	},
	{
		"Markdown of models",
		[]string{"bot/internal/mrkdwn/mrkdwn.go Render", "bot/page/markup.go html"},
		[]string{"bot/internal/mrkdwn FuzzMrkdwn", "bot/internal/mrkdwn FuzzEmphasis", "bot/page FuzzMarkup"},
	},
	{
		"text and blocks of Slack, on a page",
		[]string{
			"cmd/bobbin/internal/playground/internal/slackhtml/text.go Text",
			"cmd/bobbin/internal/playground/internal/slackhtml/blocks.go Blocks",
			"bot/pagestyle/code.go Code",
		},
		[]string{"cmd/bobbin/internal/playground/internal/slackhtml FuzzShown"},
	},
	{
		"links to pages, and what pages show of rows and diffs",
		[]string{
			"bot/page/link.go read", "bot/pagestyle/diff.go SplitDiff", "bot/page/view.go readableArguments",
			"bot/page/view.go briefArgument", "bot/page/parts.go readShown",
			"workflow/store/view/timeline.go pairCalls",
		},
		[]string{
			"bot/pagestyle FuzzSplitDiff", "bot/page FuzzLink", "bot/page FuzzArguments",
			"bot/page FuzzShownParts", "workflow/store/view FuzzPairCalls",
		},
	},
	{
		"names of files that models attach",
		[]string{"bot/internal/render/file.go MarkedName"},
		[]string{"bot/internal/render FuzzFileName"},
	},

	{
		"words of consent",
		[]string{"workflow/intent/approval.go readConsent"},
		[]string{"workflow/intent FuzzReadConsent"},
	},
	{
		"other words that decide, and commands in words",
		[]string{
			"workflow/intent/internal/answer/option.go OptionNamed",
			"workflow/intent/internal/answer/move.go MoveOf",
			"workflow/intent/internal/answer/move.go EarlierIn",
			"workflow/intent/internal/command/command.go ReadFor", "workflow/intent/task.go taskNamed",
			"workflow/intent/internal/command/lesson.go ReadLesson",
		},
		[]string{"workflow/intent FuzzWords", "workflow/intent/internal/command FuzzRead"},
	},
	{
		"the repository that a message names",
		[]string{"workflow/turn/internal/record/catalog/choose.go choose"},
		[]string{"workflow/turn/internal/record/catalog FuzzChoose"},
	},
	{
		"the other repositories that a message or a path names",
		[]string{
			"workflow/turn/internal/record/catalog/others.go alsoNamed",
			"workflow/tool/repository.go SplitRepository",
		},
		[]string{
			"workflow/turn/internal/record/catalog FuzzAlsoNamed", "workflow/tool FuzzSplitRepository",
		},
	},
	{
		"the repository of a thread that a message is for",
		[]string{"workflow/intent/address.go AddressOf"},
		[]string{"workflow/intent FuzzAddressOf"},
	},
	{
		"the pull request that a message names",
		[]string{
			"workflow/turn/internal/record/catalog/pullwords.go pullMentions",
			"workflow/turn/internal/record/catalog/pullbase.go pullNumber",
		},
		[]string{"workflow/turn/internal/record/catalog FuzzPullMentions"},
	},
	{
		"issues, runs, commits and files that a message points at",
		[]string{
			"workflow/turn/internal/workspace/reference/find.go Find", "repo/host/page.go BelowPage",
			"repo/host/page.go ReadPage",
		},
		[]string{"workflow/turn/internal/workspace/reference FuzzFind"},
	},

	{
		"an endpoint's stream",
		[]string{
			"workflow/model/internal/endpoint/exchange.go dataOf",
			"workflow/model/internal/endpoint/exchange.go chunkOf", "workflow/model/answer.go Add",
		},
		[]string{"workflow/model FuzzStream"},
	},
	{
		"an endpoint's refusal, and how long it asks to wait",
		[]string{
			"workflow/model/internal/endpoint/errors.go endpointError",
			"workflow/model/internal/endpoint/exchange.go retryAfter",
		},
		[]string{"workflow/model FuzzRefusal", "workflow/model/internal/endpoint FuzzRetryAfter"},
	},
	{
		"arguments of tools",
		[]string{
			"workflow/model/internal/arguments/arguments.go Decode",
			"workflow/agent/internal/compaction/compaction.go shortArgs",
		},
		[]string{"workflow/model FuzzToolArguments", "workflow/agent/internal/compaction FuzzShortArgs"},
	},
	{
		"patches and edits of models",
		[]string{
			"workflow/tool/internal/patch/patch.go Parse",
			"workflow/tool/internal/patch/match.go ReplaceText",
		},
		[]string{"workflow/tool/internal/patch FuzzPatch", "workflow/tool/internal/patch FuzzReplace"},
	},
	{
		"search patterns of models",
		[]string{"workflow/tool/internal/find/pattern.go newPattern"},
		[]string{"workflow/tool/internal/find FuzzPattern"},
	},
	{
		"the pull request that a commit names",
		[]string{"repo/git/internal/history/parents.go PullRequest"},
		[]string{"repo/git/internal/history FuzzPullRequest"},
	},
	{
		"places that reports name",
		[]string{"workflow/turn/internal/workspace/worktree/locations.go SplitLocation"},
		[]string{"workflow/turn/internal/workspace/worktree FuzzSplitLocation"},
	},
	{
		"places that a review names",
		[]string{"workflow/turn/internal/agents/review/review.go locate"},
		[]string{"workflow/turn/internal/agents/review FuzzCheck"},
	},
	{
		"sources and commands that reports name",
		[]string{
			"workflow/turn/internal/agents/evidence/evidence.go PlacesOf",
			"workflow/turn/internal/agents/evidence/runs.go RunsIn",
			"workflow/turn/internal/agents/evidence/sources.go argumentText",
		},
		[]string{"workflow/turn/internal/agents/evidence FuzzClaims"},
	},
	{
		"what MCP servers say of their tools",
		[]string{"workflow/turn/internal/agents/sources/schema.go schemaOf"},
		[]string{"workflow/turn/internal/agents/sources FuzzSchema"},
	},
	{
		"issues that messages name, and what trackers answer",
		[]string{
			"repo/tracker/find.go Find", "repo/tracker/client.go send", "repo/tracker/sentry.go trace",
		},
		[]string{"repo/tracker FuzzFind", "repo/tracker FuzzAnswers"},
	},
	{
		"places that reports judge",
		[]string{"workflow/turn/internal/agents/siblings/place.go linesAt"},
		[]string{"workflow/turn/internal/agents/siblings FuzzPlaces"},
	},

	{
		"CODEOWNERS files",
		[]string{"repo/git/owners/codeowners.go Parse"},
		[]string{"repo/git/owners FuzzOwners"},
	},
	{
		"secrets in any text",
		[]string{"workflow/redact/redact.go Find", "workflow/redact/forms.go forms"},
		[]string{"workflow/redact FuzzMask"},
	},
	{
		"files of environment variables",
		[]string{"workflow/redact/env.go EnvValues"},
		[]string{"workflow/redact FuzzEnvValues"},
	},
	{
		"skills and their front matter",
		[]string{"workflow/skill/parse.go parse"},
		[]string{"workflow/skill FuzzRead"},
	},
	{
		"ignore files",
		[]string{"repo/disk/ignore.go parseIgnore", "repo/disk/ignore.go ReadIgnore"},
		[]string{"repo/disk FuzzIgnore", "repo/disk FuzzIgnoreFile"},
	},
	{
		"source files, for their outline",
		[]string{
			"workflow/tool/internal/find/outline_go.go goSymbols",
			"workflow/tool/internal/find/outline_lines.go lineSymbols",
		},
		[]string{"workflow/tool/internal/find FuzzOutline"},
	},
	{
		"names of commits, in the words of people and models",
		[]string{"workflow/tool/revision.go resolve", "workflow/tool/revision.go splitRange"},
		[]string{"workflow/tool FuzzRevision"},
	},
	{
		"output of commands",
		[]string{"workflow/plaintext/terminal.go StripTerminal"},
		[]string{"workflow/plaintext FuzzStripTerminal"},
	},

	{
		"reports of tests",
		[]string{
			"repo/build/internal/runners/gotest/json.go ReadJSON",
			"repo/build/internal/runners/gotest/text.go ReadText",
			"repo/build/internal/runners/junit.go readJUnit",
			"repo/build/internal/runners/tap.go readTAP",
			"repo/build/internal/runners/cargo.go readCargo",
			"repo/build/internal/runners/pytest.go readPytest",
			"repo/build/internal/runners/unittest.go readUnittest",
			"repo/build/internal/runners/vitest.go readVitest",
			"repo/build/internal/runners/jest.go readJest",
			"repo/build/internal/runners/nodespec.go readNodeSpec",
			"repo/build/internal/runners/mocha.go readMocha",
		},
		[]string{
			"repo/build/internal/runners FuzzGoJSON", "repo/build/internal/runners FuzzGoText",
			"repo/build/internal/runners FuzzJUnit", "repo/build/internal/runners FuzzTAP",
			"repo/build/internal/runners FuzzCargo", "repo/build/internal/runners FuzzPytest",
			"repo/build/internal/runners FuzzUnittest", "repo/build/internal/runners FuzzVitest",
			"repo/build/internal/runners FuzzJest", "repo/build/internal/runners FuzzNodeSpec",
			"repo/build/internal/runners FuzzMocha", "repo/build/internal/runners FuzzAny",
		},
	},
	{
		"settings of a project's tests",
		[]string{"repo/build/project/besidetests.go SpliceTestSettings"},
		[]string{"repo/build/project FuzzTestSettings"},
	},
	{
		"what a project says of itself",
		[]string{
			"repo/build/project/project.go Find", "repo/build/project/node.go findNode",
			"repo/build/project/php.go findPHP", "repo/build/project/workspace.go readMember",
		},
		[]string{"repo/build/project FuzzProject"},
	},
	{
		"commands that a project names for its tests",
		[]string{
			"repo/build/project/internal/testcommands/named.go readTox",
			"repo/build/project/internal/testcommands/named.go readNox",
			"repo/build/project/internal/testcommands/named.go readPyproject",
			"repo/build/project/internal/testcommands/named.go readRecipes",
			"repo/build/project/internal/testcommands/named.go readTaskfile",
			"repo/build/project/internal/testcommands/named.go readWorkflow",
			"repo/build/project/internal/testcommands/ci.go readPipeline",
		},
		[]string{"repo/build/project/internal/testcommands FuzzNamed"},
	},
	{
		"shell commands that a project names",
		[]string{"repo/build/project/internal/command/inside.go steps"},
		[]string{"repo/build/project/internal/command FuzzInside"},
	},
	{
		"Go's sources, for stand-ins",
		[]string{"repo/proof/internal/stub/stub.go parsed"},
		[]string{"repo/proof/internal/stub FuzzGo"},
	},
	{
		"what a folder says of its packages",
		[]string{
			"repo/build/packages/internal/manager/manager.go FindIn",
			"repo/build/packages/internal/manager/npm.go readNodeManifest",
			"repo/build/packages/internal/manager/composer.go readComposerManifest",
		},
		[]string{"repo/build/packages/internal/manager FuzzFindIn"},
	},
	{
		"versions in lock files and manifests",
		[]string{"repo/build/packages/internal/lockfile/lockfile.go Read"},
		[]string{"repo/build/packages/internal/lockfile FuzzRead"},
	},
	{
		"what package managers write of packages that they cannot get",
		[]string{"repo/build/packages/partial.go readLacking"},
		[]string{"repo/build/packages FuzzLacking"},
	},
	{
		"tests within Rust's sources",
		[]string{"repo/build/project/rust.go rustTestModule"},
		[]string{"repo/build/project FuzzRust"},
	},
	{
		"style sheets, markup, JSX and design tokens",
		[]string{
			"repo/design/internal/stylesheet/sheet.go ParseSheet",
			"repo/design/internal/markup/html.go ParseMarkup",
			"repo/design/internal/markup/jsx.go ScanJSX",
			"repo/design/internal/token/tokens.go ReadTokens",
			"repo/design/internal/token/theme.go scanTheme",
			"repo/design/internal/stylesheet/colour.go ParseColour",
			"repo/design/internal/stylesheet/value.go parseTime",
		},
		[]string{"repo/design FuzzDesign"},
	},
	{
		"pages of a project, and what they ask for",
		[]string{"repo/screenshot/pages.go Pages", "repo/screenshot/site.go answer"},
		[]string{"repo/screenshot FuzzPages"},
	},
	{
		"what a browser says that shows them",
		[]string{"repo/screenshot/browser.go listen", "repo/screenshot/camera.go readPicture"},
		[]string{"repo/screenshot FuzzBrowser"},
	},
	{
		"what a sandbox reports",
		[]string{"repo/sandbox/internal/initproc/start_linux.go readReport"},
		[]string{"repo/sandbox/internal/initproc FuzzReport"},
	},

	{
		"what a remote says that it has",
		[]string{
			"repo/git/internal/transfer/fetch.go readAdvertised",
			"repo/git/internal/transfer/refs.go ReadRefs",
		},
		[]string{"repo/git/internal/transfer FuzzAdvertised"},
	},
	{
		"packs and their indexes",
		[]string{
			"repo/git/internal/objects/pack.go ReadHeader", "repo/git/internal/objects/pack.go checkIndex",
			"repo/git/internal/objects/pack.go FindOffset",
		},
		[]string{"repo/git FuzzPack"},
	},
	{
		"trees, and the names in them",
		[]string{"repo/git/internal/gittree/tree.go Parse", "repo/git/internal/gittree/tree.go CheckName"},
		[]string{"repo/git/internal/gittree FuzzTree"},
	},
	{
		"a session's files as the database has them",
		[]string{"repo/git/internal/bundle/unpack.go ReadPack"},
		[]string{"repo/git FuzzUnpack", "repo/git FuzzUnpackSealed"},
	},
	{
		"names of commits and paths",
		[]string{"repo/git/names.go Resolve", "repo/git/reader.go ReadFile"},
		[]string{"repo/git FuzzResolve"},
	},
	{
		"paths with an effect beyond the code",
		[]string{"repo/git/diff/wider_effect.go WiderEffect"},
		[]string{"repo/git/diff FuzzWiderEffect"},
	},
	{
		"texts that are merged",
		[]string{"repo/git/internal/merge/text.go Texts"},
		[]string{"repo/git/internal/merge FuzzMergeText"},
	},
	{
		"words and errors of remotes, over http and ssh",
		[]string{"repo/git/remote/errors.go NewError", "repo/git/remote/retry.go RetryAfter"},
		[]string{"repo/git/remote FuzzRemoteWords", "repo/git/remote FuzzRetryAfterOfRemotes"},
	},
	{
		"addresses of remotes",
		[]string{
			"repo/git/remote/credentials.go Redact", "repo/git/mirror.go folderName",
			"cmd/bobbin/internal/address/address.go CheckURL",
			"cmd/bobbin/internal/address/address.go HideSecret",
		},
		[]string{
			"repo/git/remote FuzzAddress", "repo/git FuzzFolderName",
			"cmd/bobbin/internal/address FuzzRemoteURL",
		},
	},
	{
		"answers of GitHub's API",
		[]string{"repo/host/githubapp/ask.go refused", "repo/host/githubapp/ask.go wait"},
		[]string{"repo/host/githubapp FuzzAnswer"},
	},
	{
		"answers of git hosts",
		[]string{
			"repo/host/client.go errorMessage", "repo/host/client.go nextPage", "repo/host/client.go wait",
			"repo/host/client.go Page", "repo/host/github.go Checks",
			"repo/host/gitlab.go Checks", "repo/host/gitea.go Checks", "repo/host/github_read.go readRun",
			"repo/host/gitlab_read.go gitLabRun",
			"repo/host/file.go findIssue",
		},
		[]string{"repo/host FuzzAnswers"},
	},
	{
		"rules that a git host demands, and commits that it makes",
		[]string{"repo/host/rules.go Matches", "repo/host/github_commits.go rebuild"},
		[]string{"repo/host FuzzRules"},
	},
	{
		"repositories at GitHub",
		[]string{"repo/host/githubapp/app.go Repository", "repo/host/githubapp/app.go Covers"},
		[]string{"repo/host/githubapp FuzzRepository"},
	},

	{
		"Go's build cache, which the tests of a base branch can write",
		[]string{"repo/build/goentry.go parseGoAction"},
		[]string{"repo/build FuzzGoAction"},
	},
	{
		"hosts that a command asks the packages' proxy for",
		[]string{"repo/build/proxy/name.go parseTarget"},
		[]string{"repo/build/proxy FuzzTarget"},
	},

	{
		"the configuration",
		[]string{
			"cmd/bobbin/internal/config/config.go parseConfig",
			"cmd/bobbin/internal/config/limits.go readUnit",
			"cmd/bobbin/internal/strictyaml/decode.go Decode",
		},
		[]string{"cmd/bobbin/internal/config FuzzConfig"},
	},
	{
		"private keys",
		[]string{"repo/host/githubapp/assertion.go ParseKey"},
		[]string{"repo/host/githubapp FuzzKey"},
	},
	{
		"addresses of Postgres",
		[]string{
			"cmd/bobbin/internal/storage/database.go CheckDatabase",
			"cmd/bobbin/internal/secrets/secrets.go InDatabaseURL",
		},
		[]string{"cmd/bobbin/internal/storage FuzzDatabaseURL"},
	},
	{
		"what answers in the bot's place",
		[]string{"cmd/bobbin/internal/health/ask.go readHealth"},
		[]string{"cmd/bobbin/internal/health FuzzHealth"},
	},
	{
		"archives of the registry with Postgres in them",
		[]string{"repo/postgres/internal/programs/unpack.go unpack"},
		[]string{"repo/postgres/internal/programs FuzzUnpackArchive"},
	},
	{
		"scripts of the stand-in model",
		[]string{"workflow/model/modeltest/parse.go Parse"},
		[]string{"workflow/model/modeltest FuzzParse"},
	},
}

// inside lists the files that parse what this program itself, the operator or the kernel has written, with
// the reason why they need no fuzz target.
var inside = map[string]string{
	"bot/examine/examine.go": "answers of Slack's API, " +
		"which slack-go reads",
	"bot/page/shots.go": "the numbers in a picture's address, " +
		"by strconv alone",
	"cmd/bobbin/internal/initcmd/ask.go": "what the operator types, word by word",
	"cmd/bobbin/internal/initcmd/initcmd.go": "the complaints of this program about " +
		"what the operator typed",
	"cmd/bobbin/internal/initcmd/seen.go": "a list of a git host of the operator's, " +
		"by encoding/json alone; what is chosen of it is checked as configuration",
	"cmd/bobbin/internal/config/prices.go": "prices.json, which is in the program, and addresses of the " +
		"configuration, by net/url",
	"cmd/bobbin/internal/schema/settings.go": "settings.yaml, which is in the program",
	"workflow/store/backup/manifest.go":      "the operator's backup, by encoding/json, after its checksum",
	"workflow/store/backup/restore.go": "the operator's backup, by compress/gzip and Postgres, after its " +
		"checksum",
	"cmd/bobbin/internal/config/sources.go": "addresses of the configuration, " +
		"by url.Parse alone",
	"repo/source/http.go": "addresses of the configuration and of redirects, " +
		"by url.Parse alone",
	"repo/source/result.go":                            "answers of MCP servers, by encoding/json alone",
	"repo/source/sourcetest/sourcetest.go":             "requests of this program's own client",
	"repo/tracker/tracker.go":                          "addresses of the configuration, by url.Parse alone",
	"workflow/turn/internal/agents/sources/sources.go": "arguments of a call, by encoding/json alone",
	"workflow/trial/conclude.go":                       "settings that this program itself writes",
	"cmd/bobbin/internal/config/naming.go": "patterns of the configuration, " +
		"which only the operator writes",
	"cmd/bobbin/internal/config/host.go": "addresses of the configuration, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/server/hosts.go": "the same, once they were checked",
	"cmd/bobbin/internal/config/setup.go": "addresses of the configuration, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/doctor/doctor.go": "the operator's DATABASE_URL, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/doctor/machine.go": "proxies of the operator's environment, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/doctor/model.go": "the operator's endpoint, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/eval/report/result.go": "this program's own file",
	"cmd/bobbin/internal/playground/internal/view/messages.go": "attachments and timestamps of the " +
		"playground's own Slack",
	"cmd/bobbin/internal/playground/internal/view/page.go": "permalinks of the playground's own " +
		"Slack, by url.Parse alone",
	"cmd/bobbin/internal/playground/folder.go":                  "this program's own file",
	"cmd/bobbin/internal/playground/internal/view/workspace.go": "this program's own file",
	"cmd/bobbin/reload.go":                                      "this program's own file",
	"cmd/bobbin/manifest.go":                                    "the manifest that is part of this program",
	"repo/sandbox/internal/docker/docker_linux.go":              "the kernel's /proc",
	"repo/sandbox/internal/docker/args_linux.go":                "the kernel's /proc",
	"repo/sandbox/internal/docker/container_linux.go": "reports of this program's own first " +
		"process in a container",
	"repo/sandbox/internal/cgroup/hierarchy_linux.go":   "the kernel's /proc, and its own groups",
	"repo/sandbox/internal/gvisor/bundle_linux.go":      "gVisor's own log, a shape of one field",
	"repo/sandbox/internal/probe/probes_files_linux.go": "the kernel's /proc",
	"repo/build/packages/config.go": "addresses of the configuration, " +
		"by url.Parse alone",
	"repo/build/packages/account.go":  "what the operator's own tools say",
	"repo/build/packages/packages.go": "this program's own file",
	"cmd/bobbin/internal/address/code_url.go": "the operator's addresses, " +
		"by url.Parse alone",
	"workflow/model/internal/endpoint/list.go": "an endpoint's list of models, " +
		"for doctor: a shape of one field",
	"bot/slack.go": "answers of Slack's API, " +
		"which slack-go reads",
	"bot/capture.go": "answers of Slack's API: " +
		"a shape of two fields",
	"cmd/bobbin/internal/secrets/seal_linux.go": "the kernel's /proc",
	"cmd/bobbin/internal/config/endpoint.go": "addresses of the configuration, " +
		"by url.Parse alone",
	"cmd/bobbin/internal/config/environment.go": "SLACK_API_URL and OPENAI_BASE_URL, " +
		"by url.Parse alone",
	"repo/build/baseline.go":  "results that this program keeps",
	"repo/build/journal.go":   "results that this program keeps",
	"repo/design/contrast.go": "numbers of colours that were read before",
	"repo/git/internal/transfer/delete.go": "the request that is sent; what the remote lists is read by " +
		"push.go and refs.go",
	"repo/git/internal/transfer/push.go": "the request that is sent; " +
		"answers are go-git's to read",
	"repo/git/internal/dial/local.go":                   "the git program of this machine",
	"repo/sandbox/internal/bubblewrap/process_linux.go": "bubblewrap's own status, two numbers",
	"repo/sandbox/internal/probe/probe_linux.go":        "the probe's own answer, at the start",
	"repo/sandbox/internal/user/user_linux.go":          "the kernel's /proc",
	"repo/sandbox/internal/process/process_linux.go":    "the kernel's /proc",
	"workflow/model/wire.go": "arguments that are sent again; " +
		"they were read before",
	"repo/postgres/data.go":                                  "Postgres' own files",
	"repo/postgres/home.go":                                  "ids of this machine's accounts",
	"repo/postgres/lock.go":                                  "this program's own file",
	"repo/postgres/internal/programs/programs.go":            "versions that Postgres' programs print",
	"workflow/turn/internal/record/findings/grounds.go":      "rows of ours",
	"workflow/turn/internal/delivery/expectations.go":        "rows of ours",
	"workflow/store/progress/transcript.go":                  "rows of ours",
	"workflow/store/internal/record/mask.go":                 "rows of ours",
	"repo/proof/pairs.go":                                    "numbers of lines, digits alone",
	"workflow/store/progress/lookback.go":                    "rows of ours",
	"workflow/turn/internal/background/lookback/lookback.go": "rows of ours",
	"workflow/turn/internal/background/lookback/text.go":     "rows of ours",
	"workflow/store/backports/backports.go":                  "rows of ours",
	"workflow/store/progress/question.go":                    "rows of ours",
	"workflow/store/progress/hunks.go":                       "rows of ours",
	"workflow/store/consent/removal.go":                      "rows of ours",
	"workflow/store/outbox/outbox.go":                        "rows of ours",
	"workflow/store/outbox/move.go":                          "rows of ours",
	"workflow/store/outbox/reaction.go":                      "rows of ours",
	"workflow/store/move.go":                                 "rows of ours",
	"workflow/store/session.go":                              "rows of ours",
	"workflow/store/inbox/alerts.go":                         "the ts of a message that was read",
	"workflow/store/inbox/split.go":                          "what this program keeps with its own button",
	"workflow/store/queue/replica.go":                        "rows of ours",
	"workflow/store/database/database.go":                    "an address that was checked before",
	"workflow/tool/internal/patch/diff.go": "whether a file parses: " +
		"the answer of Go's own parsers",
	"workflow/tool/recall.go":                   "arguments of calls that were carried out",
	"workflow/agent/internal/compaction/sum.go": "arguments of calls that were carried out",
	"workflow/store/view/fold.go":               "rows of ours",
	"workflow/store/view/outcome.go":            "rows of ours",
	"bot/page/names.go":                         "the operator's own address of the repository",
	"cmd/bobbin/internal/server/queue.go":       "rows of ours",
	"workflow/tracing/tracing.go":               "rows of ours",
	"cmd/bobbin/internal/traces/traces.go": "addresses and headers of the operator's " +
		"own environment",
	"workflow/turn/internal/workspace/attachment/attachment.go": "what agents call an attachment: a number",
	"workflow/turn/internal/record/catalog/catalog.go":          "rows of ours",
	"workflow/turn/internal/delivery/criteria.go":               "rows of ours",
	"workflow/turn/internal/delivery/scope/remove_outside.go":   "rows of ours",
	"workflow/turn/internal/delivery/review.go":                 "rows of ours",
	"cmd/bobbin/internal/playground/internal/story/endpoint.go": "requests of this program's own client, " +
		"a shape of one field",
	"workflow/turn/internal/agents/inquiry/inquiry.go":      "rows of ours",
	"workflow/turn/internal/record/ledger/standing.go":      "rows of ours",
	"workflow/turn/internal/tasks/orchestrator/delegate.go": "rows of ours",
	"workflow/turn/internal/tasks/orchestrator/report.go":   "the body of a report, which this program wrote",
	"workflow/turn/internal/tasks/orchestrator/request.go":  "rows of ours",
	"workflow/turn/internal/tasks/orchestrator/tools.go":    "rows of ours",
	"workflow/turn/internal/record/findings/report.go":      "rows of ours",
	"workflow/turn/internal/tasks/worker/brief.go":          "rows of ours",
	"workflow/turn/internal/tasks/worker/escalation.go":     "rows of ours",
	"workflow/turn/internal/agents/runtime/transcript.go":   "rows of ours",
	"workflow/turn/internal/agents/runtime/env.go":          "a call's command, a shape of one field",
	"workflow/turn/internal/agents/experts/experts.go":      "numbers of lines, digits alone",
	"workflow/turn/internal/judge/press_rules.go": "a number that this program put into a " +
		"button's row",
	"workflow/turn/internal/judge/approval/held.go":         "rows of ours",
	"workflow/turn/internal/judge/approval/post.go":         "rows of ours",
	"workflow/tickets/review.go":                            "rows of ours",
	"workflow/store/settle.go":                              "rows of ours",
	"workflow/turn/internal/judge/settlement/settlement.go": "rows of ours",
	"workflow/lazyregexp/lazyregexp.go":                     "expressions of the program",
	"workflow/failpoint/on.go":                              "what a test sets, in a build for tests",
	"repo/sandbox/internal/cgroup/group_linux.go":           "what the kernel writes",
	"repo/sandbox/internal/cgroup/machine_linux.go":         "what the kernel writes",
	"repo/build/log.go":                                     "a line of a log, a shape of two texts",
	"repo/build/packages/login.go":                          "the operator's own address of the repository",
	"repo/build/packages/lfs.go":                            "the operator's own address of the repository",
	"workflow/repository/page.go":                           "the operator's own address of the repository",
	"workflow/plan.go":                                      "rows of ours",
	"workflow/report.go":                                    "rows of ours",
	"workflow/message.go":                                   "the ts of a message, two numbers",
	"workflow/turn/internal/tasks/orchestrator/thread.go":   "a number that this program wrote",
}

// decoding matches code that parses data.
var decoding = regexp.MustCompile(`json\.(Unmarshal|NewDecoder)|xml\.(Unmarshal|NewDecoder)|\byaml\.[A-Z]|` +
	`url\.Parse\(|(zlib|gzip|tar|zip)\.NewReader|packfile\.New(Scanner|Parser)|pem\.Decode|\.ParseConfig\(|` +
	`http\.ParseTime|parseIgnore\(|packp\.New|junit\.|parser\.Parse(File|Bytes|Expr)|css\.New|html\.New|` +
	`goldmark\.|regexp\.Compile|syntax\.Parse|strconv\.(Parse|Atoi)|fmt\.Sscan|bufio\.NewScanner`)

// TestWhatReadsOutsideDataIsFuzzed checks that all code that reads data of others has a fuzz target, and
// that every target is in the table.
func TestWhatReadsOutsideDataIsFuzzed(t *testing.T) {
	t.Parallel()
	require.Empty(t, strings.Join(unfuzzed(t, os.DirFS("../.."), outside, inside), "\n"))
}

// TestUnfuzzedReadersAreFoundOut holds a control for each rule.
func TestUnfuzzedReadersAreFoundOut(t *testing.T) {
	t.Parallel()
	sound := func() fstest.MapFS {
		return fstest.MapFS{
			"bot/read.go": {
				Data: []byte("package bot\nfunc read(b []byte) { json.Unmarshal(b, nil) }\n"),
			},
			"bot/own.go": {
				Data: []byte("package bot\nfunc own(b []byte) { json.Unmarshal(b, nil) }\n"),
			},
			"bot/read_test.go": {Data: []byte("package bot\nfunc FuzzRead(f *testing.F) {}\n")},
		}
	}
	table := []readerOf{{"data", []string{"bot/read.go read"}, []string{"bot FuzzRead"}}}
	own := map[string]string{"bot/own.go": "rows of ours"}
	require.Empty(t, unfuzzed(t, sound(), table, own))
	for want, spoil := range map[string]func(fstest.MapFS){
		"bot/new.go takes data apart: name it in the table, with a fuzz target, " +
			"or say whose data it is": func(m fstest.MapFS) {
			m["bot/new.go"] = &fstest.MapFile{Data: []byte("package bot\nfunc other() { url.Parse(\"\") }\n")}
		},
		"bot FuzzOther is in no row of the table": func(m fstest.MapFS) {
			m["bot/other_test.go"] = &fstest.MapFile{
				Data: []byte("package bot\nfunc FuzzOther(f *testing.F) {}\n"),
			}
		},
		"data: there is no bot FuzzRead": func(m fstest.MapFS) { delete(m, "bot/read_test.go") },
		"data: there is no bot/read.go read": func(m fstest.MapFS) {
			m["bot/read.go"] = &fstest.MapFile{
				Data: []byte("package bot\nfunc renamed(b []byte) { json.Unmarshal(b, nil) }\n"),
			}
		},
		"bot/own.go is not there, or takes nothing apart": func(m fstest.MapFS) { delete(m, "bot/own.go") },
	} {
		tree := sound()
		spoil(tree)
		require.Equal(t, []string{want}, unfuzzed(t, tree, table, own))
	}
	require.Equal(t, []string{"data: it has no target", "bot FuzzRead is in no row of the table"},
		unfuzzed(t, sound(), []readerOf{{"data", []string{"bot/read.go read"}, nil}}, own))
}

// unfuzzed returns what is wrong with the tables, one line each.
func unfuzzed(t *testing.T, tree fs.FS, table []readerOf, own map[string]string) (found []string) {
	t.Helper()
	functions, targets, decoders := declared(t, tree)
	named := map[string]bool{}
	files := map[string]bool{}
	for _, r := range table {
		for _, f := range r.functions {
			file, _, _ := strings.Cut(f, " ")
			files[file] = true
			if !functions[f] {
				found = append(found, fmt.Sprintf("%s: there is no %s", r.what, f))
			}
		}
		if len(r.targets) == 0 {
			found = append(found, r.what+": it has no target")
		}
		for _, name := range r.targets {
			named[name] = true
			if !targets[name] {
				found = append(found, fmt.Sprintf("%s: there is no %s", r.what, name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		if !named[name] {
			found = append(found, name+" is in no row of the table")
		}
	}
	for _, file := range slices.Sorted(maps.Keys(decoders)) {
		if !files[file] && own[file] == "" {
			found = append(found,
				file+" takes data apart: name it in the table, with a fuzz target, or say whose data it is")
		}
	}
	for _, file := range slices.Sorted(maps.Keys(own)) {
		if !decoders[file] {
			found = append(found, file+" is not there, or takes nothing apart")
		}
	}
	return found
}

// declared returns the functions of the module, its fuzz targets, and the files that parse data.
func declared(t *testing.T, tree fs.FS) (functions, targets, decoders map[string]bool) {
	t.Helper()
	functions = map[string]bool{}
	targets = map[string]bool{}
	decoders = map[string]bool{}
	for _, name := range sources(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		test := strings.HasSuffix(name, "_test.go")
		for _, d := range file.Decls {
			switch f, ok := d.(*ast.FuncDecl); {
			case !ok:
			case test && strings.HasPrefix(f.Name.Name, "Fuzz"):
				targets[path.Dir(name)+" "+f.Name.Name] = true
			case !test:
				functions[name+" "+f.Name.Name] = true
			}
		}
		// Packages for tests only parse what tests write.
		if !test && !isForTests(path.Dir(name)) && decoding.Match(text) {
			decoders[name] = true
		}
	}
	return functions, targets, decoders
}
