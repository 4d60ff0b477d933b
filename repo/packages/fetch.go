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

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/filelock"
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
	Log         *slog.Logger // default: discarded

	disk     int64    // tests: instead of mostDisk
	versions sync.Map // what each kind's tool says of itself
}

// A Job is what to fetch, and where to keep it.
type Job struct {
	Mirror *repo.Mirror
	Commit string // of the base branch: never what an agent wrote
	Config Config
	Dir    string             // where this repository's packages are kept
	Begin  func(names string) // called before there is something to wait for; may be nil
}

// An Error says that packages could not be fetched. The session goes on without them.
type Error struct {
	Names   string // the files that name them
	Why     string
	Cure    string
	Output  string // how the command's output ends
	Refused []proxy.Refusal
}

// Error is one line.
func (e *Error) Error() string {
	line := fmt.Sprintf("setup: the packages that %s names: %s", e.Names, e.Why)
	for _, r := range e.Refused {
		line += "; refused " + r.String()
	}
	return line + "; " + e.Cure
}

// Fetch gives the packages that the commit names, fetched now or earlier, held until
// Close; nil where there is nothing to fetch. The error is an *Error where it is the
// packages' own fault.
func (f *Fetcher) Fetch(ctx context.Context, j Job) (*Packages, error) {
	if j.Config.Off || f.Sandbox == nil {
		return nil, nil
	}
	p, err := findPlan(ctx, j.Mirror, j.Commit, j.Config)
	if err != nil || len(p.steps) == 0 {
		return nil, err
	}
	versions := f.toolVersions(ctx, &p, len(j.Config.Run) > 0)
	if len(p.steps) == 0 {
		return nil, ctx.Err()
	}
	key, err := p.cacheKey(j.Mirror, j.Commit, j.Config, versions)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	dir := filepath.Join(j.Dir, key)
	if have, err := openFetched(dir); have != nil || err != nil {
		return have, err
	}
	if j.Begin != nil {
		j.Begin(p.lockNames())
	}
	return f.fetchOnce(ctx, j, p, dir)
}

// fetchOnce fetches under the lock, unless another process did so first.
func (f *Fetcher) fetchOnce(ctx context.Context, j Job, p plan, dir string) (*Packages, error) {
	var fresh *Packages
	for {
		held, err := filelock.Exclusive(ctx, dir+".lock")
		if err != nil {
			return nil, err
		}
		if _, err = os.Stat(dir); err != nil {
			fresh, err = f.carryOut(ctx, j, p, dir)
		}
		held.Release()
		if err != nil {
			return nil, err
		}
		have, err := openFetched(dir)
		if have != nil && fresh != nil {
			have.Fetched, have.Refused, have.Took = true, fresh.Refused, fresh.Took
		}
		if have != nil || err != nil { // neither: it was cleaned away this moment
			return have, err
		}
	}
}

// toolVersions says which tools the plan uses. A kind whose tool commands cannot run is left out:
// its builds and tests could not run either.
func (f *Fetcher) toolVersions(ctx context.Context, p *plan, own bool) string {
	var all []string
	for _, k := range append([]manager(nil), p.managers...) {
		said, known := f.versions.Load(k.name)
		if !known {
			said = f.toolVersion(ctx, k)
			if said != "" { // else it may be there the next time
				f.versions.Store(k.name, said)
			}
		}
		if said == "" && !own {
			f.log().Info("setup: commands cannot run the tool here", "kind", k.name, "files", p.lockNames())
			p.dropManager(k)
		}
		all = append(all, k.name+" "+said.(string))
	}
	return strings.Join(all, "\n")
}

func (f *Fetcher) toolVersion(ctx context.Context, k manager) string {
	dir, err := os.MkdirTemp("", "bobbin-setup-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	if f.Sandbox.Own(dir) != nil {
		return ""
	}
	var out bytes.Buffer
	c := f.Sandbox.Command(dir, "sh", "-c", k.version)
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
func (f *Fetcher) carryOut(ctx context.Context, j Job, p plan, dir string) (*Packages, error) {
	began := time.Now()
	removeLeftovers(j.Dir, filepath.Base(dir))
	making, err := os.MkdirTemp(j.Dir, makingPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed by the next, and by cleaning
	b := &fetchRun{fetcher: f, job: j, plan: p, dir: making}
	if err := b.prepareFolders(); err != nil {
		if own := (*Error)(nil); errors.As(err, &own) {
			return nil, own
		}
		return nil, fmt.Errorf("setup: %w", err)
	}
	f.log().Info("setup: fetch packages", "repository", j.Mirror.Remote().Name, "files", p.lockNames(), "commit", j.Commit)
	if err := b.runSteps(ctx); err != nil {
		return nil, err
	}
	if err := b.keepFetched(); err != nil {
		return nil, fmt.Errorf("setup: keep what was fetched: %w", err)
	}
	if err := os.Rename(filepath.Join(making, "kept"), dir); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	f.log().Info("setup: fetched", "repository", j.Mirror.Remote().Name, "took", time.Since(began).Round(time.Millisecond), "bytes", b.report.bytes(), "refused", b.report.Refused)
	return &Packages{Refused: b.report.Refused, Took: time.Since(began)}, nil
}
