package alert

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func read(t *testing.T, name string) workflow.Alert {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	a, ok := Read(raw)
	require.True(t, ok)
	return a
}

func TestAlertsAreReadAsReports(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]workflow.Alert{
		"sentry": {
			App:     "Sentry",
			AppID:   "A0SENTRY",
			Title:   "TypeError: Cannot read properties of undefined (reading 'price')",
			Link:    "https://acme.sentry.io/issues/4711/?referrer=slack&alert_rule_id=9",
			Links:   []workflow.AlertLink{{Name: "shop", URL: "https://acme.sentry.io/projects/shop"}},
			Release: "shop@2.4.1",
			Trace: "TypeError: Cannot read properties of undefined (reading 'price')\n    at renderRow " +
				"(web/cart.js:88:14)\n    at Array.map (<anonymous>)\n    at renderCart (web/cart.js:60:9)",
		},
		"pagerduty": {
			App:   "PagerDuty",
			AppID: "A0PD",
			Title: "#812 checkout answers 500",
			Link:  "https://acme.pagerduty.com/incidents/Q2ABCDEF?utm_source=slack",
		},
		"github": {
			App:   "GitHub",
			AppID: "A0GH",
			Title: "#12 Export is empty",
			Link:  "https://github.com/acme/shop/issues/12",
			Links: []workflow.AlertLink{
				{Name: "ann", URL: "https://github.com/ann"},
				{Name: "acme/shop", URL: "https://github.com/acme/shop"},
			},
			Release: "2.4.0",
		},
		"grafana": {
			App:   "Grafana",
			Title: "[FIRING:1] HighErrorRate shop (prod)",
			Link:  "https://grafana.acme.example/alerting/list",
		},
	} {
		got := read(t, name)
		require.NotEmpty(t, got.Fingerprint)
		require.NotEmpty(t, got.Body)
		got.Fingerprint, got.Body = "", ""
		require.Equal(t, want, got, name)
	}
}

// TestAHostileAlertIsWords checks that only web links are kept, and that the text of an alert adds
// no lines or links of its own.
func TestAHostileAlertIsWords(t *testing.T) {
	t.Parallel()
	a := read(t, "hostile")
	require.Empty(t, a.Link)
	require.NotContains(t, a.String(), "<javascript")
	require.NotContains(t, a.Title, "\n")
	require.Contains(t, a.Body, "fix it")
}

// TestOneProblemHasOneFingerprint checks that alerts of one problem share a fingerprint whatever their
// numbers and times, and that alerts of other problems have other fingerprints.
func TestOneProblemHasOneFingerprint(t *testing.T) {
	t.Parallel()
	change := func(name, old, now string) string {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		require.NoError(t, err)
		require.Contains(t, string(raw), old)
		a, ok := Read(bytes.ReplaceAll(raw, []byte(old), []byte(now)))
		require.True(t, ok)
		return a.Fingerprint
	}
	sentry := read(t, "sentry").Fingerprint
	grafana := read(t, "grafana").Fingerprint
	require.Equal(t, sentry, change("sentry", "alert_rule_id=9", "alert_rule_id=10"))
	require.Equal(t, sentry, change("sentry", "shop@2.4.1", "shop@2.4.2"))
	require.NotEqual(t, sentry, change("sentry", "/issues/4711/", "/issues/4712/"))
	require.Equal(t, grafana, change("grafana", "FIRING:1", "FIRING:14"))
	require.NotEqual(t, grafana, change("grafana", "HighErrorRate", "HighLatency"))
	noLink := func(line string) string {
		return change("sentry", "https://acme.sentry.io/issues/4711/", line)
	}
	require.Equal(t, noLink("https://acme.sentry.io/a/1"), noLink("https://acme.sentry.io/b/2"),
		"by title and frames")
	require.True(t, read(t, "grafana").Resolved == false)
	raw, err := os.ReadFile("testdata/grafana.json")
	require.NoError(t, err)
	over, _ := Read(bytes.ReplaceAll(raw, []byte("FIRING:1"), []byte("RESOLVED")))
	require.True(t, over.Resolved)
}

