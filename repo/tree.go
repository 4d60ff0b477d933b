package repo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/filetree"
)

// TreeError says that a commit holds a path that must not be written to a disk,
// or that a workspace holds one that must not be committed.
type TreeError struct{ Path, Reason string }

func (e *TreeError) Error() string { return fmt.Sprintf("%q %s", e.Path, e.Reason) }

// node is one line of a tree. The zero node stands for nothing.
type node struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

func (n node) none() bool   { return n.mode == 0 }
func (n node) isDir() bool  { return n.mode == filemode.Dir }
func (n node) isLink() bool { return n.mode == filemode.Symlink }
func (n node) isFile() bool {
	return n.mode == filemode.Regular || n.mode == filemode.Executable || n.mode == filemode.Deprecated
}

func (n node) same(o node) bool { return n.mode == o.mode && n.hash == o.hash }

func (s *store) tree(h plumbing.Hash) ([]node, error) {
	raw, err := s.typed(plumbing.TreeObject, h)
	if err != nil {
		return nil, err
	}
	nodes, err := parseTree(raw)
	if err != nil {
		return nil, fmt.Errorf("repo: tree %s: %w", h, err)
	}
	return nodes, nil
}

// parseTree reads what is there; whether it is fit for a disk is checkName's.
func parseTree(raw []byte) ([]node, error) {
	nodes := make([]node, 0, len(raw)/36+1)
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		if !ok || !ok2 || len(rest) < 20 {
			return nil, errors.New("cut short")
		}
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || bits == 0 {
			return nil, fmt.Errorf("mode %q of %q", mode, name)
		}
		nodes = append(nodes, node{name: name, mode: filemode.FileMode(bits), hash: plumbing.Hash(rest[:20])})
		raw = rest[20:]
	}
	return nodes, nil
}

// encodeTree puts the lines in git's order: a folder sorts as if its name ended in a slash.
func encodeTree(nodes []node) []byte {
	key := func(n node) string {
		if n.isDir() {
			return n.name + "/"
		}
		return n.name
	}
	slices.SortFunc(nodes, func(a, b node) int { return strings.Compare(key(a), key(b)) })
	var out bytes.Buffer
	for _, n := range nodes {
		fmt.Fprintf(&out, "%o %s\x00", uint32(n.mode), n.name)
		out.Write(n.hash[:])
	}
	return out.Bytes()
}

// lookup finds a path in a tree; a zero node when it is not there.
func (s *store) lookup(tree plumbing.Hash, path string) (node, error) {
	found := node{mode: filemode.Dir, hash: tree}
	if path == "" || path == "." {
		return found, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if !found.isDir() {
			return node{}, nil
		}
		nodes, err := s.tree(found.hash)
		if err != nil {
			return node{}, err
		}
		i := slices.IndexFunc(nodes, func(n node) bool { return n.name == part })
		if i < 0 {
			return node{}, nil
		}
		found = nodes[i]
	}
	return found, nil
}

// checkName refuses what git itself would refuse to check out on some system:
// names that leave the folder, and every spelling of .git.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("has an empty name in it")
	case name == "." || name == "..":
		return errors.New("steps out of its folder")
	case strings.ContainsAny(name, "/\x00"):
		return errors.New("has a slash or a zero byte within one name")
	}
	for part := range strings.SplitSeq(name, `\`) {
		if part == ".." && strings.Contains(name, `\`) {
			return errors.New("steps out of its folder")
		}
		if filetree.IsDotGit(part) {
			return errors.New("is a spelling of .git")
		}
	}
	return nil
}

func checkNode(n node) error {
	if err := checkName(n.name); err != nil {
		return err
	}
	if !n.isDir() && !n.isFile() && !n.isLink() && n.mode != filemode.Submodule {
		return fmt.Errorf("has the unknown mode %o", uint32(n.mode))
	}
	return nil
}
