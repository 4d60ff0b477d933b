package pullrequests

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

var allHosts = []string{host.GitHub, host.GitLab, host.Gitea}

// wanted are the papers of the pull requests of these tests.
var wanted = []pullrequest.Wanted{
	{What: "labels", Names: []string{"bug", "bobbin"}},
	{What: "assignees", Names: []string{"ann-at-work"}},
	{What: "reviewers", Names: []string{"bea-at-work"}},
}

// openWithPapers opens a desk at a host with this configuration, of whose branch the papers are wanted.
func openWithPapers(t *testing.T, cfg hosttest.Config, papers []pullrequest.Wanted) *desk {
	t.Helper()
	d := openAtHost(t, cfg, "tok_of_the_shop")
	d.pushWith(t, "c1", papers)
	return d
}

func (d *desk) pushWith(t *testing.T, commit string, papers []pullrequest.Wanted) {
	t.Helper()
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{
		Proposal: pullrequest.Proposal{
			Repository: "shop", Branch: branch, Head: commit, Base: "main", Title: "Fix it", Body: "Why",
		},
		Papers: papers,
	}))
}

// putNames returns the names that were put on pull requests, as WHAT NAME, in order.
func (d *desk) putNames() (all []string) {
	for _, p := range d.host.Puts() {
		all = append(all, p.What+" "+p.Name)
	}
	slices.Sort(all)
	return all
}

var eachOnce = []string{
	"assignees ann-at-work", "labels bobbin", "labels bug", "reviewers bea-at-work",
}

func TestLabelsAndPeopleAreSetOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range allHosts {
		d := openWithPapers(t, hosttest.Config{Kind: kind}, wanted)
		for range 3 {
			d.look(t)
		}
		require.Equal(t, eachOnce, d.putNames(), kind)
		p := d.host.Pulls()[0]
		require.ElementsMatch(t, []string{"bug", "bobbin"}, p.Labels)
		require.Equal(t, [][]string{{"ann-at-work"}, {"bea-at-work"}}, [][]string{p.Assignees, p.Reviewers})
		require.Len(t, d.said(t), 1, "the pull request's line alone")
		d.pushWith(t, "c2", wanted)
		d.look(t)
		require.Equal(t, eachOnce, d.putNames(), "what people took off the open one stays off")
		d.host.SetState(1, "merged")
		d.look(t)
		d.pushWith(t, "c3", wanted)
		d.look(t)
		d.look(t)
		require.Len(t, d.putNames(), 8, "the next pull request gets its own")
	}
}

// If the host's answer was lost, the program looks for what it asked. The control asks again.
func TestALostAnswerToALabelIsLookedUp(t *testing.T) {
	t.Parallel()
	lost := map[string]string{host.GitHub: "POST", host.GitLab: "PUT", host.Gitea: "PATCH"}
	for _, kind := range allHosts {
		for _, blind := range []bool{false, true} {
			d := openAtHost(t, hosttest.Config{Kind: kind}, "tok_of_the_shop")
			d.look(t)
			d.host.SetState(1, "merged")
			d.look(t)
			d.pushWith(t, "c2", wanted[:1])
			row, err := d.Rows.Of(t.Context(), d.session)
			require.NoError(t, err)
			at := d.Repositories[0].Pulls
			p, err := d.findOrOpen(t.Context(), *row, at)
			require.NoError(t, err)
			row.Number = p.Number
			d.skipLookup = blind
			d.host.Lose(lost[kind])
			require.Error(t, d.putPapers(t.Context(), *row, at.Host))
			require.NoError(t, d.putPapers(t.Context(), *row, at.Host))
			if blind {
				require.Equal(t, []string{"labels bobbin", "labels bobbin", "labels bug", "labels bug"},
					d.putNames(), kind)
				continue
			}
			require.Equal(t, []string{"labels bobbin", "labels bug"}, d.putNames(), kind)
		}
	}
}

// A refusal loses neither the pull request nor what else is on it, and is told in one line.
func TestARefusalOfLabelsIsOneLine(t *testing.T) {
	t.Parallel()
	for _, kind := range allHosts {
		d := openWithPapers(t, hosttest.Config{Kind: kind, NoPapers: true}, wanted)
		for range 3 {
			d.look(t)
		}
		require.Len(t, d.host.Pulls(), 1, kind)
		require.Empty(t, d.putNames())
		said := d.said(t)
		require.Len(t, said, 2, kind)
		require.Contains(t, said[1], "is open, but not all of its labels and people are set. "+
			"Assignees and labels and reviewers: the token may not do this at")
		d.host.SetState(1, "merged")
		d.look(t)
		require.Contains(t, d.said(t)[2], "was merged", "it is followed")
	}
}

// Of people and labels that the host does not know, the others are set all the same.
func TestUnknownNamesAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, kind := range allHosts {
		d := openWithPapers(t, hosttest.Config{
			Kind: kind, People: []string{"ann-at-work", "bea-at-work"}, Labels: []string{"bug"},
		}, []pullrequest.Wanted{
			{What: "labels", Names: []string{"bug"}},
			{What: "assignees", Names: []string{"ann-at-work", "gone"}},
			{What: "reviewers", Names: []string{"gone", "bea-at-work"}},
		})
		d.look(t)
		require.Equal(t, []string{"assignees ann-at-work", "labels bug", "reviewers bea-at-work"},
			d.putNames(), kind)
		require.Contains(t, d.said(t)[1], "Assignees and reviewers: "+host.WordsOf(kind).Host+
			" does not take gone.")
	}
	d := openWithPapers(t, hosttest.Config{Kind: host.Gitea}, []pullrequest.Wanted{
		{What: "labels", Names: []string{"new", "bug"}},
	})
	d.look(t)
	require.Equal(t, []string{"labels bug"}, d.putNames())
	require.Contains(t, d.said(t)[1], "Labels: Gitea does not take new.")
}

// Checks that wait for somebody's press are said as that, once, and their results later.
func TestHeldChecksAreTold(t *testing.T) {
	t.Parallel()
	state := map[string]string{host.GitHub: "action_required", host.GitLab: "manual", host.Gitea: "blocked"}
	for _, kind := range allHosts {
		d := openAt(t, kind, "tok_of_the_shop")
		head := "at-" + branch
		d.push(t, head)
		d.look(t)
		d.host.Report(head, hosttest.Check{Name: "CI", State: state[kind]})
		d.look(t)
		d.look(t)
		said := d.said(t)
		require.Len(t, said, 2, kind)
		require.True(t, strings.HasPrefix(said[1], "CI of ["), said[1])
		require.Contains(t, said[1], "has not run: ")
		require.Contains(t, said[1], "waits at "+host.WordsOf(kind).Host+" until somebody allows it there.")
		d.host.Report(head, hosttest.Check{Name: "CI", State: "success"})
		d.look(t)
		d.look(t)
		require.Len(t, d.said(t), 3, kind)
		require.Contains(t, d.said(t)[2], "is green: 1 check passed")
	}
}
