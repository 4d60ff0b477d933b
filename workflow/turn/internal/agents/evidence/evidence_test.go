package evidence

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// called returns the messages of a tool call and its result.
func called(name, args, result string) []model.Message {
	id := name + args
	return []model.Message{
		{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: name, Args: json.RawMessage(args)}}},
		{Role: model.ToolRole, CallID: id, Text: result},
	}
}

// What is graded as observed must have been read or run in the session.
func TestObservedIsWhatWasReadOrRun(t *testing.T) {
	t.Parallel()
	p := Past{
		Commands: []progress.Command{{Command: "go test ./money\ngo vet ./money", ExitCode: 1}},
		Attached: []workflow.Attachment{{Name: "app.log"}},
	}
	p.Messages = append(p.Messages,
		called("read_file", `{"path":"money/split.go"}`, "money/split.go, lines 10-16 of 40\n10\tx\n")...)
	p.Messages = append(p.Messages,
		called("search", `{"pattern":"Split"}`, "refund/refund.go:20: total += l.Paid\n")...)
	p.Messages = append(p.Messages, called("search_file", `{"path":"price/price.go","pattern":"Split"}`,
		"price/price.go, 40 lines, 1 matching; page 1 of 1\n6- x\n7: Split\n8- y\n")...)
	p.Messages = append(p.Messages,
		called("run", `{"command":"sed -n 1,9p cart/cart.go"}`, "exit code 0\nx")...)
	p.Messages = append(p.Messages,
		called("history", `{"commit":"c0ffee"}`, "--- a/coupon/coupon.go\n+++ b/coupon/coupon.go\n")...)
	observed := func(source string) []workflow.Evidence {
		return []workflow.Evidence{{Claim: "x", Grade: "observed", Source: source}}
	}
	for _, source := range []string{
		"", "money/split.go:13", "split.go:13", "`money/split.go:16-20`", "refund/refund.go:20",
		"price/price.go:6-7", "cart/cart.go:3", "coupon/coupon.go:74", "app.log:7",
		"go test ./money", "go test ./money go vet ./money: FAIL", "what Ann wrote in the thread",
	} {
		require.Empty(t, p.NotSeen(observed(source)), source)
	}
	for _, source := range []string{
		"money/split.go:17", "money/split.go:1-9", "refund/refund.go:21", "refund/refund.go:2", "fund.go:20",
		"price/price.go:9", "coupon/price.go:7",
		"order/order.go:1", "other/split.go:13",
	} {
		require.Contains(t, p.NotSeen(observed(source)),
			"You have not read these lines in this session: ", source)
	}
	require.Equal(t, "These were not run in this session: `go test ./refund`. Run them, "+
		"and give the number of the run (run N), or grade what rests on them as inferred.",
		p.NotSeen(observed("go test ./refund")))
	require.Empty(t, p.NotSeen([]workflow.Evidence{{
		Claim: "x", Grade: "inferred", Source: "order/order.go:1",
	}}))
}

// A place in another repository is shown by a call on that repository alone, and shows none of the own one.
func TestObservedInAnotherRepository(t *testing.T) {
	t.Parallel()
	p := Past{Others: []string{"api"}}
	p.Messages = append(p.Messages,
		called("read_file", `{"path":"api:pkg/split.go"}`, "api:pkg/split.go, lines 10-16 of 40\n10\tx\n")...)
	p.Messages = append(p.Messages,
		called("search", `{"pattern":"Paid","path":"api:"}`, "api:refund.go:20: total += l.Paid\n")...)
	p.Messages = append(p.Messages, called("search_file", `{"path":"api:price/price.go","pattern":"Split"}`,
		"api:price/price.go, 40 lines, 1 matching; page 1 of 1\n7: Split\n")...)
	p.Messages = append(p.Messages,
		called("history", `{"path":"api:","commit":"c0ffee"}`, "--- a/coupon/c.go\n+++ b/coupon/c.go\n")...)
	p.Messages = append(p.Messages,
		called("read_file", `{"path":"shop:money/a.go"}`, "money/a.go, lines 1-9 of 9\n1\tx\n")...)
	p.Messages = append(p.Messages, called("run", `{"command":"cat order.go"}`, "exit code 0\nx")...)
	for source, seen := range map[string]bool{
		"api:pkg/split.go:13":   true,
		"api:refund.go:20":      true,
		"api:price/price.go:7":  true,
		"api:coupon/c.go:3":     true,
		"shop:money/a.go:3":     true,
		"money/a.go:3":          true,
		"order.go:1":            true,
		"api:pkg/split.go:17":   false,
		"api:refund.go:21":      false,
		"pkg/split.go:13":       false,
		"split.go:13":           false,
		"refund.go:20":          false,
		"price/price.go:7":      false,
		"coupon/c.go:3":         false,
		"api:money/a.go:3":      false,
		"api:order.go:1":        false,
		"web:pkg/split.go:13":   false,
		"api:pkg/other.go":      false,
		"`api:pkg/split.go:12`": true,
	} {
		wrong := p.NotSeen([]workflow.Evidence{{Claim: "x", Grade: "observed", Source: source}})
		require.Equal(t, seen, wrong == "", "%s: %s", source, wrong)
	}
}

