package packages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Limits for the submodules of a repository.
const (
	maxSubmodules     = 64      // all together
	maxSubmoduleDepth = 4       // submodules of submodules
	maxSubmoduleBytes = 4 << 30 // of one, with those in it
)

// submoduleFiles is the folder of a submodule's files in its folder.
const submoduleFiles = "files"

// A submoduleRun fetches the submodules of one commit.
type submoduleRun struct {
	fetcher *Fetcher
	job     Job
	count   int
}

// fetchSubmodules adds the submodules of the job's commit to the packages. Those that cannot be fetched are
// in Missing.
func (f *Fetcher) fetchSubmodules(ctx context.Context, j Job, all *Packages) error {
	found, err := j.Commits.PinnedSubmodules(ctx, j.Commit, j.Remote)
	if err != nil || len(found) == 0 {
		return err
	}
	limit := j.Config.Time
	if limit == 0 {
		limit = defaultTime
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	run := &submoduleRun{fetcher: f, job: j}
	for _, s := range found {
		set, missing, err := run.open(inner, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			missing = append(missing, run.missing(s, err))
		}
		all.Missing = append(all.Missing, missing...)
		if set != nil {
			all.sets = append(all.sets, set)
		}
	}
	return nil
}

// missing returns what people are told of a submodule that could not be fetched.
func (r *submoduleRun) missing(s git.Submodule, err error) Missing {
	m := Missing{Names: ".gitmodules", Submodule: s.Path, Host: s.Host, Why: err.Error()}
	var refused *remote.Error
	switch {
	case errors.As(err, &refused):
		m.Why = refused.Reason
		m.Cure = refused.Cure
	case errors.Is(err, context.DeadlineExceeded):
		m.Why = "there was no time left"
		m.Cure = "`setup.minutes` in the configuration allows more"
	}
	return m
}

// open returns the set of a submodule, fetched now or earlier. missing are the submodules in it that could
// not be fetched.
func (r *submoduleRun) open(ctx context.Context, s git.Submodule) (*packageSet, []Missing, error) {
	if s.Refused != "" {
		return nil, nil, errors.New(s.Refused)
	}
	for {
		dir := r.folder(s, nil)
		have, err := openFetched(dir)
		if have != nil {
			have.at = s.Path
		}
		if have != nil || err != nil {
			return have, nil, err
		}
		held, err := disk.Exclusive(ctx, dir+".lock")
		if err != nil {
			return nil, nil, err
		}
		dir, missing, err := r.make(ctx, s, dir)
		held.Release()
		if err != nil {
			return nil, nil, err
		}
		if have, err = openFetched(dir); have != nil || err != nil {
			if have != nil {
				have.at = s.Path
			}
			return have, missing, err
		}
	}
}

// folder returns the folder of a submodule in which these submodules are missing.
func (r *submoduleRun) folder(s git.Submodule, missing []Missing) string {
	h := sha256.New()
	fmt.Fprintf(h, "submodule 1\n%s\n%s\n", remote.Redact(s.Remote.URL), s.Commit)
	for _, m := range missing {
		fmt.Fprintf(h, "%s\n", m.Submodule)
	}
	return filepath.Join(r.job.Dir, hex.EncodeToString(h.Sum(nil)[:16]))
}

// make fetches a submodule, and returns the folder that it is in. The caller holds the lock of dir, the
// folder of a submodule in which nothing is missing.
func (r *submoduleRun) make(ctx context.Context, s git.Submodule, dir string) (string, []Missing, error) {
	if _, err := os.Stat(dir); err == nil {
		return dir, nil, nil // another process was first
	}
	removeLeftovers(r.job.Dir, filepath.Base(dir))
	making, err := os.MkdirTemp(r.job.Dir, makingPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return "", nil, fmt.Errorf("setup: %w", err)
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed by the next, and by cleaning
	missing, err := r.write(ctx, s, filepath.Join(making, submoduleFiles), 1)
	if err != nil {
		return "", nil, err
	}
	if disk.DiskUse(making) > maxSubmoduleBytes {
		return "", nil, fmt.Errorf("it has more than %d GB of files", maxSubmoduleBytes>>30)
	}
	note, err := json.Marshal(setupRecord{})
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(making, noteFile), note, 0o644), os.Chmod(making, 0o755))
	}
	if err != nil {
		return "", nil, fmt.Errorf("setup: %w", err)
	}
	dir = r.folder(s, missing)
	err = os.Rename(making, dir)
	if _, there := os.Stat(dir); err != nil && there == nil {
		err = nil // the same was fetched earlier
	}
	return dir, missing, err
}

// write writes the files of a submodule into dir, and in it those of its own submodules.
func (r *submoduleRun) write(ctx context.Context, s git.Submodule, dir string, depth int) ([]Missing, error) {
	if r.count++; r.count > maxSubmodules {
		return nil, fmt.Errorf("there are more than %d submodules", maxSubmodules)
	}
	if depth > maxSubmoduleDepth {
		return nil, fmt.Errorf("it is more than %d submodules deep", maxSubmoduleDepth)
	}
	mirror, err := r.fetcher.Mirrors.Open(ctx, s.Remote)
	if mirror == nil || err != nil && !mirror.Commits().Has(s.Commit) {
		return nil, err
	}
	if !mirror.Commits().Has(s.Commit) {
		if err := mirror.FetchCommit(ctx, s.Commit); err != nil {
			return nil, err
		}
	}
	if err := mirror.Materialise(ctx, s.Commit, dir); err != nil {
		return nil, err
	}
	inner, err := mirror.Commits().PinnedSubmodules(ctx, s.Commit, s.Remote)
	if err != nil {
		return nil, err
	}
	var missing []Missing
	for _, in := range inner {
		lost := []Missing(nil)
		err := errors.New(in.Refused)
		if in.Refused == "" {
			lost, err = r.write(ctx, in, filepath.Join(dir, filepath.FromSlash(in.Path)), depth+1)
		}
		if err != nil {
			lost = append(lost, r.missing(in, err))
		}
		for i := range lost {
			lost[i].Submodule = path.Join(s.Path, lost[i].Submodule)
		}
		missing = append(missing, lost...)
	}
	return missing, nil
}

// submoduleFolder returns the folder of a submodule's files, and where it is mounted. ok is false if the set
// is no submodule, or cannot be mounted in the tree.
func (s *packageSet) submoduleFolder(tree string) (host, inside string, ok bool) {
	host = filepath.Join(s.dir, submoduleFiles)
	ok = s.at != "" && hasEntries(host) && canMountAt(tree, s.at)
	return host, path.Join("/src", s.at), ok
}

// Submodules returns the folders of the submodules that were fetched.
func (p *Packages) Submodules() (folders []string) {
	if p != nil {
		for _, s := range p.sets {
			if s.at != "" {
				folders = append(folders, s.at)
			}
		}
	}
	return folders
}
