package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestButtonsAreNamedByTheirConstants checks that no code but the file of the constants spells the action id
// of a button: a press that is looked for under a misspelled one would never be found.
func TestButtonsAreNamedByTheirConstants(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	require.Empty(t, spelledActions(t, tree), "use the constant of package workflow; in SQL, a parameter")
	controls := fstest.MapFS{
		"workflow/button.go": {Data: []byte("package workflow\ntype ActionID string\nconst (\n" +
			"\tButtonFix ActionID = \"fix_it\"\n\tButtonStop ActionID = \"stop\"\n)\n")},
		"bot/phase.go":  {Data: []byte("package bot\nconst stopped = \"stop\"\n")},
		"bot/field.go":  {Data: []byte("package bot\nvar a = Button{ActionID: \"stop\"}\n")},
		"bot/press.go":  {Data: []byte("package bot\nvar b = in.ActionID == \"stop\"\n")},
		"bot/unique.go": {Data: []byte("package bot\nvar c = newest(\"fix_it\")\n")},
		"bot/query.go":  {Data: []byte("package bot\nvar d = `where b.action_id = 'stop'`\n")},
	}
	require.Equal(t, []string{
		`bot/field.go:2: "stop"`, `bot/press.go:2: "stop"`, "bot/query.go:2: `where b.action_id = 'stop'`",
		`bot/unique.go:2: "fix_it"`,
	}, spelledActions(t, controls), "the control")
}

// actionInSQL matches a condition on an action that spells it.
var actionInSQL = regexp.MustCompile(`(action_id|'ActionID')\s*(=|<>|in \()\s*'\w`)

// spelledActions returns the literals of the tree's code, tests aside, that spell the action of a button. A
// word that also means something else, such as "stop", is one only where the code says so.
func spelledActions(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	parsed := map[string]*ast.File{}
	files := token.NewFileSet()
	var actions, others []string
	for _, name := range sources(t, tree) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		parsed[name], err = parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		a, o := constantWords(parsed[name])
		actions = append(actions, a...)
		others = append(others, o...)
	}
	require.NotEmpty(t, actions)
	isAction := func(word string) bool {
		return strings.Contains(word, "_") && slices.Contains(actions, word) && !slices.Contains(others, word)
	}
	for name, file := range parsed {
		if name == "workflow/button.go" {
			continue
		}
		for _, l := range actionLiterals(file, isAction) {
			found = append(found, fmt.Sprintf("%s:%d: %s", name, files.Position(l.Pos()).Line, l.Value))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// constantWords returns the values of a file's constants: those of type ActionID, and all others.
func constantWords(file *ast.File) (actions, others []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		typed, _ := spec.Type.(*ast.Ident)
		for _, v := range spec.Values {
			switch word := wordOf(v); {
			case word != "" && typed != nil && typed.Name == "ActionID":
				actions = append(actions, word)
			case word != "":
				others = append(others, word)
			}
		}
		return true
	})
	return actions, others
}

// actionLiterals returns the literals of a file that spell an action: as the value of a field ActionID,
// compared with one, in SQL, or as a word of which isAction says that it means nothing else.
func actionLiterals(file *ast.File, isAction func(word string) bool) (found []*ast.BasicLit) {
	add := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && wordOf(l) != "" {
			found = append(found, l)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ActionID" {
				add(n.Value)
			}
		case *ast.BinaryExpr:
			for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
				if s, ok := pair[0].(*ast.SelectorExpr); ok && s.Sel.Name == "ActionID" {
					add(pair[1])
				}
			}
		case *ast.BasicLit:
			if isAction(wordOf(n)) || actionInSQL.MatchString(n.Value) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// wordOf returns the value of a string literal, or an empty string for anything else.
func wordOf(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	word, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return word
}
