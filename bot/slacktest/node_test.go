package slacktest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/npmtest"
)

// TestNodeClients tests the workspace with Slack's own clients: Bolt, the Socket Mode client and the Web
// API client.
func TestNodeClients(t *testing.T) {
	modules := npmtest.Modules(t, "node")
	t.Run("bolt", func(t *testing.T) { testBolt(t, modules) })
	t.Run("socket mode", func(t *testing.T) { testSocketModeClient(t, modules) })
	t.Run("web api", func(t *testing.T) { testWebClient(t, modules) })
}

func testBolt(t *testing.T, modules string) {
	t.Parallel()
	o := openOffice(t, Config{})
	n := o.node(modules, "bolt.mjs")
	n.next("ready")

	root := o.say("since noon", "")
	require.Equal(t, "since noon", n.next("message").Text)
	o.say(o.Mention()+" it is broken", root)
	heard := n.both("mention", "message")
	require.NotEqual(t, heard["mention"].EventID, heard["message"].EventID)
	require.Equal(t, o.Mention()+" it is broken", heard["message"].Text)
	thread, err := o.WaitFor(soon(t), "bugs", root, func(m []Message) bool { return len(m) == 3 })
	require.NoError(t, err)
	answer := thread[2]
	require.Equal(t, heard["mention"].Answered, answer.TS)
	require.Equal(t, "<@"+o.ada.ID+"> I heard you", answer.Text)
	require.Equal(t, "answer", answer.Metadata.EventType)

	require.NoError(t, o.Click("bugs", answer.TS, "correct", o.ben.ID))
	modal := n.next("modal")
	require.Equal(t, o.Views()[0].ID, modal.ID)
	require.NoError(t, o.Submit(modal.ID, map[string]string{"text": "also for guests"}))
	require.Equal(t, "also for guests", n.next("submission").Text)

	require.NoError(t, o.Click("bugs", answer.TS, "fix", o.ben.ID))
	click := n.next("action")
	require.Equal(t, "opaque", click.Value)
	require.Equal(t, o.ben.ID, click.User)
	require.Equal(t, "approved by <@"+o.ben.ID+">", o.Thread("bugs", root)[2].Text)
	require.Empty(t, o.Thread("bugs", root)[2].Controls())

	require.NoError(t, o.Command("bugs", o.ada.ID, "/diagnose", "checkout"))
	require.Equal(t, "checkout", n.next("command").Text)
	require.NoError(t, o.WaitSettled(soon(t)))
	for _, d := range o.Deliveries() {
		require.Equal(t, Acked, d.Outcome, d.EventType)
	}
	require.Empty(t, o.Views())
	shown := o.Channel("bugs")
	require.Equal(t, "diagnosing checkout", shown[len(shown)-1].Text)
}

func testSocketModeClient(t *testing.T, modules string) {
	t.Parallel()
	o := openOffice(t, Config{PingInterval: 100 * time.Millisecond, DisconnectGrace: 10 * time.Second, Events: []string{"message.channels"}})
	n := o.node(modules, "socket.mjs")
	n.next("connected")
	o.say("hello", "")
	first := n.next("event")
	require.False(t, first.Acked)
	require.Zero(t, first.RetryNum)
	o.ExpireAcks()
	second := n.next("event")
	require.Equal(t, first.EventID, second.EventID)
	require.NotEqual(t, first.EnvelopeID, second.EnvelopeID)
	require.Equal(t, 1, second.RetryNum)
	require.Equal(t, "timeout", second.RetryReason)
	require.NoError(t, o.WaitSettled(soon(t)))
	require.Equal(t, []Outcome{Late, Acked}, []Outcome{o.Deliveries()[0].Outcome, o.Deliveries()[1].Outcome})

	// The client would have disconnected by now if pings and pongs did not arrive.
	select {
	case m := <-n.lines:
		require.FailNow(t, "the client left", "%+v", m)
	case <-time.After(12 * time.Second):
	}
	o.Order(Fault{Method: "apps.connections.open", Status: 503, Times: -1})
	o.Disconnect("refresh_requested")
	n.next("closed")
	o.say("in the gap", "")
	o.ClearFaults()
	n.next("connected")
	late := n.next("event")
	require.Equal(t, 1, late.RetryNum)
	require.True(t, late.Acked)
}

