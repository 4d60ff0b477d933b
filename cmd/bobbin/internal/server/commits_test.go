package server

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/repo/host/githubapp/githubtest"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// TestCommitsAndForkOfTheFile checks what a repository's commits and push_to become, with a token of the
// fork's own, and that GitHub makes the commits where the file says so.
func TestCommitsAndForkOfTheFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "bobbin.yaml")
	require.NoError(t, os.WriteFile(name, []byte(`repositories:
  - name: shop
    url: https://github.com/acme/shop
    host: on
    branch_prefix: fix/
    branch: "house/{{ticket}-}{slug}"
    push_to: {url: "https://github.com/acme-bot/shop.git", token_env: FORK_TOKEN}
    commits: {signoff: true}
  - name: blog
    url: https://github.com/acme/blog
    commits: {name: Blog Bot, email: bot@acme.com}
  - name: api
    url: https://github.com/acme/api
    host: on
    github_app: {id: 12}
    commits: {sign: host}
`), 0o600))
	file, err := config.Load(name)
	require.NoError(t, err)
	values := map[string]string{secrets.GitToken: "of-the-shop", "FORK_TOKEN": "of-the-fork"}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	values[secrets.GithubAppKey] = keyText(key)
	s, err := FromConfig(file, values, storage.Target{}, redact.New())
	require.NoError(t, err)
	shop := s.Repositories[0]
	require.Nil(t, shop.Commits.Host)
	require.True(t, shop.Commits.SignOff)
	for branch, own := range map[string]bool{
		"fix/refunds-k3v9x2": true, "house/PAY-881-refunds": true, "house/PAY-881-refunds-backport-1.4": true,
		"main": false, "houses/x": false,
	} {
		require.Equal(t, own, shop.PushTo.Only.MatchString(branch), branch)
	}
	require.Equal(t, "https://github.com/acme-bot/shop", shop.Pulls.ForkWeb)
	for r, want := range map[*remote.Remote]remote.Secret{
		&shop.Remote: "of-the-shop", shop.PushTo: "of-the-fork",
	} {
		with, err := r.Credential(t.Context(), remote.Write)
		require.NoError(t, err)
		require.Equal(t, want, with.Password)
	}
	require.NotNil(t, s.Repositories[2].Commits.Host)
	blog := s.Repositories[1]
	require.Nil(t, blog.PushTo)
	require.Equal(t, remote.Commits{Name: "Blog Bot", Email: "bot@acme.com"}, blog.Commits)
}

// TestAnAppMakesCommitsWithTheRightToWrite checks that the token for commits is for the repository to which
// branches are pushed, with the right to write its contents and no other.
func TestAnAppMakesCommitsWithTheRightToWrite(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	hub, err := githubtest.Listen(githubtest.Config{Dir: t.TempDir(), AppID: "1", Key: &key.PublicKey})
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	hub.Install("bot/shop", 7)
	parsed, err := githubapp.ParseKey(keyText(key))
	require.NoError(t, err)
	app := &githubapp.App{ID: "1", Key: parsed, API: hub.API}
	with, err := commitToken(hub.URL+"/bot/shop", app)(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, with.Password)
	made := hub.Tokens()
	require.Len(t, made, 1)
	require.Equal(t, "bot/shop map[contents:write]",
		fmt.Sprintf("%s %v", made[0].Repository, made[0].Permissions))
	require.Nil(t, commitToken(hub.URL+"/bot/shop", nil))
}

func keyText(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
	}))
}
