package schema

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

// settingsFile describes every setting to people; its first lines say how.
//
//go:embed settings.yaml
var settingsFile []byte

// A setting is the description of one key of the configuration file, as settings.yaml has it.
type setting struct {
	Is        string        `yaml:"is"`
	Values    yaml.MapSlice `yaml:"values"`
	Short     yaml.MapSlice `yaml:"short"`
	Default   any           `yaml:"default"`
	Otherwise string        `yaml:"otherwise"`
	Unit      string        `yaml:"unit"`
	Required  bool          `yaml:"required"`
	Example   string        `yaml:"example"`
	Shown     bool          `yaml:"shown"`
	Same      string        `yaml:"same"`
	Key       string        `yaml:"key"`
}

// A node is one key of the configuration file with the keys below it.
type node struct {
	setting
	name string // the key
	path string // its path in settings.yaml
	kind reflect.Type
	keys []*node // of the section, or of each item of a list or a map
	// settings.yaml describes it at its own path, and not at that of a section with the same keys
	described bool
}

// readSettings reads settings.yaml.
func readSettings() (map[string]setting, error) {
	all := map[string]setting{}
	if err := yaml.UnmarshalWithOptions(settingsFile, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("settings.yaml: %w", err)
	}
	return all, nil
}

// keysOf returns the keys of a part of the configuration and of its embedded structs. at is the path of the
// part, and from the path at which settings.yaml describes it.
func keysOf(t reflect.Type, at, from string, all map[string]setting) (keys []*node) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case field.Anonymous:
			keys = append(keys, keysOf(field.Type, at, from, all)...)
		case field.IsExported() && name != "":
			described := all[join(from, name)]
			n := &node{setting: described, name: name, path: join(at, name), kind: field.Type}
			n.described = at == from
			part, step := partOf(field.Type)
			if part != nil {
				below := join(from, name) + step
				if described.Same != "" {
					below = described.Same
				}
				n.keys = keysOf(part, n.path+step, below, all)
			}
			keys = append(keys, n)
		}
	}
	return keys
}

// partOf returns the struct whose keys stand below a key of the type, if there is one, and the step of the
// path that leads to them.
func partOf(t reflect.Type) (part reflect.Type, step string) {
	switch t.Kind() {
	case reflect.Pointer:
		return partOf(t.Elem())
	case reflect.Struct:
		return t, ""
	case reflect.Slice:
		step = "[]"
	case reflect.Map:
		step = ".NAME"
	default:
		return nil, ""
	}
	if t.Elem().Kind() != reflect.Struct {
		return nil, ""
	}
	return t.Elem(), step
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// tree returns the keys at the top of the configuration file.
func tree() ([]*node, error) {
	all, err := readSettings()
	if err != nil {
		return nil, err
	}
	return keysOf(reflect.TypeFor[config.Config](), "", "", all), nil
}

// words returns the values that a MapSlice names, in their order.
func words(of yaml.MapSlice) (names []string) {
	for _, item := range of {
		names = append(names, fmt.Sprint(item.Key))
	}
	return names
}

// describe returns what a setting does, with its values and its default, in sentences.
func (n *node) describe() string {
	text := n.Is
	if n.Same != "" {
		text += " The same keys as `" + n.Same + "`."
	}
	for _, of := range []yaml.MapSlice{n.Values, n.Short} {
		var said []string
		for _, item := range of {
			said = append(said, fmt.Sprintf("`%v`: %v", item.Key, item.Value))
		}
		switch {
		case isYesOrNo(of):
			text += " `on` or `off`."
		case len(said) > 0:
			text += " " + strings.Join(said, "; ") + "."
		}
	}
	return text
}

// isYesOrNo reports whether the values are on and off, and say no more than yes and no.
func isYesOrNo(of yaml.MapSlice) bool {
	return len(of) == 2 && of[0].Value == "yes" && of[1].Value == "no"
}

// otherwise returns what holds if the setting is left out; empty: nothing is said.
func (n *node) otherwise() string {
	switch {
	case n.Required:
		return "required"
	case n.Otherwise != "":
		return n.Otherwise
	case n.Default == nil:
		return ""
	case n.Default == false:
		return "`false`"
	case n.Unit != "":
		return fmt.Sprintf("%v %s", n.Default, n.Unit)
	}
	return fmt.Sprintf("`%v`", n.Default)
}
