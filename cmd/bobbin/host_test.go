package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// hostOptions are the kinds of git host that the shop of a stage can have.
var hostOptions = []string{host.GitHub, host.GitLab, host.Gitea}

// The credentials between a stage's git host and the bot: the bot's token, and the secret of the webhooks.
const (
	hostToken  = "ghp_of_the_stage"
	hookSecret = "secret-of-the-hooks"
)

// withHost adds a git host for pull requests to the stage, if the options name one. It also applies the
// options about files.
func (s *story) withHost(ts *testscript.TestScript, options []string, cfg *stage.Config) error {
	withFiles(options, cfg)
	at := slices.IndexFunc(hostOptions, func(kind string) bool { return slices.Contains(options, kind) })
	if at < 0 {
		return nil
	}
	remoteDir := cfg.Dir + "/remote.git"
	web := "https://git.example/shop"
	settings := hosttest.Config{
		Kind:       hostOptions[at],
		Repository: "acme/shop",
		Token:      hostToken,
		PageSize:   2,
		Web:        web,
		Branch: func(name string) (string, error) {
			return stage.RemoteBranch(remoteDir, name)
		},
		Merges: func(branch, base string) string { return harness.RemoteMerges(remoteDir, branch, base) },
	}
	if err := hostSettings(options, cfg.Dir, &settings); err != nil {
		return err
	}
	s.host = hosttest.Listen(settings)
	ts.Defer(s.host.Close)
	forkOwner, forkName, forkWeb := "", "", ""
	if slices.Contains(options, "fork") {
		forkOwner, forkName, forkWeb = "bot", "shop", "https://git.example/bot/shop"
	}
	before := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		before(set)
		pulls := s.pullsAt(s.host, hostPlace{
			kind:      hostOptions[at],
			name:      "shop",
			web:       web,
			forkOwner: forkOwner,
			forkName:  forkName,
			forkWeb:   forkWeb,
		})
		closed := slices.Contains(options, "site-host-closed")
		if closed || slices.Contains(options, "site-host") {
			set.Repositories[1].Pulls = s.openSiteHost(ts, hostOptions[at], cfg.Dir+"/site.git", closed)
		}
		set.HostPace = 50 * time.Millisecond
		if slices.Contains(options, "hooks") {
			set.HTTPAddr = "127.0.0.1:0"
			set.HostPace = time.Hour
			pulls.Hook = host.Webhook{Kind: hostOptions[at], Secret: hookSecret}
		}
		set.Repositories[0].Pulls = pulls
		if slices.Contains(options, "house") {
			setHouseRules(&set.Repositories[0])
		}
	}
	return nil
}

// A hostPlace is where a repository of acme is at the git host, and its fork.
type hostPlace struct {
	kind, name, web              string
	forkOwner, forkName, forkWeb string
}

// pullsAt returns the settings for pull requests of that repository.
func (s *story) pullsAt(server *hosttest.Server, at hostPlace) repository.PullRequests {
	token := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: hostToken, Name: "the token"}, nil
	}
	pulls := repository.PullRequests{
		Kind:    at.kind,
		Draft:   true,
		Web:     at.web,
		People:  map[string]string{"bea-at-work": s.People["bea"], "gus-at-work": s.People["gus"]},
		ForkWeb: at.forkWeb,
	}
	switch at.kind {
	case host.GitHub:
		pulls.Host = host.NewGitHub(host.GitHubConfig{
			API:   server.API,
			Web:   at.web,
			Owner: "acme",
			Name:  at.name,
			Token: token,

			ForkOwner: at.forkOwner,
			ForkName:  at.forkName,
			ForkWeb:   at.forkWeb,
		})
	case host.GitLab:
		pulls.Host = host.NewGitLab(host.GitLabConfig{
			API:   server.API,
			Web:   at.web,
			Path:  "acme/" + at.name,
			Token: token,

			Fork:    strings.Trim(at.forkOwner+"/"+at.forkName, "/"),
			ForkWeb: at.forkWeb,
		})
	case host.Gitea:
		pulls.Host = host.NewGitea(host.GiteaConfig{
			API:   server.API,
			Web:   at.web,
			Owner: "acme",
			Name:  at.name,
			Token: token,

			ForkOwner: at.forkOwner,
			ForkName:  at.forkName,
			ForkWeb:   at.forkWeb,
		})
	}
	return pulls
}

