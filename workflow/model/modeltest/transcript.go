package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Transcript returns the requests, part by part in the order of the script: the system prompt and the tools
// once, then of each request what is new in it. The same requests result in the same text, in whatever order
// the parts were asked.
func (s *Server) Transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, p := range s.script.parts {
		if len(s.asked[p]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "== %s\n", p.header)
		var before *request
		for i, r := range s.asked[p] {
			fmt.Fprintf(&b, "\n-- request %d\n", i+1)
			renderRequest(&b, before, r)
			before = r
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func renderRequest(b *strings.Builder, before, r *request) {
	if before == nil {
		before = &request{}
	}
	if r.Effort != before.Effort {
		fmt.Fprintf(b, "effort: %s\n", textOr(r.Effort, "none"))
	}
	if tools := renderTools(r); tools != renderTools(before) {
		b.WriteString(tools)
	}
	same := 0
	for same < len(before.Messages) && same < len(r.Messages) &&
		renderMessage(before.Messages[same]) == renderMessage(r.Messages[same]) {
		same++
	}
	if same < len(before.Messages) {
		fmt.Fprintf(b, "(the history was rewritten from message %d on)\n", same+1)
	} else if same == len(r.Messages) {
		b.WriteString("(the same again)\n")
	}
	for _, m := range r.Messages[same:] {
		b.WriteString(renderMessage(m))
	}
}

func renderTools(r *request) string {
	var b strings.Builder
	for _, t := range r.Tools {
		var schema bytes.Buffer
		if json.Compact(&schema, t.Function.Parameters) != nil {
			schema.Write(t.Function.Parameters)
		}
		fmt.Fprintf(&b, "tool %s %s\n%s", t.Function.Name, schema.String(), indented(t.Function.Description))
	}
	return b.String()
}

func renderMessage(m message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n%s", strings.TrimSpace(m.Role+" "+m.toolName), indented(m.text))
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "  call %s %s\n", c.Function.Name, c.Function.Arguments)
	}
	return b.String()
}

// indented indents a text to separate it from the text around it; blank lines stay blank.
func indented(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = "  " + l
		} else {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
