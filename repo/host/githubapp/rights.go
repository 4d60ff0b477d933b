package githubapp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// MissingPermissions returns the wanted permissions that the App's installation for the repository at that
// address does not have, as GitHub's pages name them: Pull requests: write.
func (a *App) MissingPermissions(
	ctx context.Context, address string, wanted ...map[string]string,
) (missing []string, err error) {
	owner, name, err := Repository(address)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Permissions map[string]string `json:"permissions"`
	}
	about := owner + "/" + name
	if err := a.ask(ctx, request{http.MethodGet, "/repos/" + about + "/installation", nil, about},
		&answer); err != nil {
		return nil, err
	}
	need := map[string]string{}
	for _, some := range wanted {
		for right, level := range some {
			if need[right] != "write" {
				need[right] = level
			}
		}
	}
	maps.DeleteFunc(need, func(right, level string) bool {
		has := answer.Permissions[right]
		return has == "write" || has == level
	})
	return permissionNames(need), nil
}

// permissionNames returns permissions as GitHub's pages name them.
func permissionNames(permissions map[string]string) (all []string) {
	for _, right := range slices.Sorted(maps.Keys(permissions)) {
		words := strings.ReplaceAll(right, "_", " ")
		all = append(all, fmt.Sprintf("%s%s: %s", strings.ToUpper(words[:1]), words[1:], permissions[right]))
	}
	return all
}

// CachedTokens returns a source of the App's tokens that keeps each token for life, for requests in quick
// succession.
func (a *App) CachedTokens(life time.Duration) *KeptTokens { return &KeptTokens{app: a, life: life} }

// KeptTokens makes tokens of an App and reuses each for a while.
type KeptTokens struct {
	app  *App
	life time.Duration

	mu    sync.Mutex
	known map[string]keptToken
}

type keptToken struct {
	token remote.Credential
	until time.Time
}

// Token returns a token with these permissions, which may be one that was made less than the kept life
// ago.
func (k *KeptTokens) Token(
	ctx context.Context, address string, permissions map[string]string,
) (remote.Credential, error) {
	key := fmt.Sprint(address, permissions)
	k.mu.Lock()
	defer k.mu.Unlock()
	if had, ok := k.known[key]; ok && k.app.now().Before(had.until) {
		return had.token, nil
	}
	token, err := k.app.Token(ctx, address, permissions)
	if err != nil {
		return token, err
	}
	if k.known == nil {
		k.known = map[string]keptToken{}
	}
	k.known[key] = keptToken{token, k.app.now().Add(k.life)}
	return token, nil
}
