package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readRepository returns the repository that a message names if it says nothing else: "repo: api", "repo=api
// please".
func readRepository(t words.Text) string {
	if !t.IsBare() {
		return ""
	}
	own := words.Polite(words.TrimAddress(t.Own))
	m := namesRepository.FindStringSubmatch(strings.ReplaceAll(own, "`", ""))
	if m == nil {
		return ""
	}
	return strings.TrimRight(m[1], "._-")
}

var namesRepository = lazyregexp.New(`(?i)^(?:(?:sorry|no|ok|okay|yes|actually|instead),? )*` +
	`repo(?:sitory)?\s*[:=]\s*([A-Za-z0-9][A-Za-z0-9._-]{0,99})(?:,? (?:instead|please))*[.!]?$`)
