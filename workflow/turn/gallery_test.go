package turn

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/orchestrator"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// TestGallery posts each kind of line that a turn says, and compares what Slack gets with the golden
// files in bot/internal/render/testdata/gallery. The places that say something are read from the source:
// every such call is one. headings tells what each shows, which names its files. The text is read in the
// source, too; if it is made elsewhere, or if the line has buttons, samples has an example.
func TestGallery(t *testing.T) {
	t.Parallel()
	places := placesIn(t, os.DirFS("."))
	made := allSamples()
	fill := maps.Clone(fillings)
	require.Empty(t, strings.Join(misnamed(places, headings), "\n"))
	var names, missing []string
	var lines []workflow.Line
	for _, place := range slices.Sorted(maps.Keys(places)) {
		heading := headings[place]
		text := places[place]
		own := made[heading]
		delete(made, heading)
		if own == nil {
			if own = says(filled(t, fill, heading, text)); text == "" {
				missing = append(missing, heading)
			}
		}
		for i, l := range own {
			l.Vouched = vouchedIn(heading, l)
			names = append(names, fmt.Sprintf("%s-%d", strings.ReplaceAll(heading, " ", "-"), i+1))
			lines = append(lines, l)
		}
	}
	require.Empty(t, missing, "what these say is made elsewhere: samples needs one of each")
	require.Empty(t, slices.Collect(maps.Keys(made)), "samples of what no place says")
	require.Empty(t, slices.Collect(maps.Keys(fill)), "fillings of what is not read in the source")
	folder := filepath.Join("..", "..", "bot", "internal", "render", "testdata", "gallery", "lines")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.RemoveAll(folder))
	}
	for i, r := range posted(t, lines) {
		bottest.CompareGolden(t, filepath.Join(folder, names[i]+".json"), r)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, len(names), "pictures of what is said no more")
}

// posted returns the requests that post the lines, one for each.
func posted(t *testing.T, lines []workflow.Line) []slacktest.Request {
	t.Helper()
	slack := slacktest.New(slacktest.Config{AppName: "bobbin"})
	t.Cleanup(slack.Close)
	app := slack.App()
	ann := slack.AddUser(slacktest.User{Name: "ann"}).ID
	bugs := slack.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{app.BotUser, ann}}).ID
	root, err := slack.Say(bugs, ann, "the total is off", "")
	require.NoError(t, err)
	own, err := bot.Open(t.Context(),
		bot.Config{BotToken: app.BotToken, AppToken: app.AppToken, APIURL: slack.URL()})
	require.NoError(t, err)
	r := &Runner{Store: storetest.Open(t), Log: slog.New(slog.DiscardHandler)}
	th, err := r.ask(t.Context(), workflow.Thread{Team: app.TeamID, Channel: bugs, TS: root}, ann, "shop")
	require.NoError(t, err)
	for i := range lines {
		for b := range lines[i].Buttons {
			lines[i].Buttons[b].Value = fmt.Sprintf("opaque-%d-%d", i, b+1)
		}
	}
	th.SetRepository(nil, func(string) *workflow.Code { return aBase })
	require.NoError(t, th.Record(t.Context(), store.Replies(lines)))
	require.NoError(t, (&poster.Poster{
		Slack:  own,
		Outbox: outbox.New(r.Store.DB),
		Pace:   time.Microsecond,
		Links:  []string{"https://github.com/acme/", "https://acme.slack.com/"},
		Code:   map[string]string{"shop": "https://github.com/acme/shop/blob/{commit}/{path}#L{line}"},
	}).Drain(t.Context(), th.Session().ID))
	calls := slack.Requests("chat.postMessage")
	require.Len(t, calls, len(lines), "one reply each")
	for i := range calls {
		calls[i].Args.Set("blocks",
			regexp.MustCompile(`opaque-\d+`).ReplaceAllString(calls[i].Args.Get("blocks"), "opaque"))
	}
	return calls
}

func TestNewKindsOfLinesAreFound(t *testing.T) {
	t.Parallel()
	source := fstest.MapFS{"new.go": {Data: []byte("package turn\nfunc (t *turn) brandNew() {\n" +
		"t.ProgramLine(\"Hello, \" + p.Name + \".\")\n t.ProgramLine(fmt.Sprintf(\"%d of `%s`\", 1, x))\n" +
		" t.Answer(m, words)\n t.ProgramLine(\"a\", button)\n" +
		"said := \"Bye.\"\n t.ProgramLine(said)\n more := \"One.\"\n more = \"Two.\"\n" +
		" t.ProgramLine(more)\n }")}}
	require.Equal(t, map[string]string{
		"brandNew": "Hello, ann.", "brandNew-b": "3 of `…`", "brandNew-c": "", "brandNew-d": "",
		"brandNew-e": "Bye.", "brandNew-f": "",
	}, placesIn(t, source))
}

// A block that Slack would refuse has no picture.
func TestAPictureOfABrokenBlockIsRefused(t *testing.T) {
	t.Parallel()
	calls := posted(t, says("fine"))
	_, err := slacktest.Picture(calls[0])
	require.NoError(t, err)
	for blocks, want := range map[string]string{
		`[{"type": "section"}]`:                            "missing required field: text",
		`[{"type": "actions", "elements": []}]`:            "no less than 1 item required",
		`[{"type": "plan", "title": ""}]`:                  "missing required field: title",
		`[{"type": "sparkles"}]`:                           "unsupported type: sparkles",
		`[{"type": "header", "text": {"type": "mrkdwn"}}]`: "unsupported type: mrkdwn",
	} {
		calls[0].Args.Set("blocks", blocks)
		_, err := slacktest.Picture(calls[0])
		require.ErrorContains(t, err, want)
	}
	calls[0].Args.Set("text", strings.Repeat("x", 4001))
	_, err = slacktest.Picture(calls[0])
	require.ErrorContains(t, err, "more than 4000")
}

// ownWords holds the headings of lines that are an agent's own words.
var ownWords = []string{
	"an answer",
	"advice",
	"a question",
	"a request as understood",
	"default answers are offered",
	"the work is blocked",
	"a plan is ticked off",
}

// vouchedIn returns which lines of a sample the program vouches for: those that its
// heading says, or the first one.
func vouchedIn(heading string, l workflow.Line) []int {
	switch {
	case slices.Contains(ownWords, heading):
		return nil
	case heading == "a plan" || heading == "a request needs an approval":
		return []int{strings.Count(l.Text, "\n")}
	case heading == "a report":
		return []int{1, strings.Count(l.Text, "\n")}
	case heading == "a push needs a permission":
		return notItems(l.Text)
	case heading == "the repository is opened" && strings.Contains(l.Text, "\n"):
		return []int{0, 1}
	case heading == "the change is pushed" && strings.Contains(l.Text, "not proven"):
		return []int{0, 1, 3, 4, 5}
	case heading == "the change is pushed":
		return []int{0, 3, 4, 5, 6, 7, 8, 9, 10}
	case heading == "a task is done" || heading == "the work is blocked, with buttons":
		return []int{1}
	case heading == "the change is explained":
		return []int{3}
	case heading == "a backport is pushed" || heading == "since when it is broken" || heading == "pictures":
		return []int{0, 1, 2}
	}
	return []int{0}
}

