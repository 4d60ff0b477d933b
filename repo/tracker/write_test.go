package tracker

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
)

// A written is what a fake tracker was told.
type written struct{ title, text string }

// A desk is a tracker that files, with the fake that it is at.
type desk struct {
	*Tracker
	issues   func() []written
	comments func() []string // of the issue named
	named    string          // an issue that exists
	lose     func()
}

// desks opens a tracker of each kind. Those that may not write are read-only.
func desks(t *testing.T, readOnly bool) map[string]desk {
	t.Helper()
	all := map[string]desk{}
	add := func(d desk, c Config) {
		one, err := New(c)
		require.NoError(t, err)
		d.Tracker = one
		all[c.Kind] = d
	}
	for kind, named := range map[string]string{Jira: "SHOP-1", Linear: "SHOP-1", Sentry: "4509"} {
		s := trackertest.Listen(kind, "SHOP")
		t.Cleanup(s.Close)
		s.Add(trackertest.Issue{Key: named, Title: "The total is a cent off"})
		if readOnly {
			s.ReadOnly()
		}
		url := s.URL
		if kind == Sentry {
			url += "/organizations/acme"
		}
		add(desk{
			issues: func() (list []written) {
				for _, i := range s.Issues()[1:] {
					list = append(list, written{i.Title, i.Text})
				}
				return list
			},
			comments: func() []string { return s.Issues()[0].Comments },
			named:    named, lose: s.Lose,
		}, Config{
			Kind: kind, URL: url, API: s.API, Token: trackertest.Token, Projects: []string{"SHOP"},
			FileIn: "SHOP",
		})
	}
	for _, kind := range []string{GitHub, GitLab} {
		s := hosttest.Listen(hosttest.Config{
			Kind: kind, Repository: "acme/legacy", Token: "t", NoFiling: readOnly,
		})
		t.Cleanup(s.Close)
		s.SetIssue(hosttest.Issue{Number: 31, Title: "The total is a cent off"})
		add(desk{
			issues: func() (list []written) {
				for _, i := range s.Issues()[1:] {
					list = append(list, written{i.Title, i.Body})
				}
				return list
			},
			comments: func() (list []string) {
				for _, c := range s.Said() {
					list = append(list, c.Text)
				}
				return list
			},
			named: "acme/legacy#31", lose: func() { s.Lose("POST") },
		}, Config{
			Kind: kind, URL: s.URL, API: s.API, Token: "t", Projects: []string{"acme/legacy"},
			FileIn: "acme/legacy",
		})
	}
	return all
}

var draft = Draft{
	Title: "A cent is lost",
	Text:  "### Cause\n\nSee [~bea] and {color}!\n\n```\nx = [1]{noformat}\n```",
	Mark:  "bobbin-7f3a",
}

// An issue is filed in each tracker that has issues which people file, and found again by its mark, also if
// the answer to its filing was lost.
func TestIssuesAreFiledAndFound(t *testing.T) {
	t.Parallel()
	since := time.Now()
	for kind, d := range desks(t, false) {
		if kind == Sentry {
			require.False(t, d.CanFile())
			continue
		}
		require.True(t, d.CanFile(), kind)
		none, err := d.FindFiled(t.Context(), draft.Mark, since)
		require.NoError(t, err, kind)
		require.Nil(t, none, kind)
		made, err := d.File(t.Context(), draft)
		require.NoError(t, err, kind)
		found, err := d.FindFiled(t.Context(), draft.Mark, since)
		require.NoError(t, err, kind)
		require.Equal(t, &made, found, kind)
		key, ok := d.KeyOf(made.Shown)
		require.True(t, ok, kind)
		issue, err := d.Read(t.Context(), key)
		require.NoError(t, err, kind)
		require.Equal(t, draft.Title, issue.Title, kind)
		require.NotEmpty(t, made.URL, kind)
		require.Len(t, Find([]*Tracker{d.Tracker}, "see "+made.URL), 1, kind)

		other := Draft{Title: "Another", Mark: "bobbin-9999"}
		d.lose()
		_, err = d.File(t.Context(), other)
		var wrong *Error
		require.ErrorAs(t, err, &wrong, kind)
		require.True(t, wrong.Retry, kind)
		lost, err := d.FindFiled(t.Context(), other.Mark, since)
		require.NoError(t, err, kind)
		require.NotNil(t, lost, kind)
		require.Len(t, d.issues(), 2, kind)
	}
}

