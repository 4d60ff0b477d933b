package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/git/signing"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// Commits says how the commits of a repository are made.
type Commits struct {
	Name  string `yaml:"name"`  // of the author and committer; default Bobbin
	Email string `yaml:"email"` // default bobbin@localhost
	// a private ed25519 key of OpenSSH, with which commits are signed; default: they are not
	SignKeyFile string `yaml:"sign_key_file"`
	// off (default) or host: commits are made through GitHub's API, which signs those of a GitHub App
	Sign    string `yaml:"sign"`
	SignOff bool   `yaml:"signoff"` // messages end with a Signed-off-by of the author
}

// SignedByHost is the value of sign with which the host makes and signs the commits.
const SignedByHost = "host"

// PushTo is the fork to which the branches of a repository are pushed.
type PushTo struct {
	URL      string `yaml:"url"`
	TokenEnv string `yaml:"token_env"` // default: the credentials of the repository
	empty    bool   // the key is there, and names nothing
}

// ReadShort reads the address alone.
func (p *PushTo) ReadShort(value any) bool {
	at, ok := value.(string)
	p.URL = at
	p.empty = ok && at == ""
	return ok
}

// check adds the problems of the commits of a repository with that host to p.
func (c Commits) check(p *strictyaml.Problems, at string, kind string) {
	if c.Sign != "" {
		p.OneOf(at+".sign", "sign", c.Sign, []string{"off", SignedByHost})
	}
	if c.Sign == SignedByHost {
		switch {
		case kind != host.GitHub:
			p.At(at+".sign", "sign: host works only at GitHub, with host: on and a github_app; elsewhere "+
				"sign with a key: sign_key_file")
		case c.SignKeyFile != "":
			p.At(at+".sign", "sign: host and sign_key_file exclude each other; remove one")
		case c.Name != "" || c.Email != "":
			p.At(at+".sign", "with sign: host GitHub names the App as the author; remove name and email")
		}
	}
	if strings.ContainsAny(c.Name, "<>\n") || c.Name != strings.TrimSpace(c.Name) {
		p.At(at+".name", "name %q has to be the name of an author on one line, without an address; the "+
			"address belongs in email", c.Name)
	}
	if a, err := mail.ParseAddress(c.Email); c.Email != "" && (err != nil || a.Address != c.Email) {
		p.At(at+".email", "email %q has to be an address alone, such as bobbin@acme.com", c.Email)
	}
	if c.SignKeyFile == "" {
		return
	}
	if strings.Contains(c.SignKeyFile, "PRIVATE KEY") || strings.Contains(c.SignKeyFile, "\n") {
		p.At(at+".sign_key_file",
			"sign_key_file has to be the path of a file; the key itself does not belong here")
		return
	}
	if _, _, err := c.readKey(); err != nil {
		p.At(at+".sign_key_file", "sign_key_file %s: %v%s", c.SignKeyFile, err, keyCure(err))
	}
}

// keyCure returns what helps if a key file is not there.
func keyCure(err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return "; correct the path (a relative one counts from the folder of the configuration), or make a key " +
		"there: " + signing.MakeKey
}

// checkSignedByHost adds a problem if GitHub is to sign commits without an App: it signs those of Apps only.
func (c *Config) checkSignedByHost(p *strictyaml.Problems, at string, r Repository) {
	if h, _, _ := r.Host.Of(r.URL); r.Commits.Sign != SignedByHost || h.Kind != host.GitHub {
		return // Commits.check has said what is wrong
	}
	switch {
	case c.appOf(r) == nil:
		p.At(at, "sign: host needs a github_app: GitHub signs only the commits of an App; set github_app "+
			"(and no token_env), or sign with a key: sign_key_file")
	case r.Host.TokenEnv != "":
		p.At(at, "sign: host makes commits with the github_app, and host.token_env would make them with "+
			"another account, not signed; remove host.token_env")
	}
}

// readKey returns the key that commits are signed with, and its text.
func (c Commits) readKey() (*signing.Key, string, error) {
	text, err := readKeyOf(c.SignKeyFile, ownerOnly)
	if err != nil {
		return nil, "", err
	}
	key, err := signing.ParseKey([]byte(text))
	return key, text, err
}

// SigningKey returns the key that commits are signed with, or nil if there is none. hide learns the key.
func (c Commits) SigningKey(hide *redact.Finder) (*signing.Key, error) {
	if c.SignKeyFile == "" {
		return nil, nil
	}
	key, text, err := c.readKey()
	if err != nil {
		return nil, fmt.Errorf("sign_key_file %s: %w", c.SignKeyFile, err)
	}
	hide.Learn(text)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			hide.Learn(line)
		}
	}
	return key, nil
}

// checkPushTo adds the problems of the fork to p. A pull request leads from one repository of a host to
// another of the same host.
func (r *Repository) checkPushTo(p *strictyaml.Problems, at string) {
	to := r.PushTo
	if to == (PushTo{}) {
		return
	}
	shown := address.HideSecret(to.URL)
	ours, page := address.WebPages(r.URL)
	theirs, fork := address.WebPages(to.URL)
	switch err := address.CheckURL(to.URL); {
	case to.URL == "":
		p.At(at, "push_to names no fork; write its url, such as https://github.com/acme-bot/shop.git, "+
			"or leave push_to out")
	case err != nil:
		p.At(at+".url", "url %q: %v", shown, err)
	case to.URL == r.URL || page != "" && strings.EqualFold(page, fork):
		p.At(at+".url", "url %q is the repository itself; leave push_to out, or name a fork", shown)
	case ours != theirs || address.IsHTTP(r.URL) != address.IsHTTP(to.URL):
		p.At(at+".url", "url %q has to be at the same host as the repository, and be reached in the same "+
			"way: "+
			"a pull request leads from a fork to the repository of the same host", shown)
	}
	switch {
	case to.TokenEnv == "":
	case !secrets.IsVariable(to.TokenEnv):
		p.At(at+".token_env", "token_env has to be the name of a variable of the environment, "+
			"such as FORK_TOKEN; the token itself does not belong here")
	case to.URL != "" && !address.IsHTTP(to.URL):
		p.At(at+".token_env", "token_env is for addresses that begin with https://")
	}
}

// resolveFiles makes the relative paths absolute, from the folder dir.
func (c *Commits) resolveFiles(dir string) {
	if c.SignKeyFile != "" && !filepath.IsAbs(c.SignKeyFile) &&
		!strings.Contains(c.SignKeyFile, "PRIVATE KEY") {
		c.SignKeyFile = filepath.Join(dir, c.SignKeyFile)
	}
}
