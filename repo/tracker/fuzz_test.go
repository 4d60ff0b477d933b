package tracker

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzFind checks that whatever a message says, what is found in it is bounded and of a configured tracker.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"SHOP-12", "https://a.example/browse/SHOP-12?x", "<https://a.example/browse/SHOP-12|x>",
		"acme/legacy#31",
		"https://a.example//browse/%2e%2e/SHOP-12", "SHOP-12SHOP-13 SHOP-14", "https://[::1", "SHOP-4K",
	} {
		f.Add(seed)
	}
	var all []*Tracker
	for kind, project := range map[string]string{
		Jira: "SHOP", Linear: "WEB", Sentry: "shop", GitHub: "acme/legacy", GitLab: "acme/web/shop",
	} {
		one, err := New(Config{Kind: kind, URL: "https://a.example", Projects: []string{project}})
		require.NoError(f, err)
		all = append(all, one)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(all, text)
		require.LessOrEqual(t, len(found), maxFound)
		for _, r := range found {
			require.Regexp(t, `^[\w./#-]{1,200}$`, r.Shown)
			require.Regexp(t, `^[\w-]{1,100}$`, r.ID)
		}
	})
}

// FuzzAnswers checks that whatever a tracker answers, what agents are shown is bounded.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"key":"SHOP-1","fields":{"summary":"x","comment":{"total":-1,"comments":[{}]}}}`,
		`{"data":{"issue":{"identifier":"SHOP-1"}}}`, `{"errors":[{}]}`, `[]`, `null`, `{"title":1}`,
		`{"id":"1","project":{"slug":"shop"},"count":"x","entries":[{"type":"exception",` +
			`"data":{"values":[{"stacktrace":` +
			`{"frames":[{"lineNo":-1,"context":[[1],["a","b"],[1,"c"]]}]}}]}}]}`,
		`{"title":"x","comments":1000000,"user_notes_count":3}`,
	} {
		f.Add(seed)
	}
	var answer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(answer))
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, text string) {
		answer = text
		for _, kind := range Kinds {
			one, err := New(Config{
				Kind: kind, URL: server.URL, API: server.URL,
				Projects: []string{"SHOP", "shop"}, FileIn: "SHOP",
			})
			require.NoError(t, err)
			draft := Draft{Title: "x", Text: "y", Mark: "bobbin-7f3a"}
			filed, _ := one.File(context.Background(), draft)
			if filed.URL != "" {
				require.True(t, strings.HasPrefix(filed.URL, server.URL+"/"), filed.URL)
			}
			_, _ = one.FindFiled(context.Background(), draft.Mark, time.Now())
			_, _ = one.Commented(context.Background(), Key{Project: "SHOP", ID: "1"}, draft.Mark)
			_ = one.AddComment(context.Background(), Key{Project: "SHOP", ID: "1"}, draft)
			_ = one.CheckWriting(context.Background(), "SHOP")
			issue, err := one.Read(context.Background(), Key{Project: "SHOP", ID: "1", Shown: "SHOP-1"})
			if err == nil {
				require.Less(t, len(issue.Text()), 64<<10)
				require.NotContains(t, issue.Label(), "\n")
			}
		}
	})
}
