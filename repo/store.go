package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// packs is the object storage of one mirror, shared by all who read it.
type packs struct {
	dir  string // objects/pack
	pool *sync.Pool

	users atomic.Int64 // open workspaces, which read here

	mu     sync.RWMutex
	open   []*pack
	named  map[string]bool
	loaded time.Time // when the folder that was last listed was changed
}

func openPacks(dir string) (*packs, error) {
	p := &packs{dir: dir, pool: newInflaters(), named: map[string]bool{}}
	return p, p.load()
}

// load opens the packs that have appeared. Those that a repack removed stay
// open: readers may be in them.
func (p *packs) load() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.dir)
	if err != nil {
		return fmt.Errorf("repo: list packs: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(p.dir, "pack-*.idx"))
	if err != nil {
		return fmt.Errorf("repo: list packs: %w", err)
	}
	for _, idx := range found {
		name := strings.TrimSuffix(idx, ".idx")
		if p.named[name] {
			continue
		}
		if _, err := os.Stat(name + ".pack"); errors.Is(err, os.ErrNotExist) {
			continue // being written: its index comes first
		}
		one, err := openPack(name, p.pool)
		if err != nil {
			return err
		}
		p.open, p.named[name] = append(p.open, one), true
	}
	p.loaded = info.ModTime()
	return nil
}

// stale tells whether another process has added a pack.
func (p *packs) stale() bool {
	info, err := os.Stat(p.dir)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return err == nil && !info.ModTime().Equal(p.loaded)
}

func (p *packs) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, one := range p.open {
		errs = append(errs, one.close())
	}
	p.open, p.named = nil, map[string]bool{}
	return errors.Join(errs...)
}

func (p *packs) list() []*pack {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.open
}

func (p *packs) find(h plumbing.Hash) (*pack, int64) {
	list := p.list()
	for i := len(list) - 1; i >= 0; i-- {
		if offset, ok := list[i].find(h); ok {
			return list[i], offset
		}
	}
	return nil, 0
}

// store is an overlay: reads go to the mirror's packs and then to a folder of
// loose objects that is the owner's own; writes go to that folder. It may be
// used by many goroutines.
type store struct {
	packs *packs
	loose string // objects folder
}

var _ storer.EncodedObjectStorer = (*store)(nil)

func (s *store) get(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	if in, offset := s.packs.find(h); in != nil {
		kind, content, err := in.read(offset, s.get)
		if err != nil {
			return 0, nil, fmt.Errorf("repo: object %s: %w", h, err)
		}
		return kind, content, nil
	}
	kind, content, err := s.readLoose(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) && s.packs.stale() {
		if err := s.packs.load(); err != nil {
			return 0, nil, err
		}
		if in, _ := s.packs.find(h); in != nil {
			return s.get(h)
		}
	}
	return kind, content, err
}

// typed is get for a caller who knows what it has to be.
func (s *store) typed(want plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	kind, content, err := s.get(h)
	if err != nil {
		return nil, fmt.Errorf("repo: read %s %s: %w", want, h, err)
	}
	if kind != want {
		return nil, fmt.Errorf("repo: %s is a %s, not a %s", h, kind, want)
	}
	return content, nil
}

