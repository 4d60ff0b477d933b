package modeltest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

func (p *parser) expectation(rest string) (expectation, error) {
	e := expectation{line: p.line, source: rest}
	if after, ok := strings.CutPrefix(rest, "not "); ok {
		e.not = true
		rest = strings.TrimSpace(after)
	}
	kind, after, _ := strings.Cut(rest, " ")
	after = strings.TrimSpace(after)
	switch kind {
	case "tools":
		if e.not {
			return e, fmt.Errorf("expect not tools is not known; name the tools that are offered")
		}
		e.from.kind = kind
		e.tools = names(after)
		return e, nil
	case "effort":
		var err error
		e.from.kind = kind
		e.effort, err = oneWord("expect effort", after)
		return e, err
	}
	var err error
	if e.from, rest = readSource(rest); e.from.kind == "" {
		return e, fmt.Errorf("expect %s is not known; there are user, tool, system, history, tools, effort",
			plaintext.CutLine(kind, 40))
	}
	e.pattern, err = p.pattern(rest)
	return e, err
}

// readSource parses a source such as user or tool NAME at the start of rest, and returns it and what follows.
func readSource(rest string) (source, string) {
	word, after, _ := strings.Cut(rest, " ")
	after = strings.TrimSpace(after)
	switch word {
	case "user", "system", "history":
		return source{kind: word}, after
	case "tool":
		if after != "" && !strings.ContainsAny(after[:1], "\"`/<") {
			name, pattern, _ := strings.Cut(after, " ")
			return source{kind: word, tool: name}, strings.TrimSpace(pattern)
		}
		return source{kind: word}, after
	}
	return source{}, rest
}

func (p *parser) pattern(rest string) (pattern, error) {
	switch {
	case strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "`"):
		text, err := strconv.Unquote(rest)
		if err != nil {
			return pattern{}, fmt.Errorf("%s is not one quoted string", plaintext.CutLine(rest, 60))
		}
		return nonEmpty(pattern{text: text})
	case strings.HasPrefix(rest, "/"):
		if len(rest) < 2 || !strings.HasSuffix(rest, "/") {
			return pattern{}, fmt.Errorf("the regular expression does not end with /")
		}
		text := rest[1 : len(rest)-1]
		if _, err := regexp.Compile(reference.ReplaceAllString(text, "x")); err != nil {
			return pattern{}, err
		}
		return nonEmpty(pattern{text: text, regexp: true})
	case strings.HasPrefix(rest, "<<<"):
		text, err := p.block(rest)
		if err != nil {
			return pattern{}, err
		}
		return nonEmpty(pattern{text: text})
	}
	return pattern{}, fmt.Errorf("what to look for is missing: \"text\", `text`, /regular expression/ or <<<")
}

func nonEmpty(p pattern) (pattern, error) {
	if p.text == "" {
		return p, fmt.Errorf("an empty pattern is everywhere")
	}
	return p, nil
}

func (p *parser) capture(rest string) error {
	name, rest, _ := strings.Cut(rest, " ")
	if !reference.MatchString("${" + name + "}") {
		return fmt.Errorf("capture needs a name of letters and digits")
	}
	from, rest := readSource(strings.TrimSpace(rest))
	pattern, err := p.pattern(rest)
	if err != nil {
		return err
	}
	if !pattern.regexp {
		return fmt.Errorf("capture needs a /regular expression/")
	}
	p.script.captured[name] = true
	p.answer.captures = append(p.answer.captures,
		capture{line: p.line, name: name, from: from, re: pattern.text})
	return nil
}

func names(rest string) []string {
	list := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	slices.Sort(list)
	return list
}
