package workfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

func TestPrivateFilesAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`
		.env web/.env.production .ENV .netrc _netrc .npmrc web/.npmrc .pypirc .pgpass .git-credentials
		.htpasswd .dockercfg id_rsa id_ed25519 id_ed25519_sk keys/ID_RSA id_rsa_deploy deploy_id_ecdsa
		id_rsa.bak server.pem tls.key ca.key ca-key.pem cert-key.pem privkey.pem app.p12 app.pfx
		AuthKey_7.p8 release.keystore a.jks a.ppk
	`) {
		require.True(t, IsPrivate(name), name)
	}
	for _, name := range strings.Fields(`
		.env.example web/.env.sample env environment.go netrc.go id_rsa.pub id_ed25519.pub id_rsa.go
		id_rsa_test.go valid_rsa.txt ca.pem cert.pem server-cert.pem fullchain.pem rds-ca-bundle.pem
		isrgrootx1.pem server.crt server.cer public.pem public-key.pem pub.key key.go keys.json pem.go
		monkey keystore.properties id_rsa/README.md .npmrc.example
	`) {
		require.False(t, IsPrivate(name), name)
	}
}

func TestSecretsOfCommits(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t,
		repotest.Files{
			".env":      "DB_PASSWORD=moss-covered-bucket\n",
			"notes.txt": "API_KEY=plain-to-be-seen\n",
		},
		repotest.Files{
			".env":             "DB_PASSWORD=fern-covered-basket\n",
			"server/.env.prod": "API_KEY=rust-covered-bolt\n",
		},
	)
	const said = "given-to-the-bot moss-covered-bucket fern-covered-basket rust-covered-bolt plain-to-be-seen"
	gone := strings.Repeat("0", 40)
	for want, of := range map[string][]string{
		"? moss-covered-bucket fern-covered-basket rust-covered-bolt plain-to-be-seen": {"", gone},
		"? ? fern-covered-basket rust-covered-bolt plain-to-be-seen":                   {commits[0], gone},
		"? moss-covered-bucket ? ? plain-to-be-seen":                                   {commits[1]},
		"? ? ? ? plain-to-be-seen":                                                     commits,
	} {
		f, err := FindSecrets(t.Context(), redact.New("given-to-the-bot"), m.Commits(), of...)
		require.NoError(t, err)
		require.Equal(t, want, strings.ReplaceAll(f.MaskGiven(said), "[masked: configured]", "?"))
	}
	f, err := FindSecrets(t.Context(), nil, m.Commits(), commits...)
	require.NoError(t, err)
	require.Nil(t, f)
}
