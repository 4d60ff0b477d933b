package ledger

import (
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A PartWrite is a part that a tool call asks to store.
type PartWrite struct{ store.Part }

// StoredWithCall marks the part as something to store.
func (PartWrite) StoredWithCall() {}

// Writes returns the parts as what a tool call asks to store.
func Writes(parts ...store.Part) (writes []model.Write) {
	for _, p := range parts {
		writes = append(writes, PartWrite{p})
	}
	return writes
}

// WithParts returns a tool's result with more parts to write, after those that it has already.
func WithParts(r model.Result, parts ...store.Part) model.Result {
	r.Writes = append(r.Writes, Writes(parts...)...)
	return r
}
