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
			t.Parallel()
			p := openParts(t)
			p.sayAndDie("fix it in site", point, "")
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
			t.Parallel()
			p := openParts(t)
			p.begin()
			p.say("fix it in site")
			p.settle()
			p.takeAway(p.running[0])
			require.NoError(t, p.slack.WaitDisconnected(harness.Soon(t)))
			p.sayAndDie("fix both", point, "")
			require.Empty(t, p.faults(2))
		})
	}
}

// The key of a part keeps it from beginning twice. The control: without it, the same death shows a fault.
func TestPartsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	p := openParts(t)
	p.sayAndDie("fix it in site", "message_handled", `with forgotten as (
			update sessions set thread_ts = thread_ts || ' forgotten', part_of = null where part_of is not null)
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
	p.running = []*replicaProcess{{data: "data-0"}}
	t.Cleanup(p.stop)
	p.begin()
	p.first = p.places[0]
	var err error
	p.first.Root, err = p.slack.Say(p.first.Channel, p.ann, p.slack.Mention()+" bug 0", "")
	require.NoError(t, err)
	p.settle()
	require.Equal(t, 1, p.posted(p.first, "Root cause (revision 1"))
	p.takeAway(p.running[0])
	require.NoError(t, p.slack.WaitDisconnected(harness.Soon(t)))
	return p
}

func (p *partsRun) say(text string) {
	p.t.Helper()
	_, err := p.slack.Say(p.first.Channel, p.ann, text, p.first.Root)
	require.NoError(p.t, err)
}

// sayAndDie has ann write that. The program dies at the point, forget is run, and the next program does what
// is left, with every event delivered again.
func (p *partsRun) sayAndDie(text, point, forget string) {
	p.t.Helper()
	r := p.running[0]
	stops := []stop{{point, 1}}
	p.arm(r, stops, false)
	p.begin()
	p.say(text)
	select {
	case <-r.ended:
	case <-harness.Soon(p.t).Done():
		p.t.Fatalf("the program did not die at %s", point)
	}
	require.Zero(p.t, p.stoppedAt(stops, r))
	require.NoError(p.t, p.slack.WaitDisconnected(harness.Soon(p.t)))
	if forget != "" {
		_, err := p.db.Exec(p.t.Context(), forget)
		require.NoError(p.t, err)
	}
	p.arm(r, nil, false)
	p.begin()
	p.settle()
	for _, d := range p.slack.Deliveries() {
		if d.EventID != "" {
			require.NoError(p.t, p.slack.Redeliver(d.EventID))
		}
	}
	p.settle()
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
		"site gets a part of its own": 1, "Root cause (revision 1": 2, "] ◆ Done. Pushed": pushes,
		"site] ◆ Done. Pushed": pushes / 2, "was already approved": 0,
	} {
		if n := p.posted(p.first, text); n != want {
			found = append(found, fmt.Sprintf("%q stands %d times, want %d", text, n, want))
		}
	}
	return found
}
