package tool

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A lab is a hostile repository with everything that it may try to reach: a real bare remote that requires a
// token, a folder outside, a folder in which executed programs leave a file, and a server that nothing has a
// reason to contact.
type lab struct {
	t       testing.TB
	dir     string
	bare    string // the remote
	outside string // holds secret.txt
	fired   string
	remote  *httptest.Server
	trap    *trap
	watch   *watch
	mirrors *git.Mirrors
	env     *Env
	caches  bool // commands get build caches
	lure    bool // the remote redirects requests for another repository
	said    []string
}

const pushToken = "push-token-0815"

var whenever = time.Unix(1770000100, 0)

func newLab(t testing.TB) *lab {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	l := &lab{
		t:       t,
		dir:     dir,
		bare:    filepath.Join(dir, "remote", "shop.git"),
		outside: filepath.Join(dir, "outside"),
		fired:   filepath.Join(dir, "fired"),
	}
	put(t, l.outside, "secret.txt", secret+"\n")
	// Also writable for the user that commands run as, so that no permission prevents what the sandbox has
	// to.
	require.NoError(t, os.MkdirAll(l.fired, 0o755))
	require.NoError(t, os.Chmod(l.fired, 0o777))
	l.trap = newTrap(t)
	l.git("", "init", "-q", "--bare", "--template=", "-b", "main", l.bare)
	l.git(l.bare, "config", "http.receivepack", "true")
	l.serve()
	l.watch = newWatch(t, l.outside)
	return l
}

// git runs the git program, which trusts what is in dir.
func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	out, err := l.try(dir, args...)
	require.NoError(l.t, err, out)
	return out
}

func (l *lab) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = l.gitEnv()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (l *lab) gitEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_AUTHOR_NAME=Mallory", "GIT_AUTHOR_EMAIL=m@example.com",
		"GIT_COMMITTER_NAME=Mallory", "GIT_COMMITTER_EMAIL=m@example.com", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}
}

// backend returns the path of git-http-backend, git's own HTTP server for repositories.
var backend = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), err
})

// serve serves the remote over smart HTTP to clients with the token.
func (l *lab) serve() {
	program, err := backend()
	require.NoError(l.t, err, "the git program is needed: see make deps")
	handler := &cgi.Handler{
		Path: program,
		Env: append(l.gitEnv(), "GIT_PROJECT_ROOT="+filepath.Dir(l.bare), "GIT_HTTP_EXPORT_ALL=1",
			"REMOTE_USER=bobbin"),
		Stderr: &strings.Builder{},
	}
	l.remote = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.lure && strings.HasPrefix(r.URL.Path, "/elsewhere.git") {
			http.Redirect(w, r, l.trap.url+r.URL.Path, http.StatusFound)
			return
		}
		if _, password, _ := r.BasicAuth(); password != pushToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	l.t.Cleanup(l.remote.Close)
}

// asked returns the remote as an operator configures it.
func (l *lab) asked() remote.Remote {
	return remote.Remote{Name: "shop", URL: l.url(), Credentials: remote.Token{Value: pushToken}}
}

func (l *lab) url() string { return l.remote.URL + "/" + filepath.Base(l.bare) }

// commit writes a commit of a whole tree to a branch, with the git program. Data that begins with -> is the
// target of a link, with @ the commit of a submodule, with blob: the hash of an existing blob. A file whose
// name ends in * is executable. Every tree also has the file app.txt, which the session has to change.
func (l *lab) commit(branch string, tree files) {
	l.t.Helper()
	var s strings.Builder
	fmt.Fprintf(&s, "commit refs/heads/%s\ncommitter Mallory <m@example.com> 1770000000 +0000\ndata 9\n"+
		"trust me\n\n", branch)
	if _, err := l.try(l.bare, "rev-parse", "-q", "--verify", branch); err == nil {
		fmt.Fprintf(&s, "from refs/heads/%s^0\ndeleteall\n", branch)
	}
	line := func(mode, name, data string) {
		fmt.Fprintf(&s, "M %s inline %s\ndata %d\n%s\n", mode, inC(name), len(data), data)
	}
	line("100644", "app.txt", "price = 1\ntotal = 2\n")
	for name, data := range tree {
		name, program := strings.CutSuffix(name, "*")
		target, link := strings.CutPrefix(data, "->")
		pin, submodule := strings.CutPrefix(data, "@")
		blob, there := strings.CutPrefix(data, "blob:")
		switch {
		case link:
			line("120000", name, target)
		case submodule:
			fmt.Fprintf(&s, "M 160000 %s %s\n", pin, inC(name))
		case there:
			fmt.Fprintf(&s, "M 100644 %s %s\n", blob, inC(name))
		case program:
			line("100755", name, data)
		default:
			line("100644", name, data)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir = l.bare
	cmd.Env = l.gitEnv()
	cmd.Stdin = strings.NewReader(s.String())
	out, err := cmd.CombinedOutput()
	require.NoError(l.t, err, string(out))
}

// inC quotes a path for git.
func inC(name string) string {
	var s strings.Builder
	for i := range len(name) {
		fmt.Fprintf(&s, `\%03o`, name[i])
	}
	return `"` + s.String() + `"`
}

// touch returns a shell command that leaves a file if it is executed outside of a sandbox.
func (l *lab) touch(what string) string { return "touch " + l.fired + "/" + what }

// box returns the machine's sandbox, which the labs share, as the program's sessions do.
var box = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), sandbox.Config{})
})

