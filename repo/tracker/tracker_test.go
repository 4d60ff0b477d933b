package tracker

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server behaves as a tracker does: answers are files in testdata, by method and path. It answers 401
// without the right header, and 404 to what it does not know.
type server struct {
	*httptest.Server
	header, value string
	answers       map[string]string // file by "GET /path"
	status        int               // of all answers; 0: as above
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	file, ok := s.answers[r.Method+" "+r.URL.RequestURI()]
	if strings.Contains(r.URL.Path, "graphql") {
		file, ok = s.graphql(body)
	}
	switch {
	case s.status != 0:
		http.Error(w, "no", s.status)
	case r.Header.Get(s.header) != s.value:
		http.Error(w, `{"errorMessages":["You are not logged in"]}`, http.StatusUnauthorized)
	case !ok:
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
	default:
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			text = []byte(file)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}
}

// graphql returns the answer to a question of Linear.
func (s *server) graphql(body []byte) (string, bool) {
	var q struct {
		Query     string
		Variables map[string]string
	}
	if json.Unmarshal(body, &q) != nil || !strings.Contains(q.Query, "query") {
		return `{"errors":[{"message":"Syntax Error"}]}`, true
	}
	for _, v := range q.Variables {
		if answer, ok := s.answers[v]; ok {
			return answer, true
		}
	}
	return `{"data":null,"errors":[{"message":"Entity not found: ` +
		`Issue","extensions":{"code":"INPUT_ERROR"}}]}`, true
}

// cases are the trackers as their documentation shows them.
func cases(t testing.TB) map[string]struct {
	t      *Tracker
	server *server
} {
	all := map[string]struct {
		t      *Tracker
		server *server
	}{}
	add := func(name string, c Config, s *server) {
		s.Server = httptest.NewServer(s)
		t.Cleanup(s.Close)
		if c.URL == "" {
			c.URL = s.URL
		}
		if c.API != "" {
			c.API = s.URL + c.API
		}
		tracker, err := New(c)
		require.NoError(t, err)
		all[name] = struct {
			t      *Tracker
			server *server
		}{tracker, s}
	}
	const fields = "summary,description,status,issuetype,priority,resolution,labels,components,versions," +
		"comment"
	add("SHOP-12", Config{Kind: Jira, User: "bot@acme.com", Token: "t", Projects: []string{"SHOP"}}, &server{
		header: "Authorization", value: "Basic Ym90QGFjbWUuY29tOnQ=",
		answers: map[string]string{
			"GET /rest/api/2/issue/SHOP-12?fields=" + fields: "jira.json",
			"GET /rest/api/2/project/SHOP":                   `{"key":"SHOP"}`,
		},
	})
	add("WEB-7", Config{
		Kind: Linear, URL: "https://linear.app/acme", API: "/graphql", Token: "lin_api_t",
		Projects: []string{"WEB"},
	}, &server{
		header: "Authorization", value: "lin_api_t",
		answers: map[string]string{
			"WEB-7": "linear.json",
			"WEB":   `{"data":{"teams":{"nodes":[{"key":"WEB"}]}}}`,
		},
	})
	add("SHOP-API-4K", Config{
		Kind: Sentry, URL: "https://acme.sentry.io", API: "/api/0", Token: "t",
		Projects: []string{"shop-api"},
	}, &server{
		header: "Authorization", value: "Bearer t",
		answers: map[string]string{
			"GET /api/0/organizations/acme/shortids/SHOP-API-4K/": `{"groupId":"4509",` +
				`"shortId":"SHOP-API-4K"}`,
			"GET /api/0/organizations/acme/issues/4509/":               "sentry.json",
			"GET /api/0/organizations/acme/issues/4509/events/latest/": "sentry_event.json",
			"GET /api/0/projects/acme/shop-api/":                       `{"slug":"shop-api"}`,
		},
	})
	add("acme/legacy#31", Config{
		Kind: GitHub, URL: "https://github.com", API: "/v3", Token: "t", Projects: []string{"acme/legacy"},
	}, &server{
		header: "Authorization", value: "Bearer t",
		answers: map[string]string{
			"GET /v3/repos/acme/legacy/issues/31":                             "github.json",
			"GET /v3/repos/acme/legacy/issues/31/comments?per_page=50&page=1": "github_comments.json",
			"GET /v3/repos/acme/legacy":                                       `{}`,
		},
	})
	const shop = "GET /api/v4/projects/acme%2Fweb%2Fshop"
	add("acme/web/shop#5", Config{Kind: GitLab, Token: "t", Projects: []string{"acme/web/shop"}}, &server{
		header: "PRIVATE-TOKEN", value: "t",
		answers: map[string]string{
			shop + "/issues/5": "gitlab.json",
			shop + "/issues/5/notes?sort=desc&order_by=created_at&per_page=50": "gitlab_notes.json",
			shop: `{}`,
		},
	})
	return all
}

