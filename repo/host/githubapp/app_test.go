package githubapp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host/githubapp"
	"github.com/bobbinhq/bobbin/repo/host/githubapp/githubtest"
)

// key is generated only once, because that takes a while.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// hub is a fake GitHub with acme/shop, and an App that is installed for it.
type hub struct {
	*githubtest.Server
	app *githubapp.App
	log *bytes.Buffer
}

func openHub(t *testing.T, cfg githubtest.Config) *hub {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		// The stand-in for GitHub serves its repository by git itself (git http-backend).
		t.Skip("git is not installed")
	}
	cfg.Dir = t.TempDir()
	cfg.AppID = "12345"
	cfg.Key = &key().PublicKey
	require.NoError(t, os.CopyFS(filepath.Join(cfg.Dir, "acme", "shop.git"), planted()))
	s, err := githubtest.Listen(cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.Install("acme/shop", 77)
	return &hub{Server: s, app: &githubapp.App{ID: "12345", Key: key(), API: s.API}, log: &bytes.Buffer{}}
}

// planted returns a bare repository with one commit, which is made once.
var planted = sync.OnceValue(func() fs.FS {
	work, err := os.MkdirTemp("", "githubapp-")
	if err == nil {
		defer os.RemoveAll(work)
		err = os.WriteFile(filepath.Join(work, "main.go"), []byte("package main\n"), 0o644)
	}
	bare := fstest.MapFS{}
	for _, args := range [][]string{
		{"-C", work, "init", "-q", "-b", "main"},
		{"-C", work, "add", "."},
		{
			"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m",
			"first",
		},
		{"clone", "-q", "--bare", work, filepath.Join(work, "bare")},
	} {
		if err == nil {
			err = exec.Command("git", args...).Run()
		}
	}
	if err == nil {
		err = fs.WalkDir(os.DirFS(filepath.Join(work, "bare")), ".",
			func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					bare[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
					return err
				}
				data, err := os.ReadFile(filepath.Join(work, "bare", name))
				bare[name] = &fstest.MapFile{Data: data, Mode: 0o644}
				return err
			})
	}
	if err != nil {
		panic(err)
	}
	return bare
})

func (h *hub) remote() remote.Remote {
	return remote.Remote{Name: "shop", URL: h.URL + "/acme/shop.git", Credentials: h.app}
}

func (h *hub) open(t *testing.T) (*git.Mirror, error) {
	t.Helper()
	m := &git.Mirrors{
		Dir:   t.TempDir(),
		Log:   slog.New(slog.NewTextHandler(h.log, nil)),
		Retry: remote.RetryPolicy{Tries: 3, Wait: time.Millisecond, MaxWait: time.Second},
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m.Open(context.Background(), h.remote())
}

// workspace returns a workspace at main, for a commit that is to be pushed.
func workspace(t *testing.T, m *git.Mirror) *git.Workspace {
	t.Helper()
	base, err := m.Commits().Resolve("main")
	require.NoError(t, err)
	w, err := m.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"), base)
	require.NoError(t, err)
	return w
}

func commit(t *testing.T, w *git.Workspace, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(w.Files(), "main.go"), []byte(text), 0o644))
	c, err := w.Commit(t.Context(), git.CommitSpec{
		Message: text,
		Author:  git.Identity{Name: "Ann", Email: "ann@example.com"},
		When:    time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	})
	require.NoError(t, err)
	return c
}

// In a session, each fetch and push has a new token for this repository, to read or to write. An
// expired token causes no error.
func TestASessionWithShortLivedTokens(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{})
	m, err := h.open(t)
	require.NoError(t, err)
	w := workspace(t, m)
	for i, text := range []string{"package main // one\n", "package main // two\n"} {
		_, err := w.Push(t.Context(), git.PushSpec{
			Commit: commit(t, w, text),
			Branch: fmt.Sprintf("bobbin/fix-%d", i),
		})
		require.NoError(t, err)
		h.Expire() // in the middle of the session
		require.NoError(t, m.Fetch(t.Context()))
	}
	var made []string
	for _, token := range h.Tokens() {
		made = append(made, token.Repository+" "+token.Contents)
		require.Positive(t, token.Uses)
	}
	require.Equal(t, []string{
		"acme/shop read", "acme/shop write", "acme/shop read", "acme/shop write", "acme/shop read",
	}, made)
	require.Equal(t, "GET /repos/acme/shop/installation", h.Requests()[0].Method+" "+h.Requests()[0].Path)
	for _, r := range h.Requests()[1:] {
		require.Equal(t, "POST /app/installations/77/access_tokens", r.Method+" "+r.Path,
			"the installation is asked for once")
		require.Equal(t, http.StatusCreated, r.Status)
	}
	require.JSONEq(t, `{"repositories": ["shop"], "permissions": {"contents": "write"}}`,
		h.Requests()[2].Body)
}

