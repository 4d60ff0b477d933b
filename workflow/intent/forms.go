package intent

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// The forms of sentences that are more than phrases are files, too: each line is a regular expression. A line
// that begins with two spaces continues the one before it, "@name = expression" defines a part that the lines
// below it may use as {name}, and # begins a comment.
//
//go:embed forms/*.txt
var formFiles embed.FS

// readForms returns the expressions of a file, each between the same words. The files are a part of the
// program, so a broken one panics.
func readForms(file, before, behind string) (forms []*lazyregexp.Regexp) {
	text, err := formFiles.ReadFile("forms/" + file + ".txt")
	if err != nil {
		panic(err)
	}
	parts := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\n  ", "")) {
		line = strings.TrimSuffix(line, "\n")
		name, part, defines := strings.Cut(strings.TrimPrefix(line, "@"), " = ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "@") && defines:
			parts[name] = fillIn(file, part, parts)
		default:
			forms = append(forms, lazyregexp.New(fillIn(file, before+line+behind, parts)))
		}
	}
	return forms
}

// partName matches the name of a part where a form uses it. A number in braces repeats what stands before it.
var partName = regexp.MustCompile(`\{[a-z][a-z_0-9]*\}`)

// fillIn returns a form with its parts in the places of their names.
func fillIn(file, form string, parts map[string]string) string {
	return partName.ReplaceAllStringFunc(form, func(name string) string {
		part, known := parts[strings.Trim(name, "{}")]
		if !known {
			panic(fmt.Sprintf("forms/%s.txt: there is no part %s", file, name))
		}
		return part
	})
}

// matchesAny reports whether one of the forms matches a text.
func matchesAny(forms []*lazyregexp.Regexp, text string) bool {
	return slices.ContainsFunc(forms, func(form *lazyregexp.Regexp) bool { return form.MatchString(text) })
}
