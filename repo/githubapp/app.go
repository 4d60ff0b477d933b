// Package githubapp makes short-lived tokens of a GitHub App: for one repository, to read it or to
// write its contents, and for nothing else.
//
// An App is remote.Credentials. Right before a fetch or push, For signs an assertion of nine
// minutes with the App's key, and GitHub makes a token of it. No token is kept: the caller
// forgets it with the exchange, and GitHub after an hour. The App keeps only the key, and which
// installation a repository belongs to.
//
// A refusal of GitHub's is a *remote.Error with a cure for people. Trouble of GitHub's own is
// marked as worth another try, and the caller tries again.
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

	"github.com/bobbinhq/bobbin/repo/remote"
)

// App is a GitHub App with its private key.
type App struct {
	ID  string // the App's id, or its client id
	Key *rsa.PrivateKey
	// Installation is the id of the installation whose repositories are meant. Default:
	// GitHub is asked which one a repository belongs to.
	Installation string
	// API is where GitHub's REST API is. Default https://api.github.com; GitHub
	// Enterprise Server has it at https://HOST/api/v3.
	API     string
	Now     func() time.Time // default time.Now
	Timeout time.Duration    // for one answer; default 20 s

	mu    sync.Mutex
	found map[string]string // installations by owner/name
}

const publicAPI = "https://api.github.com"

// CheckAPI says what is wrong with an address of the API.
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

// Covers tells whether a repository's address is at the GitHub that this App is of. Its
// tokens go nowhere else.
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
	if api.Path == "" || api.Path == "/" { // github.com and its kin have api. before the name
		host = strings.TrimPrefix(host, "api.")
	}
	return strings.EqualFold(u.Host, host)
}

func (a *App) api() string { return strings.TrimSuffix(cmp.Or(a.API, publicAPI), "/") }

// Repository reads owner and name out of an address.
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

// plainName is what GitHub allows for owners and repositories.
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

// name is the App in lines for people.
func (a *App) name() string { return "GitHub App " + a.ID }

// For has a token made for the repository at that address.
func (a *App) For(ctx context.Context, address string, to remote.Access) (remote.Credential, error) {
	return a.Token(ctx, address, map[string]string{"contents": string(to)})
}

// Token has a token made for the repository at that address, with these permissions.
func (a *App) Token(ctx context.Context, address string, permissions map[string]string) (remote.Credential, error) {
	owner, name, err := Repository(address)
	if err == nil && !a.Covers(address) {
		err = errors.New("it is not at " + a.api())
	}
	if err != nil {
		return remote.Credential{}, &remote.Error{Reason: a.name() + " is not for this repository: " + err.Error(), Cure: "Correct its url, or give it a token of its own with token_env"}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.Timeout, 20*time.Second))
	defer cancel()
	installation, fresh, err := a.installation(ctx, owner, name)
	if err != nil {
		return remote.Credential{}, err
	}
	c, err := a.mint(ctx, installation, name, permissions)
	if err != nil && !fresh && a.forget(owner+"/"+name) { // it may have been installed anew
		if installation, _, err = a.installation(ctx, owner, name); err == nil {
			c, err = a.mint(ctx, installation, name, permissions)
		}
	}
	return c, err
}

// installation is where the App is installed for a repository, and whether that was asked
// just now.
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

// forget tells whether there was anything to forget.
func (a *App) forget(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, was := a.found[key]
	delete(a.found, key)
	return was
}

// leastLife is how much longer a token has to be good for a push to be begun with it.
const leastLife = 2 * time.Minute

// wish is what a token is to be good for.
type wish struct {
	Repositories []string          `json:"repositories"`
	Permissions  map[string]string `json:"permissions"`
}

func (a *App) mint(ctx context.Context, installation, name string, permissions map[string]string) (remote.Credential, error) {
	var answer struct {
		Token       string            `json:"token"`
		Expires     time.Time         `json:"expires_at"`
		Permissions map[string]string `json:"permissions"`
	}
	asked := wish{[]string{name}, permissions}
	err := a.ask(ctx, request{http.MethodPost, "/app/installations/" + url.PathEscape(installation) + "/access_tokens", asked, name}, &answer)
	if err != nil {
		return remote.Credential{}, err
	}
	switch {
	case answer.Token == "" || strings.ContainsFunc(answer.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return remote.Credential{}, a.nonsense("no token")
	case answer.Expires.Sub(a.now()) < leastLife:
		return remote.Credential{}, a.clock("a token that it made just now is out of date here")
	case permissions["contents"] == string(remote.Write) && answer.Permissions["contents"] == "read":
		return remote.Credential{}, a.lacks(name)
	}
	return remote.Credential{Password: remote.Secret(answer.Token), Name: "the token of " + a.name(), Expires: answer.Expires}, nil
}
