package git

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// each runs a test once for each way of reaching an origin: by path, HTTP and SSH, with and without
// git.
func each(t *testing.T, test func(t *testing.T, o *remotetest.Origin, m *Mirror)) {
	ways := map[string]func(t *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote){
		"path": func(_ *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote) {
			return &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir}
		},
		"path without the git program": func(_ *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote) {
			return &Mirrors{Git: "-"}, remote.Remote{Name: "shop", URL: "file://" + o.Dir}
		},
		"http with a token": func(_ *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote) {
			return &Mirrors{}, remote.Remote{
				Name:        "shop",
				URL:         o.ServeHTTP("t0ken"),
				Credentials: tokenIs("t0ken"),
			}
		},
		"http without the git program": func(_ *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote) {
			return &Mirrors{Git: "-"}, remote.Remote{Name: "shop", URL: o.ServeHTTP("")}
		},
		"ssh": func(t *testing.T, o *remotetest.Origin) (*Mirrors, remote.Remote) {
			return &Mirrors{}, o.ServeSSH(t)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewShop(t)
			mirrors, remote := way(t, o)
			test(t, o, openMirror(t, mirrors, remote))
		})
	}
}

func tokenIs(s remote.Secret) remote.Credentials { return remote.Token{Value: s} }

// mint is a source of credentials that calls the function.
type mint func(to remote.Access) (remote.Credential, error)

func (m mint) For(_ context.Context, _ string, to remote.Access) (remote.Credential, error) {
	return m(to)
}

func refusal(t testing.TB, err error) *remote.Error {
	t.Helper()
	var refused *remote.Error
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Reason)
	require.NotEmpty(t, refused.Cure)
	require.NotContains(t, refused.Error(), "\n")
	return refused
}

func TestPushByEveryWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		w := workspaceAt(t, m)
		w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
		w.write(t, "cart/a/b/new.txt", "new\n")
		commit := w.save(t, "Fix the cart")
		res, err := w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/fix-1"})
		require.NoError(t, err)
		require.Equal(t, transfer.PushResult{Branch: "bobbin/fix-1", Commit: commit}, res)
		require.Equal(t, commit, o.BranchHead("bobbin/fix-1"))
		o.Fsck()

		res, err = w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/fix-1"})
		require.NoError(t, err)
		require.True(t, res.Already, "a repeated push finds the branch where it should be")

		w.write(t, "cart/cart.go", "package cart\n\nvar N = 3\n")
		second, err := w.Commit(ctx0(), CommitSpec{Parent: commit, Message: "More", When: approvedAt})
		require.NoError(t, err)
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: second, Branch: "bobbin/fix-1"})
		require.NoError(t, err, "the branch goes on")
		require.Equal(t, second, o.BranchHead("bobbin/fix-1"))
		o.Fsck()

		require.NoError(t, m.Fetch(ctx0()))
		got, err := m.Commits().Resolve("bobbin/fix-1")
		require.NoError(t, err)
		require.Equal(t, second, got, "what was pushed comes back with a fetch")
	})
}

// A commit without the tree or the ancestor that the caller names is not pushed.
func TestPushOfAnotherCommitIsRefused(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
	first := w.save(t, "Fix the cart")
	one, err := w.Tree(ctx0())
	require.NoError(t, err)
	w.write(t, "cart/cart.go", "package cart\n\nvar N = 3\n")
	second, err := w.Commit(ctx0(), CommitSpec{Message: "Another", When: approvedAt})
	require.NoError(t, err)

	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: second, Tree: one, Branch: "bobbin/fix"})
	require.ErrorContains(t, err, "not "+one)
	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: second, Base: first, Branch: "bobbin/fix"})
	require.ErrorContains(t, err, "does not come from "+first)
	require.Equal(t, []string{"main"}, o.Branches())
	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: first, Tree: one, Base: w.Base(), Branch: "bobbin/fix"})
	require.NoError(t, err)
	require.Equal(t, first, o.BranchHead("bobbin/fix"))
}

