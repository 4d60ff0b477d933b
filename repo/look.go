package repo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// A Sight is what a remote shows without anything being fetched.
type Sight struct {
	Default  string   // the branch that its HEAD names; empty: none
	Branches []string // sorted
	Empty    bool     // it has no commit at all
	Shallow  bool     // it lacks a part of its own history
	Took     time.Duration
}

// Has reports whether there is a branch of that name.
func (s Sight) Has(branch string) bool {
	_, found := slices.BinarySearch(s.Branches, branch)
	return found
}

// Look asks a remote once what it has. Its errors are *RemoteError.
func (m *Mirrors) Look(ctx context.Context, r Remote) (Sight, error) {
	began := time.Now()
	c, err := r.credential(ctx, Read)
	if err != nil {
		return Sight{}, remoteError(ctx, "fetch "+r.Name, r, c, err, "")
	}
	s, err := m.entry(r).look(ctx, r, c)
	if err != nil {
		return s, remoteError(ctx, "fetch "+r.Name, r, c, err, "")
	}
	s.Took = time.Since(began)
	return s, nil
}

func (m *Mirror) look(ctx context.Context, r Remote, c Credential) (Sight, error) {
	l, err := m.dial(ctx, r, c)
	if err != nil {
		return Sight{}, err
	}
	session, err := within(ctx, func() (transport.UploadPackSession, error) {
		return l.transport.NewUploadPackSession(l.endpoint, l.auth)
	})
	if err != nil {
		return Sight{}, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return Sight{Empty: true}, nil
	}
	if err != nil {
		return Sight{}, err
	}
	s := Sight{Shallow: len(adv.Shallows) > 0}
	if l.endpoint.Protocol == "file" {
		_, err := os.Stat(filepath.Join(gitDir(l.endpoint.Path), "shallow"))
		s.Shallow = s.Shallow || err == nil
	}
	found := advertised(adv)
	s.Default = found.head
	for name := range found.hashes {
		if branch, is := strings.CutPrefix(name, "refs/heads/"); is {
			s.Branches = append(s.Branches, branch)
		}
	}
	slices.Sort(s.Branches)
	s.Empty = len(s.Branches) == 0
	return s, nil
}

// MayPush asks a remote whether it would take a push from us, without pushing. Hosts
// decide that before they show what they have to a pusher; rules for single branches they
// tell only when one is pushed. Its errors are *RemoteError.
func (m *Mirrors) MayPush(ctx context.Context, r Remote) error {
	c, err := r.credential(ctx, Write)
	if err == nil {
		err = m.entry(r).knock(ctx, r, c)
	}
	var said *RemoteError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return said
	}
	return remoteError(ctx, "push "+r.Name, r, c, err, "")
}

func (m *Mirror) knock(ctx context.Context, r Remote, c Credential) error {
	l, err := m.dial(ctx, r, c)
	if err != nil {
		return err
	}
	session, err := within(ctx, func() (transport.ReceivePackSession, error) {
		return l.transport.NewReceivePackSession(l.endpoint, l.auth)
	})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if _, err := session.AdvertisedReferencesContext(ctx); err != nil && !errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return err
	}
	if l.endpoint.Protocol == "file" {
		return writable(gitDir(l.endpoint.Path))
	}
	return nil
}

// writable tries it: rights, owners and read-only disks all have their say.
func writable(dir string) error {
	for _, name := range []string{"objects", filepath.Join("refs", "heads")} {
		f, err := os.CreateTemp(filepath.Join(dir, name), "tmp_bobbin_") // git's own housekeeping takes such files away
		if err != nil {
			return &RemoteError{Op: "push", Reason: "this program may not write there: " + plainReason(err), Cure: "Give its user the right to write in " + dir}
		}
		f.Close()
		os.Remove(f.Name())
	}
	return nil
}

func plainReason(err error) string {
	var where *os.PathError
	if errors.As(err, &where) {
		return where.Err.Error()
	}
	return err.Error()
}

// Top are the names at the top of a branch, as far as this machine has the repository
// already: in its mirror, or where the remote is a local path. Nil where it does not.
func (m *Mirrors) Top(r Remote, branch string) (names []string) {
	dir := m.entry(r).dir
	if _, err := os.Stat(dir); err != nil {
		ep, err := transport.NewEndpoint(r.URL)
		if err != nil || ep.Protocol != "file" {
			return nil
		}
		dir = ep.Path
	}
	repository, err := git.PlainOpen(dir)
	if err != nil {
		return nil
	}
	ref, err := repository.Reference(plumbing.NewBranchReferenceName(branch), true)
	if err != nil {
		return nil
	}
	commit, err := repository.CommitObject(ref.Hash())
	if err != nil {
		return nil
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil
	}
	for _, e := range tree.Entries {
		names = append(names, e.Name)
	}
	return names
}
