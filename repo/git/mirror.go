package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/bare"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/spare"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// Mirrors opens and keeps the bare mirrors in one folder of this machine. A process uses one Mirrors.
type Mirrors struct {
	Dir string
	Log *slog.Logger     // nil: slog.Default
	Now func() time.Time // nil: time.Now
	// Git is the path of the git program. "" means the git on the PATH, "-" means none. It only serves
	// remotes that are local paths and indexes packs that were received; it never runs on anything that
	// an agent can write.
	Git string
	// Retry is the policy for remotes that are slow or fail.
	Retry remote.RetryPolicy
	// SpareAfter is how long after a session got its workspace a spare one for the next session is
	// made, inside the mirror. Default 0: no spares are made. StopSpares and Close end the making.
	SpareAfter time.Duration
	// OwnSpare gives the files of a spare to the user that commands run as. If it is nil, the session
	// that takes the spare does this.
	OwnSpare func(files string) error

	mu     sync.Mutex
	open   map[string]*Mirror
	spares *spare.Maker
}

// Mirror is a bare clone of one repository. Any number of sessions may use it at the same time.
type Mirror struct {
	dir    string
	log    *slog.Logger
	now    func() time.Time
	client transfer.Client
	packs  *objects.Packs
	store  *objects.Store
	spares *spare.Maker // nil: no spares are made

	turn chan struct{} // held while fetching, cloning, combining packs or removing

	mu     sync.RWMutex
	ready  bool
	remote remote.Remote
	refs   transfer.Refs
}

// Open returns the mirror of a remote, and clones it if this machine has none. A second caller waits
// for the clone of the first. If the fetch of an old mirror fails, Open returns both the mirror as it
// was and the error.
func (m *Mirrors) Open(ctx context.Context, r remote.Remote) (*Mirror, error) {
	if r.URL == "" {
		return nil, errors.New("git: a remote without a URL")
	}
	mirror := m.mirrorOf(r)
	if err := mirror.lock(ctx); err != nil {
		return nil, err
	}
	defer mirror.unlock()
	mirror.setRemote(r)
	if !mirror.isReady() {
		if err := mirror.ensureClone(ctx); err != nil {
			return nil, err
		}
	}
	bare.Dir(mirror.dir).MarkUsed(mirror.now())
	return mirror, nil
}

// StopSpares ends the making of spare workspaces for good.
func (m *Mirrors) StopSpares() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spares != nil {
		m.spares.End()
	}
}

// Close ends the making of spares and closes the files of all mirrors.
func (m *Mirrors) Close() error {
	m.StopSpares()
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, one := range m.open {
		if one.packs != nil {
			errs = append(errs, one.packs.Close())
		}
	}
	m.open = nil
	return errors.Join(errs...)
}

func (m *Mirrors) mirrorOf(r remote.Remote) *Mirror {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir := filepath.Join(m.Dir, folderName(r))
	if one := m.open[dir]; one != nil {
		return one
	}
	one := &Mirror{dir: dir, log: m.Log, now: m.Now, turn: make(chan struct{}, 1)}
	if one.log == nil {
		one.log = slog.Default()
	}
	if one.now == nil {
		one.now = time.Now
	}
	if m.SpareAfter > 0 && m.spares == nil {
		m.spares = spare.NewMaker(m.SpareAfter, m.OwnSpare, one.log, one.now)
	}
	one.spares = m.spares
	one.client = transfer.Client{
		Git:   m.gitProgram(),
		Retry: m.Retry.WithDefaults(),
		Log:   one.log,
		Now:   one.now,
	}
	if m.open == nil {
		m.open = map[string]*Mirror{}
	}
	m.open[dir] = one
	return one
}

func (m *Mirrors) gitProgram() string {
	switch m.Git {
	case "-":
		return ""
	case "":
		path, _ := exec.LookPath("git")
		return path
	}
	return m.Git
}

// folderName returns the folder of a remote's mirror: its name and a hash of its URL without the
// password. So two remotes of the same name have two folders, and one remote always has the same
// folder.
func folderName(r remote.Remote) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, r.Name)
	sum := sha256.Sum256([]byte(remote.Redact(r.URL)))
	return strings.Trim(name+"-"+hex.EncodeToString(sum[:5]), "-") + ".git"
}

func (m *Mirror) lock(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Mirror) unlock() { <-m.turn }

func (m *Mirror) setRemote(r remote.Remote) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remote = r
}

func (m *Mirror) isReady() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.ready
}

// Remote returns the remote that the mirror was last opened with.
func (m *Mirror) Remote() remote.Remote {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.remote
}

