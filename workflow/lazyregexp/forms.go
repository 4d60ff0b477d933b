package lazyregexp

import (
	"fmt"
	"io/fs"
	"strings"
)

// Forms are the lines of files that hold sentences as regular expressions, one per line. A line that begins
// with two spaces continues the one before it, "@name = expression" defines a part that the lines below it
// may use as {name}, and # begins a comment.
type Forms struct {
	Lines []string // without comments and definitions, and with the names of parts

	parts map[string]string
}

// ReadForms reads files in their order. A file may use the parts of those before it. The files are a part of
// the program, so a broken one panics.
func ReadForms(files fs.FS, paths ...string) *Forms {
	f := &Forms{parts: map[string]string{}}
	for _, path := range paths {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			panic(err)
		}
		f.add(path, string(text))
	}
	return f
}

func (f *Forms) add(path, text string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\n  ", "")) {
		line = strings.TrimSuffix(line, "\n")
		name, part, defines := strings.Cut(strings.TrimPrefix(line, "@"), " = ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "@") || !defines:
			f.Lines = append(f.Lines, line)
		case f.parts[name] != "":
			panic(fmt.Sprintf("%s: the part {%s} is defined twice", path, name))
		default:
			f.parts[name] = f.Fill(part)
		}
	}
}

// partName matches the name of a part where a form uses it. A number in braces repeats what stands before it.
var partName = New(`\{[a-z][a-z_0-9]*\}`)

// Fill returns a form with its parts in the places of their names.
func (f *Forms) Fill(form string) string {
	return partName.ReplaceAllStringFunc(form, func(name string) string {
		part, known := f.parts[strings.Trim(name, "{}")]
		if !known {
			panic(fmt.Sprintf("there is no part %s, which a form uses: %s", name, form))
		}
		return part
	})
}

// Compile returns the forms as expressions, each between the same words.
func (f *Forms) Compile(before, behind string) (forms []*Regexp) {
	for _, line := range f.Lines {
		forms = append(forms, New(f.Fill(before+line+behind)))
	}
	return forms
}
