package modeltest_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

func serve(t *testing.T, text string) *modeltest.Server {
	script, err := modeltest.Parse("demo.txt", text)
	require.NoError(t, err)
	s, err := modeltest.Serve(script)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// Each script has one line that does not match, and the error names that line.
func TestAScriptThatIsNotFollowedFails(t *testing.T) {
	t.Parallel()
	history := []model.Message{
		user("the total is wrong"),
		{
			Role:  model.Assistant,
			Text:  "looking",
			Calls: []model.Call{{ID: "a", Name: "search"}, {ID: "b", Name: "run"}},
		},
		{Role: model.ToolRole, CallID: "a", Text: "found nothing"},
		{Role: model.ToolRole, CallID: "b", Text: "exit 1"},
	}
	for line, want := range map[string]string{
		`expect user "total"`: `demo.txt:2: m, answer 1: expected user "total", ` +
			`but it was not there`,
		`expect tool run "nothing"`:  `expected tool run "nothing", but it was not there`,
		`expect tool /nothing$^/`:    `it was not there`,
		`expect not tool "nothing"`:  `expected not tool "nothing", but it was there`,
		`expect system "You are"`:    `it was not there`,
		`expect not history "total"`: `it was there`,
		`expect tools run`: `expected tools run, but the tools offered were: run, ` +
			`search`,
		`expect effort low`:                     `but the effort asked for was high`,
		`capture id /revision (\d+)/`:           `there was nothing to capture for id by /revision (\d+)/`,
		`capture id user /total/`:               `there was nothing to capture`,
		"say ${id}\n---\ncapture id /(x)/":      `${id} was not captured before it was used`,
		"call x {\"a\":${id}}\ncapture id /ng/": `with captured values the arguments are no JSON: {"a":ng}`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "== m\n"+line+"\nsay never said\n")
			_, err := clientOf(s).Ask(t.Context(), model.Request{
				Model: "m", System: "be brief", Effort: "high", Messages: history,
				Tools: []model.Tool{tool("search"), tool("run")},
			})
			var failed *endpoint.Error
			require.ErrorAs(t, err, &failed, "nothing is played")
			require.Equal(t, endpoint.KindRefused, failed.Kind)
			require.Contains(t, failed.Text, "the script was not followed: demo.txt:")
			require.ErrorContains(t, s.Err(), want)
			require.ErrorContains(t, s.Err(), "tool search: found nothing", "what was asked is shown")
			require.NotContains(t, s.Err().Error(), "total is wrong", "what is old is not")
			require.Equal(t, 1, strings.Count(s.Err().Error(), "answer 1"), "it is not tried again")
			require.ErrorContains(t, s.Finish(), "was asked 0 times", "it was not played")
		})
	}
}

// The control: lines that match are no fault.
func TestAScriptThatIsFollowedDoesNotFail(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== m\n"+strings.Join([]string{
		`expect user "wrong"`, "expect user `total is`", `expect user /^the total/`,
		"expect user <<<\nthe total\n>>>", `expect not tool "x"`, `expect not tool run "x"`,
		`expect system "brief"`, `expect tools`, `expect effort high`,
	}, "\n")+"\nsay right\n")
	got, err := clientOf(s).Ask(t.Context(), model.Request{
		Model:    "m",
		Effort:   "high",
		System:   "be brief",
		Messages: []model.Message{user("the total is wrong")},
	})
	require.NoError(t, err)
	require.Equal(t, "right", got.Message.Text)
}

func TestWhatNobodyAskedForIsLeftOver(t *testing.T) {
	t.Parallel()
	s := serve(t, "== a\nsay 1\n---\nsay 2\n---\nsay 3\n== b\nsay 4\n")
	require.EqualError(t, s.Finish(), "the script was not followed:\ndemo.txt:2: a was asked 0 times, "+
		"and the script goes on from here with 3 more answers\n"+
		"demo.txt:8: b was asked 0 times, and the script goes on from here with 1 more answers")
	k := talk{t: t, client: clientOf(s), request: model.Request{Model: "a"}}
	k.say(user("hi"))
	require.ErrorContains(t, s.Finish(),
		"demo.txt:4: a was asked 1 times, and the script goes on from here with 2 more answers")
	require.NoError(t, s.Err())
}

