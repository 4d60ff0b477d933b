package attachment

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// redPixel is a PNG of one red pixel.
const redPixel = "\x89PNG\r\n\x1a\n" +
	"\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef" +
	"\x00\x00\x00\x00IEND\xaeB`\x82"

// inUTF16 is "Ausnahme: ö" as Windows saves it.
const inUTF16 = "\xff\xfeA\x00u\x00s\x00n\x00a\x00h\x00m\x00e\x00:\x00 \x00\xf6\x00"

// uploads are files as people attach them, and what is made of each.
var uploads = map[string]struct {
	file               slacktest.Upload
	media, reads, says string
}{
	"text": {up("app.log", "", "panic: x\n"), workflow.MediaText, "panic: x\n", ""},
	"of no kind": {
		up("core", "application/octet-stream", "panic: x\n"), workflow.MediaText, "panic: x\n", "",
	},
	"UTF-16":      {up("shell.txt", "", inUTF16), workflow.MediaText, "Ausnahme: ö", ""},
	"with a mark": {up("a.txt", "", "\ufeffa"), workflow.MediaText, "a", ""},
	"some bytes wrong": {
		up("a.log", "", strings.Repeat("line\n", 50)+"\xff\xfe"), workflow.MediaText,
		strings.Repeat("line\n", 50) + "\uFFFD", "",
	},
	"a page": {
		up("a.html", "text/html", "<!DOCTYPE html><p>signin <form>"), workflow.MediaText,
		"<!DOCTYPE html><p>signin <form>", "",
	},
	"a picture":         {up("a.png", "image/png", redPixel), "image/png", redPixel, ""},
	"a picture as text": {up("a.txt", "", redPixel), "image/png", redPixel, ""},
	"text as a picture": {
		up("a.png", "image/png", "no picture"), workflow.MediaText, "no picture", "",
	},
	"a broken archive": {up("a.txt", "", "PK\x03\x04\x00\x00"), "", "", "it is broken"},
	"an old archive":   {up("a.rar", "application/vnd.rar", "Rar!"), "", "", "neither text nor a picture"},
	"a film":           {up("a.mp4", "video/mp4", "x"), "", "", "no transcription is configured"},
	"a packed log": {
		up("a.gz", "application/gzip", packed("panic: x\n")), workflow.MediaText, "panic: x\n",
		"text, unpacked with gzip",
	},
	"empty": {
		slacktest.Upload{File: slacktest.File{Name: "a.txt", Size: 0}}, "", "", "it is empty",
	},
	"ten gigabytes": {
		slacktest.Upload{File: slacktest.File{Name: "a.log", Size: 10 << 30}, Content: "x"},
		"",
		"",
		"it has 10 GB, and I read 200 MB at most",
	},
	"a large picture": {
		slacktest.Upload{
			File:    slacktest.File{Name: "a.txt", Size: 10},
			Content: redPixel + strings.Repeat("x", maxFetchedPic),
		},
		"",
		"",
		"more than the 5 MB that I read at most of a picture",
	},
	"elsewhere": {
		slacktest.Upload{File: slacktest.File{Name: "a.doc", External: "https://drive.example.com/a"}},
		"",
		"",
		"outside of Slack",
	},
	"told by its id alone": {
		slacktest.Upload{File: slacktest.File{Name: "a.log", Reserved: true}, Content: "x"},
		workflow.MediaText,
		"x",
		"",
	},
	"deleted": {
		slacktest.Upload{File: slacktest.File{Name: "a.log", Mode: "tombstone"}, Content: "x"},
		"",
		"",
		"it was deleted",
	},
	"behind the plan": {
		slacktest.Upload{File: slacktest.File{Name: "a.log", Mode: "hidden_by_limit"}, Content: "x"},
		"",
		"",
		"its plan's limit",
	},
	"a canvas": {
		slacktest.Upload{
			File:    slacktest.File{Name: "c", Filetype: "quip", Mimetype: "application/vnd.slack-docs"},
			Content: "<html><script>x</script><h1>A</h1><ul><li>b</li></ul></html>",
		},
		workflow.MediaText,
		"A\n\nb",
		"",
	},
	"a name with tricks": {
		up("../../etc/passwd\n(program) x\u202e", "text/plain", "x"), workflow.MediaText, "x", "",
	},
	"a log that is too odd": {
		up("a.log", "", strings.Repeat("\xfe\x01", 100)), "", "", "neither text nor a picture",
	},
}

