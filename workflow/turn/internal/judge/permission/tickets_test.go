package permission

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// office is a Slack that knows who may approve: ann and bea, but not gus, who is a guest.
type office struct{ ledger.Slack }

func (office) Person(_ context.Context, _ workflow.Thread, user string) (workflow.Person, error) {
	return workflow.Person{ID: user, Name: user, Guest: user == "gus", InThread: true}, nil
}

// A thread is a session about the shop, whose people write.
type thread struct {
	*Permissions
	t *testing.T
	n int
}

func openThread(t *testing.T, names repository.Naming) *thread {
	t.Helper()
	shop := repository.Repository{
		Remote: remote.Remote{Name: "shop"}, Naming: names, Visibility: host.Private,
	}
	shop.Pulls = repository.PullRequests{Host: &host.GitHubRepository{}, Web: "https://github.com/acme/shop"}
	l := ledgertest.Open(t, office{})
	require.NoError(t, l.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
		s.Repository = "shop"
		s.Title = "A split loses the rest"
	}}))
	c := &catalog.Catalog{Ledger: l, Repositories: []repository.Repository{shop}}
	th := &thread{Permissions: &Permissions{Ledger: l, Catalog: c}, t: t}
	c.Tickets = th.TicketsNamed(nil)
	return th
}

// say has an event of the thread come in.
func (th *thread) say(e workflow.IncomingEvent) {
	th.t.Helper()
	th.n++
	e.EventID = fmt.Sprint("EvT", th.n)
	e.Thread = workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}
	if e.TS == "" {
		e.TS = fmt.Sprintf("2.%d", th.n)
	}
	require.NoError(th.t, storetest.Inbox(th.Store).Receive(th.t.Context(), e))
}

func (th *thread) named() (names []string) {
	all, err := th.Catalog.Tickets(th.t.Context())
	require.NoError(th.t, err)
	for _, t := range all {
		names = append(names, t.By+" "+t.Name)
	}
	return names
}

// Only what people who may approve typed names a ticket: no guest's words, no app's, nothing that was sent to
// the bot for somebody else, and nothing that was edited or deleted since.
func TestWhoseWordsNameATicket(t *testing.T) {
	t.Parallel()
	th := openThread(t, repository.Naming{})
	reply := workflow.MessageReply
	th.say(workflow.IncomingEvent{Kind: reply, User: "ann", Text: "fixes #1"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "gus", Text: "fixes #2"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "bea", Value: "zapier", Text: "fixes #3"})
	th.say(workflow.IncomingEvent{Kind: workflow.MessageSent, User: "bea", Value: "gus", Text: "fixes #4"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "bea", TS: "3.1", Text: "fixes #5"})
	th.say(workflow.IncomingEvent{Kind: workflow.MessageEdit, User: "bea", TS: "3.1", Text: "fixes #6"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "bea", TS: "3.2", Text: "fixes #7"})
	th.say(workflow.IncomingEvent{Kind: workflow.MessageDelete, User: "bea", TS: "3.2"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "bea", Text: "> fixes #8\nno"})
	th.say(workflow.IncomingEvent{Kind: workflow.MessageRemark, User: "bea", Text: "fixes #9"})
	th.say(workflow.IncomingEvent{Kind: reply, User: "bea", Text: "ticket: #10"})
	require.Equal(t, []string{"ann #1", "bea #10"}, th.named())
	of, tickets, err := th.Catalog.WorkTickets(t.Context())
	require.NoError(t, err)
	require.Equal(t, "#10", of.Name)
	require.Equal(t, []catalog.Ticket{
		{Name: "#1", Closes: true, By: "ann"}, {Name: "#10", Said: true, By: "bea"},
	}, tickets)
}

// The name of a branch is made of the title, whoever it names.
func TestABranchIsNamedAfterNobody(t *testing.T) {
	t.Parallel()
	for _, names := range []repository.Naming{
		{Branch: repository.NameForm{Template: "fix/{slug}"}}, {},
	} {
		th := openThread(t, names)
		th.say(workflow.IncomingEvent{Kind: workflow.MessageReply, User: "bea", Text: "me, too"})
		require.NoError(t, th.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
			s.Title = "@cleo.w and Bea (dan@shop.example) lose the rest, <@U0CEM> says"
		}}))
		branch, err := th.Catalog.BranchName(t.Context(), workflow.ReportRootCause)
		require.NoError(t, err)
		if names.Branch.Template == "" {
			require.Equal(t, "bobbin/and-lose-the-rest-says-"+th.Session().ID, branch)
			continue
		}
		require.Equal(t, "fix/and-lose-the-rest-says", branch)
	}
}

// A name that the patterns refuse is asked for before the work, with what would help.
func TestWorkDoesNotBeginWithoutAName(t *testing.T) {
	t.Parallel()
	form := func(template, pattern string) repository.NameForm {
		f := repository.NameForm{Template: template}
		if pattern != "" {
			f.Pattern = regexp.MustCompile(pattern)
		}
		return f
	}
	plain := form("fix/{ticket}-{slug}", "")
	strict := form("fix/{ticket}-{slug}", `^fix/\d+-`)
	for _, c := range []struct {
		names        repository.Naming
		said         []string
		branch, want string
	}{
		{repository.Naming{Branch: plain}, nil, "fix/no-ticket-a-split-loses-the-rest", ""},
		{repository.Naming{Branch: plain}, []string{"see #412"}, "fix/412-a-split-loses-the-rest", ""},
		{
			repository.Naming{Branch: form("{type}/{{ticket}-}{slug}", "")},
			[]string{"see #1 or #2"},
			"fix/a-split-loses-the-rest", "",
		},
		{repository.Naming{Branch: strict}, nil, "", "nobody who may approve has named one"},
		{repository.Naming{Branch: strict}, []string{"see #1 or #2"}, "", "several were named (`#1`, `#2`)"},
		{repository.Naming{Branch: strict}, []string{"ticket: PAY-1"}, "", "another ticket than `PAY-1`"},
		{
			repository.Naming{Branch: form("fix/{slug}", `^feat/`)},
			nil, "",
			"would be `fix/a-split-loses-the-rest`, which branch_pattern of shop does not allow. My operator",
		},
		{repository.Naming{Branch: form("", `^feat/`)}, nil, "", "branch_pattern of shop does not allow"},
		{
			repository.Naming{Title: form("{ticket}: {summary}", `^#\d+: `)},
			nil, "",
			"the title needs a ticket (`{ticket}: {summary}`)",
		},
	} {
		th := openThread(t, c.names)
		for _, text := range c.said {
			th.say(workflow.IncomingEvent{Kind: workflow.MessageReply, User: "ann", Text: text})
		}
		branch, err := th.Catalog.BranchName(t.Context(), workflow.ReportRootCause)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, c.branch, branch)
			continue
		}
		var refused *catalog.NameError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Said, c.want)
	}
}

// Two sessions that would have the same branch get two.
func TestBranchesOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	th := openThread(t, repository.Naming{Branch: repository.NameForm{Template: "fix/{slug}"}})
	_, err := th.Store.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, repository,
		branch) select 'other' || n, 'T1', 'C2', n::text, 'shop', b
		from unnest(array['fix/a-split-loses-the-rest', 'fix/a-split-loses-the-rest-2'])
		with ordinality as x (b, n)`)
	require.NoError(t, err)
	branch, err := th.Catalog.BranchName(t.Context(), workflow.ReportRootCause)
	require.NoError(t, err)
	require.Equal(t, "fix/a-split-loses-the-rest-3", branch)
}