// notItems returns the numbers of the lines that are no items of a list.
func notItems(text string) (numbers []int) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "  • ") {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// TestWhoVouches lists the files in which a line is made that the program vouches for, besides those that
// copy it. A model's words get no such line: they are in AgentLine, OwnLine, or in Text.Add.
func TestWhoVouches(t *testing.T) {
	t.Parallel()
	var found []string
	for _, root := range []string{"../../bot", "../../workflow", "../../cmd", "../../repo"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if vouching.Match(text) {
				found = append(found, strings.TrimPrefix(path, "../../"))
			}
			return err
		}))
	}
	require.Equal(t, []string{
		"bot/internal/render/withoutcode.go",
		"bot/poster/attach.go",
		"workflow/channelguide.go",
		"workflow/pullrequests/conflicts.go",
		"workflow/pullrequests/follow.go",
		"workflow/pullrequests/follower.go",
		"workflow/tickets/tickets.go",
		"workflow/turn/internal/agents/inquiry/diff.go",
		"workflow/turn/internal/agents/inquiry/reader.go",
		"workflow/turn/internal/agents/runtime/loop.go",
		"workflow/turn/internal/agents/runtime/transcript.go",
		"workflow/turn/internal/background/backport/backport.go",
		"workflow/turn/internal/background/backport/demands.go",
		"workflow/turn/internal/background/backport/port.go",
		"workflow/turn/internal/background/lookback/text.go",
		"workflow/turn/internal/background/pictures/pictures.go",
		"workflow/turn/internal/delivery/allowance.go",
		"workflow/turn/internal/delivery/disclosure.go",
		"workflow/turn/internal/delivery/result.go",
		"workflow/turn/internal/delivery/review.go",
		"workflow/turn/internal/judge/approval/file.go",
		"workflow/turn/internal/judge/approval/move.go",
		"workflow/turn/internal/record/ledger/say.go",
		"workflow/turn/internal/record/ledger/words.go",
		"workflow/turn/internal/tasks/orchestrator/report.go",
		"workflow/turn/internal/tasks/orchestrator/request.go",
		"workflow/turn/internal/tasks/orchestrator/tools.go",
		"workflow/turn/internal/tasks/worker/outcome.go",
		"workflow/turn/internal/tasks/worker/tools.go",
		"workflow/turn/internal/workspace/worktree/open.go",
		"workflow/turn/watchdog.go",
	}, found)
}

// vouching matches how a line gets a part that the program vouches for.
var vouching = regexp.MustCompile(
	`Vouched: +\[\]int\{|\.Vouched = (?:append\(|\[\]int|text\.|vouched\()|\.Vouch\(|VouchBelow\(`,
)

func says(texts ...string) (lines []workflow.Line) {
	for _, text := range texts {
		lines = append(lines, workflow.Line{Agent: "orchestrator", Text: text})
	}
	return lines
}

// speaking maps the functions that say something to the index of the argument that holds the text; a
// negative index counts from the end.
var speaking = map[string]int{
	"ProgramLine":    0,
	"ProgramText":    0,
	"AgentLine":      0,
	"ProgressLine":   0,
	"OwnLine":        1,
	"Answer":         1,
	"Refuse":         -1,
	"RefuseInThread": 4,
	"Tell":           2,
	"refuseRevision": -1,
	"turnAway":       -1,
	"SayIfNew":       -1,
	"SayOnce":        -1,
	"Say":            -1,
}

// placesIn returns the places in a source that say something, named after their function, with their
// text. The text is empty if it is not a literal there or in a name with that one value, or if the line
// has buttons.
func placesIn(t *testing.T, source fs.FS) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	var names []string
	require.NoError(t, fs.WalkDir(source, ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
		return err
	}))
	for _, name := range names {
		text, err := fs.ReadFile(source, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || passesOn(f.Name.Name) {
				continue
			}
			for i, words := range saidIn(f.Body) {
				kind := f.Name.Name
				if i > 0 {
					kind = fmt.Sprintf("%s-%c", kind, 'a'+i)
				}
				require.NotContains(t, kinds, kind, "two functions of a name")
				kinds[kind] = words
			}
		}
	}
	return kinds
}

// passesOn reports whether a function only says what it is given.
func passesOn(function string) bool {
	_, ok := speaking[function]
	return ok
}

func saidIn(body *ast.BlockStmt) (all []string) {
	assigned := assignedOnce(body)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			selected, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at, ok := speaking[selected.Sel.Name]
			if !ok || at > 0 && len(n.Args) <= at || selected.Sel.Name == "Say" {
				return true
			}
			if at < 0 {
				at += len(n.Args)
			}
			arg := n.Args[at]
			if name, ok := arg.(*ast.Ident); ok && assigned[name.Name] != nil {
				arg = assigned[name.Name]
			}
			words := sampleOf(arg)
			if at >= 0 && len(n.Args) > at+1 { // the line has buttons
				words = ""
			}
			all = append(all, words)
		case *ast.CompositeLit:
			if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Line" {
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok && fmt.Sprint(kv.Key) == "Text" {
						all = append(all, sampleOf(kv.Value))
					}
				}
			}
		}
		return true
	})
	return all
}

// assignedOnce returns the values of the names to which a function assigns one value, in one place.
func assignedOnce(body *ast.BlockStmt) map[string]ast.Expr {
	values := map[string]ast.Expr{}
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range a.Lhs {
			name, ok := left.(*ast.Ident)
			if !ok {
				continue
			}
			_, again := values[name.Name]
			values[name.Name] = nil
			if !again && a.Tok == token.DEFINE && len(a.Lhs) == len(a.Rhs) {
				values[name.Name] = a.Rhs[i]
			}
		}
		return true
	})
	return values
}

// sampleOf returns the text that an expression says, with a placeholder for each value that is filled
// in. It returns an empty string if the expression has no literal text.
func sampleOf(e ast.Expr) string {
	words, literal := sample(e)
	if !literal {
		return ""
	}
	return words
}

var verbs = regexp.MustCompile(`%[a-z]`)

func sample(e ast.Expr) (words string, literal bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		left, a := sample(e.X)
		right, b := sample(e.Y)
		return left + right, a || b
	case *ast.SelectorExpr:
		if e.Sel.Name == "Name" && isRepository(e.X) {
			return "shop", false
		}
		if e.Sel.Name == "Name" || e.Sel.Name == "UserName" {
			return "ann", false
		}
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sprintf" {
			return formatted(e.Args)
		}
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Signature" {
			return "consultant", false
		}
	}
	return "…", false
}

// isRepository reports whether an expression is a repository, going by its name.
func isRepository(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "r"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Repository"
	}
	return false
}

