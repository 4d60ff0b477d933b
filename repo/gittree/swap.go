package gittree

import (
	"path"
	"strings"
)

// FindClash finds a path that would be a file and, for another path, a folder.
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

// Swap is one path that gets other content. What it is and what it is to be
// are in the store; a file too large for that has no hash.
type Swap struct {
	Path     string
	Is, Want Node
}

// CheckSwaps refuses to write what a checkout would refuse.
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
