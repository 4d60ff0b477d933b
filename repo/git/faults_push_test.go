package git

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/dial"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// A push that a rule of the remote refuses is sent once, and the rule's message is quoted. The same
// commit is accepted once the rule is gone.
func TestRefusalsAreNotAskedTwice(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	theirs := o.Commit("theirs", map[string]string{"theirs.txt": "x\n"})
	hook := func(name, script string) func(string) func() {
		return func(string) func() {
			o.AddHook(name, script)
			return func() { require.NoError(t, os.Remove(filepath.Join(o.Dir, "hooks", name))) }
		}
	}
	answered := func(how spoiler) func(string) func() {
		return func(string) func() {
			o.spoil(pushPack, always, how)
			return func() { o.fix() }
		}
	}
	taken := func(at string) func(branch string) func() {
		return func(branch string) func() {
			o.Branch(branch, at)
			return func() {
				require.NoError(t, o.Repo.Storer.RemoveReference(plumbing.NewBranchReferenceName(branch)))
			}
		}
	}
	for name, c := range map[string]struct {
		break_       func(branch string) (fix func())
		reason, cure string
		asked        int // number of pushes that reached the remote
	}{
		"pre-receive hook": {
			hook("pre-receive", "echo 'Commits need a ticket number.' >&2\nexit 1\n"),
			"a rule of the remote refused it: Commits need a ticket number.", "push again", 1,
		},
		"update hook": {
			hook("update", "echo 'Not on a Friday.' >&2\nexit 1\n"),
			"a rule of the remote refused it: Not on a Friday.", "push again", 1,
		},
		"protected branch": {
			hook("pre-receive",
				"echo 'error: GH006: Protected branch update failed for refs/heads/x.' >&2\nexit 1\n"),
			"the branch is protected on the remote: error: GH006", "change the protection rule", 1,
		},
		"a hook that tells an address with a password": {
			hook("update", "echo 'see https://me:hunter2@example.com/rules' >&2\nexit 1\n"),
			"see https://example.com/rules", "push again", 1,
		},
		"disk full": {
			answered(reportFull), "the remote's disk is full: fatal: unable to write loose object file",
			"Make room there", 1,
		},
		"exists at a commit not known": {
			taken(theirs), "exists on the remote with other commits", "Nothing was overwritten", 0,
		},
		"exists at a commit behind": {
			func(b string) func() { return taken(w.Base())(b + "/sub") }, "another branch is in the way",
			"remove or rename", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := transfer.PushSpec{
				Commit: commit,
				Branch: "bobbin/" + strings.NewReplacer(" ", "-", ",", "").Replace(name),
			}
			fix := c.break_(spec.Branch)
			was := o.BranchHead(spec.Branch)
			o.forget()
			_, err := w.Push(ctx0(), spec)
			refused := refusal(t, err)
			require.Contains(t, refused.Reason, c.reason)
			require.Contains(t, refused.Cure, c.cure)
			require.False(t, refused.Retry)
			require.NotContains(t, refused.Error(), "hunter2")
			require.Equal(t, c.asked, o.count(pushPack))
			require.Equal(t, was, o.BranchHead(spec.Branch))
			require.Empty(t, o.updates(spec.Branch))
			fix()
			_, err = w.Push(ctx0(), spec)
			require.NoError(t, err)
			require.Equal(t, [][2]string{{plumbing.ZeroHash.String(), commit}}, o.updates(spec.Branch))
		})
	}
	require.Empty(t, o.audit())
}

// reportFull answers as git does when its disk is full, as recorded from such a git.
func reportFull(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	var report strings.Builder
	ref := "refs/heads/bobbin/disk-full"
	e := pktline.NewEncoder(&report)
	_ = e.EncodeString("unpack unpack-objects abnormal exit\n", "ng "+ref+" unpacker error\n")
	_ = e.Flush()
	w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
	e = pktline.NewEncoder(w)
	_ = e.EncodeString("\x02fatal: unable to write loose object file: No space left on device\n",
		"\x01"+report.String())
	_ = e.Flush()
}

func TestFullDiskAtTheRemote(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	big := make([]byte, 1<<20) // more than fits on the small file system
	_, _ = rand.Read(big)
	w.write(t, "big.bin", string(big))
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/disk-full"}
	o.spoil(pushPack, always, o.onFullDisk(t))
	_, err := w.Push(ctx0(), spec)
	requireReported(t, err, faultKind{reason: "the remote's disk is full: ", cure: "Make room there"})
	require.Equal(t, 1, o.fix())
	_, err = w.Push(ctx0(), spec)
	require.NoError(t, err)
	require.Len(t, o.updates(spec.Branch), 1)
	o.Fsck()
}

