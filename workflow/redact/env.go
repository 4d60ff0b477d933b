package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// secretName is what the variables are called that hold a secret.
var secretName = regexp.MustCompile(`(?i)(?:^|_)(?:secrets?|tokens?|keys?|pass|password|passwd|passphrase|pwd|pw|credentials?|auth|private|salt|pepper|signature|webhook|dsn)(?:_|$|\d)`)

// EnvValues are the values in a file of environment variables that are secrets, going by
// the names of their variables, and the passwords in addresses. The rest, ports and modes
// and names of hosts, stands in ordinary text as well.
func EnvValues(file string) (values []string) {
	for line := range strings.Lines(file) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		if !ok || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		value = unquoted(strings.TrimSpace(value))
		if u, err := url.Parse(value); err == nil && u.User != nil {
			if password, ok := u.User.Password(); ok {
				values = append(values, password)
			}
		}
		if secretName.MatchString(name) {
			values = append(values, value)
		}
	}
	return values
}

// With is a finder that knows these values, too.
func (f *Finder) With(values ...string) *Finder {
	if f == nil {
		return nil
	}
	more := &Finder{}
	more.given.Store(f.given.Load())
	more.Learn(values...)
	return more
}

// unquoted is a value as programs see it: without quotes, or the remark behind it.
func unquoted(value string) string {
	for _, quote := range []string{`"`, "'"} {
		if rest, ok := strings.CutPrefix(value, quote); ok {
			if inner, _, ok := strings.Cut(rest, quote); ok {
				return inner
			}
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}
