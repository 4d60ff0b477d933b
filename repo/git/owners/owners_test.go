package owners

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
)

func TestOwnersAsHostsReadThem(t *testing.T) {
	t.Parallel()
	github := Parse(".github/CODEOWNERS", []byte(`# comment
*       @everybody
*.js    @js-owner #inline
/build/logs/ @doctocat
docs/*  docs@example.com
apps/   @octocat
/apps/github
/scripts/ @doctocat @org/team
**/logs @logs
src/app/[id]/ @routes
with\ space/ @space
/my\#file @hash
`))
	for path, want := range map[string][]string{
		"README":                  {"@everybody"},
		"a/b/c.js":                {"@js-owner"},
		"build/logs/x/y":          {"@logs"},
		"docs/getting-started.md": {"docs@example.com"},
		"docs/build/trouble.md":   {"@everybody"},
		"x/apps/y.go":             {"@octocat"},
		"apps/github/main.go":     nil,
		"scripts/a":               {"@doctocat", "@org/team"},
		"deep/down/logs/today":    {"@logs"},
		"src/app/[id]/page.tsx":   {"@routes"},
		"src/app/i/page.tsx":      {"@everybody"},
		"with space/file":         {"@space"},
		"my#file":                 {"@hash"},
	} {
		require.Equal(t, want, github.Of(path), path)
	}

	gitlab := Parse("CODEOWNERS", []byte("* @all\n[Docs][2] @docs-team\ndocs/\n*.md @writers\n^[Database]\n"+
		"model/db/ @dba bad,owner @group/sub/team\n!model/db/generated/\n[docs]\nREADME.md @readme\n"))
	require.Equal(t, []string{"@docs-team", "@all"}, gitlab.Of("docs/a.txt"))
	require.Equal(t, []string{"@readme", "@all"}, gitlab.Of("README.md"), "sections of one name are one")
	require.Equal(t, []string{"@dba", "@group/sub/team", "@all"}, gitlab.Of("model/db/x.sql"))
	require.Equal(t, []string{"@all"}, gitlab.Of("model/db/generated/x.sql"))

	gitea := Parse(".gitea/CODEOWNERS", []byte(".*\\.go @go @org/team\n!.*_test\\.go @go\n(( @broken\n"))
	require.Equal(t, []string{"@go", "@org/team"}, gitea.Of("a/b.go"))
	require.Empty(t, gitea.Of("a/b_test.go"))
}

func TestAHostileFileOwnsNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing but a slash":   "/ @x\n// @x\n! @x\n",
		"a long line":           strings.Repeat("a", maxLine) + " @x\n",
		"too large":             "* @x\n" + strings.Repeat("#\n", MaxFile/2),
		"no owners":             "* \u202e@x <@U123> <!channel> @ @@@ x@ @x|y `@x`\n",
		"bytes":                 "\x00\xff\xfe @x\n[\n[]\n[[a]] @x\n",
		"a backslash at an end": "a\\",
	} {
		require.Empty(t, Parse("CODEOWNERS", []byte(text)).Of("a/b.go"), name)
	}
	stars := Parse("CODEOWNERS",
		[]byte(strings.Repeat("**/*a", 500)+"b @x\n"+strings.Repeat("*", 300)+"b @y\n"))
	require.Empty(t, stars.Of(strings.Repeat("a/", 2000)+"c"), "a pattern of many stars ends")
	var none *File
	require.Empty(t, none.Of("a"))
}

func FuzzOwners(f *testing.F) {
	f.Add("CODEOWNERS", "[a][1] @x\n/a/**/b\\ c @y\n", "a/b c")
	f.Add(".gitea/CODEOWNERS", "(a|b)* @x", "aab")
	f.Fuzz(func(t *testing.T, at, text, path string) {
		for _, o := range Parse(at, []byte(text)).Of(path) {
			if !ownerForm.MatchString(o) {
				t.Fatalf("%q is nobody", o)
			}
		}
	})
}

// written is a History with given content: the commits of each file, newest first, and the commit of
// each line.
type written struct {
	log   map[string][]history.Commit
	lines map[Location]history.Commit
}

func (w written) Log(_ context.Context, _, path string, _ int) ([]history.Commit, error) {
	if w.log[path] == nil {
		return nil, errors.New("no such file")
	}
	return w.log[path], nil
}

func (w written) Blame(_ context.Context, _, path string, line int) (history.Commit, error) {
	c, ok := w.lines[Location{path, line}]
	if !ok {
		return c, errors.New("no such line")
	}
	return c, nil
}

func TestWhoKnows(t *testing.T) {
	t.Parallel()
	by := func(name, email string, year int) history.Commit {
		return history.Commit{
			Hash:   name + email,
			Author: name,
			Email:  email,
			When:   time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC),
		}
	}
	ann := by("Ann", "Ann@x", 2025)
	bea := by("Bea", "bea@x", 2025)
	old := by("Cy", "cy@x", 2005)
	annOnce := by("A. Nonymous", "ann@x", 2024)
	w := written{
		log: map[string][]history.Commit{
			"a.go": {
				by("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", 2025), bea, ann,
				annOnce, old, old, old, old,
			},
			"b.go": {
				by("Renovate Bot", "renovate@x", 2025), by("Bobbin", "bobbin@localhost", 2025),
				by("GitHub", "noreply@github.com", 2025),
			},
		},
		lines: map[Location]history.Commit{{"a.go", 3}: ann},
	}
	var names []string
	people := Experts(t.Context(), w, "",
		[]Location{{"a.go", 3}, {"a.go", 9}, {Path: "b.go"}, {Path: "gone.go"}})
	for _, p := range people {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"Ann", "Bea", "Cy"}, names,
		"who wrote the line, who came newest, and who did most long ago; no program")
	require.Equal(t, []Location{{"a.go", 3}}, people[0].Lines)
	require.Equal(t, 2, people[0].Commits, "one address in two cases is one person")
	require.Empty(t, Experts(t.Context(), w, "", nil))
}