// openSiteHost opens a git host of that kind for the site, the second repository. If it is closed, not
// everybody can read that.
func (s *story) openSiteHost(
	ts *testscript.TestScript, kind, dir string, closed bool,
) repository.PullRequests {
	web := "https://git.example/site"
	s.siteClosed = closed
	if s.siteHost == nil {
		s.siteHost = hosttest.Listen(hosttest.Config{
			Kind:       kind,
			Repository: "acme/site",
			Private:    closed,
			Token:      hostToken,
			Web:        web,
			Branch:     func(name string) (string, error) { return stage.RemoteBranch(dir, name) },
			Merges:     func(branch, base string) string { return harness.RemoteMerges(dir, branch, base) },
		})
		ts.Defer(s.siteHost.Close)
	}
	return s.pullsAt(s.siteHost, hostPlace{kind: kind, name: "site", web: web})
}

// setHouseRules sets the names of the option house, and what its pull requests have.
func setHouseRules(shop *repository.Repository) {
	shop.Naming = repository.Naming{
		Branch: repository.NameForm{
			Template: "fix/{ticket}-{slug}", Pattern: regexp.MustCompile(`^fix/SHOP-\d+-[a-z0-9-]+$`),
		},
		Title: repository.NameForm{
			Template: "fix{({scope})}: {summary}", Pattern: regexp.MustCompile(`^fix(\([a-z]+\))?: [a-z]`),
		},
	}
	shop.Pulls.Papers = repository.Papers{
		Labels:    []string{"bug"},
		Assignees: []string{repository.Approver},
		Reviewers: []string{repository.Codeowners},
	}
}

// hooked registers the bot's address and the webhook secret at the git host, if webhooks are configured.
func (s *story) hooked() {
	if s.Settings().Repositories[0].Pulls.Hook.Secret != "" {
		s.host.Hook("http://"+s.Service.Monitor.Addr+"/hooks/shop", hookSecret)
	}
}

// repeatHooks delivers every webhook so far again, and one with a forged signature. It fails if any of them
// schedules a check.
func (s *story) repeatHooks(ctx context.Context) error {
	looks := func() (n int, err error) {
		err = s.Store.Pool.QueryRow(
			ctx,
			`select count(*) from river_job where kind = 'pull_request' and state <> 'completed'
				and scheduled_at < now() + interval '10 minutes'`,
		).Scan(&n)
		return n, err
	}
	if err := s.Poll(ctx, func() (bool, error) {
		n, err := looks()
		return n == 0, err
	}); err != nil {
		return fmt.Errorf("what the webhooks brought is not over: %w", err)
	}
	sent := s.host.Deliveries()
	for _, d := range sent {
		if again := s.host.Redeliver(d); d.Status != http.StatusNoContent ||
			again.Status != http.StatusNoContent {
			return fmt.Errorf("a webhook was answered %d, and %d when it came again", d.Status, again.Status)
		}
	}
	s.host.Hook("http://"+s.Service.Monitor.Addr+"/hooks/shop", "guessed")
	if forged := s.host.Redeliver(sent[0]); forged.Status != http.StatusUnauthorized {
		return fmt.Errorf("a forged webhook was answered %d", forged.Status)
	}
	if n, err := looks(); err != nil || n > 0 || len(sent) == 0 {
		return cmp.Or(err, fmt.Errorf("%d looks are due after the same %d webhooks", n, len(sent)))
	}
	return nil
}

