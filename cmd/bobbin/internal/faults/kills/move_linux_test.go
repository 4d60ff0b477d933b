package kills

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A moveRun is a program with one session, which ann has go on in another channel, and which dies meanwhile.
type moveRun struct {
	*pressRun
	left  harness.Thread
	there string // id of the other channel
}

// isMoving reports whether a point is reached only if a session goes on in another channel.
func isMoving(point string) bool { return strings.HasPrefix(point, "move_") }

// TestASessionMovesOnce kills the program between the words "continue in #payments" and the line that says
// where the thread goes on. Every event is delivered again after that, and the words are said again.
func TestASessionMovesOnce(t *testing.T) {
	t.Parallel()
	for _, at := range []stop{
		{"event_stored", 1},
		{"message_judged", 1},
		{"message_handled", 1},
		{"posting_tried", 2}, // the first is the reaction to the words
		{"reply_posted", 1},
		{"posting_delivered", 2},
		{"move_switching", 1},
		{"move_switched", 1},
		{"posting_recorded", 2},
	} {
		t.Run(at.point, func(t *testing.T) {
			harness.InSample(t, at.point, "message_handled", "move_switched")
			t.Parallel()
			m := openMove(t)
			m.moveAndDie(at, "")
			require.Empty(t, m.faults())
		})
	}
}

// Each guard has a control: without the guard, a death at the same point must show a fault.
func TestMovesAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		at           stop
		forget, want string
	}{
		"the mark of what was tried": {
			stop{"reply_posted", 1},
			`update outbox set batch = null, tried_at = null
				where thread_ts = '' and posted_at is null`,
			"threads in the other channel: 2, want 1",
		},
		"the thread of the session, stored with the posting": {
			stop{"move_switched", 1},
			`update sessions set channel = moves.channel, thread_ts = moves.thread_ts
				from moves where moves.session_id = sessions.id`,
			`"Which one?" stands 0 times in the new thread, want 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "the thread of the session, stored with the posting")
			t.Parallel()
			m := openMove(t)
			m.moveAndDie(x.at, x.forget)
			require.Contains(t, m.faults(), x.want)
		})
	}
}

// openMove opens a run in which ann's question was answered, and the program is down.
func openMove(t *testing.T) *moveRun {
	t.Helper()
	asksBack := func(chatmodel.Request) (string, map[string]any) {
		return "reply", map[string]any{"text": "Which one?"}
	}
	m := &moveRun{pressRun: &pressRun{chaos: &chaos{
		t: t, seed: 1, sessions: 1, replicas: 1, binary: withPoints(t),
		model: chatmodel.Serve(t, asksBack).URL,
	}}}
	m.open()
	m.there = m.slack.AddChannel(slacktest.Channel{
		Name: "payments", Members: []string{m.ann, m.slack.App().BotUser},
	}).ID
	m.request("is the split right?", "Which one?")
	m.left = m.first
	m.down()
	return m
}

// moveAndDie has ann say where to go on, and the program die at the point. Then forget is run, and the next
// program does what is left, gets every event again, and is asked something in the new thread.
func (m *moveRun) moveAndDie(at stop, forget string) {
	m.t.Helper()
	m.dieAt(at, func() { m.say(m.left, "continue in #payments") }, forget)
	m.say(m.left, "continue in #payments")
	m.settle()
	for _, root := range m.roots() {
		m.say(root, "and this one?")
	}
	m.settle()
}

func (m *moveRun) say(at harness.Thread, text string) {
	m.t.Helper()
	_, err := m.slack.Say(at.Channel, m.ann, text, at.Root)
	require.NoError(m.t, err)
}

// roots returns the threads that the bot has begun in the other channel.
func (m *moveRun) roots() (all []harness.Thread) {
	for _, x := range m.slack.Channel(m.there) {
		if x.BotID == m.slack.App().BotID && x.ThreadTS == "" {
			all = append(all, harness.Thread{Channel: m.there, Root: x.TS})
		}
	}
	return all
}

// faults returns a line for all that the move did not bring about once.
func (m *moveRun) faults() (found []string) {
	var sessions int
	require.NoError(m.t, m.db.QueryRow(context.Background(), `select count(*) from sessions`).Scan(&sessions))
	if sessions != 1 {
		found = append(found, fmt.Sprintf("sessions: %d, want 1", sessions))
	}
	roots := m.roots()
	if len(roots) != 1 {
		found = append(found, fmt.Sprintf("threads in the other channel: %d, want 1", len(roots)))
	}
	if n := m.posted(m.left, "This goes on in"); n != 1 {
		found = append(found, fmt.Sprintf("the line in the thread that is left stands %d times, want 1", n))
	}
	if n := m.posted(m.left, "Which one?"); n != 1 {
		found = append(found, fmt.Sprintf(`"Which one?" stands %d times in the old thread, want 1`, n))
	}
	for _, root := range roots {
		if n := m.posted(root, "Which one?"); n != 1 {
			found = append(found, fmt.Sprintf(`"Which one?" stands %d times in the new thread, want 1`, n))
		}
	}
	return found
}