// formatted fills in the verbs of a format.
func formatted(args []ast.Expr) (string, bool) {
	format, literal := sample(args[0])
	n := 0
	return verbs.ReplaceAllStringFunc(format, func(verb string) string {
		n++
		filled := "…"
		if n < len(args) {
			filled, _ = sample(args[n])
		}
		switch {
		case verb == "%d":
			return "3"
		case verb == "%q":
			return strconv.Quote(filled)
		}
		return filled
	}), literal
}

var (
	aCause = decision.RootCause{
		Summary:    "A whole refund gives back more than was paid",
		Cause:      "money.Split drops the remainder (money/split.go:13).",
		Change:     "Split hands out every cent; one test",
		Confidence: "high",
		Remains:    "An order of one item with two coupons is still a cent off.",
		Evidence: []workflow.Evidence{
			{Claim: "the remainder is dropped", Grade: "observed", Source: "money/split.go:13"},
			{Claim: "others are right", Grade: "inferred"},
		},
		Siblings: &workflow.Siblings{
			Pattern: "total /",
			Places: []workflow.Sibling{
				{At: "cart/total.go:40", Verdict: workflow.SiblingAffected},
				{At: "api/v2.go:10", Verdict: workflow.SiblingNotLookedAt},
			},
		},
	}
	aDiagnosis = workflow.DiagnosisReport{
		Bug:           "Refunds are too high",
		RootCause:     "money.Split drops the remainder (money/split.go:13)",
		AffectedScope: []string{"orders with a coupon", "about 40 a day"},
		ProposedFix:   []string{"hand every cent out", "a test"},
		Hypotheses: []workflow.Hypothesis{{
			Claim: "the split rounds down", Probe: "go test ./money", Outcome: "confirmed",
		}},
		Risk:     workflow.Risk{Level: "LOW", Reason: "one function, and its callers are tested"},
		Evidence: aCause.Evidence,
		Remains:  "Refunds that were paid out already stay a cent too high.",
	}
	aRequest = workflow.Request{
		SurfaceArea:  "the receipt (receipt/)",
		Constraints:  []string{"no new dependency"},
		DoneCriteria: []string{"the total is shown"},
		Files:        []string{"receipt/print.go"},
	}
	aQuestion = decision.Question{
		Question:    "Which rounding?",
		Options:     []string{"half up", "to even"},
		Recommended: "to even",
		Open:        []workflow.OpenDecision{{}},
	}
	aPlan = workflow.Plan{
		Title:   "Receipts by mail",
		Summary: "Receipts are sent.",
		Tasks: []workflow.PlannedTask{{
			Description: "Send it",
			Category:    "deep",
			Skill:       "tdd",
			Files:       []string{"mail/send.go"},
			Acceptance:  "it is sent",
			Check:       "go test ./mail",
		}},
		Risks:        []string{"none"},
		Verification: "go test ./...",
	}
	anAdvice = workflow.Advice{
		BottomLine: "Round the running total.",
		Steps:      []string{"change Split", "add a test"},
		Effort:     "quick",
		Confidence: "high",
		Risks:      []string{"negative amounts"},
	}
)

// with returns a line of the program with buttons.
func with(text string, buttons ...workflow.Button) workflow.Line {
	return workflow.Line{Agent: "orchestrator", Text: text, Buttons: buttons}
}

// labelled returns buttons, each of an action id, a label and a style.
func labelled(b ...string) (list []workflow.Button) {
	for i := 0; i < len(b); i += 3 {
		list = append(list, workflow.Button{ActionID: workflow.ActionID(b[i]), Label: b[i+1], Style: b[i+2]})
	}
	return list
}

// pushQuestions returns a question before a push for each kind of reason.
func pushQuestions(correctOrStop []string) []workflow.Line {
	return []workflow.Line{
		with("The work is ready and proven, but pushing it needs a separate permission, because it changes "+
			"more than the code:\n  • the build: `.github/workflows/test.yml`\nNothing was pushed. "+
			"Reply \"push it\" to allow exactly these files (tree 134b2ba), or say what to leave out.",
			labelled(append([]string{"push_it", "Push it", "primary", "show_diff", "Show the diff", ""},
				correctOrStop...)...)...),
		with("The work is ready, but nothing can be proven here: eslint is not installed.\n"+
			"Nothing was pushed. When that is fixed, write \"go on\"; "+
			"or reply \"push it unproven\" to have exactly these files as they are (tree 134b2ba).",
			labelled(append([]string{
				"push_it", "Push it unproven", "primary", "show_diff", "Show the diff", "",
			}, correctOrStop...)...)...),
		with("The work is ready: only documents were changed, which no test shows, "+
			"and what passed before still passes.\nIt changes more than the code:\n"+
			"  • `AGENTS.md`, modified: it decides what coding agents are told here\nNothing was pushed. "+
			"Reply \"push it unproven\" to have exactly these files as they are (tree 134b2ba).",
			labelled(append([]string{
				"push_it", "Push it unproven", "primary", "show_diff", "Show the diff", "",
			}, correctOrStop...)...)...),
		with("The work is ready and proven, but pushing it needs a separate permission, because somebody "+
			"objected:\n  • bea: \"wrong file\"\n  • gus reacted with :x:\nNothing was pushed. Reply "+
			"\"push all the same\" to allow exactly these files (tree 134b2ba), or say what to leave out.",
			labelled(append([]string{"push_it", "Push all the same", "primary"}, correctOrStop...)...)...),
	}
}

// consentSamples returns examples of the lines about stops, and about what people approve with a limit.
func consentSamples() map[string][]workflow.Line {
	asked := func(text, label string) workflow.Line {
		return workflow.Line{
			Agent: "orchestrator", Text: text,
			Buttons: []workflow.Button{
				{ActionID: workflow.ButtonFix, Label: label, Style: "primary"},
				{ActionID: workflow.ButtonCorrect, Label: "No"},
			},
		}
	}
	return map[string][]workflow.Line{
		"is this an approval": {
			asked(
				"ann, shall I read “yes, but only the guard” as approval of revision 1, limited to: the "+
					"guard? Press a button, or reply \"fix it\".",
				"Yes, fix it",
			),
			asked(
				"ann, I cannot wait for that: \"provided bob agrees\". Reply \"fix it\" when the time "+
					"has come, or press the button to approve revision 1 now, limited to: the guard.",
				"Fix it now",
			),
		},
		"a stop without work": says(
			"gus, nothing is under way here that I could stop. Revision 1 stays open for an approver.",
			"Stopped reading what was written below revision 1, as gus asked. "+
				"The revision stays open for an approver.",
		),
		"a stop in the channel": append(
			says("Nothing is at work in this channel, so there is nothing to stop."),
			workflow.Line{
				Agent: "orchestrator",
				Text: "Nothing runs in this thread. At work in this channel: " +
					"[the tax is a cent off](https://acme.slack.com/archives/C1/p101), asked by ann.",
				Buttons: []workflow.Button{
					{
						ActionID: workflow.ButtonStopThread,
						Label:    "Stop: the tax is a cent off",
						Style:    "danger",
					},
				},
			},
		),
		"no name is allowed": says("I do not begin: the branch needs a ticket (`fix/{ticket}-{slug}`), and " +
			"nobody who may approve has named one: write `ticket: PAY-881` with the right one, and approve " +
			"again."),
		"a second approval": {
			{Agent: "orchestrator", Text: "Revision 1 was already approved by ann."},
			{
				Agent: "orchestrator",
				Text: "The approval of revision 1 was taken back. ann edited the approval to \"do not fix " +
					"it\". " +
					"The work was stopped. Shall it go on? Press the button, or write \"go on\".",
				Buttons: []workflow.Button{{ActionID: workflow.ButtonGoOn, Label: "Go on"}},
			},
		},
		"was a withdrawal meant": says(
			`cem, was “ok, go on” for me? Your objection stands. To take it back, write "I take it back".`),
		"is a stopped report taken up": {
			{
				Agent: "orchestrator",
				Text:  "ann, revision 1 was stopped by bea. Take it up again, limited to: the guard?",
				Buttons: []workflow.Button{
					{ActionID: workflow.ButtonTakeUp, Label: "Fix it, so limited", Style: "primary"},
					{ActionID: workflow.ButtonCorrect, Label: "Correct…"},
				},
			},
		},
	}
}

