package badinputs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

var badTitle = regexp.MustCompile(`^([SARTMG]\d+(?:,[SARTMG]\d+)*): (.+)$`)

// parseBatch parses a file of the corpus: txtar sections, one of which may be the setup, with one step on
// each line.
func parseBatch(name, text string) (*badBatch, error) {
	b := &badBatch{name: strings.TrimPrefix(name, "testdata/bad/")}
	at := 1
	rest := text
	names := map[string]bool{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		before, after, _ := strings.Cut(rest, "-- "+f.Name+" --\n")
		at += strings.Count(before, "\n")
		steps, err := parseSteps(string(f.Data), at)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		if f.Name == "setup" {
			b.setup = steps
		} else if m := badTitle.FindStringSubmatch(f.Name); m != nil && !names[f.Name] {
			b.cases = append(b.cases,
				&badCase{batch: b, at: at, lines: strings.Split(m[1], ","), name: m[2], steps: steps})
		} else {
			return nil, fmt.Errorf("%s:%d: the title is none, or is there twice", name, at)
		}
		names[f.Name] = true
		at = at + 1
		rest = after
	}
	if len(b.setup) == 0 || b.setup[0].verb != "room" {
		return nil, fmt.Errorf("%s: the setup has to begin with its room", name)
	}
	b.room, b.setup = b.setup[0].rest, b.setup[1:]
	return b, nil
}

func parseSteps(text string, at int) (steps []badStep, err error) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		s := badStep{at: at + i + 1, verb: verb, rest: strings.TrimSpace(rest)}
		if open, block := strings.CutSuffix(s.rest, "<<<"); block {
			end := slices.Index(lines[i:], ">>>")
			if end < 0 {
				return nil, fmt.Errorf("%d: the block has no end", s.at)
			}
			s.rest = open + strings.Join(lines[i+1:i+end], "\n") + "\n"
			i += end
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// word removes the first word from the arguments and returns it. The word is bare, or quoted as in Go.
func (b *badStep) word() string {
	if quoted, err := strconv.QuotedPrefix(b.rest); err == nil && quoted[0] == '"' {
		b.rest = strings.TrimSpace(b.rest[len(quoted):])
		text, _ := strconv.Unquote(quoted)
		return repeated(text)
	}
	word, rest, _ := strings.Cut(b.rest, " ")
	b.rest = strings.TrimLeft(rest, " ")
	return repeated(word)
}

// text returns the rest of the arguments, unquoted if it is quoted as in Go.
func (b badStep) text() string {
	if text, err := strconv.Unquote(b.rest); err == nil && b.rest[0] == '"' {
		return repeated(text)
	}
	return repeated(b.rest)
}

func (b *badStep) number() int {
	n, _ := strconv.Atoi(b.word())
	return n
}

var manyTimes = regexp.MustCompile(`(?s)\{\{(.+?)\*(\d+)\}\}`)

// repeated expands {{x*3}} to xxx.
func repeated(text string) string {
	for manyTimes.MatchString(text) {
		text = manyTimes.ReplaceAllStringFunc(text, func(m string) string {
			parts := manyTimes.FindStringSubmatch(m)
			n, _ := strconv.Atoi(parts[2])
			return strings.Repeat(parts[1], n)
		})
	}
	return text
}

func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("… (%d bytes)", len(s))
}
