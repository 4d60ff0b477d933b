package worktree

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestMissingPackagesInWords(t *testing.T) {
	t.Parallel()
	refused := packages.Missing{
		Kind:    "node",
		Names:   "package.json",
		Why:     "`npm install` was refused `git.example`",
		Cure:    "if that is meant, `setup: {allow: [registry.npmjs.org, git.example]}` in the configuration",
		Refused: []proxy.Refusal{{Target: "git.example:443", Why: "x"}},
		Output:  "npm error\nnpm error 403",
	}
	require.Equal(t, "I could not fetch the packages that shop needs (package.json): "+
		"`npm install` was refused `git.example`. For my operator: if that is meant, `setup: {allow: "+
		"[registry.npmjs.org, git.example]}` in the configuration. I go on without them; "+
		"builds and tests that need them will fail.",
		FetchFailed("shop", &refused))
	failed := packages.Missing{
		Names: "go.sum",
		Why:   "it failed",
		Output: "a\nnpm error 404 no `x`\nnpm error A complete log of this run can be found in: y\n" +
			"npm error\n",
	}
	require.Equal(t, "The submodule `vendor/'x` (`git.example`) could not be fetched: no token. For my "+
		"operator: give one. I go on without its files; builds and tests that need them will fail.",
		FetchFailed("shop", &packages.Missing{
			Submodule: "vendor/`x", Host: "git.example", Why: "no token", Cure: "give one",
		}))
	lfs := packages.Missing{
		LFSFiles: 3, LFSExample: "a`b.bin", Host: "git.example", Why: "it asks for a login",
		Cure: "give the repository a token",
	}
	require.Equal(t, "The content of 3 files that Git LFS keeps (such as `a'b.bin`, at `git.example`) could "+
		"not be fetched: it asks for a login. For my operator: give the repository a token. I go on without "+
		"that; tests that need it cannot be run here.", FetchFailed("shop", &lfs))
	require.Equal(t, "Not here: the content of 3 files that Git LFS keeps, such as a`b.bin; it asks for a "+
		"login. Tests that need it cannot be run here.",
		describeMissing([]packages.Missing{lfs}, project.Project{Kind: "go", Test: "go test ./..."}))
	require.Contains(t, FetchFailed("shop", &failed), "it failed. It says: `a npm error 404 no 'x'`. I go on")

	some := packages.Missing{
		Names: "package-lock.json", Cure: "give a token",
		Lacking: []packages.Lacking{
			{Name: "left-pad", Version: "1.3.0", Host: "npm.internal.example", Why: "401"}, {Name: "a`b"},
		},
	}
	require.Equal(t, "I could not fetch `left-pad 1.3.0 from npm.internal.example: 401`, `a'b`, which shop "+
		"needs (package-lock.json); the other packages are there. For my operator: give a token. I go on "+
		"without; builds and tests that need it will fail.", FetchFailed("shop", &some))
	require.Equal(t, "Of the packages that package-lock.json names, some are not here: "+
		"`left-pad 1.3.0 from npm.internal.example: 401`, `a'b`. The others are. Build and test as above "+
		"work here only where they need none of them.",
		describeMissing([]packages.Missing{some}, project.Project{Kind: "node", Test: "npm test"}))

	yarn := packages.Missing{
		Kind:  "node",
		Names: "web/yarn.lock",
		Tool:  "yarn",
		Why:   "yarn is not installed here",
	}
	node := project.Project{Kind: "node", Build: "yarn run build", Test: "yarn test"}
	require.Equal(t, "Not here: the packages that package.json names; `npm install` was refused "+
		"`git.example`. Build and test as above work here only where they need none of them.\n"+
		"Not here: the packages that web/yarn.lock names; yarn is not installed here. "+
		"Build and test as above cannot run here.", describeMissing([]packages.Missing{refused, yarn}, node))
	require.Equal(t, "Not here: the packages that web/yarn.lock names; yarn is not installed here.",
		describeMissing([]packages.Missing{yarn}, project.Project{Kind: "go", Test: "go test ./..."}))
}

