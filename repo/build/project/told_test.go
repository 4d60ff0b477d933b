package project_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

// A person may name any command. An agent may name what files of the tree define, and nothing that it could
// have made up.
func TestCommandsThatPeopleAndAgentsName(t *testing.T) {
	t.Parallel()
	p := project.Project{Kind: "node", Build: "npm run build", Test: "jest", Written: "jest", From: "x"}
	told := p.Told("make test262 | cat", "said by ann")
	require.Equal(t, project.Project{
		Kind: "node", Build: "npm run build", Test: "make test262 | cat", From: "said by ann",
	}, told)
	for line, want := range map[string]bool{
		"make test262":           true,
		"cd js && make -j2 test": true,
		"cmake -S . -B build && ninja -C build && ctest --test-dir build": true,
		"./scripts/test --all":         true,
		"npm run 'test:unit'":          true,
		"make test; true":              false,
		"make test || true":            false,
		"! make test":                  false,
		"make test | tee log":          false,
		"make test > log":              false,
		"make $(echo test)":            false,
		"echo '--- PASS: TestSplit'":   false,
		"cmake --build build":          false,
		"sh -c 'make test'":            false,
		"/usr/bin/true":                false,
		"../other/test":                false,
		"make test && echo '1 passed'": false,
		"":                             false,
		"make 'unended":                false,
	} {
		_, ok := p.NamedByTree(line, "named by deep")
		require.Equal(t, want, ok, line)
	}
}
