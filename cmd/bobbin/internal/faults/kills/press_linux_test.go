package kills

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/workflow"
)

// A pressRun is a program in whose channel an app has posted an alert twice. "Not the same problem" is
// pressed below the count, and the program dies.
type pressRun struct {
	*chaos
	app           string         // user id of the app
	first, second harness.Thread // of the alerts
}

// TestAPressIsHandledOnce kills the program between a press of "Not the same problem" and its end: before and
// after the press is stored, and before and after what follows from it is recorded. A press that was stored
// is handled after the restart, once. One that was not stored does nothing, like one while the program is
// down: Slack sends neither again, and the person can press once more.
func TestAPressIsHandledOnce(t *testing.T) {
	t.Parallel()
	for point, lost := range map[string]bool{
		"event_written": true, "event_stored": false, "message_judged": false, "message_handled": false,
	} {
		t.Run(point, func(t *testing.T) {
			harness.InSample(t, point, "event_written", "message_handled")
			t.Parallel()
			p := openPress(t)
			p.pressAndDie(point, "")
			if lost {
				require.Contains(t, p.faults(), "sessions: 1, want 2")
				p.press()
				p.settle()
			}
			require.Empty(t, p.faults())
		})
	}
}

// Each guard has a control: without the guard, a death at the same point must show a fault.
func TestPressesAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ point, forget, want string }{
		"the row of the press": {
			"event_acknowledged", `delete from inbox where kind = 'action'`, "sessions: 1, want 2",
		},
		"the mark of what was handled": {
			"message_handled", `update inbox set handled_at = null where kind = 'action'`,
			`"is looked into" stands 2 times, want 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "the mark of what was handled")
			t.Parallel()
			p := openPress(t)
			p.pressAndDie(x.point, x.forget)
			require.Contains(t, p.faults(), x.want)
		})
	}
}

// openPress opens a run in which the alert was counted twice, and the program is down.
func openPress(t *testing.T) *pressRun {
	t.Helper()
	asksBack := func(chatmodel.Request) (string, map[string]any) {
		return "reply", map[string]any{"text": "Which one?"}
	}
	p := &pressRun{chaos: &chaos{
		t:        t,
		seed:     1,
		sessions: 1,
		replicas: 1,
		binary:   withPoints(t),
		model:    chatmodel.Serve(t, asksBack).URL,
	}}
	p.open()
	p.config += `, channels: ["#bugs-0"], watch_apps: [A0SENTRY]`
	p.app = p.slack.AddBot(slacktest.User{Name: "Sentry", AppID: "A0SENTRY"}).ID
	require.NoError(t, p.slack.Join(p.places[0].Channel, p.app))
	p.running = []*replicaProcess{{data: "data-0"}}
	t.Cleanup(p.stop)
	p.begin()
	p.first = p.alert()
	p.settle()
	p.second = p.alert()
	p.settle()
	require.Equal(t, 1, p.posted(p.first, "Seen 2 times"))
	p.takeAway(p.running[0])
	require.NoError(t, p.slack.WaitDisconnected(harness.Soon(t)))
	return p
}

// begin starts the program and waits until it is connected.
func (p *pressRun) begin() {
	p.start(p.running[0])
	require.NoError(p.t, p.slack.WaitConnected(harness.Soon(p.t), config.DefaultConnections))
}

// alert has the app post the alert.
func (p *pressRun) alert() harness.Thread {
	p.t.Helper()
	m := slacktest.Message{Attachments: json.RawMessage(`[{"title": "RefundTooHigh",
		"title_link": "https://acme.sentry.io/issues/4711/", "text": "paid 25.00, refunded 25.02"}]`)}
	at := p.places[0]
	var err error
	at.Root, err = p.slack.PostAsBot(at.Channel, p.app, m)
	require.NoError(p.t, err)
	return at
}

// press has ann press the button below the count.
func (p *pressRun) press() { require.NoError(p.t, p.tryPress()) }

func (p *pressRun) tryPress() error {
	for _, m := range p.slack.Thread(p.first.Channel, p.first.Root) {
		for _, c := range m.Controls() {
			if strings.HasPrefix(c.ActionID, string(workflow.ButtonNotSame)) {
				return p.slack.Click(p.first.Channel, m.TS, c.ActionID, p.ann)
			}
		}
	}
	return fmt.Errorf("the thread has no button:\n%s", p.said(p.first))
}

// pressAndDie has ann press while the program is down, and once more after its start. The program dies at the
// point, forget is run, and the next program does what is left.
func (p *pressRun) pressAndDie(point, forget string) {
	p.t.Helper()
	require.ErrorContains(p.t, p.tryPress(), "no open connection")
	p.dieAt(stop{point, 1}, p.press, forget)
}

// dieAt has somebody act while the program runs, which dies at that point. Then forget is run, which changes
// one row, and the next program does what is left.
func (p *pressRun) dieAt(at stop, act func(), forget string) {
	p.t.Helper()
	r := p.running[0]
	stops := []stop{at}
	p.arm(r, stops, false)
	p.begin()
	act()
	select {
	case <-r.ended:
	case <-harness.Soon(p.t).Done():
		p.t.Fatalf("the program did not die at %s", at.point)
	}
	require.Zero(p.t, p.stoppedAt(stops, r))
	require.NoError(p.t, p.slack.WaitDisconnected(harness.Soon(p.t)))
	p.slack.ExpireAcks() // the dead program acknowledges nothing any more
	if forget != "" {
		tag, err := p.db.Exec(p.t.Context(), forget)
		require.NoError(p.t, err)
		require.EqualValues(p.t, 1, tag.RowsAffected())
	}
	p.arm(r, nil, false)
	p.begin()
	p.settle()
}

// dieAfter is like dieAt, and every event comes again after that.
func (p *pressRun) dieAfter(act func(), point, forget string) {
	p.t.Helper()
	p.dieAt(stop{point, 1}, act, forget)
	for _, d := range p.slack.Deliveries() {
		if d.EventID != "" {
			require.NoError(p.t, p.slack.Redeliver(d.EventID))
		}
	}
	p.settle()
}

// request starts the program, has ann write to it in a new thread, and waits until it has shown that.
func (p *pressRun) request(text, shown string) {
	p.t.Helper()
	p.running = []*replicaProcess{{data: "data-0"}}
	p.t.Cleanup(p.stop)
	p.begin()
	p.first = p.places[0]
	var err error
	p.first.Root, err = p.slack.Say(p.first.Channel, p.ann, p.slack.Mention()+" "+text, "")
	require.NoError(p.t, err)
	p.settle()
	require.Equal(p.t, 1, p.posted(p.first, shown))
}

// down ends the program.
func (p *pressRun) down() {
	p.t.Helper()
	p.takeAway(p.running[0])
	require.NoError(p.t, p.slack.WaitDisconnected(harness.Soon(p.t)))
}

// say has ann write in the thread.
func (p *pressRun) say(text string) {
	p.t.Helper()
	_, err := p.slack.Say(p.first.Channel, p.ann, text, p.first.Root)
	require.NoError(p.t, err)
}

// settle waits until everything was handled and posted, and no turn is left to run.
func (p *pressRun) settle() {
	p.t.Helper()
	ctx := harness.Soon(p.t)
	require.NoError(p.t, p.slack.WaitSettled(ctx))
	for left := 1; left > 0; harness.Sleep(ctx, 20*time.Millisecond) {
		require.NoError(p.t, p.db.QueryRow(ctx, `select (select count(*) from inbox where handled_at is null)
			+ (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from river_job where kind in ('turn', 'post', 'react')
				and state in ('available', 'running', 'retryable', 'scheduled'))`).Scan(&left))
	}
}

// faults returns a line for all that the press did not bring about once.
func (p *pressRun) faults() (found []string) {
	var sessions int
	require.NoError(p.t, p.db.QueryRow(context.Background(), `select count(*) from sessions`).Scan(&sessions))
	if sessions != 2 {
		found = append(found, fmt.Sprintf("sessions: %d, want 2", sessions))
	}
	for text, at := range map[string]harness.Thread{
		"is another problem, as ann said": p.first, "is looked into": p.first,
		"Seen once, without the alert of": p.first, "Which one?": p.second,
	} {
		if n := p.posted(at, text); n != 1 {
			found = append(found, fmt.Sprintf("%q stands %d times, want 1", text, n))
		}
	}
	return found
}