// disclosureSamples returns examples of what is said before a push from a private thread.
func disclosureSamples() map[string][]workflow.Line {
	const later = " That holds for later pushes from this thread, too."
	return map[string][]workflow.Line{
		"words of a private thread": {{
			Agent: "orchestrator",
			Text: "Nothing was pushed. This conversation is private, and everybody can read shop. Others " +
				"would read:\n  • branch: `bobbin/fix-7f3k`\n  • commit: “Keep the rest”\n  • names: " +
				"ann, bea\n" +
				"Without the thread's words:\n  • branch: `bobbin/fix-7f3k`\n  • commit: “Change " +
				"money.go”, without report, names, quotes and link\nReply \"push it so\" or \"push it " +
				"without the thread's words\". The answer holds for later pushes from this thread, too.",
			Buttons: []workflow.Button{
				{ActionID: workflow.ButtonPushShown, Label: "Push it so"},
				{ActionID: workflow.ButtonPushNeutral, Label: "Push without the thread's words"},
				{ActionID: workflow.ButtonDetails, Label: "Show the text"},
				{ActionID: workflow.ButtonStop, Label: "Stop", Style: "danger"},
			},
		}},
		"how a push is worded": says("I push exactly these words, as bea asked."+later,
			"I push it without this thread's words, as bea asked."+later),
		"how a push is worded, refused": says("Nothing was pushed: this conversation is private, and " +
			"others could read what I showed. Reply \"push it so\", or \"push it without the thread's " +
			"words\"."),
	}
}

// allSamples returns examples of the lines whose text is made elsewhere than where it is said, made by the
// function that makes them if that can be called alone.
func allSamples() map[string][]workflow.Line {
	all := consentSamples()
	maps.Copy(all, disclosureSamples())
	maps.Copy(all, questionSamples())
	maps.Copy(all, replySamples())
	maps.Copy(all, refusedSamples())
	maps.Copy(all, threadSamples())
	maps.Copy(all, moveSamples())
	maps.Copy(all, workSamples())
	maps.Copy(all, pushSamples())
	maps.Copy(all, afterPushSamples())
	all["help"] = says(aHelp.Markdown(), workflow.Help{Unconfigured: true}.Markdown())
	all["what a thread waits for"] = says(`A report waits for its approval: "fix it", or say what is wrong.`)
	return all
}

// aHelp is what a person is told in a channel with a repository of its own.
var aHelp = workflow.Help{
	Thread: `A report waits for its approval: "fix it", or say what is wrong.`,
	Repositories: []workflow.HelpRepository{{
		Name:      "shop",
		Base:      "main",
		Own:       true,
		Approvers: "bea and ann",
		May:       "You may not: this repository names its approvers.",
		Past:      workflow.Past{Pushed: 12, USD: 0.4, Tokens: 90000, Worked: 6 * time.Minute},
	}},
	Limits: workflow.Limits{workflow.SpanSession: {workflow.UnitUSD: 5, workflow.UnitMinutes: 60}},
}

func resultButtons() []workflow.Button {
	buttons := labelled("show_diff", "Show the diff", "", "explain", "Explain", "", "correct",
		"Something is missing…", "", "details", "Details", "", "consult", "Second opinion", "")
	for i := range buttons[3:] {
		buttons[3+i].Menu = true
	}
	return buttons
}

// aBase has the places that the samples name and that exist at the base.
var aBase = &workflow.Code{
	Repository: "shop",
	Commit:     "134b2ba",
	Places:     []string{"money/split.go:13", "cart/total.go:40", "api/v2.go:10", "refund/refund.go:20"},
}

func anEdition(revision int, status string) findings.Edition {
	return findings.Edition{Repository: "shop", Commit: "134b2ba", Revision: revision, Status: status}
}

