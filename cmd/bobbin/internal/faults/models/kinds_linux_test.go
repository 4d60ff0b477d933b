package models

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A modelFault is one kind of misbehaviour of a model or its endpoint.
type modelFault struct {
	name   string
	times  int    // number of requests that it spoils; 0: all until a person replies
	only   string // the only turn at which it can occur; empty: any turn
	whole  bool   // the spoilt answer is complete, and is charged
	silent bool   // the session waits until the silence is noticed
	half   bool   // the answer has calls that must never be run, and looks complete if it is healed

	rests  bool     // the endpoint is at fault: the bot rests with a line, at any turn
	strays bool     // the model is at fault: its agent ends; after a worker's end the orchestrator continues
	says   []string // further lines in the thread, once each

	spoil func(s *faultyAnswer)
	// reports whether to refuse a request, at any turn after the fault
	guard func(s *faultySession, body []byte) bool
}

// instead is the line about asking another model, which fails as well.
var instead = []string{"Asking the model spare instead"}

func modelFaults() []modelFault {
	return slicesOf(passingFaults(), cutFaults(), lastingFaults(), emptyFaults(),
		malformedFaults(), otherFaults())
}

func slicesOf(lists ...[]modelFault) (all []modelFault) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// passingFaults are gone after one or two tries.
func passingFaults() []modelFault {
	return []modelFault{
		{name: "429", times: 1, spoil: refusal(429, `{"error":{"message":"slow down"}}`)},
		{
			name:  "429 with a wait",
			times: 2,
			says:  []string{"The model's endpoint asks to wait"},
			spoil: refusal(429, `{"error":{"message":"slow down"}}`, "Retry-After-Ms", "200"),
		},
		{
			name:  "529",
			times: 1,
			spoil: refusal(529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`),
		},
		{name: "500", times: 2, spoil: refusal(500, `{"error":{"message":"sorry"}}`)},
		{
			name:  "502 with a page",
			times: 1,
			spoil: refusal(502, "<html>bad gateway</html>", "Content-Type", "text/html"),
		},
		{name: "503 without a word", times: 1, spoil: refusal(503, "")},
		{name: "408", times: 1, spoil: refusal(408, "too slow")},
		{name: "reset before the answer", times: 1, spoil: func(s *faultyAnswer) { s.Reset() }},
		{
			name:   "silence before the answer",
			times:  1,
			silent: true,
			spoil:  func(s *faultyAnswer) { <-s.r.Context().Done() },
		},
		{
			name:  "JSON instead of a stream",
			times: 1,
			spoil: refusal(200, `{"choices":[{"message":{"tool_calls":[{"id":"half","type":"function",`+
				`"function":{"name":"say","arguments":"{\"message\":\"`+canary+
				`\"}"}}]},"finish_reason":"tool_calls"}]}`, "Content-Type", "application/json"),
		},
		{
			name:  "200 with an error",
			times: 1,
			spoil: refusal(200, `{"error":{"message":"try later","code":503}}`, "Content-Type",
				"application/json"),
		},
		{name: "nothing at all", times: 1, spoil: refusal(200, "", "Content-Type", "text/event-stream")},
	}
}

// cutFaults are answers that end too early; the next answer is complete.
func cutFaults() []modelFault {
	return []modelFault{
		{name: "cut in the text", times: 1, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Delta(map[string]any{"content": "I would say " + canary}, nil)
			s.BreakOff()
		}},
		{name: "cut in a call", times: 1, half: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			right := s.right("half")
			right.Args = right.Args[:len(right.Args)/2]
			s.Call(1, right)
			s.BreakOff()
		}},
		{name: "cut behind a call", times: 1, half: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			s.Call(1, s.right("half"))
			s.BreakOff()
		}},
		{name: "no finish reason", times: 1, half: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			s.Call(1, s.right("half"))
			if s.Heal {
				s.End("")
				return
			}
			io.WriteString(s, "data: [DONE]\n\n")
		}},
		{name: "a body shorter than it says", times: 1, spoil: func(s *faultyAnswer) {
			s.Header().Set("Content-Length", "100000")
			s.Begin()
			s.Call(0, s.sing("half", song))
		}},
		{name: "silence in a call", times: 1, silent: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			<-s.r.Context().Done()
		}},
		{name: "reset in a call", times: 1, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			s.Reset()
		}},
		{name: "an error in the stream", times: 1, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			io.WriteString(s, `data: {"error":{"message":"the engine died","code":500}}`+"\n\n")
		}},
		{
			name:  "finish reason error",
			times: 1,
			spoil: func(s *faultyAnswer) { s.Answer("error", s.sing("half", song)) },
		},
		{name: "a chunk that is no JSON", times: 1, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			io.WriteString(s, "data: oops\n\n")
			s.End("tool_calls")
		}},
		{name: "a call without a name", times: 1, spoil: func(s *faultyAnswer) {
			s.Answer("tool_calls", chatmodel.Call{ID: s.id("half", 1), Name: "", Args: "{}"},
				s.sing("half", song))
		}},
		{
			name:  "cut at its length",
			times: 1,
			whole: true,
			half:  true,
			spoil: func(s *faultyAnswer) { s.Answer("length", s.sing("half", song), s.right("half")) },
		},
		{
			name:   "cut at its length, over and over",
			times:  3,
			whole:  true,
			strays: true,
			spoil:  func(s *faultyAnswer) { s.Answer("length", s.right("half"), s.sing("half", song)) },
		},
		{
			name:  "cut by a filter",
			times: 1,
			whole: true,
			half:  true,
			spoil: func(s *faultyAnswer) {
				s.Answer("content_filter", s.right("half"), s.sing("half", song))
			},
		},
	}
}

