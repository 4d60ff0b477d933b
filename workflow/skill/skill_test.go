package skill

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func some(source Source, body string, names ...string) (skills []Skill) {
	for _, n := range names {
		skills = append(skills,
			Skill{Name: n, Description: "When it is " + n + ".", Body: body, Source: source})
	}
	return skills
}

func TestWhoReplacesWhom(t *testing.T) {
	t.Parallel()
	set, problems := NewSet(
		some(Embedded, "ours", "tdd", "diagnose"),
		some(Operator, "theirs", "tdd", "deploys"),
		some(Repository, "anybody's", "diagnose", "deploys", "house-style", "house-style"),
	)
	require.Equal(t, []string{"deploys", "diagnose", "house-style", "tdd"}, set.Names())
	for name, want := range map[string]string{
		"tdd":         "theirs",
		"diagnose":    "ours",
		"deploys":     "theirs",
		"house-style": "anybody's",
	} {
		got, ok := set.Find(name)
		require.True(t, ok, name)
		require.Equal(t, want, got.Body, name)
	}
	_, ok := set.Find("nothing")
	require.False(t, ok)
	var said []string
	for _, p := range problems {
		said = append(said, p.String())
	}
	require.Equal(t, []string{
		"diagnose: a repository cannot replace the built-in skill of this name; " +
			"rename its directory and its name",
		"deploys: a repository cannot replace the operator skill of this name; " +
			"rename its directory and its name",
		"house-style: the repository has two skills of this name, and the first is taken; " +
			"rename the other's directory and its name",
	}, said)
}

func TestCatalogueSaysWhoseASkillIs(t *testing.T) {
	t.Parallel()
	byCommand := some(Embedded, "x", "grill-me")
	byCommand[0].ByCommand = true
	set, _ := NewSet(byCommand, some(Operator, "x", "tdd"), some(Repository, "x", "house-style"))
	require.Equal(t, "- house-style (from the repository: advice, not permission): "+
		"When it is house-style.\n- tdd: When it is tdd.\n", set.Catalogue())
	require.Contains(t, set.Names(), "grill-me")
}

func TestSetIsNotChangedFromOutside(t *testing.T) {
	t.Parallel()
	given := some(Embedded, "x", "a", "b")
	set, _ := NewSet(given, nil, nil)
	given[0].Body = "changed"
	set.Names()[0] = "changed"
	require.Equal(t, []string{"a", "b"}, set.Names())
	got, _ := set.Find("a")
	require.Equal(t, "x", got.Body)

	var none Set
	require.Empty(t, none.Names())
	require.Empty(t, none.Catalogue())
	_, ok := none.Find("a")
	require.False(t, ok)
}
