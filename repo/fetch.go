package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

const (
	havesDeep = 64 // commits of each line of history named to the remote
	havesMost = 2000
)

// Fetch brings the branches and tags up to date. What a remote has deleted is
// forgotten here too; its objects stay for the sessions that read them.
func (m *Mirror) Fetch(ctx context.Context) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.unlock()
	return m.fetch(ctx)
}

func (m *Mirror) fetch(ctx context.Context) error {
	r := m.Remote()
	return m.persist(ctx, func() error {
		c, err := r.credential(ctx, Read)
		if err == nil {
			err = m.fetchFrom(ctx, r, c)
		}
		if err == nil || errors.Is(err, errOurs) {
			return c.clean(err)
		}
		return remoteError(ctx, "fetch "+r.Name, r, c, err, "")
	})
}

// errOurs marks what failed on this machine and not at the remote.
var errOurs = errors.New("repo: this machine")

func ours(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w failed to %s: %w", errOurs, what, err)
}

func (m *Mirror) fetchFrom(ctx context.Context, r Remote, c Credential) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(m.patience.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	l, err := m.dial(ctx, r, c)
	if err != nil {
		return err
	}
	session, err := within(ctx, func() (transport.UploadPackSession, error) {
		return l.transport.NewUploadPackSession(l.endpoint, l.auth)
	})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return m.setRefs(refs{hashes: map[string]plumbing.Hash{}})
	}
	if err != nil {
		return err
	}
	theirs := advertised(adv)
	if err := m.receive(ctx, session, adv, theirs, idle, c); err != nil {
		return err
	}
	return m.setRefs(theirs)
}

var errIdle = errors.New("the remote fell silent")

func isEmptyRemote(adv *packp.AdvRefs, err error) bool {
	return errors.Is(err, transport.ErrEmptyRemoteRepository) || err == nil && adv.IsEmpty()
}

// advertised keeps branches and tags; what hosts add (pull requests, their own
// bookkeeping) is left there.
func advertised(adv *packp.AdvRefs) refs {
	r := refs{hashes: map[string]plumbing.Hash{}}
	for name, h := range adv.References {
		if (strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/")) && plumbing.ReferenceName(name).Validate() == nil {
			r.hashes[name] = h
		}
	}
	r.head = headOf(adv, r)
	return r
}

// headOf takes the remote's word for its default branch, else the likeliest
// branch at the commit that its HEAD names.
func headOf(adv *packp.AdvRefs, r refs) string {
	for _, v := range adv.Capabilities.Get(capability.SymRef) {
		if branch, ok := strings.CutPrefix(v, "HEAD:refs/heads/"); ok {
			if _, ok := r.hashes["refs/heads/"+branch]; ok {
				return branch
			}
		}
	}
	branches := r.branches()
	for _, name := range append([]string{"main", "master"}, branches...) {
		h, ok := r.hashes["refs/heads/"+name]
		if ok && (adv.Head == nil || *adv.Head == h) {
			return name
		}
	}
	for _, name := range append([]string{"main", "master"}, branches...) {
		if _, ok := r.hashes["refs/heads/"+name]; ok {
			return name // its HEAD stands on no branch
		}
	}
	return ""
}