// sameNames are titles of which those in one row name the same problem.
var sameNames = [][]string{
	{"[FIRING:1] HighErrorRate shop", "[FIRING:14] HighErrorRate shop", "[RESOLVED] HighErrorRate shop"},
	{"#812 checkout answers 500", "#913 checkout answers 500"},
	{"Disk usage 91% on db-2", "Disk usage 97.5% on db-2"},
	{"p99 latency > 1200ms on /pay", "p99 latency > 850ms on /pay"},
	{"Pod shop-7d9f8b6c5-x2x4z restarts", "Pod shop-5c6b7d8f9-q7w8e restarts"},
	{"order 1042 failed", "order 99 failed"},
	{"312 failed jobs on db-2", "347 failed jobs on db-2", "7 failed jobs on db-2"},
	{"Disk full [no data]", "Disk full [#7]", "Disk full [FIRING x3]", "[OK] Disk full"},
	{"job of 2026-11-27 failed", "job of 2026-11-28 failed"},
	{"Pod web-5f7d9-zx9kq restarts", "Pod web-5f7d9-zx4kq restarts"},
	{
		"request 3f2b8a10-1c4d-4a5e-9b6f-0123456789ab fails",
		"request 4f2b8a10-1c4d-4a5e-9b6f-0123456789ab fails",
	},
	{"1.2k events of shop", "1.3k events of shop", "980 events of shop", "2M events of shop"},
	{"heap at 1.5Gi", "heap at 980Mi", "heap at 1.2 GB", "heap at 980 MB"},
	{"12/s timeouts", "1.2k/s timeouts"},
	{
		"Down for 1h5m", "Down for 2h", "Down for 1h 5m", "Down for 2 hours",
		"Down for 1 hour and 5 minutes", "Down for 500 seconds", "Down for 1m30.5s",
	},
	{
		"Down since 09:20 UTC", "Down since 9:05 pm", "Down since 9:05PM", "Down since 14:02:11Z",
		"Down since 2026-11-27T14:02:11+01:00", "Down since Mon 3 Nov 14:02", "Down since Monday",
		"Down since Tue, Dec 1st 2026, 9:20 AM CET", "Down since 3 May 2026", "Down since 27 Nov",
		"Down since 03/Nov/2026:14:02:11 +0100", "Down since 27.11.2026", "Down since Mon Nov 3 2026",
		"Down since <!date^1764300000^{time}|09:20 UTC>", "Down since Sat 14:02",
	},
	{"last error 5m ago", "last error 12m ago", "last error 3 minutes ago", "last error 404 minutes ago"},
	{"Value: B=2.31, C=1", "Value: B=4, C=12.5k"},
	{"see https://x.example/d/shop?from=1&to=2", "see https://x.example/d/shop?from=7#a"},
	{"see https://x.example/issues/7/tags", "see https://x.example/issues/7/events?q=1"},
}

