package objects

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"
)

const (
	maxDeltaChain = 4096    // git's own limit is 4095; a longer one is an attack
	StreamFrom    = 4 << 20 // larger blobs that are no deltas are not held in memory
	maxHeld       = 256 << 20
)

var (
	ErrBadPack = errors.New("the pack is damaged")
	errTooMuch = errors.New("it is larger than the 256 MB that are taken into memory")
)

// pack reads one packfile with positioned reads, so that any number of goroutines share one descriptor
// and one index. go-git's own storage opens the pack again for each object and keeps maps that only one
// goroutine may use; this makes its checkouts slow.
type pack struct {
	file  *os.File
	size  int64
	index []byte // the whole .idx file
	Count int
	bases *baseCache
	pool  *sync.Pool // of *inflater
}

func OpenPack(path string, pool *sync.Pool) (*pack, error) {
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		return nil, fmt.Errorf("git: read pack index: %w", err)
	}
	count, err := checkIndex(index)
	if err != nil {
		return nil, fmt.Errorf("git: pack index %s.idx: %w", path, err)
	}
	file, err := os.Open(path + ".pack")
	if err != nil {
		return nil, fmt.Errorf("git: open pack: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("git: stat pack: %w", err)
	}
	return &pack{
		file:  file,
		size:  info.Size(),
		index: index,
		Count: count,
		bases: &baseCache{},
		pool:  pool,
	}, nil
}

func (p *pack) Close() error { return p.file.Close() }

// The .idx layout, version 2: magic, version, 256 fan-out counts, then the
// sorted hashes, their checksums, their offsets, and the offsets past 2 GiB.
const (
	idxFan   = 8
	idxNames = idxFan + 256*4
)

func checkIndex(b []byte) (int, error) {
	if len(b) < idxNames || !bytes.Equal(b[:8], []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return 0, errors.New("not a version 2 index")
	}
	last := uint32(0)
	for i := range 256 {
		n := binary.BigEndian.Uint32(b[idxFan+4*i:])
		if n < last {
			return 0, errors.New("fan-out goes down")
		}
		last = n
	}
	if int64(len(b)) < idxNames+int64(last)*28 {
		return 0, io.ErrUnexpectedEOF
	}
	return int(last), nil
}

func (p *pack) NameAt(i int) []byte { return p.index[idxNames+20*i : idxNames+20*i+20] }

// rowRange returns the range of index rows whose hash begins with b.
func (p *pack) rowRange(b byte) (lo, hi int) {
	if b > 0 {
		lo = int(binary.BigEndian.Uint32(p.index[idxFan+4*(int(b)-1):]))
	}
	return lo, int(binary.BigEndian.Uint32(p.index[idxFan+4*int(b):]))
}

// firstRow returns the first index row that is not below prefix, and the end of the rows with the same
// first byte.
func (p *pack) firstRow(prefix []byte) (row, end int) {
	lo, hi := p.rowRange(prefix[0])
	end = hi
	for lo < hi {
		mid := (lo + hi) / 2
		if bytes.Compare(p.NameAt(mid), prefix) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, end
}

func (p *pack) FindOffset(h plumbing.Hash) (offset int64, ok bool) {
	row, end := p.firstRow(h[:])
	if row >= end || !bytes.Equal(p.NameAt(row), h[:]) {
		return 0, false
	}
	offsets := idxNames + 24*p.Count
	short := binary.BigEndian.Uint32(p.index[offsets+4*row:])
	if short&(1<<31) == 0 {
		return int64(short), true
	}
	long := offsets + 4*p.Count + 8*int(short&^(1<<31))
	if long+8 > len(p.index) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(p.index[long:])), true
}

// withPrefix adds the hashes that begin with the given bytes to into.
func (p *pack) withPrefix(prefix []byte, into map[plumbing.Hash]struct{}) {
	row, end := p.firstRow(prefix)
	for ; row < end && bytes.HasPrefix(p.NameAt(row), prefix); row++ {
		into[plumbing.Hash(p.NameAt(row))] = struct{}{}
	}
}

// entry is the header at an offset: of a whole object, or of a delta and its base.
type entry struct {
	Kind    plumbing.ObjectType
	size    int64
	Data    int64 // offset of the deflated bytes
	Base    int64 // offset of the base, for an offset delta
	baseRef plumbing.Hash
}

func (p *pack) ReadHeader(offset int64) (e entry, err error) {
	var buf [64]byte
	n, err := p.file.ReadAt(buf[:], offset)
	if n < 2 {
		return e, errors.Join(ErrBadPack, err)
	}
	b := buf[:n]
	e.Kind = plumbing.ObjectType(b[0] >> 4 & 7)
	used, shift := 1, 4
	e.size = int64(b[0] & 15)
	for b[used-1]&0x80 != 0 {
		if used >= len(b) || shift > 56 {
			return e, ErrBadPack
		}
		e.size |= int64(b[used]&0x7f) << shift
		used = used + 1
		shift = shift + 7
	}
	used, err = e.readBase(b, used, offset)
	e.Data = offset + int64(used)
	return e, err
}

