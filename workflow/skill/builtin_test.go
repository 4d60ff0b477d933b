package skill

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The tools of each kind of agent. A skill that names any other tool would send an agent after a tool that
// does not exist.
var (
	everybody = strings.Fields("list_files search read_file outline history load_skill say run")
	worker    = append(strings.Fields("edit_file write_file apply_patch check done blocked"), everybody...)
	lead      = append(strings.Fields("report_root_cause report_diagnosis restate_request delegate ask "+
		"propose_plan consult reply not_for_me finish"), everybody...)
)

// toolName matches a name in backquotes, alone or with arguments.
var toolName = regexp.MustCompile("`([a-z]+(?:_[a-z]+)*)(?: \\{[^`]*\\})?`")

func TestBuiltInSkills(t *testing.T) {
	t.Parallel()
	skills, err := BuiltIn()
	require.NoError(t, err)
	for _, c := range []struct {
		name      string
		byCommand bool
		audience  []string
		needs     []string // tools that the skill has to name, because the program enforces their use
	}{
		{"diagnose", false, slices.Concat(lead, worker), []string{"run", "say", "report_diagnosis"}},
		{"frontend-ui-ux", false, worker, []string{"check", "done"}},
		{"grill-me", true, lead, []string{"ask", "restate_request"}},
		{"start-work", true, lead, []string{"propose_plan", "delegate", "restate_request"}},
		{"tdd", false, worker, []string{"check", "done", "blocked"}},
	} {
		s := skills[0]
		skills = skills[1:]
		require.Equal(t, c.name, s.Name)
		require.Equal(t, Embedded, s.Source)
		require.Equal(t, c.byCommand, s.ByCommand, c.name)
		lines := strings.Count(s.Body, "\n")
		require.True(t, 25 <= lines && lines <= 60, "%s has %d lines", c.name, lines)
		named := toolsIn(s.Body)
		require.Subset(t, c.audience, named, c.name)
		require.Subset(t, named, c.needs, c.name)
		require.LessOrEqual(t, utf8.RuneCountInString(s.Body), 6000,
			"%s takes too much of every request", c.name)
	}
	require.Empty(t, skills)
}

func toolsIn(body string) (names []string) {
	for _, found := range toolName.FindAllStringSubmatch(body, -1) {
		names = append(names, found[1])
	}
	return names
}

// This test is the control of the test above: toolsIn finds a tool that does not exist.
func TestToolsInSeesNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"ask", "no_such_tool", "run"}, toolsIn("Use `ask {question, "+
		"options}` and `no_such_tool`; not `go test` or `!important`, but `run`."))
}

// A skill has to mention what the program refuses, or an agent learns it only by failing.
func TestSkillsSayWhatTheProgramEnforces(t *testing.T) {
	t.Parallel()
	skills, err := BuiltIn()
	require.NoError(t, err)
	set, _ := NewSet(skills, nil, nil)
	for name, words := range map[string][]string{
		"tdd": {
			"`done` is refused for a new test that the program did not see fail",
			"Do not write all the tests first", "A build that breaks does not count",
		},
		"frontend-ui-ux": {
			"at least five components", "4.5:1", "3:1", "prefers-reduced-motion", "`done` is refused",
		},
		"diagnose": {
			"Three to five hypotheses", "confirmed, ruled_out or open", "observed", "inferred", "unproven",
			"word for word",
		},
		"grill-me": {
			"two to four", "twelve is the most", "wrap up", "facts are never asked", "a person confirms it",
		},
		"start-work": {
			"out_of_scope", "acceptance", "risks", "verification", "A plan without tasks is refused",
			"before a person approves the plan",
		},
	} {
		s, ok := set.Find(name)
		require.True(t, ok, name)
		for _, w := range words {
			require.Contains(t, s.Body, w, name)
		}
	}
}

// The catalogue is in every conversation: if one byte differs, an endpoint's prompt cache is useless for
// all that follows.
func TestCatalogueIsAlwaysAlike(t *testing.T) {
	t.Parallel()
	skills, err := BuiltIn()
	require.NoError(t, err)
	set, problems := NewSet(skills, nil, []Skill{{
		Name: "house-style", Description: "How we write SQL.", Body: "x\n", Source: Repository,
	}})
	require.Empty(t, problems)
	golden := filepath.Join("testdata", "catalogue.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(set.Catalogue()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), set.Catalogue(), "if this is meant, run the test with UPDATE_GOLDEN=1")
	slices.Reverse(skills)
	again, _ := NewSet(skills, nil, []Skill{{
		Name: "house-style", Description: "How we write SQL.", Body: "x\n", Source: Repository,
	}})
	require.Equal(t, set.Catalogue(), again.Catalogue())
}

func TestMalformedBuiltInSkillIsAnError(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"tdd/SKILL.md": file("tdd"), "grill-me/SKILL.md": file("grill-me")}
	_, err := readAllValid(tree)
	require.NoError(t, err) // the control

	tree["grill-me/SKILL.md"] = file("another")
	_, err = readAllValid(tree)
	require.EqualError(t, err, "skill: built-in grill-me/SKILL.md: "+
		"its name another is not that of its directory; make them the same")

	_, err = readAllValid(fstest.MapFS{})
	require.EqualError(t, err, "skill: there are no built-in skills")
}
