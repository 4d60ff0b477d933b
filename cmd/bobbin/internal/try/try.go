// Package try is the command bobbin try: it chooses the repository, has package trial try it in a temporary
// folder, and prints the result for people or as JSON.
//
// text.go prints for people, lines.go writes the lines for the configuration, and progress.go shows what
// takes long.
package try

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/trial"
)

// Options are the arguments of bobbin try.
type Options struct {
	Repository string // a path, a URL, or the name of a repository in the configuration
	Config     string // path of the configuration file; empty: none
	Base       string // branch; empty: the configured one, or the repository's default
	Once       bool   // the tests run once
	TokenEnv   string // variable with a token for a URL that is not in the configuration
	JSON       bool

	Step func(what string) // called when a step begins; nil: nothing is called
	// Opened is called when the sandbox is open and the repository is not fetched yet. It is for tests, which
	// fill the caches; nil: nothing is called.
	Opened func(context.Context, *build.Checker, *git.Mirrors, repository.Repository) error
}

// Run tries the repository and prints the result. The error is a cli.UsageError for wrong arguments, and a
// cli.ExitError if the repository is not ready, because the reasons have been printed.
func Run(ctx context.Context, o Options, con cli.Console, log *slog.Logger) error {
	file, configured, err := o.choose(con)
	if err != nil {
		return err
	}
	if !log.Enabled(ctx, slog.LevelDebug) { // what matters of it is in the result
		log = slog.New(slog.DiscardHandler)
	}
	dir, remove, err := makeFolder(con.Err)
	if err != nil {
		return err
	}
	defer remove()
	settings, err := o.settings(file, configured, dir, con)
	if err != nil {
		return err
	}
	t, err := o.try(ctx, settings, con, log)
	if err != nil {
		return o.explain(ctx, err)
	}
	if err := o.print(con, t); err != nil {
		return err
	}
	if !t.Ready {
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

// choose returns a configuration with one repository, the one that is tried, and whether it is one of the
// configuration file.
func (o Options) choose(con cli.Console) (file config.Config, configured bool, err error) {
	if o.Config != "" {
		if file, err = config.Load(o.Config); err != nil {
			return file, false, err
		}
	}
	var names []string
	for _, r := range file.Repositories {
		if r.Name == o.Repository {
			return config.Config{
				Repositories: []config.Repository{r}, Sandbox: file.Sandbox, GitHubApp: file.GitHubApp,
			}, true, nil
		}
		names = append(names, r.Name)
	}
	r, err := o.unconfigured(names)
	if err != nil {
		return file, false, cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
	}
	if r.TokenEnv != "" && con.Env(r.TokenEnv) == "" {
		return file, false, cli.UsageError{
			Err: fmt.Errorf("bobbin: %s is not set; --token-env names it", r.TokenEnv),
		}
	}
	return config.Config{Repositories: []config.Repository{r}, Sandbox: file.Sandbox}, false, nil
}

var (
	unsafeInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	plainWord    = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`)
)

// unconfigured returns the repository at a path or URL. names are those of the configuration.
func (o Options) unconfigured(names []string) (config.Repository, error) {
	r := config.Repository{URL: o.Repository}
	if info, err := os.Stat(o.Repository); err == nil {
		if !info.IsDir() {
			return r, fmt.Errorf("%s is a file, not the folder of a git repository", o.Repository)
		}
		folder, err := filepath.Abs(o.Repository)
		if err != nil {
			return r, err
		}
		found := false
		if r.URL, found = address.GitFolder(folder); !found {
			return r, fmt.Errorf("%s is not in a git repository, and what is tried is what is committed; "+
				"name a folder that is in one, or begin one there: git init && git add -A && "+
				"git commit -m begin", folder)
		}
	} else if problem := address.CheckURL(o.Repository); problem != nil {
		shown := address.HideSecret(o.Repository)
		switch {
		case !plainWord.MatchString(o.Repository):
			return r, fmt.Errorf("%s is no folder here, and as an address %w", shown, problem)
		case len(names) > 0:
			return r, fmt.Errorf("there is no folder %s here, and no repository of that name in %s%s", shown,
				o.Config, cli.DidYouMean(o.Repository, names))
		default:
			return r, fmt.Errorf("there is no folder %s here; name a path, a URL, or with --config a "+
				"repository of the configuration", shown)
		}
	} else if filepath.IsAbs(o.Repository) {
		return r, fmt.Errorf("there is no folder %s", o.Repository)
	}
	if o.TokenEnv != "" && !secrets.IsVariable(o.TokenEnv) {
		return r, fmt.Errorf("--token-env %s: the name of a variable is expected", o.TokenEnv)
	}
	r.TokenEnv = o.TokenEnv
	base := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(r.URL, "/")), ".git")
	if _, after, ok := strings.Cut(base, ":"); ok { // git@host:shop.git
		base = after
	}
	r.Name = cmp.Or(strings.Trim(unsafeInName.ReplaceAllString(base, "-"), "-._"), "repository")
	return r, nil
}

// settings returns the settings of a bot with nothing but the repository, and its data in dir.
func (o Options) settings(
	file config.Config, configured bool, dir string, con cli.Console,
) (server.Settings, error) {
	values, err := file.ReadSecrets(con)
	if err != nil {
		return server.Settings{}, cli.UsageError{Err: err}
	}
	s, err := server.FromConfig(file, values, storage.Target{DataDir: dir}, con.Hide)
	if err != nil {
		return s, err
	}
	r := &s.Repositories[0]
	if !configured && o.TokenEnv == "" {
		r.Credentials = nil // the bot's own token is not for any address that somebody types
	}
	r.Base = cmp.Or(o.Base, r.Base)
	return s, nil
}

// try opens the sandbox and tries the repository.
func (o Options) try(
	ctx context.Context, s server.Settings, con cli.Console, log *slog.Logger,
) (trial.Trial, error) {
	mirrors := &git.Mirrors{Dir: filepath.Join(s.DataDir, "mirrors"), Log: log}
	defer mirrors.Close()
	shown := &progress{out: con.Err}
	step := func(what string) func() {
		if o.Step != nil {
			o.Step(what)
		}
		return shown.step(what)
	}
	runner := trial.Runner{Mirrors: mirrors, Once: o.Once, Watch: shown.watch, Step: step}
	checker, err := server.OpenChecker(ctx, s, log)
	var unavailable *sandbox.Unavailable
	switch {
	case errors.As(err, &unavailable):
		runner.SandboxOff = trial.Cause{
			Kind: trial.CauseSandbox, What: "no sandbox works on this machine: " + unavailable.Why,
			Cure: unavailable.Cure,
		}
	case err != nil:
		return trial.Trial{}, err
	default:
		runner.Checker = checker
		checker.Caches.Packages.Mirrors = mirrors
		if o.Opened != nil {
			if err := o.Opened(ctx, checker, mirrors, s.Repositories[0]); err != nil {
				return trial.Trial{}, err
			}
		}
	}
	return runner.Run(ctx, s.Repositories[0])
}

// explain returns the error with what to do about it.
func (o Options) explain(ctx context.Context, err error) error {
	var refused *remote.Error
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, git.ErrNoCommit) {
		return fmt.Errorf("%s has no commit yet, and what is tried is what is committed; make the first "+
			"one: git add -A && git commit -m begin", address.HideSecret(o.Repository))
	}
	if errors.As(err, &refused) {
		reason := strings.TrimSuffix(refused.Reason, ".")
		err = fmt.Errorf("%s cannot be read: %s", address.HideSecret(o.Repository), reason)
		if refused.Cure != "" {
			err = fmt.Errorf("%w.\n%s", err, refused.Cure)
		}
	}
	return err
}

// A Result is what bobbin try --json prints.
type Result struct {
	trial.Trial
	Configuration string // the lines for bobbin.yaml
}

// print writes the result to the console.
func (o Options) print(con cli.Console, t trial.Trial) error {
	if !o.JSON {
		return printText(con.Out, t)
	}
	return cli.WriteJSON(con.Out, Result{t, Lines(t)}, "  ")
}
