package server

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/pullrequests"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
	"github.com/bobbinhq/bobbin/workflow/tickets"
)

// pullRequests returns the keeper that opens pull requests for pushed branches and checks on them
// afterwards. It also installs the webhook handler; a webhook makes the next check earlier.
func (b *Server) pullRequests(
	s Settings, slack *bot.Slack, directory *people.Directory, agent string,
) *pullrequests.Follower {
	b.openHooks(s)
	return &pullrequests.Follower{
		Rows:         pullrequest.Register{Store: b.Store},
		Repositories: s.Repositories,
		Agent:        agent,
		Secrets:      s.Secrets,
		Pace:         s.HostPace,
		Mirrors:      b.Mirrors,
		Dir:          filepath.Join(s.DataDir, "sessions"),
		Log:          b.log,
		NameOf:       directory.DisplayName,
		ThreadURL:    threadURL(slack),
		SecretsOf: func(ctx context.Context, r remote.Remote, commit string) (*redact.Finder, error) {
			_, secrets, err := b.mirrorWith(ctx, r, commit, s.Secrets)
			return secrets, err
		},
	}
}

// threadURL returns the function that gives the URL of a thread.
func threadURL(slack *bot.Slack) func(workflow.Thread) string {
	return func(t workflow.Thread) string {
		return strings.TrimRight(slack.WorkspaceURL(), "/") + "/archives/" + t.Channel +
			"/p" + strings.ReplaceAll(t.TS, ".", "")
	}
}

// lookAtHosts returns the function that does for a session what is to be done at git hosts and trackers: it
// follows the pull requests, and files what is to be filed. Pull requests come first, since comments on
// tickets name them.
func (b *Server) lookAtHosts(
	s Settings, slack *bot.Slack, directory *people.Directory, agent string,
) func(ctx context.Context, session string) (time.Duration, error) {
	follower := b.pullRequests(s, slack, directory, agent)
	filer := &tickets.Filer{
		Rows:         ticket.Register{Store: b.Store},
		Repositories: s.Repositories,
		Trackers:     s.Trackers,
		Agent:        agent,
		ThreadURL:    threadURL(slack),
		Secrets:      s.Secrets,
		Pace:         s.HostPace,
		Log:          b.log,
	}
	return func(ctx context.Context, session string) (time.Duration, error) {
		again, err := follower.Look(ctx, session)
		filing, failed := filer.Look(ctx, session)
		if filing > 0 && (again == 0 || filing < again) {
			again = filing
		}
		return again, errors.Join(err, failed)
	}
}

// openHooks serves the webhooks of the git hosts whose settings have a webhook secret.
func (b *Server) openHooks(s Settings) {
	hooks := &pullrequests.Hooks{
		Webhooks: map[string]host.Webhook{},
		Wake:     pullrequest.Register{Store: b.Store}.Wake,
		Log:      b.log,
	}
	for _, r := range s.Repositories {
		if r.Pulls.Hook.Secret != "" {
			hooks.Webhooks[r.Name] = r.Pulls.Hook
		}
	}
	if len(hooks.Webhooks) > 0 && s.HTTPAddr != "" {
		b.Monitor.Handle("/hooks/{repository}", hooks)
	}
}

// pullRequestsOf returns the settings for pull requests of a repository, or the zero value if none are
// opened. Requests to the host are signed with the host's own token, or with the credentials that the
// repository is fetched with.
func pullRequestsOf(
	file config.Config, r config.Repository, credentials remote.Credentials, values map[string]string,
) (repository.PullRequests, error) {
	h, web, ok := r.Host.Of(r.URL)
	if !ok {
		return repository.PullRequests{}, nil
	}
	if h.TokenEnv != "" {
		credentials = remote.Token{Value: remote.Secret(values[h.TokenEnv]), Name: "the token " + h.TokenEnv}
	}
	app, _ := credentials.(*githubapp.App)
	p := repository.PullRequests{Kind: h.Kind, Draft: h.Draft != "off", Web: web, People: map[string]string{}}
	p.Papers = repository.Papers{
		Template: h.Template, Labels: h.Labels, Assignees: h.Assignees, Reviewers: h.Reviewers,
	}
	if p.Papers.Template == "on" {
		p.Papers.Template = ""
	}
	p.Hook = host.Webhook{Kind: h.Kind, Secret: remote.Secret(values[h.SecretEnv])}
	for login, id := range file.People {
		p.People[strings.ToLower(login)] = id
	}
	sign := signer(r.URL, app, credentials)
	fork := forkAt(r, app, credentials, values)
	p.ForkWeb = fork.web
	switch h.Kind {
	case host.GitHub:
		owner, name, err := githubapp.Repository(web)
		if err != nil {
			return p, err
		}
		p.Host = host.NewGitHub(host.GitHubConfig{
			API:       h.URL,
			Web:       web,
			Owner:     owner,
			Name:      name,
			Token:     sign,
			ForkOwner: fork.owner,
			ForkName:  fork.name,
			ForkWeb:   fork.web,
			ForkToken: fork.sign,

			CommitToken: commitToken(cmp.Or(r.PushTo.URL, r.URL), app),

			IssueToken: issueToken(r.URL, app),
			Missing:    appLacks(r.URL, app, mayOpen, mayLook),
			Unreadable: appLacks(r.URL, app, mayReadIssues),
			Unfilable:  appLacks(r.URL, app, mayFileIssues),
		})
	case host.GitLab:
		p.Host = host.NewGitLab(host.GitLabConfig{
			API: h.URL, Web: web, Path: hostPath(web), Token: sign,
			Fork: hostPath(fork.web), ForkWeb: fork.web, ForkToken: fork.sign,
		})
	case host.Gitea:
		owner, name, _ := strings.Cut(hostPath(web), "/")
		p.Host = host.NewGitea(host.GiteaConfig{
			API: h.URL, Web: web, Owner: owner, Name: name, Token: sign,
			ForkOwner: fork.owner, ForkName: fork.name, ForkWeb: fork.web, ForkToken: fork.sign,
		})
	}
	return p, nil
}