// open clones the repository and makes a session's workspace, as a turn does.
func (l *lab) open(branch string) error {
	l.mirrors = &git.Mirrors{Dir: filepath.Join(l.dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	l.t.Cleanup(func() { _ = l.mirrors.Close() })
	m, err := l.mirrors.Open(l.t.Context(), l.asked())
	if err != nil {
		return err
	}
	l.env, err = l.session(m, "session", branch)
	return err
}

func (l *lab) session(m *git.Mirror, name, branch string) (*Env, error) {
	commit, err := m.Commits().Resolve(branch)
	if err != nil {
		return nil, err
	}
	w, err := m.Workspace(l.t.Context(), filepath.Join(l.dir, name), commit)
	if err != nil {
		return nil, err
	}
	l.t.Cleanup(func() { _ = w.Close() })
	s, err := box()
	require.NoError(l.t, err)
	b := &Env{
		Workspace: w, Mirror: m,
		Commands: Commands{
			Sandbox: s,
			Checker: (&build.Checker{
				Caches: build.Caches{Sandbox: s, Log: slog.New(slog.DiscardHandler)},
			}).For(nil),
			Project: project.Find(w.FS()),
		},
		OutputDir: filepath.Join(l.dir, name, "output"),
	}
	if l.caches { // caches take longer to make than everything else
		b.Checker.Caches.Dir = filepath.Join(l.dir, "caches")
		b.BuildCacheDir = filepath.Join(l.dir, name, "build-cache")
		b.Checker = b.Checker.For(m)
	}
	return b, s.Own(w.Files())
}

// ask calls a tool and keeps the text that a model would be shown.
func (l *lab) ask(name string, in args) string {
	l.t.Helper()
	r := l.env.call(l.t, name, in)
	l.said = append(l.said, r.Text)
	return r.Text
}

// work runs an ordinary session on the repository, up to and including the push. All of it has to succeed as
// on a harmless repository.
func (l *lab) work() {
	l.t.Helper()
	t, ctx, w := l.t, l.t.Context(), l.env.Workspace
	for _, look := range []struct {
		tool string
		in   args
	}{
		{"list_files", nil},
		{"list_files", args{"glob": "**/*"}},
		{"search", args{"pattern": secret}},
		{"outline", args{"path": "."}},
		{"history", nil},
		{"history", args{"commit": w.Base()}},
	} {
		l.ask(look.tool, look.in)
	}
	require.Contains(t, l.ask("read_file", args{"path": "app.txt"}), "price = 1")
	require.Contains(t, l.ask("edit_file", args{"path": "app.txt", "old": "total = 2", "new": "total = 3"}),
		"1 place changed")
	require.Contains(t,
		l.ask("write_file", args{"path": "new/note.txt", "content": "a note\n"}), "new, 1 line")
	require.Contains(t, l.ask("apply_patch", args{
		"patch": "*** Begin Patch\n*** Update File: app.txt\n-price = 1\n+price = 2\n*** End Patch",
	}), "app.txt changed")
	require.Contains(t, l.ask("run", args{
		"command": "cat app.txt; ls -la; git status; git log --all",
	}), "total = 3")
	before := l.env.Project
	l.env.Project = project.Project{Kind: "make", Test: "cat app.txt"}
	require.Contains(t, l.ask("check", nil), "exit code 0")
	l.env.Project = before

	changes, err := w.Changes(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	diff, err := w.Diff(ctx)
	require.NoError(t, err)
	l.said = append(l.said, diff)
	_, err = w.ListHunks(ctx)
	require.NoError(t, err)
	tree, err := w.Tree(ctx)
	require.NoError(t, err)
	fork, _, err := w.Fork(ctx, filepath.Join(l.dir, "fork"))
	require.NoError(t, err)
	require.NoError(t, fork.Close())
	require.NoError(t, w.Restore(ctx, ""))
	require.NoError(t, w.Restore(ctx, tree))
	again, err := w.Tree(ctx)
	require.NoError(t, err)
	require.Equal(t, tree, again)
	l.push(tree)
}

// push commits and pushes, and checks what the remote has then.
func (l *lab) push(tree string) {
	l.t.Helper()
	t, ctx, w := l.t, l.t.Context(), l.env.Workspace
	commit, err := w.Commit(ctx, git.CommitSpec{Tree: tree, Message: "charge more", When: whenever})
	require.NoError(t, err)
	_, err = w.Push(ctx, git.PushSpec{Commit: commit, Tree: tree, Base: w.Base(), Branch: "bobbin/more"})
	require.NoError(t, err)
	require.Equal(t, commit, l.git(l.bare, "rev-parse", "refs/heads/bobbin/more"))
	require.Equal(t, "price = 2\ntotal = 3", l.git(l.bare, "show", "bobbin/more:app.txt"))
	for name := range strings.SplitSeq(l.git(l.bare, "ls-tree", "-rz", "--name-only", "bobbin/more"),
		"\x00") {
		require.False(t, slices.ContainsFunc(strings.Split(name, "/"), disk.IsDotGit),
			"%q was committed", name)
	}
	l.said = append(l.said,
		l.git(l.bare, "diff", "--no-ext-diff", "--no-textconv", "main", "bobbin/more", "--", "."))
}

// safe requires what has to hold for every repository.
func (l *lab) safe() {
	l.t.Helper()
	require.Empty(l.t, l.found(), "somebody got out")
	for _, text := range l.said {
		require.NotContains(l.t, text, secret)
		require.NotContains(l.t, text, pushToken)
		require.NotContains(l.t, text, filepath.Join(l.dir, "session"), "a path of this machine was shown")
		require.NotContains(l.t, text, filepath.Join(l.dir, "mirrors"), "a path of this machine was shown")
	}
}

// modest requires that this process never used 512 MB of memory. It is for sizes that would show.
func (l *lab) modest() {
	l.t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(l.t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	_, err = fmt.Sscan(after, &kilobytes)
	require.NoError(l.t, err)
	l.t.Logf("most memory held so far: %d MB", kilobytes>>10)
	require.Less(l.t, kilobytes, 512<<10)
}

// What the detectors can find.
const (
	executed    = "executed"    // a program of the repository ran outside of the sandbox
	touched     = "touched"     // something outside of the workspace was opened, changed or listed
	asked       = "asked"       // the trap got a request
	credentials = "credentials" // the trap got a request with credentials
)

// found returns what the detectors have found.
func (l *lab) found() (what []string) {
	l.t.Helper()
	if left, err := os.ReadDir(l.fired); err != nil || len(left) > 0 {
		what = append(what, executed)
	}
	if l.watch.seen() {
		what = append(what, touched)
	}
	requests, tokens := l.trap.seen()
	if requests > 0 {
		what = append(what, asked)
	}
	if tokens > 0 {
		what = append(what, credentials)
	}
	return what
}

// A trap is a server that nothing may contact. It asks for credentials, as a remote does.
type trap struct {
	url string

	mu               sync.Mutex
	requests, tokens int
}

func newTrap(t testing.TB) *trap {
	tr := &trap{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.requests++
		if r.Header.Get("Authorization") != "" {
			tr.tokens++
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "who?", http.StatusUnauthorized)
	}))
	t.Cleanup(s.Close)
	tr.url = s.URL
	return tr
}

func (t *trap) seen() (requests, tokens int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests, t.tokens
}

// A watch makes the kernel record every access to a folder and its entries.
type watch struct {
	t  testing.TB
	fd int
}

func newWatch(t testing.TB, dir string) *watch {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	_, err = unix.InotifyAddWatch(fd, dir,
		unix.IN_OPEN|unix.IN_ACCESS|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE)
	require.NoError(t, err)
	return &watch{t, fd}
}

func (w *watch) seen() bool {
	n, err := unix.Read(w.fd, make([]byte, 4<<10))
	if err != nil {
		require.ErrorIs(w.t, err, unix.EAGAIN)
	}
	return n > 0
}

// checkout returns a clone made by the git program, as people have it. If git itself refuses the repository,
// the folder is empty.
func (l *lab) checkout() string {
	l.t.Helper()
	dir := filepath.Join(l.dir, "naive")
	_, _ = l.try("", "clone", "-q", "--no-checkout", l.bare, dir)
	_, _ = l.try(dir, "checkout", "-q", "-f", "main")
	require.NoError(l.t, os.MkdirAll(dir, 0o755))
	return dir
}

// sh runs a shell command in a folder without a sandbox. Only controls use it.
func (l *lab) sh(dir, line string, env ...string) string {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(l.gitEnv(), env...)
	out, _ := cmd.CombinedOutput()
	return string(out)
}