// onFullDisk runs the remote with its objects on a file system that is nearly full. If the test may not
// mount one, it returns reportFull.
func (fo *faultyOrigin) onFullDisk(t *testing.T) spoiler {
	unshare, err := exec.LookPath("unshare")
	if err != nil || exec.Command(unshare, "-m", "mount", "-t", "tmpfs", "none", t.TempDir()).Run() != nil {
		t.Log("nobody here may mount a small disk: git's words are played")
		return reportFull
	}
	backend := filepath.Join(remotetest.RunGit(t, fo.Dir, "--exec-path"), "git-http-backend")
	script := `cd "$GIT_PROJECT_ROOT/remote.git" && rm -rf ../kept && cp -r objects ../kept &&
		mount -t tmpfs -o size=300k none objects && cp -r ../kept/. objects/ && exec "$0"`
	full := &cgi.Handler{Path: unshare, Args: []string{"-m", "sh", "-c", script, backend}, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(fo.Dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}, Stderr: &dial.OutputHead{}}
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) { full.ServeHTTP(w, r) }
}

// The remote accepts the push but its answer is lost: Push asks the remote for the branch's commit and
// does not push again.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	for name, how := range map[string]spoiler{
		"reset":   reset,
		"500":     status(500),
		"503":     status(503),
		"429":     status(429),
		"401":     status(401),
		"nothing": silent,
		"page":    page,
	} {
		for _, unsure := range []int{0, 1, always} {
			// number of requests for the branch's commit that fail, too
			t.Run(fmt.Sprintf("%s, then %d looks", name, unsure), func(t *testing.T) {
				spec := transfer.PushSpec{Commit: commit, Branch: fmt.Sprintf("bobbin/%s-%d", name, unsure)}
				o.forget()
				o.spoil(pushPack, always, afterwards(how))
				o.spoil(fetchRefs, unsure, status(503))
				_, err := w.Push(ctx0(), spec)
				if name != "401" || unsure == 0 {
					// a token that is refused at that moment is reported, and the next push finds the branch
					require.NoError(t, err)
				}
				require.Equal(t, 1, o.count(pushPack))
				o.fix()
				res, err := w.Push(ctx0(), spec)
				require.NoError(t, err)
				require.True(t, res.Already)
				require.Equal(t, 1, o.count(pushPack), "a second push was sent")
				require.Len(t, o.updates(spec.Branch), 1)
			})
		}
	}
	t.Run("down for good", func(t *testing.T) {
		spec := transfer.PushSpec{Commit: commit, Branch: "bobbin/down"}
		o.forget()
		o.spoil(pushPack, always, afterwards(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			o.spoil(fetchRefs, always, reset)
			o.spoil(pushRefs, always, reset)
			reset(w, r, real)
		}))
		_, err := w.Push(ctx0(), spec)
		requireReported(t, err, faultKinds["connection reset"])
		o.fix()
		res, err := w.Push(ctx0(), spec)
		require.NoError(t, err)
		require.True(t, res.Already)
		require.Equal(t, 1, o.count(pushPack))
		require.Len(t, o.updates(spec.Branch), 1)

		o.spoil(fetchRefs, faultTries-1, status(503))
		stands, err := w.BranchHead(ctx0(), spec.Branch)
		require.NoError(t, err)
		require.Equal(t, commit, stands)
		stands, err = w.BranchHead(ctx0(), "bobbin/nothing-there")
		require.NoError(t, err)
		require.Empty(t, stands)
		o.fix()
		o.spoil(fetchRefs, always, status(403))
		_, err = w.BranchHead(ctx0(), spec.Branch)
		requireReported(t, err, faultKinds["403"])
		o.fix()
	})
	require.Empty(t, o.audit())
}

// The control: audit finds a client that pushes again when it gets no answer.
func TestSendingAgainIsFoundOut(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	naive := filepath.Join(t.TempDir(), "clone")
	address := strings.Replace(o.url, "://", "://x-access-token:"+faultToken+"@", 1)
	remotetest.RunGit(t, o.Dir, "clone", "-q", address, naive)
	again := func(when string) {
		remotetest.RunGit(t, naive, "reset", "-q", "--hard", "origin/main")
		writeFile(t, naive, "main.go", "package main // ours\n")
		// another date, and so a commit with another hash
		remotetest.RunGit(t, naive, "commit", "-q", "-a", "-m", "Ours", "--date", when)
		remotetest.RunGit(t, naive, "push", "-q", "--force", "origin", "HEAD:refs/heads/bobbin/fix")
	}
	again("2026-01-01T00:00:00Z")
	require.Empty(t, o.audit())
	again("2026-01-02T00:00:00Z")
	require.Len(t, o.audit(), 2, "forced, and twice")
}

