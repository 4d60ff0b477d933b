package kills

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// A partsRun is a thread about two repositories, shop and site.
type partsRun struct{ *pressRun }

// TestAPartBeginsOnce kills the program between "fix it in site", which begins the part of site, and its
// report. After the restart there is one part, with one report.
func TestAPartBeginsOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		"event_written", "event_stored", "message_judged", "part_begun", "message_handled", "report_made",
	} {
		t.Run(point, func(t *testing.T) {
			harness.InSample(t, point, "part_begun")
			t.Parallel()
			p := openParts(t)
			p.dieAfter(func() { p.say("fix it in site") }, point, "")
			require.Empty(t, p.faults(0))
			p.say("fix both")
			p.settle()
			require.Empty(t, p.faults(2))
		})
	}
}

// TestBothPartsArePushedOnce kills the program around the pushes of both repositories.
func TestBothPartsArePushedOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"event_written", "message_handled", "push_intended", "pushed"} {
		t.Run(point, func(t *testing.T) {
			harness.InSample(t, point, "push_intended")
			t.Parallel()
			p := openParts(t)
			p.begin()
			p.say("fix it in site")
			p.settle()
			p.down()
			p.dieAfter(func() { p.say("fix both") }, point, "")
			require.Empty(t, p.faults(2))
		})
	}
}

// The key of a part keeps it from beginning twice. The control: without it, the same death shows a fault.
func TestPartsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	p := openParts(t)
	p.dieAfter(func() { p.say("fix it in site") }, "message_handled", `with forgotten as (
			update sessions set thread_ts = thread_ts || ' forgotten', part_of = null
			where part_of is not null)
		update inbox set handled_at = null where text = 'fix it in site'
			and session_id in (select id from sessions where part_of is null)`)
	require.Contains(t, p.faults(0), "sessions: 3, want 2")
}

// openParts opens a run in which the shop's report was shown, and the program is down.
func openParts(t *testing.T) *partsRun {
	t.Helper()
	p := &partsRun{&pressRun{chaos: &chaos{
		t: t, seed: 1, sessions: 1, replicas: 1, binary: withPoints(t),
	}}}
	p.open()
	site := filepath.Join(p.dir, "site.git")
	require.NoError(t, stage.PlantRemote(site, chatmodel.NumberedBugs(1)))
	p.config += fmt.Sprintf(`, channels: ["#bugs-0"]}, {name: site, url: %q`, site)
	p.request("bug 0", "· revision 1")
	p.down()
	return p
}

// faults returns a line for all that did not come about once. pushes is how many there are to be.
func (p *partsRun) faults(pushes int) (found []string) {
	for _, x := range []struct {
		what string
		want int
		sql  string
	}{
		{"sessions", 2, `select count(*) from sessions`},
		{"reports", 2, `select count(*) from reports`},
		{"approvals", pushes, `select count(*) from approvals`},
		{"pushes", pushes, `select count(*) from pushes where state = 'pushed'`},
		{"other pushes", 0, `select count(*) from pushes where state <> 'pushed'`},
	} {
		var n int
		require.NoError(p.t, p.db.QueryRow(context.Background(), x.sql).Scan(&n), x.what)
		if n != x.want {
			found = append(found, fmt.Sprintf("%s: %d, want %d", x.what, n, x.want))
		}
	}
	for text, want := range map[string]int{
		"site gets a part of its own": 1, "· revision 1": 2, "] ◆ *Fixed and pushed:": pushes,
		"site] ◆ *Fixed and pushed:": pushes / 2, "was already approved": 0,
	} {
		if n := p.posted(p.first, text); n != want {
			found = append(found, fmt.Sprintf("%q stands %d times, want %d", text, n, want))
		}
	}
	return found
}
