package githost

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// A Host serves one repository with git's own http-backend and requires a password. It fails as Fail orders.
// A post-receive hook of the repository records the updates of its branches.
type Host struct {
	Dir, Address string

	mu     sync.Mutex
	broken string // kind of the requests that fail
	left   int
	by     Trouble
}

// A Trouble answers a request in place of the host. The real handler serves it properly.
type Trouble func(w http.ResponseWriter, r *http.Request, real http.Handler)

// The kinds of requests that Fail takes.
const (
	ReadRefs  = "GET git-upload-pack"
	ReadPack  = "POST git-upload-pack"
	WriteRefs = "GET git-receive-pack"
	WritePack = "POST git-receive-pack"
	Anything  = "whatever it is for"
)

const (
	Password = "hunter2-of-the-host"
	Lasting  = 1 << 30
)

func Open(t *testing.T, dir string, files []txtar.File) *Host {
	t.Helper()
	h := &Host{Dir: filepath.Join(dir, "remote.git")}
	require.NoError(t, stage.PlantRemote(h.Dir, files))
	require.NoError(t, h.Hook("post-receive", "cat >>"+h.book()))
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	real := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Stderr: io.Discard, Env: []string{
		"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=true",
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != Password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if how := h.arrived(r); how != nil {
			how(w, r, real)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.Address = strings.Replace(server.URL, "://", "://bot:"+Password+"@", 1) + "/remote.git"
	return h
}

func (h *Host) book() string { return filepath.Join(filepath.Dir(h.Dir), "book") }

func (h *Host) Hook(name, script string) error {
	if err := os.MkdirAll(filepath.Join(h.Dir, "hooks"), 0o755); err != nil {
		return err
	}
	return remotetest.WriteProgram(filepath.Join(h.Dir, "hooks", name), "#!/bin/sh\n"+script+"\n")
}

func (h *Host) arrived(r *http.Request) Trouble {
	h.mu.Lock()
	defer h.mu.Unlock()
	what := r.Method + " " + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if r.Method == http.MethodGet {
		what = "GET " + r.URL.Query().Get("service")
	}
	if h.broken != what && h.broken != Anything || h.left == 0 {
		return nil
	}
	h.left--
	return h.by
}

func (h *Host) Fail(at string, times int, how Trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken, h.left, h.by = at, times, how
}

func (h *Host) Mend() { h.Fail("", 0, nil) }

// Updates returns the recorded updates of references, oldest first, each as old hash, new hash, reference.
func (h *Host) Updates() (all [][]string) {
	b, _ := os.ReadFile(h.book())
	for line := range strings.Lines(string(b)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// Git runs git with args in the bare repository and returns its trimmed output.
func (h *Host) Git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", h.Dir}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// HTTPStatus returns a Trouble that answers with a status, and with a header if a name and a value are given.
func HTTPStatus(code int, header ...string) Trouble {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(code)
	}
}

func BreaksOff(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

func ShowsPage(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
}

func Hangs(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func SendsElsewhere(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	http.Redirect(w, r, "http://elsewhere.example.invalid"+r.URL.RequestURI(), http.StatusFound)
}

func CutsPack(w http.ResponseWriter, r *http.Request, real http.Handler) {
	answer := httptest.NewRecorder()
	real.ServeHTTP(answer, r)
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	body := answer.Body.Bytes()
	_, _ = w.Write(body[:bytes.Index(body, []byte("PACK"))+20]) // cuts within a pkt-line
}

// AfterDone returns a Trouble that carries out the request, and then fails with how.
func AfterDone(how Trouble) Trouble {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		real.ServeHTTP(httptest.NewRecorder(), r)
		how(w, r, real)
	}
}
