package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// importing returns a file of a package that imports others of the module named example.
func importing(name string, others ...string) string {
	text := "// Package " + name + " is documented.\npackage " + name + "\n\n"
	for _, other := range others {
		text += "import _ \"example/" + other + "\"\n"
	}
	return text
}

// house is a tree with two storeys, a and cmd, and a wing at the top, bot.
func house() map[string]string {
	return map[string]string{
		"a/a.go":                   importing("a"),
		"a/git/git.go":             importing("git", "a", "a/git/internal/pack"),
		"a/git/internal/pack/p.go": importing("pack", "a/git/diff"),
		"a/git/diff/diff.go":       importing("diff"),
		"a/proof/past/past.go":     importing("past", "a/git"),
		"a/git/git_test.go":        importing("git", "a/proof/past"),
		"bot/bot.go":               importing("bot", "bot/event/kind"),
		"bot/event/kind/kind.go":   importing("kind"),
		"cmd/x/main.go":            importing("main", "bot", "a/git", "cmd/x/internal/run"),
		"cmd/x/internal/run/r.go":  importing("run", "fmt"),
	}
}

func TestWings(t *testing.T) {
	type row struct {
		path               string
		rooms, open, doors int
		imports            string
	}
	var got []row
	for _, w := range writeTree(t, house()).wings() {
		r := row{path: w.path, rooms: len(w.rooms), open: w.open, doors: w.doors}
		for _, i := range w.imports {
			r.imports += i + " "
		}
		got = append(got, r)
	}
	require.Equal(t, []row{
		{"a", 1, 1, 1, ""},
		{"a/git", 3, 2, 1, "a "},
		{"a/proof", 1, 1, 0, "a/git "},
		{"bot", 2, 2, 1, ""},
		{"cmd/x", 2, 1, 0, "a/git bot "},
	}, got)
}

// TestWingsInACircle checks that wings may not import each other in a circle, which packages of them can
// without doing so themselves.
func TestWingsInACircle(t *testing.T) {
	files := house()
	require.Empty(t, writeTree(t, files).excesses(strict))
	files["a/git/diff/diff.go"] = importing("diff", "a/proof/words")
	files["a/proof/words/words.go"] = importing("words")
	require.Equal(t, []string{"wings import each other in a circle: a/git -> a/proof -> a/git"},
		writeTree(t, files).excesses(strict))
}
