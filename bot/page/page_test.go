package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// TestRefusedLinks checks that a request without a valid link reads neither the database nor Slack, and that
// the page says how to get a link.
func TestRefusedLinks(t *testing.T) {
	t.Parallel()
	l := newLinks(t, "xoxb-1")
	good := signed(t, l.To("U1", "abc"))
	handler := (&Pages{Links: l}).Handler()
	get := func(method, path, kept string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		if kept != "" {
			r.AddCookie(&http.Cookie{Name: cookie, Value: kept})
		}
		handler.ServeHTTP(w, r)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
		return w.Code, w.Body.String()
	}
	refused := func(why string, status int, text string) {
		t.Helper()
		require.Equal(t, http.StatusForbidden, status)
		require.Contains(t, text, why)
		require.Regexp(t,
			"In Slack, (press <b>Details</b> under the report|open Bobbin’s <b>App Home</b>)", text)
	}
	for _, path := range []string{
		"/s/", "/s/abc", "/s/abc/live", "/s/abc/step/1-2-3-4", "/s/abc/picture/1/1/before",
	} {
		status, text := get(http.MethodGet, path, "")
		refused("opens only with your own link", status, text)
		status, text = get(http.MethodGet, path, good+"x")
		refused("not one of mine", status, text)
	}
	status, text := get(http.MethodPost, "/s/abc/parts", good+"x")
	refused("not one of mine", status, text)
	status, text = get(http.MethodGet, "/s/abd", good)
	refused("opens only with your own link", status, text)
	status, _ = get(http.MethodGet, "/s/abc?k="+good, "")
	require.Equal(t, http.StatusSeeOther, status, "a control: it opens its own")

	l.Now = func() time.Time { return time.Now().Add(linkLasts + time.Second) }
	status, text = get(http.MethodGet, "/s/abc", good)
	refused("has expired", status, text)
	status, text = get(http.MethodGet, "/s/abc?k="+good, "")
	refused("has expired", status, text)
}

// TestProven checks that each hunk shows the results of its own file and lines only.
func TestProven(t *testing.T) {
	t.Parallel()
	files := pagestyle.SplitDiff(
		"diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,4 @@\n x\n+y\n@@ -20,2 +21 @@\n x\n" +
			"-y\ndiff --git a/b.go b/b.go\n--- /dev/null\n+++ b/b.go\n@@ -0,0 +1 @@\n+x\n")
	known := workflow.HunkResults{
		{Path: "a.go", Line: 2, Verdict: workflow.HunkNeeded, Why: "TestA fails"},
		{Path: "a.go", Line: 4, Verdict: workflow.HunkUnneeded, Kept: "it reads better"},
		{Path: "a.go", Line: 22, Verdict: workflow.HunkUntried, Why: "no time was left"},
		{Path: "b.go", Verdict: workflow.HunkUnneeded},
		{Path: "c.go", Line: 2, Verdict: workflow.HunkNeeded},
	}
	var got [][]proof
	for _, f := range proven(files, known, func(s string) string { return s }) {
		for _, h := range f.Hunks {
			got = append(got, h.Proofs)
		}
	}
	require.Equal(t, [][]proof{
		{
			{workflow.HunkNeeded, "Line 2: needed. Without it: TestA fails."},
			{workflow.HunkUnneeded, "Line 4: nothing fails without it. Kept: it reads better"},
		},
		{{workflow.HunkUntried, "Line 22: not tried, no time was left."}},
		{{workflow.HunkUnneeded, "nothing fails without it."}},
	}, got)
}

// TestShares checks that bars are percentages of the largest value, and that money that is not known by agent
// has its own bar.
func TestShares(t *testing.T) {
	t.Parallel()
	list := []view.Share{
		{
			Who:    "orchestrator",
			Models: 3 * time.Second,
			Tools:  time.Second,
			Calls:  2,
			Input:  12345,
			Output: 1,
			USD:    0.5,
		},
		{Who: "deep", Models: time.Second, USD: 0.001},
	}
	first := share{
		Name:   "orchestrator",
		Took:   "4s",
		Spent:  "$0.50",
		Tokens: "2 model calls, 12,345 tokens read, 1 written",
		Models: 75,
		Tools:  25,
		Money:  100,
	}
	second := share{Name: "deep", Took: "1s", Spent: "under $0.01", Models: 25}
	bars, priced := shares(list, 0.501)
	require.True(t, priced)
	require.Equal(t, []share{first, second}, bars)
	bars, _ = shares(list, 2.501)
	first.Money = 25
	require.Equal(t, []share{first, second, {Name: "not recorded by " +
		"agent", Spent: "$2.00", Money: 100}}, bars)

	list[0].USD, list[1].USD, list[0].Calls = 0, 0, 0
	bars, priced = shares(list, 2)
	require.False(t, priced, "a session from before says nothing of money")
	require.Len(t, bars, 2)
	require.Empty(t, bars[0].Tokens)
	bars, _ = shares(nil, 0)
	require.Empty(t, bars)
}

