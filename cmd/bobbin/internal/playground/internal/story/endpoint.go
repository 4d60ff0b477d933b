package story

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// An Endpoint is a model endpoint that plays the story. To everything else it answers that no model is
// connected.
type Endpoint struct {
	URL string // base URL, with /v1

	script *modeltest.Script
	told   *modeltest.Server
	honest string // answer to requests outside the story
	http   *http.Server
}

// Serve starts an endpoint that plays the answers of the scripts in any order. A request that no script
// continues is answered with the text honest.
func Serve(name, scripts, honest string) (*Endpoint, error) {
	e := &Endpoint{honest: honest}
	var err error
	if e.script, err = modeltest.Parse(name, scripts); err != nil {
		return nil, err
	}
	if e.told, err = modeltest.ServePool(e.script); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.told.Close()
		return nil, fmt.Errorf("listen for the story's model: %w", err)
	}
	e.URL = "http://" + listener.Addr().String() + "/v1"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", e.serveModels)
	mux.HandleFunc("POST /v1/chat/completions", e.serveCompletion)
	e.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = e.http.Serve(listener) }()
	return e, nil
}

// Close stops the endpoint and aborts answers that are in progress.
func (e *Endpoint) Close() {
	_ = e.http.Close()
	e.told.Close()
}

func (e *Endpoint) serveModels(w http.ResponseWriter, _ *http.Request) {
	list := []map[string]string{}
	for _, name := range e.script.Models() {
		list = append(list, map[string]string{"id": name, "object": "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list})
}

func (e *Endpoint) serveCompletion(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer, err := e.answer(r.Context(), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	w.WriteHeader(answer.StatusCode)
	flush := http.NewResponseController(w)
	piece := make([]byte, 8<<10)
	for {
		n, err := answer.Body.Read(piece)
		if _, failed := w.Write(piece[:n]); err != nil || failed != nil {
			return
		}
		_ = flush.Flush()
	}
}

// answer returns the story's answer, or the honest one if the scripts have none.
func (e *Endpoint) answer(ctx context.Context, body []byte) (*http.Response, error) {
	answer, err := ask(ctx, e.told, body)
	if err != nil || answer.StatusCode != http.StatusUnprocessableEntity {
		return answer, err
	}
	answer.Body.Close()
	return e.answerHonestly(ctx, body)
}

// honestly returns a script with the honest answer, as a call of a tool that the request offers, or as text.
func (e *Endpoint) honestly(body []byte) (string, error) {
	var asked struct {
		Messages []struct{ Content any }
		Tools    []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return "", fmt.Errorf("a request that is none: %w", err)
	}
	var offered, texts []string
	for _, t := range asked.Tools {
		offered = append(offered, t.Function.Name)
	}
	for _, m := range asked.Messages {
		if text, ok := m.Content.(string); ok {
			texts = append(texts, text)
		}
	}
	if tool, arguments := modeltest.ImprovisedCall(offered, "", texts, e.honest); tool != "" {
		return "== *\ncall " + tool + " " + arguments + "\n---\n", nil
	}
	return "== *\nsay " + e.honest + "\n---\n", nil
}

func (e *Endpoint) answerHonestly(ctx context.Context, body []byte) (*http.Response, error) {
	words, err := e.honestly(body)
	if err != nil {
		return nil, err
	}
	script, err := modeltest.Parse("honest", words)
	if err != nil {
		return nil, err
	}
	s, err := modeltest.Serve(script)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	answer, err := ask(ctx, s, body)
	if err != nil {
		return nil, err
	}
	whole, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(whole))
	return answer, err
}

func ask(ctx context.Context, s *modeltest.Server, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/chat/completions",
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(r)
}