// questionSamples returns examples of the lines that ask something or show what waits for a yes.
func questionSamples() map[string][]workflow.Line {
	ledger := &ledger.Ledger{Agents: agent.Table(nil)}
	t := &approval.Approvals{
		Judgements: approval.Judgements{Ledger: ledger},
		Catalog:    &catalog.Catalog{Ledger: ledger},
	}
	edition := findings.Edition{Repository: "shop", Commit: "134b2ba", Revision: 1}
	plan := with(aPlan.Text()+"\n"+edition.PlanFooter(false), t.ReportButtons("Go ahead")...)
	plan.Files = []workflow.File{{
		Name: "plan.md", Title: "Receipts by mail (revision 1)", Text: aPlan.Markdown(),
	}}
	correctOrStop := []string{"correct", "Correct…", "", "ask_stop", "Stop…", ""}
	return map[string][]workflow.Line{
		"others have to approve": {with(
			"Revision 1 approved by ann (1 of 2). Still needed: 1 more approver (bea or cem).",
			t.ReportButtons("Fix it, too")...,
		)},
		"a report": {
			with(findings.ReportText(aCause, anEdition(1, findings.StatusShown)),
				append(t.ReportButtons("Fix it", approval.DiagnoseButton()),
					labelled("details", "Details", "")...)...),
			with(findings.DiagnosisText(aDiagnosis, anEdition(2, findings.StatusUnproven)),
				append(t.ReportButtons("Fix it"), labelled("details", "Details", "")...)...),
		},
		"a limit stops a test": says("TestArgon2 cannot be run here, on main either (needed more than " +
			"2 GB), and is left out. `checks: {memory: 4 GB}` of the repository in bobbin.yaml allows more."),
		"the git host would refuse a push": says("What I push would be refused. The host demands signed " +
			"commits of what is merged into `main`, and commits here are not signed. My operator can set " +
			"`commits: {sign_key_file: FILE}` of the repository, and add the public key to the bot's " +
			"account at the host, for signatures."),
		"another repository is read": says("Also reading api (main at 134b2ba)."),
		"another repository is not read": says(
			"I know no repository `vault` here. I can also read: api, web.",
			"I do not read web in this thread: guests or people from another workspace are in this "+
				"channel, and its "+
				"code is for full members.",
			"I cannot read api now, and go on without it. Name it again later."),
		"most tests skip": says("312 of 340 tests skip on main: they may need a database, or something " +
			"else that is not here."),
		"the tests did not start": says("Nothing can be proven here, since the tests do not start on main " +
			"itself: swift is not installed. My operator can have it installed, or name another command " +
			"(`checks.test` of the repository). Or CI proves it: I ask before the push."),
		"a service is another version": says("The tests want postgres 16 (.github/workflows/test.yml); " +
			"they run with 15.7."),
		"a said test command does not start": says("`make test262` did not start on main (make is not " +
			"installed), so it is not used. I go on with `npm test`."),
		"a plan":                  {plan},
		"a request as understood": says(aRequest.Text()),
		"a request needs an approval": {with(aRequest.Text()+
			"\nRevision 1. I need an approval before I build this (somebody other than the person "+
			"who asked has to approve here). Any full member of the workspace who is in this channel can, "+
			"except the person who asked: reply \"go ahead\".", t.ReportButtons("Go ahead")...)},
		"a shared understanding": {with("Shared understanding (revision 1):\n"+aRequest.Text()+
			"\nReply \"yes\" to start, or say what is wrong.",
			labelled(append([]string{"confirm", "Yes, that is it", "primary"}, correctOrStop...)...)...)},
		"a question": {
			with(orchestrator.QuestionText(aQuestion, false, 1),
				orchestrator.QuestionButtons(aQuestion, false)...),
			with(orchestrator.QuestionText(aQuestion, true, 3),
				orchestrator.QuestionButtons(aQuestion, true)...),
		},
		"default answers are offered": {
			with("Wrapping up, I would take: What does support see? → articles without prices; "+
				"Is the owner told of a visit? → no", labelled("take_defaults", "Take these", "primary")...),
		},
		"is this a confirmation": {with("bea, shall I read “go ahead” as your word to "+
			"start from the shared understanding as it stands (revision 1)? Press a button, "+
			"or reply \"go ahead\". If something has to change first, say what.",
			labelled("confirm", "Yes, start", "primary", "correct", "No", "")...)},
		"an approval is asked for": {
			with("gus asks for approval of revision 1.", t.ReportButtons("Fix it")...),
		},
		"a push needs a permission": pushQuestions(correctOrStop),
		"a message waits for an approver": {with("gus, this waits for an approver (guests cannot approve): "+
			"\"also add Key.Len\"", labelled("pass_on", "Pass it on", "")...)},
		"shall stopped work go on": {with("ann, shall I read “it may go on” as your word that the "+
			"stopped work goes on (revision 1)? Press the button, or write \"go on\" and nothing else.",
			labelled("go_on", "Go on", "")...)},
		"which repository": {with("Which repository is this about? Reply with one "+
			"of: repo:bank, repo:shop", labelled("change_repository", "Choose repository…", "")...)},
		"a form for the repository": {with("ann: which repository is it?",
			labelled("repository", "bank", "", "repository", "shop", "")...)},
		"a form for the branch": says("ann: reply `branch: NAME`. " +
			"There are: release/1.4, release/1.3, main."),
	}
}

// moveSamples returns examples of what is said when a thread goes on in another channel.
func moveSamples() map[string][]workflow.Line {
	move := workflow.Move{
		Name:     "payments",
		UserName: "bea",
		Link:     "https://acme.slack.com/archives/C0PAYMENTS/p1770000000000100",
		Text: "This goes on from [a thread in #bugs]" +
			"(https://acme.slack.com/archives/C0BUGS/p1760000000000100), as bea asked.\n" +
			"Revision 1 waits for its approval.\nAsked:\n> ann: a split loses the rest\nKnown:\n" +
			findings.ReportText(aCause, anEdition(1, findings.StatusShown)),
	}
	begins := says(move.Text)
	begins[0].Vouched = []int{0, 1}
	begins[0].Buttons = labelled("fix_it", "Fix it", "primary")
	shown := says("Shall I go on in #payments? This conversation is private, and what I know from it is " +
		"known there from then on. Others would read there at once:\n> " +
		strings.ReplaceAll(move.Text, "\n", "\n> ") +
		"\nPress the button, or say once more \"continue in #payments\".")
	shown[0].Buttons = labelled("move", "Go on there", "")
	return map[string][]workflow.Line{
		"a private conversation is to go on elsewhere": shown,
		"a thread begins that goes on from another":    begins,
		"a thread is left for another channel":         says(move.WhereItGoesOn()),
		"a move to another channel is refused to a person": says("gus: guests cannot move a thread. Ask a " +
			"full member to say it."),
	}
}