func testWebClient(t *testing.T, modules string) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Method: "chat.postMessage", Nth: 2, Status: 429, RetryAfter: time.Second})
	n := o.node(modules, "web.mjs")
	who := n.next("who")
	require.Equal(t, o.App().BotUser, who.User)
	require.Equal(t, o.App().BotID, who.Bot)
	require.Contains(t, who.Scopes, "chat:write")
	posted := n.next("posted")
	require.Equal(t, 1, posted.Waited)
	require.Len(t, o.Thread("bugs", posted.TS), 6)
	require.False(t, *o.Thread("bugs", posted.TS)[0].UnfurlLinks)
	read := n.next("read")
	require.Equal(t, 3, read.Pages)
	require.Equal(t, []int{0, 1, 2, 3, 4}, read.Numbers)
	require.Equal(t, []string{"channel_not_found", "invalid_blocks", "allowed", "allowed", "already_reacted", "invalid_auth"}, n.next("codes").Codes)
}

// A node is a running script.
type node struct {
	t      *testing.T
	lines  chan told
	stderr *bytes.Buffer
}

// A told is one line of a script's output.
type told struct {
	What, Text, TS, ID, User, Bot, Value, Message, Answered string

	EventID     string `json:"event_id"`
	EnvelopeID  string `json:"envelope_id"`
	RetryNum    int    `json:"retry_num"`
	RetryReason string `json:"retry_reason"`
	Acked       bool
	Scopes      []string
	Waited      int
	Pages       int
	Numbers     []int
	Codes       []string
}

// node starts a script as a client of the workspace. It ends with the test.
func (o *office) node(modules, script string) *node {
	o.t.Helper()
	dir := o.t.TempDir()
	for _, name := range []string{"talk.mjs", script} {
		raw, err := os.ReadFile(filepath.Join("node", name))
		require.NoError(o.t, err)
		require.NoError(o.t, os.WriteFile(filepath.Join(dir, name), raw, 0o644))
	}
	require.NoError(o.t, os.Symlink(modules, filepath.Join(dir, "node_modules")))

	n := &node{t: o.t, lines: make(chan told, 100), stderr: &bytes.Buffer{}}
	cmd := exec.Command("node", script)
	cmd.Dir = dir
	cmd.Stderr = n.stderr
	cmd.Env = append(os.Environ(), "SLACKTEST_URL="+o.URL(), "SLACKTEST_BOT_TOKEN="+o.App().BotToken,
		"SLACKTEST_APP_TOKEN="+o.App().AppToken, "SLACKTEST_CHANNEL="+o.bugs.ID)
	stdin, err := cmd.StdinPipe()
	require.NoError(o.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(o.t, err)
	require.NoError(o.t, cmd.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(n.lines)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var line told
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				n.lines <- line
			}
		}
	}()
	o.t.Cleanup(func() {
		_ = stdin.Close() // tells the script to end
		<-read
		_ = cmd.Wait()
	})
	return n
}

// next returns the script's next line, whose What has to be what.
func (n *node) next(what string) told {
	n.t.Helper()
	line := n.line()
	require.Equal(n.t, what, line.What, "%+v", line)
	return line
}

// both returns two lines that may come in either order.
func (n *node) both(one, other string) map[string]told {
	n.t.Helper()
	first, second := n.line(), n.line()
	got := map[string]told{first.What: first, second.What: second}
	require.Contains(n.t, got, one)
	require.Contains(n.t, got, other)
	return got
}

func (n *node) line() told {
	n.t.Helper()
	select {
	case line, open := <-n.lines:
		require.True(n.t, open, "the script ended: %s", n.stderr)
		return line
	case <-time.After(time.Minute):
		require.FailNow(n.t, "the script says nothing")
	}
	return told{}
}

func TestTheLockFileNamesNoHost(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("node/package-lock.json")
	require.NoError(t, err)
	require.NotContains(t, string(raw), `"resolved"`)
	require.Contains(t, string(raw), `"integrity"`)
}