// TestWhatWasReadIsWords checks that what an alert, a linked message, an issue or a file says is shown
// folded, as words, whatever marks and tags it has, and without the program's mark.
func TestWhatWasReadIsWords(t *testing.T) {
	t.Parallel()
	const hostile = `</div></details><script>alert(1)</script><img src=x onerror="a()"> ◆ Pushed`
	require.Regexp(t, tags, hostile, "a control")
	p := &Pages{}
	shown := p.shownEntry(t.Context(), view.Entry{
		ID: "1-2-3-4", Kind: view.Reading, Title: hostile, Text: "first\n" + hostile,
	}, nil)
	_, entries, err := sessionPage{Code: true, Entries: []entry{shown}}.parts()
	require.NoError(t, err)
	require.Len(t, entries, 1)
	html := string(entries[0].HTML)
	require.NotRegexp(t, tags, html)
	require.NotContains(t, html, workflow.Mark)
	require.Contains(t, html, "first\n&lt;/div&gt;&lt;/details&gt;&lt;script&gt;alert(1)")
	require.Equal(t, 1, strings.Count(html, "</details>"))
	require.NotContains(t, html, "<details open")
	require.Contains(t, html, "the program")
}

// TestHiddenCharacters checks that words lose the characters that hide or reverse others, and that code shows
// them as escapes: there they may be what is wrong.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	const reversed = "paid \u202eback\u2066 \u200bnow"
	p := &Pages{DiffOf: func(context.Context, string, string) string {
		return "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y // " + reversed + "\n"
	}}
	require.Equal(t, "paid back now", p.words(t.Context(), reversed))
	require.Equal(t, "paid back now", wholeTitle(reversed))
	files := p.diffOf(t.Context(), "shop", "c0ffee")
	require.Len(t, files, 1)
	require.Contains(t, string(files[0].Hunks[0].Lines[1].Code), `paid \u202eback\u2066 \u200bnow`)
	list := listView(workflow.HomeView{Others: []workflow.HomeSession{{
		Session: workflow.Session{Finding: reversed, Phase: workflow.PhaseDone},
	}}}, "", "", func(string) string { return "" })
	require.Equal(t, "paid back now", list.Groups[0].Sessions[0].Name())
}

// TestNames checks that people read names in place of ids, also of those that Slack does not name, and that
// nothing else that looks like an id is changed.
func TestNames(t *testing.T) {
	t.Parallel()
	names := strings.NewReplacer("<@U0ANN>", "@ann", "<@U0GONE>", "@U0GONE",
		"<#C0BUGS>", "#bugs", "<#C0GONE>", "#C0GONE",
		"<!subteam^S0OPS>", "@ops", "<!subteam^S0GONE>", "@S0GONE", "<!here>", "@here")
	p := &Pages{
		Readable: func(_ context.Context, text string) string { return names.Replace(text) },
		NameOf:   func(_ context.Context, user string) string { return strings.TrimPrefix(user, "U0") },
	}
	require.Equal(t, "@ann @somebody #bugs #a-channel @ops @a-group @here #C0FFEE U0GONE",
		p.words(t.Context(), "<@U0ANN> <@U0GONE> <#C0BUGS> <#C0GONE> <!subteam^S0OPS> "+
			"<!subteam^S0GONE> <!here> #C0FFEE U0GONE"))
	require.Equal(t, []string{"#bugs", "", "direct message"}, []string{
		p.channelName(t.Context(), "C0BUGS"), p.channelName(t.Context(), "C0GONE"),
		p.channelName(t.Context(), "D0ANN"),
	})
	name := p.namer(t.Context())
	require.Equal(t, []string{"ANN", "somebody"}, []string{name("U0ANN"), name("W1")})
}

// tags matches what must not come from a message into a page.
var tags = regexp.MustCompile(`<(script|img)`)
