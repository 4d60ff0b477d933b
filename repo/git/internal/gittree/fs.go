package gittree

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// maxLinks is the most symbolic links that are followed in one path.
const maxLinks = 10

// FS returns a tree as a file system. Symbolic links are followed if they stay in the tree. Submodules and
// names that must not be written to a disk are left out. A file is read as a whole when it is opened.
func FS(s *objects.Store, tree plumbing.Hash) fs.FS {
	return treeFS{s, Node{Name: ".", Mode: filemode.Dir, Hash: tree}}
}

type treeFS struct {
	store *objects.Store
	top   Node
}

// find returns the node of a path, or an *fs.PathError. It follows symbolic links.
func (t treeFS) find(op, name string) (Node, error) {
	failed := &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	at := name
	for range maxLinks {
		if !fs.ValidPath(at) {
			failed.Err = fs.ErrInvalid
			return Node{}, failed
		}
		n, onward, err := t.step(at)
		switch {
		case err != nil:
			failed.Err = err
			return Node{}, failed
		case onward != "":
			at = onward
		case n != t.top && CheckNode(n) != nil || !n.IsDir() && !n.IsFile():
			return Node{}, failed
		default:
			return n, nil
		}
	}
	return Node{}, failed
}

// step returns the node of a path, or the path that the first symbolic link on it leads to.
func (t treeFS) step(name string) (n Node, onward string, err error) {
	n = t.top
	if name == "." {
		return n, "", nil
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		nodes, err := readTreeOrNone(t.store, n.Hash)
		if err != nil {
			return Node{}, "", err
		}
		j := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == part })
		if j < 0 {
			return Node{}, "", nil
		}
		n = nodes[j]
		if n.IsLink() {
			to, err := t.store.GetTyped(plumbing.BlobObject, n.Hash)
			onward := append(slices.Clone(parts[:i]), string(to))
			return Node{}, path.Join(append(onward, parts[i+1:]...)...), err
		}
		if !n.IsDir() && i < len(parts)-1 {
			return Node{}, "", nil
		}
	}
	return n, "", nil
}

// Open implements fs.FS.
func (t treeFS) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	info := nodeInfo{t.store, n}
	if n.IsDir() {
		entries, err := t.ReadDir(name)
		return &openFolder{info, entries}, err
	}
	text, err := t.store.GetTyped(plumbing.BlobObject, n.Hash)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return openFile{info, bytes.NewReader(text)}, nil
}

// Stat implements fs.StatFS. It reads no file.
func (t treeFS) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return nodeInfo{t.store, n}, nil
}

// ReadDir implements fs.ReadDirFS.
func (t treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("read", name)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	nodes, err := readTreeOrNone(t.store, n.Hash)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	var entries []fs.DirEntry
	for _, below := range nodes {
		if CheckNode(below) == nil && below.Mode != filemode.Submodule {
			entries = append(entries, fs.FileInfoToDirEntry(nodeInfo{t.store, below}))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// A nodeInfo is the fs.FileInfo of a node. Commits keep no times of files.
type nodeInfo struct {
	store *objects.Store
	node  Node
}

func (i nodeInfo) Name() string       { return path.Base(i.node.Name) }
func (i nodeInfo) IsDir() bool        { return i.node.IsDir() }
func (i nodeInfo) ModTime() time.Time { return time.Time{} }
func (i nodeInfo) Sys() any           { return nil }

func (i nodeInfo) Mode() fs.FileMode {
	switch {
	case i.node.IsDir():
		return fs.ModeDir | 0o755
	case i.node.IsLink():
		return fs.ModeSymlink | 0o777
	}
	return 0o644
}

func (i nodeInfo) Size() int64 {
	if i.node.IsDir() {
		return 0
	}
	size, err := i.store.EncodedObjectSize(i.node.Hash)
	if err != nil {
		return 0
	}
	return size
}

type openFile struct {
	info nodeInfo
	*bytes.Reader
}

func (f openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f openFile) Close() error               { return nil }

type openFolder struct {
	info nodeInfo
	rest []fs.DirEntry
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }

// Read fails: a folder has no content.
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.Name(), Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.rest) {
		n = len(f.rest)
	}
	next := f.rest[:n]
	f.rest = f.rest[n:]
	return next, nil
}
