package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	maxDiff       = 4000 // characters of the diff in the answer to an edit
	maxComplaints = 10
)

// ShortDiff returns the diff of an edit, shortened.
func ShortDiff(before, after []byte) string {
	text, _ := plaintext.CutMiddle(workfile.ShowLines(foldAdded(diff.ShowEdits(before, after))), maxDiff/2, maxDiff/2)
	return text
}

// foldAdded shows only the ends of a long run of added lines: the model has them in its own call already.
func foldAdded(text string) string {
	const most, end = 12, 2
	var out strings.Builder
	var run []string
	flush := func() {
		if n := len(run); n > most {
			rest := fmt.Sprintf("[… %d more added lines]\n", n-2*end)
			run = append(append(run[:end:end], rest), run[n-end:]...)
		}
		out.WriteString(strings.Join(run, ""))
		run = nil
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "+") {
			run = append(run, line)
			continue
		}
		flush()
		out.WriteString(line)
	}
	flush()
	return out.String()
}

// FindSyntaxErrors returns the syntax errors of a Go or JSON file, where they are cheap to find, or an empty
// string. A model that learns of a broken bracket at once does not build upon it.
func FindSyntaxErrors(p string, data []byte) string {
	switch path.Ext(p) {
	case ".go":
		_, err := parser.ParseFile(token.NewFileSet(), path.Base(p), data, parser.AllErrors|parser.SkipObjectResolution)
		var list scanner.ErrorList
		if !errors.As(err, &list) {
			return ""
		}
		list.RemoveMultiples()
		text := "The file does not parse:\n"
		for _, e := range list[:min(len(list), maxComplaints)] {
			text += plaintext.CutCounted(e.Error(), 200) + "\n"
		}
		return text
	case ".json":
		var any json.RawMessage
		if err := json.Unmarshal(data, &any); err != nil && len(data) > 0 {
			return fmt.Sprintf("The file is not valid JSON: %s\n", plaintext.CutCounted(err.Error(), 200))
		}
	}
	return ""
}