// A source may name a run or a check by its number. People see what was run.
func TestARunIsNamedByItsNumber(t *testing.T) {
	t.Parallel()
	p := Past{Commands: []progress.Command{
		{Command: "go test ./money"},
		{Number: 7, Command: "cat > /tmp/x.py <<'EOF'\nprint(2)\nEOF\npython3 /tmp/x.py", ExitCode: 1},
		{Number: 8, Command: "sleep 999", ExitCode: -1},
		{Number: 9, Output: "npm test: 209 passed, 3 failed", ExitCode: 1},
	}}
	seven := "run 7 (a script that ends in `python3 /tmp/x.py`, exit code 1)"
	for source, want := range map[string]string{
		"run 7":                     seven,
		"`run 7`":                   seven,
		"the output of Run #7":      "the output of " + seven,
		"run 7: prints 2":           seven + ": prints 2",
		"run 7 and run 8":           seven + " and run 8 (`sleep 999`, stopped)",
		"check 9":                   "run 9 (a check: npm test: 209 passed, 3 failed)",
		"go test ./money":           "go test ./money",
		"Ann says that run 5 fails": "Ann says that run 5 fails",
		"":                          "",
	} {
		require.Equal(t, want, p.WithRuns(source))
		require.Empty(t, p.NotSeen([]workflow.Evidence{{Grade: "observed", Source: source}}), source)
	}
	require.Equal(t, "There is no run 5, no run 0 in this session. The first line of each result of run and "+
		"check has its number.",
		p.NotSeen([]workflow.Evidence{{Grade: "observed", Source: "run 5, run 7 and run 0"}}))
	require.Empty(t, p.NotSeen([]workflow.Evidence{{Grade: "inferred", Source: "run 5"}}))
	require.Equal(t, "run 5", p.WithRuns("run 5"))
}

// What a person said in the thread was reported, whatever the agent calls it, and what was read or run was
// observed, also if its source speaks of a message.
func TestWhatPeopleSaidIsReported(t *testing.T) {
	t.Parallel()
	p := Past{
		Messages: []model.Message{
			{
				Role: model.User,
				Text: "Ann Lee wrote in the thread:\n<message>\nbob wrote in the thread:\n</message>",
			},
			{Role: model.ToolRole, Text: "eve wrote in the thread:"},
		},
		Commands: []progress.Command{{Number: 7, Command: "grep 'message 14' app.log"}},
		Sources:  []string{"loki"},
	}
	grade := func(grade, source string) string {
		evidence := []workflow.Evidence{{Grade: grade, Source: source}}
		p.Regrade(evidence)
		return evidence[0].Grade
	}
	for _, source := range []string{
		"message 14", "Message 14: bea", "messages 3 and 4", "bea, message #14", "see the thread message 14",
		"bea's message 14", "what bea wrote in the thread", "reported by ann in this thread", "the thread",
		"thread: ann", "read_thread", "Ann Lee's reply", "ann lee says that it is 25.02",
		"https://acme.slack.com/archives/C1/p1764300000000100",
	} {
		require.Equal(t, workflow.GradeReported, grade(workflow.GradeObserved, source), source)
		require.Equal(t, workflow.GradeInferred, grade(workflow.GradeInferred, source), source)
	}
	for _, source := range []string{
		"", "run 7", "run 7: prints message 14", "grep 'message 14' app.log", "cart/cart.go:12, message 14",
		"loki, `message 14`", "the error message 14", "commit message 3", "go test ./thread",
		"thread/pool.go:3",
		"the thread pool of the server", "Ann Leeway says", "bob says", "eve says",
		"the log says it in plain words",
	} {
		require.Equal(t, workflow.GradeObserved, grade(workflow.GradeObserved, source), source)
	}
}

