package packages

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Fetcher fetches packages. It is safe for concurrent use, also by several processes with the same Job.Dir.
// Set all exported fields before the first use.
type Fetcher struct {
	Sandbox      *sandbox.Sandbox
	Network      proxy.Network // default: the network of this machine
	BlockedHosts []string      // hosts of the program's own services
	// Mirrors fetches the submodules of repositories; nil: they are not fetched.
	Mirrors *git.Mirrors
	// ModuleCache is a Go module cache of this machine that is used before the network; empty: none.
	ModuleCache string
	// Registries returns the operator's own registries for a kind of project, as NAME=value. It is called
	// before the first fetch of that kind, and again before the next fetch if it failed. If it is nil, the
	// public registries are used.
	Registries func(ctx context.Context, kind string) ([]string, error)
	Log        *slog.Logger // default: discarded
	// Roots holds the authorities by which hosts with a login are verified; nil: those of this machine.
	Roots *x509.CertPool

	disk     int64         // for tests: replaces maxDisk
	lfsBytes int64         // for tests: replaces maxLFSBytes
	lfsShown int           // for tests: replaces maxLFSMounts
	silence  time.Duration // for tests: the longest wait for a server of Git LFS
	versions sync.Map      // version text of each manager's tool, by name
	own      sync.Map      // result of Registries, by kind
	partial  sync.Map      // partialSet of packages of which some cannot be had, by the folder of all of them
}

// A Job describes what to fetch and where to store it.
type Job struct {
	Commits git.Commits
	Commit  string // of the base branch, never a commit of an agent
	Config  Config
	Remote  remote.Remote      // its credential is used for git repositories at the same host; may be empty
	Dir     string             // the folder for the packages of this repository
	Begin   func(names string) // called before a fetch starts, but not if everything is cached; may be nil
}

// A Missing describes packages that could not be fetched. The session continues without them.
type Missing struct {
	Kind    string // of project; empty: the operator's commands
	Names   string // the files that name the packages
	Tool    string // the tool that is not installed; empty if it is
	Why     string
	Cure    string
	Output  string // the last lines of the command's output
	Log     string // the file with the whole output of a command of the operator; empty: none
	Refused []proxy.Refusal
	// Allow and Private are the values of setup.allow and setup.private in the configuration with which the
	// refused hosts would be allowed; at most one of them is set.
	Allow, Private []string
	OutOfTime      bool           // it took longer than setup.minutes
	Denied         []proxy.Denial // answers of registries with a login
	// Lacking names single packages that could not be fetched. The others of the same files are there. If it
	// is empty, none of them are.
	Lacking []Lacking

	Submodule string // the folder of a submodule that could not be fetched; empty: packages could not
	Host      string // of the submodule's address, or of the objects of Git LFS; may be empty

	LFSFiles   int    // how many files of Git LFS have no content; 0: packages or a submodule are missing
	LFSExample string // the path of one of them
	lfsPaths   []string

	stops bool // nothing else can be fetched in this run: time or disk is used up
}

// Error returns the failure in one line.
func (m *Missing) Error() string {
	if m.Submodule != "" {
		return fmt.Sprintf("setup: the submodule %s (%s): %s; %s", m.Submodule, m.Host, m.Why, m.Cure)
	}
	if m.LFSFiles > 0 {
		return fmt.Sprintf("setup: %s such as %s (%s): %s; %s",
			plaintext.CountNoun(m.LFSFiles, "file")+" of Git LFS", m.LFSExample, m.Host, m.Why, m.Cure)
	}
	line := fmt.Sprintf("setup: the packages that %s names: %s", m.Names, m.Why)
	for _, r := range m.Refused {
		line += "; refused " + r.String()
	}
	return line + "; " + m.Cure
}

// Fetch returns the packages that the commit names, fetched now or earlier. They are locked against removal
// until Close. It returns nil if there is nothing to fetch. If a package manager fails, its packages are in
// Missing, and the others are still fetched.
func (f *Fetcher) Fetch(ctx context.Context, j Job) (*Packages, error) {
	if j.Config.Off || f.Sandbox == nil {
		return nil, nil
	}
	all := &Packages{}
	if f.Mirrors != nil {
		if err := f.fetchSubmodules(ctx, j, all); err != nil {
			all.Close()
			return nil, err
		}
	}
	if err := f.fetchLFS(ctx, j, all); err != nil {
		all.Close()
		return nil, err
	}
	plans, err := findPlans(ctx, j.Commits, j.Commit, j.Config)
	if err == nil && len(plans) > 0 {
		if err = os.MkdirAll(j.Dir, 0o755); err == nil {
			err = f.fetchPlans(ctx, j, plans, all)
		}
	}
	if err != nil {
		all.Close()
		return nil, err
	}
	if len(all.sets)+len(all.Missing) == 0 {
		return nil, nil
	}
	return all, nil
}