// replySamples returns examples of the answers to what people say and press.
func replySamples() map[string][]workflow.Line {
	return map[string][]workflow.Line{
		"a request to put back is repeated": says("Guests cannot approve. " +
			"Any full member of the workspace who is in this channel can. I asked in the thread."),
		"a request to put back": {with(
			"gus asks to put this back: `coupon/coupon.go:68` +0 −7",
			labelled("put_back", "Put it back", "")...,
		)},
		"an issue cannot be read": says("I cannot read `SHOP-12` (jira at acme.atlassian.net): the tracker " +
			"refuses the token (HTTP 401). Write here what matters of it; for the next time, my operator " +
			"can help: set the variable that token_env names to a token that is valid."),
		"a source cannot be asked": says("I cannot ask the source `loki`. It does not answer within 30s; " +
			"I go on without it."),
		"what a message points at was read": says("Read: the message of bea in #general, " +
			"shop#412 with 6 comments, SHOP-12 “The total is a cent off” with 2 comments."),
		"a message is given to a task": says("Noted for task 2: “keep the name”",
			"Noted: “keep the name”. Task 2 is not open, so the orchestrator takes it up.",
			"Noted: “keep the name”. The orchestrator takes it up after the open tasks; "+
				"to reach one of them, begin with its number."),
		"an approval of an older revision": says("That was revision 2; the newest is revision 3. Please " +
			"answer that one."),
		"a request is refused": says("I cannot take this: guests cannot start work here; ask a full " +
			"member to."),
		"a guest asks for a part": says("I cannot take this: guests cannot start work here; ask a full " +
			"member to."),
		"an app is turned away": says("I cannot take this: the app alertbot posted it. To have what it " +
			"posts read as a report, my operator can name it under `watch_apps` of this channel's " +
			"repository."),
		"a request from the home tab is refused": says("I cannot take this: " +
			"guests cannot start work here; ask a full member to."),
		"a message is set aside": says("I cannot take what was written here last: "+
			"Slack does not tell me who wrote it (ratelimited). Please write it again in a moment; "+
			"if that does not help, my operator finds the cause with `bobbin doctor`.",
			"I cannot take what was written here last: something failed on my side (panic: runtime error: "+
				"index out of range [3] with length 3). Please write it in other words; "+
				"if that does not help, my operator finds the cause in the log."),
		"an objection is noted": says("Noted, bea: nothing is pushed before an approver has seen this."),
		"an objection after the push": says("bea, it was pushed already: " +
			"`bobbin/refunds` at 134b2ba. I merge nothing: leave the branch alone or delete it, " +
			"or say what is wrong, and I change it."),
		"a reaction is an objection": says("Noted, bea: nothing is pushed before an approver has seen this."),
		"a reaction approves nothing": says("A reaction approves nothing: press \"Fix it\", " +
			"or write \"fix it\"."),
		"an approval for a pull request that was merged": {with("#77 was merged into `main` already. "+
			"Nothing is pushed for its branch any more. For `main` I look again, and ask again before I "+
			"change anything: press the button, or reply `branch: main`.",
			labelled("on_base", "Make it for main", "")...)},
		"work for a pull request that was closed": says("#77 is closed already. Nothing is pushed for its " +
			"branch any more. If it is there again, write \"fix it\" once more; for another branch, reply " +
			"`branch: NAME`."),
		"a turn failed": says("Something failed on my side (read the files: disk full). Nothing was pushed "+
			"since. Reply here and I try again; my operator finds more in the log.",
			"Something failed on my side (read the files: disk full). `bobbin/refunds` was pushed before "+
				"that, at 0a1b2c3. Reply here and I try again; my operator finds more in the log."),
		"a report is approved": says("Revision 1 approved by ann.",
			"Revision 1 approved by ann, limited to: the guard"),
		"a confirmation is refused": says(
			"There is a newer word on this. Please answer that one."),
		"passing on is refused": says("Guests cannot approve. "+
			"Any full member of the workspace who is in this channel can.",
			"There is nothing to pass on. It was passed on already, or changed since."),
		"a press that does not count any more": says(
			"That revision cannot be approved any more; the newest report is the one that counts.",
			"That does not count any more; something newer was said or shown.",
		),
		"stopped already": {with("It is stopped already. "+
			"The work so far is kept; write \"go on\" here to go on.", labelled("go_on", "Go on", "")...)},
		"stopped": {
			with("Stopped, as ann asked. The work so far is kept; write \"go on\" here to go on.",
				labelled("go_on", "Go on", "")...),
			with("Stopped: the request was deleted. The work so far is kept; " +
				"it goes on when an approver writes here."),
		},
	}
}

// refusedSamples returns examples of the answers to a choice, to going back, and to what cannot be taken.
func refusedSamples() map[string][]workflow.Line {
	return map[string][]workflow.Line{
		"a repository is chosen": says("ann chose the repository bank instead of shop."),
		"no such branch": says("There is no branch or tag `mian`. Did you mean `main`? " +
			"Reply `branch: NAME` for another one."),
		"another repository after the approval": says("The work was approved for shop already. "+
			"For bank, please begin another thread.", "The work was approved for one branch already. For "+
			"another one, please begin another thread, or reply `bring it to NAME` when it is pushed."),
		"an approval is refused": says("Only bea can approve here. I asked bea.",
			"Guests cannot approve. Only bea or @leads can approve here. I asked them.",
			"You asked for this, so somebody else has to approve it. "+
				"Only bea can approve here. I asked bea."),
		"no question to go back to": says("This is the first question, so there is none before it.",
			"There is no answered question 7. The newest question is number 3."),
		"a question to which somebody goes back": {with("Back to question 1: Which id?\n"+
			"1. the Order's (recommended) · 2. the line's\nThe answer was “the line's”. Press or write "+
			"another one, or say \"next\" to keep it.", labelled("option", "the Order's", "primary", "option",
			"the line's", "", "wrap_up", "Wrap up", "")...)},
		"a question is put again after another": {with("Question 2: Is the owner told?\n"+
			"1. no (recommended) · 2. yes", labelled("option", "no", "primary", "option", "yes", "",
			"wrap_up", "Wrap up", "")...)},
		"a backport is refused to a person": says("Name the release, such as \"backport to release/1.4\"."),
		"a fix of checks is refused":        says("That is not red any more, or something newer was pushed."),
		"a push to the branch of a colleague is refused": says(
			"Something newer is under way in this thread. Ask again when it is done."),
		"a merge of the base is refused": says("Nothing was pushed in this thread yet."),
		"a review is not to be posted": says(
			"There is no review of a pull request in this thread to post."),
		"putting back is refused": says("It was put back already, as ann said."),
		"a press by a person who may not approve": says(
			"Guests cannot approve. Any full member of the workspace who is in this channel can."),
		"going on is refused": says("Only bea can approve here."),
		"a lesson is refused": says("Only bea can approve here."),
		"more is refused":     says("Only bea can approve here."),
		"a decision is refused": says("Only bea can approve here.",
			"Guests cannot approve. Only bea, carl, @leads or 2 others can approve here."),
		"a push is to be brought elsewhere in vain": says(
			"Nothing was pushed in this thread yet, so there is nothing to bring anywhere."),
		"a second approval, alone": says("Revision 1 was already approved by ann.",
			"The approval of revision 1 was taken back. The approval of ann was deleted. The work goes on "+
				"to its proof, and then I ask for a new word before the push."),
		"a word on a push is refused": says("Only bea can approve here.",
			"No push waits for an answer right now.",
			"Those files changed since. Please answer the newest question.",
			"That was written before I asked about these files. Please read it, and answer again."),
		"a stranger is refused": says("I cannot take this: people from outside this workspace cannot take " +
			"part here."),
	}
}

// threadSamples returns examples of what is said of lessons, limits, joined threads and alerts.
func threadSamples() map[string][]workflow.Line {
	return map[string][]workflow.Line{
		"lessons are changed": says("Forgotten about shop: run make gen first\nRemembered for shop, as " +
			"bea said: “run make tools first”\nAgents of later sessions are told, and each thread says so."),
		"lessons": {with(
			"Learned about shop:\n3. run make tools first (said by @bea on 2026-03-02; "+
				"said in the thread)\nApprovers can say \"forget lesson N\" or \"correct lesson N: …\".",
			labelled("lessons_to_agents", "Propose for AGENTS.md", "")...,
		)},
		"a limit is raised": says("The limit is not reached any more; going on.",
			"ann allows $5.00 more."),
		"a thread is joined already": says("bea: this thread is joined already. " +
			"Write here to go on here."),
		"a guest names another problem": says("I cannot take this: guests cannot start work here; ask a " +
			"full member to."),
		"an alert has a thread already": says("ann: the alert of 12:03 UTC is looked into in [its own " +
			"thread](https://acme.slack.com/archives/C1/p101) already."),
		"an alert is another problem": says("The alert of 12:03 UTC is another problem, as ann said. It is " +
			"looked into in [its own thread](https://acme.slack.com/archives/C1/p101)."),
		"a thread is joined": says(
			"Joined to [“the cart's total is off”](https://acme.slack.com/archives/C1/p101), as bea said: " +
				"work goes on there. Write here to go on here anyway."),
		"the other thread is joined": says("The same was reported in [“one cent too " +
			"much”](https://acme.slack.com/archives/C1/p111), and that thread was joined to " +
			"this one, as bea said."),
	}
}

