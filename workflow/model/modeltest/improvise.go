package modeltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Improvise lets the server leave its script: it answers every further request with these words, by a tool
// with which an agent answers people. So a test can go on after its script without knowing what agents are
// asked.
func (s *Server) Improvise(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.improvised = words
}

// improvisers are the tools with which agents answer people: the argument that takes the words, and the other
// required arguments.
var improvisers = []struct {
	tool, words string
	beside      map[string]any
}{
	{"reply", "text", nil},
	{"advise", "bottom_line", map[string]any{"steps": []string{}, "effort": "quick", "confidence": "low"}},
	{"explain_diff", "summary", nil},
	{"blocked", "reason", nil},
}

var hunkHead = regexp.MustCompile(`(?m)^Hunk (\d+), `)

// ImprovisedCall returns the call by which an agent answers people with those words, or empty strings if it
// has no tool for it. offered are the names of its tools, last is the tool that it called last, and texts are
// the messages that it was sent: an explanation of a diff has to name each of its hunks.
func ImprovisedCall(offered []string, last string, texts []string, words string) (tool, arguments string) {
	for _, way := range improvisers {
		if !slices.Contains(offered, way.tool) || way.tool == last { // what was refused is not tried again
			continue
		}
		in := map[string]any{way.words: words}
		maps.Copy(in, way.beside)
		if way.tool == "explain_diff" {
			in["hunks"] = improvisedHunks(texts, words)
		}
		raw, err := json.Marshal(in)
		if err != nil {
			return "", ""
		}
		return way.tool, string(raw)
	}
	return "", ""
}

func improvisedHunks(texts []string, words string) []map[string]any {
	hunks := []map[string]any{}
	for _, text := range texts {
		for n := range hunkHead.FindAllStringSubmatch(text, -1) {
			if n >= len(hunks) {
				hunks = append(hunks, map[string]any{"number": n + 1, "why": words})
			}
		}
	}
	return hunks
}

// improvise returns an answer to any request.
func (s *Server) improvise(r *request) preparedAnswer {
	var offered, texts []string
	last := ""
	for _, t := range r.Tools {
		offered = append(offered, t.Function.Name)
	}
	for _, m := range r.Messages {
		texts = append(texts, m.text)
		for _, c := range m.ToolCalls {
			last = c.Function.Name
		}
	}
	play := preparedAnswer{
		answer: &answer{cutAfter: -1}, id: "improvised_" + strconv.Itoa(len(r.Messages)), request: r,
		text: s.improvised, finish: "stop",
	}
	if r.Messages[len(r.Messages)-1].Role != "tool" {
		last = ""
	}
	if tool, arguments := ImprovisedCall(offered, last, texts, s.improvised); tool != "" {
		made := toolCall{ID: fmt.Sprintf("call_%s", play.id), Type: "function"}
		made.Function.Name = tool
		made.Function.Arguments = arguments
		play.calls = []toolCall{made}
		play.text = ""
		play.finish = "tool_calls"
	}
	play.figures = figuresOf(nil, play, nil)
	return play
}
