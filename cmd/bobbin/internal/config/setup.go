package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// Setup says how the packages that a repository depends on are fetched. What is left out is detected from
// lock files.
type Setup struct {
	Run commandLines `yaml:"run"`
	// hosts, or host:port
	Allow []string `yaml:"allow"`
	// hosts whose addresses may be in a private network
	Private []string `yaml:"private"`
	// logins for registries and git hosts
	Auth []RegistryLogin `yaml:"auth"`
	// mirrors: GOPROXY, npm_config_registry, PIP_INDEX_URL; no secrets
	Env map[string]string `yaml:"env"`
	// time limit; default 10
	Minutes float64 `yaml:"minutes"`
	// folder of advisories in the form of OSV; default: none
	Advisories string `yaml:"advisories"`
	// the file says: setup: off
	off bool
}

// ReadShort reads the short forms off and false. It returns false for other values.
func (s *Setup) ReadShort(value any) bool {
	s.off = value == "off" || value == false
	return s.off
}

// commandLines holds one or more command lines.
type commandLines []string

// ReadShort reads a single string, which may be a block of several lines.
func (c *commandLines) ReadShort(value any) bool {
	line, ok := value.(string)
	if ok {
		*c = commandLines{line}
	}
	return ok
}

// maxMinutes is the upper limit of setup.minutes.
const maxMinutes = 120

func (s *Setup) check(p *strictyaml.Problems, at string) {
	for i, line := range s.Run {
		if strings.TrimSpace(line) == "" {
			p.At(fmt.Sprintf("%s.run[%d]", at, i),
				"setup.run: a command is empty; leave run out, and Bobbin finds the commands; or write "+
					"setup: off")
		}
	}
	for key, hosts := range map[string][]string{"allow": s.Allow, "private": s.Private} {
		for i, host := range hosts {
			err := proxy.CheckHost(host)
			if strings.Contains(host, "/") {
				err = errors.New("a host's name is expected, without a scheme or path")
			}
			if err != nil {
				p.At(fmt.Sprintf("%s.%s[%d]", at, key, i), "setup.%s %q: %v", key,
					address.HideSecret(host), err)
			}
		}
	}
	switch {
	case s.Minutes < 0:
		p.At(at+".minutes", "setup.minutes may not be below zero")
	case s.Minutes > maxMinutes:
		p.At(at+".minutes", "setup.minutes may not be more than %d", maxMinutes)
	}
	s.checkLogins(p, at+".auth")
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if err := s.checkVariable(name, s.Env[name]); err != nil {
			p.At(at+".env."+name, "%v", err)
		}
	}
}

var (
	setupVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	secretName    = regexp.MustCompile(`(?i)(token|secret|passw|_auth|apikey|api_key|credential|private_key)`)
)

// checkVariable returns what is wrong with a variable. Its error never contains the value, which may be a
// secret.
func (s *Setup) checkVariable(name, value string) error {
	switch {
	case !setupVariable.MatchString(name):
		return errors.New("it is not the name of a variable")
	case packages.IsReservedEnv(name):
		return errors.New("it is set by Bobbin itself")
	case strings.ContainsAny(value, "\x00\n\r"):
		return errors.New("its value has to be one line")
	case secretName.MatchString(name), withUser(value), len(redact.New().Find(name+"="+value)) > 0:
		return errors.New("it looks like a secret, and code of the packages can read it; " +
			"setup.auth adds a login where none can")
	}
	for _, host := range packages.HostsIn(value) {
		if len(s.Allow) > 0 && !slices.Contains(s.Allow, host) && !slices.Contains(s.Private, host) &&
			!s.hasLogin(host) {
			return fmt.Errorf("it names the host %s, which setup.allow does not", host)
		}
	}
	return nil
}

// withUser reports whether an address in value contains a user or a password. value may hold several
// addresses.
func withUser(value string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(value,
		func(r rune) bool { return strings.ContainsRune(", |", r) }), func(s string) bool {
		u, err := url.Parse(s)
		return strings.Contains(s, "://") && (err != nil || u.User != nil)
	})
}

// Options returns the settings as package packages takes them. values holds the values of the variables that
// they name.
func (s Setup) Options(values map[string]string) packages.Config {
	c := packages.Config{
		Off:        s.off,
		Run:        s.Run,
		Allow:      s.Allow,
		Private:    s.Private,
		Time:       time.Duration(s.Minutes * float64(time.Minute)),
		Advisories: s.Advisories,
	}
	for _, l := range s.Auth {
		c.Logins = append(c.Logins, proxy.Login{
			Host:  l.Host,
			User:  cmp.Or(l.User, values[l.UserEnv]),
			Token: remote.Secret(values[l.TokenEnv]),
			Name:  "the token in " + l.TokenEnv,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Env = append(c.Env, name+"="+s.Env[name])
	}
	return c
}