// hoarder is the control: credentials that keep a token for as long as the program runs.
type hoarder struct {
	remote.Credentials
	kept *remote.Credential
}

func (h *hoarder) For(ctx context.Context, address string, to remote.Access) (remote.Credential, error) {
	if h.kept == nil {
		c, err := h.Credentials.For(ctx, address, to)
		if err != nil {
			return c, err
		}
		h.kept = &c
	}
	return *h.kept, nil
}

func TestAHoardedTokenIsFoundOut(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{})
	m := &git.Mirrors{
		Dir:   t.TempDir(),
		Log:   slog.New(slog.DiscardHandler),
		Retry: remote.RetryPolicy{Tries: 2, Wait: time.Millisecond},
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	r := h.remote()
	r.Credentials = &hoarder{Credentials: h.app}
	mirror, err := m.Open(t.Context(), r)
	require.NoError(t, err)
	w := workspace(t, mirror)
	spec := git.PushSpec{Commit: commit(t, w, "package main // one\n"), Branch: "bobbin/fix"}
	_, err = w.Push(t.Context(), spec)
	require.ErrorContains(t, err, "may not do this", "a token to read is not one to write")
	h.Expire()
	require.ErrorContains(t, mirror.Fetch(t.Context()),
		"the remote does not accept the token of GitHub App 12345 (tried 2 times)")
}

// A new installation of the App is found; a configured one is not looked up.
func TestInstallations(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{})
	m, err := h.open(t)
	require.NoError(t, err)
	h.Install("acme/shop", 78) // removed and installed again
	require.NoError(t, m.Fetch(t.Context()))

	before := len(h.Requests())
	h.app.Installation = "78"
	require.NoError(t, m.Fetch(t.Context()))
	require.Len(t, h.Requests(), before+1)
}

