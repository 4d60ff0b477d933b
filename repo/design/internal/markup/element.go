package markup

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
)

// An Element is one tag of HTML, of a component's template, or of JSX.
type Element struct {
	Name               string // as written in components and JSX, lower case in HTML
	At, End            int    // offsets of the opening tag
	Attrs              []Attribute
	Spread             bool // it takes attributes that are not written here
	Wrapped            bool // it is inside a label
	HasReadableContent bool // it holds something that can be read out
	Closed             bool // its end tag was found
	Jsx                bool
}

type Attribute struct {
	Name   string // lower case, the same for alt, :alt and v-bind:alt; onclick for every way to write it
	Value  string // as written
	Hidden string // the value with its template expressions masked
	Bound  bool   // the value is an expression
	At     int    // offset of the name
	Inside int    // offset of the value
}

func (a *Attribute) IsDynamic() bool {
	return a.Bound || strings.IndexByte(a.Hidden, source.Masked) >= 0
}

func (e *Element) Attr(names ...string) *Attribute {
	for i := range e.Attrs {
		if slices.Contains(names, e.Attrs[i].Name) {
			return &e.Attrs[i]
		}
	}
	return nil
}

// HasText reports whether the element has one of the attributes with a value that is not empty.
func (e *Element) HasText(names ...string) bool {
	for i := range e.Attrs {
		a := &e.Attrs[i]
		if slices.Contains(names, a.Name) && (a.IsDynamic() || strings.TrimSpace(a.Value) != "") {
			return true
		}
	}
	return false
}

// isComponent reports whether the name is that of a project's component and not of an HTML element.
func isComponent(name string) bool {
	return name == "slot" || strings.ToLower(name) != name || strings.ContainsAny(name, "-.:")
}

// NamesParent reports whether an element gives its parent something that can be read out. A component
// is assumed to, unless it is an icon.
func (e *Element) NamesParent() bool {
	if a := e.Attr("aria-hidden"); a != nil && (a.Value == "true" || a.Value == "") {
		return false
	}
	lower := strings.ToLower(e.Name)
	return e.HasReadableContent || e.HasText("aria-label", "title", "v-text", "v-html", "dangerouslysetinnerhtml", "children") ||
		e.Name == "img" && e.HasText("alt") ||
		isComponent(e.Name) && !strings.Contains(lower, "icon") && !strings.Contains(lower, "svg")
}

// IsLabel reports whether the name is that of a label, or of a component that acts as one.
func IsLabel(name string) bool {
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

// plainName returns the name of an attribute without its binding or event syntax, and whether its value
// is an expression.
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

// nesting tracks the open elements.
type nesting struct {
	open   []*Element
	count  map[string]int // number of open elements by name
	labels int
}

func (n *nesting) openElement(e *Element) {
	n.open = append(n.open, e)
	n.count[e.Name]++
	if IsLabel(e.Name) {
		n.labels++
	}
}

// closeInnermost closes the innermost element.
func (n *nesting) closeInnermost() {
	e := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	n.count[e.Name]--
	if IsLabel(e.Name) {
		n.labels--
	}
	n.nameParent(e)
}

// nameParent marks the element around e as readable, if e gives it something to read.
func (n *nesting) nameParent(e *Element) {
	if e.NamesParent() {
		n.markReadable()
	}
}

// markReadable marks the innermost element as holding something to read.
func (n *nesting) markReadable() {
	if len(n.open) > 0 {
		n.open[len(n.open)-1].HasReadableContent = true
	}
}

// closeNamed closes the innermost element of that name and all elements that are open in it.
func (n *nesting) closeNamed(name string) {
	if n.count[name] == 0 {
		return
	}
	for {
		e := n.open[len(n.open)-1]
		e.Closed = e.Name == name
		n.closeInnermost()
		if e.Name == name {
			return
		}
	}
}
