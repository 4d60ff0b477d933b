package ledger

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// Find is the first part of kind P; ok is false where there is none.
func Find[P store.Part](parts []store.Part) (p P, ok bool) {
	for _, x := range parts {
		if p, ok := x.(P); ok {
			return p, true
		}
	}
	return p, false
}

// Change changes the first part of kind P, where there is one.
func Change[P store.Part](parts []store.Part, do func(*P)) {
	for i, x := range parts {
		if p, ok := x.(P); ok {
			do(&p)
			parts[i] = p
			return
		}
	}
}

// Without leaves out the parts of kind P.
func Without[P store.Part](parts []store.Part) []store.Part {
	return slices.DeleteFunc(slices.Clone(parts), func(x store.Part) bool { _, is := x.(P); return is })
}
