// Package secrets keeps the secrets of this process. It reads them once from environment variables, removes
// them from the environment and from what the kernel shows of it, and keeps other processes of the same
// user from reading this process' memory. No flag takes a secret, because everybody on the machine can see
// a command line.
package secrets

import (
	"cmp"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// The environment variables that hold secrets. There are no flags for them, because everybody on the
// machine can see a command line.
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

var SecretNames = []string{
	SlackBotToken, SlackAppToken, ModelKey, GitToken, GithubAppKey, DatabaseURL, TraceHeaders,
	OnlyTraceHeaders,
}

var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)

// IsVariable reports whether a text may be the name of a variable. It is seldom true for a secret that was
// written where the name of its variable belongs.
func IsVariable(name string) bool { return variable.MatchString(name) }

// TakeEnvironment returns a function that reads this process' environment. It removes the secrets from the
// environment, so that no child process inherits them, and overwrites them in what the kernel shows of the
// process.
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

// FromEnvironment returns the secrets of the environment, to be masked wherever they occur verbatim.
func FromEnvironment(env func(string) string) (values []string) {
	for _, name := range []string{SlackBotToken, SlackAppToken, ModelKey, GitToken} {
		values = append(values, env(name))
	}
	values = append(values, UnescapeKey(env(GithubAppKey)))
	values = append(values, InDatabaseURL(env(DatabaseURL))...)
	values = append(values, inHeaders(env(TraceHeaders)+","+env(OnlyTraceHeaders))...)
	for _, name := range []string{
		"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy",
	} {
		if u, err := url.Parse(env(name)); err == nil && u.User != nil {
			password, _ := u.User.Password()
			values = append(values, password, u.User.String())
		}
	}
	return values
}

// minHeader is the least length of a header's value that is taken for a secret; a shorter one may be an
// ordinary word.
const minHeader = 8

// inHeaders returns the values of headers in the form name=value,name=value. A value with a space, such as
// "Bearer …", is also returned without the text before the space.
func inHeaders(headers string) (values []string) {
	for part := range strings.SplitSeq(headers, ",") {
		_, value, _ := strings.Cut(part, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			_, bare, _ := strings.Cut(plain, " ")
			for _, v := range []string{plain, bare} {
				if len(v) >= minHeader {
					values = append(values, v)
				}
			}
		}
	}
	return values
}

// UnescapeKey returns a key with its escaped line breaks replaced by real ones, so that each line is a
// secret of its own.
func UnescapeKey(key string) string { return strings.ReplaceAll(key, `\n`, "\n") }

// InDatabaseURL returns the secrets in the URL of a Postgres. A password that is also an ordinary name, as
// on many developers' machines, is masked only together with the user's name; alone it would mask ordinary
// words.
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
	if !redact.IsOrdinary(c.Password, c.User, c.Database, c.Host) {
		values = append(values, c.Password)
	}
	return values
}
