package find

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const maxNames = 8 // shown of one const or var declaration

// goSymbols returns what a Go file declares, as far as it can be parsed.
func goSymbols(src string) []symbol {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	g := goOutline{set}
	var symbols []symbol
	if file.Package.IsValid() {
		symbols = append(symbols, g.at(file.Package, file.Name.End(), "package "+file.Name.Name))
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			head := *d
			head.Doc, head.Body = nil, nil
			symbols = append(symbols, g.at(d.Pos(), d.End(), g.print(&head)))
		case *ast.GenDecl:
			symbols = append(symbols, g.declared(d)...)
		}
	}
	return symbols
}

type goOutline struct{ set *token.FileSet }

func (g goOutline) at(from, to token.Pos, text string) symbol {
	return symbol{g.set.Position(from).Line, g.set.Position(to).Line, text}
}

// print returns a node as one line.
func (g goOutline) print(node any) string {
	var b bytes.Buffer
	if printer.Fprint(&b, g.set, node) != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (g goOutline) declared(d *ast.GenDecl) []symbol {
	var symbols []symbol
	var names []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			from := d.Pos()
			if d.Lparen.IsValid() {
				from = s.Pos()
			}
			symbols = append(symbols, g.typed(s, from)...)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				names = append(names, n.Name)
			}
		}
	}
	if len(names) == 0 {
		return symbols
	}
	text := d.Tok.String() + " " + strings.Join(names[:min(len(names), maxNames)], ", ")
	if more := len(names) - maxNames; more > 0 {
		text += ", … " + plaintext.FormatCount(more) + " more"
	}
	return append(symbols, g.at(d.Pos(), d.End(), text))
}

// typed returns the symbols of a type: its name and kind, and the methods of an interface.
func (g goOutline) typed(s *ast.TypeSpec, from token.Pos) []symbol {
	name := s.Name.Name
	if s.TypeParams != nil {
		name += "[…]"
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		return []symbol{g.at(from, s.End(), "type "+name+" struct")}
	case *ast.InterfaceType:
		symbols := []symbol{g.at(from, s.End(), "type "+name+" interface")}
		for _, m := range t.Methods.List {
			text := g.print(m.Type)
			if len(m.Names) > 0 {
				text = m.Names[0].Name + strings.TrimPrefix(text, "func")
			}
			symbols = append(symbols, g.at(m.Pos(), m.Pos(), "\t"+text))
		}
		return symbols
	}
	return []symbol{g.at(from, s.End(), "type "+name+" "+g.print(s.Type))}
}
