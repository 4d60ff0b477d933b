package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Refs are the branches and tags of a mirror. They are stored in packed-refs, which is replaced as a whole
// by a rename. A mirror has no loose refs.
type Refs struct {
	Head   string // the default branch
	Hashes map[string]plumbing.Hash
}

func (r Refs) Branches() []string {
	var out []string
	for name := range r.Hashes {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			out = append(out, branch)
		}
	}
	slices.Sort(out)
	return out
}

func (r Refs) sortedNames() []string {
	out := make([]string, 0, len(r.Hashes))
	for name := range r.Hashes {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func ReadRefs(dir string) (Refs, error) {
	r := Refs{Hashes: map[string]plumbing.Hash{}}
	head, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	if err != nil {
		return r, fmt.Errorf("git: read mirror: %w", err)
	}
	f, err := os.Open(filepath.Join(dir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("git: read mirror: %w", err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		hash, name, ok := strings.Cut(lines.Text(), " ")
		if ok && plumbing.IsHash(hash) {
			r.Hashes[name] = plumbing.NewHash(hash)
		}
	}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if _, ok := r.Hashes["refs/heads/"+branch]; ok {
		r.Head = branch
	}
	return r, nil
}

func (r Refs) Write(dir string) error {
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for _, name := range r.sortedNames() {
		fmt.Fprintf(&b, "%s %s\n", r.Hashes[name], name)
	}
	head := r.Head
	if head == "" {
		head = "main"
	}
	if err := replaceFile(filepath.Join(dir, "HEAD"), "ref: refs/heads/"+head+"\n"); err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, "packed-refs"), b.String())
}

func replaceFile(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		return fmt.Errorf("git: write %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("git: write %s: %w", path, err)
	}
	return nil
}
