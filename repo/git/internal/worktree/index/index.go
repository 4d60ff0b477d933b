package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// A Stat is the stat data that shows whether a file was touched. A command cannot set the change time, so
// new content with the old size and the old modification time still shows. Times are in nanoseconds since
// 1970.
type Stat struct {
	Size, modified, Changed int64
	inode                   uint64
}

// NewStat returns the Stat of st.
func NewStat(st *unix.Stat_t) Stat {
	return Stat{Size: st.Size, modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(), inode: uint64(st.Ino)}
}

// StatFile returns the Stat of an open file.
func StatFile(f *os.File) (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return Stat{}, err
	}
	return NewStat(&st), nil
}

// A Record is one path of the base, with the Stat of its file when the file last had the recorded content.
// In a doubtful record the file was written so shortly before that a later write could have the same time,
// so the file is read again. Links are always read.
type Record struct {
	Path     string
	Mode     filemode.FileMode
	Hash     plumbing.Hash
	Stat     Stat
	Doubtful bool
	Found    bool // set and used by one walk, not stored
}

// Node returns the node that was recorded for the path.
func (r *Record) Node() gittree.Node { return gittree.Node{Mode: r.Mode, Hash: r.Hash} }

// clockStep is longer than the clock granularity of any file system that we trust (4 ms on Linux).
const clockStep = 50 * time.Millisecond

// MarkDoubtful sets Doubtful if the file changed less than clockStep before now, and clears it otherwise.
func (r *Record) MarkDoubtful(now time.Time) {
	r.Doubtful = r.Stat.Changed > now.Add(-clockStep).UnixNano()
}

// Records are sorted by path.
type Records []Record

// Find returns the record of a path, or nil. Like HasBelow it reads only the paths, because the goroutines
// of a walk write to the records at the same time.
func (r Records) Find(path string) *Record {
	i := r.searchFrom(path)
	if i == len(r) || r[i].Path != path {
		return nil
	}
	return &r[i]
}

// HasBelow reports whether a recorded path lies below a folder.
func (r Records) HasBelow(dir string) bool {
	i := r.searchFrom(dir + "/")
	return i < len(r) && strings.HasPrefix(r[i].Path, dir+"/")
}

func (r Records) searchFrom(path string) int {
	return sort.Search(len(r), func(i int) bool { return r[i].Path >= path })
}

// An Index is the content of the file dir/git/state: the base and its records.
type Index struct {
	Base, Tree plumbing.Hash
	Records    Records
}

const stateMagic = "bobbin workspace 1\n"

// Write replaces the file at path by a rename.
func (s *Index) Write(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "state-*")
	if err != nil {
		return fmt.Errorf("git: record the workspace: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	w := bufio.NewWriterSize(f, 64<<10)
	s.encode(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("git: record the workspace: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("git: record the workspace: %w", err)
	}
	return nil
}

// encode ignores errors of w, because w keeps the first one for Flush.
func (s *Index) encode(w *bufio.Writer) {
	_, _ = w.WriteString(stateMagic)
	_, _ = w.Write(s.Base[:])
	_, _ = w.Write(s.Tree[:])
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(s.Records)))
	for i := range s.Records {
		r := &s.Records[i]
		b = binary.AppendUvarint(b, uint64(len(r.Path)))
		b = append(b, r.Path...)
		b = binary.AppendUvarint(b, uint64(r.Mode))
		b = append(b, r.Hash[:]...)
		b = append(b, boolByte(r.Doubtful))
		b = binary.AppendVarint(b, r.Stat.Size)
		b = binary.AppendVarint(b, r.Stat.modified)
		b = binary.AppendVarint(b, r.Stat.Changed)
		b = binary.AppendUvarint(b, r.Stat.inode)
		_, _ = w.Write(b)
		b = b[:0]
	}
	_, _ = w.Write(b)
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// Read reads the file at path. It returns an error if the file is missing or damaged.
func Read(path string) (*Index, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := decoder{b: b}
	if string(d.takeBytes(len(stateMagic))) != stateMagic {
		return nil, fmt.Errorf("git: %s is not the record of a workspace", path)
	}
	s := &Index{Base: d.readHash(), Tree: d.readHash()}
	n := d.readUnsigned()
	if n > uint64(len(b)) {
		return nil, fmt.Errorf("git: %s is damaged", path)
	}
	s.Records = make(Records, 0, n)
	for range n {
		s.Records = append(s.Records, Record{
			Path: string(d.takeBytes(int(d.readUnsigned()))), Mode: filemode.FileMode(d.readUnsigned()),
			Hash: d.readHash(), Doubtful: d.readByte() != 0,
			Stat: Stat{
				Size:     d.readSigned(),
				modified: d.readSigned(),
				Changed:  d.readSigned(),
				inode:    d.readUnsigned(),
			},
		})
	}
	if d.err != nil || len(d.b) != 0 {
		return nil, fmt.Errorf("git: %s is damaged", path)
	}
	return s, nil
}

// A decoder reads values from b. After the first error it returns zero values.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) takeBytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.b = nil
		d.err = io.ErrUnexpectedEOF
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) readHash() (h plumbing.Hash) {
	copy(h[:], d.takeBytes(len(h)))
	return h
}

func (d *decoder) readByte() byte {
	if b := d.takeBytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *decoder) readUnsigned() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b = nil
		d.err = io.ErrUnexpectedEOF
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) readSigned() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.b = nil
		d.err = io.ErrUnexpectedEOF
		return 0
	}
	d.b = d.b[n:]
	return v
}
