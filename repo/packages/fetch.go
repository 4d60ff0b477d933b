package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/commits"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/repo/packages/manager"
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Fetcher fetches packages. It is safe for concurrent use, also by several processes over
// the same Job.Dir. All of its fields are set before its first use.
type Fetcher struct {
	Sandbox *sandbox.Sandbox
	Network proxy.Network // default: this machine's
	Never   []string      // hosts of the program's own services
	// ModuleCache is a Go module cache of this machine, asked before the network; empty: none.
	ModuleCache string
	// Registries are the operator's own for a kind of project, as NAME=value, asked for before the
	// first fetch, and again before the next one after an error; nil: there are none but those that
	// everybody uses.
	Registries func(ctx context.Context, kind string) ([]string, error)
	Log        *slog.Logger // default: discarded

	disk     int64    // tests: instead of mostDisk
	versions sync.Map // what each manager's tool says of itself
	own      sync.Map // what Registries said, by kind
}

// A Job is what to fetch, and where to keep it.
type Job struct {
	Commits commits.Reader
	Commit  string // of the base branch: never what an agent wrote
	Config  Config
	Dir     string             // where this repository's packages are kept
	Begin   func(names string) // called before there is something to wait for; may be nil
}

// A Missing says which packages could not be had. The session goes on without them.
type Missing struct {
	Kind    string // of project; empty: of any
	Names   string // the files that name them
	Tool    string // that is not installed; empty: it is
	Why     string
	Cure    string
	Output  string // how the command's output ends
	Refused []proxy.Refusal
}

// Error is one line.
func (e *Missing) Error() string {
	line := fmt.Sprintf("setup: the packages that %s names: %s", e.Names, e.Why)
	for _, r := range e.Refused {
		line += "; refused " + r.String()
	}
	return line + "; " + e.Cure
}

// Fetch gives the packages that the commit names, fetched now or earlier, held until
// Close; nil where there is nothing to fetch. What could not be had is in Missing: what one
// package manager lacks the others do not wait for.
func (f *Fetcher) Fetch(ctx context.Context, j Job) (*Packages, error) {
	if j.Config.Off || f.Sandbox == nil {
		return nil, nil
	}
	plans, err := findPlans(ctx, j.Commits, j.Commit, j.Config)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	all := &Packages{}
	if err := f.fetchPlans(ctx, j, plans, all); err != nil {
		all.Close()
		return nil, err
	}
	return all, nil
}

// fetchPlans opens what is there, and then fetches the rest.
func (f *Fetcher) fetchPlans(ctx context.Context, j Job, plans []plan, all *Packages) error {
	var rest []plan
	var dirs, names []string
	for _, p := range plans {
		versions, missing := f.toolVersions(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if missing != nil {
			all.Missing = append(all.Missing, *missing)
			continue
		}
		own := f.ownRegistries(ctx, p.managers)
		key, err := p.cacheKey(j.Config, own, versions)
		if err != nil {
			return err
		}
		dir := filepath.Join(j.Dir, key)
		have, err := openFetched(dir)
		if err != nil {
			return err
		}
		if have != nil {
			all.sets = append(all.sets, have)
			continue
		}
		rest, dirs, names = append(rest, p), append(dirs, dir), append(names, p.lockNames())
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

// fetchOnce fetches under the lock, unless another process did so first.
func (f *Fetcher) fetchOnce(ctx context.Context, j Job, p plan, dir string, all *Packages) error {
	for {
		held, err := filelock.Exclusive(ctx, dir+".lock")
		if err != nil {
			return err
		}
		if _, err = os.Stat(dir); err != nil {
			err = f.carryOut(ctx, j, p, dir, all)
		}
		held.Release()
		if missing := (*Missing)(nil); errors.As(err, &missing) {
			missing.Kind, missing.Names = p.kind(), p.lockNames()
			all.Missing = append(all.Missing, *missing)
			return nil
		}
		if err != nil {
			return err
		}
		have, err := openFetched(dir)
		if have != nil {
			all.sets = append(all.sets, have)
		}
		if have != nil || err != nil { // neither: it was cleaned away this moment
			return err
		}
	}
}

// toolVersions says which tools the plan uses. Without a tool that commands can run its
// packages are of no use: builds and tests could not run either.
func (f *Fetcher) toolVersions(ctx context.Context, p plan) (string, *Missing) {
	var all string
	for _, m := range p.managers {
		said, known := f.versions.Load(m.Name)
		if !known {
			said = f.toolVersion(ctx, m)
			if said != "" { // else it may be there the next time
				f.versions.Store(m.Name, said)
			}
		}
		if said == "" && !p.own && ctx.Err() == nil {
			f.log().Info("setup: commands cannot run the tool here", "tool", m.Name, "files", p.lockNames())
			return "", &Missing{
				Kind: p.kind(), Names: p.lockNames(), Tool: m.Name, Why: m.Name + " is not installed here",
				Cure: "install it on the machine that I run on, where commands see it: below /usr",
			}
		}
		all += m.Name + " " + said.(string) + "\n"
	}
	return all, nil
}

func (f *Fetcher) toolVersion(ctx context.Context, m manager.Manager) string {
	dir, err := os.MkdirTemp("", "bobbin-setup-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	if f.Sandbox.Own(dir) != nil {
		return ""
	}
	var out bytes.Buffer
	c := f.Sandbox.Command(dir, "sh", "-c", m.Version)
	c.Stdout = &out
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

// carryOut carries out the plan in a folder of its own, which becomes dir when it is whole.
func (f *Fetcher) carryOut(ctx context.Context, j Job, p plan, dir string, all *Packages) error {
	began := time.Now()
	removeLeftovers(j.Dir, filepath.Base(dir))
	making, err := os.MkdirTemp(j.Dir, makingPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed by the next, and by cleaning
	b := &fetchRun{fetcher: f, job: j, plan: p, dir: making, kept: dir}
	if err := b.prepareFolders(); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	f.log().Info("setup: fetch packages", "repository", j.Commits.Repository, "files", p.lockNames(), "commit", j.Commit)
	if err := b.runSteps(ctx); err != nil {
		return err
	}
	if err := errors.Join(b.savePins(), b.keepFetched()); err != nil {
		return fmt.Errorf("setup: keep what was fetched: %w", err)
	}
	if err := os.Rename(filepath.Join(making, "kept"), dir); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	var bytes int64
	for _, v := range b.report.Visits {
		bytes += v.Bytes
	}
	f.log().Info("setup: fetched", "repository", j.Commits.Repository, "took", time.Since(began).Round(time.Millisecond), "bytes", bytes, "refused", b.report.Refused)
	all.Fetched, all.Took, all.Refused = true, all.Took+time.Since(began), append(all.Refused, b.report.Refused...)
	return nil
}