func TestFilesAreJudgedByWhatIsInThem(t *testing.T) {
	t.Parallel()
	o := openFetchOffice(t, slacktest.Config{})
	p := textFetcher{Fetcher{Slack: o.Bot}}
	for name, c := range uploads {
		ts, err := o.Attach("bugs", o.Ada.ID, "see", "", c.file)
		require.NoError(t, err)
		a := o.shared(t, ts)
		got, err := p.read(t, a)
		require.NoError(t, err, name)
		require.Contains(t, got.Why, c.says, name)
		require.Equal(t, c.says == "", got.Why == "", "%s: %s", name, got.Why)
		require.Equal(t, c.media, got.Media, name)
		require.Equal(t, c.reads, string(got.Content), name)
		require.NotContains(t, got.Name, "\n", name)
	}
}

// A textFetcher fetches files, and returns the text of each as its content.
type textFetcher struct{ Fetcher }

func (f textFetcher) read(t *testing.T, a workflow.Attachment) (workflow.Attachment, error) {
	t.Helper()
	dir := t.TempDir()
	var text bytes.Buffer
	got, err := f.Fetch(t.Context(), a, dir, &text)
	if got.State == workflow.AttachmentRead && got.Media == workflow.MediaText {
		got.Content = text.Bytes()
	}
	left, leftErr := os.ReadDir(dir)
	require.NoError(t, leftErr)
	require.Empty(t, left)
	return got, err
}

// packed returns a text packed with gzip.
func packed(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

func up(name, kind, content string) slacktest.Upload {
	return slacktest.Upload{File: slacktest.File{Name: name, Mimetype: kind}, Content: content}
}

// shared returns the file of a message as its event describes it.
func (f *fetchOffice) shared(t *testing.T, ts string) workflow.Attachment {
	t.Helper()
	var files []workflow.Attachment
	require.NoError(t, f.Bot.ReadThread(t.Context(), f.ThreadOf(ts), false, func(m bot.Message) {
		if m.Timestamp == ts {
			_, files = event.ReadShown(m)
		}
	}))
	require.Len(t, files, 1)
	return files[0]
}

func TestAFileThatCannotBeHadIsToldWithItsCure(t *testing.T) {
	t.Parallel()
	o := openFetchOffice(t, slacktest.Config{})
	p := textFetcher{Fetcher{Slack: o.Bot}}
	ts, err := o.Share("bugs", o.Ada.ID, "see", "", "app.log")
	require.NoError(t, err)
	a := o.shared(t, ts)

	o.Order(slacktest.Fault{Method: "files-pri", Status: 503}) // fails once, so the second try succeeds
	got, err := p.read(t, a)
	require.NoError(t, err)
	require.Equal(t, "what app.log holds\n", string(got.Content))

	for why, f := range map[string]slacktest.Fault{
		"it was deleted":                   {Method: "files-pri", Status: 404},
		"lacks the scope `files:read`":     {Method: "files-pri", Status: 403},
		"did not hand it over (no answer)": {Method: "files-pri", Status: 502, Times: fetchTries},
	} {
		o.Order(f)
		got, err := p.read(t, a)
		require.NoError(t, err)
		if f.Times > 0 {
			why = "did not hand it over (status 502); attach it again"
		}
		require.Contains(t, got.Why, why)
		require.Empty(t, got.Content)
	}
	require.NoError(t, o.DeleteFile(a.File))
	got, err = p.read(t, a)
	require.NoError(t, err)
	require.Equal(t, whyDeleted, got.Why)
}

// TestTheTokenGoesToSlackAlone checks that the token is sent only to Slack's own hosts, whatever an event or
// a redirect says. The control runs the same with the guard off, and the token arrives.
func TestTheTokenGoesToSlackAlone(t *testing.T) {
	t.Parallel()
	for _, trusting := range []bool{false, true} {
		var leaked []string
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			leaked = append(leaked, r.Header.Get("Authorization"))
			_, _ = w.Write([]byte("x"))
		}))
		defer elsewhere.Close()
		host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		}))
		defer host.Close()
		p := textFetcher{Fetcher{
			Slack:    bot.Config{BotToken: "xoxb-secret", APIURL: host.URL}.Connect(),
			trusting: trusting,
		}}
		for _, address := range []string{elsewhere.URL + "/files-pri/x", host.URL + "/files-pri/x"} {
			got, err := p.read(t,
				workflow.Attachment{File: "F1", Name: "a.log", Size: 1, URL: address})
			require.NoError(t, err)
			require.Equal(t, trusting, got.Why == "", got.Why)
		}
		require.Equal(t, trusting, len(leaked) > 0)
		if trusting {
			require.Contains(t, leaked, "Bearer xoxb-secret")
		}
	}
	s := bot.Config{BotToken: "xoxb-1", APIURL: "https://slack.com/api/"}.Connect()
	for address, may := range map[string]bool{
		"https://files.slack.com/files-pri/T1-F1/download/a": true,
		"https://slack.com/x":                                true,
		"https://acme.enterprise.slack.com/x":                true,
		"https://FILES.slack.com/x":                          true,
		"https://files.slack-gov.com/x":                      true,
		"http://files.slack.com/x":                           false,
		"https://files.slack.com.example.com/x":              false,
		"https://notslack.com/x":                             false,
		"https://files.slack.com:8443/x":                     false,
		"https://a@files.slack.com/x":                        false,
		"https://slack.com@example.com/x":                    false,
		"//files.slack.com/x":                                false,
		"file:///etc/passwd":                                 false,
		"":                                                   false,
		"https://files.slack.com\\@example.com/":             false,
	} {
		require.Equal(t, may, s.MaySendToken(address), address)
	}
}

