package gittree

import (
	"path"
	"strings"
)

// FindClash returns a path that would be a file and also the folder of another path, and that other
// path. Both are empty if there is none.
func FindClash(files map[string]bool) (file, below string) {
	for p, there := range files {
		if !there {
			continue
		}
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if files[dir] && (file == "" || dir < file || dir == file && p < below) {
				file, below = dir, p
			}
		}
	}
	return file, below
}

// Swap is a path whose content is replaced. Is and Want are the current and the wanted node. Both are
// in the store, except that a file too large for it has no hash.
type Swap struct {
	Path     string
	Is, Want Node
}

// CheckSwaps returns an error for a swap that would write what a checkout refuses.
func CheckSwaps(swaps []Swap) error {
	for _, s := range swaps {
		if s.Want.None() {
			continue
		}
		for part := range strings.SplitSeq(s.Path, "/") {
			if err := CheckNode(Node{Name: part, Mode: s.Want.Mode}); err != nil {
				return &PathError{s.Path, err.Error()}
			}
		}
	}
	return nil
}
