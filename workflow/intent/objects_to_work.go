package intent

import (
	"sync"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// objectsToWork reports whether a clause says to stop or to hold the work and names it: "stop the refund
// fix", "wait with the refund". At most four words stand between the verb and the noun. What the product
// should do ("it should stop the refund job at zero") is no objection.
func objectsToWork(clause string) bool {
	return matchesAny(workObjections(), phrases.Fold(clause))
}

// workObjections returns the forms of clauses that stop or hold the work.
var workObjections = sync.OnceValue(func() []*lazyregexp.Regexp {
	return readForms("objects_to_work").Compile("{courteous}(?:", ")")
})
