package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// acknowledges reports whether a message only thanks, or says that it was read.
func acknowledges(text string) bool {
	s := words.SpellPictures(words.Straighten(text))
	s = strings.ToLower(strings.Trim(strings.Join(strings.Fields(s), " "), " .!,"))
	return acknowledging.MatchString(s)
}

var acknowledging = lazyregexp.New(`^(?:(?:` + smile + `|nice|great|cool|super|perfect|awesome|good(?: ` +
	`(?:job|work|find))?|well done|got it|noted|i see|interesting|wow|ah|oh|hm+|fyi)(?:[,.! ]+|$))+$`)
