package transfer

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

	"github.com/bobbinhq/bobbin/repo/git/internal/dial"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

const (
	havesDeep = 64 // commits along the first parents of each ref that are sent to the remote as haves
	havesMost = 2000
)

// Client fetches from remotes and pushes to them.
type Client struct {
	Git   string // the git program; empty if there is none
	Retry remote.RetryPolicy
	Log   *slog.Logger
	Now   func() time.Time
}

// A Held is the local mirror of a remote.
type Held struct {
	Store *objects.Store
	Dir   string // the bare repository that receives packs
	Refs  Refs
}

func (c *Client) dialRemote(
	ctx context.Context, r remote.Remote, with remote.Credential,
) (*dial.Line, error) {
	return dial.Dialer{Git: c.Git, Idle: c.Retry.Idle}.Dial(ctx, r, with)
}

func (c *Client) retryRemote(ctx context.Context, r remote.Remote, do func() error) error {
	return c.Retry.Do(ctx, c.Log.With("repository", r.Name), do)
}

// Fetch receives the objects that the remote has and held lacks, and returns the current branches and tags
// of the remote. Its errors are *remote.Error, except those of this machine, which wrap remote.ErrLocal.
func (c *Client) Fetch(ctx context.Context, r remote.Remote, held Held) (got Refs, err error) {
	return c.fetch(ctx, r, held, plumbing.ZeroHash)
}

// FetchCommit receives a commit to which no branch or tag of the remote leads, and what the mirror lacks of
// its history. Whether a remote gives such a commit, and for how long, is up to the remote.
func (c *Client) FetchCommit(ctx context.Context, r remote.Remote, held Held, commit plumbing.Hash) error {
	_, err := c.fetch(ctx, r, held, commit)
	if err == nil && !held.Store.Has(commit) {
		err = lostCommit(r, commit)
	}
	return err
}

func lostCommit(r remote.Remote, commit plumbing.Hash) error {
	return &remote.Error{
		Op: "fetch " + r.Name,
		Reason: "the commit " + commit.String()[:12] +
			" is on no branch or tag there any more, and the remote does not give it",
		Cure: "Somebody who has it can push a tag of it",
	}
}

func (c *Client) fetch(
	ctx context.Context, r remote.Remote, held Held, commit plumbing.Hash,
) (got Refs, err error) {
	err = c.retryRemote(ctx, r, func() error {
		with, err := r.Credential(ctx, remote.Read)
		if err == nil {
			f := &fetch{client: c, remote: r, held: held, commit: commit, credential: with}
			got, err = f.fetchRefs(ctx)
		}
		if err == nil || errors.Is(err, remote.ErrLocal) {
			return with.CleanError(err)
		}
		return remote.NewError(ctx, "fetch "+r.Name, r, with, err, "")
	})
	return got, err
}

// A fetch is the state of one try of Fetch.
type fetch struct {
	client     *Client
	remote     remote.Remote
	held       Held
	commit     plumbing.Hash // asked for also if no branch or tag leads to it; zero: none
	credential remote.Credential
	idle       *time.Timer
}

func (f *fetch) fetchRefs(ctx context.Context) (Refs, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f.idle = time.AfterFunc(f.client.Retry.Idle, func() { cancel(remote.ErrIdle) })
	defer f.idle.Stop()
	l, err := f.client.dialRemote(ctx, f.remote, f.credential)
	if err != nil {
		return Refs{}, err
	}
	session, err := l.OpenUpload(ctx)
	if err != nil {
		return Refs{}, err
	}
	defer func() { _ = session.Close() }()
	f.restartIdle()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return Refs{Hashes: map[string]plumbing.Hash{}}, nil
	}
	if err != nil {
		return Refs{}, err
	}
	f.restartIdle()
	theirs := readAdvertised(adv)
	if only := f.remote.Only; only != nil {
		maps.DeleteFunc(theirs.Hashes, func(name string, _ plumbing.Hash) bool {
			branch, ok := strings.CutPrefix(name, "refs/heads/")
			return !ok || !only.MatchString(branch)
		})
	}
	return theirs, f.receivePack(ctx, session, adv, theirs)
}

// restartIdle gives the remote the whole time again, after it answered.
func (f *fetch) restartIdle() { f.idle.Reset(f.client.Retry.Idle) }

func isEmptyRemote(adv *packp.AdvRefs, err error) bool {
	return errors.Is(err, transport.ErrEmptyRemoteRepository) || err == nil && adv.IsEmpty()
}

