package packages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/lockfile"
	"github.com/bobbinhq/bobbin/repo/build/packages/internal/osv"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An Advisory is what the folder of advisories has for a name that people use, such as CVE-2021-23337, and
// what of it is in the lock files of a commit.
type Advisory struct {
	Name     string
	Entries  []string // the names of the entries that have it: "GHSA-35jh-r3h4-6jhm: Command injection"
	Packages []AdvisedPackage
}

// An AdvisedPackage is a package that an advisory names.
type AdvisedPackage struct {
	Ecosystem string // Go, npm, PyPI, crates.io, RubyGems, or another one of OSV
	Name      string
	Affected  string   // the ranges in words; empty: the advisory lists versions alone, or commits
	Fixed     []string // versions that it names as fixed
	Installed []InstalledVersion
}

// An InstalledVersion is a version of a package in a lock file.
type InstalledVersion struct {
	Version, File string
	Affected      bool
	Unknown       bool   // whether it is affected cannot be told
	Fixed         string // the first fixed version after it; empty: none is known
}

// Advisories is the result of FindAdvisories.
type Advisories struct {
	Found  []Advisory // for each name, also for those that nothing is known of
	Looked int        // advisories that were looked at
	Cut    bool       // not all were looked at
	// Skipped are lock files that are too large to be read.
	Skipped []string
}

// AdvisoryNames returns the names of advisories (CVE-…, GHSA-…) in a text, as OSV writes them.
func AdvisoryNames(text string) []string { return osv.IDs(text) }

// Limits for a search of advisories.
const (
	advisoryTime = 20 * time.Second
	maxLockFiles = 200
)

// ErrNoAdvisories says that the configuration names no folder of advisories.
var ErrNoAdvisories = errors.New("no folder of advisories is configured: setup.advisories")

// FindAdvisories looks names up in the folder of advisories, and the packages that it has for them in the
// lock files of a commit. Nothing is fetched. It fails with ErrNoAdvisories if there is no folder.
func FindAdvisories(
	ctx context.Context, commits git.Commits, commit string, c Config, names []string,
) (out Advisories, err error) {
	if c.Advisories == "" {
		return out, ErrNoAdvisories
	}
	inner, cancel := context.WithTimeout(ctx, advisoryTime)
	defer cancel()
	folder, err := osv.Find(inner, c.Advisories, names)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		return out, fmt.Errorf("the folder of advisories (setup.advisories) cannot be read: %w", err)
	}
	out.Looked = folder.Looked
	out.Cut = folder.Cut
	var locks []lockedPackages
	if len(folder.Entries) > 0 {
		if locks, out.Skipped, err = readLocks(ctx, commits, commit, c.Folder); err != nil {
			return out, err
		}
	}
	for _, name := range names {
		out.Found = append(out.Found, advisoryOf(name, folder.Entries, locks))
	}
	return out, nil
}

// A lockedPackages is what a lock file names.
type lockedPackages struct {
	file  string
	found []lockfile.Package
}

// readLocks reads the lock files of a commit, of third parties none.
func readLocks(
	ctx context.Context, commits git.Commits, commit, folder string,
) (locks []lockedPackages, skipped []string, err error) {
	paths, err := commits.ListPaths(ctx, commit, func(dir string) bool {
		base := path.Base(dir)
		return base == "node_modules" || base == "vendor" || strings.HasPrefix(base, ".")
	})
	if err != nil {
		return nil, nil, err
	}
	for _, file := range paths {
		inside := folder == "" || strings.HasPrefix(file, folder+"/")
		if !inside || !lockfile.Knows(file) || len(locks) == maxLockFiles {
			continue
		}
		if size, err := commits.FileSize(commit, file); err != nil || size > maxFile {
			skipped = append(skipped, file)
			continue
		}
		text, err := commits.ReadFile(commit, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		found, _ := lockfile.Read(file, text)
		locks = append(locks, lockedPackages{file, found})
	}
	return locks, skipped, nil
}

// maxEntryWords is how many characters of the summary of an advisory are shown.
const maxEntryWords = 120

// advisoryOf returns what entries and lock files say of a name.
func advisoryOf(name string, entries []osv.Entry, locks []lockedPackages) Advisory {
	a := Advisory{Name: name}
	for _, e := range entries {
		if !e.Names(name) {
			continue
		}
		line := plaintext.SafeLine(e.ID, 60)
		if e.Summary != "" {
			line += ": " + plaintext.SafeLine(e.Summary, maxEntryWords)
		}
		if e.Withdrawn != nil {
			a.Entries = append(a.Entries, line+" (withdrawn on "+e.Withdrawn.Format(time.DateOnly)+")")
			continue
		}
		a.Entries = append(a.Entries, line)
		for _, affected := range e.Affected {
			a.add(affected, locks)
		}
	}
	return a
}

// maxAdvised is how many packages of one advisory are looked at.
const maxAdvised = 50

// add adds an affected package, unless an entry before it says the same.
func (a *Advisory) add(affected osv.Affected, locks []lockedPackages) {
	p := AdvisedPackage{
		Ecosystem: plaintext.SafeLine(osv.Ecosystem(affected.Package.Ecosystem), 40),
		Name:      plaintext.SafeLine(affected.Package.Name, 200),
		Affected:  plaintext.SafeLine(affected.String(), 300),
		Fixed:     affected.FixedVersions(),
	}
	if p.Name == "" || len(a.Packages) == maxAdvised {
		return
	}
	for _, l := range locks {
		for _, found := range l.found {
			if found.Ecosystem != p.Ecosystem || !samePackage(p.Ecosystem, found.Name, p.Name) {
				continue
			}
			verdict := affected.Compare(found.Version)
			p.Installed = append(p.Installed, InstalledVersion{
				Version: found.Version, File: l.file, Affected: verdict.Affected, Unknown: verdict.Unknown,
				Fixed: verdict.Fixed,
			})
		}
	}
	same := func(o AdvisedPackage) bool {
		return o.Ecosystem == p.Ecosystem && o.Name == p.Name && o.Affected == p.Affected
	}
	if !slices.ContainsFunc(a.Packages, same) {
		a.Packages = append(a.Packages, p)
	}
}

// samePackage reports whether two names are those of one package. Only Python's have several spellings.
func samePackage(ecosystem, a, b string) bool {
	return a == b || ecosystem == "PyPI" && sameName(a, b)
}

// NamesBump reports whether one of the advisories names the package, and that version as the first fixed one
// after a version that is installed.
func (a Advisories) NamesBump(name, version string) bool {
	same := func(v string) bool {
		return v != "" && strings.TrimPrefix(v, "v") == strings.TrimPrefix(version, "v")
	}
	for _, advisory := range a.Found {
		for _, p := range advisory.Packages {
			if !samePackage(p.Ecosystem, p.Name, name) {
				continue
			}
			if slices.ContainsFunc(p.Installed, func(i InstalledVersion) bool { return same(i.Fixed) }) {
				return true
			}
		}
	}
	return false
}

// AdvisoriesState says how many advisories a folder has, and when the newest was changed.
func AdvisoriesState(ctx context.Context, dir string) (n int, newest time.Time, err error) {
	return osv.Newest(ctx, dir)
}
