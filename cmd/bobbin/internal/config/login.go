package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
)

// A RegistryLogin is the login for one host from which packages are fetched. The token is sent to that host
// only, as a bearer token, or with a user by basic authentication.
type RegistryLogin struct {
	// host or host:port, over TLS; or http://host[:port] for one in a private network
	Host     string `yaml:"host"`
	TokenEnv string `yaml:"token_env"` // the variable with the token or password
	User     string `yaml:"user"`      // for basic authentication; default: none
	UserEnv  string `yaml:"user_env"`  // instead of user: the variable with the user's name
}

// checkLogins checks setup.auth. Its errors never contain a value of token_env or user_env, which may be the
// secret itself.
func (s *Setup) checkLogins(p *strictyaml.Problems, at string) {
	var hosts []string
	for i, l := range s.Auth {
		at := fmt.Sprintf("%s[%d]", at, i)
		shown := address.HideSecret(l.Host)
		switch err := proxy.CheckLogin(l.Host); {
		case l.Host == "":
			p.At(at+".host", "setup.auth: a login needs a host, such as host: npm.pkg.github.com")
		case err != nil:
			p.At(at+".host", "%q: %v", shown, err)
		case slices.Contains(hosts, (proxy.Login{Host: l.Host}).Target()):
			p.At(at+".host", "setup.auth: there are two logins for %s; remove one", shown)
		default:
			hosts = append(hosts, (proxy.Login{Host: l.Host}).Target())
		}
		if l.User != "" && l.UserEnv != "" {
			p.At(at+".user_env", "setup.auth: set only one of user and user_env")
		}
		if strings.ContainsFunc(l.User, func(r rune) bool { return NeverInToken(r) || r == ':' }) {
			p.At(at+".user", "setup.auth: the user %q has characters that a login cannot have", l.User)
		}
		checkSecretVariable(p, at, "token_env", l.TokenEnv, true)
		checkSecretVariable(p, at, "user_env", l.UserEnv, false)
	}
}

func checkSecretVariable(p *strictyaml.Problems, at, key, name string, needed bool) {
	switch {
	case name == "" && needed:
		p.At(at+"."+key, "setup.auth: a login needs a %s, the name of the variable with the token", key)
	case name == "":
	case !secrets.IsVariable(name):
		p.At(at+"."+key, "setup.auth: %s has to be the name of a variable of the environment, such as "+
			"NPM_TOKEN; its value does not belong here", key)
	case name != secrets.GitToken && slices.Contains(secrets.SecretNames, name):
		p.At(at+"."+key, "setup.auth: %s %s is a secret for something else", key, name)
	}
}

// hasLogin reports whether there is a login for a host, in the form of setup.allow.
func (s *Setup) hasLogin(host string) bool {
	return slices.ContainsFunc(s.Auth, func(l RegistryLogin) bool {
		return strings.TrimPrefix(l.Host, "http://") == host
	})
}
