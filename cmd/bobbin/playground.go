package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

type playgroundCommand struct {
	Repo      string `help:"Work on this repository: a folder or an address. It is cloned, and branches go into the clone." placeholder:"PATH|URL"`
	Push      bool   `help:"Push branches to --repo itself."`
	TokenEnv  string `help:"The variable with a token for --repo, if that is a private https address (${default})." placeholder:"NAME" default:"BOBBIN_GIT_TOKEN"`
	Keep      string `help:"The folder of its files, in which the next start continues (default: one for each --repo)." placeholder:"DIR"`
	DataDir   string `from:"BOBBIN_DATA_DIR" help:"Without --keep: the folder in which playground/ is made for those folders ($BOBBIN_DATA_DIR; default: /var/lib/bobbin-playground as root, else ~/.local/share/bobbin-playground)." placeholder:"DIR"`
	Fresh     bool   `help:"Start over: remove what was in that folder."`
	Config    string `from:"BOBBIN_CONFIG" help:"Use its models, agents and sandbox ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	ModelURL  string `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
	Addr      string `help:"The page's address on this machine (default: the last one, or a free port)." placeholder:"HOST:PORT"`
	NoBrowser bool   `help:"Print the address, but open no browser."`
}

// Help returns the detailed text of bobbin playground --help.
func (playgroundCommand) Help() string {
	return `Opens a small team chat in the browser, with Bobbin in it: the same bot that serve runs,
on a local Slack, a private Postgres and a sample project with a bug. Speak as a reporter, an
approver, a guest or somebody from another workspace.

  bobbin playground                                  the demo's story, told step by step
  OPENAI_API_KEY=… bobbin playground                 your model on the sample project
  OPENAI_API_KEY=… bobbin playground --repo .        your model on your own repository

Nothing of your repository is changed: branches go into a clone, and the page shows how to fetch them.

Ctrl-C ends it; the next start continues where it was, also after a crash, unless --fresh starts over.
Only this machine can open the page, and only by the printed address.`
}

// Validate checks the flags after they are parsed. It refuses an --addr that is not a loopback address.
func (pc *playgroundCommand) Validate() error {
	if pc.Push && pc.Repo == "" {
		return errors.New("--push needs --repo")
	}
	if !variable.MatchString(pc.TokenEnv) ||
		pc.TokenEnv != secrets.GitToken && slices.Contains(secrets.SecretNames, pc.TokenEnv) {
		return fmt.Errorf("--token-env has to name the variable of a git token, and %q does not", pc.TokenEnv)
	}
	if pc.Addr == "" {
		return address.CheckWebAddress("OPENAI_BASE_URL", pc.ModelURL)
	}
	host, _, err := net.SplitHostPort(pc.Addr)
	if err != nil {
		return fmt.Errorf("--addr has to be HOST:PORT, such as 127.0.0.1:8080, and not %q", pc.Addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--addr: %q can be reached from other machines; use 127.0.0.1, ::1 or "+
			"localhost", host)
	}
	return address.CheckWebAddress("OPENAI_BASE_URL", pc.ModelURL)
}

// AfterApply leaves a configuration file that is part of the repository out.
func (pc *playgroundCommand) AfterApply(here *hereConfig) error {
	return here.leaveToRepository(pc.Repo, &pc.Config)
}

// Run opens the playground, prints its URL and serves the page until ctx ends.
func (pc *playgroundCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	opt, err := pc.options(ctx, con, log)
	if err != nil {
		return err
	}
	if opt.Dir, err = stage.MakeDir(pc.dir(con, opt)); err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	fmt.Fprintf(con.Err, "bobbin: opening the playground in %s …\n", opt.Dir)
	p, err := playground.Open(ctx, opt)
	if err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	fmt.Fprintln(con.Out, p.URL)
	fmt.Fprintln(con.Err, "bobbin: open that address; Ctrl-C ends the playground, "+
		"and the next start continues it (--fresh starts over).")
	if !pc.NoBrowser {
		playground.Browse(p.URL)
	}
	err = errors.Join(p.Serve(ctx), p.Close())
	if err == nil && ctx.Err() != nil {
		fmt.Fprintf(con.Err, "bobbin: stopped; the next start goes on with what is in %s.\n", opt.Dir)
	}
	return err
}