// Push and Fetch give up on a remote that hangs; a push that the remote accepted nevertheless is found.
func TestHangs(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]spoiler{
		"before the headers":        hang,
		"in the middle of the body": hangHalfway,
	} {
		for _, at := range []string{fetchRefs, fetchPack, pushRefs, pushPack} {
			t.Run(name+" at "+at, func(t *testing.T) {
				t.Parallel()
				o := newTroubled(t)
				w := o.patient(t, remote.RetryPolicy{Idle: time.Minute})
				w.write(t, "main.go", "package main // ours\n")
				spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"}
				do := func() error {
					_, err := w.Push(ctx0(), spec)
					return err
				}
				if at == fetchRefs || at == fetchPack {
					o.Commit("newer", map[string]string{"newer.txt": "x\n"})
					do = func() error { return w.mirror.Fetch(ctx0()) }
				}
				// what is held back is only the answer
				taken := at == pushPack && name != "before the headers"
				w.mirror.client.Retry.Tries = 1
				err := o.doIdle(w, do, at, always, how,
					func(err error) bool { return taken && err == nil || !taken && o.count(at) > 0 })
				if taken {
					require.NoError(t, err, "it had been taken")
					require.Len(t, o.updates(spec.Branch), 1)
					return
				}
				require.Contains(t, refusal(t, err).Reason, "did not answer in time")
				require.Empty(t, o.BranchHead(spec.Branch))

				w.mirror.client.Retry.Tries = faultTries // one more try hides the fault
				require.NoError(t, o.doIdle(w, do, at, 1, how, func(err error) bool { return err == nil }))
				require.LessOrEqual(t, len(o.updates(spec.Branch)), 1)
			})
		}
	}
}

// doIdle calls do while exchanges are spoilt. It waits longer and longer for the remote, until enough returns
// true: on a busy machine an answer that is not held back takes its time, too.
func (fo *faultyOrigin) doIdle(
	w *Workspace, do func() error, at string, times int, how spoiler, enough func(error) bool,
) (err error) {
	for idle := 4 * time.Second; idle < 2*time.Minute; idle *= 2 {
		w.mirror.client.Retry.Idle = idle
		fo.forget()
		fo.spoil(at, times, how)
		err = do()
		fo.fix()
		if enough(err) {
			break
		}
	}
	return err
}

// Two workspaces push to one branch at the same time, and both see that it does not exist. One of them
// creates it, and the remote's commits are never overwritten.
func TestTwoPushersAtOnce(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]bool{"of the same commit": true, "of two commits": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newTroubled(t)
			var both sync.WaitGroup
			both.Add(2)
			o.spoil(pushPack, 2, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
				both.Done()
				both.Wait() // both have seen that the branch does not exist
				real.ServeHTTP(w, r)
			})
			var commits [2]string
			var errs [2]error
			var done sync.WaitGroup
			for i := range 2 {
				w := o.patient(t, remote.RetryPolicy{})
				text := "package main // ours\n"
				if !same {
					text += fmt.Sprintf("// %d\n", i)
				}
				w.write(t, "main.go", text)
				commits[i] = w.save(t, "Ours")
				done.Go(func() {
					_, errs[i] = w.Push(ctx0(), transfer.PushSpec{Commit: commits[i], Branch: "bobbin/fix"})
				})
			}
			done.Wait()
			require.Empty(t, o.audit())
			require.Len(t, o.updates("bobbin/fix"), 1)
			require.Equal(t, 2, o.count(pushPack))
			if same {
				require.NoError(t, errs[0])
				require.NoError(t, errs[1])
				return
			}
			won := 0
			if errs[0] != nil {
				won = 1
			}
			require.NoError(t, errs[won])
			require.Contains(t, refusal(t, errs[1-won]).Reason, "exists on the remote with other commits")
			require.Equal(t, commits[won], o.BranchHead("bobbin/fix"))
		})
	}
}

// A push to a forbidden branch sends no request to the remote.
func TestForbiddenTargetsAreNotAsked(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	o.forget()
	for _, spec := range []transfer.PushSpec{
		{Branch: "main"},
		{Branch: "main", Prefix: "ma"},
		{Branch: "bobbin/release", Protected: []string{"bobbin/rel*"}},
		{Branch: "elsewhere/x"},
		{Branch: "refs/heads/bobbin/x"},
		{Branch: "main", Named: regexp.MustCompile(`^main$`)},
		{Branch: "release/1", Named: regexp.MustCompile(`^fix/[a-z]+$`)},
		{Branch: "fix/x", Named: regexp.MustCompile(`^fix/[a-z]+$`), Protected: []string{"fix/*"}},
	} {
		spec.Commit = commit
		_, err := w.Push(ctx0(), spec)
		refusal(t, err)
	}
	for _, what := range []string{fetchRefs, fetchPack, pushRefs, pushPack} {
		require.Zero(t, o.count(what))
	}
	require.NoFileExists(t, o.book)
	named := transfer.PushSpec{Commit: commit, Branch: "fix/x", Named: regexp.MustCompile(`^fix/[a-z]+$`)}
	_, err := w.Push(ctx0(), named)
	require.NoError(t, err, "a branch named as the team wants it")
	require.Equal(t, commit, o.BranchHead("fix/x"))
}

