package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
)

// A GitHubApp is a GitHub App whose short-lived tokens are used for repositories.
type GitHubApp struct {
	ID           strictyaml.Word `yaml:"id"`           // the App's id or client id
	KeyFile      string          `yaml:"key_file"`     // default: the key is in BOBBIN_GITHUB_APP_KEY
	Installation strictyaml.Word `yaml:"installation"` // default auto: GitHub is asked for it
	APIURL       string          `yaml:"api_url"`      // default https://api.github.com
}

const auto = "auto"

// mergedOver fills in what g, the App of a repository, leaves out, from all, the App of the whole file. The
// key file is taken over only together with the id; the installation never is.
func (g GitHubApp) mergedOver(all GitHubApp) GitHubApp {
	if g.ID == "" {
		g.ID = all.ID
		g.KeyFile = cmp.Or(g.KeyFile, all.KeyFile)
	}
	g.APIURL = cmp.Or(g.APIURL, all.APIURL)
	return g
}

// withoutKey returns the App without its private key.
func (g GitHubApp) withoutKey() *githubapp.App {
	a := &githubapp.App{ID: string(g.ID), API: g.APIURL}
	if g.Installation != auto {
		a.Installation = string(g.Installation)
	}
	return a
}

// apiAddress returns the address of the App's GitHub API, without secrets, for messages.
func (g GitHubApp) apiAddress() string {
	return address.HideSecret(cmp.Or(g.APIURL, "https://api.github.com"))
}

// appOf returns the App whose tokens are used for r; nil if there is none.
func (c *Config) appOf(r Repository) *GitHubApp {
	switch g := r.GitHubApp.mergedOver(c.GitHubApp); {
	case !address.IsHTTP(r.URL), r.TokenEnv != "":
		return nil
	case r.GitHubApp != GitHubApp{}:
		return &g
	case c.GitHubApp != GitHubApp{} && c.GitHubApp.withoutKey().Covers(r.URL):
		return &c.GitHubApp
	}
	return nil
}

// UsesApp reports whether tokens of a GitHub App are used for r.
func (c *Config) UsesApp(r Repository) bool { return c.appOf(r) != nil }

func resolveKey(g *GitHubApp, dir string) {
	if g.KeyFile != "" && !filepath.IsAbs(g.KeyFile) {
		g.KeyFile = filepath.Join(dir, g.KeyFile)
	}
}

var (
	appID          = regexp.MustCompile(`^[A-Za-z0-9.]{1,40}$`)
	installationID = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
)

// checkCredentials adds the problems of tokens and Apps to p. It never repeats a value of token_env, which
// may be a token, or a key in place of key_file.
func (c *Config) checkCredentials(p *strictyaml.Problems) {
	c.GitHubApp.check(p, "$.github_app", c.GitHubApp)
	covered := false
	for i, r := range c.Repositories {
		at := fmt.Sprintf("$.repositories[%d]", i)
		covered = covered || c.appOf(r) != nil && r.GitHubApp == GitHubApp{}
		r.GitHubApp.check(p, at+".github_app", r.GitHubApp.mergedOver(c.GitHubApp))
		r.checkToken(p, at)
		if app := c.appOf(r); app != nil && (r.GitHubApp != GitHubApp{}) && !app.withoutKey().Covers(r.URL) {
			p.At(at+".github_app", "github_app: %s is not at the GitHub of %s; set api_url, "+
				"such as https://github.example.com/api/v3", address.HideSecret(r.URL), app.apiAddress())
		} else if app != nil {
			if _, _, err := githubapp.Repository(r.URL); err != nil {
				p.At(at+".url", "url %q: %v", address.HideSecret(r.URL), err)
			}
		}
	}
	if c.GitHubApp != (GitHubApp{}) && !covered && len(c.Repositories) > 0 {
		p.At("$.github_app", "github_app: no repository has an https address at the GitHub of %s",
			c.GitHubApp.apiAddress())
	}
}

func (r Repository) checkToken(p *strictyaml.Problems, at string) {
	switch {
	case r.TokenEnv == "":
	case !secrets.IsVariable(r.TokenEnv):
		p.At(at+".token_env", "token_env has to be the name of a variable of the environment, "+
			"such as SHOP_TOKEN; the token itself does not belong here")
	case r.TokenEnv != secrets.GitToken && slices.Contains(secrets.SecretNames, r.TokenEnv):
		p.At(at+".token_env", "token_env %s is a secret for something else", r.TokenEnv)
	case r.GitHubApp != GitHubApp{}:
		p.At(at+".token_env", "token_env and github_app: set only one of them")
	}
	if !address.IsHTTP(r.URL) && r.URL != "" {
		if r.TokenEnv != "" {
			p.At(at+".token_env", "token_env is for addresses that begin with https://")
		}
		if (r.GitHubApp != GitHubApp{}) {
			p.At(at+".github_app", "github_app is for addresses that begin with https://")
		}
	}
}

// check checks g as it is written in one part of the file; whole is g after mergedOver.
func (g GitHubApp) check(p *strictyaml.Problems, at string, whole GitHubApp) {
	if !p.Has(at) {
		return
	}
	switch {
	case whole.ID == "":
		p.At(at+".id", "id is missing; it is on the App's page under About")
	case !appID.MatchString(string(whole.ID)):
		p.At(at+".id", "github_app: the id %q is no number and no client id", whole.ID)
	}
	if g.Installation != "" && g.Installation != auto && !installationID.MatchString(string(g.Installation)) {
		p.At(at+".installation", "github_app: installation %q has to be auto or a number", g.Installation)
	}
	if g.APIURL != "" {
		if err := githubapp.CheckAPI(g.APIURL); err != nil {
			p.At(at+".api_url", "api_url %q: %v", address.HideSecret(g.APIURL), err)
		}
	}
	if g.KeyFile == "" {
		return
	}
	if strings.Contains(g.KeyFile, "PRIVATE KEY") || strings.Contains(g.KeyFile, "\n") {
		p.At(at+".key_file", "key_file has to be the path of a file; the key itself does not belong here")
		return
	}
	text, err := readKey(g.KeyFile)
	if err == nil {
		_, err = githubapp.ParseKey(text)
	}
	if err != nil {
		p.At(at+".key_file", "key_file %s: %v", g.KeyFile, err)
	}
}

const maxKey = 64 << 10

// The bits of a file's mode that nobody but its owner, or nobody but its owner and readers of its group, has.
const (
	ownerOnly   = 0o077
	ownerOrRead = 0o027
)

// readKey reads the file of a private key. It refuses a file that others may access or the group may write.
func readKey(name string) (string, error) { return readKeyOf(name, ownerOrRead) }

// readKeyOf reads the file of a private key, and refuses one whose mode has any of the bits.
func readKeyOf(name string, refused fs.FileMode) (string, error) {
	fi, err := os.Stat(name)
	var where *fs.PathError
	switch {
	case errors.As(err, &where):
		return "", where.Err
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular() || fi.Size() > maxKey:
		return "", errors.New("it is not a file with a key")
	case fi.Mode().Perm()&refused != 0:
		return "", fmt.Errorf("others may read or change it (%#o); chmod 600 it, "+
			"and if it is in use elsewhere, make a new key", fi.Mode().Perm())
	}
	text, err := os.ReadFile(name)
	if errors.As(err, &where) {
		err = where.Err
	}
	return string(text), err
}
