package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// secretName matches the names of variables that hold a secret.
var secretName = regexp.MustCompile(`(?i)(?:^|_)(?:secrets?|tokens?|keys?|pass|password|passwd|passphrase|` +
	`pwd|pw|credentials?|auth|authtoken|private|salt|pepper|signature|webhook|dsn)(?:_|$|\d)`)

// variable matches a value that only names another variable: it is no secret, and stands in ordinary text.
var variable = regexp.MustCompile(`^\$\{\w+\}$`)

// EnvValues returns the secret values in a file of environment variables: values whose variable has a name
// that matches secretName, and passwords in URLs. It leaves out all other values, such as ports, modes and
// host names, because they appear in ordinary text as well. So do passwords that are ordinary names.
func EnvValues(file string) (values []string) {
	for line := range strings.Lines(file) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		if !ok || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		value = unquoted(strings.TrimSpace(value))
		if u, err := url.Parse(value); err == nil && u.User != nil {
			if password, ok := u.User.Password(); ok && !IsOrdinary(password, u.User.Username()) {
				values = append(values, password)
			}
		}
		if secretName.MatchString(name) && !IsOrdinary(value) && !variable.MatchString(value) {
			values = append(values, value)
		}
	}
	return values
}

// IsOrdinary reports whether a password is an ordinary name, as on many developers' machines: one of the
// names beside it, "postgres" or "password". Masking it would mask ordinary words.
func IsOrdinary(password string, beside ...string) bool {
	return password == "postgres" || password == "password" || slices.Contains(beside, password)
}

// With returns a copy of f that also knows the given values. It returns nil for a nil f.
func (f *Finder) With(values ...string) *Finder {
	if f == nil {
		return nil
	}
	more := &Finder{}
	more.given.Store(f.given.Load())
	more.Learn(values...)
	return more
}

// unquoted returns a value as programs see it: without quotes or a trailing comment.
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
