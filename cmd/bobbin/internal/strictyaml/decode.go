package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits that are far above what a configuration needs, and beyond which the YAML library cannot cope.
const (
	MaxConfig = 256 << 10
	maxDepth  = 50
)

// MaxWhole is the largest whole number that is read. It is far above what any key may have, so that the key's
// own check says how much that is, and every whole number up to it is exact as a float64.
const MaxWhole = 1e15

// Decode reads text into c, a pointer to a struct. It adds everything wrong in the file to p, with its
// line. It reads on after a problem, so that all problems are reported at once. It returns false if the
// text cannot be parsed as YAML.
func (p *Problems) Decode(text []byte, c any) bool {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte order mark, with which some editors begin a file
	if !p.isText(text) {
		return false
	}
	file, err := parseYAML(text)
	if err != nil {
		p.addSyntaxError(err)
		return false
	}
	for i, doc := range file.Docs {
		switch {
		case i > 0 && doc.Body != nil:
			p.addProblem(lineOf(doc.Body), "one document is expected, and another begins here")
		case doc.Body != nil:
			p.readValue(doc.Body, reflect.ValueOf(c).Elem(), "$")
		}
	}
	return true
}

// isText reports whether text is UTF-8 without control characters, not too long and not nested too deep.
// Otherwise it adds the problem. It runs before the parser sees the text.
func (p *Problems) isText(text []byte) bool {
	line := func(at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }
	if len(text) > MaxConfig {
		p.addProblem(0, "a configuration has at most %d KiB", MaxConfig>>10)
		return false
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			p.addProblem(line(at), "this is not UTF-8 text")
			return false
		case unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r):
			p.addProblem(line(at), "the control character %U does not belong in a configuration", r)
			return false
		}
		at += size
	}
	if at := tooDeep(text); at >= 0 {
		p.addProblem(line(at), "brackets or dashes are nested more than %d deep", maxDepth)
		return false
	}
	return true
}

// tooDeep counts open brackets, and on each line the dashes that begin lists within lists. It returns the
// offset at which there are more than maxDepth, or -1.
func tooDeep(text []byte) int {
	depth, dashes := 0, 0
	for i, b := range text {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-', '?':
			if i+1 < len(text) && text[i+1] == ' ' {
				dashes++
			}
		case '\n':
			dashes = 0
		}
		if depth > maxDepth || dashes > maxDepth {
			return i
		}
	}
	return -1
}

// parseYAML parses text; a panic of the parser becomes an error.
func parseYAML(text []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it cannot be read as YAML")
		}
	}()
	return parser.ParseBytes(text, 0)
}

func (p *Problems) addSyntaxError(err error) {
	var where yaml.Error
	if !errors.As(err, &where) || where.GetToken() == nil || where.GetToken().Position == nil {
		p.addProblem(0, "%s", plaintext.OneLine(err.Error()))
		return
	}
	reason := plaintext.OneLine(where.GetMessage())
	switch {
	case strings.Contains(where.GetMessage(), "\t"):
		reason = "there is a tab where spaces are needed"
	case strings.HasPrefix(reason, "mapping value is not allowed"):
		reason = `a key cannot be here: check how far this line and the next are indented, and put a text ` +
			`with ": " in quotes`
	}
	p.addProblem(where.GetToken().Position.Line, "%s", reason)
}

// readValue reads a node into v. path is the path of the node, for the lines of later problems.
func (p *Problems) readValue(n ast.Node, v reflect.Value, path string) {
	if old := p.written[path]; old != "" {
		p.addTwice(lineOf(n), old, path)
		return
	}
	p.lines[path] = lineOf(n)
	switch n.(type) {
	case *ast.NullNode:
		if strings.HasSuffix(path, "]") {
			p.addUnreadable(path, "%s is empty; a value that begins with # has to be in "+
				"quotes", p.readable(path))
		}
		return
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		p.addUnreadable(path, "anchors, aliases and tags are not read here")
		return
	}
	if s, ok := v.Addr().Interface().(Shorthand); ok && s.ReadShort(plainValue(n)) {
		return
	}
	if s, ok := v.Addr().Interface().(shortNamer); ok && plainValue(n) != nil {
		p.addUnreadable(path, "%s, or keys and values, are expected, not %s", s.ShortForms(), describeNode(n))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.readStruct(n, v, path)
	case reflect.Map:
		p.readMap(n, v, path)
	case reflect.Slice:
		p.readList(n, v, path)
	case reflect.Pointer: // a pointer, because zero means something else than an absent key
		v.Set(reflect.New(v.Type().Elem()))
		p.readValue(n, v.Elem(), path)
	default:
		p.readScalar(n, v, path)
	}
}

