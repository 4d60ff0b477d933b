package ledger

import (
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// WithParts is a tool's result with parts that its call writes, behind those that it has.
func WithParts(r model.Result, parts ...store.Part) model.Result {
	for _, p := range parts {
		r.Writes = append(r.Writes, p)
	}
	return r
}
