package config

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A GitHost holds the settings of the git host at which pull requests are opened for pushed branches.
type GitHost struct {
	// github, gitlab or gitea (also for Forgejo); default: by the repository's url
	Kind string `yaml:"kind"`
	// of its API; default: by the repository's url
	URL string `yaml:"url"`
	// default: the credentials that the repository is fetched with
	TokenEnv string `yaml:"token_env"`
	// on (default) or off: pull requests are opened as drafts
	Draft string `yaml:"draft"`
	// on (default), off, or the path of the template in the repository: what pull requests are written into
	Template string `yaml:"template"`
	// put on each pull request; default: none
	Labels []string `yaml:"labels"`
	// logins, or the words requester and approver; default: none
	Assignees []string `yaml:"assignees"`
	// logins, or the words codeowners, requester and approver; default: none
	Reviewers []string `yaml:"reviewers"`
	// secret of the host's webhooks; default: webhooks are not accepted
	SecretEnv string `yaml:"webhook_secret_env"`
	// the file says: host: on
	on bool
}

// ReadShort reads on and off, also as the booleans that YAML makes of them. It returns false for other
// values.
func (g *GitHost) ReadShort(value any) bool {
	g.on = value == "on" || value == true
	return g.on || value == "off" || value == false
}

// ShortForms names the words that may be written in place of the keys.
func (GitHost) ShortForms() string { return "the word on or off" }

// opens reports whether pull requests are opened: g is not the zero GitHost.
func (g GitHost) opens() bool { return !reflect.ValueOf(g).IsZero() }

// kinds are the git hosts at which pull requests can be opened.
var kinds = []string{host.GitHub, host.GitLab, host.Gitea}

// Of returns g with the defaults for the repository with that URL filled in. Its Kind stays empty if the
// URL does not tell it. web is the repository's page. ok is false if no pull requests are opened.
func (g GitHost) Of(remote string) (filled GitHost, web string, ok bool) {
	if !g.opens() {
		return g, "", false
	}
	site, page := address.WebPages(remote)
	if g.Kind == "" {
		g.Kind = hostKind(site)
	}
	if g.URL == "" && site != "" {
		g.URL = map[string]string{
			host.GitHub: site + "/api/v3",
			host.GitLab: site + "/api/v4",
			host.Gitea:  site + "/api/v1",
		}[g.Kind]
		if site == "https://github.com" {
			g.URL = "https://api.github.com"
		}
	}
	return g, page, true
}

// hostKind returns the kind of host that the name of the site tells, or an empty string.
func hostKind(site string) string {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	for _, known := range []struct{ name, kind string }{
		{"github.", host.GitHub},
		{"gitlab.", host.GitLab},
		{"codeberg.org", host.Gitea},
		{"gitea.", host.Gitea},
		{"forgejo.", host.Gitea},
	} {
		if strings.HasPrefix(strings.ToLower(u.Hostname()), known.name) {
			return known.kind
		}
	}
	return ""
}

// checkPeople checks the map from logins at git hosts to the Slack ids of people, and adds the problems to
// p.
func checkPeople(p *strictyaml.Problems, people map[string]string) {
	for login, id := range people {
		if strings.TrimSpace(login) == "" || !personID.MatchString(id) {
			p.At("$.people."+login, "%q is not the Slack id of a person (U…); people has logins at the git "+
				"host and the ids of their people, such as ann-at-work: U0123ABCD", id)
		}
	}
}

// check checks the host of the repository with that URL and adds the problems to p.
func (g GitHost) check(p *strictyaml.Problems, at, remote string) {
	g, page, ok := g.Of(remote)
	if !ok || remote == "" { // that it is missing is said of url
		return
	}
	switch {
	case g.Kind == "":
		p.At(at+".kind", "kind is missing, and %s does not show it; add one of %s, such as host: {kind: "+
			"gitea}",
			address.HideSecret(remote), strings.Join(kinds, ", "))
		return
	case !slices.Contains(kinds, g.Kind):
		p.OneOf(at+".kind", "host kind", g.Kind, kinds)
		return
	case page == "" || strings.Count(page, "/") < 4:
		p.At(at, "host: %s is no repository at a host; its url has to be like https://HOST/OWNER/NAME or "+
			"git@HOST:OWNER/NAME", address.HideSecret(remote))
	case githubapp.CheckAPI(g.URL) != nil:
		p.At(at+".url", "host url %q: %v", address.HideSecret(g.URL), githubapp.CheckAPI(g.URL))
	}
	if g.Draft != "" {
		p.OneOf(at+".draft", "draft", g.Draft, []string{"on", "off"})
	}
	g.checkPapers(p, at)
	for key, name := range map[string]string{"token_env": g.TokenEnv, "webhook_secret_env": g.SecretEnv} {
		if name != "" && !secrets.IsVariable(name) {
			p.At(at+"."+key, "%s has to be the name of a variable of the environment, "+
				"such as SHOP_HOST_TOKEN; the secret itself does not belong here", key)
		} else if name != secrets.GitToken && slices.Contains(secrets.SecretNames, name) {
			p.At(at+"."+key, "%s %s is a secret for something else", key, name)
		}
	}
	if !address.IsHTTP(remote) && g.TokenEnv == "" {
		p.At(at+".token_env", "token_env is missing: a repository that is fetched over ssh needs a token "+
			"for "+
			"its host, such as host: {token_env: SHOP_HOST_TOKEN}")
	}
}

// hostLogin matches the login of a person at a git host.
var hostLogin = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// labelName matches the name of a label. GitLab separates several by commas.
var labelName = regexp.MustCompile(`^[^\s,](?:[^,\r\n]{0,98}[^\s,])?$`)

// checkPapers adds the problems of the template, the labels and the people of pull requests to p.
func (g GitHost) checkPapers(p *strictyaml.Problems, at string) {
	if t := g.Template; strings.HasPrefix(t, "/") || slices.Contains(strings.Split(t, "/"), "..") {
		p.At(at+".template", "template %q has to be on, off, or the path of a file in the repository", t)
	} else if slices.Contains([]string{"none", "no", "yes", "On", "Off", "ON", "OFF"}, t) {
		p.At(at+".template", "template is on, off, or the path of a file in the repository; %q is none of "+
			"these",
			t)
	}
	p.InForm(at+".labels", g.Labels, labelName, "the name of a label, without commas")
	words := []string{repository.Requester, repository.Approver}
	p.InForm(at+".assignees", g.Assignees, hostLogin, "a login at the git host (without @), or one of the "+
		"words requester and approver")
	checkWords(p, at+".assignees", g.Assignees, append(words, repository.Codeowners))
	p.InForm(at+".reviewers", g.Reviewers, hostLogin, "a login at the git host (without @), or one of the "+
		"words codeowners, requester and approver")
	checkWords(p, at+".reviewers", g.Reviewers, append(words, repository.Codeowners))
	if slices.Contains(g.Assignees, repository.Codeowners) {
		p.At(at+".assignees", "codeowners are asked for a review, and not assigned; write "+
			"reviewers: [codeowners]")
	}
}

// checkWords adds a problem for each name that is nearly one of the words: it would be taken for a login.
func checkWords(p *strictyaml.Problems, at string, names, words []string) {
	for i, name := range names {
		if slices.Contains(words, name) {
			continue
		}
		near := cli.DidYouMean(strings.ReplaceAll(strings.ToLower(name), "_", ""), words)
		if near != "" {
			p.At(fmt.Sprintf("%s[%d]", at, i), "%q is none of the words "+
				"%s%s", name, strings.Join(words, ", "),
				near)
		}
	}
}