// fetchPlans opens the packages that are already on disk, and then fetches the others.
func (f *Fetcher) fetchPlans(ctx context.Context, j Job, plans []plan, all *Packages) error {
	var rest []plan
	var dirs, names []string
	for _, p := range plans {
		versions, missing := f.toolVersions(ctx, p, j.Config.Tools)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if missing != nil {
			all.Missing = append(all.Missing, *missing)
			continue
		}
		own := f.ownRegistries(ctx, p.managers)
		key, err := p.cacheKey(j.Config, own, versions)
		if errors.As(err, &missing) {
			missing.Kind = p.kind()
			missing.Names = p.lockNames()
			all.Missing = append(all.Missing, *missing)
			continue
		}
		if err != nil {
			return err
		}
		dir := filepath.Join(j.Dir, key)
		have, err := openFetched(dir)
		if have == nil && err == nil {
			have, err = f.openPartial(dir)
		}
		if err != nil {
			return err
		}
		if have != nil {
			all.add(have)
			continue
		}
		rest = append(rest, p)
		dirs = append(dirs, dir)
		names = append(names, p.lockNames())
	}
	if len(rest) > 0 && j.Begin != nil {
		j.Begin(strings.Join(names, ", "))
	}
	for i, p := range rest {
		if err := f.fetchOnce(ctx, j, p, dirs[i], all); err != nil {
			return err
		}
	}
	return nil
}

// fetchOnce fetches the packages of a plan under their lock, unless another process has fetched them first.
func (f *Fetcher) fetchOnce(ctx context.Context, j Job, p plan, dir string, all *Packages) error {
	for {
		held, err := disk.Exclusive(ctx, dir+".lock")
		if err != nil {
			return err
		}
		to := dir
		if _, err = os.Stat(dir); err != nil {
			to, err = f.carryOut(ctx, j, p, dir, all)
		}
		held.Release()
		if missing := (*Missing)(nil); errors.As(err, &missing) {
			missing.Kind = p.kind()
			missing.Names = p.lockNames()
			all.Missing = append(all.Missing, *missing)
			return nil
		}
		if err != nil {
			return err
		}
		have, err := openFetched(to)
		if have != nil {
			all.add(have)
		}
		if have != nil || err != nil { // neither: a cleaning has just removed the packages
			return err
		}
	}
}

// toolVersions returns the versions of the tools that the plan uses, or a Missing if commands cannot run one
// of them. Its packages would be useless then, because builds and tests could not run either.
func (f *Fetcher) toolVersions(ctx context.Context, p plan, tools Tools) (string, *Missing) {
	var all string
	for _, m := range p.managers {
		answer, known := f.versions.Load(m.Name + tools.key())
		if !known {
			answer = f.toolVersion(ctx, m, tools)
			if answer != "" { // else the tool may be installed by the next time
				f.versions.Store(m.Name+tools.key(), answer)
			}
		}
		if answer == "" && !p.own && ctx.Err() == nil {
			f.log().Info("setup: commands cannot run the tool here", "tool", m.Name, "files", p.lockNames())
			return "", &Missing{
				Kind: p.kind(), Names: p.lockNames(), Tool: m.Name, Why: m.Name + " is not installed here",
				Cure: tools.sandboxOr(f.Sandbox).WhereToInstall(),
			}
		}
		all += m.Name + " " + answer.(string) + "\n"
	}
	return all, nil
}

func (f *Fetcher) toolVersion(ctx context.Context, m manager.Manager, tools Tools) string {
	dir, err := os.MkdirTemp("", "bobbin-setup-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	if f.Sandbox.Own(dir) != nil {
		return ""
	}
	var out bytes.Buffer
	c := tools.sandboxOr(f.Sandbox).Command(dir, "sh", "-c", m.Version)
	c.Stdout = &out
	tools.add(c)
	if c.Run(ctx) != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

func (f *Fetcher) log() *slog.Logger {
	if f.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return f.Log
}

// carryOut executes the plan in a temporary folder, which is renamed when it is complete: to dir, or to
// another name if some packages could not be had. It returns the folder.
func (f *Fetcher) carryOut(ctx context.Context, j Job, p plan, dir string, all *Packages) (string, error) {
	began := time.Now()
	removeLeftovers(j.Dir, filepath.Base(dir))
	making, err := os.MkdirTemp(j.Dir, makingPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return "", fmt.Errorf("setup: %w", err)
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed by the next, and by cleaning
	b := &fetchRun{fetcher: f, job: j, plan: p, dir: making, kept: dir}
	if err := b.prepareFolders(); err != nil {
		return "", fmt.Errorf("setup: %w", err)
	}
	f.log().Info("setup: fetch packages", "repository", j.Commits.Repository, "files", p.lockNames(),
		"commit", j.Commit)
	if err := b.runSteps(ctx); err != nil {
		return "", err
	}
	if err := errors.Join(b.savePins(), b.keepFetched()); err != nil {
		return "", fmt.Errorf("setup: keep what was fetched: %w", err)
	}
	if len(b.lost) > 0 {
		whole := dir
		dir = partialFolder(dir, b.lost)
		f.partial.Store(whole, partialSet{dir, time.Now()})
	}
	err = os.Rename(filepath.Join(making, "kept"), dir)
	if _, there := os.Stat(dir); err != nil && (len(b.lost) == 0 || there != nil) {
		return "", fmt.Errorf("setup: %w", err)
	}
	var bytes int64
	for _, v := range b.report.Visits {
		bytes += v.Bytes
	}
	f.log().Info("setup: fetched", "repository", j.Commits.Repository,
		"took", time.Since(began).Round(time.Millisecond), "bytes", bytes, "refused", b.report.Refused)
	all.Fetched = true
	all.Took = all.Took + time.Since(began)
	all.Refused = append(all.Refused, b.report.Refused...)
	return dir, nil
}
