package transfer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A RemoteInfo is what a remote advertises, read without a fetch.
type RemoteInfo struct {
	Default  string   // the branch of its HEAD; empty if there is none
	Branches []string // sorted
	Tags     []string // sorted
	Empty    bool     // it has no branches
	Shallow  bool     // it is a shallow clone, without a part of its history
	Took     time.Duration
}

// HasBranch reports whether the remote has the branch.
func (r RemoteInfo) HasBranch(branch string) bool {
	_, found := slices.BinarySearch(r.Branches, branch)
	return found
}

// Inspect asks a remote once, without retries, for its branches and tags. Its errors are *remote.Error.
func (c *Client) Inspect(ctx context.Context, r remote.Remote) (RemoteInfo, error) {
	began := time.Now()
	with, err := r.Credential(ctx, remote.Read)
	var s RemoteInfo
	if err == nil {
		s, err = c.readInfo(ctx, r, with)
	}
	if err != nil {
		return s, remote.NewError(ctx, "fetch "+r.Name, r, with, err, "")
	}
	s.Took = time.Since(began)
	return s, nil
}

func (c *Client) readInfo(ctx context.Context, r remote.Remote, with remote.Credential) (RemoteInfo, error) {
	l, err := c.dialRemote(ctx, r, with)
	if err != nil {
		return RemoteInfo{}, err
	}
	session, err := l.OpenUpload(ctx)
	if err != nil {
		return RemoteInfo{}, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return RemoteInfo{Empty: true}, nil
	}
	if err != nil {
		return RemoteInfo{}, err
	}
	s := RemoteInfo{Shallow: len(adv.Shallows) > 0}
	if dir := l.LocalDir(); dir != "" {
		_, err := os.Stat(filepath.Join(dir, "shallow"))
		s.Shallow = s.Shallow || err == nil
	}
	found := readAdvertised(adv)
	s.Default = found.Head
	for name := range found.Hashes {
		if branch, is := strings.CutPrefix(name, "refs/heads/"); is {
			s.Branches = append(s.Branches, branch)
		} else if tag, is := strings.CutPrefix(name, "refs/tags/"); is {
			s.Tags = append(s.Tags, tag)
		}
	}
	slices.Sort(s.Branches)
	slices.Sort(s.Tags)
	s.Empty = len(s.Branches) == 0
	return s, nil
}

// MayPush asks a remote whether it accepts a push from us, without pushing. Its errors are *remote.Error.
func (c *Client) MayPush(ctx context.Context, r remote.Remote) error {
	with, err := r.Credential(ctx, remote.Write)
	if err == nil {
		err = c.openPush(ctx, r, with)
	}
	var refused *remote.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	}
	return remote.NewError(ctx, "push "+r.Name, r, with, err, "")
}

func (c *Client) openPush(ctx context.Context, r remote.Remote, with remote.Credential) error {
	l, err := c.dialRemote(ctx, r, with)
	if err != nil {
		return err
	}
	session, err := l.OpenReceive(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if _, err := session.AdvertisedReferencesContext(ctx); err != nil &&
		!errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return err
	}
	if dir := l.LocalDir(); dir != "" {
		return checkWritable(dir)
	}
	return nil
}

// checkWritable creates and removes a file in the folders that a push writes to. Only that covers
// permissions, owners and read-only disks.
func checkWritable(dir string) error {
	for _, name := range []string{"objects", filepath.Join("refs", "heads")} {
		// git gc removes leftover files of this name
		f, err := os.CreateTemp(filepath.Join(dir, name), "tmp_bobbin_")
		if err != nil {
			return &remote.Error{
				Op:     "push",
				Reason: "this program may not write there: " + plainReason(err),
				Cure:   "Give its user the right to write in " + dir,
			}
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