// Dir returns the path of the bare repository on disk.
func (m *Mirror) Dir() string { return m.dir }

// ensureClone opens the mirror on disk. If there is none, it clones the remote into a temporary sibling
// folder and renames it into place when it is complete.
func (m *Mirror) ensureClone(ctx context.Context) error {
	if !bare.Dir(m.dir).IsWhole() {
		if err := m.cloneRemote(ctx); err != nil {
			return err
		}
	}
	return m.loadObjects(m.dir)
}

func (m *Mirror) cloneRemote(ctx context.Context) error {
	dir, err := bare.Dir(m.dir).NewClone(m.now())
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fresh := &Mirror{dir: dir, log: m.log, now: m.now, client: m.client, remote: m.Remote()}
	if err := fresh.loadObjects(dir); err != nil {
		return err
	}
	began := m.now()
	err = fresh.fetchLocked(ctx)
	if err := errors.Join(err, fresh.packs.Close()); err != nil {
		return err
	}
	m.log.Info("repository cloned", "repository", fresh.remote.Name,
		"took", m.now().Sub(began).Round(time.Millisecond))
	failpoint.Crash("mirror_fetched")
	return bare.Dir(m.dir).Place(dir)
}

func (m *Mirror) loadObjects(dir string) error {
	store, err := openObjects(dir)
	if err != nil {
		return err
	}
	found, err := transfer.ReadRefs(dir)
	if err != nil {
		return errors.Join(err, store.Packs.Close())
	}
	m.packs = store.Packs
	m.store = store
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refs = found
	m.ready = true
	return nil
}

// Commits returns a reader of the commits that the mirror holds at this moment.
func (m *Mirror) Commits() Commits {
	return Commits{Repository: m.Remote().Name, Refs: m.currentRefs(), Store: m.store}
}

func (m *Mirror) currentRefs() transfer.Refs {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.refs
}

// Fetch updates the branches and tags. Those that the remote has deleted are removed here too, but
// their objects stay for the sessions that read them.
func (m *Mirror) Fetch(ctx context.Context) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.unlock()
	return m.fetchLocked(ctx)
}

func (m *Mirror) fetchLocked(ctx context.Context) error {
	got, err := m.client.Fetch(ctx, m.Remote(),
		transfer.Held{Store: m.store, Dir: m.dir, Refs: m.currentRefs()})
	if err != nil {
		return err
	}
	if err := m.setRefs(got); err != nil {
		return err
	}
	return m.fetchPushed(ctx)
}

// fetchPushed fetches what was pushed to the fork, if there is one. Its branches are not those of the
// repository, so only the commits are kept. A fork that does not answer keeps nobody from the repository.
func (m *Mirror) fetchPushed(ctx context.Context) error {
	r := m.Remote()
	if r.PushTo == nil {
		return nil
	}
	held := transfer.Held{Store: m.store, Dir: m.dir, Refs: m.currentRefs()}
	_, err := m.client.Fetch(ctx, *r.PushTo, held)
	if err == nil || ctx.Err() != nil || errors.Is(err, remote.ErrLocal) {
		return err
	}
	m.log.Warn("what was pushed to a fork is not fetched", "repository", r.Name, "err", err)
	return nil
}

// FetchCommit fetches, and then asks the remote for a commit (its whole hash) by that hash if none of the
// branches and tags has led to it. It returns a *remote.Error if the remote does not give it.
func (m *Mirror) FetchCommit(ctx context.Context, commit string) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.unlock()
	if err := m.fetchLocked(ctx); err != nil || m.Commits().Has(commit) {
		return err
	}
	return m.client.FetchCommit(ctx, m.Remote(),
		transfer.Held{Store: m.store, Dir: m.dir, Refs: m.currentRefs()}, plumbing.NewHash(commit))
}

func (m *Mirror) setRefs(r transfer.Refs) error {
	if err := r.Write(m.dir); err != nil {
		return remote.LocalError("record the branches", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refs = r
	return nil
}

// Materialise writes the plain files of a commit into dir, which must be empty or absent. After an
// error, dir may hold only a part of them.
func (m *Mirror) Materialise(ctx context.Context, commit, dir string) error {
	c, err := m.Commits().named(commit)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("git: materialise: %w", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(fmt.Errorf("git: materialise: %s is not empty", dir), err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("git: materialise: %w", err)
	}
	defer func() { _ = root.Close() }()
	_, err = worktree.CheckoutTree(ctx, m.store, c.TreeHash, root)
	return err
}
