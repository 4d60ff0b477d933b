package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A source selects the messages that a line looks at.
type source struct {
	kind string // user, tool, system or history; empty: all new messages
	tool string // of kind tool: the tool's name; empty: any tool
}

func (s source) String() string { return strings.TrimSpace(s.kind + " " + s.tool) }

// holds reports whether m is one of the source's messages. isNew says whether m came after the last answer.
func (s source) holds(m message, isNew bool) bool {
	switch s.kind {
	case "history":
		return true
	case "system":
		return m.Role == "system" || m.Role == "developer"
	case "tool":
		return isNew && m.Role == "tool" && (s.tool == "" || m.toolName == s.tool)
	case "user":
		return isNew && m.Role == "user"
	}
	return isNew
}

// An expectation is one expect line.
type expectation struct {
	line    int
	source  string // as written in the script
	not     bool
	from    source
	pattern pattern
	tools   []string // of expect tools, sorted; from.kind is then "tools"
	effort  string   // of expect effort
}

// A pattern is a literal text or a regular expression, before captured values are inserted.
type pattern struct {
	text   string
	regexp bool
}

func (p pattern) matches(text string, values *captured) (bool, error) {
	if !p.regexp {
		want, err := values.expand(p.text, plain)
		return strings.Contains(text, want), err
	}
	source, err := values.expand(p.text, regexp.QuoteMeta)
	if err != nil {
		return false, err
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return false, fmt.Errorf("regular expression with captured values: %w", err)
	}
	return re.MatchString(text), nil
}

// check returns what does not match, or an empty string.
func (e *expectation) check(r *request, values *captured) string {
	switch e.from.kind {
	case "tools":
		if offered := r.toolNames(); !slices.Equal(offered, e.tools) {
			return fmt.Sprintf("the tools offered were: %s", strings.Join(offered, ", "))
		}
		return ""
	case "effort":
		if got := textOr(r.Effort, "none"); got != e.effort {
			return "the effort asked for was " + got
		}
		return ""
	}
	found, err := e.found(r, values, r.fresh())
	switch {
	case err != nil:
		return err.Error()
	case found && e.not:
		return "it was there"
	case !found && !e.not:
		return "it was not there"
	}
	return ""
}

// found reports whether a message matches the pattern. Messages from index newFrom on are new.
func (e *expectation) found(r *request, values *captured, newFrom int) (bool, error) {
	for i, m := range r.Messages {
		if !e.from.holds(m, i >= newFrom) {
			continue
		}
		if ok, err := e.pattern.matches(m.text, values); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// captured holds the values that a script has captured.
type captured struct {
	known  map[string]bool
	values map[string]string
}

var reference = regexp.MustCompile(`\$\{(\w+)\}`)

func plain(s string) string { return s }

func inJSON(s string) string {
	quoted, _ := json.Marshal(s)
	return string(quoted[1 : len(quoted)-1])
}

// expand replaces references by the captured values, each converted by form.
func (c *captured) expand(text string, form func(string) string) (string, error) {
	var missing error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-1]
		if !c.known[name] {
			return ref
		}
		value, ok := c.values[name]
		if !ok {
			missing = fmt.Errorf("${%s} was not captured before it was used", name)
		}
		return form(value)
	})
	return out, missing
}

// take applies a capture line to a request.
func (c *captured) take(line capture, r *request) error {
	re, err := regexp.Compile(line.re)
	if err != nil {
		return err
	}
	for i, m := range r.Messages {
		if !line.from.holds(m, i >= r.fresh()) {
			continue
		}
		if found := re.FindStringSubmatch(m.text); found != nil {
			c.values[line.name] = found[len(found)-1]
			if len(found) > 1 {
				c.values[line.name] = found[1]
			}
			return nil
		}
	}
	return fmt.Errorf("there was nothing to capture for %s by /%s/", line.name, line.re)
}

// arguments returns the arguments of a call as JSON, or as they are if the call is malformed.
func (c *captured) arguments(l call) (string, error) {
	if l.raw != nil {
		return c.expand(*l.raw, plain)
	}
	if l.json != "" {
		text, err := c.expand(l.json, inJSON)
		if err == nil && !json.Valid([]byte(text)) {
			err = fmt.Errorf("with captured values the arguments are no JSON: %s", text)
		}
		return text, err
	}
	var b strings.Builder
	for i, f := range l.fields {
		value, err := c.expand(f.value, plain)
		if err != nil {
			return "", err
		}
		if !f.json {
			value = `"` + inJSON(value) + `"`
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(f.name) + ":" + value)
	}
	return "{" + b.String() + "}", nil
}

func textOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