// Shorthand is implemented by a part of the file that may also be written as one word or line.
type Shorthand interface {
	// ReadShort reads a string or a bool that is written in place of the part. It returns false if the
	// value is not a short form of the part. value is nil if the part is written neither as a string nor as
	// a bool.
	ReadShort(value any) bool
}

// A shortNamer is a Shorthand that names its short forms.
type shortNamer interface{ ShortForms() string }

// plainValue returns the string or the bool of a node, or nil for other nodes.
func plainValue(n ast.Node) any {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value
	case *ast.LiteralNode:
		return x.Value.Value
	case *ast.BoolNode:
		return x.Value
	}
	return nil
}

// Renamer is implemented by a part of the file some of whose keys have new names. The old names are still
// read; see Problems.Warning.
type Renamer interface {
	// Renamed returns the new place for each old key: a path of keys within the same part, such as
	// session.usd.
	Renamed() map[string]string
}

func renamedIn(part any) map[string]string {
	if r, ok := part.(Renamer); ok {
		return r.Renamed()
	}
	return nil
}

// readStruct reads a mapping into a struct. The keys are the yaml tags of its fields and of the fields of
// embedded structs.
func (p *Problems) readStruct(n ast.Node, v reflect.Value, path string) {
	p.nameItem(n, path)
	var keys []string
	for _, f := range reflect.VisibleFields(v.Type()) {
		if key := f.Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	renamed := renamedIn(v.Interface())
	var meant []string // the keys that others seem to be
	p.eachKey(n, path, func(key string, value ast.Node, line int) {
		if field := fieldOf(v, key); field.IsValid() {
			p.readValue(value, field, path+"."+key)
		} else if now := renamed[key]; now != "" {
			p.oldKey(value, fieldOf(v, now), path, key, now)
		} else {
			p.addProblem(line, "%sunknown key %q%s", p.within(path), key, p.suggestKey(key, keys))
			// a guess that begins with another letter may well be wrong
			if near := plaintext.NearestWord(key, keys); near != "" && key != "" && near[0] == key[0] {
				meant = append(meant, near)
			}
		}
	})
	for _, key := range meant { // that such a key is missing is not said as well
		if !p.Has(path + "." + key) {
			p.bad[path+"."+key] = true
		}
	}
}

// fieldOf returns the field of a struct at a path of keys, or the zero Value, as for a key of the file that
// has a dot after the name of a plain value.
func fieldOf(v reflect.Value, path string) reflect.Value {
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	key, rest, deeper := strings.Cut(path, ".")
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Tag.Get("yaml") != key || key == "" {
			continue
		}
		if field := v.FieldByIndex(f.Index); !deeper {
			return field
		} else {
			return fieldOf(field, rest)
		}
	}
	return reflect.Value{}
}

// oldKey reads the value of a key that has a new name.
func (p *Problems) oldKey(n ast.Node, field reflect.Value, path, old, now string) {
	was := path + "." + old
	is := path + "." + now
	if p.Has(is) {
		p.addTwice(lineOf(n), was, is)
		return
	}
	p.readValue(n, field, was)
	p.written[is] = was
	p.oldKeys = append(p.oldKeys, problem{lineOf(n), p.readable(was) + " is now " + p.readable(is)})
}

// addTwice adds the problem that a value is given under both its old and its new name.
func (p *Problems) addTwice(line int, old, now string) {
	p.addProblem(line, "%s is the old name of %s, and both are there; keep %s", p.readable(old),
		p.readable(now), p.readable(now))
}

// suggestKey returns a hint for an unknown key: a similar key, the section to which the key belongs, or the
// known keys.
func (p *Problems) suggestKey(key string, keys []string) string {
	if s := cli.DidYouMean(key, keys); s != "" {
		return s
	}
	for _, part := range p.sections {
		if renamedIn(part.Of)[key] != "" {
			return "; it belongs to " + part.Name
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(part.Of)) {
			if f.Tag.Get("yaml") == key {
				return "; it belongs to " + part.Name
			}
		}
	}
	return "; one of " + strings.Join(keys, ", ")
}