func (e *entry) readBase(b []byte, used int, offset int64) (int, error) {
	switch e.Kind {
	case plumbing.OFSDeltaObject:
		back := int64(-1)
		for more := true; more; used++ {
			if used >= len(b) || back > 1<<48 {
				return used, ErrBadPack
			}
			back = (back+1)<<7 | int64(b[used]&0x7f)
			more = b[used]&0x80 != 0
		}
		if e.Base = offset - back; e.Base <= 0 || back <= 0 {
			return used, ErrBadPack
		}
	case plumbing.REFDeltaObject:
		if used+20 > len(b) {
			return used, ErrBadPack
		}
		e.baseRef = plumbing.Hash(b[used : used+20])
		used += 20
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	default:
		return used, ErrBadPack
	}
	return used, nil
}

// inflater is a zlib reader over a part of a file. It is pooled because its window takes more memory
// than most objects.
type inflater struct {
	section io.SectionReader
	buf     *bufio.Reader
	zlib    io.ReadCloser
	pool    *sync.Pool
}

func NewInflaters() *sync.Pool {
	return &sync.Pool{New: func() any { return &inflater{buf: bufio.NewReaderSize(nil, 8<<10)} }}
}

func (p *pack) openInflater(at int64) (*inflater, error) {
	in := p.pool.Get().(*inflater)
	in.pool = p.pool
	in.section = *io.NewSectionReader(p.file, at, p.size-at)
	in.buf.Reset(&in.section)
	var err error
	if in.zlib == nil {
		in.zlib, err = zlib.NewReader(in.buf)
	} else {
		err = in.zlib.(zlib.Resetter).Reset(in.buf, nil)
	}
	if err != nil {
		in.zlib = nil
		return nil, errors.Join(ErrBadPack, err)
	}
	return in, nil
}

func (i *inflater) Read(b []byte) (int, error) { return i.zlib.Read(b) }

func (i *inflater) Close() error {
	i.pool.Put(i)
	return nil
}

// readContent inflates exactly the size that the header names. It also reads the zlib checksum, so a
// damaged object is an error and not a short file.
func (p *pack) readContent(e entry) ([]byte, error) {
	if e.size < 0 || e.size > (p.size-e.Data)*1100+64 { // deflate's best is about 1:1030
		return nil, ErrBadPack
	}
	if e.size > maxHeld {
		return nil, errTooMuch
	}
	out := make([]byte, e.size)
	return out, p.inflate(out, e)
}

// inflate fills out, which has the size of e, with the content of e.
func (p *pack) inflate(out []byte, e entry) error {
	in, err := p.openInflater(e.Data)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if _, err := io.ReadFull(in, out); err != nil {
		return errors.Join(ErrBadPack, err)
	}
	var one [1]byte
	if n, err := in.Read(one[:]); n != 0 || err != io.EOF {
		return errors.Join(ErrBadPack, err)
	}
	return nil
}

// ReadObject returns the object at an offset. outside finds the base of a delta that names it by hash,
// if the base is not in this pack.
func (p *pack) ReadObject(
	offset int64, outside func(plumbing.Hash) (plumbing.ObjectType, []byte, error),
) (plumbing.ObjectType, []byte, error) {
	var chain []entry
	var at []int64
	var kind plumbing.ObjectType
	var content []byte
	for content == nil {
		if k, b, ok := p.bases.get(offset); ok {
			kind = k
			content = b
			break
		}
		e, err := p.ReadHeader(offset)
		if err != nil {
			return 0, nil, err
		}
		switch {
		case len(chain) > maxDeltaChain:
			return 0, nil, ErrBadPack
		case e.Kind == plumbing.OFSDeltaObject:
			chain = append(chain, e)
			at = append(at, offset)
			offset = e.Base
		case e.Kind == plumbing.REFDeltaObject:
			chain = append(chain, e)
			at = append(at, offset)
			if inside, ok := p.FindOffset(e.baseRef); ok {
				offset = inside
				continue
			}
			if kind, content, err = outside(e.baseRef); err != nil {
				return 0, nil, err
			}
		default:
			if content, err = p.readContent(e); err != nil {
				return 0, nil, err
			}
			if kind = e.Kind; len(chain) > 0 {
				p.bases.put(offset, kind, content)
			}
		}
	}
	return p.applyDeltas(kind, content, chain, at)
}

// applyDeltas applies a chain of deltas to content. The delta nearest to the base is the last in the
// list.
func (p *pack) applyDeltas(
	kind plumbing.ObjectType, content []byte, chain []entry, at []int64,
) (plumbing.ObjectType, []byte, error) {
	for i := len(chain) - 1; i >= 0; i-- {
		delta, err := p.readContent(chain[i])
		if err != nil {
			return 0, nil, err
		}
		if patchedSize(delta) > maxHeld { // a few bytes of a delta can ask for any size
			return 0, nil, errTooMuch
		}
		if content, err = packfile.PatchDelta(content, delta); err != nil {
			return 0, nil, errors.Join(ErrBadPack, err)
		}
		p.bases.put(at[i], kind, content)
	}
	return kind, content, nil
}

// patchedSize returns the size that a delta states for its result. PatchDelta enforces it.
func patchedSize(delta []byte) uint64 {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0
	}
	size, _ := binary.Uvarint(delta[n:])
	return size
}
