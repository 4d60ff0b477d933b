package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A preparedAnswer is one answer of a script, ready to be sent.
type preparedAnswer struct {
	*answer
	id      string
	request *request
	text    string
	calls   []toolCall
	finish  string
	figures map[string]any
}

type toolCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// prepare makes the n-th answer of a part ready to be sent. Ids depend on the script alone, so that later
// requests can be compared with a golden file.
func (s *Server) prepare(p *part, n int, r *request, earlier []*request) (preparedAnswer, error) {
	a := p.answers[n]
	play := preparedAnswer{
		answer:  a,
		id:      fmt.Sprintf("%d_%d", s.number(p), n+1),
		request: r,
		finish:  a.finish,
	}
	text, err := s.values.expand(strings.Join(a.say, "\n"), plain)
	if err != nil {
		return play, err
	}
	play.text = text
	for i, c := range a.calls {
		args, err := s.values.arguments(c)
		if err != nil {
			return play, fmt.Errorf("call %s: %w", c.name, err)
		}
		made := toolCall{ID: fmt.Sprintf("call_%s_%d", play.id, i+1), Type: "function"}
		made.Function.Name = c.name
		made.Function.Arguments = args
		play.calls = append(play.calls, made)
	}
	if play.finish == "" {
		play.finish = "stop"
		if len(play.calls) > 0 {
			play.finish = "tool_calls"
		}
	}
	play.figures = figuresOf(a.usage, play, earlier)
	return play, nil
}

func (s *Server) number(p *part) int {
	for i, known := range s.script.parts {
		if known == p {
			return i + 1
		}
	}
	return 0
}

// figuresOf returns the figures of the script, or an estimate as a caching endpoint would report it.
func figuresOf(given *usage, play preparedAnswer, earlier []*request) map[string]any {
	u := given
	if u == nil {
		u = &usage{in: tokens(play.request.prompt), out: len(play.text)/4 + 1}
		for _, c := range play.calls {
			u.out += len(c.Function.Arguments)/4 + 5
		}
		if len(earlier) > 0 {
			u.cached = sharedPrefix(earlier[len(earlier)-1].prompt, play.request.prompt) / 4
		}
	}
	return map[string]any{
		"prompt_tokens": u.in, "completion_tokens": u.out, "total_tokens": u.in + u.out,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.cached},
	}
}

// tokens estimates the number of tokens of a prompt, at four bytes a token.
func tokens(prompt string) int { return len(prompt) / 4 }

// tooLong returns the refusal of a request that is too long, as OpenAI words it. It uses up no answer.
func tooLong(reads, n int) preparedAnswer {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{
		"message": fmt.Sprintf("This model's maximum context length is %d tokens. However, "+
			"your messages resulted in %d tokens. Please reduce the length of the messages.", reads, n),
		"type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded",
	}})
	return preparedAnswer{
		answer: &answer{cutAfter: -1, fail: &httpFailure{status: http.StatusBadRequest, text: string(body)}},
	}
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (p preparedAnswer) write(w http.ResponseWriter, ctx context.Context) {
	switch {
	case p.fail != nil:
		p.writeFailure(w)
	case p.request.Stream:
		p.writeStream(w, ctx)
	default:
		p.writeWhole(w)
	}
}

func (p preparedAnswer) writeFailure(w http.ResponseWriter) {
	f := p.fail
	if f.retryAfter != "" {
		w.Header().Set("Retry-After", f.retryAfter)
	}
	switch {
	case strings.HasPrefix(f.text, "<"):
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, f.text)
	case strings.HasPrefix(f.text, "{"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, f.text)
	default:
		text := textOr(f.text, "made to fail by the script")
		writeJSON(w, f.status, map[string]any{
			"error": map[string]any{"message": text, "type": "scripted", "code": f.status},
		})
	}
}

func (p preparedAnswer) writeWhole(w http.ResponseWriter) {
	reason := any(p.finish)
	if p.unfinished {
		reason = nil
	}
	message := map[string]any{"role": "assistant", "content": p.text}
	if len(p.calls) > 0 {
		message["tool_calls"] = p.calls
	}
	value := p.envelope("chat.completion")
	value["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": reason}}
	value["usage"] = p.figures
	if p.cutAfter < 0 {
		writeJSON(w, http.StatusOK, value)
		return
	}
	whole, _ := json.Marshal(value)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(whole[:min(p.cutAfter, len(whole)-1)])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (p preparedAnswer) envelope(object string) map[string]any {
	return map[string]any{"id": "chatcmpl-" + p.id, "object": object, "created": 0, "model": p.request.Model}
}

func (p preparedAnswer) writeStream(w http.ResponseWriter, ctx context.Context) {
	s := &streamer{preparedAnswer: p, w: w, ctx: ctx, left: p.cutAfter}
	w.Header().Set("Content-Type", "text/event-stream")
	s.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(p.text, 24) {
		s.pieceOf(piece, func(part string) { s.delta(map[string]any{"content": part}, nil) })
	}
	for i, c := range p.calls {
		index := i
		head := c
		head.Index = &index
		head.Function.Arguments = ""
		s.delta(map[string]any{"tool_calls": []toolCall{head}}, nil)
		for _, piece := range pieces(c.Function.Arguments, 64) {
			s.pieceOf(piece, func(part string) {
				more := toolCall{Index: &index}
				more.Function.Arguments = part
				s.delta(map[string]any{"tool_calls": []toolCall{more}}, nil)
			})
		}
	}
	if p.cutAfter >= 0 {
		s.abort() // the cut lies beyond the end of the answer
	}
	if !p.unfinished {
		s.delta(map[string]any{}, p.finish)
		if p.request.StreamOptions.IncludeUsage {
			last := p.envelope("chat.completion.chunk")
			last["choices"] = []any{}
			last["usage"] = p.figures
			s.event(last)
		}
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// A streamer writes the chunks of one answer.
type streamer struct {
	preparedAnswer
	w    http.ResponseWriter
	ctx  context.Context
	left int // characters before the cut; negative: no cut
}

// pieceOf writes a piece, or the part of it before the cut.
func (s *streamer) pieceOf(piece string, write func(string)) {
	runes := []rune(piece)
	if s.left >= 0 && len(runes) >= s.left {
		if s.left > 0 {
			write(string(runes[:s.left]))
		}
		s.abort()
	}
	if s.left >= 0 {
		s.left -= len(runes)
	}
	write(piece)
	if !pause(s.ctx, s.pace) {
		s.abort()
	}
}

// abort breaks the connection, by the panic that net/http offers for that.
func (s *streamer) abort() {
	_ = http.NewResponseController(s.w).Flush()
	panic(http.ErrAbortHandler)
}

func (s *streamer) delta(delta map[string]any, reason any) {
	chunk := s.envelope("chat.completion.chunk")
	chunk["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}}
	s.event(chunk)
}

func (s *streamer) event(value any) {
	raw, _ := json.Marshal(value)
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", raw)
	if s.pace > time.Duration(0) || s.left >= 0 {
		_ = http.NewResponseController(s.w).Flush()
	}
}

// pieces splits a text into parts of size characters, as a model streams it.
func pieces(text string, size int) []string {
	var out []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
