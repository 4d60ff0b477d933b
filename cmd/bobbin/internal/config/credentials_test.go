package config

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// privateKey returns a GitHub App's key in the form that GitHub hands out. It is made only once, because
// that takes a while.
var privateKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key),
	}))
})

func keyFile(t *testing.T, mode os.FileMode) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "app.pem")
	require.NoError(t, os.WriteFile(name, []byte(privateKey()), 0o600))
	require.NoError(t, os.Chmod(name, mode))
	return name
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]string{
		0o600: "", 0o400: "", 0o440: "",
		0o644: "others may read or change it (0644); chmod 600 it, and if it is in use elsewhere, " +
			"make a new key",
		0o604: "others may read or change it (0604)", 0o660: "others may read or change it (0660)",
	} {
		name := keyFile(t, mode)
		_, err := parseConfig("c", []byte(hub+"github_app: {id: 12, key_file: "+name+"}"))
		if want == "" {
			require.NoError(t, err, mode)
			continue
		}
		require.ErrorContains(t, err, "c:4: github_app.key_file "+name+": "+want)
	}
	dir := t.TempDir() // key_file is relative to the folder of the configuration file
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.pem"), []byte(privateKey()[:200]), 0o600))
	_, err := parseConfig(filepath.Join(dir, "c"), []byte(hub+"github_app: {id: 12, key_file: app.pem}"))
	require.ErrorContains(t, err,
		"c:4: github_app.key_file "+filepath.Join(dir, "app.pem")+": it holds no key that begins with")
	require.NotContains(t, err.Error(), privateKey()[40:60])
}

// TestCredentialsOfRepositories checks that each repository gets the most specific of the three kinds of
// credentials.
func TestCredentialsOfRepositories(t *testing.T) {
	t.Parallel()
	text := `
repositories:
- {name: of-all, url: https://github.com/acme/a.git}
- {name: of-all-too, url: https://github.com/acme/b}
- {name: own-token, url: https://github.com/acme/c, token_env: C_TOKEN}
- {name: elsewhere, url: https://git.example.com/d}
- {name: own-app, url: https://ghe.example.com/acme/e, github_app: {id: Iv23abc, key_file: KEY, api_url: https://ghe.example.com/api/v3}}
- {name: own-installation, url: https://github.com/acme/f, github_app: {installation: 9}}
- {name: ssh, url: git@github.com:acme/g.git}
- {name: path, url: /srv/h.git}
github_app: {id: 12, installation: auto}
`
	config, err := parseConfig("c", []byte(strings.ReplaceAll(text, "KEY", keyFile(t, 0o600))))
	require.NoError(t, err)
	hide := redact.New()
	got, err := config.Credentials(map[string]string{
		secrets.GitToken:     "for-all",
		"C_TOKEN":            "for-c",
		secrets.GithubAppKey: privateKey(),
	}, hide)
	require.NoError(t, err)
	app := func(name string) *githubapp.App { return got[name].(*githubapp.App) }
	require.Same(t, app("of-all"), app("of-all-too"))
	require.Equal(t, []string{"12", "", ""},
		[]string{app("of-all").ID, app("of-all").Installation, app("of-all").API})
	require.Equal(t, []string{"12", "9"},
		[]string{app("own-installation").ID, app("own-installation").Installation})
	require.Equal(t, []string{"Iv23abc", "https://ghe.example.com/api/v3"},
		[]string{app("own-app").ID, app("own-app").API})
	require.Equal(t, remote.Token{Value: "for-c", Name: "the token C_TOKEN"}, got["own-token"])
	require.Equal(t, remote.Token{Value: "for-all", Name: "the token BOBBIN_GIT_TOKEN"}, got["elsewhere"])
	require.Nil(t, got["ssh"])
	require.Nil(t, got["path"])
	line := strings.Split(privateKey(), "\n")[3]
	require.NotContains(t, hide.Mask("a log with "+line), line, "a key that was read is known to the log")
}