// TestWhatVariesIsNotPartOfTheName checks which titles name the same problem.
func TestWhatVariesIsNotPartOfTheName(t *testing.T) {
	t.Parallel()
	for _, same := range sameNames {
		for _, other := range same {
			require.Equal(t, nameOf(same[0]), nameOf(other))
		}
	}
	for _, apart := range [][]string{
		{"[payments] HighErrorRate", "[cart] HighErrorRate"},
		{"HTTP 500 on /pay", "HTTP 404 on /pay"},
		{"Disk full on db-1", "Disk full on db-2"},
		{"p99 latency", "p50 latency"},
		{"[FIRING:1] (prod) Down", "[FIRING:1] (staging) Down"},
		{"5xx on shop", "4xx on shop"},
		{"checkout answers 502", "checkout answers 503"},
		{"Down [FIRING:1] [eu-1]", "Down [FIRING:1] [eu-2]"},
		{"Errors in checkout-v2", "Errors in checkout-v3"},
		{"oauth2 is down", "oauth is down"},
		{"web01prod is down", "api01prod is down"},
		{"eu1west is down", "us1west is down"},
		{"[500] checkout fails", "[404] checkout fails"},
		{"job ended with exit code 137", "job ended with exit code 1"},
		{"port 8080 refuses", "port 5432 refuses"},
		{"web01 is down", "web02 is down"},
		{"web-01.acme.example: 1.2k errors", "web-02.acme.example: 1.2k errors"},
		{"server 3 is down", "server 4 is down"},
		{"replica 3 may restart", "replica 4 may restart"},
		{"node 3 is down for 5m", "node 4 is down for 5m"},
		{"status 503 for 5 minutes", "status 504 for 5 minutes"},
		{"shard 2: 1.2k timeouts", "shard 3: 1.2k timeouts"},
		{"mon is down", "osd is down"},
		{"exit_code=137", "exit_code=1"},
		{"status=503", "status=504"},
		{"instance=10.0.0.5:9100 is down", "instance=10.0.0.6:9100 is down"},
		{"see https://x.example/d/shop", "see https://x.example/d/blog"},
		{"see https://x.example/issues/7/tags", "see https://x.example/issues/8/tags"},
	} {
		require.NotEqual(t, nameOf(apart[0]), nameOf(apart[1]))
	}
	of := func(text, rest string, profile map[string]any) string {
		raw, err := json.Marshal(map[string]any{
			"text": text, "bot_profile": profile,
			"attachments": []any{map[string]any{"text": "Service: " + rest}},
		})
		require.NoError(t, err)
		a, ok := Read(raw)
		require.True(t, ok)
		return a.Fingerprint
	}
	require.NotEqual(t, of("HighErrorRate", "cart", nil), of("HighErrorRate", "payments", nil))
	require.Equal(t, of("HighErrorRate", "cart", nil), of("HighErrorRate", "cart", nil))
	require.NotEqual(t, of("HighErrorRate", "cart", nil), of("HighErrorRate", "cart2", nil))
	attached := func(body string) string {
		raw, err := json.Marshal(map[string]any{
			"attachments": []any{map[string]any{"title": "HighErrorRate", "text": body}},
		})
		require.NoError(t, err)
		a, ok := Read(raw)
		require.True(t, ok)
		return a.Fingerprint
	}
	require.Equal(t, attached("Mon 3 Nov, 14:02 UTC\nService: cart"),
		attached("Tue 4 Nov, 9:05 UTC\nService: cart"), "a line with the time")
	require.NotEqual(t, attached("Mon 3 Nov, 14:02 UTC\nService: cart"),
		attached("Mon 3 Nov, 14:02 UTC\nService: pay"), "which is no name")
	form := map[string]any{"is_workflow_bot": true}
	require.NotEqual(t, of("New bug", "cart\nnothing happens", form), of("New bug", "cart\nit is slow", form))
	require.Equal(t, of("New bug", "cart\nnothing happens", nil), of("New bug", "cart\nit is slow", nil))
}

