package badinputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A badRemote is the room of git remotes: git's own http-backend behind a server that can answer in its
// place. The cases of a batch share a remote and a mirror, one after the other; each has its own branch or a
// newer commit. A case with a remote that hangs has its own, as it is played with less patience. The verbs of
// a step are:
//
//	read-refs HOW, read-pack HOW, write-refs HOW, write-pack HOW
//	            the requests that fail, until the host is fixed
//	hook NAME TEXT, taken, taken below, config TEXT
//	fetch | push [BRANCH]
//	refused TEXT | done | says TEXT | lacks TEXT | once
//	for good    the retry is skipped
//	forgets     a failed fetch may change the mirror's main
//
// HOW is: status N [HEADER VALUE], page, nothing, reset, hang, to URL, first N, body TEXT, instead OLD NEW,
// then HOW (after the real request was carried out).
//
// Each case is also checked for this: a refusal is one line without the password; a refused request changed
// nothing in the mirror or the remote; and when the host is fixed, the same request succeeds, once, and
// without a forced update.
type badRemote struct {
	t       *testing.T
	off     string
	idle    time.Duration // how long the remote may be silent
	host    *githost.Host
	mirrors *git.Mirrors
	mirror  *git.Mirror
	work    *git.Workspace
	commit  string // our commit, which is pushed
	caught  *caughtHost
}

// A caughtHost is another host, which must receive no request.
type caughtHost struct {
	*httptest.Server
	seen []string
}

func playWithTheRemote(t *testing.T, batches []*badBatch, off string) {
	dir := harness.Dir(t)
	caught := &caughtHost{}
	caught.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		caught.seen = append(caught.seen, r.Header.Get("Authorization"))
	}))
	t.Cleanup(caught.Close)
	var all errgroup.Group
	all.SetLimit(3)
	n := 0
	play := func(cases []*badCase, idle time.Duration) {
		if len(cases) == 0 {
			return
		}
		n++
		r := &badRemote{
			t:      t,
			off:    off,
			idle:   idle,
			caught: caught,
			host: githost.Open(t, filepath.Join(dir, strconv.Itoa(n)), []txtar.File{{
				Name: "main.go", Data: []byte("package main\n"),
			}}),
		}
		ours := filepath.Join(dir, fmt.Sprint(n, "-ours"))
		all.Go(func() error { return r.playCases(ours, cases) })
	}
	for _, b := range batches {
		var others []*badCase
		for _, c := range b.cases {
			if c.hangs() {
				play([]*badCase{c}, 20*time.Second)
			} else {
				others = append(others, c)
			}
		}
		play(others, harness.StepTimeout)
	}
	require.NoError(t, all.Wait())
	require.Empty(t, caught.seen, "another host was asked, with these credentials")
}

// hangs reports whether the remote gives no answer, so that the case waits until that is noticed.
func (b *badCase) hangs() bool {
	return slices.ContainsFunc(b.steps,
		func(s badStep) bool { return slices.Contains(strings.Fields(s.rest), "hang") })
}

func (b *badRemote) playCases(dir string, cases []*badCase) (err error) {
	b.mirrors = &git.Mirrors{
		Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler),
		Retry: remote.RetryPolicy{Tries: 2, Wait: time.Millisecond, Idle: b.idle},
	}
	defer b.mirrors.Close()
	ctx := b.t.Context()
	if b.mirror, err = b.mirrors.Open(ctx, remote.Remote{Name: "shop", URL: b.host.Address}); err != nil {
		return err
	}
	base, err := b.mirror.Commits().Resolve("")
	if err != nil {
		return err
	}
	if b.work, err = b.mirror.Workspace(ctx, filepath.Join(dir, "session"), base); err != nil {
		return err
	}
	defer b.work.Close()
	if err := os.WriteFile(filepath.Join(b.work.Files(), "main.go"), []byte("package main // ours\n"),
		0o644); err != nil {
		return err
	}
	if b.commit, err = b.work.Commit(ctx, git.CommitSpec{Message: "Ours", When: stage.Authored}); err != nil {
		return err
	}
	for n, c := range cases {
		p := &remoteCase{badRemote: b, badCase: c, branch: fmt.Sprint("bobbin/case-", n), n: n}
		if err := p.play(ctx); err != nil {
			c.faults = append(c.faults, err.Error())
		}
		c.end()
	}
	return nil
}