// What agents are told of an advisory says of each package what can be told, and no more.
func TestDescribeAdvisories(t *testing.T) {
	t.Parallel()
	require.Equal(t, "CVE-2021-23337 is GHSA-x: Command Injection.\n"+
		"- lodash (npm), affected: >= 0, < 4.17.21. package-lock.json has 4.17.20: affected; the first "+
		"fixed version is 4.17.21. yarn.lock has 5.0.0: not affected.\n"+
		"- a (npm). package-lock.json has x: whether that is affected cannot be compared here. "+
		"web/yarn.lock has 1.0.0: affected, and no fixed version is known.\n"+
		"- b (PyPI). This package is in no lock file here that is read.\n"+
		"CVE-2020-11111: none of the 1,234 advisories here has that name, so nothing is known of it.\n"+
		"Only 1,234 advisories were looked at: there may be more.\n"+
		"Too large to be read: big/yarn.lock.\n",
		DescribeAdvisories(packages.Advisories{
			Looked: 1234, Cut: true, Skipped: []string{"big/yarn.lock"},
			Found: []packages.Advisory{
				{
					Name: "CVE-2021-23337", Entries: []string{"GHSA-x: Command Injection"},
					Packages: []packages.AdvisedPackage{
						{
							Ecosystem: "npm", Name: "lodash", Affected: ">= 0, < 4.17.21",
							Installed: []packages.InstalledVersion{
								{
									Version: "4.17.20", File: "package-lock.json", Affected: true,
									Fixed: "4.17.21",
								},
								{Version: "5.0.0", File: "yarn.lock"},
							},
						},
						{
							Ecosystem: "npm", Name: "a", Installed: []packages.InstalledVersion{
								{Version: "x", File: "package-lock.json", Unknown: true},
								{Version: "1.0.0", File: "web/yarn.lock", Affected: true},
							},
						},
						{Ecosystem: "PyPI", Name: "b"},
					},
				},
				{Name: "CVE-2020-11111"},
			},
		}))
}

// What is not known of packages when an agent begins comes with its first command, once.
func TestMissingPackagesThatAreKnownLate(t *testing.T) {
	t.Parallel()
	p := &Checkout{BaseBuilt: make(chan struct{}), fetched: &fetched{done: make(chan struct{})}}
	trees := &Trees{checkout: p, NoticeAfter: time.Nanosecond}
	require.Contains(t, trees.missingFacts(t.Context()), "still being fetched")
	p.fetched.missing = "Not here: x."
	close(p.fetched.done)
	close(p.BaseBuilt)
	for _, want := range []string{"Not here: x.", ""} {
		late, err := trees.LateFacts(t.Context(), p.BaseBuilt)
		require.NoError(t, err)
		require.Equal(t, want, late)
	}
	trees.NoticeAfter = time.Hour
	require.Equal(t, "Not here: x.", trees.missingFacts(t.Context()))
	late, err := trees.LateFacts(t.Context(), p.BaseBuilt)
	require.NoError(t, err)
	require.Empty(t, late, "it was told")
}

// A lock file that a command wrote, and that the fetched packages replace, is not part of the change, also
// if the command was interrupted. A lock file that existed before stays.
func TestLockFilesThatCommandsLeave(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"Cargo.toml": "x", "a/Gemfile.lock": "theirs"})
	w, err := m.Workspace(t.Context(), t.TempDir()+"/work", commits[0])
	require.NoError(t, err)
	defer w.Close()
	trees := &Trees{
		checkout: &Checkout{fetched: &fetched{locks: []string{"Cargo.lock", "a/Gemfile.lock", "a/none"}}},
	}
	for _, ended := range []error{nil, context.Canceled} {
		require.Equal(t, ended, trees.WithoutLockFiles(w, func() error {
			for _, file := range []string{"Cargo.lock", "a/Gemfile.lock", "a/other.lock"} {
				require.NoError(t, os.WriteFile(filepath.Join(w.Files(), file), []byte("written"), 0o644))
			}
			return ended
		}))
		require.NoFileExists(t, filepath.Join(w.Files(), "Cargo.lock"))
	}
	require.FileExists(t, filepath.Join(w.Files(), "a/Gemfile.lock"))
	require.FileExists(t, filepath.Join(w.Files(), "a/other.lock"))
}
