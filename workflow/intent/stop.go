package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// saysStop reports whether a message's own words only stop work, whatever politeness, emphasis, emoji and files
// are around them ("ok, *stop*, thanks"). It is read less strictly than an approval: a stop keeps the work.
func saysStop(own string) bool {
	said := attachedFile.ReplaceAllString(own, "")
	if len(said) > words.MaxLength {
		return false
	}
	said = stopOpeners.ReplaceAllString(strings.ToLower(words.Courteous(said)), "")
	return slices.Contains(stopping, strings.Trim(said, "*_!. "))
}

var (
	attachedFile = lazyregexp.New(`(?m)^\[attached: .*\]$`)
	stopOpeners  = lazyregexp.New(`^(?:(?:ok|okay|hey|sorry|oh|wait|please|pls)[,.! ]+|no[,.!]+ *)+`)
)

// stopping lists the words that stop work; each has to be the whole message, as saysStop reads it.
var stopping = []string{
	"stop", "stop it", "stop this", "stop that", "stop now", "stop work", "stop working", "abort", "abort it", "abort this",
	"cancel", "cancel it", "cancel this", "cancel that",
}