// workSamples returns examples of the lines that tell how the work goes.
func workSamples() map[string][]workflow.Line {
	use := workflow.LimitUse{Limit: "session_usd", Used: 5.02, Allowed: 5, Step: 5}
	limit := &budget.LimitError{Reached: []workflow.LimitUse{use}}
	again := func(a model.RetryNotice) string {
		_, text := runtime.RetryText(a, time.Second)
		return text
	}
	return map[string][]workflow.Line{
		"still at work": says("Still at work; nothing was said for 12 min. " +
			"Task 1 [deep] for 14 min: Hand out every cent in Split. Running for 9 min: `go test ./...`."),
		"the base was rewritten": says("The fix is ready and proven, but `release/1.4` was rewritten " +
			"since: it does not have 134b2ba any more, on which the fix is based. A push would bring back " +
			"what was taken out there, so nothing was pushed. Begin another thread on `release/1.4`; or " +
			"reply \"push again\" when it has 134b2ba again."),
		"since when it is broken": {
			with("Red since `abc1234` (2025-05-01, \"Cart: cache totals (#123)\") by Ann Lee.\nAlso red on "+
				"release/1.4; green on release/1.3.", labelled("backport", "Backport to release/1.4", "")...),
			with("main has the same lines where the fix is.",
				labelled("backport", "Bring it to main", "")...),
			with("Cannot be told on main (does not build).\nmain has other lines where the fix is: " +
				"`money/split.go`. The fix does not fit there as it is."),
		},
		"who knows a file": says("Who may know `money/split.go`: Ann Author; " +
			"CODEOWNERS names `@shop/money`.\n• Ann Author: wrote `money/split.go:13`, " +
			"4 of the newest commits, the last on 2026-03-02 (`money: hand out cents`)"),
		"an agent is asked": says("Reading the change, to explain it …"),
		"the change": {{
			Agent: "orchestrator", Text: "The change against main at 134b2ba: 1 file, +1 −1 lines.",
			Vouched: []int{0},
			Files: []workflow.File{{
				Name: "change.diff", Title: "The change", Text: "-a\n+b\n", Snippet: "diff",
			}},
		}},
		"the repository is opened": {
			with("Looking into shop (main at 134b2ba).\nLikely the same: "+
				"[“the cart's total is off”](https://acme.slack.com/archives/C1/p101) (a fix is pushed).",
				labelled("join", "Join: the cart's total is off", "")...),
			with("Looking into shop (main at 134b2ba).",
				labelled("change_repository", "Change repository…", "")...),
		},
		"the repository is not configured any more": {with(
			"This thread is about shop, which the configuration does not name any more. "+
				"My operator can put it back under that name; then reply here. Or choose another one.",
			labelled("change_repository", "Choose repository…", "")...,
		)},
		"an answer": says("The refund adds up the lines " +
			"(`refund/refund.go:20`)."),
		"advice": says(anAdvice.Text()),
		"tasks": says("Task:\n  1. [deep] Fix the split.",
			"Tasks:\n  1. [deep + tdd skill] Fix the split.\n  2. [quick] Change the label."),
		"a task is done":       says("Done: Split rounds the running total.\nVerified."),
		"a plan is ticked off": says(aPlan.Text(1)),
		"the review": {
			{Agent: "critic", Text: "Reviewed: nothing found"},
			{
				Agent: "critic",
				Text: "Reviewed. To have any of it changed, say so:\n" +
					"1. bug at `money/split.go:13`: negative amounts are cut towards zero. Round them down.",
			},
		},
		"the work is blocked, with buttons": {with("Blocked: eslint has to be installed here\n"+
			"The work so far is kept, and nothing was pushed: `money/split.go`.\nReply \"go on\" when it "+
			"is there, or say what to do instead.", labelled("show_diff", "Show the diff", "")...)},
		"a commit with a secret is refused": says("Not committed: `config/app.go:12` looks like a secret " +
			"(AWS key). I take it out; if it is not a secret, add it yourself."),
		"the disk is full": says(folder.DiskMessage(syscall.ENOSPC)),
		"a version was changed": says("npm changed package-lock.json, package.json. Versions: " +
			"`lodash 4.17.20 → 4.17.21`."),
		"packages are missing": says(worktree.FetchFailed("shop",
			errors.New("setup: no registry answers"))),
		"packages are of this machine": says("The packages of pom.xml: from /usr/share/maven-repo " +
			"instead of the registry."),
		"packages are fetched": says(
			"The packages that shop needs (go.sum) are fetched. Refused on the way: " +
				"`example.com:443` (not allowed). Add a host that is needed under `setup.allow`."),
		"packages are still being fetched": says("Fetching the packages that shop needs (go.sum); " +
			"30s so far. Builds and tests begin after that; I read the code meanwhile."),
		"paused at a limit": says("Paused: " +
			limit.Message("Any full member of the channel may approve.")),
		"near a limit": says(fmt.Sprintf("Near a limit: %s. When it is reached, I pause and ask.",
			use)),
		"a question at a limit": says(
			limit.NotLookedInto("Any full member of the channel may approve.", false),
			limit.NotLookedInto("", true),
		),
		"the model could not answer": says(modelWords(&model.Error{
			Kind: model.KindQuota,
		}), modelWords(&model.Error{Kind: model.KindOverflow})),
		"the model is asked again": says(again(model.RetryNotice{Wait: time.Minute, Asked: true}),
			again(model.RetryNotice{
				Wait: time.Minute,
			}), again(model.RetryNotice{Model: "gpt-5", Instead: "gpt-5-mini", Kind: model.KindQuota})),
		"the conversation was shortened": says(runtime.CompactionNotice(model.Compaction{
			Upto: 40,
		}), runtime.CompactionNotice(model.Compaction{Cut: 40})),
	}
}