// readMap reads a mapping whose keys are names that people choose.
func (p *Problems) readMap(n ast.Node, v reflect.Value, path string) {
	v.Set(reflect.MakeMap(v.Type()))
	p.eachKey(n, path, func(key string, value ast.Node, _ int) {
		item := reflect.New(v.Type().Elem()).Elem()
		p.readValue(value, item, path+"."+key)
		v.SetMapIndex(reflect.ValueOf(key), item)
	})
}

func (p *Problems) eachKey(n ast.Node, path string, do func(key string, value ast.Node, line int)) {
	mapping, ok := n.(ast.MapNode)
	if !ok {
		p.addUnreadable(path, "keys and values are expected, not %s%s", describeNode(n), p.elsewhere(n, path))
		return
	}
	for it := mapping.MapRange(); it.Next(); {
		switch key := it.Key().(type) {
		case *ast.StringNode:
			do(key.Value, it.Value(), lineOf(key))
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			do(key.GetToken().Value, it.Value(), lineOf(key))
		default:
			p.addProblem(lineOf(it.Key()), "%sa key has to be plain text", p.within(path))
		}
	}
}

func (p *Problems) readList(n ast.Node, v reflect.Value, path string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		cure := "put brackets around it"
		if _, isMap := n.(ast.MapNode); isMap {
			cure = "begin each item with a dash"
		}
		p.addUnreadable(path, "a list is expected, not %s; %s", describeNode(n), cure)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list.Values), len(list.Values)))
	for i, item := range list.Values {
		p.readValue(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (p *Problems) readScalar(n ast.Node, v reflect.Value, path string) {
	want := "text"
	switch v.Kind() {
	case reflect.String:
		switch s := n.(type) {
		case *ast.StringNode:
			v.SetString(s.Value)
			return
		case *ast.LiteralNode:
			v.SetString(s.Value.Value)
			return
		case *ast.IntegerNode:
			if v.Type() == reflect.TypeFor[Word]() {
				v.SetString(s.GetToken().Value)
				return
			}
		case *ast.FloatNode:
			if v.Type() == reflect.TypeFor[Word]() {
				v.SetString(s.GetToken().Value)
				return
			}
		}
	case reflect.Bool:
		want = "true or false"
		if b, ok := n.(*ast.BoolNode); ok {
			v.SetBool(b.Value)
			return
		}
		if s, ok := n.(*ast.StringNode); ok && booleans[strings.ToLower(s.Value)] != "" {
			want = booleans[strings.ToLower(s.Value)]
		}
	case reflect.Int:
		want = "a whole number"
		if f, ok := numberOf(n); ok && f == math.Trunc(f) && math.Abs(f) <= MaxWhole {
			v.SetInt(int64(f))
			return
		}
	case reflect.Float64:
		want = "a number"
		if f, ok := numberOf(n); ok {
			v.SetFloat(f)
			return
		}
	}
	p.addUnreadable(path, "%s is expected, not %s%s", want, describeNode(n),
		cmp.Or(p.hint(path), p.elsewhere(n, path)))
}

// elsewhere returns a hint if a key of the same name takes such a value in another part of the file: text, or
// keys and values.
func (p *Problems) elsewhere(n ast.Node, path string) string {
	fits := reflect.String
	if _, isMap := n.(ast.MapNode); isMap {
		fits = reflect.Map
	} else if _, isText := plainValue(n).(string); !isText {
		return ""
	}
	key := path[strings.LastIndexByte(path, '.')+1:]
	for _, part := range p.sections {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(part.Of)) {
			if f.Tag.Get("yaml") == key && f.Type.Kind() == fits {
				return fmt.Sprintf("; %s takes that as %s", part.Name, key)
			}
		}
	}
	return ""
}

// booleans are words for which people mean true or false.
var booleans = map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}

// numberOf returns the number of a node; false if it is not a finite number.
func numberOf(n ast.Node) (float64, bool) {
	var f float64
	switch x := n.(type) {
	case *ast.IntegerNode:
		switch i := x.Value.(type) {
		case int64:
			f = float64(i)
		case uint64:
			f = float64(i)
		default:
			return 0, false
		}
	case *ast.FloatNode:
		f = x.Value
	default:
		return 0, false
	}
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}

