package evidence

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// sourceIn returns the name of the source with which a piece of evidence begins, as in "loki, {app="shop"},
// 14:02–14:07", or in the name of its tool, as in "source_loki_query_range". It returns an empty string if
// the evidence is none of a source.
func (p Past) sourceIn(evidence string) string {
	evidence = strings.ToLower(strings.TrimLeft(evidence, "`\" "))
	evidence = strings.TrimPrefix(evidence, "source ")
	after := " ,:;("
	if tool, ok := strings.CutPrefix(evidence, "source_"); ok {
		evidence = tool
		after = "_"
	}
	for _, name := range p.Sources {
		rest, ok := strings.CutPrefix(evidence, name)
		if ok && (rest == "" || strings.ContainsRune(after, rune(rest[0]))) {
			return name
		}
	}
	return ""
}

// quotedQuery matches the parts of a piece of evidence that are word for word what was asked: between
// backticks, or from a brace to the last one.
var quotedQuery = regexp.MustCompile("`[^`]+`|\\{.*\\}")

// asked reports whether a call of the source was answered in the session, and whether the query that the
// evidence quotes is in the arguments of such a call.
func (p Past) asked(name, evidence string) bool {
	calls := map[string]model.Call{}
	quoted := quotedQuery.FindAllString(evidence, -1)
	for _, m := range p.Messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		c := calls[m.CallID]
		if m.Role != model.ToolRole || m.Wrong || m.Failed || !strings.HasPrefix(c.Name, "source_"+name+"_") {
			continue
		}
		asked := squeezed(argumentText(c.Args))
		if !slices.ContainsFunc(quoted, func(q string) bool {
			return !strings.Contains(asked, squeezed(strings.Trim(q, "`")))
		}) {
			return true
		}
	}
	return false
}

// squeezed returns a text without white space and quotes, in which people and models differ.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\"'", r) {
			return -1
		}
		return r
	}, text)
}

// argumentText returns the values of a call's arguments as text.
func argumentText(raw json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return ""
	}
	var b strings.Builder
	for _, v := range args {
		fmt.Fprintln(&b, v)
	}
	return plaintext.OneLine(b.String())
}
