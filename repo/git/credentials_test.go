package git

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// Reading asks for a credential with read access; only a push asks for write access.
func TestCredentialsAreAskedForWhatIsDone(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	var asked []remote.Access
	r := remote.Remote{
		Name: "shop",
		URL:  o.ServeHTTP("t0ken"),
		Credentials: mint(func(to remote.Access) (remote.Credential, error) {
			asked = append(asked, to)
			return remote.Credential{Password: "t0ken"}, nil
		}),
	}
	w := workspaceAt(t, openMirror(t, &Mirrors{}, r))
	require.Equal(t, []remote.Access{remote.Read}, asked)
	w.write(t, "main.go", "package main // ours\n")
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"}
	asked = nil
	_, err := w.Push(ctx0(), spec)
	require.NoError(t, err)
	require.Equal(t, []remote.Access{remote.Write}, asked,
		"one credential for the push and the look after it")
	asked = nil
	_, err = w.BranchHead(ctx0(), "bobbin/fix")
	require.NoError(t, err)
	require.NoError(t, w.mirror.Fetch(ctx0()))
	require.Equal(t, []remote.Access{remote.Read, remote.Read}, asked)

	asked = nil // a local path needs no credential
	local := remote.Remote{Name: "shop", URL: o.Dir, Credentials: r.Credentials}
	openMirror(t, &Mirrors{}, local)
	require.Empty(t, asked)
}

// A token with an expiry is minted again when the remote refuses it; one without is refused for good.
func TestAShortLivedTokenIsMintedAnew(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	address := o.ServeHTTP("t0ken")
	minted := 0
	flaky := mint(func(remote.Access) (remote.Credential, error) {
		if minted++; minted == 1 {
			return remote.Credential{Password: "revoked", Expires: time.Now().Add(time.Hour)}, nil
		}
		return remote.Credential{Password: "t0ken", Expires: time.Now().Add(time.Hour)}, nil
	})
	openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: address, Credentials: flaky})
	require.Equal(t, 2, minted)
}

// parroting returns the ways in which a remote may repeat what it was sent.
func parroting(said func(r *http.Request) string) map[string]spoiler {
	body := func(code int) spoiler {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("WWW-Authenticate", `Basic realm="`+said(r)+`"`)
			w.WriteHeader(code)
			fmt.Fprint(w, said(r))
		}
	}
	return map[string]spoiler{
		"401": body(401),
		"403": body(403),
		"404": body(404),
		"418": body(418),
		"502": body(502),
		"200": body(200),
		"another host": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "http://elsewhere.invalid/?was="+url.QueryEscape(said(r)), http.StatusFound)
		},
		"another path": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "/"+url.PathEscape(said(r))+"?was="+url.QueryEscape(said(r)),
				http.StatusFound)
		},
		"a broken address": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("Location", "http://%zz"+said(r))
			w.WriteHeader(http.StatusFound)
		},
		"git's own error": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/x-"+r.URL.Query().Get("service")+"-advertisement")
			line := "ERR we know you, " + said(r) + "\n"
			fmt.Fprintf(w, "%04x%s", len(line)+4, line)
		},
	}
}

// A token that a remote repeats, in whatever form, is in no error.
func TestATokenIsNeverRepeated(t *testing.T) {
	t.Parallel()
	const token = "t0ken+with/slash=and more"
	forms := map[string]func(*http.Request) string{
		"as it is":   func(*http.Request) string { return token },
		"as it came": func(r *http.Request) string { return r.Header.Get("Authorization") },
		"in base64":  func(*http.Request) string { return base64.StdEncoding.EncodeToString([]byte(token)) },
		"in a query": func(*http.Request) string { return url.QueryEscape(token) },
		"something else": func(*http.Request) string {
			// the control: other text that a remote repeats is in the error
			return "c4nary"
		},
	}
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	repeated := 0
	for form, said := range forms {
		for name, how := range parroting(said) {
			for at, do := range map[string]func(w *Workspace) error{
				fetchRefs: func(w *Workspace) error { return w.mirror.Fetch(ctx0()) },
				pushRefs: func(w *Workspace) error {
					_, err := w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/x"})
					return err
				},
			} {
				o.spoil(at, always, how)
				r := o.remote()
				r.Credentials = tokenIs(token)
				w.mirror.setRemote(r)
				refused := refusal(t, do(w))
				o.fix()
				all := refused.Error() + fmt.Sprintf(" %+v %v", refused, refused.Err)
				for _, leak := range []string{
					token, url.QueryEscape(token), url.PathEscape(token),
					base64.RawStdEncoding.EncodeToString([]byte(token))[:20], basicOf(token)[:30],
				} {
					require.NotContains(t, all, leak, "%s, %s, %s", form, name, at)
				}
				if strings.Contains(all, "c4nary") {
					repeated++
				}
			}
		}
	}
	require.GreaterOrEqual(t, repeated, 8, "this test does not see what remotes say")
}

func basicOf(token string) string {
	return base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
}

// What a hook of the remote prints is quoted in the error, without the token.
func TestATokenInTheRemotesWords(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	o.AddHook("pre-receive",
		"echo 'you are "+faultToken+", and "+strings.Repeat("x", 580)+faultToken+"'; exit 1\n")
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	_, err := w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/x"})
	refused := refusal(t, err)
	require.Contains(t, refused.Reason, "you are "+remote.Hidden)
	require.NotContains(t, fmt.Sprint(refused, refused.Err), faultToken[:8])
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	c := remote.Credential{Password: "hunter2"}
	slog.New(slog.NewTextHandler(&b, nil)).Error("it failed", "token", remote.Token{Value: "hunter2"}.Value,
		"credential", c)
	fmt.Fprintf(&b, "%v %+v %#v %v", c, c, c, remote.Remote{Credentials: remote.Token{Value: "hunter2"}})
	require.NotContains(t, b.String(), "hunter2")
	_, err := json.Marshal(c)
	require.Error(t, err)
}