func TestWhatIsNotInTheScriptFails(t *testing.T) {
	t.Parallel()
	s := serve(t, "== a\nsay 1\n")
	k := talk{t: t, client: clientOf(s), request: model.Request{Model: "a"}}
	k.say(user("hi"))
	_, err := k.client.Ask(t.Context(), model.Request{Model: "a", Messages: []model.Message{user("again")}})
	require.ErrorContains(t, err, "was asked more than the 1 times of the script")
	require.ErrorContains(t, s.Err(), "user: again")
	_, err = k.client.Ask(t.Context(), model.Request{Model: "z", Messages: []model.Message{user("again")}})
	require.ErrorContains(t, err, `no part answers for the model "z"`)
	_, err = model.New(model.Config{BaseURL: strings.TrimSuffix(s.URL, "/v1")}).Ask(t.Context(), k.request)
	require.ErrorContains(t, err, "nothing answers POST /chat/completions")
	require.Len(t, strings.Split(strings.TrimSpace(s.Err().Error()), "demo.txt:"), 4, "each is listed")
}

// A recorder is a testing.TB that records its failures.
type recorder struct {
	testing.TB
	name     string
	failures []string
	cleanups []func()
}

func (r *recorder) Name() string     { return r.name }
func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(a ...any)   { r.failures = append(r.failures, a[0].(error).Error()) }
func (r *recorder) Errorf(format string, a ...any) {
	r.failures = append(r.failures, format+" "+a[len(a)-1].(string))
}

func (r *recorder) Fatal(a ...any) {
	r.Error(a...)
	panic(r)
}

func (r *recorder) Fatalf(format string, a ...any) {
	r.failures = append(r.failures, format)
	panic(r)
}

func TestStartFailsTheTest(t *testing.T) {
	t.Parallel()
	r := &recorder{name: "TestOfSomebody"}
	modeltest.Start(r, "== a\nsay 1\n")
	for _, f := range r.cleanups {
		f()
	}
	require.Len(t, r.failures, 1)
	require.Contains(t, r.failures[0], "TestOfSomebody:2: a was asked 0 times")

	require.Panics(t, func() { modeltest.Start(r, "== a\noops\n") })
	require.Contains(t, r.failures[1], `TestOfSomebody:2: "oops" is not a line of an answer`)
	require.Panics(t, func() { modeltest.Start(r, "testdata/missing.txt") })
	require.Contains(t, r.failures[2], "testdata/missing.txt")
}

func TestGoldenShowsTheFirstDifference(t *testing.T) { // not parallel: it sets the environment
	file := filepath.Join(t.TempDir(), "deep", "x.golden")
	r := &recorder{}
	require.Panics(t, func() { modeltest.Golden(r, "a\n", file) })
	t.Setenv("UPDATE_GOLDEN", "1")
	modeltest.Golden(t, "one\ntwo at 12:30\nthree\n", file, modeltest.Scrub(`\d+:\d+`, "TIME"))
	t.Setenv("UPDATE_GOLDEN", "")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo at TIME\nthree\n", string(written))
	modeltest.Golden(t, "one\ntwo at 23:59\nthree\n", file, modeltest.Scrub(`\d+:\d+`, "TIME"))
	modeltest.Golden(r, "one\ntwo at TIME\nfour\n", file)
	require.Len(t, r.failures, 2)
	require.Contains(t, r.failures[1],
		"from line 3 on\n    one\n    two at TIME\n  - three\n  - \n  + four\n")
}

func TestTranscriptSaysWhenHistoryWasRewritten(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== m\nfail 503\n---\nsay 1\n---\nsay 2\n")
	k := talk{t: t, client: clientOf(s), request: model.Request{Model: "m", System: "sys"}}
	k.say(user("first"))
	k.request.Messages = []model.Message{user("a summary")}
	k.say()
	require.Equal(t, "== m\n\n-- request 1\nsystem:\n  sys\nuser:\n  first\n\n-- request 2\n"+
		"(the same again)\n\n-- request 3\n"+
		"(the history was rewritten from message 2 on)\nuser:\n  a summary\n\n", s.Transcript())
}

func TestManyAskAtOnce(t *testing.T) {
	t.Parallel()
	const n = 40
	s := modeltest.Start(t, "== m\n"+strings.Repeat("capture id /(hi)/\nsay ${id}\n---\n", n))
	c := clientOf(s)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			got, err := c.Ask(t.Context(), model.Request{Model: "m", Messages: []model.Message{user("hi")}})
			if err != nil || got.Message.Text != "hi" {
				t.Errorf("%v %v", got, err)
			}
			_ = s.Transcript()
		})
	}
	wg.Wait()
}
