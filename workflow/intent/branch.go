package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readBranch returns the branch or tag that a message names if it says nothing else: "branch: release/1.4",
// "on the branch release/1.4, please".
func readBranch(t words.Text) string {
	if !t.IsBare() {
		return ""
	}
	m := namesBranch.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
	if m == nil {
		return ""
	}
	return strings.TrimRight(m[1], ".")
}

var namesBranch = lazyregexp.New(`(?i)^(?:(?:sorry|no|ok|okay|actually|instead),? )*` +
	`(?:(?:branch|base|tag)\s*[:=]\s*|(?:on|use|from|take) (?:the )?(?:branch|tag) )(` + releaseName +
	`)(?:,? (?:instead|please))*[.!]?$`)
