package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A tree holds the packages that were found below one directory.
type tree struct {
	dir     string
	rooms   []*room
	support []*room   // fakes and helpers for tests
	folders []*folder // all with Go files, also those with tests alone
}

// A room holds the measurements of one package.
type room struct {
	path            string // the directory, relative to the tree
	importPath      string // by which others import it
	imports         map[string]bool
	folder          *folder
	commented       bool // whether a file has a package comment
	assignments     int
	packed          int // assignments of several unrelated names
	lines           int
	files           int
	functions       int
	oneWord         int // functions whose name is one word
	exported        int
	exportedMethods int

	lengths       []int // lines of each function
	functionLines sizes
	parameters    sizes // number of parameters, by function
	fields        sizes // number of fields, by struct
	methods       sizes // number of methods, by type
}

// A roomKey identifies a package: several packages may share a directory.
type roomKey struct{ dir, name string }

// sizes maps names to numbers.
type sizes map[string]int

// largest returns the largest number and its name.
func (s sizes) largest() (name string, n int) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if s[key] > n {
			name = key
			n = s[key]
		}
	}
	return name, n
}

// readTree measures the packages below dir.
func readTree(dir string) (tree, error) {
	rooms := map[roomKey]*room{}
	folders := map[string]*folder{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && skipsDirectory(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		relative, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		f := folders[relative]
		if f == nil {
			f = &folder{path: relative}
			folders[relative] = f
		}
		return readFile(rooms, f, path)
	})
	if err != nil {
		return tree{}, err
	}
	t := tree{dir: dir}
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		t.folders = append(t.folders, folders[path])
	}
	packages := map[string]int{} // number of packages in each directory
	for key := range rooms {
		packages[key.dir]++
	}
	for key, r := range rooms {
		r.importPath = importPath(dir, key.dir)
		if packages[key.dir] > 1 {
			r.path += " (" + key.name + ")"
		}
		if isSupport(key.dir) {
			t.support = append(t.support, r)
		} else {
			t.rooms = append(t.rooms, r)
		}
	}
	byPath := func(a, b *room) int { return strings.Compare(a.path, b.path) }
	slices.SortFunc(t.rooms, byPath)
	slices.SortFunc(t.support, byPath)
	if len(t.rooms) == 0 {
		return tree{}, fmt.Errorf("no Go packages in %s", dir)
	}
	return t, nil
}

// skipsDirectory reports whether a directory is skipped, as the go command skips it too, or because it is
// node_modules.
func skipsDirectory(name string) bool {
	switch name {
	case "vendor", "testdata", "node_modules":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// isSupport reports whether the package at path exists for tests only.
func isSupport(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(element string) bool {
		switch element {
		case "testing", "testutil", "testdb", "testhelpers", "fake", "fakes", "mock", "mocks":
			return true
		}
		return strings.HasSuffix(element, "test") && element != "gotest" // which reads what go test prints
	})
}

// readFile adds the numbers of one file to its folder, and to the room of its package unless it holds tests.
func readFile(rooms map[roomKey]*room, f *folder, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	name := filepath.Base(path)
	f.addLines(name, string(text), findData(file, positions, strings.HasSuffix(name, "_test.go")))
	assignments, packed := findPackings(file)
	for _, a := range packed {
		f.packings = append(f.packings, f.place(name, positions.Position(a.Pos()).Line))
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	key := roomKey{f.path, file.Name.Name}
	r := rooms[key]
	if r == nil {
		r = &room{path: f.path, folder: f, imports: map[string]bool{}}
		r.functionLines = sizes{}
		r.parameters = sizes{}
		r.fields = sizes{}
		r.methods = sizes{}
		rooms[key] = r
	}
	r.assignments += assignments
	r.packed += len(packed)
	r.commented = r.commented || file.Doc != nil
	for _, spec := range file.Imports {
		r.imports[strings.Trim(spec.Path.Value, "\"`")] = true
	}
	r.files++
	r.lines += bytes.Count(text, []byte("\n"))
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.addFunction(d, positions.Position(d.End()).Line-positions.Position(d.Pos()).Line+1)
		case *ast.GenDecl:
			r.addNames(d)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			r.fields[spec.Name.Name] = max(r.fields[spec.Name.Name], countNames(s.Fields, nil))
		}
		return true
	})
	return nil
}

// addFunction counts one function or method with that many lines.
func (r *room) addFunction(d *ast.FuncDecl, lines int) {
	name := d.Name.Name
	receiver := receiverType(d)
	full := name
	if receiver != "" {
		full = receiver + "." + name
		r.methods[receiver]++
	}
	r.functions++
	if countWords(name) == 1 {
		r.oneWord++
	}
	if ast.IsExported(name) {
		if receiver == "" {
			r.exported++
		} else if ast.IsExported(receiver) {
			r.exportedMethods++
		}
	}
	r.lengths = append(r.lengths, lines)
	r.functionLines[full] = max(r.functionLines[full], lines) // a name may have one body per system
	r.parameters[full] = max(r.parameters[full], countNames(d.Type.Params, isContext))
}

// addNames counts the exported types of a declaration, and its exported constants or variables as one.
func (r *room) addNames(d *ast.GenDecl) {
	values := 0
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				r.exported++
			}
		case *ast.ValueSpec:
			if slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
				values = 1
			}
		}
	}
	r.exported += values
}

// countNames counts fields or parameters, without those whose type leaveOut reports true for.
func countNames(list *ast.FieldList, leaveOut func(ast.Expr) bool) int {
	n := 0
	for _, field := range list.List {
		if leaveOut == nil || !leaveOut(field.Type) {
			n += max(1, len(field.Names))
		}
	}
	return n
}

func isContext(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := s.X.(*ast.Ident)
	return ok && from.Name == "context" && s.Sel.Name == "Context"
}

// receiverType returns the name of a method's receiver type, or "" for a function.
func receiverType(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// countWords counts the words of a Go name, as the program's help defines them.
func countWords(name string) int {
	words := 1
	letters := []rune(strings.Trim(name, "_"))
	for i := 1; i < len(letters); i++ {
		before := letters[i-1]
		here := letters[i]
		switch {
		case here == '_':
			words++
		case before == '_' || !unicode.IsUpper(here):
		case !unicode.IsUpper(before):
			words++
		case i+1 < len(letters) && unicode.IsLower(letters[i+1]) && !isPlural(letters[i+1:]):
			words++
		}
	}
	return words
}

// isPlural reports whether rest is only the plural s of an initialism: IDs is one word.
func isPlural(rest []rune) bool { return len(rest) == 1 && rest[0] == 's' }
