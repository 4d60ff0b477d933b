package kills

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// hostLines holds how often each further line must stand in every thread of a run with pull requests: one for
// the session's own branch, and one for its backport; and one for the issue with its report.
var hostLines = map[string]int{
	openedLine: 2,
	"mallory wrote on the pull request, which":                       1,
	"mallory wrote on the pull request of the backport to elsewhere": 1,
	retargetedLine: 2,
	closedLine:     2,
	portedLine:     1,
	"No backport":  0,
	filedLine:      1,
}

const (
	openedLine = "Draft pull request"
	portedLine = "Backport to `release/1.0`, as ann asked: pushed"
	// elsewhere is a branch that the remote does not have
	retargetedLine = "goes into `elsewhere` now"
	closedLine     = "was closed without being merged"
	filedLine      = "Filed as "
	release        = "release/1.0"
)

// laterWords is the text that the descriptions of all pull requests must have at the end.
const laterWords = "and what was pushed later"

// openHost serves the remote over HTTP, and starts a fake Gitea for its pull requests, or a fake GitHub that
// makes and signs the commits, too.
func (c *chaos) openHost(files []txtar.File) {
	files = append(files, txtar.File{Name: "CODEOWNERS", Data: []byte("* @dan-at-work\n")})
	served := githost.Open(c.t, filepath.Join(c.dir, "host"), files)
	c.remote = served.Dir
	c.moveRelease()
	at, err := url.Parse(served.Address)
	require.NoError(c.t, err)
	at.User = nil
	at.Path = ""
	mux := http.NewServeMux()
	mux.Handle("/acme/", http.StripPrefix("/acme", httputil.NewSingleHostReverseProxy(at)))
	front := httptest.NewServer(mux)
	c.t.Cleanup(front.Close)
	kind := "gitea"
	commits := ""
	key := ""
	if c.commits {
		kind = "github"
		commits = ", commits: {sign: host, signoff: true}, " + c.openApp(mux, front.URL)
		key = filepath.Join(c.dir, "signing-key")
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput()
		require.NoError(c.t, err, "%s", out)
	}
	c.host = hosttest.Listen(hosttest.Config{
		Kind:       kind,
		Git:        c.remote,
		SigningKey: key,
		Repository: "acme/remote",
		Token:      githost.Password,
		Web:        front.URL + "/acme/remote",
		Branch: func(name string) (string, error) {
			return stage.RemoteBranch(c.remote, name)
		},
	})
	c.t.Cleanup(c.host.Close)
	c.config = fmt.Sprintf("url: %q, host: {kind: %s, url: %q, "+
		"labels: [bug], assignees: [ann-at-work], reviewers: [codeowners]}%s",
		front.URL+"/acme/remote.git", kind, c.host.API, commits)
}

// openApp has mux make tokens of a GitHub App, each of which is the host's password, and returns the App's
// setting.
func (c *chaos) openApp(mux *http.ServeMux, site string) string {
	const tokens = "POST /api/v3/app/installations/7/access_tokens"
	mux.HandleFunc(tokens, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(map[string]any{
			"token":      githost.Password,
			"expires_at": time.Now().Add(time.Hour).UTC(),
		})
	})
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(c.t, err)
	file := filepath.Join(c.dir, "app.pem")
	require.NoError(c.t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
	}), 0o600))
	return fmt.Sprintf("github_app: {id: 12, installation: 7, key_file: %q, api_url: "+
		"%q}", file, site+"/api/v3")
}

// moveRelease adds a commit to the release branch, and makes the branch if it is missing.
func (c *chaos) moveRelease() {
	remote, err := git.PlainOpen(c.remote)
	require.NoError(c.t, err)
	name := plumbing.NewBranchReferenceName(release)
	at, err := remote.Reference(name, true)
	if err != nil {
		at, err = remote.Reference("refs/heads/main", true)
	}
	require.NoError(c.t, err)
	commit, err := remote.CommitObject(at.Hash())
	require.NoError(c.t, err)
	who := object.Signature{Name: "Rae Release", Email: "rae@example.com", When: stage.Authored}
	next := remote.Storer.NewEncodedObject()
	require.NoError(c.t, (&object.Commit{
		Author:       who,
		Committer:    who,
		Message:      "Go on",
		TreeHash:     commit.TreeHash,
		ParentHashes: []plumbing.Hash{at.Hash()},
	}).Encode(next))
	hash, err := remote.Storer.SetEncodedObject(next)
	require.NoError(c.t, err)
	// With the git program: go-git empties the file before it writes, so the bot
	// could find no release branch.
	said, err := exec.Command("git", "-C", c.remote, "update-ref", name.String(),
		hash.String()).CombinedOutput()
	require.NoError(c.t, err, string(said))
}