func TestPushNeverOverwrites(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		w := workspaceAt(t, m)
		w.write(t, "main.go", "package main // ours\n")
		ours := w.save(t, "Ours")
		theirs := o.Commit("theirs", map[string]string{"theirs.txt": "x\n"})
		o.Branch("bobbin/fix", theirs)
		_, err := w.Push(ctx0(), transfer.PushSpec{Commit: ours, Branch: "bobbin/fix"})
		require.Contains(t, refusal(t, err).Reason, "exists on the remote with other commits")
		require.Equal(t, theirs, o.BranchHead("bobbin/fix"))

		require.NoError(t, m.Fetch(ctx0())) // also when their commit is in the mirror
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: ours, Branch: "bobbin/fix"})
		require.Contains(t, refusal(t, err).Reason, "other commits")
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: w.Base(), Branch: "bobbin/fix"})
		require.Contains(t, refusal(t, err).Reason, "other commits", "never back either")
		require.Equal(t, theirs, o.BranchHead("bobbin/fix"))
	})
}

func TestPushOnlyWhereItMay(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	o.Branch("bobbin/release", o.Commit("x", map[string]string{"x": "x"}))
	w := workspaceOf(t, o)
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	for _, p := range []transfer.PushSpec{
		{Branch: "main"},
		{Branch: "main", Prefix: "m"},
		{Branch: "MAIN", Prefix: "M"},
		{Branch: "feature/x"},
		{Branch: "bobbin/"},
		{Branch: "bobbin"},
		{Branch: ""},
		{Branch: "refs/heads/bobbin/x", Prefix: "refs/"},
		{Branch: "bobbin/../main"},
		{Branch: "bobbin/x.lock"},
		{Branch: "bobbin/a b"},
		{Branch: "bobbin/a\nb"},
		{Branch: "bobbin/-x:main"},
		{Branch: "+bobbin/x", Prefix: "+bobbin"},
		{Branch: "bobbin/release", Protected: []string{"bobbin/release"}},
		{Branch: "bobbin/release-1", Protected: []string{"bobbin/release-*"}},
		{Branch: "bobbin/rel", Protected: []string{"refs/heads/bobbin/rel"}},
		{Branch: "bobbin/x", Protected: []string{"bobbin/["}}, // an invalid pattern protects every branch
	} {
		p.Commit = commit
		if p.Branch == "+bobbin/x" {
			continue // git allows the name; as a branch it is harmless
		}
		_, err := w.Push(ctx0(), p)
		refusal(t, err)
	}
	require.Len(t, o.Branches(), 2)
}

func TestHookRefuses(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	o.AddHook("pre-receive", "echo 'Commits need a ticket number.' >&2\nprintf '\\033[31mSee the "+
		"wiki\\033[0m\\n' >&2\nenv >"+filepath.Join(filepath.Dir(o.Dir), "env")+"\nexit 1\n")
	for name, remote := range map[string]remote.Remote{
		"path": {Name: "shop", URL: o.Dir},
		"http": {Name: "shop", URL: o.ServeHTTP("")},
		"ssh":  o.ServeSSH(t),
	} {
		w := workspaceAt(t, openMirror(t, &Mirrors{}, remote))
		w.write(t, "main.go", "package main // ours\n")
		_, err := w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"})
		refused := refusal(t, err)
		require.Contains(t, refused.Reason,
			"a rule of the remote refused it: Commits need a ticket number. / [31mSee the wiki", name)
		require.False(t, refused.Retry)
		require.Empty(t, o.BranchHead("bobbin/fix"))
	}
	w := workspaceAt(t, openMirror(t, &Mirrors{Git: "-"}, remote.Remote{Name: "shop", URL: o.Dir}))
	w.write(t, "main.go", "package main // ours\n")
	_, err := w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"})
	require.Contains(t, refusal(t, err).Cure, "Install git",
		"a hook is not passed by for want of the program that runs it")
	require.Empty(t, o.BranchHead("bobbin/fix"))
}

// The hooks of a local remote run as child processes of this one, and see none of its secrets.
func TestHooksSeeNoSecrets(t *testing.T) {
	remotetest.NeedGit(t)
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-secret")
	o := remotetest.NewShop(t)
	seen := filepath.Join(filepath.Dir(o.Dir), "env")
	o.AddHook("pre-receive", "env >"+seen+"\n")
	w := workspaceOf(t, o)
	w.write(t, "main.go", "package main // ours\n")
	_, err := w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"})
	require.NoError(t, err)
	env, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Contains(t, string(env), "PATH=")
	require.NotContains(t, string(env), "xoxb-secret")
}

