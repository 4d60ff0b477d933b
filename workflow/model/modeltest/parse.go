package modeltest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Parse parses a script. name stands for it in messages, usually a file name. An error has the form
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
		return nil,
			fmt.Errorf("%s:1: the script is empty: a part begins with == and the name of a model", name)
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
		return fmt.Errorf("%q stands before the first part: a part begins with == and the name of a model",
			plaintext.CutLine(line, 40))
	case word == "reads" && p.answer == nil:
		n, err := strconv.Atoi(rest)
		if err != nil || n <= 0 {
			return fmt.Errorf("reads needs a number of tokens, not %q", plaintext.CutLine(rest, 40))
		}
		p.part.reads = n
		return nil
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
		a.empty = true
		err = nothing(word, rest)
	case "unfinished":
		a.unfinished = true
		err = nothing(word, rest)
	case "finish":
		a.finish, err = oneWord(word, rest)
	case "cut":
		return p.cutAfter(rest)
	case "delay":
		a.delay, err = duration(rest)
	case "pace":
		a.pace, err = duration(rest)
	case "hang":
		a.hang = true
		a.point = rest
	case "wait":
		a.wait = true
		a.point, err = oneWord(word, rest)
	default:
		return fmt.Errorf("%q is not a line of an answer; there are expect, capture, say, call, malformed, "+
			"empty, finish, usage, fail, cut, unfinished, delay, pace, hang, wait",
			plaintext.CutLine(word, 40))
	}
	return err
}