// readAdvertised returns the advertised branches and tags. Other refs (pull requests, refs that a host
// keeps for itself) are ignored.
func readAdvertised(adv *packp.AdvRefs) Refs {
	r := Refs{Hashes: map[string]plumbing.Hash{}}
	for name, h := range adv.References {
		if (strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/")) &&
			plumbing.ReferenceName(name).Validate() == nil {
			r.Hashes[name] = h
		}
	}
	r.Head = headOf(adv, r)
	return r
}

// headOf returns the default branch: the one that the remote names as the target of HEAD, else main, master
// or the first branch at the commit of HEAD, else one of these at any commit. It is empty if there are no
// branches.
func headOf(adv *packp.AdvRefs, r Refs) string {
	for _, v := range adv.Capabilities.Get(capability.SymRef) {
		if branch, ok := strings.CutPrefix(v, "HEAD:refs/heads/"); ok {
			if _, ok := r.Hashes["refs/heads/"+branch]; ok {
				return branch
			}
		}
	}
	branches := r.Branches()
	for _, name := range append([]string{"main", "master"}, branches...) {
		h, ok := r.Hashes["refs/heads/"+name]
		if ok && (adv.Head == nil || *adv.Head == h) {
			return name
		}
	}
	for _, name := range append([]string{"main", "master"}, branches...) {
		if _, ok := r.Hashes["refs/heads/"+name]; ok {
			return name // HEAD is at no branch
		}
	}
	return ""
}

// receivePack requests the objects that the mirror lacks, stores the pack and checks that every wanted
// object arrived.
func (f *fetch) receivePack(
	ctx context.Context, session transport.UploadPackSession, adv *packp.AdvRefs, theirs Refs,
) error {
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	wanted := map[plumbing.Hash]bool{}
	for h := range maps.Values(theirs.Hashes) {
		if !wanted[h] && !f.held.Store.Has(h) {
			wanted[h] = true
			req.Wants = append(req.Wants, h)
		}
	}
	byHash := !f.commit.IsZero() && !wanted[f.commit] && !f.held.Store.Has(f.commit) &&
		(givesAnyCommit(adv) || advertises(adv, f.commit))
	if byHash {
		wanted[f.commit] = true
		req.Wants = append(req.Wants, f.commit)
	}
	if len(req.Wants) == 0 {
		return nil
	}
	req.Haves = f.held.haveCommits()
	res, err := session.UploadPack(ctx, req)
	if err != nil && byHash && strings.Contains(err.Error(), "not our ref") {
		return lostCommit(f.remote, f.commit)
	}
	if err != nil {
		return err
	}
	defer func() {
		f.restartIdle()
		_ = res.Close()
	}()
	if err := f.keepPack(ctx, newPackReader(&idleReader{res, f}, req, f.newProgress())); err != nil {
		return err
	}
	if err := f.held.Store.Packs.LoadNew(); err != nil {
		return remote.LocalError("read the pack", err)
	}
	for h := range wanted {
		if !f.held.Store.Has(h) {
			return fmt.Errorf("%w: it lacks %s", remote.ErrSentBad, h)
		}
	}
	return nil
}

// givesAnyCommit reports whether the remote may be asked for commits that it does not advertise.
func givesAnyCommit(adv *packp.AdvRefs) bool {
	return adv.Capabilities.Supports(capability.AllowTipSHA1InWant) ||
		adv.Capabilities.Supports(capability.AllowReachableSHA1InWant)
}

// advertises reports whether one of the remote's references is at a commit: also one of those that are no
// branch and no tag, such as that of a pull request.
func advertises(adv *packp.AdvRefs, commit plumbing.Hash) bool {
	for h := range maps.Values(adv.References) {
		if h == commit {
			return true
		}
	}
	return false
}

func (f *fetch) keepPack(ctx context.Context, r *packReader) error {
	f.held.dropLeftovers()
	w, err := dial.NewPackWriter(ctx, f.client.Git, f.held.Dir)
	if err != nil {
		return remote.LocalError("take in a pack", err)
	}
	from := &errorReader{r: objects.NewContextReader(ctx, r)}
	n, err := io.Copy(w, from)
	closed := w.Close()
	switch {
	case from.err != nil:
		return from.err
	case n == 0:
		return remote.ErrCutPack
	}
	return BadPack(errors.Join(closed, err), r.whole)
}

// BadPack classifies the error err of storing a pack: as one of this machine (remote.ErrLocal), as a pack
// cut on its way (remote.ErrCutPack), or as a damaged pack (remote.ErrSentBad). A pack that ends too early
// was cut, unless whole says that the response was complete: then the remote sent it like that.
func BadPack(err error, whole bool) error {
	if err == nil {
		return nil
	}
	text := strings.ToLower(err.Error())
	has := func(words string) bool { return strings.Contains(text, words) }
	for words, errno := range map[string]syscall.Errno{
		"no space left": syscall.ENOSPC,
		"quota":         syscall.EDQUOT,
		"read-only":     syscall.EROFS,
	} {
		if has(words) { // the git program reports these only as text
			err = errors.Join(err, errno)
		}
	}
	switch {
	case wantsTooMuch(text):
		return fmt.Errorf("%w: %w", remote.ErrSentBad, err)
	case slices.ContainsFunc([]string{
		"no space", "permission denied", "read-only", "unable to create", "quota", "memory", "signal:",
	}, has):
		return remote.LocalError("take in a pack", err)
	case !whole && (text == "eof" ||
		slices.ContainsFunc([]string{"early eof", "unexpected eof", "empty packfile", ": eof"}, has)):
		return fmt.Errorf("%w: %w", remote.ErrCutPack, err)
	}
	return fmt.Errorf("%w: %w", remote.ErrSentBad, err)
}

var allocates = regexp.MustCompile(`malloc failed \(tried to allocate (\d+) bytes\)`)

// wantsTooMuch reports whether git failed to allocate 4 GiB or more. It took that size from the pack, and
// no object of a sound pack is so large, so the pack is damaged and this machine's memory is not the cause.
func wantsTooMuch(text string) bool {
	m := allocates.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	return err != nil || n >= 4<<30
}

// dropLeftovers removes the temporary packs that an interrupted fetch left behind.
func (h *Held) dropLeftovers() {
	for _, pattern := range []string{"tmp_pack_*", "tmp_idx_*"} {
		found, _ := filepath.Glob(filepath.Join(h.Dir, "objects", "pack", pattern))
		for _, path := range found {
			_ = os.Remove(path)
		}
	}
}

// An idleReader reads the response, and lets the idle timer run only while it waits for bytes. The bytes may
// also be those of progress lines and empty packets, which a remote sends while it prepares a large pack.
// While this machine writes and indexes the pack, the remote has nothing to send.
type idleReader struct {
	r io.Reader
	f *fetch
}

func (i *idleReader) Read(b []byte) (int, error) {
	i.f.restartIdle()
	defer i.f.idle.Stop()
	return i.r.Read(b)
}

// An errorReader remembers the error of its reader, so that it is not taken for one of the writer.
type errorReader struct {
	r   io.Reader
	err error // the first error other than io.EOF
}

func (e *errorReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	if err != nil && err != io.EOF {
		e.err = err
	}
	return n, err
}

func newPackReader(r io.Reader, req *packp.UploadPackRequest, progress io.Writer) *packReader {
	kind := sideband.Sideband64k
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
	case req.Capabilities.Supports(capability.Sideband):
		kind = sideband.Sideband
	default:
		return &packReader{demux: r}
	}
	p := &packReader{sent: r, framed: true}
	demux := sideband.NewDemuxer(kind, p.answerReader())
	demux.Progress = progress
	p.demux = demux
	return p
}

