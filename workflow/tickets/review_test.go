package tickets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

const review = `{"summary": "Nearly. The key is ` + secret + `", "looked": "its diff",
	"findings": [{"at": "cart.go:7", "weight": "must", "problem": "the rest is lost"}]}`

// openReview opens a desk at a host with a review of a colleague's pull request that is to be posted.
func openReview(t *testing.T, kind string) *desk {
	t.Helper()
	d := open(t, kind)
	number := d.at.OpenPull(hosttest.Pull{Branch: "cleo/x", Base: "main", Title: "Split", Login: "cleo"})
	d.at.SetFiles(number, hosttest.File{Path: "cart.go", Change: "modified"})
	require.NoError(t, d.turn.Record(t.Context(), consent.Report{
		Session: d.session, Revision: 2, Kind: workflow.ReportReview, Body: []byte(review),
		BaseCommit: "c0ffee", Text: "Review of it",
	}))
	return d
}

// postReview has the review posted, as the press of message n does.
func (d *desk) postReview(t *testing.T, n int) error {
	t.Helper()
	by := *storetest.Permission(fmt.Sprint("r", n), workflow.PermitFile, 2)
	return d.turn.Record(t.Context(), consent.Permission{Permission: by}, ticket.Order{
		Key: ticket.OfReview(2), Repository: "shop", Place: "shop#1", Issue: "1", Revision: 2,
		Title: "Nearly", Body: "Nearly. The key is " + secret + "\n\n1. the rest is lost",
	})
}

func (d *desk) posted() (texts []string) {
	for _, c := range d.at.Comments() {
		texts = append(texts, c.Path+": "+c.Text)
	}
	return texts
}

// A review is posted once, with a link to the thread and without secrets, also if the answer of the host is
// lost. The control posts it twice.
func TestAReviewIsPostedOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, lost), func(t *testing.T) {
				t.Parallel()
				d := openReview(t, kind)
				require.NoError(t, d.postReview(t, 1))
				require.ErrorIs(t, d.postReview(t, 1), store.ErrStale, "delivered again")
				if lost {
					d.lose()
					require.True(t, d.look(t))
				}
				require.False(t, d.look(t))
				require.False(t, d.look(t))
				texts := d.posted()
				require.Len(t, texts, map[bool]int{true: 1, false: 2}[kind == host.GitLab], texts)
				require.Contains(t, texts[0], "as ann asked: https://acme.slack.com/archives/C1/p1")
				require.NotContains(t, fmt.Sprint(texts), secret)
				said := d.said(t)
				require.Contains(t, said[len(said)-1], "Posted the review on [shop#1](")
			})
		}
	}
	d := openReview(t, host.GitLab)
	d.skipLookup = true
	require.NoError(t, d.postReview(t, 1))
	d.lose()
	d.look(t)
	d.look(t)
	require.Len(t, d.posted(), 2, "the control")
}

// Nothing is written on a pull request that was merged meanwhile.
func TestAReviewOfWhatIsMergedIsNotPosted(t *testing.T) {
	t.Parallel()
	d := openReview(t, host.GitHub)
	require.NoError(t, d.postReview(t, 1))
	d.at.SetState(1, "merged")
	require.False(t, d.look(t))
	require.Empty(t, d.posted())
	said := d.said(t)
	require.Contains(t, said[len(said)-1], "The review was not posted on shop#1: it is merged already.")
}
