package turntest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// maxRead is how many bytes of a first request everything may have that was read. The prompt and the tools
// before it have a limit of their own.
const maxRead = 30 << 10

// A request is a request for chat completions, as far as its size counts.
type request struct {
	Messages []struct {
		Role    string
		Content any
	}
	Tools json.RawMessage
}

// firstRequest has the model of a thread record the first request.
func firstRequest(t *testing.T, th *turntest.Thread) func() request {
	script, err := url.Parse(th.Model.URL)
	require.NoError(t, err)
	path := script.Path
	script.Path = ""
	forward := httputil.NewSingleHostReverseProxy(script)
	var once sync.Once
	var first request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		once.Do(func() { _ = json.Unmarshal(body, &first) })
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	th.Runner.Model = model.New(model.Config{BaseURL: server.URL + path, Log: storetest.Silent})
	return func() request { return first }
}

// A session that begins with all that there is at once sends a first request within the limits, and each text
// that was cut says so: a long thread below a large alert, a message that points at five messages, at five
// files and at three issues, and three long logs.
func TestAFirstRequestWithEverythingIsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the refund of the order is one cent too high\n", 800)
	issues := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"key":    path.Base(r.URL.Path),
			"fields": map[string]any{"summary": "A cent", "description": long},
		})
	}))
	t.Cleanup(issues.Close)
	th := turntest.Open(t, turntest.Settings{
		Files:  map[string]string{"a.txt": long, "b.txt": long, "c.txt": long, "d.txt": long, "e.txt": long},
		Script: "expect user \"please look\"\ncall reply {\"text\": \"It is 3 cents.\"}",
	})
	one, err := tracker.New(tracker.Config{
		Kind: tracker.Jira, URL: issues.URL, Token: "t", Projects: []string{"SHOP"}, Guests: true,
	})
	require.NoError(t, err)
	th.Runner.Trackers = []*tracker.Tracker{one}
	shop := &th.Runner.Repositories[0]
	shop.Pulls.Web = "https://git.example/shop"
	first := firstRequest(t, th)
	sentry := th.Slack.AddBot(slacktest.User{Name: "sentry", RealName: "Sentry", AppID: "A0SENTRY"})
	th.Root, err = th.Slack.PostAsBot(th.Channel, sentry.ID,
		slacktest.Message{Text: "RefundTooHigh\n" + long})
	require.NoError(t, err)
	text := "please look at SHOP-1, SHOP-2 and SHOP-3"
	for i := range 5 {
		ts := th.Write("bea", fmt.Sprintf("%d %s", i, long))
		text += "\nhttps://acme.slack.com/archives/" + th.Channel + "/p" + strings.ReplaceAll(ts, ".", "") +
			"\nhttps://git.example/shop/blob/main/" + string(rune('a'+i)) + ".txt#L1-L150"
	}
	for i := range 55 {
		th.Write("ann", fmt.Sprintf("idea %d: %s", i, strings.Repeat("it may be the coupon ", 18)))
	}
	var logs []slacktest.Upload
	for _, name := range []string{"web.log", "api.log", "db.log"} {
		logs = append(logs, slacktest.Upload{
			File:    slacktest.File{Name: name},
			Content: strings.Repeat(long, 10),
		})
	}
	_, err = th.Slack.Attach(th.Channel, th.People["bea"], "the logs", th.Root, logs...)
	require.NoError(t, err)
	th.Call("ann", text)
	require.Contains(t, th.Text(), "It is 3 cents.")
	before := len(first().Tools)
	said := ""
	for _, m := range first().Messages {
		if m.Role == "system" || m.Role == "developer" {
			before += len(fmt.Sprint(m.Content))
			continue
		}
		said += fmt.Sprint(m.Content) + "\n"
	}
	read := len(said)
	t.Logf("%d bytes of prompt and tools, %d bytes that were read", before, read)
	require.LessOrEqual(t, read, maxRead, said)
	for _, what := range []string{
		"messages between them are left out", "Its middle is left out: read_thread", "The jira issue SHOP-3",
		"Its middle is left out: ask people", "e.txt at ", "(cut: about ", "db.log",
	} {
		require.Contains(t, said, what)
	}
}
