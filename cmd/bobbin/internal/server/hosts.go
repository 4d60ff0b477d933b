package server

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/githubapp"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/gitea"
	"github.com/bobbinhq/bobbin/repo/host/github"
	"github.com/bobbinhq/bobbin/repo/host/gitlab"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/aftercare"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
)

// pullRequests opens pull requests for what is pushed, and looks after them; webhooks bring its
// looks forward.
func (b *Server) pullRequests(s Settings, slack *bot.Slack, directory *people.Directory, agent string) *aftercare.Keeper {
	b.openHooks(s)
	return &aftercare.Keeper{
		Rows: pullrequest.Register{Store: b.Store}, Repositories: s.Repositories, Agent: agent, Secrets: s.Secrets, Pace: s.HostPace, Log: b.log, NameOf: directory.DisplayName,
		ThreadURL: func(t workflow.Thread) string {
			return strings.TrimRight(slack.WorkspaceURL(), "/") + "/archives/" + t.Channel + "/p" + strings.ReplaceAll(t.TS, ".", "")
		},
	}
}

// openHooks listens to the webhooks of those git hosts that have a secret.
func (b *Server) openHooks(s Settings) {
	hooks := &aftercare.Hooks{Webhooks: map[string]host.Webhook{}, Wake: pullrequest.Register{Store: b.Store}.Wake, Log: b.log}
	for _, r := range s.Repositories {
		if r.Pulls.Hook.Secret != "" {
			hooks.Webhooks[r.Name] = r.Pulls.Hook
		}
	}
	if len(hooks.Webhooks) > 0 && s.HTTPAddr != "" {
		b.Monitor.Handle("/hooks/{repository}", hooks)
	}
}

// pullRequestsOf is where the repository's pull requests are opened; the zero value where they
// are not. They are asked for with the host's own token, or with what the repository is fetched
// with.
func pullRequestsOf(file config.Config, r config.Repository, credentials remote.Credentials, values map[string]string) (catalog.PullRequests, error) {
	h, web, ok := r.Host.Of(r.URL)
	if !ok {
		return catalog.PullRequests{}, nil
	}
	if h.TokenEnv != "" {
		credentials = remote.Token{Value: remote.Secret(values[h.TokenEnv]), Name: "the token " + h.TokenEnv}
	}
	app, _ := credentials.(*githubapp.App)
	p := catalog.PullRequests{Kind: h.Kind, Draft: h.Draft != "off", Web: web, People: map[string]string{}}
	p.Hook = host.Webhook{Kind: h.Kind, Secret: remote.Secret(values[h.SecretEnv])}
	for login, id := range file.People {
		p.People[strings.ToLower(login)] = id
	}
	sign := signer(r.URL, app, credentials)
	switch h.Kind {
	case host.GitHub:
		owner, name, err := githubapp.Repository(web)
		if err != nil {
			return p, err
		}
		p.Host = github.New(github.Config{API: h.URL, Web: web, Owner: owner, Name: name, Token: sign, Missing: appLacks(r.URL, app)})
	case host.GitLab:
		p.Host = gitlab.New(gitlab.Config{API: h.URL, Web: web, Path: hostPath(web), Token: sign})
	case host.Gitea:
		owner, name, _ := strings.Cut(hostPath(web), "/")
		p.Host = gitea.New(gitea.Config{API: h.URL, Web: web, Owner: owner, Name: name, Token: sign})
	}
	return p, nil
}

// hostPath is the repository's within its host: acme/shop.
func hostPath(web string) string {
	u, err := url.Parse(web)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// The rights that an App's tokens are made with: what is asked next, and no more.
var (
	mayOpen = map[string]string{"pull_requests": "write", "contents": "read"}
	mayLook = map[string]string{"pull_requests": "read", "contents": "read", "checks": "read", "statuses": "read", "actions": "read"}
)

// tokenKept is how long a token of an App signs the requests of one look.
const tokenKept = time.Minute

// signer gives each request its token. Of an App's, those for looking are kept for a moment: one
// look is several requests.
func signer(address string, app *githubapp.App, credentials remote.Credentials) func(ctx context.Context, write bool) (remote.Credential, error) {
	if app == nil {
		return func(ctx context.Context, write bool) (remote.Credential, error) {
			if credentials == nil {
				return remote.Credential{Name: "no token"}, nil
			}
			return credentials.For(ctx, address, map[bool]remote.Access{false: remote.Read, true: remote.Write}[write])
		}
	}
	kept := app.Kept(tokenKept)
	return func(ctx context.Context, write bool) (remote.Credential, error) {
		if write {
			return app.Token(ctx, address, mayOpen)
		}
		return kept.Token(ctx, address, mayLook)
	}
}

// appLacks are the rights that the App's installation has not; nil without an App.
func appLacks(address string, app *githubapp.App) func(ctx context.Context) ([]string, error) {
	if app == nil {
		return nil
	}
	return func(ctx context.Context) ([]string, error) { return app.Lacks(ctx, address, mayOpen, mayLook) }
}
