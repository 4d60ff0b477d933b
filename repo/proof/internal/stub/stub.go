// Package stub makes empty stand-ins for the names that an older version of a Go package lacks, so that
// tests of the newer version compile with the older one and fail by themselves.
//
// A new function is declared with an empty body that returns zero values; new types, constants and
// variables are copied unchanged. A name with a changed declaration, such as a function with one more
// argument, gets no stand-in. Nothing is run.
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

// A File is a source file with stand-ins, for the folder of the older package.
type File struct {
	Name  string
	Text  string
	Names []string // the names that it declares
}

// Go returns the stand-ins for the package in a folder.
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

// maxSource is the size in bytes of the largest source file that is read.
const maxSource = 1 << 20

// parsed returns the sources of the folder's package, without its tests and without files that have a build
// constraint.
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

// declared returns the names that a declaration declares; a method's with its type.
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

// receiver returns the name of a method's type.
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

// standIn returns the declarations of the source whose names are not known.
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

// anyOf reports whether one of the names is known or can have no stand-in.
func anyOf(names []string, known map[string]bool) bool {
	for _, name := range names {
		if known[name] || name == "_" || name == "init" || name == "main" {
			return true
		}
	}
	return false
}

// emptied removes a function's body; its results are then zero.
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

// imports returns the imports of the source that the declarations use.
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

// importName returns the name of an import within a file, as far as its path shows it.
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