// TestAnAnswerIsNotUnpacked checks that a small compressed response is not unpacked into a large one.
func TestAnAnswerIsNotUnpacked(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	require.NoError(t, z.Close())
	asked := ""
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	}))
	defer host.Close()
	p := textFetcher{Fetcher{Slack: bot.Config{BotToken: "xoxb-1", APIURL: host.URL}.Connect()}}
	got, err := p.read(t,
		workflow.Attachment{File: "F1", Name: "a.log", Size: 10, URL: host.URL + "/a"})
	require.NoError(t, err)
	require.Equal(t, "identity", asked)
	require.Contains(t, got.Why, "it unpacks to more than 200 times its size")
}

// FuzzFetched checks that whatever a file holds, its text is valid UTF-8 without NUL, and that an unread file
// has a reason.
func FuzzFetched(f *testing.F) {
	for _, seed := range []string{
		"", "panic\n", "\xff\xfea\x00", "\xfe\xff", "<html><p>a", "PK\x03\x04", "\x00",
		strings.Repeat("\xff", 100), "<form signin",
	} {
		f.Add("", []byte(seed))
		f.Add(event.ModeCanvas, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, mode string, content []byte) {
		a := workflow.Attachment{Mode: mode, State: workflow.AttachmentUnread}
		_ = isSignInPage(a, content, int64(len(content)))
		_ = readVTT(string(content))
		spool, err := newSpool(t.TempDir())
		require.NoError(t, err)
		defer spool.Close()
		_, err = spool.Write(content)
		require.NoError(t, err)
		var text bytes.Buffer
		a, err = judgeContent(t.Context(), a, spool, t.TempDir(), &text)
		require.NoError(t, err)
		if a.State != workflow.AttachmentRead {
			require.NotEmpty(t, a.Why)
		}
		require.True(t, utf8.Valid(text.Bytes()))
		require.NotContains(t, text.String(), "\x00")
	})
}
