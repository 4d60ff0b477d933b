package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A folder holds what is counted in all Go files of a directory, those of tests as well.
type folder struct {
	path     string // relative to the tree
	lines    int
	wide     []wideLine
	packings []string // places of assignments of several unrelated names
}

// A wideLine is a line of more than 100 columns.
type wideLine struct {
	place   string
	columns int
}

// addLines counts the lines of one file, and keeps the wide ones, without those of data.
func (f *folder) addLines(name, text string, data map[int]bool) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if n := countColumns(strings.TrimRight(line, "\r\n")); n > 100 && !data[number] {
			f.wide = append(f.wide, wideLine{f.place(name, number), n})
		}
	}
	f.lines += number
}

func (f *folder) countWide(columns int) (n int) {
	for _, line := range f.wide {
		if line.columns > columns {
			n++
		}
	}
	return n
}

// place names a line of a file in the folder.
func (f *folder) place(name string, line int) string {
	return fmt.Sprintf("%s/%s:%d", f.path, name, line)
}

// allLines returns the number of lines of all files, tests and support included.
func (t tree) allLines() (n int) {
	for _, f := range t.folders {
		n += f.lines
	}
	return n
}

// findData returns the lines of a file that cannot be broken, or are data: those with the tag of a field, and
// in tests those of a raw string of several lines.
func findData(file *ast.File, positions *token.FileSet, test bool) map[int]bool {
	data := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				data[positions.Position(n.Tag.Pos()).Line] = true
			}
		case *ast.BasicLit:
			first := positions.Position(n.Pos()).Line
			last := positions.Position(n.End()).Line
			for line := first; test && first < last && line <= last; line++ {
				data[line] = true
			}
		}
		return true
	})
	return data
}

// countColumns returns the width of a line: a tab is four columns, and every other character one.
func countColumns(line string) (n int) {
	for _, c := range line {
		if c == '\t' {
			n += 3
		}
		n++
	}
	return n
}

// findPackings returns the number of all assignments in a file, and those of several unrelated names.
func findPackings(file *ast.File) (assignments int, packed []*ast.AssignStmt) {
	heads := map[ast.Stmt]bool{} // statements in the head of another one
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			heads[n.Init] = true
		case *ast.SwitchStmt:
			heads[n.Init] = true
		case *ast.TypeSwitchStmt:
			heads[n.Init] = true
		case *ast.ForStmt:
			heads[n.Init] = true
			heads[n.Post] = true
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				return true
			}
			assignments++
			if !heads[n] && isPacked(n) {
				packed = append(packed, n)
			}
		}
		return true
	})
	return assignments, packed
}

// isPacked reports whether the statement assigns several names that have nothing to do with each other.
func isPacked(a *ast.AssignStmt) bool {
	return len(a.Lhs) > 1 && len(a.Lhs) == len(a.Rhs) && !isRotation(a) && !areStartingValues(a.Rhs)
}

// isRotation reports whether a value of the assignment reads what another one is assigned to.
func isRotation(a *ast.AssignStmt) bool {
	for i, left := range a.Lhs {
		name := types.ExprString(left)
		for j, value := range a.Rhs {
			if i != j && name != "_" && reads(value, name) {
				return true
			}
		}
	}
	return false
}

// reads reports whether the expression, or a part of it, is written like this.
func reads(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if part, ok := n.(ast.Expr); ok && types.ExprString(part) == name {
			found = true
		}
		return !found
	})
	return found
}

// areStartingValues reports whether all values are literals of one kind.
func areStartingValues(values []ast.Expr) bool {
	kind := literalKind(values[0])
	for _, v := range values {
		if k := literalKind(v); k == "" || k != kind {
			return false
		}
	}
	return true
}

// literalKind returns what kind of literal the expression is, or "" if it is none.
func literalKind(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind.String()
	case *ast.UnaryExpr:
		return literalKind(e.X)
	case *ast.Ident:
		switch e.Name {
		case "true", "false":
			return "bool"
		case "nil":
			return "nil"
		}
	}
	return ""
}