// lastingFaults last until a person replies.
func lastingFaults() []modelFault {
	huge := strings.Repeat("x", 64<<10)
	return []modelFault{
		{
			name:  "500 for ever",
			rests: true,
			says:  instead,
			spoil: refusal(500, `{"error":{"message":"sorry"}}`),
		},
		{
			name:  "429 for ever",
			rests: true,
			says:  instead,
			spoil: refusal(429, `{"error":{"message":"slow down"}}`),
		},
		{
			name:  "429 for an hour",
			rests: true,
			says:  instead,
			spoil: refusal(429, `{"error":{"message":"slow down"}}`, "Retry-After", "3600"),
		},
		{name: "cut for ever", rests: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			s.BreakOff()
		}},
		{
			name:  "no allowance",
			rests: true,
			says:  instead,
			spoil: refusal(429,
				`{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}`),
		},
		{name: "no allowance, and another model", says: instead, spoil: func(s *faultyAnswer) {
			s.Refuse(429,
				`{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}`)
		}},
		{name: "401 that repeats the key", rests: true, spoil: func(s *faultyAnswer) {
			s.Refuse(401, `{"error":{"message":"Incorrect API key provided: `+
				strings.TrimPrefix(s.r.Header.Get("Authorization"), "Bearer ")+`"}}`)
		}},
		{name: "403", rests: true, spoil: refusal(403, "forbidden")},
		{
			name:  "a login page",
			rests: true,
			spoil: refusal(200, "<!DOCTYPE html><title>Sign in</title>", "Content-Type", "text/html"),
		},
		{name: "a redirect", rests: true, spoil: refusal(302, "", "Location", "https://login.example/")},
		{
			name:  "no such model",
			rests: true,
			spoil: refusal(404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`),
		},
		{
			name:  "too long a conversation",
			rests: true,
			spoil: refusal(400, `{"error":{"message":"This model's maximum context length is 8192 tokens",`+
				`"code":"context_length_exceeded"}}`),
		},
		{name: "10 MB of words", rests: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, s.sing("half", song))
			for range 160 {
				s.Delta(map[string]any{"content": huge}, nil)
			}
			s.End("tool_calls")
		}},
		{name: "10 MB of arguments", rests: true, spoil: func(s *faultyAnswer) {
			s.Begin()
			s.Call(0, chatmodel.Call{ID: s.id("half", 1), Name: "say", Args: `{"message":"`})
			for range 160 {
				s.Call(0, chatmodel.Call{Args: huge})
			}
			s.End("tool_calls")
		}},
	}
}

// emptyFaults are answers without a tool call.
func emptyFaults() []modelFault {
	text := func(words string) func(*faultyAnswer) {
		return func(s *faultyAnswer) {
			s.Begin()
			s.Delta(map[string]any{"role": "assistant", "content": words}, nil)
			s.End("stop")
		}
	}
	refused := func(s *faultyAnswer) {
		s.Begin()
		s.Delta(map[string]any{"refusal": "I will not"}, nil)
		s.End("stop")
	}
	return []modelFault{
		{name: "empty", times: 1, whole: true, spoil: text("")},
		{name: "empty twice", times: 2, whole: true, strays: true, spoil: text("")},
		{name: "white space twice", times: 2, whole: true, strays: true, spoil: text(" \n\t ")},
		{name: "words without a call", times: 2, whole: true, spoil: text("I would look at the file.")},
		{
			name:   "words for ever",
			times:  3,
			whole:  true,
			strays: true,
			spoil:  text("I would look at the file."),
		},
		{name: "declined", times: 1, whole: true, spoil: refused},
		{name: "declined twice", times: 2, whole: true, strays: true, spoil: refused},
	}
}