// A packReader reads a pack from its side band, or directly if the remote has no side band. The side band
// ends with a flush packet (gitprotocol-pack, "Packfile Data"), so a response that ends without one was
// cut. If it was cut in the middle of a packet length, the demultiplexer reports that as an invalid length.
type packReader struct {
	sent   io.Reader
	demux  io.Reader
	framed bool
	ended  bool // the response has ended
	whole  bool // the response was read up to its flush packet
}

func (p *packReader) Read(b []byte) (int, error) {
	n, err := p.demux.Read(b)
	switch {
	case !p.framed:
	case p.ended && (err == io.EOF || errors.Is(err, pktline.ErrInvalidPktLen)):
		err = remote.ErrCutPack
	case err == io.EOF:
		p.whole = true
	}
	return n, err
}

// answerReader returns a reader of the response that sets ended. It does so at the read after the last
// bytes, not together with them.
func (p *packReader) answerReader() io.Reader {
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

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }

// haveCommits returns commits of the mirror: each ref and up to havesDeep commits back along its first
// parents, havesMost in total.
func (h *Held) haveCommits() []plumbing.Hash {
	seen := map[plumbing.Hash]bool{}
	var out []plumbing.Hash
	for _, tip := range h.Refs.Hashes {
		for at, i := tip, 0; i < havesDeep && len(out) < havesMost && !seen[at]; i++ {
			c, err := h.Store.Commit(at)
			if err != nil {
				break
			}
			seen[at] = true
			out = append(out, at)
			if len(c.ParentHashes) == 0 {
				break
			}
			at = c.ParentHashes[0]
		}
	}
	return out
}

// newProgress returns a writer that logs the progress lines of the remote, at most one in progressEvery.
func (f *fetch) newProgress() io.Writer {
	c := f.client
	return &progressLog{
		log:  c.Log.With("repository", f.remote.Name),
		now:  c.Now,
		last: c.Now(),
		hide: f.credential.HideIn,
	}
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