// The mark is where people do not see it, or at the end. Nothing in a text is a macro of Jira's.
func TestTextsFitTheirTracker(t *testing.T) {
	t.Parallel()
	for kind, d := range desks(t, false) {
		if kind == Sentry {
			continue
		}
		_, err := d.File(t.Context(), draft)
		require.NoError(t, err)
		want := map[string]string{
			Jira: "h3. Cause\n\nSee \\[~bea] and \\{color}\\!\n\n{noformat}\n" +
				"x = [1]{ noformat}\n{noformat}\n\nbobbin-7f3a",
			Linear: draft.Text, // which keeps the id that is made of the mark
			GitHub: draft.Text + "\n\n<!-- bobbin-7f3a -->",
			GitLab: draft.Text + "\n\n<!-- bobbin-7f3a -->",
		}[kind]
		require.Equal(t, []written{{draft.Title, want}}, d.issues(), kind)
	}
}

// A comment is added and known again.
func TestCommentsAreAddedAndKnown(t *testing.T) {
	t.Parallel()
	for kind, d := range desks(t, false) {
		key, ok := d.KeyOf(d.named)
		require.True(t, ok, kind)
		there, err := d.Commented(t.Context(), key, draft.Mark)
		require.NoError(t, err, kind)
		require.False(t, there, kind)
		d.lose()
		require.Error(t, d.AddComment(t.Context(), key, draft), kind)
		there, err = d.Commented(t.Context(), key, draft.Mark)
		require.NoError(t, err, kind)
		require.True(t, there, kind)
		require.Len(t, d.comments(), 1, kind)
		other, err := d.Commented(t.Context(), key, "bobbin-9999")
		require.NoError(t, err, kind)
		require.False(t, other, kind)
	}
}

// A token without the right is named, in the refusal and, where the tracker tells, before it.
func TestRightsToWriteAreNamed(t *testing.T) {
	t.Parallel()
	for kind, d := range desks(t, true) {
		key, _ := d.KeyOf(d.named)
		err := d.AddComment(t.Context(), key, draft)
		require.EqualError(t, err, "the token may not write there (HTTP 403)", kind)
		if kind != Sentry {
			_, err = d.File(t.Context(), draft)
			require.EqualError(t, err, "the token may not write there (HTTP 403)", kind)
		}
		err = d.CheckWriting(t.Context(), d.FileIn)
		if kind == Linear || kind == Sentry {
			require.NoError(t, err, kind)
			continue
		}
		require.EqualError(t, err, "the token may not write there (HTTP 403)", kind)
	}
	for kind, d := range desks(t, false) {
		require.NoError(t, d.CheckWriting(t.Context(), d.FileIn), kind)
		require.Empty(t, d.issues(), kind)
	}
}

// Jira names the field that it misses, and searches by the older address where the newer one is missing.
func TestJiraSaysWhatItMisses(t *testing.T) {
	t.Parallel()
	s := trackertest.Listen(Jira, "SHOP")
	t.Cleanup(s.Close)
	d, err := New(Config{
		Kind: Jira, URL: s.URL, Token: trackertest.Token, Projects: []string{"SHOP"}, FileIn: "SHOP",
		IssueType: "Bug",
	})
	require.NoError(t, err)
	s.Older()
	_, err = d.File(t.Context(), draft)
	require.NoError(t, err)
	require.Equal(t, "Bug", s.Issues()[0].Type)
	found, err := d.FindFiled(t.Context(), draft.Mark, time.Now())
	require.NoError(t, err)
	require.NotNil(t, found)
	s.Demand("customfield_10010")
	_, err = d.File(t.Context(), draft)
	require.EqualError(t, err,
		"Jira does not take the issue (HTTP 400): customfield_10010: customfield_10010 is required.")
	s.Break(1)
	_, err = d.File(t.Context(), draft)
	var wrong *Error
	require.ErrorAs(t, err, &wrong)
	require.True(t, wrong.Retry)
	require.False(t, strings.Contains(found.URL, " "))
}
