package pullrequests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A ciDesk is a desk with a real remote, at which a fix was pushed that CI is to prove.
type ciDesk struct {
	*desk
	origin    *remotetest.Origin
	base, fix string
	red       string // the branch with the new tests alone
}

// openCI pushes a fix with a new test, as a person allowed it in the mode: to be proven by CI.
func openCI(t *testing.T, kind string, mode workflow.CIProof) *ciDesk {
	t.Helper()
	d := &ciDesk{desk: openAt(t, kind, "tok_of_the_shop"), origin: remotetest.NewShop(t)}
	d.Mirrors = &git.Mirrors{Dir: t.TempDir(), Log: storetest.Silent}
	d.Dir = t.TempDir()
	d.Pace = time.Millisecond
	d.Repositories[0].Remote = remote.Remote{Name: "shop", URL: d.origin.Dir}
	mirror, err := d.Mirrors.Open(t.Context(), d.Repositories[0].Remote)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Mirrors.Close()) })
	w, err := mirror.Workspace(t.Context(), t.TempDir(), "main")
	require.NoError(t, err)
	require.NoError(t, w.Root().WriteFile("cart_test.go", []byte("package shop\n\n// red\n"), 0o644))
	require.NoError(t, w.Root().WriteFile("cart.go", []byte("package shop\n\n// fixed\n"), 0o644))
	d.base = w.Base()
	tree, err := w.Tree(t.Context())
	require.NoError(t, err)
	d.fix, err = w.Commit(t.Context(), git.CommitSpec{Message: "Fix it", When: time.Now()})
	require.NoError(t, err)
	_, err = w.Push(t.Context(), git.PushSpec{Commit: d.fix, Branch: branch})
	require.NoError(t, err)
	d.allow(t, tree, mode)
	d.order(t, tree, mode)
	return d
}

// allow has a person allow the push of the tree for CI to prove it, and records the push.
func (d *ciDesk) allow(t *testing.T, tree string, mode workflow.CIProof) {
	t.Helper()
	report := storetest.RecordReport(t, d.turn, 1, "first")
	require.NoError(t, d.turn.Record(t.Context(), storetest.Approval(report, "a")...))
	_, err := d.Rows.Store.Pool.Exec(t.Context(),
		`insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id, state)
		values ($1, $2, $3, $4, $5, 'a', 'pushed')`, d.session, d.fix, tree, d.base, branch)
	require.NoError(t, err)
	asked := consent.Allowance{
		ID: "w", Approval: "a", Tree: tree, Names: "q", Unproven: "swift is missing", CI: mode,
	}
	require.NoError(t, d.turn.Record(t.Context(), asked))
	permission := storetest.Permission("w", workflow.PermitPush, 1)
	permission.MessageTS = "5.5"
	err = d.Rows.Store.Pool.QueryRow(t.Context(),
		`insert into inbox (session_id, event_id, kind, message_ts, user_id) values ($1, 'Ev5', 'reply', $2, $3)
			returning id`, d.session, permission.MessageTS, permission.User).Scan(&permission.Message)
	require.NoError(t, err)
	given := consent.Allowance{
		ID: "w", User: permission.User, UserName: "bea", MessageTS: permission.MessageTS, CI: mode,
	}
	require.NoError(t, d.turn.Record(t.Context(), consent.Permission{Permission: *permission}, given))
}

func (d *ciDesk) order(t *testing.T, tree string, mode workflow.CIProof) {
	t.Helper()
	o := ciproof.Order{
		Repository: "shop", Commit: d.fix, Allowance: "w", Branch: branch, BaseCommit: d.base, Base: "main",
	}
	if mode == workflow.CIRed {
		d.red = branch + "-red-" + tree[:7]
		o.Tests = []string{"cart_test.go"}
		o.TestsBranch = d.red
	}
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{Proposal: pullrequest.Proposal{
		Repository: "shop", Branch: branch, Head: d.fix, Base: "main", Title: "Fix it", Body: "Why",
	}}, o))
}

// git runs git in the remote.
func (d *ciDesk) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", d.origin.Dir}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// until looks until the last line begins with the text.
func (d *ciDesk) until(t *testing.T, text string) {
	t.Helper()
	for range 200 {
		d.look(t)
		if said := d.said(t); len(said) > 0 && strings.HasPrefix(said[len(said)-1], text) {
			return
		}
	}
	require.FailNow(t, "not said: "+text, "%q", d.said(t))
}

