package turn

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// part is the first part of kind P; ok is false where there is none.
func part[P store.Part](parts []store.Part) (p P, ok bool) {
	for _, x := range parts {
		if p, ok := x.(P); ok {
			return p, true
		}
	}
	return p, false
}

// change changes the first part of kind P, where there is one.
func change[P store.Part](parts []store.Part, do func(*P)) {
	for i, x := range parts {
		if p, ok := x.(P); ok {
			do(&p)
			parts[i] = p
			return
		}
	}
}

// without leaves out the parts of kind P.
func without[P store.Part](parts []store.Part) []store.Part {
	return slices.DeleteFunc(slices.Clone(parts), func(x store.Part) bool { _, is := x.(P); return is })
}
