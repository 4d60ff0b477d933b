// Package stub makes empty stand-ins for what a Go package lacks and a newer version of it has,
// so that tests of the newer one compile with the older one, and fail by themselves.
//
// A function that is new is declared with an empty body, whose results are zero; types,
// constants and variables that are new are taken over as they are. What has another shape than
// before, such as a function with one more argument, has no stand-in. Nothing is run.
package stub

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A File is a stand-in, to be put into the older package's folder.
type File struct {
	Name  string
	Text  string
	Names []string // that it declares
}

// Go makes the stand-ins for the package in a folder.
func Go(older, newer fs.FS, folder string) []File {
	known := map[string]bool{}
	for _, f := range parsed(older, folder) {
		for _, d := range f.tree.Decls {
			for _, name := range declared(d) {
				known[name] = true
			}
		}
	}
	var out []File
	for _, f := range parsed(newer, folder) {
		if made, ok := f.standIn(known); ok {
			made.Name = "bobbin_stub" + strconv.Itoa(len(out)) + ".go"
			out = append(out, made)
		}
	}
	return out
}

type source struct {
	set  *token.FileSet
	tree *ast.File
}

// maxSource is as much of one file as is read.
const maxSource = 1 << 20

// parsed are the sources of the folder's package, less its tests, and less files for some
// systems alone.
func parsed(root fs.FS, folder string) []source {
	entries, _ := fs.ReadDir(root, folder)
	var out []source
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if info, err := e.Info(); err != nil || info.Size() > maxSource {
			continue
		}
		text, err := fs.ReadFile(root, path.Join(folder, e.Name()))
		if err != nil || strings.Contains(string(text), "//go:build") {
			continue
		}
		set := token.NewFileSet()
		if tree, err := parser.ParseFile(set, e.Name(), text, parser.SkipObjectResolution); err == nil {
			out = append(out, source{set, tree})
		}
	}
	return out
}

// declared are the names that a declaration makes; a method's with its type.
func declared(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// standIn declares what the source declares and is not known.
func (s source) standIn(known map[string]bool) (File, bool) {
	made := &ast.File{Name: s.tree.Name}
	var out File
	for _, d := range s.tree.Decls {
		names := declared(d)
		if len(names) == 0 || anyOf(names, known) {
			continue
		}
		if f, ok := d.(*ast.FuncDecl); ok {
			emptied(f)
		}
		made.Decls, out.Names = append(made.Decls, d), append(out.Names, names...)
	}
	if len(out.Names) == 0 {
		return out, false
	}
	made.Decls = append(s.imports(made), made.Decls...)
	var text strings.Builder
	if printer.Fprint(&text, s.set, made) != nil {
		return out, false
	}
	out.Text = text.String()
	return out, true
}

// anyOf reports whether one of the names is known, or is none to stand in for.
func anyOf(names []string, known map[string]bool) bool {
	for _, name := range names {
		if known[name] || name == "_" || name == "init" || name == "main" {
			return true
		}
	}
	return false
}

// emptied takes a function's body away; its results are zero.
func emptied(f *ast.FuncDecl) {
	f.Doc, f.Body = nil, &ast.BlockStmt{}
	if f.Type.Results == nil {
		return
	}
	for i, r := range f.Type.Results.List {
		if len(r.Names) == 0 {
			r.Names = []*ast.Ident{ast.NewIdent("result" + strconv.Itoa(i) + "OfStub")}
		}
	}
	f.Body.List = []ast.Stmt{&ast.ReturnStmt{}}
}

// imports are those of the source that the declarations use.
func (s source) imports(made *ast.File) []ast.Decl {
	used := map[string]bool{}
	ast.Inspect(made, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	var out []ast.Decl
	for _, spec := range s.tree.Imports {
		if used[importName(spec)] {
			out = append(out, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{Name: spec.Name, Path: &ast.BasicLit{Kind: token.STRING, Value: spec.Path.Value}}}})
		}
	}
	return out
}

// importName is what a file calls an import, as far as its path tells.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(name)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(name))
	}
	return strings.TrimPrefix(base, "go-")
}
