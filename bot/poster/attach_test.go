package poster

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/gateway"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// plan returns a posting with two lines and a file in each.
func (o *posterOffice) plan(root string) workflow.Posting {
	posting := o.Posting("s:7", root, "The plan is ready.")
	posting.Lines[0].Files = []workflow.File{{Name: "plan.md", Title: "The plan", Text: "# Plan\n\n1. <!channel> & ü\n"}}
	posting.Lines = append(posting.Lines, workflow.Line{Agent: "reviewer", Text: "And this is the change.", Files: []workflow.File{
		{Name: "../change.diff", Text: strings.Repeat("+ a line\n", 1000)},
	}})
	return posting
}

var marks = regexp.MustCompile(`-[0-9a-f]{10}\b`)

// below returns the text of a thread below its root, without the marks in file names.
func (o *posterOffice) below(root string) string {
	_, below, _ := strings.Cut(o.ExportText("bugs", root), "it fails\n")
	return marks.ReplaceAllString(below, "")
}

const (
	planReply = "  app [app]: [deep] The plan is ready.\n    [reviewer] And this is the change.\n"
	planFiles = "  app [app]: \n    [file plan.md]\n  app [app]: \n    [file ..-change.diff]\n"
)

func TestFilesFollowTheirReply(t *testing.T) {
	t.Parallel()
	o, in := openPosterOffice(t, slacktest.Config{}), &bottest.Inbox{}
	o.RunGateway((&gateway.Gateway{Slack: o.Bot, Inbox: in, StoreTimeout: time.Millisecond, Connecting: gateway.Connecting{Apart: time.Millisecond}}).Run, 1)
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(o.plan(root))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, planReply+planFiles, o.below(root))

	thread := o.Thread("bugs", root)
	require.Equal(t, map[string]string{"s:7": thread[1].TS}, out.ByKey)
	plan, change := thread[2].Files[0], thread[3].Files[0]
	require.Equal(t, "The plan", plan.Title)
	require.Equal(t, "..-change.diff", change.Title, "people see no mark")
	for id, want := range map[string]string{plan.ID: "# Plan\n\n1. <!channel> & ü\n", change.ID: strings.Repeat("+ a line\n", 1000)} {
		content, err := o.FileContent(id)
		require.NoError(t, err)
		require.Equal(t, want, content)
	}
	o.Settle()
	calls, _ := in.Seen()
	require.Empty(t, calls, "a file of ours is nobody's message")
}

// TestALostAnswerDoublesNoFile checks that every reply and file is in the thread once, whichever response is
// lost.
func TestALostAnswerDoublesNoFile(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"chat.postMessage", "files.getUploadURLExternal", "upload/v1", "files.completeUploadExternal"} {
		for nth := 1; nth <= 2; nth++ {
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			out := (&bottest.Outbox{}).Put(o.plan(root), o.Posting("s:8", root, "Shall I?"))
			p := o.poster(out)
			o.Order(slacktest.Fault{Method: method, Nth: nth, LoseAnswer: true})
			require.Error(t, p.Drain(t.Context(), "s"), method)
			require.NoError(t, p.Drain(t.Context(), "s"), method)
			require.Equal(t, planReply+planFiles+"  app [app]: [deep] Shall I?\n", o.below(root), method)
		}
	}
}

// The control of the test above: without the look-up, the reply and its file are posted twice.
func TestControlALostAnswerDoublesAFile(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	p := o.poster((&bottest.Outbox{}).Put(o.plan(root)))
	p.skipLookup = true
	o.Order(slacktest.Fault{Method: "files.completeUploadExternal", LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.Equal(t, planReply+"  app [app]: \n    [file plan.md]\n"+planReply+planFiles, o.below(root))
}

// TestAFileThatShowsLateIsWaitedFor checks that a file is not shared again if Slack shows it some time after
// its response.
func TestAFileThatShowsLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{ShareDelay: 300 * time.Millisecond})
	root := o.AdaSays("it fails", "")
	posting := o.plan(root)
	posting.Lines = posting.Lines[:1]
	p := o.poster((&bottest.Outbox{}).Put(posting))
	p.Settle = time.Second
	o.Order(slacktest.Fault{Method: "files.completeUploadExternal", LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.Len(t, o.Requests("files.completeUploadExternal"), 1)
	require.Len(t, o.Thread("bugs", root), 3)
}

func TestLimitsOfFilesAreWaitedOut(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	for _, method := range []string{"files.getUploadURLExternal", "upload/v1", "files.completeUploadExternal"} {
		o.Order(slacktest.Fault{Method: method, Status: 429, RetryAfter: time.Second})
	}
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(o.plan(root))).Drain(t.Context(), "s"))
	require.Equal(t, planReply+planFiles, o.below(root))
}

