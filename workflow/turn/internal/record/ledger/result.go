package ledger

import (
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// WithParts returns a tool's result with more parts to write, after those that it has already.
func WithParts(r model.Result, parts ...store.Part) model.Result {
	for _, p := range parts {
		r.Writes = append(r.Writes, p)
	}
	return r
}