// useHost asks in each thread for a backport and for an issue, changes the base of each pull request, has a
// stranger comment on it, and changes the description that it should have.
func (c *chaos) useHost(ctx context.Context) {
	c.everywhere(ctx, openedLine, 1)
	for _, p := range c.threads() {
		_, err := c.slack.Say(p.Channel, c.ann, "backport to 1.0", p.Root)
		require.NoError(c.t, err)
	}
	c.everywhere(ctx, portedLine, 1)
	c.everywhere(ctx, openedLine, 2)
	for _, p := range c.threads() {
		_, err := c.slack.Say(p.Channel, c.ann, "not this week, make an issue of it", p.Root)
		require.NoError(c.t, err)
	}
	c.everywhere(ctx, filedLine, 1)
	for _, p := range c.host.Pulls() {
		c.host.SetBase(p.Number, "elsewhere")
	}
	c.everywhere(ctx, retargetedLine, 2)
	for _, p := range c.host.Pulls() {
		c.host.Say(hosttest.Comment{
			Number: p.Number,
			Login:  "mallory",
			Text:   fmt.Sprint("remark ", p.Number),
		})
	}
	_, err := c.db.Exec(ctx, `update pull_requests set head = 'later', body = $1`, laterWords)
	require.NoError(c.t, err)
	c.everywhere(ctx, "mallory wrote on", 2)
	for ctx.Err() == nil && !c.duplicateSeen() && len(c.unworded()) > 0 {
		harness.Sleep(ctx, 20*time.Millisecond)
	}
}

// leaveHost closes the pull requests, so that the bot has nothing left to watch.
func (c *chaos) leaveHost(ctx context.Context) {
	if c.hosted {
		c.closePulls()
		c.everywhere(ctx, closedLine, 2)
	}
}

// everywhere waits until each thread holds the text the given number of times.
func (c *chaos) everywhere(ctx context.Context, text string, times int) {
	for _, p := range c.threads() {
		for changed := c.slack.Changed(); ctx.Err() == nil && !c.duplicateSeen() &&
			c.posted(p, text) < times; changed = c.slack.Changed() {
			harness.Change(ctx, changed)
		}
	}
	if ctx.Err() != nil {
		c.logJobs(text)
	}
}

// logJobs logs what stands in the queue when the time for a run is over, and the pull requests.
func (c *chaos) logJobs(text string) {
	rows, err := c.db.Query(context.Background(),
		`select concat_ws(' ', 'job', kind, args->>'session', state, 'attempt', attempt, 'due', scheduled_at,
			'attempted', attempted_at, errors[array_length(errors, 1)]->>'error')
			from river_job where state <> 'completed'
		union all select concat_ws(' ', 'pull request of', session_id, state, 'tried', tried_at, 'woken',
			woken) from pull_requests`)
	require.NoError(c.t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	c.t.Logf("waited for %q at %s:\n%s", text, time.Now(), strings.Join(lines, "\n"))
}

// unworded returns the numbers of the pull requests whose description does not hold laterWords once.
func (c *chaos) unworded() (numbers []int64) {
	for _, p := range c.host.Pulls() {
		if strings.Count(p.Body, laterWords) != 1 {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}

func (c *chaos) closePulls() {
	if !c.hosted {
		return
	}
	for _, p := range c.host.Pulls() {
		c.host.SetState(p.Number, "closed")
	}
}

// paperFaults returns what is wrong with the labels and people of the pull requests: each has to have been
// put on each of them once.
func (c *chaos) paperFaults() (found []string) {
	times := map[hosttest.Put]int{}
	for _, p := range c.host.Puts() {
		times[p]++
	}
	for _, p := range c.host.Pulls() {
		for what, name := range map[string]string{
			"labels": "bug", "assignees": "ann-at-work", "reviewers": "dan-at-work",
		} {
			n := times[hosttest.Put{Number: p.Number, What: what, Name: name}]
			// A frozen replica that wakes may ask once more for what the pull request has by then, which
			// changes nothing at a host.
			if n != 1 && !(c.froze && n == 2) {
				found = append(found, fmt.Sprintf("pull request %d: %s %s was put %d times, want 1", p.Number,
					what, name, n))
			}
		}
	}
	return found
}

// opensTwice reports whether a branch has two pull requests, or a thread two issues.
func (c *chaos) opensTwice() bool {
	if len(c.host.Issues()) > c.sessions {
		return true
	}
	branches := map[string]bool{}
	for _, p := range c.host.Pulls() {
		branches[p.Branch] = true
	}
	return len(c.host.Pulls()) > len(branches)
}

// hostFaults returns what is wrong with the pull requests and backports, in the host, the database and the
// threads.
func (c *chaos) hostFaults() (found []string) {
	if n := len(c.host.Pulls()); n != 2*c.sessions {
		found = append(found, fmt.Sprintf("pull requests: %d, want %d", n, 2*c.sessions))
	}
	if n := len(c.host.Issues()); n != c.sessions {
		found = append(found, fmt.Sprintf("issues: %d, want %d", n, c.sessions))
	}
	// Each backport is a pushed row, and the details button of its line refers to the proof.
	var done, buttons int
	require.NoError(c.t,
		c.db.QueryRow(c.t.Context(), `select (select count(*) from backports where state = 'pushed'),
		(select count(*) from lines l join outbox o on o.line_id = l.id
			join buttons b on b.session_id = l.session_id and b.action_id = 'details'
			and position(b.id in o.buttons::text) > 0
			where l.text like '%asked: pushed%' and b.means <> '')`).Scan(&done, &buttons))
	if done != c.sessions || buttons != c.sessions {
		found = append(found,
			fmt.Sprintf("backports: %d, with %d buttons, want %d", done, buttons, c.sessions))
	}
	if left := c.unworded(); len(left) > 0 {
		found = append(found, fmt.Sprintf("pull requests %v do not say what was pushed later", left))
	}
	found = append(found, c.paperFaults()...)
	for n, p := range c.threads() {
		for line, want := range hostLines {
			if times := c.posted(p, line); times != want {
				found = append(found, fmt.Sprintf("session %d: %q stands %d times in the thread, want %d", n,
					line, times, want))
			}
		}
	}
	return found
}
