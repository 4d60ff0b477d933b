package pullrequests

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// pushText records another push, with a different text.
func (d *desk) pushText(t *testing.T, commit, body string) {
	t.Helper()
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{Proposal: pullrequest.Proposal{
		Repository: "shop",
		Branch:     branch,
		Head:       commit,
		Base:       "main",
		Title:      "Fix it",
		Body:       body,
	}}))
}

// changes returns how many requests changed something at the host.
func (d *desk) changes() (n int) {
	for _, c := range d.host.Calls() {
		if c.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// The text of the pull request is updated once after a later push, even if the host's answer was lost.
// What people wrote around it is kept.
func TestTheTextIsRenewed(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := openAt(t, kind, "tok_of_the_shop")
			d.look(t)
			d.look(t)
			require.Equal(t, 1, d.changes(), "it says what it was opened with")
			d.host.Write(1, "For release 3.\n\n"+d.host.Pulls()[0].Body+"\n\nDo not merge on a Friday.")
			d.pushText(t, "c2", "Why, and why then")
			d.host.Lose(map[string]string{
				host.GitHub: "PATCH",
				host.GitLab: "PUT",
				host.Gitea:  "PATCH",
			}[kind])
			for range 3 {
				d.look(t)
			}
			require.Equal(t, "For release 3.\n\n"+beginText+"\n## Fix it\n\nWhy, and why then\n\n"+
				"## Before that\n\nWhy\n"+endText+"\n\nDo not merge on a Friday.", d.host.Pulls()[0].Body)
			require.Equal(t, 2, d.changes(), "what arrived is not sent again")
			require.Len(t, d.said(t), 1)
		})
	}
}

// A text that a person replaced is kept, and so is the text of a pull request that may not be changed.
// Both are reported once, and the pull request is still followed.
func TestATextThatStays(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	d.host.Write(1, "Mine.")
	d.pushText(t, "at-"+branch, "Why, and why then")
	d.host.Report("at-"+branch, hosttest.Check{Name: "test", State: "success"})
	d.look(t)
	d.look(t)
	require.Equal(t, "Mine.", d.host.Pulls()[0].Body)
	require.Equal(t, 1, d.changes())
	said := d.said(t)
	require.Len(t, said, 3)
	require.Contains(t, said[1], "Somebody wrote a text of their own for [#1](")
	require.Contains(t, said[2], "is green")

	d = open(t, "tok_of_the_shop")
	d.look(t)
	d.Repositories[0].Pulls.Host = d.client(host.GitHub, d.host.URL+"/acme/shop", "tok_that_reads")
	d.pushText(t, "at-"+branch, "Why, and why then")
	d.host.Report("at-"+branch, hosttest.Check{Name: "test", State: "success"})
	d.look(t)
	d.look(t)
	said = d.said(t)
	require.Len(t, said, 3)
	require.Contains(t, said[1], "could not be renewed: the token may not do this at GitHub")
	require.Contains(t, said[2], "is green")
}

// Text of people and models cannot be taken for the marks, since it is quoted. If there are two marks,
// the first one counts.
func TestMarksAreFound(t *testing.T) {
	t.Parallel()
	for there, want := range map[string]string{
		"a " + beginText + "old" + endText + " b": "a " + beginText + "\nnew\n" + endText + " b",
		beginText + endText:                       beginText + "\nnew\n" + endText,
		beginText + "old":                         "",
		endText + beginText:                       "",
		strings.ToUpper(beginText) + endText:      "",
		"":                                        "",
	} {
		got, ok := renewed(there, "new")
		require.Equal(t, want, got)
		require.Equal(t, want != "", ok)
	}
	require.NotContains(t, host.Quote(beginText), beginText)
	require.NotContains(t, host.Quote(endText), endText)
}
