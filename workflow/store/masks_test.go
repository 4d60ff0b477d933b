package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// secret is in every text of a part before it is masked.
const secret = "moss-covered-bucket"

func mask(text string) string { return strings.ReplaceAll(text, secret, "[masked]") }

// TestEachPartIsMasked fills all fields of each part with a secret and masks the part: only the fields that
// the table names, with the reason, keep the secret, and each of them does. The part itself is not changed.
func TestEachPartIsMasked(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, row := range maskedParts() {
		name := nameOf(row.part)
		listed = append(listed, name)
		part := filled(row.part)
		before := keeping(part)
		require.Equal(t, row.keeps(), keeping(part.Mask(mask)), "%s: the fields that keep a secret", name)
		require.Equal(t, before, keeping(part), "%s: Mask changes the part that it masks", name)
	}
	require.Empty(t, unlisted(t, os.DirFS("../.."), listed))
}

// A part that was forgotten is found out, and so is one that masks too little, too much, or itself.
func TestAPartThatIsNotMaskedIsFoundOut(t *testing.T) {
	t.Parallel()
	careless := filled(carelessPart{})
	require.Equal(t, []string{"Lines.Text", "Text", "Words"}, keeping(careless.Mask(mask)))
	spoiling := filled(spoilingPart{})
	spoiling.Mask(mask)
	require.Empty(t, keeping(spoiling), "it changed its own list")

	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"store/a/a.go": "package a; type A struct{}; func (A) Stage() " +
			"record.Stage { return record.Work }",
		"store/a/b.go":      "package a; type B struct{ A; Text string }",
		"store/record/c.go": "package record; type C string; func (c *C) Stage() Stage { return Work }",
		"store/a/a_test.go": "package a; type D struct{}; func (D) Stage() " +
			"record.Stage { return record.Work }",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	require.Equal(t, []string{
		"a.A is a part that no row of this table masks",
		"a.B embeds the part a.A, whose Mask drops all else: give it one of its own",
		"record.C is a part that no row of this table masks",
	}, unlisted(t, tree, nil))
	delete(tree, "store/a/b.go")
	unknown := unlisted(t, tree, []string{"a.A", "record.C", "a.Z"})
	require.Equal(t, []string{"a.Z is in this table, and is no part"}, unknown)
	require.Empty(t, unlisted(t, tree, []string{"a.A", "record.C"}))
}

// A carelessPart masks nothing.
type carelessPart struct {
	record.Part
	Text  string
	Words []string
	Lines []struct{ Text string }
	Count int
}

func (c carelessPart) Mask(func(string) string) record.Part { return c }

// A spoilingPart masks its own list in place of a copy.
type spoilingPart struct {
	record.Part
	Words []string
}

func (s spoilingPart) Mask(mask func(string) string) record.Part {
	for i, w := range s.Words {
		s.Words[i] = mask(w)
	}
	return s
}

// nameOf returns the package and the name of a part's type.
func nameOf(p record.Part) string { return strings.TrimPrefix(fmt.Sprintf("%T", p), "*") }

// unlisted compares the parts in a tree of source, which are the types with a method Stage, with the table's.
func unlisted(t *testing.T, tree fs.FS, listed []string) (wrong []string) {
	t.Helper()
	parts := map[string]bool{}
	embeds := map[string][]string{}
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || d.IsDir() && (base == "testdata" || len(base) > 1 && strings.HasPrefix(base, ".")) {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err == nil {
			readParts(file, parts, embeds)
		}
		return err
	}))
	for name := range parts {
		if !slices.Contains(listed, name) {
			wrong = append(wrong, name+" is a part that no row of this table masks")
		}
	}
	for name, fields := range embeds {
		for _, f := range fields {
			if parts[f] && !parts[name] {
				const drops = "%s embeds the part %s, whose Mask drops all else: give it one of its own"
				wrong = append(wrong, fmt.Sprintf(drops, name, f))
			}
		}
	}
	for _, name := range listed {
		if !parts[name] {
			wrong = append(wrong, name+" is in this table, and is no part")
		}
	}
	slices.Sort(wrong)
	return wrong
}

// readParts adds the types of a file that have a method Stage, and the types that each struct embeds.
func readParts(file *ast.File, parts map[string]bool, embeds map[string][]string) {
	in := file.Name.Name
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "Stage" && n.Recv != nil {
				parts[typeName(in, n.Recv.List[0].Type)] = true
			}
		case *ast.TypeSpec:
			of, ok := n.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range of.Fields.List {
				if len(f.Names) == 0 {
					embeds[in+"."+n.Name.Name] = append(embeds[in+"."+n.Name.Name], typeName(in, f.Type))
				}
			}
		}
		return true
	})
}

// typeName returns the package and the name of a type, which is in package in if it names no other.
func typeName(in string, x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(in, x.X)
	case *ast.SelectorExpr:
		return typeName("", x.X) + "." + x.Sel.Name
	case *ast.Ident:
		return strings.TrimPrefix(in+"."+x.Name, ".")
	}
	return ""
}

// filled returns a copy of the part with the secret in all strings, bytes and JSON that it left empty, in
// every field and in one element of each empty list.
func filled(p record.Part) record.Part {
	v := reflect.New(reflect.TypeOf(p)).Elem()
	v.Set(reflect.ValueOf(p))
	fill(v)
	return v.Interface().(record.Part)
}

var (
	jsonType   = reflect.TypeFor[json.RawMessage]()
	changeType = reflect.TypeFor[func(*workflow.Session)]()
)

func isBytes(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
}

func fill(v reflect.Value) {
	switch {
	case !v.CanSet() || v.Kind() == reflect.Interface || v.Type().PkgPath() == "time":
	case v.Type() == jsonType:
		if v.Len() == 0 {
			v.SetBytes([]byte(`{"` + secret + `": ["` + secret + `", 1, null]}`))
		}
	case v.Type() == changeType:
		v.Set(reflect.ValueOf(func(s *workflow.Session) { fill(reflect.ValueOf(s).Elem()) }))
	case v.Kind() == reflect.String:
		if v.Len() == 0 {
			v.SetString(secret)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case isBytes(v):
		if v.Len() == 0 {
			v.SetBytes([]byte(secret))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, 1), v)) // a list of its own
		if v.Len() == 0 {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case v.Kind() == reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			panic("a map with other keys than texts in a part: fill it here")
		}
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(secret), value)
	}
}

// keeping returns the paths of the fields that hold the secret.
func keeping(p record.Part) []string {
	found := map[string]bool{}
	keep(reflect.ValueOf(p), "", found)
	return slices.Sorted(maps.Keys(found))
}

func keep(v reflect.Value, at string, found map[string]bool) {
	below := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	switch {
	case v.Kind() == reflect.String || isBytes(v):
		if strings.Contains(fmt.Sprintf("%s", v), secret) {
			found[cmp.Or(at, "itself")] = true
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				name := below(f.Name)
				if f.Anonymous {
					name = at
				}
				keep(v.Field(i), name, found)
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			keep(v.Index(i), at, found)
		}
	case v.Kind() == reflect.Map:
		for key, value := range v.Seq2() {
			keep(key, at, found)
			keep(value, at, found)
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		keep(v.Elem(), at, found)
	case v.Kind() == reflect.Func && v.Type() == changeType && !v.IsNil():
		var s workflow.Session
		v.Interface().(func(*workflow.Session))(&s)
		keep(reflect.ValueOf(s), at, found)
	}
}
