package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// treePrograms run what files of the tree define.
var treePrograms = []string{
	"make", "gmake", "ctest", "meson", "ninja", "just", "task", "mage", "tox", "nox", "rake", "npm", "pnpm",
	"yarn", "bun", "mvn", "gradle", "sbt", "mix", "composer", "dotnet", "swift",
	"zig", "bazel", "prove", "bundle",
}

// CallsTree reports whether a line is one plain call of what the tree defines: of a program in treePrograms,
// or of a file of the tree. Only changes of the folder and builds may come before it, and nothing behind it.
func CallsTree(line string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	calls := plainCalls(file.Stmts[0])
	if len(calls) == 0 {
		return false
	}
	for i, words := range calls {
		last := i == len(calls)-1
		builds := slices.Contains([]string{"cd", "cmake"}, words[0])
		runs := slices.Contains(treePrograms, words[0]) || isTreeFile(words[0])
		if !runs && (last || !builds) {
			return false
		}
	}
	return true
}

// plainCalls returns the words of the calls that && joins, or nil if a statement is anything else.
func plainCalls(stmt *syntax.Stmt) (calls [][]string) {
	if stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 {
		return nil
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		before := plainCalls(c.X)
		after := plainCalls(c.Y)
		if c.Op == syntax.AndStmt && before != nil && after != nil {
			return append(before, after...)
		}
	case *syntax.CallExpr:
		var words []string
		for _, w := range c.Args {
			word := w.Lit()
			if word == "" {
				word = stringText(w)
			}
			if word == "" {
				return nil
			}
			words = append(words, word)
		}
		if len(words) > 0 {
			return [][]string{words}
		}
	}
	return nil
}

// stringText returns the text of a word that is one string in quotes, in which the shell replaces nothing.
func stringText(w *syntax.Word) string {
	if len(w.Parts) != 1 {
		return ""
	}
	switch q := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return q.Value
	case *syntax.DblQuoted:
		if len(q.Parts) == 1 {
			if text, ok := q.Parts[0].(*syntax.Lit); ok {
				return text.Value
			}
		}
	}
	return ""
}

// isTreeFile reports whether a word names a file below the folder in which the command runs.
func isTreeFile(word string) bool {
	return strings.Contains(word, "/") && !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "~") &&
		!slices.Contains(strings.Split(word, "/"), "..")
}
