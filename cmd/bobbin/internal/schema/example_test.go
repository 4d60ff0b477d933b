package schema

import (
	"fmt"
	"reflect"
	"strings"
)

const exampleHead = `## Every setting of bobbin.yaml. Copy what you need, and remove the "# " before a key to use it.
## This file is generated from cmd/bobbin/internal/schema/settings.yaml.

`

// exampleOf returns a configuration file with all keys, each below its description. Keys that are not needed
// are comments that begin with "# "; descriptions begin with "## ".
func exampleOf(keys []*node) string {
	var b strings.Builder
	b.WriteString(exampleHead)
	for i, n := range keys {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, line := range exampleLines(n, "") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// exampleLines returns the lines of a key, indented.
func exampleLines(n *node, indent string) (lines []string) {
	for line := range strings.SplitSeq(wrap(exampleText(n), 100-len(indent)), "\n") {
		lines = append(lines, indent+"## "+line)
	}
	var own []string
	switch {
	case n.Same != "":
		own = []string{n.name + ": " + flow(n.keys)}
	case len(n.keys) > 0:
		own = append([]string{n.name + ":"}, sectionLines(n)...)
	default:
		own = []string{n.name + ": " + n.exampleValue()}
	}
	for _, line := range own {
		switch {
		case n.Shown:
			lines = append(lines, indent+line)
		default:
			lines = append(lines, indent+"# "+uncommented(line))
		}
	}
	return lines
}

// exampleText returns the description of a key, with what holds if it is left out.
func exampleText(n *node) string {
	text := strings.ReplaceAll(n.describe(), "`", "")
	switch otherwise := strings.ReplaceAll(n.otherwise(), "`", ""); otherwise {
	case "":
	case "required":
		text += " Required."
	default:
		text += " Default: " + otherwise + "."
	}
	return text
}

// sectionLines returns the keys below a section, indented by two.
func sectionLines(n *node) (lines []string) {
	kind := n.kind
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	indent := "  "
	if kind.Kind() == reflect.Map {
		lines = append(lines, "  "+n.Key+":")
		indent = "    "
	}
	if kind.Kind() != reflect.Slice {
		for _, key := range n.keys {
			lines = append(lines, exampleLines(key, indent)...)
		}
		return lines
	}
	for i, key := range n.keys {
		if i > 0 {
			lines = append(lines, exampleLines(key, "    ")...)
			continue
		}
		first := *key
		first.Shown = true
		for _, line := range exampleLines(&first, "") {
			mark := "  - "
			if strings.HasPrefix(line, "##") {
				mark = "  "
			}
			lines = append(lines, mark+line)
		}
	}
	return lines
}

// uncommented removes the mark of a comment from a line that is commented as a whole: one is enough. It
// leaves descriptions as they are.
func uncommented(line string) string {
	bare := strings.TrimLeft(line, " ")
	if key, ok := strings.CutPrefix(bare, "# "); ok {
		return line[:len(line)-len(bare)] + key
	}
	return line
}

// flow returns keys with their examples as a mapping on one line.
func flow(keys []*node) string {
	var parts []string
	for _, n := range keys {
		parts = append(parts, n.name+": "+n.exampleValue())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// exampleValue returns the example of a key: its default, if it has no other one.
func (n *node) exampleValue() string {
	if n.Example != "" || n.Default == nil {
		return n.Example
	}
	return fmt.Sprint(n.Default)
}

// wrap breaks a text into lines of at most width columns.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}