// A remoteCase is the state of one case while it is played.
type remoteCase struct {
	*badRemote
	*badCase
	n       int
	branch  string
	forGood bool
	forgets bool
	undo    []func() error // reverts the case's changes to the remote
	do      func(context.Context) error
	err     error
	asked   bool
}

func (rc *remoteCase) play(ctx context.Context) error {
	for _, s := range rc.steps {
		if err := rc.step(ctx, s); err != nil {
			return fmt.Errorf("%s:%d: %w", rc.batch.name, s.at, err)
		}
	}
	rc.host.Fix()
	for _, undo := range rc.undo {
		if err := undo(); err != nil {
			return err
		}
	}
	last := badStep{at: rc.at, verb: "afterwards"}
	if rc.err != nil && !rc.forGood {
		err := rc.do(ctx)
		rc.hold(last, err == nil, "it does not go on when it is fixed: %v", err)
	}
	updates := 0
	for _, u := range rc.host.Updates() {
		if u[2] != "refs/heads/"+rc.branch {
			continue
		}
		updates++
		rc.hold(last, strings.Trim(u[0], "0") == "", "forced: %s", u)
	}
	rc.hold(last, updates <= 1, "%d updates of the branch", updates)
	return nil
}

func (rc *remoteCase) step(ctx context.Context, s badStep) error {
	places := map[string]string{
		"read-refs":  githost.ReadRefs,
		"read-pack":  githost.ReadPack,
		"write-refs": githost.WriteRefs,
		"write-pack": githost.WritePack,
	}
	if at, ok := places[s.verb]; ok {
		how, err := rc.how(s)
		if err != nil {
			return err
		}
		if rc.off != "" {
			return nil
		}
		rc.host.Fail(at, githost.Lasting, how)
		return nil
	}
	switch s.verb {
	case "hook":
		name := s.word()
		rc.undo = append(rc.undo,
			func() error { return os.Remove(filepath.Join(rc.host.Dir, "hooks", name)) })
		return rc.host.Hook(name, s.text())
	case "taken":
		return rc.taken(s.text())
	case "config":
		return rc.config(s.text())
	case "for":
		rc.forGood = true
	case "forgets":
		rc.forgets = true
	case "fetch", "push":
		return rc.ask(ctx, s)
	default:
		return rc.due(s)
	}
	return nil
}

// taken makes another person's branch with the name of ours, or below that name.
func (rc *remoteCase) taken(where string) error {
	name := rc.branch
	if where != "" {
		name += "/" + where
	}
	out, err := rc.host.Git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit-tree", "-m",
		"theirs "+name, "main^{tree}")
	if err == nil {
		out, err = rc.host.Git("branch", name, out)
	}
	if err != nil {
		return errors.New(out)
	}
	rc.undo = append(rc.undo, func() error {
		_, err := rc.host.Git("branch", "-D", name)
		return err
	})
	return nil
}

// config writes git settings into the mirror and the workspace, as a hostile tree would.
func (rc *remoteCase) config(text string) error {
	text = rc.filled(text)
	mirrors, err := filepath.Glob(filepath.Join(rc.mirrors.Dir, "*", "config"))
	if err != nil {
		return err
	}
	for _, name := range append(mirrors, filepath.Join(rc.work.Files(), ".git", "config"),
		filepath.Join(rc.work.Files(), ".gitconfig")) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (rc *remoteCase) filled(text string) string {
	base := strings.TrimSuffix(rc.host.Address, "remote.git")
	return strings.NewReplacer("$elsewhere", rc.caught.URL, "$base", base, "$branch", rc.branch).Replace(text)
}

// ask makes a newer commit in the remote and fetches it, or pushes our commit to a branch.
func (rc *remoteCase) ask(ctx context.Context, s badStep) error {
	rc.asked = true
	if s.verb == "push" {
		if named := s.text(); named != "" {
			rc.branch = rc.filled(named)
		}
		rc.do = func(ctx context.Context) error {
			_, err := rc.work.Push(ctx,
				git.PushSpec{Commit: rc.commit, Branch: rc.branch, Protected: []string{"bobbin/release*"}})
			return err
		}
		rc.err = rc.do(ctx)
		return nil
	}
	before, err := rc.mirror.Commits().Resolve("main")
	if err != nil {
		return err
	}
	newer, err := rc.host.Git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit-tree", "-p",
		"main", "-m", fmt.Sprint("newer ", rc.n), "main^{tree}")
	if err != nil {
		return errors.New(newer)
	}
	if out, err := rc.host.Git("update-ref", "refs/heads/main", newer); err != nil {
		return errors.New(out)
	}
	rc.do = func(ctx context.Context) error {
		if err := rc.mirror.Fetch(ctx); err != nil {
			return err
		}
		if now, err := rc.mirror.Commits().Resolve("main"); err != nil || now != newer {
			return fmt.Errorf("main is at %s and not at %s (%v)", now, newer, err)
		}
		return nil
	}
	rc.err = rc.do(ctx)
	if now, err := rc.mirror.Commits().Resolve("main"); rc.err != nil && !rc.forgets &&
		(err != nil || now != before) {
		rc.wrong(s, "what the mirror knew it does not know any more: %s, %v", now, err)
	}
	return nil
}