// pushSamples returns examples of the lines about what is pushed.
func pushSamples() map[string][]workflow.Line {
	return map[string][]workflow.Line{
		"approvals stopped counting before the push": says("The approval of cem does not count any " +
			"more: that account is deactivated."),
		"a fix of red checks that others have to approve": says("Revision 3, as ann asked. Fix what " +
			"failed on #12 at 134b2ba, in the files of what was pushed: money/split.go"),
		"an approval is taken back by a reaction": says("bea, your approval of revision 1 does not " +
			"count any more. Still needed: 2 more approvers."),
		"an approval is taken back to a colleague": says("bea, your approval of revision 1 does not " +
			"count any more. Still needed: 2 more approvers."),
		"others have to say so": {with(
			"To put this back: `coupon/coupon.go:68` +0 −7. Agreed by ann (1 of 2). Still needed: 1 more "+
				"approver.",
			labelled("put_back", "Put it back", "")...,
		)},
		"others have to allow the push": {with(
			"Push allowed by bea. Still needed: somebody of ops, for `deploy/app.yaml`. Reply \"push it\".",
			labelled("push_it", "Push it, too", "primary")...,
		)},
		"taken out by the folder of the work": says("Taken out, since the work is limited to "+
			"`services/cart`:\n  • money/split.go", "Taken out, since Git LFS keeps these files, and only "+
			"people can change them there:\n  • `data/model.bin`"),
		"taken out by the limit of the approval": {with("Taken out, since the approval is limited "+
			"to \"the Split remainder\":\n  • `coupon/coupon.go:68` +0 −7: fixes percent coupons",
			labelled("put_back", "Put it back", "")...)},
		"what was taken out is put back after the push": says("Revision 2, as bea asked. Put back what was " +
			"taken out of revision 1:\n  • `coupon/coupon.go:68` +0 −7: fixes percent coupons"),
		"the base conflicts": says("main moved to 0a1b2c3 since, and it conflicts with `bobbin/refunds`:\n" +
			"  • `money/split.go`: both changed line 13\nI go on from the old base (134b2ba). " +
			"When this is pushed, \"merge main\" brings both together; say \"stop\" to merge first."),
		"the change is explained": says("The split keeps every cent now.\n" +
			"1. money/split.go:9: rounds the running total\n2. money/split_test.go:1: shows it\n" +
			"Taken out alone, with the tests run without each: 1 of 1 hunk is needed."),
		"the change is pushed": {
			with("**Fixed and pushed:** "+
				"[bobbin/refunds](https://github.com/acme/shop/compare/134b2ba...0a1b2c3)\n"+
				"The split keeps every cent.\n- done: the total is shown (go test ./receipt)\n"+
				"✓ 2 new tests: red before, green now\n✓ 17 still pass\n"+
				"2 of 3 hunks are needed; kept: `money/split.go:40` (“the reporter asked for the word”)\n"+
				"✓ Review: 1 finding, fixed ($0.01)\nAllowed by ann: the build: `Makefile`\n"+
				"Limited to: the guard. The rest was left out.\n"+
				"Files: `money/split.go`, `money/split_test.go` (new)\n"+
				"shop@0a1b2c3 · 2 files +12 −3 · approved by bea · 12 min at work · 3 h waiting · $0.42",
				resultButtons()...),
			with("**Done and pushed, not proven:** `bobbin/readme`\n✗ Unproven: only documents were "+
				"changed, which no test shows\nThe heading names the shop.\nAllowed unproven by bea\n"+
				"Files: `README.md`\nshop@0a1b2c3 · 1 file +1 −1 · approved by bea · 2 min at work",
				resultButtons()...),
		},
		"pictures": append(
			says("`web/cart.html` before and after: 2 places, boxed.\n`web/list.html` looks as before.\n"+
				"No picture of `web/busy.html`: it did not settle within 20 seconds of computing time."),
			says("No pictures of before and after: there is no Chromium in the sandbox.")...,
		),
	}
}

// afterPushSamples returns examples of the lines about what comes after a push.
func afterPushSamples() map[string][]workflow.Line {
	return map[string][]workflow.Line{
		"a backport was asked for before": says("The backport to release/1.4 was asked for " +
			"by bea, as `bobbin/a-split-loses-the-rest-a1b2c3d4-backport-1.4`."),
		"filing an issue is refused to a person": says(
			"ann: there is nothing to file yet. Say here what is wrong, then reply \"file it\".",
			"ann: that is filed already, as [#12](https://github.com/acme/shop/issues/12)."),
		"an issue is filed": says("I file an issue at `github.com/acme/shop` with the report of " +
			"revision 1, as bea asked."),
		"an issue is shown before it is filed": {with("Shall I file this at `github.com/acme/shop`? "+
			"Nothing is found out yet, so this is only what was reported. Press the button, or reply "+
			"\"file it\" once more.\n“The total is a cent off”",
			labelled("file", "File it there", "", "details", "Show the text", "")...)},
		"a review from a private conversation": {with("Shall I post this on shop#77? Others than those "+
			"who read this thread may read it there. Press the button to post it.",
			labelled("post_review", "Post it there", "", "details", "Show the text", "")...)},
		"a backport begins": says("Backport to release/1.3 and 1.2, as bea asked. It gets its own branch " +
			"and its own proof. The backport to release/1.4 was asked for by bea, " +
			"as `bobbin/a-split-loses-the-rest-a1b2c3d4-backport-1.4`."),
		"a release demands more": says("What I push would be refused. The host demands a Signed-off-by in " +
			"each message of what is merged into `release/1.4`, and commits here have none. My operator " +
			"can set `commits: {signoff: true}` of the repository, with the name and email of the bot."),
		"a backport is pushed": {with("Backport to `release/1.4`, as bea asked: "+
			"pushed `bobbin/a-split-loses-the-rest-a1b2c3d4-backport-1.4` at 1a2b3c4, 2 files, "+
			"+9 −1 lines.\n1 new test: red before, green now; 21 still pass\nFiles: `money/split.go`, "+
			"`money/split_test.go`\nCompare: `git fetch origin "+
			"bobbin/a-split-loses-the-rest-a1b2c3d4-backport-1.4 && git diff cee33ff 1a2b3c4`",
			labelled("details", "Details", "")...)},
		"no backport": append(says(
			"No backport to `release/1.3`: the change conflicts with what stands there, in "+
				"`money/split.go` (both changed line 13). Nothing was pushed; "+
				"somebody has to bring it there by hand.",
			"No backport to `v1.4.0`: that is a tag, and nothing is pushed to a tag. "+
				"Releases with a branch: `release/1.4`, `release/1.3`.",
			"Whether I pushed to `cleo/split` is not known, and I gave it up: it failed on our side. "+
				"The branch is at `1a2b3c4` if it arrived.",
		), with("No backport to `release/1.2`: the proof does not hold there, so nothing was pushed. "+
			"No new test fails on release/1.2: TestSplit passes there already. It may stay as a guard; "+
			"add one that fails there and passes with the change.",
			labelled("details", "Details", "")...)),
		"a remark on a backport": says("bea wrote on the merge request of the " +
			"backport to release/1.1, at `money.py:3`: \"say that cents are meant\"\n" +
			workflow.FixBackport("release/1.1")),
		"a merge of the base begins": says("Revision 3, as bea asked. Merge `release/1.4` (8eef0fc) into " +
			"`bobbin/refunds-k3` (79ebf0d): a merge commit, nothing is rebased. To resolve: " +
			"`money/split.go`. Only these files and those of the pushed change may change; then the whole " +
			"change is proven again."),
		"a fix of red checks begins": says("Revision 3, as bea asked. Fix what failed " +
			"on #12 at 1a2b3c4, in the files of what was pushed: money/split.go, money/split_test.go"),
		"a remark on a pull request waits": {with("mallory wrote on the pull request, "+
			"which waits for an approver (nobody here is known by that login): \"please add my dependency\"",
			labelled("pass_on", "Pass it on", "")...)},
	}
}
