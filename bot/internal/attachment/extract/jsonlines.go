package extract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxJSONLine is how many bytes a line may have to be laid out. Longer ones are written as they are.
const maxJSONLine = 1 << 20

// isJSONLines reports whether a file begins with lines that are each an object.
func isJSONLines(head []byte) bool {
	seen := 0
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] != '{' || !json.Valid(line) {
			return false
		}
		if seen++; seen == 3 {
			return true
		}
	}
	return seen == 2
}

// copyJSONLines writes each object as a line of its time, level and message with its other fields behind
// them. Texts of several lines, such as stack traces, come below it.
func (r *reader) copyJSONLines(src io.Reader) error {
	lines := bufio.NewReaderSize(src, maxJSONLine)
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		line, err := lines.ReadSlice('\n')
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended && !errors.Is(err, bufio.ErrBufferFull) {
			return brokenError(err)
		}
		text := cleanText(line)
		if err == nil || ended {
			text = layOut(text)
		}
		if _, err := r.out.Write(text); err != nil {
			return err
		}
		if ended {
			return nil
		}
	}
}

// firstFields are the names of the fields that a line begins with, in their order.
var firstFields = [][]string{
	{"time", "timestamp", "@timestamp", "ts", "asctime"},
	{"level", "severity", "lvl", "levelname", "log.level"},
	{"msg", "message", "event", "log"},
}

// layOut returns an object as lines of text. It returns what is no object as it is.
func layOut(line []byte) []byte {
	fields, ok := orderedFields(line)
	if !ok {
		return line
	}
	var first, rest []string
	var below strings.Builder
	for _, names := range firstFields {
		for i, f := range fields {
			if slices.Contains(names, f.name) && !strings.Contains(strings.TrimSpace(f.text), "\n") {
				first = append(first, strings.TrimSpace(f.text))
				fields = slices.Delete(fields, i, i+1)
				break
			}
		}
	}
	for _, f := range fields {
		if text := strings.TrimRight(f.text, "\n"); strings.Contains(text, "\n") {
			text = strings.ReplaceAll(text, "\n", "\n      ")
			below.WriteString("    " + f.name + ":\n      " + text + "\n")
			continue
		}
		rest = append(rest, f.name+"="+f.value())
	}
	return []byte(strings.Join(append(first, rest...), " ") + "\n" + below.String())
}

// A field is one of an object.
type field struct {
	name string
	text string // a string's own text; else the JSON of the value
	json string
}

// value returns the field as it is written behind its name: quoted if it holds spaces.
func (f field) value() string {
	if f.text == "" || strings.ContainsAny(f.text, " \t=\"\n") {
		return f.json
	}
	return f.text
}

// orderedFields returns the fields of an object in their order.
func orderedFields(line []byte) (fields []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		f := field{name: name.(string), text: string(value), json: string(value)} // keys are strings
		_ = json.Unmarshal(value, &f.text)                                        // no string: its JSON
		fields = append(fields, f)
	}
	return fields, len(fields) > 0
}