// hostCmd implements "host DOES…", an event at the git host for the newest pull request: merged, closed, red
// NAME FILE, green NAME, ends NAME STATE, comment LOGIN TEXT. A check is of the pull request's branch, or of
// the branch that is named last; "tests" there is the branch with new tests alone, which is waited for.
// "tidy" waits until there is no such branch. "lose" loses the next response to opening a pull request;
// "limit N" makes the next N responses ask to wait a second; "repeat" delivers the webhooks again, and a
// forged one; "forbid" and "permit" say whether the token may open issues. For "issue", "wrote" and "run" see
// changeAtHost, for "rules", "knows-key" and "fork" changeDemands, for "pull" and "pull-of-fork" openPull.
func hostCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	s.hooked()
	switch args[0] {
	case "repeat":
		return s.repeatHooks(ctx)
	case "lose":
		s.host.Lose("POST")
		return nil
	case "limit":
		n, err := strconv.Atoi(args[1])
		s.host.Limit(n, 1)
		return err
	case "forbid", "permit":
		s.host.AllowFiling(args[0] == "permit")
		return nil
	case "issue", "wrote", "run":
		return s.changeAtHost(ts, args)
	case "pull", "pull-of-fork":
		return s.openPull(ts, args)
	case "rules", "sign", "knows-key", "fork":
		return s.changeDemands(args)
	}
	all := s.host.Pulls()
	if len(all) == 0 {
		return errors.New("the host has no pull request")
	}
	p := all[len(all)-1]
	switch args[0] {
	case "merged", "closed":
		s.host.SetState(p.Number, args[0])
	case "red", "green", "ends":
		return s.reportCheck(ctx, ts, p.Branch, args)
	case "tidy":
		return s.Poll(ctx, func() (bool, error) {
			_, found, err := s.testsBranch()
			return !found, err
		})
	case "comment":
		s.host.Say(hosttest.Comment{Number: p.Number, Login: args[1], Text: strings.Join(args[2:], " ")})
	default:
		return fmt.Errorf("nothing like %q happens at a host", args[0])
	}
	if sent := s.host.Deliveries(); len(sent) > 0 && sent[len(sent)-1].Status != http.StatusNoContent {
		return fmt.Errorf("the webhook was answered %d", sent[len(sent)-1].Status)
	}
	return nil
}

// openPull implements "pull BRANCH LOGIN FILE": LOGIN opens a pull request of the branch into main, with the
// file's first line as the title and the rest as the text. With "pull-of-fork", the branch is in a fork: here
// only the host's own reference to its commit stays.
func (s *story) openPull(ts *testscript.TestScript, args []string) error {
	title, body, _ := strings.Cut(ts.ReadFile(args[3]), "\n")
	r, err := git.PlainOpen(s.Remote)
	if err != nil {
		return err
	}
	at, err := r.Reference(plumbing.NewBranchReferenceName(args[1]), true)
	if err != nil {
		return err
	}
	p := hosttest.Pull{
		Branch: args[1], Base: "main", Login: args[2], Title: title, Body: body,
		Fork: args[0] == "pull-of-fork", Head: at.Hash().String(),
	}
	number := s.host.OpenPull(p)
	if !p.Fork {
		return nil
	}
	kept := plumbing.ReferenceName(fmt.Sprintf("refs/pull/%d/head", number))
	if err := r.Storer.SetReference(plumbing.NewHashReference(kept, at.Hash())); err != nil {
		return err
	}
	return r.Storer.RemoveReference(at.Name())
}

// changeAtHost implements "issue NUMBER LOGIN FILE", whose first line is the title, "wrote NUMBER LOGIN TEXT"
// and "run NUMBER JOB LOG [BRANCH]", a run in which that job failed.
func (s *story) changeAtHost(ts *testscript.TestScript, args []string) error {
	n, err := strconv.ParseInt(args[1], 10, 64)
	switch args[0] {
	case "issue":
		title, body, _ := strings.Cut(ts.ReadFile(args[3]), "\n")
		issue := hosttest.Issue{Number: n, Login: args[2], Title: title, Body: body}
		issue.Labels = []string{"bug"}
		s.host.SetIssue(issue)
	case "wrote":
		s.host.Say(hosttest.Comment{Number: n, Login: args[2], Text: strings.Join(args[3:], " ")})
	case "run":
		branch := "main"
		if len(args) > 4 {
			branch = args[4]
		}
		s.host.AddRun(hosttest.Run{
			ID: n, Name: "CI", State: "failure", Branch: branch, Commit: "c0ffee",
			Jobs: []hosttest.Check{
				{ID: 1, Name: "lint", State: "success"},
				{ID: 2, Name: args[2], State: "failure", Log: ts.ReadFile(args[3])},
			},
		})
	}
	return err
}

// reportCheck reports a check of the branch, or of the one that the last argument names.
func (s *story) reportCheck(
	ctx context.Context, ts *testscript.TestScript, branch string, args []string,
) error {
	check := hosttest.Check{Name: args[1], State: "success"}
	rest := args[2:]
	switch args[0] {
	case "red":
		check.State = "failure"
		check.Log = ts.ReadFile(args[2])
		rest = args[3:]
	case "ends":
		check.State = args[2]
		rest = args[3:]
	}
	if len(rest) > 0 {
		branch = rest[0]
	}
	if branch == "tests" {
		if err := s.Poll(ctx, func() (found bool, err error) {
			branch, found, err = s.testsBranch()
			return found, err
		}); err != nil {
			return fmt.Errorf("the branch with new tests alone: %w", err)
		}
	}
	branches, err := stage.RemoteBranches(s.pushedTo())
	if err != nil {
		return err
	}
	if branches[branch] == "" {
		return fmt.Errorf("no branch %s", branch)
	}
	s.host.Report(branches[branch], check)
	return nil
}

