package repository

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesAreFilledIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, ticket, want string }{
		{"fix/{ticket}-{slug}", "PAY-881", "fix/PAY-881-too-much"},
		{"fix/{ticket}-{slug}", "", "fix/no-ticket-too-much"},
		{"fix/{{ticket}-}{slug}", "PAY-881", "fix/PAY-881-too-much"},
		{"fix/{{ticket}-}{slug}", "", "fix/too-much"},
		{"{type}/{slug}{-{ticket}}", "412", "fix/too-much-412"},
	} {
		form := NameForm{Template: c.template}
		require.NoError(t, CheckTemplate(c.template, BranchNames))
		name := form.Fill(map[string]string{NameTicket: c.ticket, NameSlug: "too-much", NameType: "fix"})
		require.Equal(t, c.want, name)
		require.True(t, form.Expression().MatchString(name), name)
		require.True(t, form.Expression().MatchString(name+"-red-0123456"), name)
		require.False(t, form.Expression().MatchString("release/1.4"))
		require.False(t, form.Expression().MatchString(name+"/more"))
	}
	require.Nil(t, NameForm{}.Expression())
	need := NameForm{Template: "a/fix/{ticket}-{slug}"}
	may := NameForm{Template: "{{ticket}-}{slug}"}
	require.Equal(t, []bool{true, true, true, false}, []bool{
		need.Needs(NameTicket), Naming{Title: need}.UsesTicket(), Naming{Branch: may}.UsesTicket(),
		may.Needs(NameTicket),
	})
	require.Equal(t, []string{"a/fix/", ""}, []string{need.Folder(), may.Folder()})
}

func TestWrongTemplates(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"fix/{tiket}":      "there is no placeholder {tiket}; there are {ticket}, {slug}, {id}, {type}",
		"fix/{slug":        "an opening brace has no closing one",
		"fix/slug}":        "a closing brace has no opening one",
		"{a{b{slug}}}":     "an optional part is within another one",
		"fix/{}":           "there is nothing between the braces {}",
		"fix/{{summary}-}": "there is no placeholder {summary}; there are {ticket}, {slug}, {id}, {type}",
	} {
		require.EqualError(t, CheckTemplate(template, BranchNames), want, template)
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	cut := func(text string, most int) string { return text[:min(len(text), most)] }
	form := NameForm{
		Template: "{type}{({scope})}: {summary}{ ({ticket})}",
		Pattern:  regexp.MustCompile(`^(?:fix|feat)(?:\([a-z]+\))?: [a-z].*\(PAY-\d+\)$`),
	}
	values := map[string]string{NameType: "fix", NameScope: "money", NameTicket: "PAY-881"}
	title, allowed := form.Title("Hand out every cent", values, 72, cut)
	require.Equal(t, "fix(money): hand out every cent (PAY-881)", title)
	require.True(t, allowed)
	title, _ = form.Title("Hand out every cent of what there was", values, 50, cut)
	require.Equal(t, "fix(money): hand out every cent of what  (PAY-881)", title)
	delete(values, NameTicket)
	title, allowed = form.Title("Hand out every cent", values, 72, cut)
	require.Equal(t, "fix(money): Hand out every cent", title)
	require.False(t, allowed)
	title, allowed = NameForm{}.Title("Hand out every cent", nil, 8, cut)
	require.Equal(t, "Hand out", title)
	require.True(t, allowed)
	require.Equal(t, "HTTP is read", smallFirst("HTTP is read"))
	require.Equal(t, "éa", smallFirst("Éa"))
	require.Empty(t, smallFirst(""))
}

func TestTheScopeIsTheFolderInCommon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"money/split.go", "money/split_test.go"}, "money"},
		{[]string{"money/a/b.go", "money/c.go"}, "money"},
		{[]string{"src/cart/total.ts"}, "cart"},
		{[]string{"money/split.go", "cart/total.go"}, ""},
		{[]string{"README.md"}, ""},
		{[]string{"a b!/x"}, "a-b"},
		{nil, ""},
	} {
		require.Equal(t, c.want, Repository{}.ScopeOf(c.paths), c.paths)
	}
	require.Equal(t, "cart", Repository{Scope: "services/shop"}.ScopeOf([]string{"services/shop/cart/a.go"}))
}

func TestATicketInABranch(t *testing.T) {
	t.Parallel()
	for ticket, want := range map[string]string{
		"PAY-881": "PAY-881", "#412": "412", "acme/api#7": "acme-api-7", "../x": "x",
	} {
		require.Equal(t, want, TicketName(ticket))
	}
}
