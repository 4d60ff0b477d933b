package check

import (
	"slices"
	"strings"
)

// An element is one tag of HTML, of a component's template, or of JSX.
type element struct {
	name    string // as it stands in components and JSX, lower case in HTML
	at, end int    // of the opening tag
	attrs   []attribute
	spread  bool // takes attributes that are not written here
	wrapped bool // stands in a label
	named   bool // holds something to read
	closed  bool // its end was seen
	jsx     bool
}

type attribute struct {
	name   string // lower case, the same for alt, :alt and v-bind:alt; onclick for every way to write it
	value  string // as it stands
	hidden string // the value with its templates masked
	bound  bool   // value is an expression
	at     int    // of the name
	inside int    // of the value
}

func (a *attribute) dynamic() bool { return a.bound || strings.IndexByte(a.hidden, masked) >= 0 }

func (e *element) attr(names ...string) *attribute {
	for i := range e.attrs {
		if slices.Contains(names, e.attrs[i].name) {
			return &e.attrs[i]
		}
	}
	return nil
}

// says is an attribute with anything in it.
func (e *element) says(names ...string) bool {
	for i := range e.attrs {
		a := &e.attrs[i]
		if slices.Contains(names, a.name) && (a.dynamic() || strings.TrimSpace(a.value) != "") {
			return true
		}
	}
	return false
}

// isComponent tells what a project defines from what HTML does.
func isComponent(name string) bool {
	return name == "slot" || strings.ToLower(name) != name || strings.ContainsAny(name, "-.:")
}

// names says whether an element gives the one around it something to read. Of a component
// one cannot know, but an icon rarely does.
func (e *element) names() bool {
	if a := e.attr("aria-hidden"); a != nil && (a.value == "true" || a.value == "") {
		return false
	}
	lower := strings.ToLower(e.name)
	return e.named || e.says("aria-label", "title", "v-text", "v-html", "dangerouslysetinnerhtml", "children") ||
		e.name == "img" && e.says("alt") ||
		isComponent(e.name) && !strings.Contains(lower, "icon") && !strings.Contains(lower, "svg")
}

// isLabel also knows the components that stand for a label.
func isLabel(name string) bool {
	if name == "label" {
		return true
	}
	lower := strings.ToLower(name)
	return lower != name && (strings.Contains(lower, "label") || strings.Contains(lower, "field") || strings.Contains(lower, "form"))
}

func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}

// plainName brings the ways to write an attribute together.
func plainName(name string) (plain string, bound bool) {
	name = strings.ToLower(name)
	for _, event := range []string{"@", "v-on:", "x-on:", "on:", "("} {
		if rest, ok := strings.CutPrefix(name, event); ok {
			rest, _, _ = strings.Cut(strings.TrimSuffix(rest, ")"), "|")
			rest, _, _ = strings.Cut(rest, ".")
			return "on" + rest, true
		}
	}
	for _, binding := range []string{":", "v-bind:", "x-bind:", "bind:", "["} {
		if rest, ok := strings.CutPrefix(name, binding); ok {
			return strings.TrimSuffix(rest, "]"), true
		}
	}
	return name, strings.HasPrefix(name, "v-") || strings.HasPrefix(name, "on")
}

// nesting follows which elements are open.
type nesting struct {
	open   []*element
	count  map[string]int // of the open ones, by name
	labels int
}

func (n *nesting) push(e *element) {
	n.open = append(n.open, e)
	n.count[e.name]++
	if isLabel(e.name) {
		n.labels++
	}
}

// pop closes the innermost element.
func (n *nesting) pop() {
	e := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	n.count[e.name]--
	if isLabel(e.name) {
		n.labels--
	}
	n.leave(e)
}

// leave lets an element that ended name the one around it.
func (n *nesting) leave(e *element) {
	if e.names() {
		n.read()
	}
}

// read marks that the innermost element holds something to read.
func (n *nesting) read() {
	if len(n.open) > 0 {
		n.open[len(n.open)-1].named = true
	}
}

// close ends the innermost element of a name with all that is open in it.
func (n *nesting) close(name string) {
	if n.count[name] == 0 {
		return
	}
	for {
		e := n.open[len(n.open)-1]
		e.closed = e.name == name
		n.pop()
		if e.name == name {
			return
		}
	}
}
