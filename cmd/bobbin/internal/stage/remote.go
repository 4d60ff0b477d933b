package stage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Authored is the commit time of everything in a staged remote, so that the same input has the same hashes in
// every run.
var Authored = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// PlantRemote makes a bare repository at dir with one commit of the files on main.
func PlantRemote(dir string, files []txtar.File) error {
	work, err := os.MkdirTemp("", "bobbin-plant-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, f := range files {
		name := filepath.Join(work, filepath.FromSlash(f.Name))
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("file %q leaves its folder", f.Name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	storage := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	r, err := gogit.InitWithOptions(storage, osfs.New(work), gogit.InitOptions{
		DefaultBranch: plumbing.NewBranchReferenceName("main"),
	})
	if err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	tree, err := r.Worktree()
	if err != nil {
		return err
	}
	if err := tree.AddGlob("."); err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	who := &object.Signature{Name: "Ann Author", Email: "ann@example.com", When: Authored}
	if _, err := tree.Commit("shop: first version", &gogit.CommitOptions{
		Author:    who,
		Committer: who,
	}); err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	return makeBare(r)
}

func makeBare(r *gogit.Repository) error {
	cfg, err := r.Config()
	if err != nil {
		return err
	}
	cfg.Core.IsBare = true
	cfg.Core.Worktree = ""
	return r.SetConfig(cfg)
}

// A Source names where a stage's repository comes from. The stage has the commit Base and its history.
type Source struct {
	From string // a local path or an address of a repository, or a file: a git bundle or a pack
	Base string // a branch, tag or commit; for a pack a whole hash; empty: its default branch

	Credentials remote.Credentials // for an address that needs them
}

// CloneRemote makes a bare repository at dir whose only branch is at the source's base. Commits after the
// base cannot be fetched from it. The branch is called main; if the source names no base, like the source's
// default branch.
func CloneRemote(ctx context.Context, dir string, s Source, log *slog.Logger) error {
	info, err := os.Stat(s.From)
	if err == nil && info.Mode().IsRegular() {
		return s.unpack(dir)
	}
	mirrors := &git.Mirrors{Dir: dir + ".clone", Log: log}
	defer os.RemoveAll(mirrors.Dir)
	mirror, err := mirrors.Open(ctx, remote.Remote{Name: "source", URL: s.From, Credentials: s.Credentials})
	if err != nil {
		return fmt.Errorf("clone %s: %w", remote.Redact(s.From), err)
	}
	commits := mirror.Commits()
	base, err := commits.Resolve(s.Base)
	branch := defaultName
	if s.Base == "" && commits.HasBranch(commits.DefaultBranch()) {
		branch = commits.DefaultBranch()
	}
	if err := errors.Join(err, mirrors.Close()); err != nil {
		return err
	}
	if err := os.Rename(mirror.Dir(), dir); err != nil {
		return err
	}
	return pointBranch(dir, branch, base)
}

// defaultName is the name of the branch of a remote whose source does not name it.
const defaultName = "main"

// updateRemote copies new commits of the source into the bare repository at dir that was cloned from it. It
// sets its default branch to the source's base again and keeps the other branches. If the source cannot be
// reached, it logs a warning and changes nothing.
func updateRemote(ctx context.Context, dir string, s Source, log *slog.Logger) error {
	fresh := dir + ".fresh"
	defer os.RemoveAll(fresh)
	if err := errors.Join(os.RemoveAll(fresh), CloneRemote(ctx, fresh, s, log)); err != nil {
		log.Warn("the repository cannot be reached; its clone is as it was at the last start",
			"repository", remote.Redact(s.From), "err", err)
		return nil
	}
	news, err := gogit.PlainOpen(fresh)
	if err != nil {
		return err
	}
	base, err := news.Head()
	if err != nil {
		return err
	}
	r, err := gogit.PlainOpen(dir)
	if err != nil {
		return err
	}
	if err := git.CopyCommit(ctx, dir, fresh, base.Hash()); err != nil {
		return err
	}
	ends, err := news.Storer.Shallow()
	if err == nil && len(ends) > 0 {
		err = markEnds(r, base.Hash())
	}
	head := plumbing.NewSymbolicReference(plumbing.HEAD, base.Name())
	return errors.Join(err, r.Storer.SetReference(base), r.Storer.SetReference(head))
}

// markEnds records which commits that lead to tip lack a parent, as where a shallow clone ends. Without that,
// git takes the repository for a damaged one.
func markEnds(r *gogit.Repository, tip plumbing.Hash) error {
	ends, err := r.Storer.Shallow()
	if err != nil {
		return err
	}
	known := len(ends)
	seen := map[plumbing.Hash]bool{tip: true}
	for todo := []plumbing.Hash{tip}; len(todo) > 0; {
		c, err := r.CommitObject(todo[len(todo)-1])
		if err != nil {
			return err
		}
		todo = todo[:len(todo)-1]
		for _, parent := range c.ParentHashes {
			switch {
			case seen[parent]:
			case r.Storer.HasEncodedObject(parent) == nil:
				seen[parent] = true
				todo = append(todo, parent)
			case !slices.Contains(ends, c.Hash):
				ends = append(ends, c.Hash)
			}
		}
	}
	if len(ends) == known {
		return nil // even an empty record would call the repository a shallow clone
	}
	return r.Storer.SetShallow(ends)
}

// unpack reads a bundle or a pack into a new bare repository at dir.
func (s Source) unpack(dir string) error {
	f, err := os.Open(s.From)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	names, err := readBundleHeader(in)
	if err != nil {
		return fmt.Errorf("%s: %w", s.From, err)
	}
	r, err := gogit.PlainInit(dir, true)
	if err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	if err := packfile.UpdateObjectStorage(r.Storer, in); err != nil {
		return fmt.Errorf("%s: %w", s.From, err)
	}
	base := s.Base
	for _, name := range []string{s.Base, "refs/heads/" + s.Base, "refs/tags/" + s.Base} {
		if hash := names[name]; hash != "" {
			base = hash
		}
	}
	found, err := r.ResolveRevision(plumbing.Revision(base))
	if err != nil {
		return fmt.Errorf("%s has no commit %q", s.From, s.Base)
	}
	return pointBranch(dir, defaultName, found.String())
}

// readBundleHeader reads the header before the pack of a git bundle, and returns hashes by reference name.
// For a pack without a header it reads nothing and returns nil.
func readBundleHeader(in *bufio.Reader) (map[string]string, error) {
	begin, _ := in.Peek(4)
	if bytes.Equal(begin, []byte("PACK")) {
		return nil, nil
	}
	line, err := in.ReadString('\n')
	if err != nil || line != "# v2 git bundle\n" {
		return nil, errors.New("it is no git bundle (of version 2) and no pack")
	}
	names := map[string]string{}
	for {
		line, err := in.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("the bundle ends before its pack")
		case err != nil:
			return nil, err
		case line == "\n":
			return names, nil
		case strings.HasPrefix(line, "-"):
			return nil, errors.New("the bundle lacks what came before; make a whole one, " +
				"with git bundle create FILE BRANCH")
		}
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		names[name] = hash
	}
}

// pointBranch removes all references of a bare repository except the branch at the commit and HEAD, and
// marks where its history ends.
func pointBranch(dir, name, commit string) error {
	r, err := gogit.PlainOpen(dir)
	if err != nil {
		return err
	}
	refs, err := r.References()
	if err != nil {
		return err
	}
	var old []plumbing.ReferenceName
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		if ref.Name() != plumbing.HEAD {
			old = append(old, ref.Name())
		}
		return nil
	})
	for _, name := range old {
		err = errors.Join(err, r.Storer.RemoveReference(name))
	}
	branch := plumbing.NewBranchReferenceName(name)
	return errors.Join(err,
		r.Storer.SetReference(plumbing.NewHashReference(branch, plumbing.NewHash(commit))),
		r.Storer.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, branch)),
		markEnds(r, plumbing.NewHash(commit)))
}

// ReadFiles returns the regular files below a folder, for PlantRemote.
func ReadFiles(dir string) (files []txtar.File, err error) {
	tree := os.DirFS(dir)
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		files = append(files, txtar.File{Name: name, Data: text})
		return err
	})
	return files, err
}

// RemoteBranch returns the commit hash of one of the RemoteBranches, or an empty string if
// there is none with that name.
func RemoteBranch(dir, name string) (string, error) {
	branches, err := RemoteBranches(dir)
	return branches[name], err
}

// RemoteBranches returns the branches of a bare repository on this machine and their commit hashes. It reads
// the repository's storage directly; others may push meanwhile.
func RemoteBranches(dir string) (map[string]string, error) {
	r, err := git.OpenBare(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the remote: %w", err)
	}
	refs, err := r.Branches()
	if err != nil {
		return nil, fmt.Errorf("look at the remote: %w", err)
	}
	branches := map[string]string{}
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		branches[ref.Name().Short()] = ref.Hash().String()
		return nil
	})
	return branches, err
}