func TestProtectedOnTheRemote(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	o.AddHook("update", "echo 'GitLab: You are not allowed to push code to protected branches on this "+
		"project.' >&2\nexit 1\n")
	w := workspaceOf(t, o)
	w.write(t, "main.go", "package main // ours\n")
	_, err := w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"})
	require.Contains(t, refusal(t, err).Reason, "not allowed to push code to protected branches")
}

func TestAccess(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	address := o.ServeHTTP("t0ken")
	open := func(r remote.Remote) error {
		_, err := (&Mirrors{Dir: t.TempDir(), Log: quiet()}).Open(ctx0(), r)
		return err
	}
	require.Contains(t, refusal(t, open(remote.Remote{Name: "shop", URL: address})).Cure,
		"Give the bot a token")
	require.Contains(t, refusal(t, open(remote.Remote{
		Name:        "shop",
		URL:         address,
		Credentials: tokenIs("revoked"),
	})).Reason, "does not accept the token")
	require.Contains(t, refusal(t, open(remote.Remote{
		Name:        "shop",
		URL:         address,
		Credentials: tokenIs("weak"),
	})).Reason, "may not do this")
	failing := mint(func(remote.Access) (remote.Credential, error) {
		return remote.Credential{}, errors.New("the app is not installed")
	})
	require.Contains(t, refusal(t, open(remote.Remote{
		Name:        "shop",
		URL:         address,
		Credentials: failing,
	})).Reason, "the app is not installed")
	require.Contains(t, refusal(t, open(remote.Remote{
		Name: "shop",
		URL:  filepath.Join(t.TempDir(), "nowhere"),
	})).Reason, "no such repository")
	require.Contains(t, refusal(t, open(remote.Remote{Name: "shop", URL: t.TempDir()})).Reason,
		"no such repository")
	require.Contains(t, refusal(t, open(remote.Remote{Name: "shop", URL: "ftp://example.com/x"})).Reason,
		"not supported")
	require.Contains(t, refusal(t, open(remote.Remote{
		Name:        "shop",
		URL:         "http://example.invalid/x",
		Credentials: tokenIs("t"),
	})).Reason, "not sent over plain http")
	secret := refusal(t, open(remote.Remote{Name: "shop", URL: "https://me:hunter2@127.0.0.1:1/x.git"}))
	require.True(t, secret.Retry)
	require.NotContains(t, secret.Error(), "hunter2")

	// The token is requested for each exchange, so a renewed one is used.
	var token atomic.Value
	token.Store("t0ken")
	m := openMirror(t, &Mirrors{}, remote.Remote{
		Name: "shop",
		URL:  address,
		Credentials: mint(func(remote.Access) (remote.Credential, error) {
			return remote.Credential{Password: remote.Secret(token.Load().(string))}, nil
		}),
	})
	w := workspaceAt(t, m)
	w.write(t, "main.go", "package main // ours\n")
	token.Store("revoked")
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"}
	_, err := w.Push(ctx0(), spec)
	require.Contains(t, refusal(t, err).Reason, "does not accept the token")
	token.Store("t0ken")
	_, err = w.Push(ctx0(), spec)
	require.NoError(t, err)
}

// faulty starts a proxy in front of a real remote. spoil may answer in its place and returns true if it
// did.
func faulty(
	t *testing.T, address string, spoil func(w http.ResponseWriter, r *http.Request, real http.Handler) bool,
) string {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.WriteHeader(http.StatusBadGateway)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !spoil(w, r, proxy) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + target.Path
}

func isPush(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack")
}