func (rc *remoteCase) due(s badStep) error {
	if !rc.asked {
		return fmt.Errorf("nothing was asked")
	}
	told := fmt.Sprint(rc.err)
	switch s.verb {
	case "done":
		rc.hold(s, rc.err == nil, "it was refused: %v", rc.err)
	case "refused":
		var refused *remote.Error
		rc.hold(s, errors.As(rc.err, &refused) && strings.Contains(told, rc.filled(s.text())),
			"it was %v", rc.err)
		rc.hold(s, !strings.ContainsAny(told, "\n\x1b\x00") && len(told) < 1200,
			"that is no plain line: %q", told)
		rc.hold(s, !strings.Contains(told, githost.Password), "the password is told: %s", told)
		at, _ := rc.host.Git("rev-parse", "--verify", "-q", "refs/heads/"+rc.branch)
		rc.hold(s, at != rc.commit, "it is pushed all the same")
	case "says":
		rc.hold(s, strings.Contains(told, s.text()), "it says %q", told)
	case "lacks":
		rc.hold(s, !strings.Contains(told, s.text()), "it says %q", told)
	case "once":
		at, _ := rc.host.Git("rev-parse", "--verify", "-q", "refs/heads/"+rc.branch)
		rc.hold(s, at == rc.commit, "the branch is at %q", at)
	default:
		return fmt.Errorf("no such step: %s", s.verb)
	}
	return nil
}

// how returns the Trouble that the arguments of a step describe.
func (rc *remoteCase) how(s badStep) (githost.Trouble, error) {
	switch verb := s.word(); verb {
	case "status":
		code := s.number()
		if s.rest == "" {
			return githost.HTTPStatus(code), nil
		}
		name := s.word()
		return githost.HTTPStatus(code, name, s.text()), nil
	case "page":
		return githost.ShowsPage, nil
	case "nothing":
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusOK)
		}, nil
	case "reset":
		return githost.BreaksOff, nil
	case "hang":
		return githost.Hangs, nil
	case "to":
		to := rc.filled(s.text())
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, to+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		}, nil
	case "first":
		n := s.number()
		return changed(func(b []byte) []byte { return b[:min(len(b), n)] }), nil
	case "body":
		text := rc.filled(s.text())
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			_, _ = io.Copy(io.Discard, r.Body)
			service := strings.TrimPrefix(purposeOf(r), r.Method+" ")
			kind := "result"
			if r.Method == http.MethodGet {
				kind = "advertisement"
			}
			w.Header().Set("Content-Type", "application/x-"+service+"-"+kind)
			_, _ = io.WriteString(w, text)
		}, nil
	case "instead":
		was := s.word()
		is := s.word()
		return changed(func(b []byte) []byte {
			return bytes.Replace(b, []byte(rc.filled(was)), []byte(rc.filled(is)), 1)
		}), nil
	case "then":
		how, err := rc.how(badStep{at: s.at, verb: s.verb, rest: s.rest})
		return githost.AfterDone(how), err
	default:
		return nil, fmt.Errorf("no such trouble: %s", verb)
	}
}

func purposeOf(r *http.Request) string {
	if r.Method == http.MethodGet {
		return "GET " + r.URL.Query().Get("service")
	}
	return r.Method + " " + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
}

// changed returns a Trouble that answers with the real answer after how has changed its bytes.
func changed(how func([]byte) []byte) githost.Trouble {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		answer := httptest.NewRecorder()
		real.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		_, _ = w.Write(how(answer.Body.Bytes()))
	}
}
