package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// secretVariables returns the names of the environment variables with secrets, and for those that the file
// names, which setting does.
func (c *Config) secretVariables() (names []string, of map[string]string) {
	names = []string{secrets.SlackBotToken, secrets.SlackAppToken, secrets.ModelKey, secrets.GitToken}
	of = map[string]string{}
	add := func(name, setting string, args ...any) {
		if secrets.IsVariable(name) && !slices.Contains(names, name) {
			names = append(names, name)
			of[name] = fmt.Sprintf(setting, args...)
		}
	}
	for _, r := range c.Repositories {
		add(r.TokenEnv, "token_env of repository %q", r.Name)
		add(r.PushTo.TokenEnv, "token_env of push_to of repository %q", r.Name)
		add(r.Host.TokenEnv, "token_env of host of repository %q", r.Name)
		add(r.Host.SecretEnv, "webhook_secret_env of host of repository %q", r.Name)
		for _, l := range r.Setup.Auth {
			add(l.TokenEnv, "token_env of setup.auth of repository %q", r.Name)
			add(l.UserEnv, "user_env of setup.auth of repository %q", r.Name)
		}
	}
	for _, t := range c.Trackers {
		add(t.TokenEnv, "the tracker of kind %q", t.Kind)
	}
	for _, s := range c.Sources {
		for _, name := range append([]string{s.TokenEnv}, s.EnvFrom...) {
			add(name, "source %q", s.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		add(c.Models[name].KeyEnv, "key_env of model %q", name)
	}
	add(c.Transcription.KeyEnv, "key_env of transcription")
	add(c.HTTP.SignIn.SecretEnv, "secret_env of http.sign_in")
	return names, of
}

// ReadSecrets reads the environment variables that the configuration names, and returns their values by
// name. Its error lists all variables that are missing or malformed. It registers the values with con.Hide,
// and removes the variables from the environment.
func (c *Config) ReadSecrets(con cli.Console) (map[string]string, error) {
	names, of := c.secretVariables()
	var errs []error
	values := map[string]string{}
	for _, name := range names {
		values[name] = con.Env(name)
		switch {
		case strings.ContainsFunc(values[name], NeverInToken):
			errs = append(errs, fmt.Errorf("environment: %s holds white space, quotes or other characters "+
				"that a token cannot have", name))
		case values[name] == "" && of[name] != "":
			errs = append(errs, fmt.Errorf("environment: %s is not set; %s names it", name, of[name]))
		}
	}
	values[secrets.GithubAppKey] = con.Env(secrets.GithubAppKey)
	errs = append(errs, checkAppKey(*c, values[secrets.GithubAppKey]),
		checkOneHost(*c, values[secrets.GitToken]))
	for _, value := range values {
		con.Hide.Learn(secrets.UnescapeKey(value))
	}
	if con.Forget != nil {
		con.Forget(names...)
	}
	return values, errors.Join(errs...)
}

// checkAppKey checks that each App without a key file finds a valid key in the environment.
func checkAppKey(config Config, key string) error {
	for _, r := range config.Repositories {
		switch app := config.appOf(r); {
		case app == nil || app.KeyFile != "":
		case key == "":
			return fmt.Errorf("environment: %s is not set, and github_app names no key_file; "+
				"one of them has to give the App's private key", secrets.GithubAppKey)
		default:
			if _, err := githubapp.ParseKey(key); err != nil {
				return fmt.Errorf("environment: %s: %w", secrets.GithubAppKey, err)
			}
		}
	}
	return nil
}

// checkOneHost refuses a git token that would be sent to more than one host.
func checkOneHost(config Config, token string) error {
	hosts := map[string]bool{}
	for _, r := range config.Repositories {
		if u, err := url.Parse(r.URL); err == nil && address.IsHTTP(r.URL) &&
			(r.TokenEnv == "" || r.TokenEnv == secrets.GitToken) && config.appOf(r) == nil {
			hosts[strings.ToLower(u.Host)] = true
		}
	}
	if token == "" || len(hosts) < 2 {
		return nil
	}
	return fmt.Errorf("environment: %s would be shown to %s; give the repositories of all but one of them "+
		"a token of their own with token_env",
		secrets.GitToken, strings.Join(slices.Sorted(maps.Keys(hosts)), " and "))
}

// Credentials returns the credentials for each repository's remote, by the repository's name: its own
// token, those of a GitHub App, or the shared token. Repositories with the same App share one
// githubapp.App. Keys that are read are registered with hide.
func (c *Config) Credentials(
	values map[string]string, hide *redact.Finder,
) (map[string]remote.Credentials, error) {
	all := map[string]remote.Credentials{}
	apps := map[GitHubApp]*githubapp.App{}
	for _, r := range c.Repositories {
		name := cmp.Or(r.TokenEnv, secrets.GitToken)
		switch g := c.appOf(r); {
		case g != nil:
			if apps[*g] == nil {
				app, err := g.withKey(values[secrets.GithubAppKey], hide)
				if err != nil {
					return nil, cli.UsageError{Err: err}
				}
				apps[*g] = app
			}
			all[r.Name] = apps[*g]
		case address.IsHTTP(r.URL) && values[name] != "":
			all[r.Name] = remote.Token{Value: remote.Secret(values[name]), Name: "the token " + name}
		}
	}
	return all, nil
}

func (g GitHubApp) withKey(text string, hide *redact.Finder) (*githubapp.App, error) {
	if g.KeyFile != "" {
		var err error
		if text, err = readKey(g.KeyFile); err != nil {
			return nil, fmt.Errorf("key_file %s: %w", g.KeyFile, err)
		}
	}
	hide.Learn(secrets.UnescapeKey(text))
	key, err := githubapp.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("github_app: %w", err)
	}
	app := g.withoutKey()
	app.Key = key
	return app, nil
}

func NeverInToken(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"'`\\", r) }

func CheckHTTPAddr(addr string) error {
	if addr == "" {
		return nil
	}
	if err := address.CheckListen(addr); err != nil {
		return fmt.Errorf("environment: BOBBIN_HTTP_ADDR: %w", err)
	}
	return nil
}
