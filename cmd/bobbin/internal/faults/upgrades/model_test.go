package upgrades

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A scriptedModel is a model whose answer depends only on the conversation, whichever version of the
// program sends it. The first message of a thread says what is wanted and about which file: "bug NAME:" is
// a wrong word in words/NAME.txt.
type scriptedModel struct {
	*httptest.Server

	mu   sync.Mutex
	hold map[string]string // by name: the call that is never answered
	held map[string]int    // by name: the number of held requests
}

func openScriptedModel(t *testing.T, hold map[string]string) *scriptedModel {
	t.Helper()
	c := &scriptedModel{hold: hold, held: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(c.Close)
	return c
}

// holding returns how many requests about name are held.
func (s *scriptedModel) holding(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[name]
}

// await waits until a request about name is held.
func (s *scriptedModel) await(ctx context.Context, name string) error {
	for s.holding(name) == 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("nobody asked about %s: %w", name, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// A modelRequest is a request to the scripted model, with what read finds in its messages.
type modelRequest struct {
	chatmodel.Request

	calls  []string // names of the calls, in order
	result string   // result of the last call
	told   string   // user messages since the last call
	all    string
	pushed bool
}

func (s *scriptedModel) answer(w http.ResponseWriter, r *http.Request) {
	asked, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	l := modelRequest{Request: asked}
	l.read()
	call, args := l.next()
	name := l.name()
	s.mu.Lock()
	wait := s.hold[name] == call
	if wait {
		s.held[name]++
	}
	s.mu.Unlock()
	if wait {
		<-r.Context().Done()
		s.mu.Lock()
		s.held[name]--
		s.mu.Unlock()
		return
	}
	l.Answer(w, call, args)
}

func (mr *modelRequest) read() {
	for i, m := range mr.Messages {
		text := m.Text()
		switch {
		case i == 0:
			continue
		case m.Role == "tool":
			mr.result = text
			mr.pushed = mr.pushed || strings.HasPrefix(text, "Pushed ")
		case m.Role == "assistant":
			mr.told, mr.result = "", ""
		default:
			mr.told += text + "\n"
		}
		for _, call := range m.Calls {
			mr.calls = append(mr.calls, call.Function.Name)
		}
		mr.all += text + "\n"
	}
}

var (
	caseNamed = regexp.MustCompile(
		`\b(bug|question|doubt|feature|plan|interview|pair|advice|diagnosis) ([a-z]+): the word`)
	taskNamed = regexp.MustCompile(`Do it: mend words/([a-z0-9]+)\.txt`)
	fileNamed = regexp.MustCompile(`words/([a-z]+)2?\.txt`)
)

func (mr *modelRequest) kind() (kind, name string) {
	if m := caseNamed.FindStringSubmatch(mr.all); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// name returns the name that the conversation is about, for any agent.
func (mr *modelRequest) name() string {
	if _, name := mr.kind(); name != "" {
		return name
	}
	if m := fileNamed.FindStringSubmatch(mr.all); m != nil {
		return m[1]
	}
	return ""
}

func (mr *modelRequest) called(name string) bool {
	for _, c := range mr.calls {
		if c == name {
			return true
		}
	}
	return false
}

func (mr *modelRequest) last() string {
	if len(mr.calls) == 0 {
		return ""
	}
	return mr.calls[len(mr.calls)-1]
}

type arguments = map[string]any

func (mr *modelRequest) next() (call string, args arguments) {
	switch {
	case strings.Contains(mr.result, "remains is missing"): // the version before this one knows no such field
		return mr.last(), arguments{"remains": "nothing"}
	case mr.IsOrchestrator():
		return mr.lead()
	case mr.IsConsultant():
		return "advise", arguments{
			"bottom_line": "Mend the word.",
			"steps":       []string{"mend it"},
			"effort":      "quick",
			"confidence":  "high",
		}
	}
	return mr.work()
}

// lead returns the orchestrator's next call.
func (mr *modelRequest) lead() (string, arguments) {
	kind, name := mr.kind()
	switch {
	case mr.last() == "delegate" && strings.Contains(mr.result, "is done"):
		return mr.finish(kind, name)
	case mr.last() == "delegate" && mr.result != "",
		mr.last() == "finish" && strings.Contains(mr.result, "Nothing was changed"):
		return "delegate", mr.tasks(kind, name)
	case strings.Contains(mr.told, "push again"):
		return mr.finish(kind, name)
	case strings.Contains(mr.told, "was approved by"),
		strings.Contains(mr.told, "confirmed the shared understanding"),
		mr.last() == "restate_request" && strings.Contains(mr.result, "delegate"):
		return "delegate", mr.tasks(kind, name)
	}
	return mr.explore(kind, name)
}

func (mr *modelRequest) explore(kind, name string) (string, arguments) {
	asks := map[string]bool{"doubt": true, "interview": true}[kind]
	switch {
	case kind == "question":
		return "reply", arguments{"text": fmt.Sprintf("Answer %d is in words/%s.txt.",
			1+strings.Count(strings.Join(mr.calls, " "), "reply"), name)}
	case asks && !mr.called("ask"):
		return "ask", arguments{
			"question":    "Which word shall stand in words/" + name + ".txt?",
			"options":     []string{"right", "left"},
			"recommended": "right",
			"open":        []any{arguments{"question": "In capitals?", "recommended": "no"}},
		}
	case kind == "advice" && !mr.called("consult"):
		return "consult", arguments{"question": "Is it only the word in words/" + name + ".txt?"}
	case kind == "feature", kind == "interview":
		return "restate_request", arguments{
			"surface_area":  "words " + name,
			"done_criteria": []string{"words/" + name + ".txt says right"},
			"files":         []string{"words/" + name + ".txt"},
		}
	case kind == "plan":
		return "propose_plan", arguments{
			"title":        "Plan " + name,
			"summary":      "The word is mended.",
			"risks":        []string{},
			"verification": "read the file",
			"tasks": []any{arguments{
				"description": "mend the word",
				"category":    "quick",
				"files":       []string{"words/" + name + ".txt"},
				"acceptance":  "it says right",
				"check":       "cat words/" + name + ".txt",
			}},
		}
	case kind == "diagnosis":
		guess := func(claim, outcome string) any {
			return arguments{"claim": claim, "probe": "read words/" + name + ".txt", "outcome": outcome}
		}
		return "report_diagnosis", arguments{
			"bug":            "Diagnosis " + name,
			"root_cause":     "The word is wrong in words/" + name + ".txt:1.",
			"affected_scope": []string{"readers, all"},
			"proposed_fix":   []string{"mend the word"},
			"risk":           arguments{"level": "LOW", "reason": "one word"},
			"evidence":       mr.evidence(name),
			"hypotheses": []any{
				guess("the word", "confirmed"), guess("the file", "ruled_out"),
				guess("the reader", "ruled_out"),
			},
		}
	}
	return "report_root_cause", arguments{
		"summary":    "Bug " + name,
		"cause":      "The word is wrong in words/" + name + ".txt:1.",
		"confidence": "high",
		"evidence":   mr.evidence(name),
	}
}

func (mr *modelRequest) evidence(name string) []any {
	return []any{
		arguments{"claim": "it says wrong", "grade": "inferred", "source": "words/" + name + ".txt:1"},
	}
}

func (mr *modelRequest) finish(kind, name string) (string, arguments) {
	args := arguments{"summary": "The word of " + name + " is right now.", "changed": "nothing"}
	if kind == "feature" || kind == "interview" {
		args["criteria"] = []any{arguments{"met": true, "how": "words/" + name + ".txt:1"}}
	}
	return "finish", args
}

// tasks returns one task, or for a pair two parallel ones. After a push the task is about another file.
func (mr *modelRequest) tasks(kind, name string) arguments {
	files := []string{name}
	switch {
	case kind == "pair":
		files = []string{name, name + "2"}
	case mr.pushed:
		files = []string{name + "2"}
	}
	var tasks []any
	for _, f := range files {
		task := arguments{"category": "quick", "description": "Do it: mend words/" + f + ".txt"}
		if kind == "plan" {
			task["plan"] = 1
		}
		tasks = append(tasks, task)
	}
	return arguments{"tasks": tasks}
}

// work returns a worker's next call: read, edit, done.
func (mr *modelRequest) work() (string, arguments) {
	file := "unknown"
	if m := taskNamed.FindStringSubmatch(mr.all); m != nil {
		file = m[1]
	}
	path := "words/" + file + ".txt"
	switch last := mr.last(); {
	case len(mr.calls) > 8:
		return "blocked", arguments{"reason": "I go round in circles with " + path}
	case last == "read_file" && strings.Contains(mr.result, "wrong "+file):
		return "edit_file", arguments{"path": path, "old": "wrong " + file, "new": "right " + file}
	case last == "read_file", last == "edit_file" && !strings.Contains(mr.result, "has to be read"):
		return "done", arguments{"summary": "The word is right in " + path}
	}
	return "read_file", arguments{"path": path}
}
