package config

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// Services are the servers that are started for the tests of a repository, with the wanted version or the
// word any.
type Services struct {
	Postgres *strictyaml.Word `yaml:"postgres"`
	Redis    *strictyaml.Word `yaml:"redis"`
	MySQL    *strictyaml.Word `yaml:"mysql"`
	// the file says: services: off
	off bool
}

// ReadShort reads the short forms off and false. It returns false for other values.
func (s *Services) ReadShort(value any) bool {
	s.off = value == "off" || value == false
	return s.off
}

// byKind returns the services that the file names.
func (s Services) byKind() map[string]*strictyaml.Word {
	all := map[string]*strictyaml.Word{
		environment.Postgres: s.Postgres, environment.Redis: s.Redis, environment.MySQL: s.MySQL,
	}
	maps.DeleteFunc(all, func(_ string, version *strictyaml.Word) bool { return version == nil })
	return all
}

// serviceVersion matches a version, such as 16 or 7.2.
var serviceVersion = regexp.MustCompile(`^\d{1,4}(\.\d{1,4}){0,2}$`)

func (s *Services) check(p *strictyaml.Problems, at string) {
	for kind, version := range s.byKind() {
		if *version != "any" && !serviceVersion.MatchString(string(*version)) {
			p.At(at+"."+kind, "services.%s %q: a version is expected, such as 16 or 7.2, or any", kind,
				*version)
		}
	}
}

// checkValues checks the variables of a repository's commands.
func checkValues(p *strictyaml.Problems, at string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if err := checkValue(name, env[name]); err != nil {
			p.At(at+"."+name, "%v", err)
		}
	}
}

// checkValue returns what is wrong with a variable. Its error never contains the value, which may be a
// secret. An address with a user is allowed only for a server of the sandbox.
func checkValue(name, value string) error {
	secret := secretName.MatchString(name) || len(redact.New().Find(name+"="+value)) > 0
	switch {
	case !setupVariable.MatchString(name):
		return errors.New("it is not the name of a variable")
	case environment.IsReserved(name):
		return errors.New("it decides how programs run, or is set by Bobbin itself; sandbox.env sets such " +
			"variables for all repositories")
	case strings.ContainsAny(value, "\x00\n\r"):
		return errors.New("its value has to be one line")
	case secret || withUser(value) && !localAddress.MatchString(value):
		return errors.New("it looks like a secret, and the repository's code and models can read it; tests " +
			"need none: use a value that is valid nowhere, under another name")
	}
	return nil
}

// localAddress matches an address at this machine, such as postgres://me:example@localhost:5432/shop.
var localAddress = regexp.MustCompile(
	`^[a-z][a-z0-9+]*://[^/@\s]*@(localhost|127\.0\.0\.1)(:\d+)?(/[^@\s]*)?$`)

// Environment returns the settings as package environment takes them.
func (r Repository) Environment() environment.Config {
	c := environment.Config{Off: r.Services.off, Folder: r.Scope, Image: r.Installed.Image}
	for kind, version := range r.Services.byKind() {
		if c.Services == nil {
			c.Services = map[string]string{}
		}
		c.Services[kind] = strings.TrimSuffix(string(*version), "any")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		c.Env = append(c.Env, name+"="+r.Env[name])
	}
	return c
}