// A hostedFork is a fork at a git host. It is the zero value if branches are pushed to the repository itself.
type hostedFork struct {
	web, owner, name string
	// sign supplies the credential of each request about the fork.
	sign func(ctx context.Context, write bool) (remote.Credential, error)
}

func forkAt(
	r config.Repository, app *githubapp.App, credentials remote.Credentials, values map[string]string,
) (f hostedFork) {
	if r.PushTo.URL == "" {
		return f
	}
	_, f.web = address.WebPages(r.PushTo.URL)
	f.owner, f.name, _ = strings.Cut(hostPath(f.web), "/")
	if name := r.PushTo.TokenEnv; name != "" {
		app = nil
		credentials = remote.Token{Value: remote.Secret(values[name]), Name: "the token " + name}
	}
	f.sign = signer(r.PushTo.URL, app, credentials)
	return f
}

// hostPath returns the path of the repository on its host: acme/shop.
func hostPath(web string) string {
	u, err := url.Parse(web)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// The permissions that tokens of an App are created with: no more than the next request needs.
var (
	mayOpen = map[string]string{"pull_requests": "write", "contents": "read"}
	mayLook = map[string]string{
		"pull_requests": "read",
		"contents":      "read",
		"checks":        "read",
		"statuses":      "read",
		"actions":       "read",
	}
	mayCommit     = map[string]string{"contents": "write"}
	mayReadIssues = map[string]string{"issues": "read"} // apart: an App may lack it
	mayFileIssues = map[string]string{"issues": "write"}
)

// tokenKept is how long a read token of an App is reused for the requests of one check.
const tokenKept = time.Minute

// signer returns the function that supplies the credential of each request. Read tokens of an App are kept
// for tokenKept, because one check takes several requests.
func signer(
	address string, app *githubapp.App, credentials remote.Credentials,
) func(ctx context.Context, write bool) (remote.Credential, error) {
	if app == nil {
		return func(ctx context.Context, write bool) (remote.Credential, error) {
			if credentials == nil {
				return remote.Credential{Name: "no token"}, nil
			}
			return credentials.For(ctx, address,
				map[bool]remote.Access{false: remote.Read, true: remote.Write}[write])
		}
	}
	kept := app.CachedTokens(tokenKept)
	return func(ctx context.Context, write bool) (remote.Credential, error) {
		if write {
			return app.Token(ctx, address, mayOpen)
		}
		return kept.Token(ctx, address, mayLook)
	}
}

// issueToken returns the function that supplies an App's credential for reading and filing issues; nil
// without an App.
func issueToken(
	address string, app *githubapp.App,
) func(ctx context.Context, write bool) (remote.Credential, error) {
	if app == nil {
		return nil
	}
	kept := app.CachedTokens(tokenKept)
	return func(ctx context.Context, write bool) (remote.Credential, error) {
		if write {
			return app.Token(ctx, address, mayFileIssues)
		}
		return kept.Token(ctx, address, mayReadIssues)
	}
}

// commitToken returns the function that supplies an App's credential for making commits; nil without an App.
func commitToken(address string, app *githubapp.App) func(ctx context.Context) (remote.Credential, error) {
	if app == nil {
		return nil
	}
	return func(ctx context.Context) (remote.Credential, error) {
		return app.Token(ctx, address, mayCommit)
	}
}

// appLacks returns a function that lists the wanted permissions that the App's installation lacks; nil
// without an App.
func appLacks(
	address string, app *githubapp.App, wanted ...map[string]string,
) func(ctx context.Context) ([]string, error) {
	if app == nil {
		return nil
	}
	return func(ctx context.Context) ([]string, error) {
		return app.MissingPermissions(ctx, address, wanted...)
	}
}
