package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readMergeBase reads a message that asks to merge the base branch into the pushed one, such as "merge main",
// "please resolve the conflicts" and "update the branch". The whole message has to say so, in the form that
// an approval has. branch is the branch that it names, or empty.
func readMergeBase(t words.Text) (branch string, ok bool) {
	if !t.IsBare() || isBareQuestion(t) {
		return "", false
	}
	text := strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", "")
	m := mergingBase.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	for _, name := range m[1:] {
		if name != "" {
			branch = strings.TrimRight(name, ".")
		}
	}
	return branch, !slices.Contains(noBranches, strings.ToLower(branch))
}

// noBranches are words that stand where a branch could be named: "merge it" asks for something else.
var noBranches = []string{
	"it", "this", "that", "them", "these", "those", "all", "everything", "both", "now", "please", "pr", "mr",
	"the", "a", "in", "with", "into", "branch", "conflicts", "request", "pull", "requests", "to", "again",
	"when", "once", "if", "as", "yes", "no", "not",
}

const (
	theBranch  = `(?:the|this|that|your|our) (?:branch|pr|mr|pull request|merge request)`
	branchName = `(\w[\w./+-]*)`
	conflicts  = `(?:(?:the|these|those|all|its|this|that|your|all the) )?(?:merge )?conflicts?`
	branchTail = `(?: branch)?`
)

var mergingBase = lazyregexp.New(
	`(?i)^(?:(?:ok|okay|yes|and|also|now|then),? )*(?:(?:can|could|would|will) you (?:please )?|let's ` +
		`|go ahead and )?(?:` +
		`(?:resolve|fix|solve|sort out) ` + conflicts + `(?: (?:with|against|from) (?:the )?` + branchName +
		branchTail + `)?` +
		`|merge (?:in )?(?:the )?(?:latest |newest |current )?` + branchName + branchTail +
		`(?: in| into it| into ` + theBranch + `)?(?: and (?:resolve|fix|solve) ` + conflicts + `)?` +
		`|update ` + theBranch + `(?: (?:with|from|to) (?:the )?(?:latest )?` + branchName +
		branchTail + `)?` +
		`|bring ` + theBranch + ` up to date(?: with (?:the )?(?:latest )?` + branchName + branchTail + `)?` +
		`)(?:,? (?:please|now|again|first|then))*[.!?]?$`)
