package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a script. name is what messages call it, a file name as a rule; an error is
// "name:line: reason".
func Parse(name, text string) (*Script, error) {
	p := &parser{
		script: &Script{name: name, captured: map[string]bool{}},
		lines:  strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"),
	}
	for p.next < len(p.lines) {
		p.line = p.next + 1
		line := strings.TrimRight(p.lines[p.next], " \t")
		p.next++
		if err := p.read(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	if err := p.endAnswer(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
	}
	for _, part := range p.script.parts {
		if len(part.answers) == 0 {
			return nil, fmt.Errorf("%s:%d: the part %s has no answers", name, part.line, part.header)
		}
	}
	if len(p.script.parts) == 0 {
		return nil, fmt.Errorf("%s:1: the script is empty: a part begins with == and the name of a model", name)
	}
	return p.script, nil
}

type parser struct {
	script *Script
	lines  []string
	next   int // index of the line to read next
	line   int // number of the line that is being read, for messages
	part   *part
	answer *answer // being read; nil between answers
}

func (p *parser) read(line string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "" || strings.HasPrefix(line, "#"):
		return nil
	case word == "==":
		return p.header(rest)
	case p.part == nil:
		return fmt.Errorf("%q stands before the first part: a part begins with == and the name of a model", cut(line, 40))
	case line == "---":
		if p.answer == nil {
			return fmt.Errorf("there is no answer for --- to end")
		}
		return p.endAnswer()
	case line[0] == ' ' || line[0] == '\t':
		return p.field(strings.TrimSpace(line))
	}
	if p.answer == nil {
		p.answer = &answer{line: p.line, cutAfter: -1}
	}
	return p.directive(word, rest)
}

func (p *parser) header(rest string) error {
	if err := p.endAnswer(); err != nil {
		return err
	}
	model, condition, bound := strings.Cut(rest, " ")
	if model == "" {
		return fmt.Errorf("== needs the name of a model")
	}
	for _, known := range p.script.parts {
		if known.header == rest {
			p.part = known
			return nil
		}
	}
	p.part = &part{header: rest, model: model, line: p.line}
	if bound {
		word, condition, _ := strings.Cut(strings.TrimSpace(condition), " ")
		if word != "when" {
			return fmt.Errorf("after the model only when can stand, not %q", word)
		}
		e, err := p.expectation(condition)
		if err != nil {
			return err
		}
		if e.from.kind == "tools" || e.from.kind == "effort" {
			return fmt.Errorf("a part is bound to what was said, not to %s", e.from.kind)
		}
		p.part.when = &e
	}
	p.script.parts = append(p.script.parts, p.part)
	return nil
}

func (p *parser) endAnswer() error {
	a := p.answer
	if a == nil {
		return nil
	}
	p.answer = nil
	switch {
	case !a.answers():
		p.line = a.line
		return fmt.Errorf("the answer says nothing: it needs say, call, fail, hang or empty")
	case a.fail != nil && (len(a.say) > 0 || len(a.calls) > 0):
		p.line = a.line
		return fmt.Errorf("an answer that fails cannot say or call anything")
	case a.empty && (len(a.say) > 0 || len(a.calls) > 0):
		p.line = a.line
		return fmt.Errorf("an empty answer cannot say or call anything")
	}
	p.part.answers = append(p.part.answers, a)
	return nil
}

func (p *parser) directive(word, rest string) (err error) {
	a := p.answer
	switch word {
	case "expect":
		var e expectation
		e, err = p.expectation(rest)
		a.expects = append(a.expects, e)
	case "capture":
		return p.capture(rest)
	case "say":
		var text string
		text, err = p.textOrBlock(rest)
		a.say = append(a.say, text)
	case "call":
		return p.call(rest)
	case "malformed":
		name, text, _ := strings.Cut(rest, " ")
		if text, err = p.textOrBlock(text); err == nil && name == "" {
			err = fmt.Errorf("malformed needs the name of a tool")
		}
		a.calls = append(a.calls, call{line: p.line, name: name, raw: &text})
	case "fail":
		return p.fail(rest)
	case "usage":
		return p.usage(rest)
	case "empty":
		a.empty, err = true, nothing(word, rest)
	case "unfinished":
		a.unfinished, err = true, nothing(word, rest)
	case "finish":
		a.finish, err = oneWord(word, rest)
	case "cut":
		return p.cutAfter(rest)
	case "delay":
		a.delay, err = duration(rest)
	case "pace":
		a.pace, err = duration(rest)
	case "hang":
		a.hang, a.point = true, rest
	case "wait":
		a.wait = true
		a.point, err = oneWord(word, rest)
	default:
		return fmt.Errorf("%q is not a line of an answer; there are expect, capture, say, call, malformed, empty, finish, usage, fail, cut, unfinished, delay, pace, hang, wait", cut(word, 40))
	}
	return err
}

func (p *parser) expectation(rest string) (expectation, error) {
	e := expectation{line: p.line, source: rest}
	if after, ok := strings.CutPrefix(rest, "not "); ok {
		e.not, rest = true, strings.TrimSpace(after)
	}
	kind, after, _ := strings.Cut(rest, " ")
	after = strings.TrimSpace(after)
	switch kind {
	case "tools":
		if e.not {
			return e, fmt.Errorf("expect not tools is not known; name the tools that are offered")
		}
		e.from.kind, e.tools = kind, names(after)
		return e, nil
	case "effort":
		var err error
		e.from.kind = kind
		e.effort, err = oneWord("expect effort", after)
		return e, err
	}
	var err error
	if e.from, rest = readSource(rest); e.from.kind == "" {
		return e, fmt.Errorf("expect %s is not known; there are user, tool, system, history, tools, effort", cut(kind, 40))
	}
	e.pattern, err = p.pattern(rest)
	return e, err
}

// readSource takes user, tool NAME and the like off the front.
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
			return pattern{}, fmt.Errorf("%s is not one quoted string", cut(rest, 60))
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
	p.answer.captures = append(p.answer.captures, capture{line: p.line, name: name, from: from, re: pattern.text})
	return nil
}

