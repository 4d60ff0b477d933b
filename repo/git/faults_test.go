package git

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// These are the purposes of requests to a remote, as the function purpose returns them.
const (
	fetchRefs = "GET git-upload-pack"
	fetchPack = "POST git-upload-pack"
	pushRefs  = "GET git-receive-pack"
	pushPack  = "POST git-receive-pack"
)

// faultyOrigin is a real repository behind the real git-http-backend, with a proxy in front that spoils
// chosen exchanges. A hook of the repository records every branch update in the file book.
type faultyOrigin struct {
	*remotetest.Origin
	url, book string

	mu      sync.Mutex
	trouble map[string]*trouble // by purpose
	asked   map[string]int      // number of requests, by purpose
}

type trouble struct {
	how        spoiler
	left, hits int // exchanges still to be spoilt, and exchanges spoilt so far
}

// A spoiler answers in the remote's place, or changes the remote's answer.
type spoiler func(w http.ResponseWriter, r *http.Request, real http.Handler)

const faultToken = "t0ken-of-the-bot"

func newTroubled(t *testing.T) *faultyOrigin {
	t.Helper()
	o := &faultyOrigin{Origin: remotetest.NewShop(t), asked: map[string]int{}, trouble: map[string]*trouble{}}
	o.book = filepath.Join(filepath.Dir(o.Dir), "book")
	o.AddHook("post-receive", "cat >>"+o.book+"\n")
	o.url = faulty(t, o.ServeHTTP(faultToken), func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
		how := o.arrived(r)
		if how != nil {
			how(w, r, real)
		}
		return how != nil
	})
	return o
}

func purpose(r *http.Request) string {
	if r.Method == http.MethodGet {
		return "GET " + r.URL.Query().Get("service")
	}
	return "POST " + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
}

func (o *faultyOrigin) arrived(r *http.Request) spoiler {
	o.mu.Lock()
	defer o.mu.Unlock()
	what := purpose(r)
	o.asked[what]++
	f := o.trouble[what]
	if f == nil || f.left == 0 {
		return nil
	}
	f.left--
	f.hits++
	return f.how
}

// spoil applies a spoiler to the next exchanges of a purpose.
func (o *faultyOrigin) spoil(at string, times int, how spoiler) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trouble[at] = &trouble{how: how, left: times}
}

const always = 1 << 30

// mend ends all trouble and returns how many exchanges were spoilt.
func (o *faultyOrigin) mend() (hits int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.trouble {
		hits += f.hits
	}
	o.trouble = map[string]*trouble{}
	return hits
}

// count returns the number of requests of a purpose since the last forget.
func (o *faultyOrigin) count(what string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[what]
}

func (o *faultyOrigin) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = map[string]int{}
}

// updates returns the old and new commit of each recorded update of a branch.
func (o *faultyOrigin) updates(branch string) (of [][2]string) {
	o.T.Helper()
	b, err := os.ReadFile(o.book)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(o.T, err)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[2] == "refs/heads/"+branch {
			of = append(of, [2]string{f[0], f[1]})
		}
	}
	return of
}

// audit returns the recorded updates that must never happen, one line each: forced ones, and second
// updates of a branch.
func (o *faultyOrigin) audit() (found []string) {
	o.T.Helper()
	b, err := os.ReadFile(o.book)
	require.NoError(o.T, err)
	times := map[string]int{}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		times[f[2]]++
		if strings.Trim(f[0], "0") != "" && remotetest.RunGit(o.T, o.Dir, "merge-base", f[0], f[1]) != f[0] {
			found = append(found, "forced: "+line)
		}
	}
	for ref, n := range times {
		if n > 1 {
			found = append(found, fmt.Sprintf("%s was updated %d times", ref, n))
		}
	}
	return found
}

func (o *faultyOrigin) remote() remote.Remote {
	return remote.Remote{Name: "shop", URL: o.url, Credentials: tokenIs(faultToken)}
}

// status returns a spoiler that answers with an HTTP status and headers (name, value, …).
func status(code int, header ...string) spoiler {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0) // close with a reset instead of a regular end
	_ = conn.Close()
}

func page(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>Sign in</title><p>Please sign in to go on.</p>")
}

func silent(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusOK) }

// hang sends nothing until the client is gone, which the server notices only after it has read the
// request.
func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// hangHalfway sends half of the real answer and then waits until the client is gone.
func hangHalfway(w http.ResponseWriter, r *http.Request, real http.Handler) {
	answer := answerOf(r, real)
	copyHead(w, answer)
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// cut sends half of the real answer and then resets the connection.
func cut(w http.ResponseWriter, r *http.Request, real http.Handler) {
	answer := answerOf(r, real)
	copyHead(w, answer)
	w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	reset(w, r, real)
}

// afterwards lets the remote do what it was asked for, drops its answer, and then fails.
func afterwards(how spoiler) spoiler {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		answerOf(r, real)
		how(w, r, real)
	}
}

func answerOf(r *http.Request, real http.Handler) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	real.ServeHTTP(answer, r)
	return answer
}

func copyHead(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
}

