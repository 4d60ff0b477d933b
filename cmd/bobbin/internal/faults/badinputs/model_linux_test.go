package badinputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A badModel is the room of model endpoints. A server answers each request of a case with the bytes that the
// case states, and the real agent loop asks it through the real client. After the stated answers the model
// calls the tool end. The verbs of a step are:
//
//	status CODE, header NAME VALUE, body TEXT     an answer that is not a stream
//	text TEXT, call ID NAME ARGS, part INDEX ID NAME ARGS, delta JSON, chunk JSON, raw TEXT
//	                                              pieces of a stream
//	finish REASON, done, cut, reset, silent       how the answer ends
//	---                                           the end of an answer
//	steps N, seconds N                            limits of the agent
//	ran CALLS | end END | asked N | error TEXT | told TEXT | untold TEXT
//	                                              expectations
//
// A case without ran may run no tool but end. Each case is also checked for this: a strict endpoint would
// accept every request, the API key is in no message, log or error, and after another user message the loop
// ends normally.
type badModel struct {
	t   *testing.T
	off string
	*httptest.Server

	plays map[string]*modelCase // by the first element of the path
}

const badKey = "sk-bad-0123456789abcdef"

func playWithTheModel(t *testing.T, batches []*badBatch, off string) {
	m := &badModel{t: t, off: off, plays: map[string]*modelCase{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Server.Close)
	t.Cleanup(m.Server.CloseClientConnections) // runs before Close, since some requests are held open
	for _, b := range batches {
		// filled before any case is played, as the server reads it without a lock
		require.Empty(t, b.setup)
		for _, c := range b.cases {
			key := fmt.Sprint("case-", len(m.plays))
			m.plays[key] = &modelCase{
				badModel: m,
				badCase:  c,
				key:      key,
				steps:    12,
				expects:  map[string]bool{},
			}
		}
	}
	var all errgroup.Group
	all.SetLimit(12)
	for _, p := range m.plays {
		all.Go(func() error {
			p.play(t.Context())
			p.end()
			return nil
		})
	}
	require.NoError(t, all.Wait())
}

// A modelCase is the state of one case while it is played. It is also the loop's transcript.
type modelCase struct {
	*badModel
	*badCase
	key     string
	shots   [][]badStep // the pieces of each answer
	due     []badStep
	expects map[string]bool
	steps   int
	time    time.Duration

	mu       sync.Mutex
	asked    int
	invalid  []string
	messages []model.Message
	ran      []string
	log      bytes.Buffer
}

func (mc *modelCase) Messages() []model.Message { return mc.messages }

func (mc *modelCase) Append(_ context.Context, e agent.Entry) error {
	mc.messages = append(mc.messages, e.Messages...)
	return nil
}

func (mc *modelCase) Splice(context.Context) error { return nil }

func (mc *modelCase) play(ctx context.Context) {
	mc.read()
	mc.messages = []model.Message{{Role: model.User, Text: "look into it"}}
	end, err := mc.loop(ctx)
	mc.mu.Lock()
	asked := mc.asked
	mc.shots = nil
	mc.mu.Unlock()
	for _, s := range mc.due {
		mc.look(s, end, err, asked)
	}
	last := badStep{at: mc.at, verb: "afterwards"}
	if !mc.expects["ran"] {
		mc.hold(last, !slices.ContainsFunc(mc.ran, func(r string) bool { return r != "end" }),
			"%q was run", mc.ran)
	}
	if !mc.expects["error"] && err != nil {
		mc.wrong(last, "an error: %v", err)
	}
	mc.messages = append(mc.messages, model.Message{Role: model.User, Text: "go on"})
	mc.time = 0 // a busy machine may take longer for this than a case allows
	end, again := mc.loop(ctx)
	mc.hold(last, again == nil && end == agent.EndTool, "it does not go on: %s, %v", end, again)
	for _, why := range mc.invalid {
		mc.wrong(last, "a request with %s", why)
	}
	told := mc.log.String() + fmt.Sprint(err)
	for _, m := range mc.messages {
		told += m.Text
	}
	mc.hold(last, !strings.Contains(told, badKey), "the key is told: %s", told)
}

// read splits the steps of the case into answers, limits and expectations.
func (mc *modelCase) read() {
	var shot []badStep
	for _, s := range mc.badCase.steps {
		switch s.verb {
		case "ran", "end", "asked", "error", "told", "untold":
			mc.due = append(mc.due, s)
			mc.expects[s.verb] = true
		case "steps":
			mc.steps = s.number()
		case "seconds":
			mc.time = time.Duration(s.number()) * time.Second
		case "---":
			for range max(1, s.number()) {
				mc.shots = append(mc.shots, shot)
			}
			shot = nil
		default:
			shot = append(shot, s)
		}
	}
	if shot != nil {
		mc.shots = append(mc.shots, shot)
	}
}

func (mc *modelCase) loop(ctx context.Context) (agent.End, error) {
	log := slog.New(slog.NewTextHandler(&mc.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	idle := harness.StepTimeout
	if slices.ContainsFunc(mc.badCase.steps, func(s badStep) bool { return s.verb == "silent" }) {
		idle = 20 * time.Second
	}
	client := model.New(model.Config{
		BaseURL: mc.URL + "/" + mc.key + "/v1", Key: badKey, Log: log, IdleTimeout: idle,
		Retry: model.Retry{Tries: 3, Wait: time.Millisecond, MaxWait: 100 * time.Millisecond},
	})
	l := &agent.Loop{
		Agent: agent.Agent{
			Name:   "quick",
			Model:  "scripted",
			Prompt: "You fix code.",
			Steps:  mc.steps,
			Time:   mc.time,
		},
		Tools: mc.tools(), Transcript: mc, Ask: client.Ask, Log: log,
	}
	return l.Run(ctx)
}

func (mc *modelCase) tools() []model.Tool {
	type sung struct {
		Message string `json:"message"`
	}
	type looked struct {
		Path  string   `json:"path"`
		Limit int      `json:"limit,omitempty"`
		Names []string `json:"names,omitempty"`
	}
	return []model.Tool{
		model.NewTool("say", "Says it.", func(_ context.Context, in sung) (model.Result, error) {
			mc.ran = append(mc.ran, "say "+in.Message)
			return model.Result{Text: "said"}, nil
		}),
		model.NewTool("look", "Looks there.", func(_ context.Context, in looked) (model.Result, error) {
			mc.ran = append(mc.ran, "look "+in.Path)
			return model.Result{Text: strings.Repeat("seen ", max(1, min(in.Limit, 1<<24)))}, nil
		}),
		model.NewTool("end", "Ends it.", func(context.Context, struct{}) (model.Result, error) {
			mc.ran = append(mc.ran, "end")
			return model.Result{Text: "bye", Ends: true}, nil
		}),
	}
}

// look checks what happened against an expectation.
func (mc *modelCase) look(s badStep, end agent.End, err error, asked int) {
	told := ""
	for _, m := range mc.messages {
		if m.Role != model.Assistant {
			told += m.Text + "\n"
		}
	}
	switch s.verb {
	case "ran":
		mc.hold(s, strings.Join(mc.ran, "; ") == s.text(), "%q was run", mc.ran)
	case "end":
		mc.hold(s, string(end) == s.text(), "it ended with %q (%v)", end, err)
	case "asked":
		mc.hold(s, strconv.Itoa(asked) == s.text(), "it was asked %d times", asked)
	case "error":
		mc.hold(s, err != nil && strings.Contains(err.Error(), s.text()) &&
			!strings.Contains(err.Error(), "\n"), "the error is %v", err)
	case "told":
		mc.hold(s, strings.Contains(told, s.text()), "the model was told %q", told)
	case "untold":
		mc.hold(s, !strings.Contains(told, s.text()), "the model was told %q", told)
	}
}

// ServeHTTP answers one request of a case.
func (b *badModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p := b.plays[key]
	body, err := io.ReadAll(r.Body)
	if p == nil || err != nil {
		return
	}
	p.mu.Lock()
	p.asked++
	p.invalid = append(p.invalid, chatmodel.InvalidRequest(body)...)
	var pieces []badStep
	if len(p.shots) > 0 {
		pieces, p.shots = p.shots[0], p.shots[1:]
	}
	p.mu.Unlock()
	s := &chatmodel.Stream{ResponseWriter: w}
	if pieces == nil {
		s.Answer("tool_calls", chatmodel.Call{ID: fmt.Sprint("ending-", p.asked), Name: "end", Args: "{}"})
		return
	}
	b.send(r.Context(), s, pieces)
}

// send writes the pieces of an answer in order.
func (b *badModel) send(ctx context.Context, s *chatmodel.Stream, pieces []badStep) {
	status := 0
	if !slices.ContainsFunc(pieces,
		func(p badStep) bool { return p.verb == "status" || p.verb == "header" }) {
		s.Begin()
	}
	for _, p := range pieces {
		switch p.verb {
		case "status":
			status = p.number()
		case "header":
			name := p.word()
			s.Header().Set(name, p.text())
		case "body", "raw":
			if status != 0 {
				s.WriteHeader(status)
				status = 0
			}
			_, _ = io.WriteString(s, p.text())
			s.Flush()
		case "finish", "done":
			if p.verb == "finish" {
				s.End(p.text())
			} else {
				_, _ = io.WriteString(s, "data: [DONE]\n\n")
			}
		case "cut":
			s.Heal = b.off == "an answer has a reason to end"
			s.BreakOff()
		case "reset":
			s.Reset()
		case "silent":
			s.Flush()
			<-ctx.Done()
		default:
			piece(s, p)
		}
	}
	if status != 0 {
		s.WriteHeader(status)
	}
}

// piece sends one chunk of a stream.
func piece(s *chatmodel.Stream, p badStep) {
	switch p.verb {
	case "text":
		s.Delta(map[string]any{"content": p.text()}, nil)
	case "call":
		id := p.word()
		name := p.word()
		s.Call(0, chatmodel.Call{ID: id, Name: name, Args: p.text()})
	case "part":
		index := p.number()
		id := p.word()
		name := p.word()
		s.Call(index, chatmodel.Call{ID: id, Name: name, Args: p.text()})
	case "delta":
		s.Delta(map[string]any{}, nil)
		fmt.Fprintf(s, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":%s}]}`+
			"\n\n", p.text())
		s.Flush()
	case "chunk":
		fmt.Fprintf(s, "data: %s\n\n", p.text())
		s.Flush()
	default:
		panic(errors.New("no such piece of an answer: " + p.verb))
	}
}
