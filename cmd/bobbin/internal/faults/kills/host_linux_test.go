package kills

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/githost"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// hostOnce is what every thread holds beside, where pull requests are opened.
var hostOnce = []string{"Draft pull request", "mallory wrote on the pull request", "was closed without being merged"}

// laterWords are what a later push has to say.
const laterWords = "and what was pushed later"

// openHost serves the remote over HTTP, and beside it a Gitea for its pull requests.
func (c *chaos) openHost(files []txtar.File) {
	git := githost.Open(c.t, filepath.Join(c.dir, "host"), files)
	c.remote = git.Dir
	at, err := url.Parse(git.Address)
	require.NoError(c.t, err)
	at.User, at.Path = nil, ""
	front := httptest.NewServer(http.StripPrefix("/acme", httputil.NewSingleHostReverseProxy(at)))
	c.t.Cleanup(front.Close)
	c.host = hosttest.Listen(hosttest.Config{Kind: "gitea", Repository: "acme/remote", Token: githost.Password, Web: front.URL + "/acme/remote", Branch: func(name string) string {
		branches, _ := stage.RemoteBranches(c.remote)
		return branches[name]
	}})
	c.t.Cleanup(c.host.Close)
	c.config = fmt.Sprintf("url: %q, host: {kind: gitea, url: %q}", front.URL+"/acme/remote.git", c.host.API)
}

// useHost has a stranger write on each pull request, and something more pushed.
func (c *chaos) useHost(ctx context.Context) {
	c.everywhere(ctx, hostOnce[0])
	for _, p := range c.host.Pulls() {
		c.host.Say(hosttest.Comment{Number: p.Number, Login: "mallory", Text: fmt.Sprint("remark ", p.Number)})
	}
	_, err := c.db.Exec(ctx, `update pull_requests set head = 'later', body = $1`, laterWords)
	require.NoError(c.t, err)
	c.everywhere(ctx, hostOnce[1])
	for ctx.Err() == nil && !c.twice() && len(c.unworded()) > 0 {
		harness.Sleep(ctx, 20*time.Millisecond)
	}
}

// leaveHost closes the pull requests, so that nothing is left to look at.
func (c *chaos) leaveHost(ctx context.Context) {
	if c.hosted {
		c.closePulls()
		c.everywhere(ctx, hostOnce[2])
	}
}

// everywhere waits until each thread holds the text.
func (c *chaos) everywhere(ctx context.Context, text string) {
	for _, p := range c.threads() {
		for ctx.Err() == nil && !c.twice() && c.posted(p, text) == 0 {
			harness.Sleep(ctx, 20*time.Millisecond)
		}
	}
}

// unworded are the pull requests that do not say what was pushed later.
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

// hostFaults is what the host and the threads hold that they should not.
func (c *chaos) hostFaults() (found []string) {
	if n := len(c.host.Pulls()); n != c.sessions {
		found = append(found, fmt.Sprintf("pull requests: %d, want %d", n, c.sessions))
	}
	if left := c.unworded(); len(left) > 0 {
		found = append(found, fmt.Sprintf("pull requests %v do not say what was pushed later", left))
	}
	for n, p := range c.threads() {
		for _, line := range hostOnce {
			if times := c.posted(p, line); times != 1 {
				found = append(found, fmt.Sprintf("session %d: %q stands %d times in the thread, want 1", n, line, times))
			}
		}
	}
	return found
}