func (p *parser) call(rest string) error {
	name, args, _ := strings.Cut(rest, " ")
	args = strings.TrimSpace(args)
	if name == "" {
		return fmt.Errorf("call needs the name of a tool")
	}
	if args != "" && (args[0] != '{' || !json.Valid([]byte(reference.ReplaceAllString(args, "0")))) {
		return fmt.Errorf("the arguments of %s are not a JSON object; malformed %s %s would send them as they are", name, name, cut(args, 40))
	}
	p.answer.calls = append(p.answer.calls, call{line: p.line, name: name, json: args})
	return nil
}

var fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_\-.]*$`)

// field reads an indented line: one argument of the call above it.
func (p *parser) field(line string) error {
	if p.answer == nil || len(p.answer.calls) == 0 {
		return fmt.Errorf("an indented line is an argument of a call, and there is no call above it")
	}
	c := &p.answer.calls[len(p.answer.calls)-1]
	if c.json != "" || c.raw != nil {
		return fmt.Errorf("the call of %s has its arguments already", c.name)
	}
	name, rest, isBlock := strings.Cut(line, " <<<")
	f := field{name: strings.TrimSuffix(name, ":")}
	var err error
	if isBlock && fieldName.MatchString(f.name) {
		f.value, err = p.block("<<<" + rest)
	} else {
		var ok bool
		if f.name, f.value, ok = strings.Cut(line, ":"); !ok {
			return fmt.Errorf("an argument is written as name: value, or as name <<<")
		}
		f.value = strings.TrimSpace(f.value)
		f.json = json.Valid([]byte(f.value))
	}
	if err == nil && !fieldName.MatchString(f.name) {
		err = fmt.Errorf("%q cannot be the name of an argument", cut(f.name, 40))
	}
	if slices.ContainsFunc(c.fields, func(known field) bool { return known.name == f.name }) {
		err = fmt.Errorf("the argument %s is there twice", f.name)
	}
	c.fields = append(c.fields, f)
	return err
}

func (p *parser) textOrBlock(rest string) (string, error) {
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "<<<") {
		return p.block(rest)
	}
	if rest == "" {
		return "", fmt.Errorf("the text is missing")
	}
	return rest, nil
}

// block reads the lines up to the closing mark as they are.
func (p *parser) block(opening string) (string, error) {
	mark := strings.TrimPrefix(opening, "<<<")
	if strings.ContainsAny(mark, " \t") {
		return "", fmt.Errorf("behind <<< only a mark can stand: the text begins on the next line")
	}
	for end := p.next; end < len(p.lines); end++ {
		if strings.TrimSpace(p.lines[end]) == ">>>"+mark {
			text := strings.Join(p.lines[p.next:end], "\n")
			p.next = end + 1
			return text, nil
		}
	}
	return "", fmt.Errorf("the block is not closed: a line >>>%s is missing", mark)
}

func (p *parser) fail(rest string) error {
	code, rest, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < 200 || status > 599 {
		return fmt.Errorf("fail needs an HTTP status, not %q", cut(code, 40))
	}
	f := &httpFailure{status: status, text: strings.TrimSpace(rest)}
	if after, ok := strings.CutPrefix(f.text, "retry-after "); ok {
		f.retryAfter, f.text, _ = strings.Cut(after, " ")
		if s, err := strconv.ParseFloat(f.retryAfter, 64); err != nil || s < 0 {
			return fmt.Errorf("retry-after needs seconds, not %q", cut(f.retryAfter, 40))
		}
	}
	p.answer.fail = f
	return nil
}

func (p *parser) usage(rest string) error {
	u := &usage{}
	if n, err := fmt.Sscanf(rest, "%d %d %d", &u.in, &u.cached, &u.out); n != 3 || err != nil {
		return fmt.Errorf("usage needs three figures: read, read from the cache, written")
	}
	p.answer.usage = u
	return nil
}

func (p *parser) cutAfter(rest string) error {
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "after "))
	if err != nil || n < 0 {
		return fmt.Errorf("cut is written as cut after 10: a number of characters")
	}
	p.answer.cutAfter = n
	return nil
}

func nothing(word, rest string) error {
	if rest != "" {
		return fmt.Errorf("behind %s nothing can stand", word)
	}
	return nil
}

func oneWord(word, rest string) (string, error) {
	if rest == "" || strings.ContainsAny(rest, " \t") {
		return "", fmt.Errorf("%s needs one word", word)
	}
	return rest, nil
}

func duration(rest string) (time.Duration, error) {
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a time such as 200ms", cut(rest, 40))
	}
	return d, nil
}

func names(rest string) []string {
	list := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	slices.Sort(list)
	return list
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