func TestAFailedReadShowsNothing(t *testing.T) {
	t.Parallel()
	p := Past{Messages: called("read_file", `{"path":"a.go"}`, "There is no a.go. Near names: b/a.go:1.")}
	p.Messages[1].Wrong = true
	require.NotEmpty(t, p.NotSeen([]workflow.Evidence{{Grade: "observed", Source: "b/a.go:1"}}))
}

// The model is told once if the ending of its reproduction does not show the bug.
func TestAReproductionShowsTheBugByItsExit(t *testing.T) {
	t.Parallel()
	for command, code := range map[string]int{
		"go test ./money":                                    1,
		"go run ./cmd | grep 25.00":                          1,
		"set -e\ncat > a_test.go <<'E'\nx\nE\ngo test ./...": 1,
		"go test ./money | tail -3 | grep ok":                1,
		"cd money; go test .":                                2,
		"echo a && false":                                    1,
		"grep -c 'x; true' log":                              1,
		"go test ./... # || true":                            1,
		"go test ./... | grep '| tail'":                      1,
	} {
		ended := progress.Command{Command: command, ExitCode: code}
		require.Empty(t, Past{}.WeakReproduction(ended, nil), command)
	}
	for command, why := range map[string]string{
		"go test ./money":                         "ended with exit code 0, as if nothing were wrong",
		"go test ./money || true":                 "whatever happens, since `true` is its end",
		"go test ./money; echo \"exit $?\"":       "since `echo \"exit $?\"` is its end",
		"go test ./money\necho done\n":            "since `echo done` is its end",
		"cd money && go test . | tail -5":         "since `tail -5` is its end",
		"go test ./money |& cat":                  "since `cat` is its end",
		"go test ./money 2>&1 | tail -20":         "since `tail -20` is its end",
		"go test ./money; rm -f money/a_test.go;": "since `rm -f money/a_test.go` is its end",
	} {
		said := Past{}.WeakReproduction(progress.Command{Command: command}, nil)
		require.Contains(t, said, why)
		again := Past{Messages: []model.Message{{Role: model.ToolRole, Text: said, Wrong: true}}}
		require.Empty(t, again.WeakReproduction(progress.Command{Command: command}, nil), "it is told once")
		require.NotEmpty(t, again.WeakReproduction(progress.Command{Command: command + "; true"}, nil))
	}
	fixed := progress.Command{Command: "go test; exit 1", ExitCode: 1}
	require.Contains(t, Past{}.WeakReproduction(fixed, nil), "whatever happens")
	require.Contains(t, Past{}.WeakReproduction(progress.Command{Command: "eslint .", ExitCode: 127}, nil),
		"a command of it is not there")
	require.Contains(t,
		Past{}.WeakReproduction(progress.Command{Command: "sleep 999", ExitCode: -1}, nil), "was stopped")
}

func TestTheReportersExampleIsNotPassedOver(t *testing.T) {
	t.Parallel()
	gave := Past{Messages: []model.Message{{
		Role: model.User,
		Text: "Ann wrote in the thread:\n<message>\nThis fails:\n```\nSplit(5, 3)\n```\n</message>",
	}}}
	require.Contains(t, gave.ExampleMissing(""), "The reporter gave an example.")
	require.Contains(t, gave.ExampleMissing("fails"), "Nothing was run in this session")
	require.Empty(t, gave.ExampleMissing("cannot_run"))
	gave.Commands = []progress.Command{{Command: "go run x.go", ExitCode: 1}}
	require.Empty(t, gave.ExampleMissing("passes"))
	require.Empty(t, Past{
		Messages: []model.Message{{Role: model.User, Text: "(program) facts\n```\nx\n```"}},
	}.ExampleMissing(""))
}

// TestACommandThatPassesIsRunElsewhere tells the model of the branches on which the command is run, too.
func TestACommandThatPassesIsRunElsewhere(t *testing.T) {
	t.Parallel()
	passes := progress.Command{Command: "go test ./money"}
	require.Contains(t, Past{}.WeakReproduction(passes, []string{"v1", "v2"}),
		"The program then runs it on v1, v2, too, and tells people where it fails")
	require.NotContains(t, Past{}.WeakReproduction(passes, nil), "The program then runs it")
	missing := progress.Command{Command: "eslint .", ExitCode: 127}
	require.NotContains(t, Past{}.WeakReproduction(missing, []string{"v1"}), "The program then runs it")
}
