// Package settings keeps settings in layers. What Stack gives out may be kept and changed by
// whoever asked for it.
package settings

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// A Stack is what some layers come to. With makes a new one and leaves the old as it is.
type Stack struct {
	values map[string]any
	depth  int
}

// New is a stack of one layer.
func New(defaults map[string]any) *Stack {
	return (&Stack{values: map[string]any{}}).With(defaults)
}

// Parse is a layer from JSON.
func Parse(text string) (map[string]any, error) {
	var layer map[string]any
	if err := json.Unmarshal([]byte(text), &layer); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return layer, nil
}

// With is the stack with another layer on top.
func (s *Stack) With(layer map[string]any) *Stack {
	return &Stack{values: merge(s.values, layer), depth: s.depth + 1}
}

// Depth is how many layers there are.
func (s *Stack) Depth() int { return s.depth }

// Get is the value at a path such as mail.server.port.
func (s *Stack) Get(path string) (any, bool) {
	var at any = s.values
	for _, key := range strings.Split(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[key]; !ok {
			return nil, false
		}
	}
	return at, true
}

// String is the text at a path; empty where there is none.
func (s *Stack) String(path string) string {
	v, _ := s.Get(path)
	text, _ := v.(string)
	return text
}

// Strings are the texts of the list at a path.
func (s *Stack) Strings(path string) (texts []string) {
	v, _ := s.Get(path)
	list, _ := v.([]any)
	for _, x := range list {
		if text, ok := x.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Keys are all paths that have a value which is no map, in their order.
func (s *Stack) Keys() (paths []string) {
	collect(s.values, "", &paths)
	sort.Strings(paths)
	return paths
}

func collect(m map[string]any, prefix string, paths *[]string) {
	for key, v := range m {
		if deeper, ok := v.(map[string]any); ok {
			collect(deeper, prefix+key+".", paths)
			continue
		}
		*paths = append(*paths, prefix+key)
	}
}
