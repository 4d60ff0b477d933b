package dial

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/bobbinhq/bobbin/repo/git/internal/bare"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// serverTransport returns a transport that serves local repositories within this process.
func serverTransport() transport.Transport {
	return &inProcess{Transport: server.NewServer(localLoader{})}
}

type inProcess struct{ transport.Transport }

func (t *inProcess) NewReceivePackSession(ep *transport.Endpoint, auth transport.AuthMethod) (transport.ReceivePackSession, error) {
	if hasHooks(gitDir(ep.Path)) {
		return nil, remote.ErrHooks
	}
	return t.Transport.NewReceivePackSession(ep, auth)
}

// hasHooks reports whether the repository has a hook that decides over pushes. A configuration with a hooks
// path or an include counts as a hook.
func hasHooks(dir string) bool {
	config, _ := os.ReadFile(filepath.Join(dir, "config"))
	if text := strings.ToLower(string(config)); strings.Contains(text, "hookspath") || strings.Contains(text, "include") {
		return true
	}
	for _, hook := range []string{"pre-receive", "update", "reference-transaction", "proc-receive"} {
		info, err := os.Stat(filepath.Join(dir, "hooks", hook))
		if err == nil && info.Mode().Perm()&0o111 != 0 {
			return true
		}
	}
	return false
}

type localLoader struct{}

func (localLoader) Load(ep *transport.Endpoint) (storer.Storer, error) {
	dir := gitDir(ep.Path)
	for _, name := range []string{"HEAD", "objects"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, transport.ErrRepositoryNotFound
		}
	}
	return &compareAndSwapStorage{Storage: bare.Dir(dir).Storage(), seen: map[plumbing.ReferenceName]*plumbing.Reference{}}, nil
}

func gitDir(path string) string {
	inner := filepath.Join(path, ".git")
	if info, err := os.Lstat(inner); err == nil && info.IsDir() {
		return inner
	}
	return path
}

// compareAndSwapStorage changes a reference only if it still has the value that was read before. go-git's server does not
// check this.
type compareAndSwapStorage struct {
	*filesystem.Storage
	seen map[plumbing.ReferenceName]*plumbing.Reference
}

func (g *compareAndSwapStorage) Reference(name plumbing.ReferenceName) (*plumbing.Reference, error) {
	ref, err := g.Storage.Reference(name)
	if _, ok := g.seen[name]; !ok && err == nil {
		g.seen[name] = ref
	}
	return ref, err
}

func (g *compareAndSwapStorage) IterReferences() (storer.ReferenceIter, error) {
	iter, err := g.Storage.IterReferences()
	if err != nil {
		return nil, err
	}
	var all []*plumbing.Reference
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		g.seen[ref.Name()] = ref
		all = append(all, ref)
		return nil
	})
	return storer.NewReferenceSliceIter(all), err
}

func (g *compareAndSwapStorage) SetReference(ref *plumbing.Reference) error {
	return g.CheckAndSetReference(ref, g.seen[ref.Name()])
}

// goPackWriter returns a writer that indexes a pack within this process.
func goPackWriter(dir string) (io.WriteCloser, error) {
	return dotgit.New(osfs.New(dir)).NewObjectPack()
}