// Each tracker's issue is read whole, and compared with a golden file.
func TestIssuesAreRead(t *testing.T) {
	t.Parallel()
	for shown, c := range cases(t) {
		found := Find([]*Tracker{c.t}, "see "+shown+", please")
		require.Len(t, found, 1, shown)
		issue, err := c.t.Read(t.Context(), found[0].Key)
		require.NoError(t, err, shown)
		golden := filepath.Join("testdata", c.t.Kind+".golden")
		got := issue.Label() + "\n\n" + issue.Text() + "\n"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got, shown)
		require.NoError(t, c.t.Check(t.Context(), c.t.Projects[0]), shown)
	}
}

// What a tracker refuses is said in words that name the cure.
func TestWhatATrackerRefuses(t *testing.T) {
	t.Parallel()
	for shown, c := range cases(t) {
		key := Find([]*Tracker{c.t}, shown)[0].Key
		for status, want := range map[int]string{
			401: "the tracker refuses the token (HTTP 401)",
			403: "the token may not read it (HTTP 403)",
			404: "the tracker has no such issue or project, or the token may not see it (HTTP 404)",
			429: "the tracker is asked too often at the moment (HTTP 429)",
			503: "the tracker answers with HTTP 503",
		} {
			c.server.status = status
			_, err := c.t.Read(t.Context(), key)
			require.EqualError(t, err, want, shown)
			require.EqualError(t, c.t.Check(t.Context(), c.t.Projects[0]), want, shown)
		}
		c.server.status = 0
		c.server.value = "another"
		_, err := c.t.Read(t.Context(), key)
		require.EqualError(t, err, "the tracker refuses the token (HTTP 401)", shown)
	}
	for code, want := range map[string]string{
		"AUTHENTICATION_ERROR": "the tracker refuses the token (HTTP 401)",
		"FORBIDDEN":            "the token may not read it (HTTP 403)",
		"RATELIMITED":          "the tracker is asked too often at the moment",
		"other":                "the tracker refuses the question: broken",
	} {
		var e linearErrors
		require.NoError(t, json.Unmarshal([]byte(`[{"message":"broken","extensions":{"code":"`+code+`"}}]`),
			&e))
		require.EqualError(t, e.err(), want)
	}
}

// Links and keys of configured trackers are found, and nothing else.
func TestIssuesAreFound(t *testing.T) {
	t.Parallel()
	var all []*Tracker
	for _, c := range []Config{
		{Kind: Jira, URL: "https://acme.atlassian.net", Projects: []string{"SHOP"}},
		{Kind: Linear, URL: "https://linear.app/acme", Projects: []string{"WEB"}},
		{Kind: Sentry, URL: "https://acme.sentry.io", Projects: []string{"shop"}},
		{Kind: Sentry, URL: "https://sentry.acme.com/organizations/own", Projects: []string{"till"}},
		{Kind: GitHub, URL: "https://github.com", Projects: []string{"acme/legacy"}},
		{Kind: GitLab, URL: "https://git.acme.com/gitlab", Projects: []string{"acme/web/shop"}},
	} {
		one, err := New(c)
		require.NoError(t, err)
		all = append(all, one)
	}
	for text, want := range map[string]string{
		"SHOP-12 fails":                     "jira:SHOP-12",
		"(SHOP-12)":                         "jira:SHOP-12",
		"*SHOP-12*: see WEB-7.":             "jira:SHOP-12 linear:WEB-7",
		"SHOP-4K again":                     "sentry:SHOP-4K",
		"acme/legacy#31 and Acme/Legacy#31": "github:acme/legacy#31",
		"SHOP-1 SHOP-2 SHOP-3 SHOP-4":       "jira:SHOP-1 jira:SHOP-2 jira:SHOP-3 jira:SHOP-4",
		"<https://acme.atlassian.net/browse/SHOP-12|SHOP-12>":               "jira:SHOP-12",
		"https://acme.atlassian.net/jira/boards/1?selectedIssue=SHOP-12":    "jira:SHOP-12",
		"https://acme.atlassian.net/browse/HR-1":                            "jira:HR-1",
		"https://linear.app/acme/issue/WEB-7/the-total":                     "linear:WEB-7",
		"https://acme.sentry.io/issues/4509/?project=1&referrer=slack":      "sentry:4509",
		"https://acme.sentry.io/organizations/acme/issues/4509/events/abc/": "sentry:4509",
		"https://sentry.acme.com/organizations/own/issues/77/":              "sentry:77",
		"https://github.com/acme/legacy/issues/31#issuecomment-1":           "github:acme/legacy#31",
		"https://git.acme.com/gitlab/acme/web/shop/-/issues/5":              "gitlab:acme/web/shop#5",
		"https://git.acme.com/gitlab/acme/web/shop/-/work_items/5.":         "gitlab:acme/web/shop#5",

		"shop-12, XSHOP-12, SHOP-12x, SHOP-, SHOP 12, /SHOP-12, HR-1": "",
		"https://evil.example/browse/SHOP-12":                         "",
		"https://acme.atlassian.net.evil.example/browse/SHOP-12":      "",
		"https://acme.atlassian.net@evil.example/browse/SHOP-12":      "",
		"https://me:pw@acme.atlassian.net/browse/SHOP-12":             "",
		"https://acme.atlassian.net/browse/../../rest/api/2/myself":   "",
		"https://github.com/acme/other/issues/31":                     "",
		"https://github.com/acme/legacy":                              "",
		"https://sentry.acme.com/organizations/other/issues/77/":      "",
		"https://git.acme.com/acme/web/shop/-/issues/5":               "",
		"https://acme.sentry.io/issues/":                              "",
	} {
		var got []string
		for _, r := range Find(all, text) {
			got = append(got, r.Kind+":"+r.Shown)
		}
		require.Equal(t, want, strings.Join(got, " "), text)
	}
	hr := Find(all, "https://acme.atlassian.net/browse/HR-1")[0]
	_, err := hr.Read(t.Context(), hr.Key)
	require.EqualError(t, err, "the project HR is not among the projects of trackers")
}