// describeNode describes a node in words; for a short scalar with its value.
func describeNode(n ast.Node) string {
	said := ""
	if t := n.GetToken(); t != nil && len(t.Value) < 40 {
		said = " " + plaintext.OneLine(t.Value)
	}
	switch n.(type) {
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "keys and values"
	case *ast.StringNode:
		if said == "" {
			return "text"
		}
		return fmt.Sprintf("the text %q", said[1:])
	case *ast.LiteralNode:
		return "text over several lines"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "the number" + said
	case *ast.BoolNode:
		return strings.TrimSpace(said) + " (put it in quotes if it is text)"
	}
	return "this"
}

// nameItem remembers the name of an item of a list at the top of the file, by which problems call it:
// repositories.shop rather than repositories[0].
func (p *Problems) nameItem(n ast.Node, path string) {
	mapping, ok := n.(ast.MapNode)
	if !ok || !topItem.MatchString(path) {
		return
	}
	for it := mapping.MapRange(); it.Next(); {
		key, isText := it.Key().(*ast.StringNode)
		name, hasName := plainValue(it.Value()).(string)
		if isText && key.Value == "name" && hasName && itemName.MatchString(name) {
			p.names[path] = strings.TrimRight(path, "[0123456789]") + "." + name
		}
	}
}

var (
	topItem  = regexp.MustCompile(`^\$\.\w+\[\d+\]$`)
	itemName = regexp.MustCompile(`^[\w.-]{1,100}$`)
)

// readable returns a path as people write it.
func (p *Problems) readable(path string) string {
	if path == "$" {
		return "the file"
	}
	if end := strings.IndexByte(path, ']'); end >= 0 {
		if name := p.names[path[:end+1]]; name != "" {
			path = name + path[end+1:]
		}
	}
	return strings.TrimPrefix(path, "$.")
}

// within returns the path as the beginning of a reason; it is empty for the top of the file.
func (p *Problems) within(path string) string {
	if path == "$" {
		return ""
	}
	return p.readable(path) + ": "
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// At adds a problem at a path such as $.repositories[0].url. The path is the beginning of its text: before
// it, or in place of the key with which the text begins. If the path is not in the file, the line is
// that of its nearest parent in the file. If the value there or above could not be read, At adds nothing,
// because that problem is in the list already.
func (p *Problems) At(path, format string, args ...any) {
	path = p.Written(path)
	for at := path; at != ""; at = parentPath(at) {
		if p.bad[at] {
			return
		}
	}
	p.addProblem(p.Line(path), "%s", p.withPath(path, fmt.Sprintf(format, args...)))
}

var (
	firstKey  = regexp.MustCompile(`^[\w.-]*\w`)
	listIndex = regexp.MustCompile(`\[\d+\]`)
)

// withPath returns the text of a problem with its path: "approvals is -1" is
// "repositories.shop.approvals is -1".
func (p *Problems) withPath(path, text string) string {
	name := p.readable(path)
	begins := firstKey.FindString(text)
	rest := text[len(begins):]
	keys := "." + listIndex.ReplaceAllString(strings.TrimPrefix(path, "$."), "") + "."
	switch {
	case strings.HasPrefix(text, name):
		return text
	case begins != "" && strings.HasSuffix(keys, "."+begins+"."),
		begins != "" && strings.Contains(keys, "."+begins+".") && strings.HasPrefix(rest, ": "):
		return name + rest
	}
	return name + ": " + text
}

func (p *Problems) addUnreadable(path, format string, args ...any) {
	p.At(path, format, args...)
	p.bad[path] = true
}

func (p *Problems) addProblem(line int, format string, args ...any) {
	x := problem{line, fmt.Sprintf(format, args...)}
	if !slices.Contains(p.list, x) {
		p.list = append(p.list, x)
	}
}

// Written returns the path at which the file has a value: for a value under an old key, the path of that
// key.
func (p *Problems) Written(path string) string { return cmp.Or(p.written[path], path) }

// Has reports whether the path is in the file.
func (p *Problems) Has(path string) bool {
	_, there := p.lines[path]
	return there
}

func (p *Problems) Line(path string) int {
	for ; path != ""; path = parentPath(path) {
		if line, ok := p.lines[path]; ok {
			return line
		}
	}
	return 0
}

func parentPath(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }
