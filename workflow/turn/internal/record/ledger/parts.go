package ledger

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// Find returns the first part of kind P; ok is false if there is none.
func Find[P store.Part](parts []store.Part) (p P, ok bool) {
	for _, x := range parts {
		if p, ok := x.(P); ok {
			return p, true
		}
	}
	return p, false
}

// Change calls do on the first part of kind P, if there is one, and puts the result in its place.
func Change[P store.Part](parts []store.Part, do func(*P)) {
	for i, x := range parts {
		if p, ok := x.(P); ok {
			do(&p)
			parts[i] = p
			return
		}
	}
}

// Without returns a copy of parts without those of kind P.
func Without[P store.Part](parts []store.Part) []store.Part {
	return slices.DeleteFunc(slices.Clone(parts), func(x store.Part) bool {
		_, is := x.(P)
		return is
	})
}
