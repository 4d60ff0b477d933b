package packages

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
)

// giveGit serves a git repository with these files at path, over plain HTTP files, and returns its commit.
func (r registry) giveGit(t *testing.T, path string, tree files) (commit string) {
	t.Helper()
	dir, bare := t.TempDir(), filepath.Join(t.TempDir(), "bare")
	for name, text := range tree {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	git("tag", "v1.0.0")
	git("clone", "-q", "--bare", dir, bare)
	git("-C", bare, "update-server-info")
	require.NoError(t, filepath.WalkDir(bare, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		rel, _ := filepath.Rel(bare, file)
		r.Give(path+"/"+filepath.ToSlash(rel), text)
		return err
	}))
	return git("rev-parse", "HEAD")
}

// gitJob returns a fetcher and a job that may use a git host in addition to the registry. The certificate of
// the git host is not trusted.
func gitJob(t *testing.T, tree files) (*Fetcher, Job, registry) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		// The package managers run git themselves, and the host's repository is made by it.
		t.Skip("git is not installed")
	}
	f, j, r := fetching(t, box(t), tree)
	j.Config.Env = append(j.Config.Env, "GIT_SSL_NO_VERIFY=1", "NODE_TLS_REJECT_UNAUTHORIZED=0", "npm_config_strict_ssl=false")
	j.Config.Allow = []string{registryHost, packagestest.Elsewhere}
	return f, j, r
}

// A dependency from a git host is fetched if the host is allowed, even if the manifest has its ssh address.
// Otherwise it is refused, and the failure names the setting that allows it.
func TestNodePackageAtAGitHost(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version && git --version")
	shop := files{"package.json": `{"name":"left-shop","version":"1.0.0","main":"index.js"}`, "index.js": "module.exports = 'from git';\n"}
	for name, address := range map[string]string{"https": "git+https://evil.example/git/left-shop.git", "ssh": "git+ssh://git@evil.example/git/left-shop.git"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := files{"package.json": ""}
			f, j, r := gitJob(t, tree)
			commit := r.giveGit(t, "/git/left-shop.git", shop)
			tree["package.json"] = `{"name":"shop","version":"1.0.0","dependencies":{"left-shop":"` + address + `#` + commit + `"}}`
			j.Commits, j.Commit = mirrorOf(t, tree)
			out, err := run(t, f.Sandbox, fetch(t, f, j), tree, `node -p 'require("left-shop")'`)
			require.NoError(t, err, out)
			require.Equal(t, "from git\n", out)

			j.Config.Allow = nil
			e := failure(t, f, j)
			require.Equal(t, "`npm install` was refused `evil.example`", e.Why)
			require.Equal(t, "if that is meant, `setup: {allow: [packages.example, registry.npmjs.org, evil.example]}` in the configuration", e.Cure)
		})
	}
}

func TestNodePackageInAnArchiveElsewhere(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version")
	tree := files{"package.json": `{"name":"shop","version":"1.0.0","dependencies":{"left-shop":"https://evil.example/npm/left-shop/-/left-shop-1.0.0.tgz"}}`}
	f, j, _ := gitJob(t, tree)
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, `node -p 'require("left-shop")'`)
	require.NoError(t, err, out)
}

func TestCrateAtAGitHost(t *testing.T) {
	t.Parallel()
	able(t, box(t), "cargo --version && git --version")
	tree := files{
		"Cargo.toml":  "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nleft-shop = { git = \"ssh://git@evil.example/git/crate.git\" }\n",
		"src/main.rs": "fn main() { println!(\"{}\", left_shop::HELLO) }\n",
	}
	f, j, r := gitJob(t, tree)
	r.giveGit(t, "/git/crate.git", files{"Cargo.toml": "[package]\nname = \"left-shop\"\nversion = \"1.0.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub const HELLO: &str = \"from git\";\n"})
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, "cargo run -q --target-dir /tmp/t")
	require.NoError(t, err, out)
	require.Contains(t, out, "from git")
}

func TestModuleAtAGitHost(t *testing.T) {
	t.Parallel()
	able(t, box(t), "go version && git --version")
	tree := files{"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire evil.example/git/greet.git v1.0.0\n", "a.go": "package shop\n\nimport greet \"evil.example/git/greet.git\"\n\nconst Hello = greet.Hello\n"}
	f, j, r := gitJob(t, tree)
	r.giveGit(t, "/git/greet", files{"go.mod": "module evil.example/git/greet.git\n\ngo 1.24\n", "greet.go": "package greet\n\nconst Hello = \"from git\"\n"})
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, "go build ./... && echo built")
	require.NoError(t, err, out)
	require.Contains(t, out, "built")
}

// The package is built in the sandbox, because there is no other way to install it.
func TestPythonPackageAtAGitHost(t *testing.T) {
	t.Parallel()
	able(t, box(t), "python3 -m pip --version && git --version")
	tree := files{"requirements.txt": "left-shop @ git+ssh://git@evil.example/git/left.git\n"}
	f, j, r := gitJob(t, tree)
	r.giveGit(t, "/git/left.git", files{
		"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n[project]\nname = 'left-shop'\nversion = '1.0.0'\n",
		"backend.py": `import os, zipfile
def build_wheel(directory, settings=None, metadata=None):
    name = "left_shop-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as z:
        z.writestr("left_shop.py", "HELLO = 'from git'\n")
        z.writestr("left_shop-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: left-shop\nVersion: 1.0.0\n")
        z.writestr("left_shop-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr("left_shop-1.0.0.dist-info/RECORD", "")
    return name
`,
	})
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, "python3 -c 'import left_shop; print(left_shop.HELLO)'")
	require.NoError(t, err, out)
	require.Equal(t, "from git\n", out)
}
