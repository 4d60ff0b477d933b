package catalog

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func TestTicketsThatWordsName(t *testing.T) {
	t.Parallel()
	jira, err := tracker.New(tracker.Config{
		Kind: tracker.Jira, URL: "https://acme.atlassian.net", Projects: []string{"PAY"},
	})
	require.NoError(t, err)
	shop := repository.Repository{Pulls: repository.PullRequests{
		Host: &host.GitHubRepository{}, Web: "https://github.com/acme/shop",
	}}
	shop.Name = "shop"
	var named Ticket
	said := Ticket{Said: true}
	closes := Ticket{Closes: true}
	of := func(name string, t Ticket) Ticket {
		t.Name = name
		return t
	}
	for text, want := range map[string][]Ticket{
		"the total is wrong, see PAY-881":                    {of("PAY-881", named)},
		"fixes #412":                                         {of("#412", closes)},
		"Fix it. This fixes #412 and closes PAY-881":         {of("#412", closes), of("PAY-881", closes)},
		"please fix #412":                                    {of("#412", closes)},
		"please close #412, #413":                            {of("#412", closes), of("#413", closes)},
		"ticket: PAY-881":                                    {of("PAY-881", said)},
		"ticket: `pay-881`":                                  {of("PAY-881", said)},
		"Ticket: 412":                                        {of("#412", said)},
		"the ticket is acme/shop#412":                        {of("#412", said)},
		"the ticket is 3 days old":                           nil,
		"<https://github.com/acme/shop/issues/412|it>":       {of("#412", named)},
		"fixes <https://github.com/acme/shop/issues/412>":    {of("#412", closes)},
		"fixes https://github.com/acme/api/issues/412":       nil,
		"fix <https://acme.atlassian.net/browse/PAY-881|it>": {of("PAY-881", named)},
		"we fixed #311 last week, the same way":              {of("#311", named)},
		"the commit that fixes #311 broke it":                {of("#311", named)},
		"this does not fix #412":                             {of("#412", named)},
		"does it fix #412?":                                  {of("#412", named)},
		"it only partly fixes #412":                          {of("#412", named)},
		"ann tried to fix #311":                              {of("#311", named)},
		"> fixes #412":                                       nil,
		"```\nfixes #412\n```":                               nil,
		"fixes UTF-8 and SHA-256":                            nil,
		"order #12345678901":                                 nil,
		"a split of PAY-8811x":                               nil,
	} {
		require.Equal(t, want, TicketsIn(text, shop, []*tracker.Tracker{jira}), text)
	}
	shop.Pulls.Host = nil
	require.Empty(t, TicketsIn("order #12 is wrong", shop, nil), "it may be anything")
	require.Len(t, TicketsIn("fixes #12", shop, nil), 1)
}

// FuzzTicketsIn checks that whatever people write names only what looks like an issue.
func FuzzTicketsIn(f *testing.F) {
	f.Add("fixes <https://github.com/acme/shop/issues/412|x> and closes PAY-1, ticket: 7")
	f.Add("ticket = acme/shop#1\n> fixes #2\n```#3```")
	shop := repository.Repository{Pulls: repository.PullRequests{
		Host: &host.GitHubRepository{}, Web: "https://github.com/acme/shop",
	}}
	form := regexp.MustCompile(`^(?:#\d{1,9}|[A-Z][A-Z0-9_]{1,30}-\d{1,9})$`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, ticket := range TicketsIn(text, shop, nil) {
			require.Regexp(t, form, ticket.Name)
		}
	})
}

func TestTheTicketOfTheWork(t *testing.T) {
	t.Parallel()
	one := Ticket{Name: "#1"}
	two := Ticket{Name: "#2"}
	closing := Ticket{Name: "#3", Closes: true}
	said := Ticket{Name: "#4", Said: true}
	for _, c := range []struct {
		all     []Ticket
		want    string
		several int
	}{
		{nil, "", 0},
		{[]Ticket{one, one}, "#1", 0},
		{[]Ticket{one, two, one}, "", 2},
		{[]Ticket{closing, one, two}, "#3", 0},
		{[]Ticket{said, closing, two}, "#4", 0},
		{[]Ticket{said, {Name: "#5", Said: true}}, "#5", 0},
	} {
		of, several := workTicket(c.all)
		require.Equal(t, c.want, of.Name)
		require.Len(t, several, c.several)
	}
}
