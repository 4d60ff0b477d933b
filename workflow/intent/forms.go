package intent

import (
	"embed"
	"slices"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// The forms of sentences that are more than phrases are files, too; see [lazyregexp.Forms].
//
//go:embed forms/*.txt
var formFiles embed.FS

func readForms(file string) *lazyregexp.Forms {
	return lazyregexp.ReadForms(formFiles, "forms/"+file+".txt")
}

// matchesAny reports whether one of the forms matches a text.
func matchesAny(forms []*lazyregexp.Regexp, text string) bool {
	return slices.ContainsFunc(forms, func(form *lazyregexp.Regexp) bool { return form.MatchString(text) })
}
