package claim

import (
	"embed"
	"regexp"
	"strings"
	"sync"
)

// A form is a way to make a claim, in words of a sentence's skeleton.
type form struct {
	kind     Kind
	form     *regexp.Regexp // an empty group stands where the claim begins, if words lead to it
	person   bool           // the form begins or ends with the word for who did it
	leads    bool           // the form begins with the word for who did it, and names nobody later
	negative bool           // what is claimed is that something is not there, such as "no failures"
}

// written holds a file of forms for each kind of claim, a regular expression a line, and the parts of these.
//
//go:embed forms
var written embed.FS

// forms returns how claims are made. Each is a few words; words between that change nothing are allowed for.
var forms = sync.OnceValue(func() (list []form) {
	replace := parts()
	for _, kind := range []Kind{Tests, Review, Push, Approval} {
		next := form{kind: kind}
		for _, line := range linesOf(string(kind)) {
			switch {
			case strings.HasPrefix(line, "[person]"):
				next = form{kind: kind, person: true}
			case strings.HasPrefix(line, "[person leads]"):
				next = form{kind: kind, person: true, leads: true}
			case strings.HasPrefix(line, "[negative]"):
				next = form{kind: kind, negative: true}
			default:
				next.form = regexp.MustCompile(replace(line))
				list = append(list, next)
			}
		}
	}
	return list
})

// parts returns the function that replaces the names of parts in a form by what they stand for.
func parts() func(form string) string {
	var pairs []string
	for _, line := range linesOf("parts") {
		name, part, _ := strings.Cut(line, " = ")
		pairs = append(pairs, "<"+name+">", part)
	}
	names := strings.NewReplacer(pairs...)
	return func(form string) string {
		for range 4 { // parts hold others, three deep
			form = names.Replace(form)
		}
		return form
	}
}

// linesOf returns the lines of a file of forms without comments.
func linesOf(file string) (lines []string) {
	text, err := written.ReadFile("forms/" + file + ".txt")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
