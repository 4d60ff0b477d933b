package kills

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// The lines of a run in which main is merged. In the first session main conflicts, which is only told; in the
// others somebody has it merged.
const (
	conflictLine = "conflicts with `main`"
	mergedLine   = "Merged `main`"
)

// isMerging reports whether a point is reached only if main moves after the pushes.
func isMerging(point string) bool {
	return strings.HasPrefix(point, "conflicts_") || strings.HasPrefix(point, "merge_") ||
		point == "base_merged"
}

// mergePoints returns the points of a merge.
func mergePoints(t *testing.T) (points []string) {
	t.Helper()
	for _, point := range crashPoints(t) {
		if isMerging(point) {
			points = append(points, point)
		}
	}
	require.Len(t, points, 5)
	return points
}

// git runs git, and returns what it prints.
func (c *chaos) git(dir string, args ...string) string {
	args = append([]string{"-C", dir, "-c", "user.name=Uma", "-c", "user.email=uma@example.com"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(c.t, err, string(out))
	return strings.TrimSpace(string(out))
}

// mergeMain moves main so that it conflicts with the first session's branch, and has it merged into the
// others. Each word is delivered more than once.
func (c *chaos) mergeMain(ctx context.Context) {
	clone := filepath.Join(c.dir, "clone")
	c.git(c.dir, "clone", "--quiet", "--branch", "main", c.remote, clone)
	for name, text := range map[string]string{"bugs/0.txt": "other 0\n", "more.txt": "more\n"} {
		at := filepath.Join(clone, filepath.FromSlash(name))
		require.NoError(c.t, os.WriteFile(at, []byte(text), 0o600))
	}
	c.git(clone, "add", ".")
	c.git(clone, "commit", "--quiet", "-m", "Go on")
	c.git(clone, "push", "--quiet", "origin", "main")
	c.await(ctx, 0, conflictLine)
	for n, p := range c.threads() {
		if n > 0 {
			c.slack.DropAcks(1)
			_, err := c.slack.Say(p.Channel, c.ann, "update the branch", p.Root)
			require.NoError(c.t, err)
		}
	}
	for n := range c.threads() {
		if n > 0 {
			c.await(ctx, n, mergedLine)
		}
	}
	c.awaitLooks(ctx)
}

// awaitLooks waits until the first session's branch was looked at two times more: each look could say again
// what was said.
func (c *chaos) awaitLooks(ctx context.Context) {
	looks := func() (n int) {
		_ = c.db.QueryRow(ctx, `select count(*) from river_job j join branch_conflicts b
			on b.session_id = j.args->>'session' where j.kind = 'pull_request' and j.state = 'completed'
			and b.files <> '{}'`).Scan(&n)
		return n
	}
	for want := looks() + 2; ctx.Err() == nil && !c.duplicateSeen() && looks() < want; {
		harness.Sleep(ctx, 50*time.Millisecond)
	}
}

// await waits until the thread of a session holds the text.
func (c *chaos) await(ctx context.Context, n int, text string) {
	for changed := c.slack.Changed(); ctx.Err() == nil && !c.duplicateSeen() &&
		c.posted(c.threads()[n], text) == 0; changed = c.slack.Changed() {
		harness.Change(ctx, changed)
	}
}

// mergesTwice reports whether something that a run with merges says once was said twice.
func (c *chaos) mergesTwice() bool {
	for _, p := range c.threads() {
		if c.posted(p, conflictLine) > 1 || c.posted(p, mergedLine) > 1 {
			return true
		}
	}
	return false
}

// mergeFaults returns a line for everything that was lost or happened twice in a run with merges.
func (c *chaos) mergeFaults(ctx context.Context) string {
	found := c.ended
	merged := c.sessions - 1
	for _, x := range []struct {
		what string
		want int
		sql  string
	}{
		{"sessions that are done", c.sessions, `select count(*) from sessions where phase = 'done'`},
		{"approvals", c.sessions + merged, `select count(*) from approvals`},
		{"merges", merged, `select count(*) from base_merges where state = 'merged'`},
		{"pushes", c.sessions + merged, `select count(*) from pushes where state = 'pushed'`},
		{"commits", c.sessions + merged, `select count(*) from pushes`},
		{"calls without a result, or with two", 0, strayCalls},
	} {
		var have int
		require.NoError(c.t, c.db.QueryRow(ctx, x.sql).Scan(&have), x.what)
		if have != x.want {
			found = append(found, fmt.Sprintf("%s: %d, want %d", x.what, have, x.want))
		}
	}
	for n, p := range c.threads() {
		want := map[string]int{conflictLine: 0, mergedLine: 1, "*Fixed and pushed:": 1}
		if n == 0 {
			want = map[string]int{conflictLine: 1, mergedLine: 0, "*Fixed and pushed:": 1}
		}
		for line, times := range want {
			if have := c.posted(p, line); have != times {
				found = append(found,
					fmt.Sprintf("session %d: %q stands %d times, want %d", n, line, have, times))
			}
		}
	}
	return strings.Join(append(found, c.wrongMerges()...), "\n")
}

// wrongMerges checks the branches of the remote: a merge has the pushed commit and main as its parents, and
// the files of both.
func (c *chaos) wrongMerges() (found []string) {
	branches, err := stage.RemoteBranches(c.remote)
	require.NoError(c.t, err)
	if len(branches) != c.sessions+1 {
		found = append(found, fmt.Sprintf("%d branches, want %d", len(branches), c.sessions+1))
	}
	merged := 0
	for name, head := range branches {
		parents := strings.Fields(c.git(c.remote, "rev-list", "--parents", "-n", "1", head))[1:]
		switch {
		case name == "main":
		case len(parents) == 1:
			if parents[0] != c.git(c.remote, "rev-parse", "main~1") {
				found = append(found, name+" is not one commit on main")
			}
		case parents[1] != branches["main"] || c.git(c.remote, "rev-parse", parents[0]+"~1") !=
			c.git(c.remote, "rev-parse", "main~1"):
			found = append(found, name+" is no merge of main into what was pushed")
		default:
			merged++
			files := c.git(c.remote, "diff", "--name-only", "main", head)
			if !strings.HasPrefix(files, "bugs/") {
				found = append(found, name+" changes "+files)
			}
		}
	}
	if merged != c.sessions-1 {
		found = append(found, fmt.Sprintf("%d merges stand in the remote, want %d", merged, c.sessions-1))
	}
	return found
}

func openMerging(t *testing.T, binary, model, forget string) *chaos {
	t.Helper()
	c := &chaos{
		t:        t,
		seed:     1,
		sessions: 3,
		atOnce:   3,
		replicas: 1,
		binary:   binary,
		model:    model,
		forget:   forget,
		merging:  true,
	}
	c.open()
	return c
}

// TestAMergeKilledAtEachPoint kills the program at each point of a merge, and on the way to the line about
// conflicts: the same replica, another one, and one without its files go on.
func TestAMergeKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	c := openMerging(t, withPoints(t), chatmodel.Serve(t, chatmodel.FixNumberedBug).URL, "")
	var stops []stop
	for i, point := range mergePoints(t) {
		hit := 1
		if !strings.HasPrefix(point, "conflicts_") { // each of two sessions comes to it
			hit += i % 2
		}
		stops = append(stops, stop{point, hit})
	}
	for _, s := range c.playUntil(stops) {
		t.Errorf("nothing came to %s", s.point)
	}
	require.Empty(t, c.mergeFaults(t.Context()))
}

// TestAMergeFrozenAtEachPoint freezes a replica at each point of a merge until another one has done its work.
func TestAMergeFrozenAtEachPoint(t *testing.T) {
	t.Parallel()
	if !harness.Every() { // it takes a run for each of five points, more than a minute
		t.Skip("BOBBIN_EVERY freezes at each point of a merge; TestFrozenAtEachPoint always shows the fence")
	}
	binary := withPoints(t)
	model := chatmodel.Serve(t, chatmodel.FixNumberedBug).URL
	for _, point := range mergePoints(t) {
		c := openMerging(t, binary, model, "")
		require.Empty(t, c.playOverFrozen([]stop{{point, 1}}), "nothing came to %s", point)
		require.Empty(t, c.mergeFaults(t.Context()), point)
	}
}

// Each guard of a merge has a control: without it, the same death at the same point must show a fault.
func TestMergesAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	binary := withPoints(t)
	model := chatmodel.Serve(t, chatmodel.FixNumberedBug).URL
	for name, x := range map[string]struct{ point, forget, want string }{
		"what the thread was told of conflicts": {
			point:  "conflicts_told",
			forget: `update branch_conflicts set state = 'clear', onto = '' where state = 'conflicts'`,
			want:   "conflicts with `main`\" stands 2 times",
		},
		"the order of a merge, which is kept before it is made": {
			point:  "base_merged",
			forget: `delete from base_merges where state = 'asked'`,
			want:   `merges: [01], want 2`,
		},
		"the base that goes with a merge": {
			point: "merge_recorded",
			forget: `update sessions set base_commit = (select base_commit from reports
				where revision = 1 limit 1)`,
			want: `sessions that are done|merges stand|pushes`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "what the thread was told of conflicts")
			t.Parallel()
			c := openMerging(t, binary, model, x.forget)
			c.playUntil([]stop{{x.point, 1}})
			require.Regexp(t, x.want, c.mergeFaults(t.Context()))
		})
	}
}
