package git

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// twin returns a new workspace over another clone of the same remote, as on another machine.
func twin(t *testing.T, r *remotetest.Origin) *Workspace {
	t.Helper()
	return workspaceOf(t, r)
}

func TestAWorkspaceComesBackOnAnotherMachine(t *testing.T) {
	t.Parallel()
	r := remotetest.NewShop(t)
	w := workspaceOf(t, r)
	w.put(t, map[string]string{"main.go": "package main // mine\n", "new/run*": "#!/bin/sh\n", "README.md": "", "bin": "\x00\x01"})
	tree := w.treeNow(t)
	pack, err := w.Pack(ctx0(), 0, tree)
	require.NoError(t, err)
	again, err := w.Pack(ctx0(), 0, tree)
	require.NoError(t, err)
	require.Equal(t, pack, again, "the same objects are the same bytes")
	require.Less(t, len(pack), 2000, "what the mirror has is left out")

	other := twin(t, r)
	require.NoError(t, other.Unpack(ctx0(), pack))
	require.NoError(t, other.Restore(ctx0(), tree))
	require.Equal(t, tree, other.treeNow(t))
	require.Equal(t, w.list(t), other.list(t))
	require.NoError(t, other.Unpack(ctx0(), pack), "once more changes nothing")
}

func TestCommitsTravelWithTheirTrees(t *testing.T) {
	t.Parallel()
	r := remotetest.NewShop(t)
	w := workspaceOf(t, r)
	parent := ""
	var last string
	for _, text := range []string{"package main // one\n", "package main // two\n"} {
		w.put(t, map[string]string{"main.go": text})
		commit, err := w.Commit(ctx0(), CommitSpec{Parent: parent, Message: "m", When: time.Unix(1, 0).UTC()})
		require.NoError(t, err)
		parent, last = commit, commit
	}
	pack, err := w.Pack(ctx0(), 0, last)
	require.NoError(t, err)
	other := twin(t, r)
	require.NoError(t, other.Unpack(ctx0(), pack))
	require.NoError(t, other.Restore(ctx0(), w.treeNow(t)))
	other.put(t, map[string]string{"main.go": "package main // three\n"})
	_, err = other.Commit(ctx0(), CommitSpec{Parent: last, Message: "m", When: time.Unix(2, 0).UTC()})
	require.NoError(t, err)
}

func TestBadPacksAreRefused(t *testing.T) {
	t.Parallel()
	r := remotetest.NewShop(t)
	w := workspaceOf(t, r)
	w.put(t, map[string]string{"main.go": "package main // mine\n", "a/b/c": "deep\n"})
	tree := w.treeNow(t)
	pack, err := w.Pack(ctx0(), 0, tree)
	require.NoError(t, err)
	_, err = w.Pack(ctx0(), 16, tree)
	require.ErrorContains(t, err, "take large files out")
	_, err = w.Pack(ctx0(), 0, "main")
	require.ErrorContains(t, err, "not the whole hash")
	for name, bad := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "cut": pack[:len(pack)-30], "no checksum": pack[:len(pack)-20],
		"changed": append(bytes.Clone(pack[:40]), append([]byte{pack[40] ^ 1}, pack[41:]...)...),
	} {
		other := twin(t, r)
		require.Error(t, other.Unpack(ctx0(), bad), name)
		require.Error(t, other.Restore(ctx0(), tree), "%s: nothing of it was kept", name)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(_ *testing.T, pack []byte) { _, _ = readSnapshot(pack) })
}
