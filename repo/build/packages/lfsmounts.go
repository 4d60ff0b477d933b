package packages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// maxLFSMounts is how many files and folders of Git LFS are mounted for a command. Each takes the sandbox
// time, and with bubblewrap more than the one before it.
const maxLFSMounts = 300

// An lfsFolder is a folder of the repository of which all files are objects. It is mounted as a whole where
// there are too many files.
type lfsFolder struct {
	at    string
	dir   string // on this machine, with the contents
	files []git.LFSFile
}

// groupFolders makes folders of files that are objects, if there are too many to mount each, and notes those
// that are not shown nevertheless.
func (r *lfsRun) groupFolders(ctx context.Context, s *packageSet) error {
	most := cmp.Or(r.fetcher.lfsShown, maxLFSMounts)
	if len(s.lfs) <= most {
		return nil
	}
	paths, err := r.job.Commits.ListPaths(ctx, r.job.Commit, func(string) bool { return false })
	if err != nil {
		return err
	}
	left := len(s.lfs)
	for _, f := range wholeFolders(s.lfs, paths) {
		if left <= most {
			break
		}
		if f.dir, err = r.linkFolder(s, f); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
		s.folders = append(s.folders, f)
		left -= len(f.files) - 1
	}
	rest := s.notInFolders()
	if left > most {
		hidden := rest[most-len(s.folders):]
		s.lfs = slices.DeleteFunc(s.lfs, func(f git.LFSFile) bool { return slices.Contains(hidden, f) })
		r.hidden = hidden
	}
	return nil
}

// notInFolders returns the files that are in none of the set's folders.
func (s *packageSet) notInFolders() (rest []git.LFSFile) {
	inside := map[string]bool{}
	for _, folder := range s.folders {
		for _, f := range folder.files {
			inside[f.Path] = true
		}
	}
	for _, f := range s.lfs {
		if !inside[f.Path] {
			rest = append(rest, f)
		}
	}
	return rest
}

// wholeFolders returns the folders of which all files are in files, those with the most files first, and none
// that is in another one.
func wholeFolders(files []git.LFSFile, paths []string) (folders []lfsFolder) {
	all := map[string]int{}
	eachFolder := func(file string, visit func(dir string)) {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			visit(dir)
		}
	}
	for _, p := range paths {
		eachFolder(p, func(dir string) { all[dir]++ })
	}
	for _, f := range files {
		eachFolder(f.Path, func(dir string) { all[dir]-- })
	}
	byFolder := map[string][]git.LFSFile{}
	for _, f := range files {
		top := ""
		eachFolder(f.Path, func(dir string) {
			if all[dir] == 0 {
				top = dir
			}
		})
		if top != "" {
			byFolder[top] = append(byFolder[top], f)
		}
	}
	for dir, in := range byFolder {
		if len(in) > 1 {
			folders = append(folders, lfsFolder{at: dir, files: in})
		}
	}
	slices.SortFunc(folders, func(a, b lfsFolder) int {
		return cmp.Or(cmp.Compare(len(b.files), len(a.files)), strings.Compare(a.at, b.at))
	})
	return folders
}

// linkFolder makes a folder with the contents of the files in f, as hard links to the objects.
func (r *lfsRun) linkFolder(s *packageSet, f lfsFolder) (string, error) {
	key := sha256.New()
	for _, file := range f.files {
		fmt.Fprintf(key, "%s %s\n", objectName(file), strings.TrimPrefix(file.Path, f.at))
	}
	dir := filepath.Join(s.dir, lfsFolders, hex.EncodeToString(key.Sum(nil)[:16]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), makingPrefix)
	if err != nil {
		return "", err
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed with the folder
	for _, file := range f.files {
		to := filepath.Join(making, filepath.FromSlash(strings.TrimPrefix(file.Path, f.at)))
		err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
			os.Link(filepath.Join(s.dir, lfsObjects, objectName(file)), to))
		if err != nil {
			return "", err
		}
	}
	err = errors.Join(os.Chmod(making, 0o755), os.Rename(making, dir))
	if _, there := os.Stat(dir); there == nil {
		err = nil // another process was first
	}
	return dir, err
}

// lfsMounts returns the mounts of the contents in a tree: where it has the pointers to them.
func (s *packageSet) lfsMounts(tree string) (mounts []sandbox.Mount) {
	if len(s.lfs) == 0 || tree == "" {
		return nil
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil
	}
	defer root.Close()
	t := lfsTree{root, map[string]bool{".": true}}
	rest := s.notInFolders()
	for _, folder := range s.folders {
		if t.holds(folder) {
			mounts = append(mounts, sandbox.Mount{Host: folder.dir, Inside: path.Join("/src", folder.at)})
		} else {
			rest = append(rest, folder.files...)
		}
	}
	for _, f := range rest {
		if len(mounts) < maxLFSMounts && t.points(f) {
			mounts = append(mounts, sandbox.Mount{
				Host:   filepath.Join(s.dir, lfsObjects, objectName(f)),
				Inside: path.Join("/src", f.Path),
			})
		}
	}
	return mounts
}

// An lfsTree is a tree in which pointers are looked for. Its content is not trusted.
type lfsTree struct {
	root  *os.Root
	plain map[string]bool // whether a path is a folder, and no link is on the way to it
}

func (t lfsTree) isPlain(dir string) bool {
	is, known := t.plain[dir]
	if !known {
		info, err := t.root.Lstat(dir)
		is = t.isPlain(path.Dir(dir)) && err == nil && info.IsDir()
		t.plain[dir] = is
	}
	return is
}

// points reports whether the tree has the pointer to the content of a file at its path.
func (t lfsTree) points(f git.LFSFile) bool {
	if !t.isPlain(path.Dir(f.Path)) {
		return false
	}
	text, ok := readPlain(t.root, f.Path)
	if !ok {
		return false
	}
	oid, _, pointer := git.ParsePointer(text)
	return pointer && oid == f.OID
}

// holds reports whether a folder of the tree has all pointers of f, and nothing else.
func (t lfsTree) holds(f lfsFolder) bool {
	seen := map[string]bool{}
	entries := map[string]int{} // by folder
	for _, file := range f.files {
		if !t.points(file) {
			return false
		}
		for at := file.Path; at != f.at && !seen[at]; at = path.Dir(at) {
			seen[at] = true
			entries[path.Dir(at)]++
		}
	}
	for dir, n := range entries {
		folder, err := t.root.Open(dir)
		if err != nil {
			return false
		}
		names, err := folder.Readdirnames(n + 1)
		folder.Close()
		if err != nil || len(names) != n {
			return false
		}
	}
	return true
}