func TestFaultsOnTheWay(t *testing.T) {
	t.Parallel()
	hijack := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	answer := func(code int) func(http.ResponseWriter, *http.Request, http.Handler) bool {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if isPush(r) {
				w.WriteHeader(code)
			}
			return isPush(r)
		}
	}
	cases := map[string]struct {
		spoil  func(http.ResponseWriter, *http.Request, http.Handler) bool
		reason string // "": the push succeeds
		retry  bool
	}{
		"503":  {answer(503), "answered 503", true},
		"429":  {answer(429), "answered 429", true},
		"403":  {answer(403), "may not do this", false},
		"HTML": {answer(200), "", false},
		"dropped": {func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			hijackIf(isPush(r), hijack, w)
			return isPush(r)
		}, "", true},
		"answer lost": {func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
			if isPush(r) {
				real.ServeHTTP(httptest.NewRecorder(), r)
				hijack(w)
			}
			return isPush(r)
		}, "", false},
		"500 after it was taken": {func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
			if isPush(r) {
				real.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(500)
			}
			return isPush(r)
		}, "", false},
		"redirect elsewhere": {func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if strings.Contains(r.URL.RawQuery, "receive-pack") {
				http.Redirect(w, r, "http://localhost.example.invalid"+r.URL.RequestURI(), http.StatusFound)
				return true
			}
			return false
		}, "sends us to another host", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewShop(t)
			real := o.ServeHTTP("")
			w := workspaceAt(t,
				openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: faulty(t, real, c.spoil)}))
			w.write(t, "main.go", "package main // ours\n")
			commit := w.save(t, "Ours")
			_, err := w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/fix"})
			arrived := o.BranchHead("bobbin/fix") == commit
			require.Equal(t, arrived, err == nil, "%v", err)
			if !arrived {
				refused := refusal(t, err)
				require.Contains(t, refused.Reason, c.reason)
				if c.reason != "" {
					require.Equal(t, c.retry, refused.Retry)
				}
			}
			o.Fsck()
		})
	}
}

// The control for the lost answer: without a second look at the branch it is a failure, and a client
// that believes this pushes again.
func TestALostAnswerLooksLikeAFailure(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	address := faulty(t, o.ServeHTTP(""),
		func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
			if isPush(r) {
				real.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusBadGateway)
			}
			return isPush(r)
		})
	w := workspaceAt(t, openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: address}))
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	p := &transfer.Push{
		Store:  w.Store,
		Client: &w.mirror.client,
		Remote: w.mirror.Remote(),
		Commit: plumbing.NewHash(commit),
		Ref:    "refs/heads/bobbin/fix",
	}
	_, tried, err := p.SendRequest(ctx0())
	require.True(t, tried)
	require.Error(t, err)
	require.Equal(t, commit, o.BranchHead("bobbin/fix"), "and yet it stands there")
	res, err := w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/fix"})
	require.NoError(t, err)
	require.True(t, res.Already)
}

func hijackIf(yes bool, hijack func(http.ResponseWriter), w http.ResponseWriter) {
	if yes {
		hijack(w)
	}
}

func TestARemoteThatHangs(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	require.NoError(t, err)
	t.Cleanup(func() { _ = deaf.Close() })
	remote := o.ServeSSH(t)
	for _, address := range []string{
		"http://" + deaf.Addr().String() + "/x.git", "ssh://git@" + deaf.Addr().String() + "/x.git",
	} {
		remote.URL = address
		w.mirror.setRemote(remote)
		short, cancel := context.WithTimeout(ctx0(), 300*time.Millisecond)
		_, err := w.Push(short, transfer.PushSpec{Commit: commit, Branch: "bobbin/fix"})
		cancel()
		refused := refusal(t, err)
		require.Contains(t, refused.Reason, "did not answer in time", address)
		require.True(t, refused.Retry)
		stopped, stop := context.WithCancel(ctx0())
		time.AfterFunc(100*time.Millisecond, stop)
		_, err = w.Push(stopped, transfer.PushSpec{Commit: commit, Branch: "bobbin/fix"})
		require.ErrorIs(t, err, context.Canceled)
	}
}

// An insteadOf in git settings must not send the push elsewhere.
func TestSettingsDoNotRedirect(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	thief := remotetest.NewOrigin(t)
	w := workspaceOf(t, o)
	config := "[core]\n\tbare = true\n[url \"" + thief.Dir + "\"]\n\tinsteadOf = " + o.Dir +
		"\n\tpushInsteadOf = " + o.Dir + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.mirror.dir, "config"), []byte(config), 0o644))
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	if _, err := exec.LookPath("git"); err == nil {
		// the control: git, which obeys the settings, asks the thief
		require.Empty(t, remotetest.RunGit(t, w.mirror.dir, "ls-remote", o.Dir))
	}
	_, err := w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/fix"})
	require.NoError(t, err)
	require.Equal(t, commit, o.BranchHead("bobbin/fix"))
	require.Empty(t, thief.Branches())
}

func TestPushSendsExactlyWhatIsNew(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
	fresh, err := bundle.NewObjects(ctx0(), w.Store, plumbing.NewHash(w.save(t, "Ours")), nil, nil)
	require.NoError(t, err)
	require.Len(t, fresh, 4, "commit, root, cart, cart.go")
}