// TestLinksOfOneIssue checks that a link to a part of an issue is one to the issue, and that other links name
// none.
func TestLinksOfOneIssue(t *testing.T) {
	t.Parallel()
	for issue, links := range map[string][]string{
		"acme.sentry.io/issues/4711": {
			"https://acme.sentry.io/issues/4711", "https://acme.sentry.io/issues/4711/tags/?a=1",
			"https://ACME.sentry.io/issues/4711/activity/",
			"https://acme.sentry.io/issues/4711/events/9f2c/json",
		},
		"github.com/acme/shop/pull/15": {
			"https://github.com/acme/shop/pull/15/checks?check_run_id=7",
			"https://github.com/acme/shop/pull/15#a",
			"https://github.com/acme/shop/pull/15/commits/0a1b2c3",
		},
		"git.example/acme/shop/-/merge_requests/3": {
			"https://git.example/acme/shop/-/merge_requests/3/diffs#note_7",
		},
		"acme.pagerduty.com/incidents/QABCDEF": {
			"https://acme.pagerduty.com/incidents/QABCDEF/timeline/R2",
		},
		"g.example/alerting/grafana/abCD": {
			"https://g.example/alerting/grafana/abCD/view?orgId=1",
			"https://g.example/alerting/grafana/abCD/edit",
		},
		"x.example/alerts/rules/9": {"https://x.example/alerts/rules/9/details"},
		"": {
			"https://g.example/alerting/list", "https://g.example/team2/alerting/list",
			"https://acme.sentry.io/issues/", "https://x.example/orders/15", "issues/15",
		},
	} {
		for _, link := range links {
			require.Equal(t, issue, issueOf(link), link)
		}
	}
}

// TestAResolvedAlertHasAStateInItsTitle checks that an alert is over only if its title says so as a state,
// and not if an error's message holds such a word.
func TestAResolvedAlertHasAStateInItsTitle(t *testing.T) {
	t.Parallel()
	for title, over := range map[string]bool{
		"[RESOLVED] HighErrorRate shop (prod)":           true,
		"[RESOLVED:2] HighErrorRate shop (prod)":         true,
		"Resolved: checkout answers 500":                 true,
		"Resolved #812 checkout answers 500":             true,
		"Resolved incident: checkout answers 500":        true,
		"✅ Recovered: 5xx on shop":                       true,
		"OK: HighCPU in Europe":                          true,
		"Closed":                                         true,
		"Issue closed by ann":                            true,
		"Incident #812 was resolved":                     true,
		"Alert HighErrorRate-2 has been closed":          true,
		"SHOP-12 was resolved by ann":                    true,
		"The outage is resolved.":                        true,
		"RuntimeError: Event loop is closed":             false,
		"sql: database is closed":                        false,
		"Recovered from panic: nil pointer dereference":  false,
		"InterfaceError: the connection was closed":      false,
		"Closed connection was used again":               false,
		"ok is not a function":                           false,
		"Error: the promise was resolved twice":          false,
		"Resolved address does not belong to the shop":   false,
		"ValueError: I/O operation on a file was closed": false,
		"[FIRING:1, RESOLVED:2] HighErrorRate shop":      false,
		"Closed: stream reset by peer":                   false,
		"Hostname was resolved by two servers":           false,
		"Incident 500 resolved wrongly":                  false,
		"Ticket API: issue closed but mail not sent":     false,
	} {
		raw, err := json.Marshal(map[string]any{"attachments": []any{map[string]any{"title": title}}})
		require.NoError(t, err)
		a, ok := Read(raw)
		require.True(t, ok)
		require.Equal(t, title, a.Title)
		require.Equal(t, over, a.Resolved, title)
	}
}

// FuzzRead checks that the fields of an alert are within their limits, and that its link is http or https,
// whatever an app posts.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"sentry", "pagerduty", "github", "grafana", "hostile"} {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Add([]byte(`{"text":7,"attachments":[{"blocks":{"type":"rich_text_section",` +
		`"elements":[[[{}]]]}},null,3],"blocks":"x","bot_profile":[]}`))
	f.Add([]byte(`{"text":"<>","blocks":[{"type":"header","text":{"text":{"text":1}}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := Read(raw)
		if !ok {
			return
		}
		require.NotEmpty(t, a.Title)
		require.NotContains(t, a.Title, "\n")
		require.LessOrEqual(t, utf8.RuneCountInString(a.Title), maxTitle)
		require.LessOrEqual(t, utf8.RuneCountInString(a.Body), maxBody)
		require.Len(t, a.Fingerprint, 32)
		if a.Link != "" {
			require.True(t,
				strings.HasPrefix(a.Link, "http://") || strings.HasPrefix(a.Link, "https://"), a.Link)
		}
	})
}