// A faultKind is one way to fail, and the reason and cure that people get for it.
type faultKind struct {
	how          spoiler
	reason, cure string
	passes       bool // retried before it is reported
}

var faultKinds = map[string]faultKind{
	"401":                   {status(401), "does not accept the token", "Renew it", false},
	"403":                   {status(403), "the token may not do this", "Give it the right", false},
	"404":                   {status(404), "no such repository", "Check the address", false},
	"410":                   {status(410), "answered 410 Gone", "Check the address", false},
	"429":                   {status(429), "answered 429 Too Many Requests", "fewer requests", true},
	"429 for a long time":   {status(429, "Retry-After", "3600"), "answered 429", "It asks to wait 1h0m0s", false},
	"403 that means 429":    {status(403, "Retry-After", "3600"), "answered 429", "It asks to wait 1h0m0s", false},
	"500":                   {status(500), "answered 500 Internal Server Error", "can be tried again", true},
	"502":                   {status(502), "answered 502 Bad Gateway", "can be tried again", true},
	"503":                   {status(503), "answered 503 Service Unavailable", "can be tried again", true},
	"connection reset":      {reset, "cannot be reached or broke off", "Nothing is lost", true},
	"nothing in the answer": {silent, "broke off without an answer", "Nothing is lost", true},
	"a sign-in page":        {page, "does not speak git", "what stands between it and the bot", true},
	"redirect to a path": {func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "/login", http.StatusFound)
	}, "the remote sends us elsewhere", "Put the new address", false},
}

// faultTries is the number of tries that these tests allow for a fault that may pass.
const faultTries = 3

func (o *faultyOrigin) patient(t testing.TB, p remote.RetryPolicy) *Workspace {
	t.Helper()
	p.Wait, p.Tries = time.Millisecond, faultTries
	return workspaceAt(t, openMirror(t, &Mirrors{Retry: p}, o.remote()))
}

// requireReported requires that err reports a fault as people should see it: with reason, cure and the number of
// tries, and without the token.
func requireReported(t testing.TB, err error, k faultKind) {
	t.Helper()
	refused := refusal(t, err)
	require.Contains(t, refused.Reason, k.reason)
	require.Contains(t, refused.Cure, k.cure)
	require.NotContains(t, refused.Error(), faultToken)
	tries := fmt.Sprintf("(tried %d times)", faultTries)
	require.Equal(t, k.passes, strings.Contains(refused.Reason, tries), refused.Reason)
}

func (k faultKind) strikes() int {
	if k.passes {
		return faultTries
	}
	return 1
}

func TestFaultsAtFetch(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	m := o.patient(t, remote.RetryPolicy{}).mirror
	kinds := map[string]faultKind{"broken off halfway": {cut, "broke", "Nothing is lost", true}}
	for name, k := range faultKinds {
		kinds[name] = k
	}
	n := 0
	for name, k := range kinds {
		for _, at := range []string{fetchRefs, fetchPack} {
			t.Run(name+" at "+at, func(t *testing.T) {
				n++
				before, _ := m.Commits().Resolve("main")
				newer := o.Commit("newer", map[string]string{"newer.txt": fmt.Sprint(n)})
				o.spoil(at, always, k.how)
				requireReported(t, m.Fetch(ctx0()), k)
				require.Equal(t, k.strikes(), o.mend())
				still, err := m.Commits().Resolve("main")
				require.NoError(t, err)
				require.Equal(t, before, still, "what the mirror knew it knows")

				if k.passes { // a shorter trouble is not reported
					o.spoil(at, faultTries-1, k.how)
					require.NoError(t, m.Fetch(ctx0()))
					require.Equal(t, faultTries-1, o.mend())
				} else {
					require.NoError(t, m.Fetch(ctx0()))
				}
				now, err := m.Commits().Resolve("main")
				require.NoError(t, err)
				require.Equal(t, newer, now)
			})
		}
	}
}

func TestFaultsAtPush(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	w.write(t, "main.go", "package main // ours\n")
	commit := w.save(t, "Ours")
	n := 0
	for name, k := range faultKinds {
		for _, at := range []string{pushRefs, pushPack} {
			t.Run(name+" at "+at, func(t *testing.T) {
				n++
				spec := transfer.PushSpec{Commit: commit, Branch: fmt.Sprintf("bobbin/fault-%d", n)}
				o.spoil(at, always, k.how)
				_, err := w.Push(ctx0(), spec)
				requireReported(t, err, k)
				require.Equal(t, k.strikes(), o.mend())
				require.Empty(t, o.updates(spec.Branch))

				o.forget()
				if k.passes {
					o.spoil(at, faultTries-1, k.how)
				}
				res, err := w.Push(ctx0(), spec)
				require.NoError(t, err, "the same commit, once it is mended")
				require.Equal(t, commit, res.Commit)
				require.Len(t, o.updates(spec.Branch), 1)
				arrived := o.count(pushPack)
				if hits := o.mend(); at == pushPack {
					arrived -= hits
				}
				require.Equal(t, 1, arrived, "one push reached the remote")
			})
		}
	}
	require.Empty(t, o.audit())
	o.Fsck()
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
