package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

func (p *parser) call(rest string) error {
	name, args, _ := strings.Cut(rest, " ")
	args = strings.TrimSpace(args)
	if name == "" {
		return fmt.Errorf("call needs the name of a tool")
	}
	if args != "" && (args[0] != '{' || !json.Valid([]byte(reference.ReplaceAllString(args, "0")))) {
		return fmt.Errorf("the arguments of %s are not a JSON object; "+
			"malformed %s %s would send them as they are", name, name, plaintext.CutLine(args, 40))
	}
	p.answer.calls = append(p.answer.calls, call{line: p.line, name: name, json: args})
	return nil
}

var fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_\-.]*$`)

// field parses an indented line: one argument of the call above it.
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
		err = fmt.Errorf("%q cannot be the name of an argument", plaintext.CutLine(f.name, 40))
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

// block returns the lines up to the closing mark, unchanged.
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
		return fmt.Errorf("fail needs an HTTP status, not %q", plaintext.CutLine(code, 40))
	}
	f := &httpFailure{status: status, text: strings.TrimSpace(rest)}
	if after, ok := strings.CutPrefix(f.text, "retry-after "); ok {
		f.retryAfter, f.text, _ = strings.Cut(after, " ")
		if s, err := strconv.ParseFloat(f.retryAfter, 64); err != nil || s < 0 {
			return fmt.Errorf("retry-after needs seconds, not %q", plaintext.CutLine(f.retryAfter, 40))
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
		return 0, fmt.Errorf("%q is not a time such as 200ms", plaintext.CutLine(rest, 40))
	}
	return d, nil
}
