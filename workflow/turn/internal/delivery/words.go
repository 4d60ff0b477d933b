package delivery

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// withoutClaims returns the orchestrator's words about the result without the sentences that claim what only
// the program may say: counts of tests, pushes, approvals. It says these itself, in the result and in the
// commit. unsaid holds the sentences that were taken out.
func withoutClaims(f decision.Finish) (cleaned decision.Finish, unsaid []string) {
	f.Criteria = slices.Clone(f.Criteria)
	texts := []*string{&f.Title, &f.Summary, &f.Left, &f.Changed}
	for i := range f.Criteria {
		texts = append(texts, &f.Criteria[i].How, &f.Criteria[i].Now)
	}
	for _, text := range texts {
		rest, found := claim.Without(*text)
		*text = rest
		for _, c := range found {
			unsaid = append(unsaid, plaintext.QuoteLine(c.Sentence))
		}
	}
	return f, unsaid
}
