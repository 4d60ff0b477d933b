// Package githubapp makes short-lived tokens of a GitHub App. Each token is for one repository and for
// the requested permissions only, such as to read or to write its contents.
//
// An App implements remote.Credentials. Right before a fetch or push, For signs an assertion, valid for
// nine minutes, with the App's key, and GitHub makes a token from it. An App keeps no token: the caller
// drops it after the exchange, and it expires at GitHub after an hour. The App keeps only the key and
// the installation of each repository. KeptTokens reuses a token for a while.
//
// A refusal by GitHub is a *remote.Error with a cure for people. A failure of GitHub itself is marked
// with Retry, and the caller tries again.
package githubapp

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// App is a GitHub App with its private key.
type App struct {
	ID  string // the App's id, or its client id
	Key *rsa.PrivateKey
	// Installation is the id of the installation that has the repositories. Default: GitHub is asked
	// for the installation of each repository.
	Installation string
	// API is the address of GitHub's REST API. Default https://api.github.com; GitHub Enterprise Server
	// has it at https://HOST/api/v3.
	API string
	Now func() time.Time // default time.Now

	mu    sync.Mutex
	found map[string]string // ids of installations by owner/name
}

const (
	publicAPI    = "https://api.github.com"
	tokenTimeout = 20 * time.Second // for all requests of one token
)

// CheckAPI returns an error that says what is wrong with an address of the API.
func CheckAPI(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return errors.New("it has to be an address such as https://github.example.com/api/v3")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("a user, query or fragment does not belong in it")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("it has to begin with https://")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Covers reports whether a repository's address is at the GitHub to which this App belongs. The App
// makes tokens for no other host.
func (a *App) Covers(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())) {
		return false
	}
	api, err := url.Parse(a.api())
	if err != nil {
		return false
	}
	host := api.Host
	if api.Path == "" || api.Path == "/" { // github.com and similar hosts have api. before the name
		host = strings.TrimPrefix(host, "api.")
	}
	return strings.EqualFold(u.Host, host)
}

func (a *App) api() string { return strings.TrimSuffix(cmp.Or(a.API, publicAPI), "/") }

// Repository returns the owner and name in a repository's address.
func Repository(address string) (owner, name string, err error) {
	u, err := url.Parse(address)
	if err == nil {
		parts := strings.Split(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git"), "/"), "/")
		if len(parts) == 2 && plainName(parts[0]) && plainName(parts[1]) {
			return parts[0], parts[1], nil
		}
	}
	return "", "", errors.New("a repository of GitHub has the address https://HOST/OWNER/NAME")
}

// plainName reports whether s has only the characters that GitHub allows for owners and repositories.
func plainName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	})
}

func (a *App) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}

// name returns the App's name in messages for people.
func (a *App) name() string { return "GitHub App " + a.ID }

// For makes a token to read or write the contents of the repository at that address.
func (a *App) For(ctx context.Context, address string, to remote.Access) (remote.Credential, error) {
	return a.Token(ctx, address, map[string]string{"contents": string(to)})
}

// Token makes a token for the repository at that address with these permissions.
func (a *App) Token(ctx context.Context, address string, permissions map[string]string) (remote.Credential, error) {
	owner, name, err := Repository(address)
	if err == nil && !a.Covers(address) {
		err = errors.New("it is not at " + a.api())
	}
	if err != nil {
		return remote.Credential{}, &remote.Error{Reason: a.name() + " is not for this repository: " + err.Error(), Cure: "Correct its url, or give it a token of its own with token_env"}
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	installation, fresh, err := a.installation(ctx, owner, name)
	if err != nil {
		return remote.Credential{}, err
	}
	c, err := a.mint(ctx, installation, name, permissions)
	if err != nil && !fresh && a.forget(owner+"/"+name) { // the App may have been installed again
		if installation, _, err = a.installation(ctx, owner, name); err == nil {
			c, err = a.mint(ctx, installation, name, permissions)
		}
	}
	return c, err
}

// installation returns the id of the App's installation for a repository, and whether GitHub was asked
// for it just now.
func (a *App) installation(ctx context.Context, owner, name string) (id string, fresh bool, err error) {
	key := owner + "/" + name
	a.mu.Lock()
	known := cmp.Or(a.Installation, a.found[key])
	a.mu.Unlock()
	if known != "" {
		return known, false, nil
	}
	var answer struct {
		ID        int64  `json:"id"`
		Suspended string `json:"suspended_at"`
	}
	if err := a.ask(ctx, request{http.MethodGet, "/repos/" + key + "/installation", nil, key}, &answer); err != nil {
		return "", true, err
	}
	switch {
	case answer.Suspended != "":
		return "", true, a.suspended(key)
	case answer.ID <= 0:
		return "", true, a.nonsense("an installation without an id")
	}
	id = fmt.Sprint(answer.ID)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.found == nil {
		a.found = map[string]string{}
	}
	a.found[key] = id
	return id, true, nil
}

// forget removes the stored installation of a repository and reports whether there was one.
func (a *App) forget(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, was := a.found[key]
	delete(a.found, key)
	return was
}

// minLife is the remaining life that a new token must have, so that a push can begin with it.
const minLife = 2 * time.Minute

// tokenRequest is the request body for a token.
type tokenRequest struct {
	Repositories []string          `json:"repositories"`
	Permissions  map[string]string `json:"permissions"`
}

func (a *App) mint(ctx context.Context, installation, name string, permissions map[string]string) (remote.Credential, error) {
	var answer struct {
		Token       string            `json:"token"`
		Expires     time.Time         `json:"expires_at"`
		Permissions map[string]string `json:"permissions"`
	}
	asked := tokenRequest{[]string{name}, permissions}
	err := a.ask(ctx, request{http.MethodPost, "/app/installations/" + url.PathEscape(installation) + "/access_tokens", asked, name}, &answer)
	if err != nil {
		return remote.Credential{}, err
	}
	switch {
	case answer.Token == "" || strings.ContainsFunc(answer.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return remote.Credential{}, a.nonsense("no token")
	case answer.Expires.Sub(a.now()) < minLife:
		return remote.Credential{}, a.clock("a token that it made just now is out of date here")
	case permissions["contents"] == string(remote.Write) && answer.Permissions["contents"] == "read":
		return remote.Credential{}, a.lacks(name)
	}
	return remote.Credential{Password: remote.Secret(answer.Token), Name: "the token of " + a.name(), Expires: answer.Expires}, nil
}