func (d *ciDesk) row(t *testing.T) ciproof.Row {
	t.Helper()
	all, err := d.proofs().Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// The checks of the fix and of a branch with its tests alone prove it, at every kind of host. The branch has
// these tests on the old code, and is deleted. One result is told.
func TestCIProvesAFix(t *testing.T) {
	t.Parallel()
	kinds := []string{host.GitLab}
	if every {
		kinds = append(kinds, host.GitHub, host.Gitea)
	}
	for _, kind := range kinds {
		d := openCI(t, kind, workflow.CIRed)
		d.host.Report(d.base, hosttest.Check{Name: "test", State: "success"}) // of another commit
		d.look(t)
		d.look(t)
		require.Equal(t, ciproof.TestsPushed, d.row(t).TestsState)
		tests := d.origin.BranchHead(d.red)
		changed := d.git(t, "diff", "--name-status", d.base, tests)
		require.Equal(t, "A\tcart_test.go", changed, "the tests are on the old code")
		d.host.Report(d.fix, hosttest.Check{Name: "test", State: "success"})
		d.host.Report(tests, hosttest.Check{Name: "test", State: "failure"})
		d.until(t, "Proven by CI: 1 check passed at "+d.fix[:7]+": [test](")
		require.Contains(t, d.said(t)[1],
			"Red on main ("+d.base[:7]+") by a branch of the new tests alone: test.")
		require.Empty(t, d.origin.BranchHead(d.red), kind)
		require.Equal(t, ciproof.TestsDeleted, d.row(t).TestsState)
		d.look(t)
		require.Len(t, d.said(t), 2, "the pull request, and the proof")
		verified, err := consent.VerifyAudit(t.Context(), d.Rows.Store.DB, "")
		require.NoError(t, err)
		if verified.Flaw != nil { // the pushes of these tests have no record
			require.NotEqual(t, "ci proof", verified.Flaw.What)
		}
	}
}

// What fails in CI is said with its tests, and can be fixed there.
func TestCIFails(t *testing.T) {
	t.Parallel()
	d := openCI(t, host.GitHub, workflow.CIGreen)
	d.host.Report(d.fix, hosttest.Check{Name: "test", State: "failure", Log: "--- FAIL: TestTotal (0.1s)"})
	d.until(t, "CI fails: [test](")
	require.Contains(t, d.said(t)[1], "Failing: TestTotal. \"Fix it there\"")
	row, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Contains(t, row.Failure, "TestTotal")
	require.True(t, strings.HasPrefix(row.Checked, "red test"), row.Checked)
	require.False(t, row.Proof, "from now on it is followed as usual")
}

// A branch of tests that somebody moved is not deleted. A stop ends the waiting, and has the branch deleted.
func TestTheBranchOfTestsIsDeletedOnlyAsItWasPushed(t *testing.T) {
	t.Parallel()
	for moved, stands := range map[bool]string{true: "stays, since somebody moved it to", false: ""} {
		d := openCI(t, host.GitHub, workflow.CIRed)
		d.look(t)
		d.look(t)
		require.NotEmpty(t, d.origin.BranchHead(d.red))
		if moved {
			d.git(t, "branch", "-f", d.red, d.fix)
		}
		require.NoError(t, d.turn.Record(t.Context(), ciproof.Stop{}))
		d.look(t)
		require.Equal(t, ciproof.Stopped, d.row(t).State)
		require.Equal(t, moved, d.origin.BranchHead(d.red) != "")
		require.Contains(t, strings.Join(d.said(t), "\n"), stands)
		require.False(t, d.row(t).Open())
	}
}

// every is set to kill at each point, and to try every kind of host.
var every = os.Getenv("BOBBIN_EVERY") != ""

var errDied = errors.New("the program died")

// Each outside effect may be the last before the program dies: the branch is pushed once and deleted, and the
// result is told once. The control forgets that the branch was to be pushed: then it stays for good.
func TestCIProofGoesOnAfterADeath(t *testing.T) {
	t.Parallel()
	points := []string{"pushed", "deleted"}
	if every {
		points = append(points, "intended", "judged", "told")
	}
	for _, point := range points {
		d := openCI(t, host.GitHub, workflow.CIRed)
		d.playUntilDone(t, point, func() {})
		require.Len(t, d.said(t), 2, "the pull request, and the proof, after a death at %s", point)
		require.Contains(t, d.said(t)[1], "Red on main")
		require.Empty(t, d.origin.BranchHead(d.red), point)
		require.Equal(t, ciproof.TestsDeleted, d.row(t).TestsState)
	}
	d := openCI(t, host.GitHub, workflow.CIRed)
	d.playUntilDone(t, "pushed", func() { d.exec(t, `update ci_proofs set tests_state = 'none'`) })
	require.NotEmpty(t, d.origin.BranchHead(d.red), "control: nobody knows of the branch")
}

// playUntilDone looks until nothing is left to do. The checks pass for the fix and fail for its tests alone.
// At the point the program dies once, and then forgets what the function does away with.
func (d *ciDesk) playUntilDone(t *testing.T, point string, forget func()) {
	t.Helper()
	died := false
	d.reached = func(at string) error {
		if at != point || died {
			return nil
		}
		died = true
		return errDied
	}
	d.host.Report(d.fix, hosttest.Check{Name: "test", State: "success"})
	told := false
	for n := 0; d.row(t).Open(); n++ {
		require.Less(t, n, 300, "%+v", d.row(t))
		before := died
		if _, err := d.Look(t.Context(), d.session); err != nil {
			require.ErrorIs(t, err, errDied)
		}
		if died && !before {
			forget()
		}
		if tests := d.origin.BranchHead(d.red); tests != "" && !told {
			d.host.Report(tests, hosttest.Check{Name: "test", State: "failure"})
			told = true
		}
	}
	require.True(t, died, point)
}

// New tests that pass on the old code, too, show nothing, and that is what is said.
func TestNewTestsThatPassOnMainShowNothing(t *testing.T) {
	t.Parallel()
	d := openCI(t, host.GitHub, workflow.CIRed)
	d.look(t)
	d.look(t)
	d.host.Report(d.fix, hosttest.Check{Name: "test", State: "success"})
	d.host.Report(d.origin.BranchHead(d.red), hosttest.Check{Name: "test", State: "success"})
	d.until(t, "Not proven by CI at "+d.fix[:7]+": the new tests pass on main too in CI: they show nothing.")
	require.Empty(t, d.origin.BranchHead(d.red))
}

// The database takes no order to CI that no person allowed: not for another tree, another commit, or with a
// branch of tests where the question named none.
func TestCIIsAskedOnlyAsAllowed(t *testing.T) {
	t.Parallel()
	d := openCI(t, host.GitHub, workflow.CIGreen)
	order := ciproof.Order{
		Repository: "other", Commit: d.fix, Allowance: "w", Branch: branch, BaseCommit: d.base, Base: "main",
	}
	for name, change := range map[string]func(o *ciproof.Order){
		"another commit":       func(o *ciproof.Order) { o.Commit = d.base },
		"another allowance":    func(o *ciproof.Order) { o.Allowance = "v" },
		"another branch":       func(o *ciproof.Order) { o.Branch = "main" },
		"a branch of tests":    func(o *ciproof.Order) { o.TestsBranch = "bobbin/x-red" },
		"unproven, without CI": func(*ciproof.Order) { d.exec(t, `update allowances set ci = ''`) },
		"of another tree": func(*ciproof.Order) {
			d.exec(t, `update allowances set ci = 'on', tree = 'another'`)
		},
	} {
		wrong := order
		change(&wrong)
		require.ErrorIs(t, d.turn.Record(t.Context(), wrong), consent.ErrNotApproved, name)
		d.exec(t, `update allowances set ci = 'on', tree = (select tree from pushes limit 1)`)
	}
	require.NoError(t, d.turn.Record(t.Context(), order))
}

func (d *desk) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := d.Rows.Store.Pool.Exec(t.Context(), sql)
	require.NoError(t, err, sql)
}

