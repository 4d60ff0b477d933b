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
func (c *scriptedModel) holding(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[name]
}

// await waits until a request about name is held.
func (c *scriptedModel) await(ctx context.Context, name string) error {
	for c.holding(name) == 0 {
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

func (c *scriptedModel) answer(w http.ResponseWriter, r *http.Request) {
	asked, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	l := modelRequest{Request: asked}
	l.read()
	call, args := l.next()
	name := l.name()
	c.mu.Lock()
	wait := c.hold[name] == call
	if wait {
		c.held[name]++
	}
	c.mu.Unlock()
	if wait {
		<-r.Context().Done()
		c.mu.Lock()
		c.held[name]--
		c.mu.Unlock()
		return
	}
	l.Answer(w, call, args)
}

func (l *modelRequest) read() {
	for i, m := range l.Messages {
		text := m.Text()
		switch {
		case i == 0:
			continue
		case m.Role == "tool":
			l.result = text
			l.pushed = l.pushed || strings.HasPrefix(text, "Pushed ")
		case m.Role == "assistant":
			l.told, l.result = "", ""
		default:
			l.told += text + "\n"
		}
		for _, call := range m.Calls {
			l.calls = append(l.calls, call.Function.Name)
		}
		l.all += text + "\n"
	}
}

var (
	caseNamed = regexp.MustCompile(
		`\b(bug|question|doubt|feature|plan|interview|pair|advice|diagnosis) ([a-z]+): the word`)
	taskNamed = regexp.MustCompile(`Do it: mend words/([a-z0-9]+)\.txt`)
	fileNamed = regexp.MustCompile(`words/([a-z]+)2?\.txt`)
)

func (l *modelRequest) kind() (kind, name string) {
	if m := caseNamed.FindStringSubmatch(l.all); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// name returns the name that the conversation is about, for any agent.
func (l *modelRequest) name() string {
	if _, name := l.kind(); name != "" {
		return name
	}
	if m := fileNamed.FindStringSubmatch(l.all); m != nil {
		return m[1]
	}
	return ""
}

func (l *modelRequest) called(name string) bool {
	for _, c := range l.calls {
		if c == name {
			return true
		}
	}
	return false
}

func (l *modelRequest) last() string {
	if len(l.calls) == 0 {
		return ""
	}
	return l.calls[len(l.calls)-1]
}

type arguments = map[string]any

func (l *modelRequest) next() (call string, args arguments) {
	switch {
	case l.IsOrchestrator():
		return l.lead()
	case l.IsConsultant():
		return "advise", arguments{
			"bottom_line": "Mend the word.",
			"steps":       []string{"mend it"},
			"effort":      "quick",
			"confidence":  "high",
		}
	}
	return l.work()
}

// lead returns the orchestrator's next call.
func (l *modelRequest) lead() (string, arguments) {
	kind, name := l.kind()
	switch {
	case l.last() == "delegate" && strings.Contains(l.result, "is done"):
		return l.finish(kind, name)
	case l.last() == "delegate" && l.result != "",
		l.last() == "finish" && strings.Contains(l.result, "Nothing was changed"):
		return "delegate", l.tasks(kind, name)
	case strings.Contains(l.told, "push again"):
		return l.finish(kind, name)
	case strings.Contains(l.told, "was approved by"),
		strings.Contains(l.told, "confirmed the shared understanding"),
		l.last() == "restate_request" && strings.Contains(l.result, "delegate"):
		return "delegate", l.tasks(kind, name)
	}
	return l.explore(kind, name)
}

func (l *modelRequest) explore(kind, name string) (string, arguments) {
	asks := map[string]bool{"doubt": true, "interview": true}[kind]
	switch {
	case kind == "question":
		return "reply", arguments{"text": fmt.Sprintf("Answer %d is in words/%s.txt.",
			1+strings.Count(strings.Join(l.calls, " "), "reply"), name)}
	case asks && !l.called("ask"):
		return "ask", arguments{
			"question":    "Which word shall stand in words/" + name + ".txt?",
			"options":     []string{"right", "left"},
			"recommended": "right",
			"open":        []any{arguments{"question": "In capitals?", "recommended": "no"}},
		}
	case kind == "advice" && !l.called("consult"):
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
			"evidence":       l.evidence(name),
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
		"evidence":   l.evidence(name),
	}
}

func (l *modelRequest) evidence(name string) []any {
	return []any{
		arguments{"claim": "it says wrong", "grade": "inferred", "source": "words/" + name + ".txt:1"},
	}
}

func (l *modelRequest) finish(kind, name string) (string, arguments) {
	args := arguments{"summary": "The word of " + name + " is right now."}
	if kind == "feature" || kind == "interview" {
		args["criteria"] = []any{arguments{"met": true, "how": "words/" + name + ".txt:1"}}
	}
	return "finish", args
}

// tasks returns one task, or for a pair two parallel ones. After a push the task is about another file.
func (l *modelRequest) tasks(kind, name string) arguments {
	files := []string{name}
	switch {
	case kind == "pair":
		files = []string{name, name + "2"}
	case l.pushed:
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
func (l *modelRequest) work() (string, arguments) {
	file := "unknown"
	if m := taskNamed.FindStringSubmatch(l.all); m != nil {
		file = m[1]
	}
	path := "words/" + file + ".txt"
	switch last := l.last(); {
	case len(l.calls) > 8:
		return "blocked", arguments{"reason": "I go round in circles with " + path}
	case last == "read_file" && strings.Contains(l.result, "wrong "+file):
		return "edit_file", arguments{"path": path, "old": "wrong " + file, "new": "right " + file}
	case last == "read_file", last == "edit_file" && !strings.Contains(l.result, "has to be read"):
		return "done", arguments{"summary": "The word is right in " + path}
	}
	return "read_file", arguments{"path": path}
}
