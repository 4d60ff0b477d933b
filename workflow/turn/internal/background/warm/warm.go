// Package warm builds and tests the newest commit of a base branch before somebody needs it, so that a
// session finds the base built and its tests' result stored.
//
// It does so for repositories that ask for it, one at a time, at the lowest priority, and only while no turn
// works on this machine. A turn that begins ends it at once; what was compiled so far stays in the build
// cache, and it is tried again after the turn. The result is that of build.Checker.Baseline, which runs once
// a commit for all sessions.
package warm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A Warmer builds and tests base branches ahead of time. All of its exported fields are set once, before Run.
type Warmer struct {
	Store        *store.Store
	Repositories []repository.Repository // those with Warm are looked at
	Mirrors      *git.Mirrors
	Checker      *build.Checker // nil: nothing can be run
	// between two looks at the remotes; zero: five minutes
	Every time.Duration
	Log   *slog.Logger

	mu    sync.Mutex
	turns int                // that work now
	stop  context.CancelFunc // ends what runs; nil: nothing does
}

// Run looks for new commits and tests them until ctx ends. It returns at once if no repository asks for it.
func (w *Warmer) Run(ctx context.Context) {
	var wanted []repository.Repository
	for _, r := range w.Repositories {
		if r.Warm {
			wanted = append(wanted, r)
		}
	}
	if len(wanted) == 0 || w.Checker == nil || !w.Checker.HasSandbox() {
		return
	}
	tick := time.NewTicker(cmp.Or(w.Every, 5*time.Minute))
	defer tick.Stop()
	for {
		for _, r := range wanted {
			err := w.whileIdle(ctx, func(ctx context.Context) error { return w.test(ctx, r) })
			if err != nil {
				w.Log.Warn("the base was not tested ahead of time; it is tried again", "repository", r.Name,
					"err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Around returns a function that runs a turn, and keeps the Warmer from working meanwhile.
func (w *Warmer) Around(
	turn func(ctx context.Context, session string) error,
) func(ctx context.Context, session string) error {
	return func(ctx context.Context, session string) error {
		w.mu.Lock()
		w.turns++
		if w.stop != nil {
			w.stop()
		}
		w.mu.Unlock()
		defer func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.turns--
		}()
		return turn(ctx, session)
	}
}

// whileIdle runs work unless a turn works. A turn that begins ends it, which is no error.
func (w *Warmer) whileIdle(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	busy := w.turns > 0
	if !busy {
		w.stop = cancel
	}
	w.mu.Unlock()
	if busy {
		return nil
	}
	err := work(ctx)
	w.mu.Lock()
	w.stop = nil
	w.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// test builds and tests the newest commit of a repository's base branch, with its packages and services, as a
// session would. It does nothing if the result is stored.
func (w *Warmer) test(ctx context.Context, r repository.Repository) error {
	mirror, err := w.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return err
	}
	if err := mirror.Fetch(ctx); err != nil {
		return err
	}
	commit, err := mirror.Commits().Resolve(cmp.Or(r.Base, mirror.Commits().DefaultBranch()))
	if err != nil {
		return err
	}
	p, err := w.project(ctx, r, mirror, commit)
	if err != nil || p.Build == "" && p.Test == "" {
		return err
	}
	checker := w.Checker.For(mirror).AtLowestPriority()
	if _, _, err := checker.Cache.UseEnvironment(ctx, commit, r.Environment); err != nil {
		return fmt.Errorf("services: %w", err)
	}
	have, err := checker.Cache.FetchPackages(ctx, commit, r.SetupFor(p.Test, time.Now()), nil)
	if err != nil {
		return fmt.Errorf("packages: %w", err)
	}
	defer have.Close()
	checker.Cache.UsePackages(have)
	if _, known := checker.Remembered(commit, p); known {
		return nil
	}
	w.Log.Info("test the base ahead of time", "repository", r.Name, "commit", commit)
	_, err = checker.Baseline(ctx, commit, p)
	if errors.Is(err, context.Canceled) {
		w.Log.Info("a turn began, so the base is tested later", "repository", r.Name, "commit", commit)
	}
	return err
}

// project returns how a session would test the commit: with the command that a member said or an agent named,
// or as the repository's files tell.
func (w *Warmer) project(
	ctx context.Context, r repository.Repository, mirror *git.Mirror, commit string,
) (project.Project, error) {
	files, err := mirror.Commits().Files(commit)
	if err != nil {
		return project.Project{}, err
	}
	found := r.Project(files)
	if r.Test != "" {
		return found, nil
	}
	c, err := w.Store.TestCommand(ctx, r.Name, r.Folder())
	if err != nil || c.Command == "" {
		return found, err
	}
	if c.Person != "" {
		return found.Told(c.Command, c.Source), nil
	}
	if named, ok := found.Named(c.Command, c.Source); ok {
		return named, nil
	}
	if named, ok := found.NamedByTree(c.Command, c.Source); ok {
		return named, nil
	}
	return found, nil
}