// trap starts another host, which records the credentials that it is sent.
func trap(t *testing.T) (address *url.URL, caught func() []string) {
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func TestRedirectsDoNotTakeCredentialsAlong(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"}
	other, caught := trap(t)
	for _, host := range []string{other.Host, "localhost:" + other.Port(), "remote.example.invalid"} {
		elsewhere := func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "http://"+host+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		}
		for _, at := range []string{fetchRefs, fetchPack, pushRefs, pushPack} {
			o.Commit("newer", map[string]string{"newer.txt": host + at})
			o.spoil(at, always, elsewhere)
			err := w.mirror.Fetch(ctx0())
			if at == pushRefs || at == pushPack {
				require.NoError(t, err)
				_, err = w.Push(ctx0(), spec)
			}
			require.Contains(t, refusal(t, err).Reason, "sends us", at)
			require.NotContains(t, err.Error(), faultToken)
			require.Equal(t, 1, o.fix())
		}
	}
	require.Empty(t, caught())
	_, err := w.Push(ctx0(), spec)
	require.NoError(t, err)
	require.Len(t, o.updates(spec.Branch), 1)

	// The control: Go's default client follows the redirect and sends the credentials to the other
	// port.
	o.spoil(pushRefs, always, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "http://"+other.Host+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	})
	req, err := http.NewRequest(http.MethodGet, o.url+"/info/refs?service=git-receive-pack", nil)
	require.NoError(t, err)
	req.SetBasicAuth("x-access-token", faultToken)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	require.Len(t, caught(), 1)
	require.Equal(t, req.Header.Get("Authorization"), caught()[0])
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	spec := transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"}
	asked := 0
	strange := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked++
	}))
	strange.Config.ErrorLog = quietLog()
	strange.StartTLS()
	t.Cleanup(strange.Close)
	for address, reason := range map[string]string{
		strange.URL + "/remote.git":                      "certificate is not trusted",
		strings.Replace(o.url, "http://", "https://", 1): "does not speak https",
	} {
		r := o.remote()
		r.URL = address
		w.mirror.setRemote(r)
		err := w.mirror.Fetch(ctx0())
		require.Contains(t, refusal(t, err).Reason, reason)
		_, err = w.Push(ctx0(), spec)
		require.Contains(t, refusal(t, err).Reason, reason)
		require.False(t, refusal(t, err).Retry)
	}
	require.Zero(t, asked)
	w.mirror.setRemote(o.remote())
	_, err := w.Push(ctx0(), spec)
	require.NoError(t, err)
	require.Len(t, o.updates(spec.Branch), 1)
}

// No git settings, in the mirror or in the workspace's files, redirect requests or the token to another
// host.
func TestRepositorysOwnConfigIsIgnored(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	other, caught := trap(t)
	base := strings.TrimSuffix(o.url, "remote.git")
	config := "[core]\n\tbare = true\n[remote \"origin\"]\n\turl = " + o.url + "\n\tpushurl = " +
		other.String() + "/pushed.git\n" +
		"[url \"" + other.String() + "/\"]\n\tinsteadOf = " + base + "\n\tpushInsteadOf = " + base +
		"\n[http]\n\tproxy = " + other.String() + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.mirror.dir, "config"), []byte(config), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(w.Files(), ".git"), 0o755))
	w.write(t, ".git/config", config)
	w.write(t, ".gitconfig", config)
	w.write(t, "main.go", "package main // ours\n")
	newer := o.Commit("newer", map[string]string{"newer.txt": "x\n"})
	require.NoError(t, w.mirror.Fetch(ctx0()))
	now, err := w.mirror.Commits().Resolve("main")
	require.NoError(t, err)
	require.Equal(t, newer, now)
	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: w.save(t, "Ours"), Branch: "bobbin/fix"})
	require.NoError(t, err)
	require.Len(t, o.updates("bobbin/fix"), 1)
	require.Empty(t, caught())

	// The control: git, which obeys these settings, sends requests to the other host.
	cmd := exec.Command("git", "-C", w.mirror.dir, "ls-remote", "origin")
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null")
	_ = cmd.Run()
	require.NotEmpty(t, caught())
}