// copyBlob writes a blob out, streaming it where it is large and whole in its pack.
func (s *store) copyBlob(w io.Writer, h plumbing.Hash) error {
	if in, offset := s.packs.find(h); in != nil {
		e, err := in.header(offset)
		if err == nil && e.kind == plumbing.BlobObject && e.size > streamFrom {
			return copyStream(w, in, e)
		}
	}
	content, err := s.typed(plumbing.BlobObject, h)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func copyStream(w io.Writer, in *pack, e entry) error {
	r, err := in.inflate(e.data)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	n, err := io.Copy(w, r)
	if err == nil && n != e.size {
		err = errBadPack
	}
	return err
}

func (s *store) has(h plumbing.Hash) bool {
	if s.mirrored(h) {
		return true
	}
	if _, err := os.Stat(s.loosePath(h)); err == nil {
		return true
	}
	return s.packs.stale() && s.packs.load() == nil && s.mirrored(h)
}

// mirrored tells whether the mirror itself holds the object.
func (s *store) mirrored(h plumbing.Hash) bool {
	in, _ := s.packs.find(h)
	return in != nil
}

// put keeps an object of the owner's own and gives its hash.
func (s *store) put(kind plumbing.ObjectType, content []byte) (plumbing.Hash, error) {
	h := plumbing.ComputeHash(kind, content)
	if s.has(h) {
		return h, nil
	}
	if err := s.writeLoose(kind, content, s.loosePath(h)); err != nil {
		return h, fmt.Errorf("repo: keep object: %w", err)
	}
	return h, nil
}

func (s *store) loosePath(h plumbing.Hash) string {
	hex := h.String()
	return filepath.Join(s.loose, hex[:2], hex[2:])
}

func (s *store) readLoose(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	f, err := os.Open(s.loosePath(h))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, plumbing.ErrObjectNotFound
	}
	if err != nil {
		return 0, nil, fmt.Errorf("repo: open object: %w", err)
	}
	defer func() { _ = f.Close() }()
	r, err := objfile.NewReader(f)
	if err != nil {
		return 0, nil, fmt.Errorf("repo: object %s: %w", h, err)
	}
	defer func() { _ = r.Close() }()
	kind, size, err := r.Header()
	if err != nil {
		return 0, nil, fmt.Errorf("repo: object %s: %w", h, err)
	}
	var content bytes.Buffer
	if n, err := io.Copy(&content, r); err != nil || n != size {
		return 0, nil, fmt.Errorf("repo: object %s is damaged: %w", h, errors.Join(io.ErrUnexpectedEOF, err))
	}
	return kind, content.Bytes(), nil
}

// writeLoose writes beside and renames, so that a reader or a crash never sees
// half an object.
func (s *store) writeLoose(kind plumbing.ObjectType, content []byte, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.loose, "new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	w := objfile.NewWriter(f)
	err = w.WriteHeader(kind, int64(len(content)))
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close(), f.Chmod(0o444), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// commit reads a commit.
func (s *store) commit(h plumbing.Hash) (*object.Commit, error) {
	c, err := object.GetCommit(s, h)
	if err != nil {
		return nil, fmt.Errorf("repo: read commit %s: %w", h, err)
	}
	return c, nil
}

// The rest makes it a storer for go-git's own functions.

func (s *store) NewEncodedObject() plumbing.EncodedObject { return &plumbing.MemoryObject{} }

func (s *store) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	r, err := o.Reader()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return s.put(o.Type(), content)
}

func (s *store) EncodedObject(want plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	kind, content, err := s.get(h)
	if err != nil {
		return nil, err
	}
	if want != plumbing.AnyObject && kind != want {
		return nil, plumbing.ErrObjectNotFound
	}
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, err = o.Write(content)
	return o, err
}

func (s *store) HasEncodedObject(h plumbing.Hash) error {
	if s.has(h) {
		return nil
	}
	return plumbing.ErrObjectNotFound
}

// EncodedObjectSize asks the pack where it can: a size should not cost the content.
func (s *store) EncodedObjectSize(h plumbing.Hash) (int64, error) {
	if in, offset := s.packs.find(h); in != nil {
		if e, err := in.header(offset); err == nil && (e.kind == plumbing.BlobObject || e.kind == plumbing.TreeObject) {
			return e.size, nil
		}
	}
	_, content, err := s.get(h)
	return int64(len(content)), err
}

func (s *store) IterEncodedObjects(plumbing.ObjectType) (storer.EncodedObjectIter, error) {
	return nil, errors.New("repo: an overlay is not listed")
}

func (s *store) AddAlternate(string) error {
	return errors.New("repo: an overlay has no alternates")
}
