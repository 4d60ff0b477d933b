package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/githubapp"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// The variables of the environment that hold secrets. There are no flags for them: a
// command line is seen by everybody on the machine.
const (
	slackBotToken = "SLACK_BOT_TOKEN"
	slackAppToken = "SLACK_APP_TOKEN"
	modelKey      = "OPENAI_API_KEY"
	gitToken      = "BOBBIN_GIT_TOKEN"
	githubAppKey  = "BOBBIN_GITHUB_APP_KEY"
	databaseURL   = "DATABASE_URL"
)

var secretNames = []string{slackBotToken, slackAppToken, modelKey, gitToken, githubAppKey, databaseURL}

// environment is this process' environment to read. Secrets are taken out of it, so that
// nothing that is started later inherits them, and blotted out where the kernel shows with
// what a process was started.
func environment() func(string) string {
	taken := map[string]string{}
	for _, name := range secretNames {
		taken[name] = os.Getenv(name)
	}
	forget(secretNames...)
	return func(name string) string { return cmp.Or(taken[name], os.Getenv(name)) }
}

func forget(names ...string) {
	for _, name := range names {
		os.Unsetenv(name)
	}
	blot(names)
}

// given are the secrets of the environment: they are masked word for word.
func given(env func(string) string) (values []string) {
	for _, name := range []string{slackBotToken, slackAppToken, modelKey, gitToken} {
		values = append(values, env(name))
	}
	values = append(values, unescaped(env(githubAppKey)))
	values = append(values, ofDatabase(env(databaseURL))...)
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if u, err := url.Parse(env(name)); err == nil && u.User != nil {
			password, _ := u.User.Password()
			values = append(values, password, u.User.String())
		}
	}
	return values
}

// unescaped is a key with its line breaks, of which each line is then a secret.
func unescaped(key string) string { return strings.ReplaceAll(key, `\n`, "\n") }

// ofDatabase is what is secret in an address of Postgres. A password that is a name as well,
// as on many a developer's machine, would mask ordinary words; it is only masked beside the
// user's name.
func ofDatabase(address string) (values []string) {
	if address == "" {
		return nil
	}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		values = append(values, address)
		if _, set := u.User.Password(); set {
			values = append(values, u.User.String()+"@")
		}
	}
	cfg, err := pgxpool.ParseConfig(address)
	if err != nil {
		return values
	}
	c := cfg.ConnConfig
	if !slices.Contains([]string{c.User, c.Database, c.Host, "postgres", "password"}, c.Password) {
		values = append(values, c.Password)
	}
	return values
}

// secrets reads what the configuration and its environment name, and says what is missing.
// What was read is gone from the environment.
func (c *serveCommand) secrets(config Config, con console) (map[string]string, error) {
	names := []string{slackBotToken, slackAppToken, modelKey, gitToken}
	of := map[string]string{}
	for _, r := range config.Repositories {
		if variableName.MatchString(r.TokenEnv) && !slices.Contains(names, r.TokenEnv) {
			names = append(names, r.TokenEnv)
			of[r.TokenEnv] = r.Name
		}
	}
	var errs []error
	secrets := map[string]string{}
	for _, name := range names {
		secrets[name] = con.Env(name)
		switch {
		case strings.ContainsFunc(secrets[name], notOfToken):
			errs = append(errs, fmt.Errorf("environment: %s holds white space, quotes or other characters that no token has", name))
		case secrets[name] == "" && of[name] != "":
			errs = append(errs, fmt.Errorf("environment: %s is not set; token_env of repository %q names it", name, of[name]))
		}
	}
	secrets[githubAppKey] = con.Env(githubAppKey)
	errs = append(errs, checkAppKey(config, secrets[githubAppKey]), checkOneHost(config, secrets[gitToken]))
	for _, value := range secrets {
		con.Hide.Learn(unescaped(value))
	}
	if con.Forget != nil {
		con.Forget(names...)
	}
	return secrets, errors.Join(errs...)
}

// checkAppKey: an App without a file has its key in the environment.
func checkAppKey(config Config, key string) error {
	for _, r := range config.Repositories {
		switch app := config.appOf(r); {
		case app == nil || app.KeyFile != "":
		case key == "":
			return fmt.Errorf("environment: %s is not set, and github_app names no key_file; one of them has to give the App's private key", githubAppKey)
		default:
			if _, err := githubapp.ParseKey(key); err != nil {
				return fmt.Errorf("environment: %s: %w", githubAppKey, err)
			}
		}
	}
	return nil
}

// checkOneHost: a token is for one host, and would be shown to the others.
func checkOneHost(config Config, token string) error {
	hosts := map[string]bool{}
	for _, r := range config.Repositories {
		if u, err := url.Parse(r.URL); err == nil && overHTTP(r.URL) && (r.TokenEnv == "" || r.TokenEnv == gitToken) && config.appOf(r) == nil {
			hosts[strings.ToLower(u.Host)] = true
		}
	}
	if token == "" || len(hosts) < 2 {
		return nil
	}
	return fmt.Errorf("environment: %s would be shown to %s; give the repositories of all but one of them a token of their own with token_env", gitToken, strings.Join(slices.Sorted(maps.Keys(hosts)), " and "))
}

// credentials are what each repository's remote is shown, by the repository's name: a
// token of its own, those of a GitHub App, or the one that is for all. Repositories of one
// App share it. hide learns the keys that are read.
func (c *Config) credentials(secrets map[string]string, hide *redact.Finder) (map[string]repo.Credentials, error) {
	all := map[string]repo.Credentials{}
	apps := map[GitHubAppConfig]*githubapp.App{}
	for _, r := range c.Repositories {
		name := cmp.Or(r.TokenEnv, gitToken)
		switch g := c.appOf(r); {
		case g != nil:
			if apps[*g] == nil {
				app, err := g.withKey(secrets[githubAppKey], hide)
				if err != nil {
					return nil, usageError{err}
				}
				apps[*g] = app
			}
			all[r.Name] = apps[*g]
		case overHTTP(r.URL) && secrets[name] != "":
			all[r.Name] = repo.Token{Value: repo.Secret(secrets[name]), Name: "the token " + name}
		}
	}
	return all, nil
}

func (g GitHubAppConfig) withKey(text string, hide *redact.Finder) (*githubapp.App, error) {
	if g.KeyFile != "" {
		var err error
		if text, err = readKey(g.KeyFile); err != nil {
			return nil, fmt.Errorf("key_file %s: %w", g.KeyFile, err)
		}
	}
	hide.Learn(unescaped(text))
	key, err := githubapp.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("github_app: %w", err)
	}
	app := g.app()
	app.Key = key
	return app, nil
}
