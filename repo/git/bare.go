package git

import (
	"context"
	"path/filepath"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/bare"
	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// OpenBare opens a bare repository on this machine. Others may push to it meanwhile.
func OpenBare(dir string) (*gogit.Repository, error) { return gogit.Open(bare.Dir(dir).Storage(), nil) }

// CopyCommit copies a commit and what leads to it from one bare repository to another,
// up to what is there already.
func CopyCommit(ctx context.Context, to, from string, commit plumbing.Hash) error {
	source, err := openObjects(from)
	if err != nil {
		return err
	}
	defer source.Packs.Close()
	target, err := openObjects(to)
	if err != nil {
		return err
	}
	defer target.Packs.Close()
	return bundle.CopyObjects(ctx, target, source, commit)
}

// openObjects opens the objects of a bare repository.
func openObjects(dir string) (*objects.Store, error) {
	packs, err := objects.OpenPacks(filepath.Join(dir, "objects", "pack"))
	if err != nil {
		return nil, err
	}
	return objects.NewStore(packs, filepath.Join(dir, "objects")), nil
}
