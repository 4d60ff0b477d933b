package diff

import (
	"path"
	"slices"
	"strings"
)

// WiderEffect describes what a change decides beyond the code itself, such as what runs with the
// repository's credentials, who has to review, or what is installed from elsewhere. It returns an empty
// string for all other changes. Case is ignored, because some programs that read these files ignore it.
func (c Change) WiderEffect() string {
	if words := c.outsideReader(); words != "" {
		return words
	}
	switch {
	case strings.Contains(c.Mode, "submodule"):
		return "decides which commit of another repository belongs to this one"
	case strings.Contains(c.Mode, "symlink"):
		return "is or was a link to another file"
	case strings.Contains(c.Mode, "executable") && (c.Kind == "added" || c.Mode != "executable"):
		return "can be run as a program, or no longer"
	}
	return ""
}

// outsideReader says what the file decides if programs outside the repository read it,
// or returns an empty string.
func (c Change) outsideReader() string {
	folder, name := path.Split(strings.ToLower(c.Path))
	for _, kind := range wideKinds {
		if kind.matchesFile("/"+folder, name) {
			return kind.words
		}
	}
	return ""
}

// DecidesCI reports whether the file decides what CI runs.
func (c Change) DecidesCI() bool { return c.outsideReader() == wideKinds[0].words }

// IsBesideCode reports whether the change has a wider effect and no test can show it: the file is read
// outside the repository, is a submodule, or changed in nothing but whether it is a program.
func (c Change) IsBesideCode() bool {
	return c.outsideReader() != "" || strings.Contains(c.Mode, "submodule") ||
		c.Kind == "modified" && strings.Contains(c.Mode, "executable") &&
			!strings.Contains(c.Mode, "symlink") && !c.Binary && c.Added+c.Removed == 0
}

// packageFiles are path.Match patterns of the files that name packages, in any folder.
var packageFiles = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "package.json", "package-lock.json", "npm-shrinkwrap.json",
	"yarn.lock", "pnpm-lock.yaml", "pyproject.toml", "poetry.lock", "uv.lock", "pdm.lock", "pipfile",
	"pipfile.lock", "*requirements*.txt", "*requirements*.in", "cargo.toml", "cargo.lock", "gemfile",
	"gemfile.lock",
}

// NamesPackages reports whether a file that names packages was modified, such as for another version.
func (c Change) NamesPackages() bool {
	if c.Kind != "modified" || c.Mode != "" {
		return false
	}
	name := path.Base(strings.ToLower(c.Path))
	for _, pattern := range packageFiles {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// wideFiles are files that programs outside the repository read.
type wideFiles struct {
	words   string
	folders []string // anywhere in the tree, with a slash at both ends
	names   []string // path.Match patterns, in any folder
}

// wideKinds says what each kind of file does. The words continue a line that begins with a file's name,
// such as "main.yml …". The first kind is what CI reads.
var wideKinds = []wideFiles{
	{
		words: "decides what runs with the repository's credentials",
		folders: []string{
			"/.github/workflows/", "/.github/actions/", "/.gitlab/ci/", "/.circleci/", "/.buildkite/",
			"/.woodpecker/", "/.gitea/workflows/", "/.forgejo/workflows/", "/.tekton/", "/.teamcity/",
			"/.azure-pipelines/", "/.semaphore/", "/.cirrus/",
		},
		names: []string{
			"*.gitlab-ci.yml", "*.gitlab-ci.yaml", "jenkinsfile*", "*.jenkinsfile", "azure-pipelines*.yml",
			"azure-pipelines*.yaml", "bitbucket-pipelines.yml", ".travis.yml", "appveyor.yml",
			".appveyor.yml", ".drone.yml", ".drone.yaml", ".woodpecker.yml", ".woodpecker.yaml",
			".cirrus.yml", "cloudbuild*.yml", "cloudbuild*.yaml", "buildspec*.yml", "action.yml",
			"action.yaml", "dependabot.yml", "dependabot.yaml", "renovate.json", "renovate.json5",
			".renovaterc", ".renovaterc.json",
		},
	},
	{
		words: "decides what git runs on the machines of people who work here",
		folders: []string{
			"/.githooks/", "/githooks/", "/git-hooks/", "/.git-hooks/", "/.husky/", "/.lefthook/", "/.hooks/",
		},
		names: []string{
			".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "lefthook*.yml",
			"lefthook*.yaml", ".lefthook*.yml", ".lefthook*.yaml", ".huskyrc*", ".gitattributes",
		},
	},
	{
		words:   "decides what coding agents are told here",
		folders: []string{"/.cursor/rules/", "/.claude/", "/.github/instructions/"},
		names: []string{
			"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md",
			"copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules",
		},
	},
	{words: "decides who has to review what", names: []string{"codeowners"}},
	{words: "decides which other repositories are fetched", names: []string{".gitmodules"}},
	{
		words: "decides which code of others is installed",
		names: []string{
			"go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock",
			"pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "cargo.lock", "poetry.lock",
			"uv.lock", "pdm.lock", "pipfile.lock", "conda-lock.yml", "gemfile.lock", "composer.lock",
			"mix.lock", "pubspec.lock", "podfile.lock", "package.resolved", "flake.lock",
			"gradle.lockfile", "buildscript-gradle.lockfile", "verification-metadata.xml",
			"packages.lock.json", "paket.lock", "stack.yaml.lock", "cabal.project.freeze",
			"module.bazel.lock",
		},
	},
}

func (w wideFiles) matchesFile(folder, name string) bool {
	return slices.ContainsFunc(w.folders, func(f string) bool { return strings.Contains(folder, f) }) ||
		slices.ContainsFunc(w.names, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
}
