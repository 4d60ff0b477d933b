package modeltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

func clientOf(s *modeltest.Server) *model.Client {
	return model.New(model.Config{
		BaseURL:     s.URL,
		Key:         "k",
		Retry:       model.Retry{Wait: time.Millisecond},
		IdleTimeout: time.Minute,
	})
}

func tool(name string) model.Tool {
	return model.NewTool(name, "what "+name+" does\nin two lines",
		func(context.Context, struct{}) (model.Result, error) { return model.Result{}, nil })
}

func user(text string) model.Message { return model.Message{Role: model.User, Text: text} }

// talk is a conversation of a test with one model.
type talk struct {
	t       *testing.T
	client  *model.Client
	request model.Request
}

func (t *talk) say(messages ...model.Message) model.Response {
	t.t.Helper()
	t.request.Messages = append(t.request.Messages, messages...)
	r, err := t.client.Ask(t.t.Context(), t.request)
	require.NoError(t.t, err)
	t.request.Messages = append(t.request.Messages, r.Message)
	return r
}

// coupon plays the two parts of demo-deep at the same time.
func coupon(t *testing.T, s *modeltest.Server) {
	c := clientOf(s)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		k := talk{t: t, client: c, request: model.Request{Model: "demo-deep", System: "You are deep"}}
		r := k.say(user("Please do task 2 now"))
		require.JSONEq(t, `{"path":"pricing/split.go","old":"\tif a < b { // \"quoted\" 12\n\t\treturn `+
			"`a`"+`\n\t}\n","new":">>>"}`, string(r.Message.Calls[0].Args))
	})
	deep := talk{t: t, client: c, request: model.Request{Model: "demo-deep", System: "You are deep"}}
	r := deep.say(user("Please do task 1 now"))
	require.Equal(t, "First line.\n\n  Third, indented.\nFourth.", r.Message.Text)
	require.Equal(t, model.Usage{Input: 1000, Cached: 900, Output: 50, Unpriced: 1050}, r.Usage)
}

func orchestrate(t *testing.T, s *modeltest.Server) {
	k := talk{t: t, client: clientOf(s), request: model.Request{
		Model:  "demo-orchestrator",
		System: "You are the orchestrator.\n\nBe brief.",
		Tools:  []model.Tool{tool("search"), tool("reply")},
	}}
	r := k.say(user("the total is wrong\nplease (revision 7)"))
	require.Equal(t, "Exploring the cart …", r.Message.Text)
	require.Len(t, r.Message.Calls, 2)
	require.JSONEq(t, `{"pattern":"Discount"}`, string(r.Message.Calls[0].Args))
	require.JSONEq(t, `{"pattern":"split","limit":3,"paths":["pricing","cart"],"literal":"3"}`,
		string(r.Message.Calls[1].Args))
	require.NotEqual(t, r.Message.Calls[0].ID, r.Message.Calls[1].ID)

	r = k.say(
		model.Message{
			Role:   model.ToolRole,
			CallID: r.Message.Calls[0].ID,
			Text:   "pricing/discount.go:3: Discount",
		},
		model.Message{
			Role:   model.ToolRole,
			CallID: r.Message.Calls[1].ID,
			Text:   "pricing/split.go:12: split",
		},
		user("this is revision 2"),
	)
	require.Equal(t, "The cause is split.go:12, not ${HOME}.", r.Message.Text)
	require.Positive(t, r.Usage.Cached, "figures as of an endpoint that caches prefixes")
	require.Less(t, r.Usage.Cached, r.Usage.Input)

	r = k.say(user("also for gift cards, see line 12"))
	require.JSONEq(t, `{"text":"revision 2: \"12\"","revision":2}`, string(r.Message.Calls[0].Args))
	require.Equal(t, "The part goes on.", k.say(user("and?")).Message.Text)
}

func TestAScriptIsPlayed(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "testdata/coupon.txt")
	orchestrate(t, s)
	coupon(t, s)
	require.NoError(t, s.Err())
	require.NoError(t, s.Finish())
	modeltest.Golden(t, s.Transcript(), "testdata/coupon.golden", modeltest.Scrub(`brief`, "[scrubbed]"))
}

func TestAnswersWithoutAStream(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== *\ncall x {\"a\": 1}\nusage 10 5 2\n---\nsay cut\ncut after 40\n")
	ask := func() (*http.Response, []byte, error) {
		res, err := http.Post(s.URL+"/chat/completions", "application/json", bytes.NewBufferString(
			`{"model":"any","messages":[{"role":"user","content":[{"type":"text","text":"parts"}]}]}`))
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return res, body, err
	}
	res, body, err := ask()
	require.NoError(t, err)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"))
	require.JSONEq(t, `{"id":"chatcmpl-1_1","object":"chat.completion","created":0,"model":"any",
		"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"",
			"tool_calls":[{"id":"call_1_1_1","type":"function","function":{"name":"x","arguments":"{\"a\": 1}"}}]}}],
		"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,
			"prompt_tokens_details":{"cached_tokens":5}}}`,
		string(body))
	_, body, err = ask()
	require.Error(t, err)
	require.False(t, json.Valid(body))
	require.Contains(t, s.Transcript(), "user:\n  parts\n")
}

