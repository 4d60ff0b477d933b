package objects

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Store is an overlay: it reads from the mirror's packs and then from a folder of loose objects that
// belongs to one owner, and writes only to that folder. Many goroutines may use it at once.
type Store struct {
	Packs *Packs
	Loose string // folder of the loose objects
}

// NewStore returns a Store that reads from packs and from the loose objects in dir, and writes to dir.
func NewStore(p *Packs, dir string) *Store { return &Store{Packs: p, Loose: dir} }

// Dir returns the folder to which the store writes.
func (s *Store) Dir() string { return s.Loose }

var _ storer.EncodedObjectStorer = (*Store)(nil)

func (s *Store) Get(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	if in, offset := s.Packs.findObject(h); in != nil {
		kind, content, err := in.ReadObject(offset, s.Get)
		if err != nil {
			return 0, nil, fmt.Errorf("git: object %s: %w", h, err)
		}
		return kind, content, nil
	}
	kind, content, err := s.readLoose(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) && s.Packs.isStale() {
		if err := s.Packs.LoadNew(); err != nil {
			return 0, nil, err
		}
		if in, _ := s.Packs.findObject(h); in != nil {
			return s.Get(h)
		}
	}
	return kind, content, err
}

// GetTyped returns the content of an object, and fails if the object is not of the wanted type.
func (s *Store) GetTyped(want plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	kind, content, err := s.Get(h)
	if err != nil {
		return nil, fmt.Errorf("git: read %s %s: %w", want, h, err)
	}
	if kind != want {
		return nil, fmt.Errorf("git: %s is a %s, not a %s", h, kind, want)
	}
	return content, nil
}

// CopyBlob writes a blob to w. A large blob that is whole in its pack is streamed.
func (s *Store) CopyBlob(w io.Writer, h plumbing.Hash) error {
	if in, offset := s.Packs.findObject(h); in != nil {
		e, err := in.ReadHeader(offset)
		switch {
		case err != nil || e.Kind != plumbing.BlobObject:
		case e.size > StreamFrom:
			return copyStream(w, in, e)
		case e.size >= 0 && e.size <= pooledSize:
			if err := in.copySmall(w, e); err != nil {
				return fmt.Errorf("git: object %s: %w", h, err)
			}
			return nil
		}
	}
	content, err := s.GetTyped(plumbing.BlobObject, h)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// pooledSize is the size in bytes of the largest blob that is inflated into a pooled buffer. A checkout
// writes thousands of such files, and would otherwise leave as much garbage.
const pooledSize = 64 << 10

var smallBlobs = sync.Pool{New: func() any { return new([pooledSize]byte) }}

func (p *pack) copySmall(w io.Writer, e entry) error {
	buf := smallBlobs.Get().(*[pooledSize]byte)
	defer smallBlobs.Put(buf)
	if err := p.inflate(buf[:e.size], e); err != nil {
		return err
	}
	_, err := w.Write(buf[:e.size])
	return err
}

func copyStream(w io.Writer, in *pack, e entry) error {
	r, err := in.openInflater(e.Data)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	n, err := io.Copy(w, r)
	if err == nil && n != e.size {
		err = ErrBadPack
	}
	return err
}

func (s *Store) Has(h plumbing.Hash) bool {
	if s.InMirror(h) {
		return true
	}
	if _, err := os.Stat(s.loosePath(h)); err == nil {
		return true
	}
	return s.Packs.isStale() && s.Packs.LoadNew() == nil && s.InMirror(h)
}

// InMirror reports whether the mirror itself holds the object.
func (s *Store) InMirror(h plumbing.Hash) bool {
	in, _ := s.Packs.findObject(h)
	return in != nil
}

// Put stores an object in the owner's folder, unless the store has it already, and returns its hash.
func (s *Store) Put(kind plumbing.ObjectType, content []byte) (plumbing.Hash, error) {
	h := plumbing.ComputeHash(kind, content)
	if s.Has(h) {
		return h, nil
	}
	if err := s.writeLoose(kind, content, s.loosePath(h)); err != nil {
		return h, fmt.Errorf("git: keep object: %w", err)
	}
	return h, nil
}

func (s *Store) loosePath(h plumbing.Hash) string {
	hex := h.String()
	return filepath.Join(s.Loose, hex[:2], hex[2:])
}

func (s *Store) readLoose(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	f, err := os.Open(s.loosePath(h))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, plumbing.ErrObjectNotFound
	}
	if err != nil {
		return 0, nil, fmt.Errorf("git: open object: %w", err)
	}
	defer func() { _ = f.Close() }()
	r, err := objfile.NewReader(f)
	if err != nil {
		return 0, nil, fmt.Errorf("git: object %s: %w", h, err)
	}
	defer func() { _ = r.Close() }()
	kind, size, err := r.Header()
	if err != nil {
		return 0, nil, fmt.Errorf("git: object %s: %w", h, err)
	}
	var content bytes.Buffer
	if n, err := io.Copy(&content, r); err != nil || n != size {
		return 0, nil, fmt.Errorf("git: object %s is damaged: %w", h, errors.Join(io.ErrUnexpectedEOF, err))
	}
	return kind, content.Bytes(), nil
}

// writeLoose writes a temporary file and renames it, so that a reader or a crash never sees half an
// object.
func (s *Store) writeLoose(kind plumbing.ObjectType, content []byte, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Loose, "new-*")
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

// Commit reads a commit.
func (s *Store) Commit(h plumbing.Hash) (*object.Commit, error) {
	c, err := object.GetCommit(s, h)
	if err != nil {
		return nil, fmt.Errorf("git: read commit %s: %w", h, err)
	}
	return c, nil
}

// The methods below make Store a storer for go-git's own functions.

func (s *Store) NewEncodedObject() plumbing.EncodedObject { return &plumbing.MemoryObject{} }

func (s *Store) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	r, err := o.Reader()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return s.Put(o.Type(), content)
}

func (s *Store) EncodedObject(want plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	kind, content, err := s.Get(h)
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

func (s *Store) HasEncodedObject(h plumbing.Hash) error {
	if s.Has(h) {
		return nil
	}
	return plumbing.ErrObjectNotFound
}

// EncodedObjectSize reads the size from the header in the pack if it can, to avoid inflating the
// content.
func (s *Store) EncodedObjectSize(h plumbing.Hash) (int64, error) {
	if in, offset := s.Packs.findObject(h); in != nil {
		if e, err := in.ReadHeader(offset); err == nil &&
			(e.Kind == plumbing.BlobObject || e.Kind == plumbing.TreeObject) {
			return e.size, nil
		}
	}
	_, content, err := s.Get(h)
	return int64(len(content)), err
}

func (s *Store) IterEncodedObjects(plumbing.ObjectType) (storer.EncodedObjectIter, error) {
	return nil, errors.New("git: an overlay is not listed")
}

func (s *Store) AddAlternate(string) error {
	return errors.New("git: an overlay has no alternates")
}