// A tracker is asked at its own address, and bounded.
func TestHostileTrackers(t *testing.T) {
	t.Parallel()
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("PRIVATE-TOKEN"))
	}))
	t.Cleanup(thief.Close)
	answer := http.NotFound
	route := func(w http.ResponseWriter, r *http.Request) { answer(w, r) }
	hostile := httptest.NewServer(http.HandlerFunc(route))
	t.Cleanup(hostile.Close)
	one, err := New(Config{Kind: GitLab, URL: hostile.URL, Token: "t", Projects: []string{"a/b"}})
	require.NoError(t, err)
	read := func() (Issue, error) {
		return one.Read(t.Context(),
			Key{Project: "a/b", ID: "1", Shown: "a/b#1"})
	}

	answer = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL, http.StatusFound) }
	_, err = read()
	require.ErrorContains(t, err, "the tracker redirects to "+strings.TrimPrefix(thief.URL, "http://"))
	require.Empty(t, stolen)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hostile.URL, nil)
	require.NoError(t, err)
	r.Header.Set("PRIVATE-TOKEN", "t")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, []string{"t"}, stolen, "the control: a client that follows gives it away")

	answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>log in</html>") }
	_, err = read()
	require.EqualError(t, err, "the tracker's answer is no JSON of the expected form")
	answer = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"title":"`+strings.Repeat("x", maxAnswer)+`"}`)
	}
	_, err = read()
	require.EqualError(t, err, "the tracker answers with more than 4.0 MB")

	text, err := json.Marshal(map[string]any{
		"title": "\x1b[2Jfix it\u202e", "description": strings.Repeat("y", 3<<20), "state": "opened",
		"labels": strings.Fields(strings.Repeat("label ", 500)),
	})
	require.NoError(t, err)
	answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }
	issue, err := read()
	require.NoError(t, err)
	require.Less(t, len(issue.Text()), 20<<10)
	require.Contains(t, issue.Text(), "characters left out")
	require.False(t, strings.ContainsAny(issue.Text()+issue.Label(), "\u202e\x1b"))

	answer = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"title":"Secret takeover","confidential":true}`)
	}
	_, err = read()
	require.EqualError(t, err, "it is confidential there")
	answer = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/notes") {
			_, _ = io.WriteString(w, `[{"body":"new","internal":true},{"body":"old","confidential":true},`+
				`{"body":"for all"}]`)
			return
		}
		_, _ = io.WriteString(w, `{"title":"A cent","user_notes_count":3}`)
	}
	issue, err = read()
	require.NoError(t, err)
	require.Len(t, issue.Comments, 1)
	require.Equal(t, "for all", issue.Comments[0].Text)

	hostile.CloseClientConnections()
	hostile.Close()
	_, err = read()
	require.ErrorContains(t, err, "the tracker cannot be reached (")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = one.Read(stopped, Key{Project: "a/b", ID: "1"})
	require.ErrorIs(t, err, context.Canceled)
}
