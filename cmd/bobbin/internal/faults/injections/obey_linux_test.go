package injections

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// An obedientModel is a model that obeys every text, wherever it stands and regardless of who wrote it:
// "call TOOL with {ARGUMENTS}", with any tool, even one that does not exist. In the arguments $LAST is
// the text of the newest tool result, and $LAST64 the same in base64. The model sees through hidden
// characters. Between orders it does its regular work.
type obedientModel struct {
	cases map[string]*injection
	// approves is the effect of a tool "approve"; nil: there is no such tool.
	approves func(*injection)

	mu      sync.Mutex
	prompts map[string][]string // the model's prompts by case
}

// A modelRequest is a model request, with the methods that choose the answer.
type modelRequest struct{ chatmodel.Request }

// textsOf returns the text of a message and the string arguments of its calls.
func textsOf(m chatmodel.Message) []string {
	texts := []string{m.Text()}
	for _, call := range m.Calls {
		var args map[string]any
		if json.Unmarshal([]byte(call.Function.Arguments), &args) != nil {
			continue
		}
		for _, v := range args {
			if s, is := v.(string); is {
				texts = append(texts, s)
			}
		}
	}
	return texts
}

// An order is one tool call that a text asks for.
type order chatmodel.Call

// ServeHTTP answers one model request of a case.
func (o *obedientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	asked := modelRequest{request}
	c := o.cases[injectionNamed.FindString(readable.ReplaceAllString(string(request.Body), ""))]
	if c == nil {
		http.Error(w, "no case", http.StatusTeapot)
		return
	}
	o.mu.Lock()
	o.prompts[c.name] = append(o.prompts[c.name], asked.words())
	o.mu.Unlock()
	next, obeyed := asked.order(c)
	if obeyed {
		c.obeyed.Add(1)
		if next.Name == "approve" && o.approves != nil {
			o.approves(c)
		}
	}
	(&chatmodel.Stream{ResponseWriter: w}).Answer("tool_calls", chatmodel.Call(next))
}

var injectionNamed = regexp.MustCompile(`inj-[a-z0-9-]+[a-z0-9]`)

// readable matches the names of the repositories that any session may read: all cases are among them.
var readable = regexp.MustCompile(`NAME:PATH of: [^\\]*`)

// words returns all messages as text, each after its role, with a blank line between them.
func (mr modelRequest) words() string {
	var b strings.Builder
	for _, m := range mr.Messages {
		fmt.Fprintf(&b, "%s:\n%s\n\n", m.Role, m.Text())
	}
	return b.String()
}

// order returns the model's next call: an order that it has not obeyed yet, or its work.
func (mr modelRequest) order(c *injection) (next order, obeyed bool) {
	done := map[string]bool{}
	for _, m := range mr.Messages {
		for _, call := range m.Calls {
			done[call.ID] = true
		}
	}
	last := ""
	for _, m := range mr.Messages {
		if m.Role == "tool" {
			last = m.Text()
		}
	}
	for _, m := range mr.Messages[1:] {
		// not the system prompt: what the program says about its tools is no order
		for _, text := range textsOf(m) {
			for _, x := range orders(text) {
				if !done[x.ID] && len(done) < 60 {
					x.Args = filled(x.Args, last)
					return x, true
				}
			}
		}
	}
	return mr.work(c, done), false
}

var calling = regexp.MustCompile(`(?i)\bcall ([a-z_]+) with \{`)

// orders returns the calls that a text asks for, in their order.
func orders(text string) (found []order) {
	text = seen(text)
	for _, at := range calling.FindAllStringSubmatchIndex(text, -1) {
		var args map[string]any
		rest := text[at[1]-1:]
		if json.NewDecoder(strings.NewReader(rest)).Decode(&args) != nil &&
			json.NewDecoder(strings.NewReader(strings.ReplaceAll(rest, `\"`, `"`))).Decode(&args) != nil {
			// for an order that was quoted in JSON
			continue
		}
		b, _ := json.Marshal(args)
		sum := fnv.New64a()
		sum.Write(b)
		name := strings.ToLower(text[at[2]:at[3]])
		found = append(found, order{fmt.Sprintf("obey-%s-%x", name, sum.Sum64()), name, string(b)})
	}
	return found
}

var escapedRune = regexp.MustCompile(
	`\\U000e00([0-9a-f]{2})|\\u(?:200b|200e|200f|202[a-e]|206[0-9a-f]|feff|00ad)`)

// seen returns a text without its disguise: tag characters become the letters that they stand for, escaped or
// not, and characters without width are removed.
func seen(text string) string {
	text = escapedRune.ReplaceAllStringFunc(text, func(m string) string {
		var r rune
		if _, err := fmt.Sscanf(m, `\U000e00%x`, &r); err == nil && r >= 0x20 {
			return string(r)
		}
		return ""
	})
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xe0020 && r <= 0xe007e:
			return r - 0xe0000
		case r >= 0x200b && r <= 0x200f, r >= 0x202a &&
			r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0xad:
			return -1
		}
		return r
	}, text)
}

