package diff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

func TestWiderEffect(t *testing.T) {
	t.Parallel()
	for words, changes := range map[string][]diff.Change{
		"decides what runs with the repository's credentials": {
			{Path: ".github/workflows/ci.yml", Kind: "modified"},
			{Path: ".GitHub/Workflows/CI.yml", Kind: "added"},
			{Path: ".github/actions/build/run.sh", Kind: "deleted"},
			{Path: ".gitlab-ci.yml"},
			{Path: "ci/test.gitlab-ci.yml"},
			{Path: "Jenkinsfile"},
			{Path: "deploy/Jenkinsfile.release"},
			{Path: ".circleci/config.yml"},
			{Path: "azure-pipelines.yml"},
			{Path: "bitbucket-pipelines.yml"},
			{Path: ".travis.yml"},
			{Path: "action.yml"},
			{Path: ".github/dependabot.yml"},
			{Path: ".github/workflows/link.yml", Kind: "added", Mode: "symlink"},
		},
		"decides what git runs on the machines of people who work here": {
			{Path: ".githooks/pre-push", Kind: "added", Mode: "executable"},
			{Path: ".husky/pre-commit"},
			{Path: "tools/git-hooks/x"},
			{Path: ".pre-commit-config.yaml"},
			{Path: "lefthook-local.yml"},
			{Path: "sub/.gitattributes"},
		},
		"decides what coding agents are told here": {
			{Path: "AGENTS.md", Kind: "added"},
			{Path: "web/CLAUDE.md"},
			{Path: ".github/copilot-instructions.md"},
			{Path: ".cursor/rules/money.mdc"},
		},
		"decides who has to review what": {
			{Path: "CODEOWNERS"}, {Path: ".github/CODEOWNERS"}, {Path: "docs/codeowners"},
		},
		"decides which other repositories are fetched": {{Path: ".gitmodules", Kind: "added"}},
		"decides which code of others is installed": {
			{Path: "go.sum"},
			{Path: "web/package-lock.json"},
			{Path: "yarn.lock"},
			{Path: "pnpm-lock.yaml"},
			{Path: "Cargo.lock"},
			{Path: "poetry.lock"},
			{Path: "Gemfile.lock"},
		},
		"decides which commit of another repository belongs to this one": {
			{Path: "vendor/x", Kind: "added", Mode: "submodule"},
			{Path: "x", Kind: "modified", Mode: "file is now a submodule"},
		},
		"is or was a link to another file": {
			{Path: "a", Kind: "added", Mode: "symlink"},
			{Path: "a", Kind: "deleted", Mode: "symlink"},
			{Path: "a", Kind: "modified", Mode: "symlink is now a file"},
		},
		"can be run as a program, or no longer": {
			{Path: "run.sh", Kind: "added", Mode: "executable"},
			{Path: "run.sh", Kind: "modified", Mode: "now executable"},
			{Path: "run.sh", Kind: "modified", Mode: "no longer executable"},
		},
		"": {
			{Path: "main.go", Kind: "modified"},
			{Path: "run.sh", Kind: "modified", Mode: "executable"},
			{Path: "run.sh", Kind: "deleted", Mode: "executable"},
			{Path: "go.mod"},
			{Path: "docs/agents.txt"},
			{Path: "workflows/ci.yml"},
			{Path: "docs/go.sum.md"},
			{Path: "github/workflows/x.go"},
			{Path: "lock.go"},
			{Path: "reaction.yml"},
			{Path: "notes/jenkins.md"},
			{Path: "yarn.lock.go"},
		},
	} {
		for _, c := range changes {
			require.Equal(t, words, c.WiderEffect(), c)
		}
	}
}

func TestFilesThatNamePackages(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"go.mod", "web/package-lock.json", "requirements-dev.txt", "Gemfile.lock"} {
		require.True(t, diff.Change{Path: file, Kind: "modified"}.NamesPackages(), file)
		require.False(t, diff.Change{Path: file, Kind: "added"}.NamesPackages(), file)
	}
	require.False(t, diff.Change{Path: "notes.txt", Kind: "modified"}.NamesPackages())
	require.False(t, diff.Change{Path: "go.mod", Kind: "modified", Mode: "submodule"}.NamesPackages())
}

// TestWhatIsBesideTheCode checks that a program or a link is code, and that a file for programs
// outside the repository is not.
func TestWhatIsBesideTheCode(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool][]diff.Change{
		true: {
			{Path: ".github/workflows/ci.yml", Kind: "modified", Added: 1},
			{Path: "lib", Kind: "modified", Mode: "submodule"},
			{Path: "deploy.sh", Kind: "modified", Mode: "now executable"},
		},
		false: {
			{Path: "cart.py", Kind: "modified", Added: 1},
			{Path: "cart.py", Kind: "modified", Mode: "now executable", Added: 1},
			{Path: "refund", Kind: "modified", Mode: "now executable", Binary: true},
			{Path: "refund", Kind: "added", Mode: "executable", Added: 3},
			{Path: "cart.py", Kind: "modified", Mode: "file is now a symlink"},
			{Path: "cart.py", Kind: "modified", Mode: "symlink is now a executable"},
		},
	} {
		for _, c := range list {
			require.Equal(t, want, c.IsBesideCode(), c)
		}
	}
}
