package remotetest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"
)

// An Origin is a bare repository like that of a team. It is written by go-git's own code, so that our code
// reads what it has not written itself.
type Origin struct {
	T    testing.TB
	Dir  string // the bare repository
	Work string
	Repo *git.Repository
	Now  time.Time
}

func NewOrigin(t testing.TB) *Origin {
	t.Helper()
	dir := t.TempDir()
	o := &Origin{
		T:    t,
		Dir:  filepath.Join(dir, "remote.git"),
		Work: filepath.Join(dir, "work"),
		Now:  time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	}
	require.NoError(t, os.MkdirAll(o.Work, 0o755))
	storage := filesystem.NewStorage(osfs.New(o.Dir), cache.NewObjectLRUDefault())
	var err error
	o.Repo, err = git.InitWithOptions(storage, osfs.New(o.Work), git.InitOptions{
		DefaultBranch: "refs/heads/main",
	})
	require.NoError(t, err)
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n"
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "config"), []byte(config), 0o644))
	return o
}

// Commit changes files in the origin and returns the hash of the commit. Empty content removes a file, a
// name that ends in * is executable, and content that begins with -> is a link.
func (o *Origin) Commit(message string, files map[string]string) string {
	o.T.Helper()
	tree, err := o.Repo.Worktree()
	require.NoError(o.T, err)
	for name, content := range files {
		name, executable := strings.CutSuffix(name, "*")
		path := filepath.Join(o.Work, name)
		require.NoError(o.T, os.RemoveAll(path))
		if content != "" {
			require.NoError(o.T, os.MkdirAll(filepath.Dir(path), 0o755))
			if target, link := strings.CutPrefix(content, "->"); link {
				require.NoError(o.T, os.Symlink(target, path))
			} else {
				require.NoError(o.T, os.WriteFile(path, []byte(content), 0o644))
			}
			if executable {
				require.NoError(o.T, os.Chmod(path, 0o755))
			}
		}
	}
	for name, content := range files {
		name = strings.TrimSuffix(name, "*")
		if content == "" {
			_, err = tree.Remove(name)
		} else {
			err = tree.AddWithOptions(&git.AddOptions{Path: name, SkipStatus: true})
		}
		require.NoError(o.T, err)
	}
	o.Now = o.Now.Add(time.Hour)
	who := &object.Signature{Name: "Ada", Email: "ada@example.com", When: o.Now}
	h, err := tree.Commit(message, &git.CommitOptions{Author: who, Committer: who})
	require.NoError(o.T, err)
	return h.String()
}

func (o *Origin) Branch(name, commit string) {
	o.T.Helper()
	ref := plumbing.NewHashReference(plumbing.NewBranchReferenceName(name), plumbing.NewHash(commit))
	require.NoError(o.T, o.Repo.Storer.SetReference(ref))
}

// BranchHead returns the commit of a branch of the origin, or an empty string if there is no such branch.
func (o *Origin) BranchHead(branch string) string {
	o.T.Helper()
	// A new storage has no cache: the git program may have written in between.
	fresh := filesystem.NewStorage(osfs.New(o.Dir), cache.NewObjectLRUDefault())
	ref, err := fresh.Reference(plumbing.NewBranchReferenceName(branch))
	if err != nil {
		return ""
	}
	return ref.Hash().String()
}

func (o *Origin) AddHook(name, script string) {
	o.T.Helper()
	dir := filepath.Join(o.Dir, "hooks")
	require.NoError(o.T, os.MkdirAll(dir, 0o755))
	require.NoError(o.T, WriteProgram(filepath.Join(dir, name), "#!/bin/sh\n"+script))
}

// WriteProgram writes a program that can be run at once. A process that is started while the file is open
// would inherit it, and no program that is open for writing can be run.
func WriteProgram(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o755)
}

// Fsck fails the test if git fsck finds an error in the origin. It does nothing without a git program.
func (o *Origin) Fsck() {
	o.T.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	out := RunGit(o.T, o.Dir, "fsck", "--full", "--strict")
	require.NotContains(o.T, out, "error")
	require.NotContains(o.T, out, "missing")
}

// ServeHTTP serves the origin over smart HTTP and returns its URL. If token is not empty, requests need it.
func (o *Origin) ServeHTTP(token string) string {
	o.T.Helper()
	server := httptest.NewServer(requireToken(o.gitHandler(), token))
	o.T.Cleanup(server.Close)
	return server.URL + "/remote.git"
}

// gitHandler serves the origin, and what is beside it, with git's own program.
func (o *Origin) gitHandler() http.Handler {
	o.T.Helper()
	NeedGit(o.T)
	backend := filepath.Join(RunGit(o.T, o.Dir, "--exec-path"), "git-http-backend")
	return &cgi.Handler{Path: backend, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(o.Dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}, Stderr: io.Discard}
}

// RawObject stores an object in the origin without any check.
func (o *Origin) RawObject(kind plumbing.ObjectType, content []byte) plumbing.Hash {
	o.T.Helper()
	obj := &plumbing.MemoryObject{}
	obj.SetType(kind)
	_, err := obj.Write(content)
	require.NoError(o.T, err)
	h, err := o.Repo.Storer.SetEncodedObject(obj)
	require.NoError(o.T, err)
	return h
}

// A RawLine is one entry of a tree as it is written, valid or not.
type RawLine struct {
	Mode filemode.FileMode
	Name string
	Hash plumbing.Hash
}

// RawTree stores a tree with the entries in the given order and with the given names.
func (o *Origin) RawTree(lines ...RawLine) plumbing.Hash {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%o %s\x00%s", uint32(l.Mode), l.Name, l.Hash[:])
	}
	return o.RawObject(plumbing.TreeObject, []byte(b.String()))
}

func (o *Origin) RawCommit(tree plumbing.Hash) string {
	o.T.Helper()
	who := object.Signature{Name: "Mallory", Email: "m@example.com", When: o.Now}
	obj := &plumbing.MemoryObject{}
	require.NoError(o.T,
		(&object.Commit{Author: who, Committer: who, Message: "trust me\n", TreeHash: tree}).Encode(obj))
	h, err := o.Repo.Storer.SetEncodedObject(obj)
	require.NoError(o.T, err)
	o.Branch("main", h.String())
	return h.String()
}

func (o *Origin) Branches() []string {
	fresh, err := readLooseBranches(o.Dir)
	require.NoError(o.T, err)
	return fresh
}

func NewShop(t testing.TB) *Origin {
	o := NewOrigin(t)
	o.Commit("first", map[string]string{
		"README.md": "# Shop\n", "main.go": "package main\n\nfunc main() {}\n",
		"cart/cart.go": "package cart\n\nvar N = 1\n", "cart/deep/er/x.txt": "x\n",
		"bin/run.sh*": "#!/bin/sh\necho hi\n", "link": "->cart/cart.go", "logo.png": "\x89PNG\x00\x01\x02",
		"dos.txt": "one\r\ntwo\r\nthree\r\n", ".gitignore": "*.log\n/build/\nnode_modules/\n!keep.log\n",
	})
	return o
}

func readLooseBranches(dir string) (out []string, err error) {
	base := filepath.Join(dir, "refs", "heads")
	err = filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, strings.TrimPrefix(path, base+"/"))
		}
		return err
	})
	return out, err
}