// The pushed branch was merged as another commit and deleted, and the remote has cleaned up since. The
// mirror still has what was pushed. Work that builds on it is pushed nevertheless, and a base that main has
// left behind is not sent again.
func TestPushOnACommitThatTheRemoteDropped(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Base: w.Base(), Branch: "bobbin/fix"}
	_, err := w.Push(ctx0(), spec)
	require.NoError(t, err)
	o.Commit("squashed", map[string]string{"cart/cart.go": "package cart\n\nvar N = 2\n"})
	require.NoError(t, w.mirror.Fetch(ctx0()))
	require.True(t, w.mirror.Commits().Has(spec.Commit))
	remotetest.RunGit(t, o.Dir, "update-ref", "-d", "refs/heads/bobbin/fix")
	remotetest.RunGit(t, o.Dir, "gc", "-q", "--prune=now")

	w.write(t, "cart/cart.go", "package cart\n\nvar N = 3\n")
	spec.Commit, err = w.Commit(ctx0(), CommitSpec{Parent: spec.Commit, Message: "More", When: approvedAt})
	require.NoError(t, err)
	_, err = w.Push(ctx0(), spec)
	require.NoError(t, err)
	require.Equal(t, spec.Commit, o.BranchHead("bobbin/fix"))
	require.Equal(t, "2",
		strings.TrimSpace(remotetest.RunGit(t, o.Dir, "rev-list", "--count", spec.Commit, "^"+spec.Base)))
	o.Fsck()
	own, err := w.ownCommits(ctx0(), spec)
	require.NoError(t, err)
	require.Len(t, own, 2)
}

func TestCommitIsDeterministic(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	spec := CommitSpec{
		Message: "Fix the cart\r\n\r\nBecause.\n\nApproved-by: Eve <eve@example.com>\n\n\n", When: approvedAt,
		Author: Identity{Name: "Bob\n<Bobbin>", Email: "bob@example.com"},
		Trailers: [][2]string{
			{"Reported-by", "Ann"}, {"Approved-by", "Ben\nApproved-by: Eve"}, {"Session", "s-1"},
		},
	}
	var hashes []string
	for range 2 { // as on another machine with another mirror
		w := workspaceOf(t, o)
		w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
		w.write(t, "b", "b\n")
		h, err := w.Commit(ctx0(), spec)
		require.NoError(t, err)
		again, err := w.Commit(ctx0(), spec)
		require.NoError(t, err)
		require.Equal(t, h, again)
		hashes = append(hashes, h)
		c, err := w.Store.Commit(plumbing.NewHash(h))
		require.NoError(t, err)
		require.Equal(t, "Fix the cart\n\nBecause.\n\nApproved-by: Eve <eve@example.com>\n\n"+
			"Reported-by: Ann\nApproved-by: Ben Approved-by: Eve\nSession: s-1\n", c.Message)
		require.Equal(t, "Bob Bobbin", c.Author.Name)
		require.Equal(t, "Bobbin", c.Committer.Name)
		require.Equal(t, "2026-11-03T11:00:00Z", c.Committer.When.Format(time.RFC3339))
	}
	require.Equal(t, hashes[0], hashes[1])
	w := workspaceOf(t, o)
	_, err := w.Commit(ctx0(), spec)
	require.ErrorIs(t, err, errNoChanges)
	_, err = w.Commit(ctx0(), CommitSpec{Message: "when?"})
	require.ErrorContains(t, err, "no time")
}

func TestEmptyRemote(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"", "-"} {
		o := remotetest.NewOrigin(t)
		m := openMirror(t, &Mirrors{Git: program}, remote.Remote{Name: "shop", URL: o.Dir})
		require.Empty(t, m.Commits().DefaultBranch())
		_, err := m.Commits().Resolve("")
		require.ErrorContains(t, err, "the repository shop is empty: push a first commit")
		_, err = m.Workspace(ctx0(), t.TempDir(), "")
		require.ErrorContains(t, err, "is empty")
		first := o.Commit("first", map[string]string{"a": "a\n"})
		require.NoError(t, m.Fetch(ctx0()))
		got, err := m.Commits().Resolve("")
		require.NoError(t, err)
		require.Equal(t, first, got)
		require.Equal(t, "main", m.Commits().DefaultBranch())
	}
}
