package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readBranch returns the branch or tag that a message names if it says nothing else: "branch: release/1.4",
// "use the branch release/1.4, please"; or the number of a pull request: "branch: #77". Without a colon, the
// name has to look like one.
func readBranch(t words.Text) string {
	if !t.IsBare() {
		return ""
	}
	m := namesBranch.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
	if m == nil {
		return ""
	}
	name := strings.TrimRight(m[1], ".")
	if !strings.ContainsAny(t.Own, ":=") && !strings.ContainsAny(name, "0123456789/-_") {
		return ""
	}
	return name
}

var namesBranch = lazyregexp.New(`(?i)^(?:(?:sorry|no|ok|okay|actually|instead),? )*` +
	`(?:(?:base )?branch\s*[:=]\s*|(?:on|use) (?:the )?branch )(` + releaseName +
	`|[#!][1-9]\d{0,8})(?:,? (?:instead|please))*[.!]?$`)
