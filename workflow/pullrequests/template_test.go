package pullrequests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

const body = "Hands out every cent.\n\n### Report (revision 2)\n\nThe rest is dropped.\n\n" +
	"### Proof\n\n- New test TestSplit: fails on main\n\n### Tickets\n\n- Fixes #412, as bea wrote\n\n" +
	"### Approvals\n\n- Revision 2 approved by bea\n\n### Files\n\n`a.go`"

func TestATemplateIsFilled(t *testing.T) {
	t.Parallel()
	filled := fill("Thanks!\n\n## Description\n\nPlease describe the change.\n\n- [ ] It is small\n\n"+
		"## Related issue\n\nFixes #\n\n## How was it tested?\n\nSay how.\n\n"+
		"## Type of change\n\n- [ ] Bug fix\n\n## Checklist\n\n- [ ] I have read the rules\n- [x] Tests pass",
		body)
	require.Equal(t, "Thanks!\n\n## Description\n\n"+beginText+"\nHands out every cent.\n\n"+
		"### Report (revision 2)\n\nThe rest is dropped.\n\n### Approvals\n\n"+
		"- Revision 2 approved by bea\n\n### Files\n\n`a.go`\n"+endText+"\n\n- [ ] It is small\n\n"+
		"## Related issue\n\n<!-- bobbin begins: tickets -->\n- Fixes #412, as bea wrote\n"+
		"<!-- bobbin ends: tickets -->\n\n"+
		"## How was it tested?\n\n<!-- bobbin begins: proof -->\n- New test TestSplit: fails on main\n"+
		"<!-- bobbin ends: proof -->\n\n## Type of change\n\n- [ ] Bug fix\n\n## Checklist\n\n"+
		"- [ ] I have read the rules\n- [x] Tests pass", filled)
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "### Proof"), "### Tickets")
		require.Equal(t, 1, min(1, strings.Count(filled, line)), "nothing is lost: %s", line)
	}
}

func TestTemplatesOfOtherForms(t *testing.T) {
	t.Parallel()
	bare := fill("- [ ] I have read the rules", body)
	require.True(t, strings.HasPrefix(bare, beginText+"\n"+body+"\n"+endText+"\n\n- [ ] I have"), bare)
	bold := fill("**What**\n\n**Why**\n\n**Ticket:**\n",
		"Hands out every cent.\n\n### Report (revision 1)\n\nIt drops it.")
	require.Equal(t, "**What**\n\n"+beginText+"\nHands out every cent.\n"+endText+"\n\n**Why**\n\n"+
		"<!-- bobbin begins: report -->\nrevision 1\n\nIt drops it.\n<!-- bobbin ends: report -->\n\n"+
		"**Ticket:**\n\n<!-- bobbin begins: tickets -->\nNobody named one.\n<!-- bobbin ends: tickets -->",
		bold)
	fenced := fill("```\n## Description\n```\n", "It.")
	require.True(t, strings.HasPrefix(fenced, beginText), "a heading in code is none")
}

// After another push the parts are renewed where they are. What people wrote and ticked meanwhile stays.
func TestATemplateKeepsWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	d := openWithPapers(t, hosttest.Config{Kind: "github"}, nil)
	_, err := d.Rows.Store.Pool.Exec(t.Context(), `update pull_requests set template = $1, body = $2`,
		"## Summary\n\n## Testing\n\n## Checklist\n\n- [ ] Read\n", body)
	require.NoError(t, err)
	d.look(t)
	there := d.host.Pulls()[0].Body
	require.Contains(t, there, "## Testing\n\n<!-- bobbin begins: proof -->\n- New test TestSplit")
	d.host.Write(1, strings.Replace(there, "- [ ] Read", "- [x] Read\n\nI did, ann", 1))
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{Proposal: pullrequest.Proposal{
		Repository: "shop", Branch: branch, Head: "c2", Base: "main", Title: "More",
		Body: "Says where.\n\n### Proof\n\n- Another one", Template: "## Other",
	}}))
	d.look(t)
	there = d.host.Pulls()[0].Body
	require.Contains(t, there, "- [x] Read\n\nI did, ann")
	require.Contains(t, there, "<!-- bobbin begins: proof -->\n- Another one\n<!-- bobbin ends: proof -->")
	require.Contains(t, there, beginText+"\n## More\n\nSays where.")
	require.Contains(t, there, "## Before that\n\nHands out every cent.")
	require.Equal(t, 1, strings.Count(there, "New test TestSplit"), "the earlier proof is below")
	require.NotContains(t, there, "## Other", "the template is that of the opening")
	before := d.changes()
	d.look(t)
	require.Equal(t, before, d.changes())
}

// FuzzFill checks that a filled template has the bot's text once, between marks by which it is found again.
func FuzzFill(f *testing.F) {
	f.Add("## What\n\n## Testing\n\n- [ ] Read", body)
	f.Add("**Why**\n```\n# Test\n```\n# Ticket #\n", "a\n### Proof\n\nb\n\n## Before that\n\n### Proof\nc")
	f.Fuzz(func(t *testing.T, template, body string) {
		if strings.Contains(template+body, "<!--") {
			t.Skip("a comment may be a mark, of which TestMarksAreFound shows what counts")
		}
		filled := fill(template, body)
		require.Equal(t, 1, strings.Count(filled, beginText))
		again, ok := renewed(filled, body)
		require.True(t, ok)
		require.Equal(t, filled, again)
	})
}