// receive asks for what the mirror does not have and takes it in.
func (m *Mirror) receive(ctx context.Context, session transport.UploadPackSession, adv *packp.AdvRefs, theirs refs, idle *time.Timer, c Credential) error {
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	wanted := map[plumbing.Hash]bool{}
	for h := range maps.Values(theirs.hashes) {
		if !wanted[h] && !m.store.has(h) {
			wanted[h] = true
			req.Wants = append(req.Wants, h)
		}
	}
	if len(req.Wants) == 0 {
		return nil
	}
	req.Haves = m.haves()
	res, err := session.UploadPack(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	if err := m.keepPack(ctx, plainPack(res, req, m.progress(c)), idle); err != nil {
		return err
	}
	if err := m.packs.load(); err != nil {
		return ours("read the pack", err)
	}
	for h := range wanted {
		if !m.store.has(h) {
			return fmt.Errorf("%w: it lacks %s", errSentBad, h)
		}
	}
	return nil
}

func (m *Mirror) keepPack(ctx context.Context, r *plain, idle *time.Timer) error {
	m.dropLeftovers()
	w, err := m.packWriter(ctx)
	if err != nil {
		return ours("take in a pack", err)
	}
	from := &watched{r: &cancelled{ctx, r}, idle: idle, wait: m.patience.Idle}
	n, err := io.Copy(w, from)
	closed := w.Close()
	switch {
	case from.err != nil:
		return from.err
	case n == 0:
		return errCutPack
	}
	return badPack(errors.Join(closed, err), r.whole)
}

var (
	errCutPack = errors.New("the pack ends too early")
	errSentBad = errors.New("a damaged pack was received")
)

// badPack tells whose fault it is that a pack was not taken in. A pack that ends too early
// was cut on its way, unless the answer came whole: then it was sent like that.
func badPack(err error, whole bool) error {
	if err == nil {
		return nil
	}
	text := strings.ToLower(err.Error())
	has := func(words string) bool { return strings.Contains(text, words) }
	for words, errno := range map[string]syscall.Errno{"no space left": syscall.ENOSPC, "quota": syscall.EDQUOT, "read-only": syscall.EROFS} {
		if has(words) { // which a program can only say in words
			err = errors.Join(err, errno)
		}
	}
	switch {
	case wantsTooMuch(text):
		return fmt.Errorf("%w: %w", errSentBad, err)
	case slices.ContainsFunc([]string{"no space", "permission denied", "read-only", "unable to create", "quota", "memory", "signal:"}, has):
		return ours("take in a pack", err)
	case !whole && (text == "eof" || slices.ContainsFunc([]string{"early eof", "unexpected eof", "empty packfile", ": eof"}, has)):
		return fmt.Errorf("%w: %w", errCutPack, err)
	}
	return fmt.Errorf("%w: %w", errSentBad, err)
}

var allocates = regexp.MustCompile(`malloc failed \(tried to allocate (\d+) bytes\)`)

// wantsTooMuch: git took a size from the pack that no object of a sound one has here, so it
// is the pack that is wrong and not this machine's memory.
func wantsTooMuch(text string) bool {
	m := allocates.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	return err != nil || n >= 4<<30
}

// dropLeftovers removes what an interrupted fetch left behind.
func (m *Mirror) dropLeftovers() {
	for _, pattern := range []string{"tmp_pack_*", "tmp_idx_*"} {
		found, _ := filepath.Glob(filepath.Join(m.dir, "objects", "pack", pattern))
		for _, path := range found {
			_ = os.Remove(path)
		}
	}
}

// watched puts off the end of patience with each read.
type watched struct {
	r    io.Reader
	idle *time.Timer
	wait time.Duration
	err  error // but for the end
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if n > 0 {
		w.idle.Reset(w.wait)
	}
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

func plainPack(r io.Reader, req *packp.UploadPackRequest, progress io.Writer) *plain {
	kind := sideband.Sideband64k
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
	case req.Capabilities.Supports(capability.Sideband):
		kind = sideband.Sideband
	default:
		return &plain{demux: r}
	}
	p := &plain{sent: r, framed: true}
	demux := sideband.NewDemuxer(kind, p.end())
	demux.Progress = progress
	p.demux = demux
	return p
}

// plain is a pack out of its side band, where it has one. That band says its end with a
// flush (gitprotocol-pack, "Packfile Data"): an answer that ends before it was cut, also in
// the middle of a length, which looks like one whose length is none.
type plain struct {
	sent   io.Reader
	demux  io.Reader
	framed bool
	ended  bool // the answer
	whole  bool // up to its flush
}

func (p *plain) Read(b []byte) (int, error) {
	n, err := p.demux.Read(b)
	switch {
	case !p.framed:
	case p.ended && (err == io.EOF || errors.Is(err, pktline.ErrInvalidPktLen)):
		err = errCutPack
	case err == io.EOF:
		p.whole = true
	}
	return n, err
}

// end notes where the answer ends: at the read after its last bytes, not with them.
func (p *plain) end() io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := p.sent.Read(b)
		if n > 0 && err == io.EOF {
			err = nil
		}
		p.ended = p.ended || err != nil
		return n, err
	})
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// haves names what is here: the tips, and some of the way back from each.
func (m *Mirror) haves() []plumbing.Hash {
	seen := map[plumbing.Hash]bool{}
	var out []plumbing.Hash
	for _, tip := range m.references().hashes {
		for h, i := tip, 0; i < havesDeep && len(out) < havesMost && !seen[h]; i++ {
			c, err := m.store.commit(h)
			if err != nil {
				break
			}
			seen[h], out = true, append(out, h)
			if len(c.ParentHashes) == 0 {
				break
			}
			h = c.ParentHashes[0]
		}
	}
	return out
}

func (m *Mirror) setRefs(r refs) error {
	if err := r.write(m.dir); err != nil {
		return ours("record the branches", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refs = r
	return nil
}

// progress logs the remote's own account of a long fetch, a line at a time and
// not too often.
func (m *Mirror) progress(c Credential) io.Writer {
	return &progressLog{log: m.log.With("repository", m.Remote().Name), now: m.now, last: m.now(), hide: c.hide}
}

type progressLog struct {
	log  *slog.Logger
	now  func() time.Time
	hide func(string) string
	mu   sync.Mutex
	last time.Time
}

const progressEvery = 3 * time.Second

func (p *progressLog) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSpace(string(b))
	if i := strings.LastIndexAny(text, "\r\n"); i >= 0 {
		text = text[i+1:]
	}
	if now := p.now(); text != "" && now.Sub(p.last) >= progressEvery {
		p.last = now
		p.log.Info("fetching", "remote", p.hide(text))
	}
	return len(b), nil
}