// testsBranch returns the branch with new tests alone, if there is one.
func (s *story) testsBranch() (branch string, found bool, err error) {
	branches, err := stage.RemoteBranches(s.Remote)
	for name := range branches {
		if strings.Contains(name, "-red-") {
			return name, true, err
		}
	}
	return "", false, err
}

var (
	threadAddress = regexp.MustCompile(`(/archives/)\S*`)
	ticketMark    = regexp.MustCompile(`bobbin-[a-z0-9]{26}`)
)

// issues implements "issues FILE": the issues at the git host, and those of the trackers that are filed in,
// with the comments that the bot added.
func issues(_ context.Context, s *story) (string, error) {
	var b strings.Builder
	if s.host != nil {
		for _, i := range s.host.Issues() {
			fmt.Fprintf(&b, "#%d %s by %s: %s\n%s\n\n", i.Number, i.State, i.Login, i.Title, i.Body)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(s.filing)) {
		for _, i := range s.filing[kind].Issues() {
			fmt.Fprintf(&b, "%s %s: %s\n%s\n\n", i.Key, i.Type, i.Title, i.Text)
			for _, c := range i.Comments {
				fmt.Fprintf(&b, "%s comment:\n%s\n\n", i.Key, c)
			}
		}
	}
	text := ticketMark.ReplaceAllString(strings.ReplaceAll(b.String(), "\u200b", "·"), "bobbin-<mark>")
	return threadAddress.ReplaceAllString(text, "$1<thread>"), nil
}

// commentsAtHost implements "comments FILE".
func commentsAtHost(_ context.Context, s *story) (string, error) {
	var b strings.Builder
	for _, c := range s.host.Comments() {
		at := ""
		if c.Path != "" {
			at = fmt.Sprintf(" on %s:%d", c.Path, c.Line)
		}
		fmt.Fprintf(&b, "#%d by %s%s:\n%s\n\n", c.Number, c.Login, at, c.Text)
	}
	text := ticketMark.ReplaceAllString(strings.ReplaceAll(b.String(), "\u200b", "·"), "bobbin-<mark>")
	return threadAddress.ReplaceAllString(text, "$1<thread>"), nil
}

var threadLink = regexp.MustCompile(`(/archives/)[^)]*\)`)

// pulls implements "pulls FILE": the pull requests at the git host, first those of the shop.
func pulls(ctx context.Context, s *story) (string, error) {
	if err := s.Poll(ctx, func() (is bool, err error) {
		err = s.Store.Pool.QueryRow(ctx, `select not exists (select 1 from pull_requests
			where state = 'open' and not (starts_with(worded, head) and (worded <> head or $1
				or $2 and repository = 'shop')))`, s.siteHost == nil, s.siteClosed).Scan(&is)
		return is, err
	}); err != nil {
		return "", fmt.Errorf("a text at the host is not of what was pushed last: %w", err)
	}
	var b strings.Builder
	all := s.host.Pulls()
	if s.siteHost != nil {
		all = append(all, s.siteHost.Pulls()...)
	}
	for _, p := range all {
		var put []string
		kind := "ready"
		if p.Draft {
			kind = "draft"
		}
		fmt.Fprintf(&b, "#%d %s %s: %s into %s\n%s\n", p.Number, p.State, kind, p.Branch, p.Base, p.Title)
		for what, names := range map[string][]string{
			"labels": p.Labels, "assignees": p.Assignees, "reviewers": p.Reviewers,
		} {
			if len(names) > 0 {
				put = append(put, fmt.Sprintf("%s: %s\n", what, strings.Join(names, ", ")))
			}
		}
		slices.Sort(put)
		fmt.Fprintf(&b, "%s\n%s\n", strings.Join(put, ""), p.Body)
	}
	return threadLink.ReplaceAllString(strings.ReplaceAll(b.String(), "\u200b", "·"), "$1<thread>)"), nil
}