// If no check starts, or the host cannot be asked, the waiting ends all the same, and nothing is called
// proven.
func TestTheWaitForCIIsBounded(t *testing.T) {
	t.Parallel()
	for i, age := range []time.Duration{ciStart, ciLimit} {
		d := openCI(t, host.GitHub, workflow.CIGreen)
		d.look(t)
		d.look(t)
		require.Equal(t, ciproof.Waiting, d.row(t).State)
		d.exec(t, fmt.Sprintf(`update ci_proofs set at = at - interval '%d seconds'`, int(age.Seconds())))
		want := "no checks started within 15 min. Look whether CI runs for pull requests"
		if i == 1 {
			d.host.Limit(1000, 1)
			want = "its checks could not be read"
		}
		d.look(t)
		require.Equal(t, ciproof.Unproven, d.row(t).State)
		require.Contains(t, strings.Join(d.said(t), "\n"), want)
	}
}

// Checks that wait for somebody's press are said as that, once, while the proof goes on waiting for them.
func TestAProofThatWaitsForAPersonIsTold(t *testing.T) {
	t.Parallel()
	for kind, state := range map[string]string{
		host.GitHub: "action_required", host.GitLab: "manual", host.Gitea: "blocked",
	} {
		d := openCI(t, kind, workflow.CIGreen)
		d.host.Report(d.fix, hosttest.Check{Name: "CI", State: state})
		d.until(t, "CI of "+short(d.fix)+" has not run: ")
		for range 5 {
			d.look(t)
		}
		said := len(d.said(t))
		d.host.Report(d.fix, hosttest.Check{Name: "lint", State: "success"})
		for range 5 {
			d.look(t)
		}
		require.Len(t, d.said(t), said, "it was told: %s", kind)
		require.Equal(t, ciproof.Waiting, d.row(t).State)
		d.host.Report(d.fix, hosttest.Check{Name: "CI", State: "success"})
		d.until(t, "Proven by CI: 2 checks passed")
	}
}