// dir returns the folder of the playground: --keep, or one for each repository.
func (pc *playgroundCommand) dir(con cli.Console, opt playground.Options) string {
	switch {
	case pc.Keep != "":
		return pc.Keep
	case pc.DataDir != "":
		return filepath.Join(pc.DataDir, "playground", opt.Place())
	}
	return filepath.Join(storage.DefaultDataDir(con.Env)+"-playground", opt.Place())
}

// source returns the address of the repository that --repo names, or the top folder of a local one.
func (pc *playgroundCommand) source() (string, error) {
	info, err := os.Stat(pc.Repo)
	switch {
	case err == nil && !info.IsDir():
		return pc.Repo, nil // a bundle or a pack
	case err != nil && strings.Contains(pc.Repo, ":"):
		return pc.Repo, nil // an address
	case err != nil:
		return "", cli.UsageError{Err: fmt.Errorf("--repo: there is no folder %s; name one with a git "+
			"repository, or the address of one", pc.Repo)}
	}
	dir, err := filepath.Abs(pc.Repo)
	if err != nil {
		return "", err
	}
	top, found := address.GitFolder(dir)
	if !found {
		return "", cli.UsageError{Err: fmt.Errorf("--repo: %s is not in a git repository; name a folder "+
			"that is, or an address, or leave --repo out for the sample project", dir)}
	}
	return top, nil
}

// options returns the options of the playground, from the flags, the configuration, the environment and the
// sandbox that works on this machine.
func (pc *playgroundCommand) options(
	ctx context.Context, con cli.Console, log *slog.Logger,
) (playground.Options, error) {
	opt := playground.Options{Addr: pc.Addr, Fresh: pc.Fresh, Progress: con.Err, Log: log}
	file := config.Config{}
	var err error
	if pc.Config != "" {
		if file, err = config.Load(pc.Config); err != nil {
			return opt, err
		}
		fmt.Fprintf(con.Err, "bobbin: the playground uses the models, the agents and the sandbox of %s, "+
			"and not its repositories (bases, approvals, names, host, …), trackers, sources, limits and "+
			"people.\n", pc.Config)
		file = config.Config{ModelTable: file.ModelTable, Sandbox: file.Sandbox, GitHubApp: file.GitHubApp}
	}
	if pc.Repo != "" {
		opt.Repository = playground.Repository{Push: pc.Push}
		if opt.Repository.From, err = pc.source(); err != nil {
			return opt, err
		}
		file.Repositories = []config.Repository{pc.repository(opt.Repository.From)}
	}
	values, err := file.ReadSecrets(con)
	if err != nil {
		return opt, cli.UsageError{Err: err}
	}
	credentials, err := file.Credentials(values, con.Hide)
	if err != nil {
		return opt, err
	}
	opt.Repository.Credentials = credentials["playground"]
	if values[secrets.ModelKey] != "" || pc.ModelURL != "" || !file.NeedsSharedEndpoint() {
		file.SharedURL = pc.ModelURL
		models := server.ModelsFromConfig(file, values)
		models.ModelURL = pc.ModelURL
		opt.Models = &models
	}
	opt.Sandbox = file.Sandbox
	box, whys, err := sandbox.Find(ctx, file.Sandbox.Options(file.Sandbox.Kind, log))
	if box == nil {
		opt.NoSandbox = whys
	}
	return opt, err
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// repository returns the configuration of the repository that --repo names, with the variable of its token.
func (pc *playgroundCommand) repository(from string) config.Repository {
	r := config.Repository{Name: "playground", URL: from}
	if pc.TokenEnv != secrets.GitToken {
		r.TokenEnv = pc.TokenEnv
	}
	return r
}