func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	script, err := modeltest.Parse("s",
		"== a\nsay 1\n== *\nsay 2\n== b when user \"x\"\nsay 3\n== b\nsay 4\n")
	require.NoError(t, err)
	s, err := modeltest.Serve(script)
	require.NoError(t, err)
	defer s.Close()
	res, err := http.Get(s.URL + "/models")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{"object":"list","data":[{"id":"a","object":"model",`+
		`"owned_by":"modeltest"},{"id":"b","object":"model","owned_by":"modeltest"}]}`, string(body))
	require.Equal(t, []string{"a", "b"}, script.Models())
}

// The client recovers from every fault that a script can cause.
func TestFaultsAreRealToTheClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script  string
		retries int
	}{
		"429":           {"fail 429 retry-after 0.05 slow down\n---\nsay all good", 1},
		"503, a page":   {"fail 503 <html>down</html>\n---\nsay all good", 1},
		"200, an error": {`fail 200 {"error":{"message":"later","code":503}}` + "\n---\nsay all good", 1},
		"cut at once":   {"say never seen\ncut after 0\n---\nsay all good", 1},
		"cut in text":   {"say half of the text is seen\ncut after 10\n---\nsay all good", 1},
		"cut in a call": {
			"say 1234567890\ncall x {\"long\": \"argument\"}\ncut after 15\n---\nsay all good", 1,
		},
		"cut at the end": {"say all\ncut after 1000\n---\nsay all good", 1},
		"unfinished":     {"say all\nunfinished\n---\nsay all good", 1},
		"slow":           {"delay 30ms\npace 5ms\nsay all good", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.Start(t, "== m\n"+c.script+"\n")
			retries := 0
			got, err := clientOf(s).Ask(t.Context(), model.Request{
				Model: "m", Messages: []model.Message{user("hi")},
				OnRetry: func(model.RetryNotice) { retries++ },
			})
			require.NoError(t, err)
			require.Equal(t, "all good", got.Message.Text)
			require.Equal(t, c.retries, retries)
		})
	}
}

func TestOddAnswersAreGivenAsTheyAre(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== m\nmalformed x {\"pat\n---\nempty\n---\nsay so\ncall x {}\nfinish length\n"+
		"---\nfail 401 bad key\n")
	k := talk{t: t, client: clientOf(s), request: model.Request{Model: "m"}}
	require.Equal(t, `"{\"pat"`, string(k.say(user("1")).Message.Calls[0].Args))
	require.Equal(t, model.Message{Role: model.Assistant}, k.say(user("2")).Message)
	third := k.say(user("3"))
	require.Equal(t, "length", third.Finish)
	require.Empty(t, third.Message.Calls)
	_, err := k.client.Ask(t.Context(), k.request)
	var failed *endpoint.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, endpoint.KindAuth, failed.Kind)
}

func TestAHangLastsUntilTheRequestIsCancelled(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== m\nhang thinking\n---\nsay back again\n")
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-s.Reached("thinking")
		cancel(stop)
	}()
	request := model.Request{Model: "m", Messages: []model.Message{user("hi")}}
	_, err := clientOf(s).Ask(ctx, request)
	require.ErrorIs(t, err, stop)
	<-s.GivenUp("thinking")
	got, err := clientOf(s).Ask(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, "back again", got.Message.Text)
}

func TestAWaitLastsUntilItIsReleased(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, "== m\nwait correction\nsay now\n---\nwait early\nsay at once\n")
	answered := make(chan model.Response)
	k := talk{t: t, client: clientOf(s), request: model.Request{Model: "m"}}
	go func() { answered <- k.say(user("hi")) }()
	<-s.Reached("correction")
	select {
	case r := <-answered:
		t.Fatalf("answered before it was released: %+v", r)
	default:
	}
	s.Release("correction")
	s.Release("correction")
	require.Equal(t, "now", (<-answered).Message.Text)
	s.Release("early")
	require.Equal(t, "at once", k.say(user("hi")).Message.Text)
}

func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	script, err := modeltest.Parse("s", "== m\nhang here\n")
	require.NoError(t, err)
	s, err := modeltest.Serve(script)
	require.NoError(t, err)
	failed := make(chan error)
	go func() {
		c := model.New(model.Config{BaseURL: s.URL, Retry: model.Retry{Tries: 1}})
		_, err := c.Ask(t.Context(), model.Request{Model: "m", Messages: []model.Message{user("hi")}})
		failed <- err
	}()
	<-s.Reached("here")
	s.Close()
	require.Error(t, <-failed)
}

// TestAServerThatImprovisesAnswersAnything shows that an improvised answer is a call of a tool of the agent,
// with all hunks of a diff named, or words, and that what was refused is not tried again.
func TestAServerThatImprovisesAnswersAnything(t *testing.T) {
	t.Parallel()
	tool, in := modeltest.ImprovisedCall([]string{"read_file", "explain_diff"}, "",
		[]string{"", "Hunk 1, a.go (changed):\n+x\nHunk 2, b.go (changed):\n+y"}, "so it is")
	require.Equal(t, "explain_diff", tool)
	require.JSONEq(t, `{"summary": "so it is", "hunks": [{"number": 1, "why": "so it is"},
		{"number": 2, "why": "so it is"}]}`, in)
	tool, in = modeltest.ImprovisedCall([]string{"blocked", "reply"}, "reply", nil, "so it is")
	require.Equal(t, "blocked", tool)
	require.JSONEq(t, `{"reason": "so it is"}`, in)
	tool, _ = modeltest.ImprovisedCall([]string{"read_file"}, "", nil, "so it is")
	require.Empty(t, tool)
}
