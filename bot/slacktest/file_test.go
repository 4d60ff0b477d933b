package slacktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/stretchr/testify/require"
)

// killed opens the workspace as if its program had been killed: from a copy of the file, while the former
// server still runs.
func killed(t *testing.T, o *office, ending string) *office {
	t.Helper()
	raw, err := os.ReadFile(o.cfg.File)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "slack")
	require.NoError(t, os.WriteFile(file, append(raw, ending...), 0o600))
	again, err := Listen(Config{File: file})
	require.NoError(t, err)
	t.Cleanup(again.Close)
	second := &office{Server: again, t: t, ada: o.ada, ben: o.ben, bugs: o.bugs}
	second.api = second.client(again.App().BotToken)
	return second
}

func TestAWorkspaceOutlivesItsProgram(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{
		File:   filepath.Join(t.TempDir(), "slack"),
		Events: []string{"message.channels"},
		Now:    func() time.Time { return time.Now().UTC() },
	})
	a := o.connect(false)
	root := o.say("it is broken", "")
	require.NoError(t, a.client.Ack(*a.next().Request))
	require.NoError(t, o.WaitSettled(soon(t)))
	reply := o.say("gone soon", root)
	require.NoError(t, o.Edit("bugs", root, "it is broken, see the file"))
	_, err := o.Attach("bugs", o.ben.ID, "here", root, Upload{
		File:    File{Name: "log.txt"},
		Content: "panic\n",
	})
	require.NoError(t, err)
	require.NoError(t, o.React("bugs", root, o.ben.ID, "eyes"))
	require.NoError(t, o.Delete("bugs", reply))
	require.NoError(t, o.Join("bugs", o.AddUser(User{Name: "cleo"}).ID))
	_, err = o.api.PublishView(o.ada.ID, slack.HomeTabViewRequest{
		Type:   slack.VTHomeTab,
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewSectionBlock(plain("at home"), nil, nil)}},
	}, "")
	require.NoError(t, err)
	later := o.say("and the app never heard of this", "")

	for _, ending := range []string{"", `{"Users":[{"ID":"U1`} {
		// the second is from a program killed during a write
		again := killed(t, o, ending)
		require.Equal(t, o.ExportText("bugs", root), again.ExportText("bugs", root))
		require.Equal(t, o.Users(), again.Users())
		require.Equal(t, o.Channels(), again.Channels())
		require.Equal(t, string(o.Views()[0].Blocks()), string(again.Views()[0].Blocks()))
		file := again.Thread("bugs", root)[1].Files[0]
		content, err := again.FileContent(file.ID)
		require.NoError(t, err)
		require.Equal(t, "panic\n", content)
		require.True(t, strings.HasPrefix(file.URL, again.base()), "%s is at the new address", file.URL)

		// Acknowledged events are not sent again; the others are, even after another restart.
		again = killed(t, again, "")
		app := again.connect(true)
		var heard []string
		for !strings.Contains(strings.Join(heard, " "), later) {
			heard = append(heard, inner[*slackevents.MessageEvent](app).TimeStamp)
		}
		require.NotContains(t, heard, root)
		require.Greater(t, again.say("still", root), later)
		require.NoError(t, again.WaitSettled(soon(t)))
		require.Empty(t, killed(t, again, "").untaken())
	}
}

// The file is rewritten before it gets large. A file with other content is refused.
func TestTheFileOfAWorkspace(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{File: filepath.Join(t.TempDir(), "slack"), Events: []string{}})
	ts := o.say("0", "")
	for i := range 100 {
		require.NoError(t, o.Edit("bugs", ts, strings.Repeat("x", i)))
	}
	before, err := os.Stat(o.cfg.File)
	require.NoError(t, err)
	o.mu.Lock()
	o.file.most = 1
	o.mu.Unlock()
	require.NoError(t, o.Edit("bugs", ts, "at last"))
	after, err := os.Stat(o.cfg.File)
	require.NoError(t, err)
	require.Less(t, after.Size(), before.Size()/4)
	require.NoError(t, o.React("bugs", ts, o.ben.ID, "eyes"))
	require.Equal(t, o.ExportText("bugs", ts), killed(t, o, "").ExportText("bugs", ts))

	require.NoError(t, os.WriteFile(o.cfg.File, []byte("{}\nnonsense\n"), 0o600))
	_, err = Listen(Config{File: o.cfg.File})
	require.ErrorContains(t, err, "line 2 is none of a workspace")
}