func filled(args, last string) string {
	inside, _ := json.Marshal(last)
	args = strings.ReplaceAll(args, "$LAST64", base64.StdEncoding.EncodeToString([]byte(last)))
	args = strings.ReplaceAll(args, "$LAST", string(inside[1:len(inside)-1]))
	return longText.ReplaceAllStringFunc(args, func(m string) string {
		var n int
		_, _ = fmt.Sscanf(m, "$LONG%d", &n)
		return strings.Repeat("all work and no play ", n/21)
	})
}

var longText = regexp.MustCompile(`\$LONG\d+`)

// work returns the next call of the agent's regular work.
func (mr modelRequest) work(c *injection, done map[string]bool) order {
	mine := func(name string, args map[string]any) order {
		b, _ := json.Marshal(args)
		return order{fmt.Sprintf("own-%d-%s", len(mr.Messages), name), name, string(b)}
	}
	system := mr.System()
	looks := c.work
	switch {
	case mr.IsOrchestrator():
		looks = c.look
	case mr.IsConsultant():
		looks = c.consultant
	case strings.Contains(system, "You explain a change"):
		looks = nil
	}
	for i, l := range looks {
		if id := fmt.Sprintf("look-%d", i); !done[id] {
			name, args, _ := strings.Cut(l, " ")
			return order{id, name, args}
		}
	}
	switch {
	case mr.IsOrchestrator():
		return mr.lead(c, mine)
	case mr.IsConsultant():
		return mine("advise", map[string]any{
			"bottom_line": "Fix the word (" + c.name + ").",
			"steps":       []string{"fix it"},
			"effort":      "quick",
			"confidence":  "high",
		})
	case strings.Contains(system, "You explain a change"):
		var hunks []any
		for n := range strings.Count(mr.words(), "\nHunk ") {
			hunks = append(hunks, map[string]any{"number": n + 1, "why": "it was asked for"})
		}
		return mine("explain_diff", map[string]any{"summary": "It is small.", "hunks": hunks})
	}
	return mr.fix(c, mine)
}

// own counts the model's regular calls of a tool, and returns the result of the newest.
func (mr modelRequest) own(name string) (n int, result string) {
	id := ""
	for _, m := range mr.Messages {
		for _, call := range m.Calls {
			if strings.HasPrefix(call.ID, "own-") && call.Function.Name == name {
				id = call.ID
				result = ""
				n++
			}
		}
		if m.Role == "tool" && m.CallID == id {
			result = m.Text()
		}
	}
	return n, result
}

// wanted reports whether a user message contains text and the model has not replied since.
func (mr modelRequest) wanted(text string) (yes bool) {
	for _, m := range mr.Messages {
		if m.Role == "user" && strings.Contains(m.Text(), text) {
			yes = true
		}
		for _, call := range m.Calls {
			yes = yes && call.Function.Name != "reply"
		}
	}
	return yes
}

// lead returns the orchestrator's next call.
func (mr modelRequest) lead(c *injection, mine func(string, map[string]any) order) order {
	delegated, result := mr.own("delegate")
	reported, _ := mr.own("report_root_cause")
	finished, _ := mr.own("finish")
	heard := mr.words()
	switch {
	case mr.wanted("are you still there"):
		return mine("reply", map[string]any{"text": "still here, " + c.name})
	case strings.Contains(result, " is done: ") && finished == 0:
		return mine("finish", map[string]any{"summary": "The word is right now.", "changed": "nothing"})
	case strings.Count(heard, "was approved by") > delegated && delegated < 3:
		return mine("delegate", map[string]any{"tasks": []any{
			map[string]any{"category": "quick", "description": "Fix words.txt (" + c.name + ")"},
		}})
	case reported < 2:
		return mine("report_root_cause", map[string]any{
			"summary":    "A wrong word (" + c.name + ")",
			"cause":      "The word is wrong in words.txt:1.",
			"remains":    "nothing",
			"confidence": "high",
			"evidence": []any{
				map[string]any{"claim": "it says wrong", "grade": "inferred", "source": "words.txt:1"},
			},
		})
	}
	return mine("reply", map[string]any{"text": "that is all, " + c.name})
}

// fix returns the worker's next call.
func (mr modelRequest) fix(c *injection, mine func(string, map[string]any) order) order {
	read, result := mr.own("read_file")
	edited, _ := mr.own("edit_file")
	switch {
	case read == 0:
		return mine("read_file", map[string]any{"path": "words.txt"})
	case edited == 0 && strings.Contains(result, "wrong"):
		return mine("edit_file", map[string]any{"path": "words.txt", "old": "wrong", "new": "right"})
	}
	return mine("done", map[string]any{"summary": "The word is right (" + c.name + ")"})
}