// malformedFaults are malformed calls, which no tool may run: each once, and three times in a row.
func malformedFaults() (all []modelFault) {
	calls := map[string]func(s *faultyAnswer) []chatmodel.Call{
		"half a JSON": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `{"message":"`+canary)}
		},
		"no such tool": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{{ID: s.id("bad", 1), Name: "push", Args: song}}
		},
		"a missing field": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `{}`)}
		},
		"an unknown field": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `{"message":"`+canary+`","force":true}`)}
		},
		"a wrong type": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `{"message":["`+canary+`"]}`)}
		},
		"2000 deep": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad",
				`{"message":"`+canary+`","x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+"}")}
		},
		"a quoted object": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `"{\"message\":\"`+canary+`\"}"`)}
		},
		"a list": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `["`+canary+`"]`)}
		},
		"a field twice": func(s *faultyAnswer) []chatmodel.Call {
			return []chatmodel.Call{s.sing("bad", `{"message":"x","message":"`+canary+`"}`)}
		},
		"one id for two": func(s *faultyAnswer) []chatmodel.Call {
			right := s.sing("bad", song)
			other := s.right("bad")
			other.ID = right.ID
			return []chatmodel.Call{right, other}
		},
		"an id that was used": func(s *faultyAnswer) []chatmodel.Call {
			again := s.sing("bad", song)
			if id := usedID(s.asked.Body); id != "" {
				again.ID = id
				return []chatmodel.Call{again}
			}
			return []chatmodel.Call{again, again}
		},
	}
	for _, name := range sortedKeys(calls) {
		spoil := func(s *faultyAnswer) { s.Answer("tool_calls", calls[name](s)...) }
		all = append(all, modelFault{name: name, times: 1, whole: true, spoil: spoil},
			modelFault{name: name + ", three times", times: 3, whole: true, strays: true, spoil: spoil})
	}
	return all
}

// otherFaults are faults of a model whose answers are well-formed.
func otherFaults() []modelFault {
	return []modelFault{
		{
			name:   "the same call over and over",
			times:  5,
			whole:  true,
			strays: true,
			spoil: func(s *faultyAnswer) {
				s.Answer("tool_calls",
					chatmodel.Call{ID: s.id("same", 1), Name: "list_files", Args: `{"path":"bugs"}`})
			},
		},
		{name: "characters that no database takes", times: 1, whole: true, spoil: func(s *faultyAnswer) {
			s.Answer("tool_calls", s.sing("odd", "{\"message\":\"zero \\u0000 half \\ud800 and \xff\"}"))
		}},
		{
			name:  "a place that is not there",
			times: 1,
			whole: true,
			only:  "report_root_cause",
			spoil: func(s *faultyAnswer) {
				args, _ := json.Marshal(map[string]any{
					"summary": canary, "cause": "It is in nowhere/at/all.go:7", "confidence": "high",
					"remains": "nothing",
					"evidence": []any{
						map[string]any{"claim": canary, "grade": "observed", "source": "bugs/missing.txt"},
					},
				})
				s.Answer("tool_calls", chatmodel.Call{ID: s.id("odd", 1), Name: s.name, Args: string(args)})
			},
		},
		{name: "malformed for ever", whole: true, strays: true, spoil: func(s *faultyAnswer) {
			s.Answer("tool_calls", s.sing("bad", fmt.Sprintf(`{"message":%d}`, len(s.asked.Messages))))
		}},
		{
			name:  "a conversation that outgrows the window",
			times: 1,
			whole: true,
			guard: outgrown,
			spoil: func(s *faultyAnswer) {
				var calls []chatmodel.Call
				for n := range 10 {
					calls = append(calls, chatmodel.Call{
						ID:   s.id("big", n),
						Name: "read_file",
						Args: fmt.Sprintf(`{"path":"big.txt","offset":%d,"limit":300}`, n*100+1),
					})
				}
				s.Answer("tool_calls", calls...)
			},
		},
	}
}

// outgrown reports whether a request is too long: over 100,000 bytes and over three quarters of the session's
// longest request.
func outgrown(s *faultySession, body []byte) bool {
	s.most = max(s.most, len(body))
	return len(body) > 100_000 && len(body) > s.most*3/4
}

// usedID returns the ID of a call in the conversation, or an empty string.
func usedID(body []byte) string {
	_, rest, ok := strings.Cut(string(body), `"tool_call_id":"`)
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
