package tool

import (
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// hostileRemotes are repositories that lack what a clone expects.
func hostileRemotes() []hostile {
	return []hostile{
		{
			line: "R23", name: "an empty repository", build: func(*lab) {},
			refused: "the repository shop is empty: push a first commit to it",
		},
		{
			line: "R23", name: "a HEAD on a branch that is not there", build: func(l *lab) {
				l.commit("main", nil)
				l.git(l.bare, "symbolic-ref", "HEAD", "refs/heads/unborn")
			},
			play: func(t testing.TB, l *lab) { require.Equal(t, "main", l.env.Mirror.Commits().DefaultBranch()) },
		},
		{
			line: "R23", name: "a HEAD on no branch", build: func(l *lab) {
				l.commit("main", nil)
				first := l.git(l.bare, "rev-parse", "main")
				l.commit("main", files{"b.txt": "b\n"})
				l.commit("aardvark", nil)
				l.git(l.bare, "update-ref", "refs/heads/aardvark", "main")
				l.git(l.bare, "update-ref", "--no-deref", "HEAD", l.git(l.bare, "commit-tree", "-m", "loose", first+"^{tree}"))
			},
			play: func(t testing.TB, l *lab) { require.Equal(t, "main", l.env.Mirror.Commits().DefaultBranch()) },
		},
		{
			line: "R23", name: "a shallow clone", build: func(l *lab) {
				from := filepath.Join(l.dir, "deep.git")
				bare := l.bare
				l.git("", "init", "-q", "--bare", "--template=", "-b", "main", from)
				l.bare = from
				l.commit("main", nil)
				l.commit("main", files{"b.txt": "b\n"})
				l.bare = bare
				l.git(bare, "fetch", "-q", "--depth=1", "file://"+from, "main:main")
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.ask("history", args{"commit": l.env.Workspace.Base()}), "a shallow clone whose history begins here")
				require.Contains(t, l.ask("history", nil), "trust me")
				require.Contains(t, l.ask("history", args{"path": "app.txt", "line": 1}), "was last changed by")
			},
		},
		{
			line: "R23", name: "a branch that is not there", refused: `no branch, tag or commit "main": its branches are trunk`,
			build: func(l *lab) { l.commit("trunk", nil) },
		},
	}
}

// hostilePushes try to send what is pushed, and the token, elsewhere.
func hostilePushes() []hostile {
	return []hostile{
		{
			line: "G4", name: "settings that send the push elsewhere",
			arrive: func(l *lab, dir string) { l.settings(dir, l.elsewhere()...) },
			play: func(_ testing.TB, l *lab) { // even in Bobbin's own mirror
				l.settingsOf(filepath.Join(l.env.Mirror.Dir(), "config"), l.elsewhere()...)
			},
			naive: func(l *lab, dir string) { // by the remote's name, with the library that Bobbin pushes with
				r, err := gogit.PlainOpen(dir)
				require.NoError(l.t, err)
				_ = r.Push(&gogit.PushOptions{
					RemoteName: "shop", RefSpecs: []config.RefSpec{"refs/heads/main:refs/heads/bobbin/more"},
					Auth: &githttp.BasicAuth{Username: "x-access-token", Password: pushToken},
				})
			}, finds: credentials,
		},
		{
			line: "G5", name: "a push to where nobody may", tree: func(*lab) files { return files{"x.txt": "x\n"} },
			play: func(t testing.TB, l *lab) {
				w, before := l.env.Workspace, l.git(l.bare, "for-each-ref")
				l.env.put(t, "x.txt", "y\n")
				commit, err := w.Commit(t.Context(), git.CommitSpec{Message: "x", When: whenever})
				require.NoError(t, err)
				for branch, says := range map[string]string{
					"main": "outside bobbin/", "refs/heads/bobbin/x": "not the short name", "bobbin/": "outside bobbin/", "bobbin/../main": "not a name that git allows",
					"bobbin/release": "protected branch", "bobbin/x\nrefs/heads/main": "not a name", "+bobbin/x": "outside", "bobbin/x:main": "not a name", "--mirror": "outside",
				} {
					_, err := w.Push(t.Context(), git.PushSpec{Commit: commit, Branch: branch, Protected: []string{"bobbin/release*"}})
					var refused *remote.Error
					require.True(t, errors.As(err, &refused), "%q: %v", branch, err)
					require.Contains(t, refused.Reason, says)
					require.Contains(t, refused.Cure, "Choose a branch that is the bot's own")
				}
				_, err = w.Push(t.Context(), git.PushSpec{Commit: commit, Branch: "main", Prefix: "m"})
				require.ErrorContains(t, err, "main is the default branch, and is never pushed to")
				require.Equal(t, before, l.git(l.bare, "for-each-ref"))
				require.NoError(t, w.Restore(t.Context(), ""))
			},
		},
		{
			line: "G1", name: "a remote that sends to another host",
			build: func(l *lab) {
				l.commit("main", nil)
				l.lure = true
			},
			play: func(t testing.TB, l *lab) {
				mirrors := &git.Mirrors{Dir: t.TempDir(), Log: l.mirrors.Log, Git: "-"}
				_, err := mirrors.Open(t.Context(), remote.Remote{Name: "lure", URL: l.remote.URL + "/elsewhere.git", Credentials: remote.Token{Value: pushToken}})
				require.ErrorContains(t, err, "the remote sends us to another host")
			},
			naive: func(l *lab, _ string) {
				r, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, l.remote.URL+"/elsewhere.git/info/refs", nil)
				require.NoError(l.t, err)
				r.SetBasicAuth("x-access-token", pushToken)
				if res, err := http.DefaultClient.Do(r); err == nil {
					_ = res.Body.Close()
				}
			}, finds: credentials,
		},
	}
}

// elsewhere returns settings that replace the remote's address by the trap's.
func (l *lab) elsewhere() []string {
	base, err := url.Parse(l.remote.URL)
	require.NoError(l.t, err)
	return []string{
		`[url "` + l.trap.url + `/"]`, "insteadOf = " + base.String() + "/", "pushInsteadOf = " + base.String() + "/",
		`[remote "shop"]`, "url = " + l.url(), "pushurl = " + strings.Replace(l.url(), l.remote.URL, l.trap.url, 1),
		"[http]", "proxy = " + l.trap.url, "[credential]", "helper = \"!" + l.touch("helper") + "\"", "[core]", "sshCommand = " + l.touch("ssh"),
	}
}
