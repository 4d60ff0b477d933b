package config

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// savedKey writes a key for signatures with that mode, and returns its file and its text.
func savedKey(t *testing.T, mode os.FileMode) (name, text string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	name = filepath.Join(t.TempDir(), "key")
	text = string(pem.EncodeToMemory(block))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	require.NoError(t, os.Chmod(name, mode))
	return name, text
}

// TestWrongCommitsAreSaid checks that each wrong value is one line with what to do, and that a key in the
// wrong place is not repeated.
func TestWrongCommitsAreSaid(t *testing.T) {
	t.Parallel()
	open, _ := savedKey(t, 0o640)
	good, text := savedKey(t, 0o600)
	const wholeName = "{name: Shop Bot, email: bot@shop.example, signoff: true, sign_key_file: "
	for _, c := range []struct{ commits, want string }{
		{wholeName + good + "}", ""},
		{"{sign_key_file: " + open + "}", "others may read or change it (0640); chmod 600 it"},
		{"{sign_key_file: /no/such/key}", "no such file or directory; correct the path (a relative one " +
			"counts from the folder of the " +
			"configuration), or make a key there: ssh-keygen"},
		{"{sign_key_file: '" + text[:35] + "'}", "the key itself does not belong here"},
		{"{sign: host}", "repositories.shop.commits.sign: host works only at GitHub, with host: on and a " +
			"github_app"},
		{"{sign: hosts}", `unknown sign "hosts"`},
		{"{email: nobody}", `repositories.shop.commits.email "nobody" has to be an address alone, such as ` +
			`bobbin@acme.com`},
		{"{name: 'Bot <bot@shop.example>'}", "has to be the name of an author on one line, without an " +
			"address"},
		{"{signed: true}", `unknown key "signed"; did you mean "sign"?`},
	} {
		file := "repositories: [{name: shop, url: /srv/shop.git, commits: " + c.commits + "}]\n"
		_, err := Load(saveConfig(t, file))
		if c.want == "" {
			require.NoError(t, err, c.commits)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), text[40:80])
		require.Equal(t, 1, strings.Count(err.Error(), "bobbin.yaml:"), "%v", err)
	}
	hub := "github_app: {id: 12}\nrepositories: [{name: shop, url: 'https://github.com/acme/shop', host: " +
		"on, " +
		"commits: "
	_, err := Load(saveConfig(t, hub+"{sign: host, signoff: true}}]\n"))
	require.NoError(t, err)
	_, err = Load(saveConfig(t, hub+"{sign: host, sign_key_file: "+good+"}}]\n"))
	require.ErrorContains(t, err, "commits.sign: host and sign_key_file exclude each other; remove one")
	_, err = Load(saveConfig(t, hub+"{sign: host, name: Bot}}]\n"))
	require.ErrorContains(t, err, "GitHub names the App as the author")
}

// TestAForkIsOfTheSameHost checks where branches may be pushed.
func TestAForkIsOfTheSameHost(t *testing.T) {
	t.Parallel()
	const hub = "https://github.com/acme/shop"
	const bot = "https://github.com/acme-bot/shop"
	for _, c := range []struct{ to, want string }{
		{bot + ".git", ""},
		{"{url: '" + bot + "', token_env: FORK_TOKEN}", ""},
		{"https://gitlab.com/acme-bot/shop", "has to be at the same host as the repository"},
		{"git@github.com:acme-bot/shop.git", "be reached in the same way"},
		{"https://github.com/Acme/Shop.git", "is the repository itself"},
		{"''", "repositories.shop.push_to names no fork; write its url, such as " +
			"https://github.com/acme-bot/shop.git, or leave push_to out"},
		{"{token_env: FORK_TOKEN}", "repositories.shop.push_to names no fork; write its url, such as " +
			"https://github.com/acme-bot/shop.git, or leave push_to out"},
		{"{url: '" + bot + "', token_env: ghp_0123abcd}", "the token itself does not belong"},
	} {
		file := "repositories: [{name: shop, url: '" + hub + "', push_to: " + c.to + "}]\n"
		got, err := Load(saveConfig(t, file))
		if c.want == "" {
			require.NoError(t, err, c.to)
			require.Contains(t, got.Repositories[0].PushTo.URL, "/acme-bot/shop")
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	c, err := Load(saveConfig(t, "repositories: [{name: shop, url: ./shop.git, push_to: ../fork.git}]\n"))
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(c.Repositories[0].PushTo.URL))
}

// TestASigningKeyIsHidden checks that no line of the key is left in what is logged.
func TestASigningKeyIsHidden(t *testing.T) {
	t.Parallel()
	name, text := savedKey(t, 0o600)
	hide := redact.New()
	key, err := Commits{SignKeyFile: name}.SigningKey(hide)
	require.NoError(t, err)
	require.NotNil(t, key)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			require.NotContains(t, hide.Mask("the log says "+line), line)
		}
	}
	require.Contains(t, hide.Mask(key.Public()), "ssh-ed25519", "the public key is shown")
	none, err := Commits{}.SigningKey(hide)
	require.NoError(t, err)
	require.Nil(t, none)
}
