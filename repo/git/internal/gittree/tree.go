package gittree

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Submodule is the mode of a submodule's pin, which is a commit of another repository.
const Submodule = filemode.Submodule

// PathError says that a commit holds a path that must not be written to a disk,
// or that a workspace holds one that must not be committed.
type PathError struct{ Path, Reason string }

func (p *PathError) Error() string { return fmt.Sprintf("%q %s", p.Path, p.Reason) }

// Node is one entry of a tree. The zero node means that there is no entry.
type Node struct {
	Name string
	Mode filemode.FileMode
	Hash plumbing.Hash
}

func (n Node) None() bool { return n.Mode == 0 }

func (n Node) IsDir() bool { return n.Mode == filemode.Dir }

func (n Node) IsLink() bool { return n.Mode == filemode.Symlink }

func (n Node) IsFile() bool {
	return n.Mode == filemode.Regular || n.Mode == filemode.Executable || n.Mode == filemode.Deprecated
}

func (n Node) Same(o Node) bool { return n.Mode == o.Mode && n.Hash == o.Hash }

func Read(s *objects.Store, h plumbing.Hash) ([]Node, error) {
	raw, err := s.GetTyped(plumbing.TreeObject, h)
	if err != nil {
		return nil, err
	}
	nodes, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("git: tree %s: %w", h, err)
	}
	return nodes, nil
}

// Parse parses a tree as it is. CheckNode checks whether an entry may be written to a disk.
func Parse(raw []byte) ([]Node, error) {
	nodes := make([]Node, 0, len(raw)/36+1)
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
		nodes = append(nodes, Node{Name: name, Mode: filemode.FileMode(bits), Hash: plumbing.Hash(rest[:20])})
		raw = rest[20:]
	}
	return nodes, nil
}

// encode writes the entries in git's order: a folder sorts as if its name ended in a slash.
func encode(nodes []Node) []byte {
	key := func(n Node) string {
		if n.IsDir() {
			return n.Name + "/"
		}
		return n.Name
	}
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(key(a), key(b)) })
	var out bytes.Buffer
	for _, n := range nodes {
		fmt.Fprintf(&out, "%o %s\x00", uint32(n.Mode), n.Name)
		out.Write(n.Hash[:])
	}
	return out.Bytes()
}

// FindNode returns the node at a path in a tree, or a zero node if the path does not exist.
func FindNode(s *objects.Store, tree plumbing.Hash, path string) (Node, error) {
	found := Node{Mode: filemode.Dir, Hash: tree}
	if path == "" || path == "." {
		return found, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if !found.IsDir() {
			return Node{}, nil
		}
		nodes, err := Read(s, found.Hash)
		if err != nil {
			return Node{}, err
		}
		i := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == part })
		if i < 0 {
			return Node{}, nil
		}
		found = nodes[i]
	}
	return found, nil
}

// CheckName refuses what git itself would refuse to check out on some system: names that lead out of
// the folder, and every spelling of .git.
func CheckName(name string) error {
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
		if disk.IsDotGit(part) {
			return errors.New("is a spelling of .git")
		}
	}
	return nil
}

func CheckNode(n Node) error {
	if err := CheckName(n.Name); err != nil {
		return err
	}
	if !n.IsDir() && !n.IsFile() && !n.IsLink() && n.Mode != filemode.Submodule {
		return fmt.Errorf("has the unknown mode %o", uint32(n.Mode))
	}
	return nil
}