// refusals are ways in which GitHub refuses an App, and the line that people read of each.
var refusals = map[string]struct {
	do   func(t *testing.T, h *hub)
	want string
}{
	"another key": {
		do: func(t *testing.T, h *hub) {
			other, err := rsa.GenerateKey(rand.Reader, 2048)
			require.NoError(t, err)
			h.app.Key = other
		},
		want: "GitHub does not know GitHub App 12345 by this key. " +
			"Check id and the private key under github_app",
	},
	"another id": {
		do:   func(_ *testing.T, h *hub) { h.app.ID = "54321" },
		want: "GitHub does not know GitHub App 54321 by this key. Check id",
	},
	"not installed": {do: func(_ *testing.T, h *hub) {
		h.Install("acme/shop", 0)
		h.app.API += "/nowhere"
	}, want: "is not installed for acme/shop, or there is no such repository. Install it there"},
	"no such installation": {
		do:   func(_ *testing.T, h *hub) { h.app.Installation = "5" },
		want: "GitHub App 12345 has no installation 5. Check installation under github_app",
	},
	"another repository": {do: func(_ *testing.T, h *hub) {
		h.Install("acme/other", 9)
		h.app.Installation = "9"
	}, want: "is installed there, but not for shop. Add the repository to the installation"},
	"suspended": {
		do:   func(_ *testing.T, h *hub) { h.Suspend(77, true) },
		want: "GitHub App 12345 is suspended for acme/shop. An owner can unsuspend it",
	},
	"suspended, asked later": {do: func(_ *testing.T, h *hub) {
		h.Suspend(77, true)
		h.app.Installation = "77"
	}, want: "GitHub App 12345 is suspended for shop. An owner"},
	"clock an hour ahead": {
		do: func(_ *testing.T, h *hub) {
			h.app.Now = func() time.Time { return time.Now().Add(time.Hour) }
		},
		want: "this machine's clock and GitHub's differ: ours is 1h0m0s ahead. Set the clock (NTP)",
	},
	"clock an hour behind": {
		do: func(_ *testing.T, h *hub) {
			h.app.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		},
		want: "this machine's clock and GitHub's differ: ours is 1h0m0s behind. Set the clock (NTP)",
	},
	"out of date at once": {
		do: func(_ *testing.T, h *hub) {
			h.Spoil(making(`{"token": "ghs_x", "expires_at": "2020-01-01T00:00:00Z"}`))
		},
		want: "differ: a token that it made just now is out of date here. Set the clock",
	},
	"no permission": {
		do: func(_ *testing.T, h *hub) {
			h.Spoil(refusing(422, "The permissions requested are not granted to this installation."))
		},
		want: "GitHub App 12345 may not write to acme/shop. Give it the permission Contents: " +
			"Read and write",
	},
	"403": {
		do: func(_ *testing.T, h *hub) { h.Spoil(refusing(403, "Resource not accessible by integration")) },
		want: "GitHub gives GitHub App 12345 no token for acme/shop: " +
			"Resource not accessible by integration Bearer …. Check that it is installed there",
	},
	"too many for now": {do: func(_ *testing.T, h *hub) {
		soon := fmt.Sprint(time.Now().Add(10 * time.Minute).Unix())
		h.Spoil(refusing(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0",
			"X-RateLimit-Reset", soon))
	}, want: "GitHub has had too many requests of GitHub App 12345. It asks to wait "},
	"too many, says 429": {
		do:   func(_ *testing.T, h *hub) { h.Spoil(refusing(429, "slow down", "Retry-After", "3600")) },
		want: "It asks to wait 1h0m0s before the next try",
	},
	"a second limit": {
		do: func(_ *testing.T, h *hub) {
			h.Spoil(refusing(403, "You have exceeded a secondary rate limit"))
		},
		want: "(tried 3 times). Wait some minutes",
	},
	"500": {
		do:   func(_ *testing.T, h *hub) { h.Spoil(refusing(500, "oh")) },
		want: "GitHub's API answered 500 Internal Server Error (tried 3 times). Its trouble, most likely",
	},
	"renamed": {
		do: func(_ *testing.T, h *hub) {
			h.Spoil(refusing(301, "Moved Permanently", "Location", "https://elsewhere.invalid/"))
		},
		want: "GitHub's API sends us elsewhere for acme/shop. It was renamed or moved",
	},
	"418": {
		do:   func(_ *testing.T, h *hub) { h.Spoil(refusing(418, "short and stout")) },
		want: "GitHub's API answered 418 I'm a teapot: short and stout Bearer …. Check github_app",
	},
	"no JSON": {
		do:   func(_ *testing.T, h *hub) { h.Spoil(making(`<html>`)) },
		want: "GitHub's API answered with something that is no JSON (tried 3 times). Check api_url",
	},
	"no token": {
		do: func(_ *testing.T, h *hub) {
			h.Spoil(making(`{"token": "a b", "expires_at": "2999-01-01T00:00:00Z"}`))
		},
		want: "GitHub's API answered with no token (tried 3 times)",
	},
	"nobody there": {
		do: func(t *testing.T, h *hub) { h.app.API = "http://" + closedPort(t) },
		want: "GitHub's API cannot be reached for a token: connect: " +
			"connection refused (tried 3 times). Nothing is lost",
	},
	"another host": {
		do: func(_ *testing.T, h *hub) { h.app.API = "https://github.example.com/api/v3" },
		want: "GitHub App 12345 is not for this repository: " +
			"it is not at https://github.example.com/api/v3",
	},
}

// Each refusal by GitHub reaches people as one line with a cure.
func TestRefusalsAreOneLineWithTheCure(t *testing.T) {
	t.Parallel()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHub(t, githubtest.Config{})
			c.do(t, h)
			if name == "nobody there" { // another API host does not cover the repository's own address
				h.app.API = "http://" + strings.TrimPrefix(h.app.API, "http://")
				_, err := h.app.For(t.Context(), h.app.API+"/acme/shop.git", remote.Read)
				require.ErrorContains(t, err, "GitHub's API cannot be reached for a token: connect: "+
					"connection refused. Nothing is lost")
				return
			}
			_, err := h.open(t)
			var refused *remote.Error
			require.ErrorAs(t, err, &refused)
			require.Contains(t, refused.Error(), c.want)
			require.Equal(t, "fetch shop", refused.Op)
			require.NotContains(t, refused.Error(), "\n")
			for _, leak := range []string{"eyJ", "ghs_"} {
				require.NotContains(t, fmt.Sprintf("%+v", refused)+h.log.String(), leak)
			}
		})
	}
}

