// Package secrets keeps the secrets of this process. It reads them once from environment
// variables, and then removes them from the environment and from what the kernel shows of the
// process, and keeps other processes of the same user from reading its memory. No flag takes a
// secret: everybody on the machine can see a command line.
package secrets

import (
	"cmp"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The variables of the environment that hold secrets. There are no flags for them: a
// command line is seen by everybody on the machine.
const (
	SlackBotToken = "SLACK_BOT_TOKEN"
	SlackAppToken = "SLACK_APP_TOKEN"
	ModelKey      = "OPENAI_API_KEY"
	GitToken      = "BOBBIN_GIT_TOKEN"
	GithubAppKey  = "BOBBIN_GITHUB_APP_KEY"
	DatabaseURL   = "DATABASE_URL"

	TraceHeaders     = "OTEL_EXPORTER_OTLP_HEADERS"
	OnlyTraceHeaders = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
)

var SecretNames = []string{SlackBotToken, SlackAppToken, ModelKey, GitToken, GithubAppKey, DatabaseURL, TraceHeaders, OnlyTraceHeaders}

var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)

// IsVariable reports whether a text may be the name of a variable. A secret that somebody wrote in
// the place of its variable's name seldom is.
func IsVariable(name string) bool { return variable.MatchString(name) }

// TakeEnvironment is this process' environment to read. Secrets are taken out of it, so that
// nothing that is started later inherits them, and blotted out where the kernel shows with
// what a process was started.
func TakeEnvironment() func(string) string {
	taken := map[string]string{}
	for _, name := range SecretNames {
		taken[name] = os.Getenv(name)
	}
	ForgetVariables(SecretNames...)
	return func(name string) string { return cmp.Or(taken[name], os.Getenv(name)) }
}

func ForgetVariables(names ...string) {
	for _, name := range names {
		os.Unsetenv(name)
	}
	overwriteEnviron(names)
}

// FromEnvironment are the secrets of the environment: they are masked word for word.
func FromEnvironment(env func(string) string) (values []string) {
	for _, name := range []string{SlackBotToken, SlackAppToken, ModelKey, GitToken} {
		values = append(values, env(name))
	}
	values = append(values, UnescapeKey(env(GithubAppKey)))
	values = append(values, InDatabaseURL(env(DatabaseURL))...)
	values = append(values, inHeaders(env(TraceHeaders)+","+env(OnlyTraceHeaders))...)
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if u, err := url.Parse(env(name)); err == nil && u.User != nil {
			password, _ := u.User.Password()
			values = append(values, password, u.User.String())
		}
	}
	return values
}

// leastHeader is the length from which on a header's value is taken for a key, and not for a word.
const leastHeader = 8

// inHeaders are the values of headers, name=value,name=value, also without what stands before a
// key ("Bearer …").
func inHeaders(headers string) (values []string) {
	for part := range strings.SplitSeq(headers, ",") {
		_, value, _ := strings.Cut(part, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			_, bare, _ := strings.Cut(plain, " ")
			for _, v := range []string{plain, bare} {
				if len(v) >= leastHeader {
					values = append(values, v)
				}
			}
		}
	}
	return values
}

// UnescapeKey is a key with its line breaks, of which each line is then a secret.
func UnescapeKey(key string) string { return strings.ReplaceAll(key, `\n`, "\n") }

// InDatabaseURL is what is secret in an address of Postgres. A password that is a name as well,
// as on many a developer's machine, would mask ordinary words; it is only masked beside the
// user's name.
func InDatabaseURL(address string) (values []string) {
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
