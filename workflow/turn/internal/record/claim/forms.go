package claim

import (
	"embed"
	"regexp"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A form is a way to make a claim, in words of a sentence's skeleton.
type form struct {
	kind     Kind
	form     *regexp.Regexp // an empty group stands where the claim begins, if words lead to it
	person   bool           // the form begins or ends with the word for who did it
	leads    bool           // the form begins with the word for who did it, and names nobody later
	negative bool           // what is claimed is that something is not there, such as "no failures"
}

// written holds a file of forms for each kind of claim, and the parts of these; see [lazyregexp.Forms].
//
//go:embed forms
var written embed.FS

// forms returns how claims are made. Each is a few words; words between that change nothing are allowed for.
var forms = sync.OnceValue(func() (list []form) {
	for _, kind := range []Kind{Tests, Review, Push, Approval} {
		next := form{kind: kind}
		lines := lazyregexp.ReadForms(written, "forms/parts.txt", "forms/"+string(kind)+".txt")
		for _, line := range lines.Lines {
			switch {
			case strings.HasPrefix(line, "[person]"):
				next = form{kind: kind, person: true}
			case strings.HasPrefix(line, "[person leads]"):
				next = form{kind: kind, person: true, leads: true}
			case strings.HasPrefix(line, "[negative]"):
				next = form{kind: kind, negative: true}
			default:
				next.form = regexp.MustCompile(lines.Fill(line))
				list = append(list, next)
			}
		}
	}
	return list
})