// refusing returns a spoiler that answers each request to the API with a status, a message that names the
// credentials of the request, and header fields, each a name and a value.
func refusing(status int, message string, header ...string) githubtest.Spoiler {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			return false
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"message": %q}`, message+" "+r.Header.Get("Authorization"))
		return true
	}
}

// making returns a spoiler that answers each request for a token with this body.
func making(body string) githubtest.Spoiler {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/api/") {
			return false
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, body)
		return true
	}
}

func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// A clock that is a little off, in either direction, causes no error.
func TestClocksALittleOff(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{
		-8 * time.Minute, -time.Minute, -time.Second, 0, time.Second, 50 * time.Second,
	} {
		h := openHub(t, githubtest.Config{})
		h.app.Now = func() time.Time { return time.Now().Add(off) }
		_, err := h.open(t)
		require.NoError(t, err, off)
	}
}

// A fault that passes is retried, as often as the retry policy allows.
func TestTroubleThatPasses(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{})
	left := 2
	h.Spoil(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.HasPrefix(r.URL.Path, "/api/") || left == 0 {
			return false
		}
		left--
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	_, err := h.open(t)
	require.NoError(t, err)
	require.Zero(t, left)
	require.NotContains(t, h.log.String(), "eyJ")
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api, address string
		want         bool
	}{
		{"", "https://github.com/acme/shop.git", true},
		{"", "https://GitHub.com/acme/shop", true},
		{"", "https://gitlab.com/acme/shop", false},
		{"", "https://github.com.evil.example/acme/shop", false},
		{"", "http://github.com/acme/shop", false},
		{"", "https://github.com:8443/acme/shop", false},
		{"", "git@github.com:acme/shop.git", false},
		{"https://ghe.example.com/api/v3", "https://ghe.example.com/a/b", true},
		{"https://ghe.example.com/api/v3/", "https://github.com/a/b", false},
		{"https://api.acme.ghe.com", "https://acme.ghe.com/a/b", true},
	} {
		require.Equal(t, c.want, (&githubapp.App{API: c.api}).Covers(c.address), "%s at %s", c.address, c.api)
	}
	for address, ok := range map[string]bool{
		"https://github.com/acme/shop.git":  true,
		"https://github.com/acme/shop/":     true,
		"https://github.com/acme":           false,
		"https://github.com/acme/shop/tree": false,
		"https://github.com/acme/..":        false,
		"https://github.com/a%2fb/c":        false,
	} {
		_, _, err := githubapp.Repository(address)
		require.Equal(t, ok, err == nil, address)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	pkcs1 := string(pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key()),
	}))
	der, err := x509.MarshalPKCS8PrivateKey(key())
	require.NoError(t, err)
	pkcs8 := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	for _, good := range []string{
		pkcs1, pkcs8, strings.ReplaceAll(pkcs1, "\n", `\n`), "  " + pkcs1 + "\n\n",
	} {
		got, err := githubapp.ParseKey(good)
		require.NoError(t, err)
		require.True(t, got.Equal(key()))
	}
	public := string(pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PUBLIC KEY",
		Bytes: x509.MarshalPKCS1PublicKey(&key().PublicKey),
	}))
	locked := string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}))
	short := string(pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(small),
	}))
	for text, want := range map[string]string{
		"":                   "holds no key",
		"s3cr3t":             "holds no key",
		public:               "a public key",
		locked:               "a passphrase",
		short:                "1024 bits",
		pkcs1[:len(pkcs1)/2]: "holds no key",
		string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: der[:400]})): "only a part of " +
			"it",
	} {
		_, err := githubapp.ParseKey(text)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "s3cr3t")
		require.NotContains(t, err.Error(), base64.StdEncoding.EncodeToString(der)[:20])
	}
}
