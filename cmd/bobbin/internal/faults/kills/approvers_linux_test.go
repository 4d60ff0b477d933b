package kills

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// An approversRun is a program for whose repository two people have to approve. Ann has approved a report,
// bea approves it, too, and the program dies.
type approversRun struct {
	*pressRun
	bea string
}

// TestTheSecondApprovalCountsOnce kills the program between the second of two approvals and the push: before
// and after its message is stored, before and after what follows from it is recorded, and around the push.
// After the restart there is one approval, by both, and one push.
func TestTheSecondApprovalCountsOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		"event_written", "event_stored", "message_judged", "message_handled", "commit_made", "push_intended",
		"pushed",
	} {
		t.Run(point, func(t *testing.T) {
			harness.InSample(t, point, "message_handled", "push_intended")
			t.Parallel()
			a := openApprovers(t)
			a.approveAndDie(point, "")
			require.Empty(t, a.faults())
		})
	}
}

// Each guard has a control: without the guard, a death at the same point must show a fault.
func TestApprovalsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ point, forget, want string }{
		"the row of the first approval": {
			"event_stored", `delete from endorsements`, "approvals: 0, want 1",
		},
		"the mark of what was handled": {
			"message_handled", `update inbox set handled_at = null where id = (select max(id) from inbox
				where kind = 'reply')`, `"was already approved" stands 1 times, want 0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "the mark of what was handled")
			t.Parallel()
			a := openApprovers(t)
			a.approveAndDie(x.point, x.forget)
			require.Contains(t, a.faults(), x.want)
		})
	}
}

// openApprovers opens a run in which ann has approved a report, and the program is down.
func openApprovers(t *testing.T) *approversRun {
	t.Helper()
	a := &approversRun{pressRun: &pressRun{chaos: &chaos{
		t: t, seed: 1, sessions: 1, replicas: 1, binary: withPoints(t),
	}}}
	a.open()
	a.config += `, approvals: 2`
	a.bea = a.slack.AddUser(slacktest.User{Name: "bea"}).ID
	require.NoError(t, a.slack.Join(a.places[0].Channel, a.bea))
	a.request("bug 0", "· revision 1")
	a.approve(a.ann)
	a.settle()
	require.Equal(t, 1, a.posted(a.first, "Revision 1 approved by ann (1 of 2)"))
	a.down()
	return a
}

func (a *approversRun) approve(who string) {
	_, err := a.slack.Say(a.first.Channel, who, "fix it", a.first.Root)
	require.NoError(a.t, err)
}

// approveAndDie has bea approve the report, and the program die at the point.
func (a *approversRun) approveAndDie(point, forget string) {
	a.t.Helper()
	a.dieAfter(func() { a.approve(a.bea) }, point, forget)
}

// shownAlone returns how many messages with the text were shown to one person alone.
func (a *approversRun) shownAlone(text string) (n int) {
	for _, m := range a.slack.Ephemeral() {
		n += strings.Count(m.Text, text)
	}
	return n
}

// faults returns a line for all that the two approvals did not bring about once.
func (a *approversRun) faults() (found []string) {
	for what, sql := range map[string]string{
		"approvals":    `select count(*) from approvals where needed = 2`,
		"approvers":    `select count(*) - 1 from endorsements where subject = '' and ended = ''`,
		"pushes":       `select count(*) from pushes where state = 'pushed' and cardinality(approved_by) = 2`,
		"other pushes": `select 1 + count(*) from pushes where state <> 'pushed'`,
	} {
		var n int
		require.NoError(a.t, a.db.QueryRow(context.Background(), sql).Scan(&n))
		if n != 1 {
			found = append(found, fmt.Sprintf("%s: %d, want 1", what, n))
		}
	}
	for text, want := range map[string]int{
		"approved by ann (1 of 2)": 1, "Revision 1 approved by ann and bea.": 1, "[quick] Done": 1,
		"and pushed:": 1, "Reviewed by ann, bea": 1, "was already approved": 0,
	} {
		if n := a.posted(a.first, text) + a.shownAlone(text); n != want {
			found = append(found, fmt.Sprintf("%q stands %d times, want %d", text, n, want))
		}
	}
	return found
}
