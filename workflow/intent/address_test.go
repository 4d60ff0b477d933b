package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressOf(t *testing.T) {
	t.Parallel()
	names := []string{"shop", "shop-api", "site"}
	for text, want := range map[string]Address{
		"fix it":                      {Rest: "fix it"},
		"fix it in site":              {To: []string{"site"}, Rest: "fix it"},
		"Fix it in `Site`, please.":   {To: []string{"site"}, Rest: "Fix it"},
		"fix it in shop-api":          {To: []string{"shop-api"}, Rest: "fix it"},
		"fix it in shop and site":     {To: []string{"shop", "site"}, Rest: "fix it"},
		"fix it, site too":            {To: []string{"site"}, Rest: "fix it"},
		"site: fix it":                {To: []string{"site"}, First: true, Rest: "fix it"},
		"in site: no, the heading":    {To: []string{"site"}, First: true, Rest: "no, the heading"},
		"site, stop":                  {To: []string{"site"}, First: true, Rest: "stop"},
		"fix both":                    {To: names, All: true, Rest: "fix it"},
		"fix both of them!":           {To: names, All: true, Rest: "fix it"},
		"fix it in both":              {To: names, All: true, Rest: "fix it"},
		"fix site":                    {To: []string{"site"}, Rest: "fix it"},
		"also fix site":               {To: []string{"site"}, Rest: "also fix it"},
		"fix it in site only":         {To: []string{"site"}, Rest: "fix it"},
		"fix only site":               {To: []string{"site"}, Rest: "fix it"},
		"please only fix site":        {To: []string{"site"}, Rest: "please fix it"},
		"fix site only, please":       {Rest: "fix site only, please"},
		"fix it in site, thanks!":     {To: []string{"site"}, Rest: "fix it"},
		"stop":                        {Rest: "stop"},
		"stop all of them":            {To: names, All: true, Rest: "stop"},
		"the site is slow today":      {Rest: "the site is slow today"},
		"fix it like in site":         {Rest: "fix it like in site"},
		"fix it, but not in site":     {Rest: "fix it, but not in site"},
		"fix it in site, not in shop": {Rest: "fix it in site, not in shop"},
		"I like the site":             {Rest: "I like the site"},
		"I opened website":            {Rest: "I opened website"},
		"look at http://site/x: bad":  {Rest: "look at http://site/x: bad"},
	} {
		require.Equal(t, want, AddressOf(text, names), text)
	}
	require.Equal(t, Address{Rest: "fix it in site"}, AddressOf("fix it in site", nil))
	it := []string{"it", "web"}
	for text, to := range map[string][]string{
		"fix it": nil, "push it": nil, "fix it, please": nil, "fix it, web": {"web"},
		"fix it in `it`": {"it"},
	} {
		require.Equal(t, to, AddressOf(text, it).To, text)
	}
	require.True(t, Address{To: []string{"site"}}.Names("site"))
}

func FuzzAddressOf(f *testing.F) {
	for _, text := range []string{"fix it in site", "site: x", "fix both", "shop and site, please"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := AddressOf(text, []string{"shop", "site"})
		if a.To == nil {
			require.Equal(t, text, a.Rest)
		}
		require.LessOrEqual(t, len(a.Rest), len(text)+len(" it"))
	})
}

func TestMentionsOther(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"fix the site only":         true,
		"fix it at site only":       true,
		"fix it in site/a.html":     true,
		"fix it, but leave shop":    false,
		"fix it in web-site only":   false,
		"fix it in website only":    false,
		"fix it in site-admin only": false,
	} {
		require.Equal(t, want, MentionsOther(text, "shop", []string{"shop", "site", "it"}), text)
	}
}