// TestAFileThatIsRefused checks that a refused file does not affect the reply or the other file.
func TestAFileThatIsRefused(t *testing.T) {
	t.Parallel()
	const other = "  app [app]: \n    [file ..-change.diff]\n"
	note := func(why string) string {
		return "  app [app]: [deep] ◆ `plan.md` could not be attached: " + why + ".\n"
	}
	for _, c := range []struct {
		fault slacktest.Fault
		want  string
	}{
		{slacktest.Fault{Method: "files.getUploadURLExternal", Error: "file_uploads_disabled"}, note("Slack refuses it (file_uploads_disabled)")},
		{slacktest.Fault{Method: "files.completeUploadExternal", Error: "posting_to_channel_denied"}, note("Slack refuses it (posting_to_channel_denied)")},
		{slacktest.Fault{Method: "upload/v1", Status: 413}, note("Slack refuses it (status 413)")},
		{
			slacktest.Fault{Method: "files.completeUploadExternal", Error: "missing_scope"},
			note("the app lacks the scope `files:write`; add it to the app and install it again"),
		},
	} {
		o := openPosterOffice(t, slacktest.Config{})
		root := o.AdaSays("it fails", "")
		out := (&bottest.Outbox{}).Put(o.plan(root))
		o.Order(c.fault)
		require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
		require.Equal(t, planReply+c.want+other, o.below(root))
		require.Equal(t, o.Thread("bugs", root)[1].TS, out.ByKey["s:7"])
		require.Empty(t, out.RefusedByKey)
	}
}

func TestFilesWithoutTheirScope(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{Scopes: []string{"chat:write", "channels:history"}})
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(o.plan(root))
	p := o.poster(out)
	// The line that reports the refusal is looked up like any other.
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	const why = "could not be attached: the app lacks the scope `files:write`; add it to the app and install it again.\n"
	require.Equal(
		t, planReply+"  app [app]: [deep] ◆ `plan.md` "+why+"  app [app]: [reviewer] ◆ `..-change.diff` "+why,
		o.below(root),
	)
	require.Len(t, out.ByKey, 1)
}

func TestFilesThatAreNotTried(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	posting := o.Posting("k", root, "Three files.")
	posting.Lines[0].Files = []workflow.File{
		{Name: "empty.md"}, {Name: "large.diff", Text: strings.Repeat("x", render.MaxFile+1)}, {Name: "", Text: strings.Repeat("x", render.MaxFile)},
	}
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(posting)).Drain(t.Context(), "s"))
	require.Equal(
		t,
		"  app [app]: [deep] Three files.\n  app [app]: [deep] ◆ `empty.md` could not be attached: it is empty.\n"+
			"  app [app]: [deep] ◆ `large.diff` could not be attached: it is larger than 1 MiB.\n  app "+
			"[app]: \n    [file file.txt]\n",
		o.below(root),
	)
}

// TestTroubleOfTheAppIsNotTheFilesEnd checks that a revoked token does not refuse a file: it is posted by a
// later drain.
func TestTroubleOfTheAppIsNotTheFilesEnd(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(o.plan(root))
	o.Order(slacktest.Fault{Method: "files.getUploadURLExternal", Error: "token_revoked"})
	var refused *bot.AuthError
	require.ErrorAs(t, o.poster(out).Drain(t.Context(), "s"), &refused)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, planReply+planFiles, o.below(root))
}

// TestFilesSurviveABadDay checks that every file is in the thread once despite many faults.
func TestFilesSurviveABadDay(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := &bottest.Outbox{}
	want := ""
	for _, key := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		posting := o.Posting(key, root, key)
		posting.Lines[0].Files = []workflow.File{{Name: key + ".md", Text: key}}
		out.Put(posting)
		want += "  app [app]: [deep] " + key + "\n  app [app]: \n    [file " + key + ".md]\n"
	}
	o.Order(slacktest.Fault{Probability: 0.15, LoseAnswer: true})
	o.Order(slacktest.Fault{Probability: 0.15, Status: 500})
	p, failed := o.poster(out), 0
	for p.Drain(t.Context(), "s") != nil {
		failed++
	}
	require.Equal(t, want, o.below(root))
	require.Greater(t, failed, 10)
}
