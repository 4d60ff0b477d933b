package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hooks are the names of git's hooks.
var hooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge",
	"pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
	"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate",
	"fsmonitor-watchman", "post-index-change",
}

// hostileSettings put a git directory into the files, as a command may leave it there, with settings that
// make git run programs. The controls run git by hand in a clone with the same settings.
func hostileSettings() []hostile {
	return []hostile{
		{
			line: "R1", name: "fsmonitor",
			arrive: func(l *lab, dir string) {
				l.settings(dir, "[core]", "fsmonitor = "+l.touch("fsmonitor"))
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.env.refused(t, "read_file", args{"path": ".git/config"}),
					".git directory is not part of the workspace")
			},
			naive: naively("status"), finds: executed,
		},
		{
			line: "R1", name: "an included file", tree: func(l *lab) files {
				return files{"dev.gitconfig": "[core]\n\tfsmonitor = " + l.touch("include") + "\n"}
			},
			arrive: func(l *lab, dir string) { l.settings(dir, "[include]", "path = ../dev.gitconfig") },
			naive:  naively("status"), finds: executed,
		},
		{
			line: "R1", name: "filters for new content", tree: withAttributes,
			arrive: func(l *lab, dir string) {
				l.settings(dir, `[filter "evil"]`, "clean = "+l.touch("clean")+"; cat")
			},
			naive: naively("add", "-A"), finds: executed,
		},
		{
			line: "R1", name: "a program that shows differences", tree: withAttributes,
			arrive: func(l *lab, dir string) {
				l.settings(dir, "[diff]", "external = "+l.touch("external"), `[diff "evil"]`,
					"textconv = "+l.touch("textconv")+"; cat")
			},
			naive: naively("diff"), finds: executed,
		},
		{
			line: "R1", name: "a program that signs",
			arrive: func(l *lab, dir string) {
				put(l.t, dir, "sign.sh", "#!/bin/sh\n"+l.touch("gpg")+"\n")
				require.NoError(l.t, os.Chmod(filepath.Join(dir, "sign.sh"), 0o755))
				l.settings(dir, "[commit]", "gpgsign = true", "[gpg]", "program = ./sign.sh")
			},
			naive: naively("commit", "-qam", "mine"), finds: executed,
		},
		{
			line: "R1", name: "programs that reach the remote",
			arrive: func(l *lab, dir string) {
				l.settings(dir, "[core]", "sshCommand = "+l.touch("ssh"), "askPass = "+l.touch("askpass"),
					"gitProxy = "+l.touch("proxy"),
					`[remote "origin"]`, "url = ssh://git@localhost/shop.git",
					"uploadpack = "+l.touch("uploadpack"), "receivepack = "+l.touch("receivepack"),
					"[credential]", `helper = "!`+l.touch("credential")+`"`)
			},
			naive: naively("fetch"), finds: executed,
		},
	}
}

// hostileGits are other ways to make git run programs.
func hostileGits() []hostile {
	return []hostile{
		{
			line: "R2", name: "hooks of every name", tree: func(l *lab) files {
				tree := files{}
				for _, name := range hooks {
					tree["hooks/"+name+"*"] = "#!/bin/sh\n" + l.touch(name) + "\n"
				}
				return tree
			},
			arrive: func(l *lab, dir string) {
				l.settings(dir, "[core]", "hooksPath = hooks")
				for _, name := range hooks {
					put(l.t, dir, ".git/hooks/"+name, "#!/bin/sh\n"+l.touch("own-"+name)+"\n")
					require.NoError(l.t, os.Chmod(filepath.Join(dir, ".git/hooks", name), 0o755))
				}
			},
			naive: naively("commit", "-qam", "mine"), finds: executed,
		},
		{
			line: "R3", name: "attributes that ask for programs", tree: withAttributes,
			arrive: func(l *lab, dir string) {
				l.settings(dir, `[filter "evil"]`, "smudge = "+l.touch("smudge")+"; cat", `[merge "evil"]`,
					"driver = "+l.touch("driver"))
			},
			naive: naively("checkout", "--", "."), finds: executed,
		},
		{
			line: "R4",
			name: "a bare repository in a folder",
			tree: func(l *lab) files {
				return files{
					"fixture/HEAD":         "ref: refs/heads/main\n",
					"fixture/objects/keep": "",
					"fixture/refs/keep":    "",
					"fixture/config": "[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n" +
						"\tfsmonitor = " + l.touch("bare") + "\n",
				}
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.ask("list_files", args{"path": "fixture"}), "fixture/config")
			},
			naive: func(l *lab, dir string) { _, _ = l.try(filepath.Join(dir, "fixture"), "status") },
			finds: executed,
		},
		{
			line: "R4",
			name: "a repository within",
			arrive: func(l *lab, dir string) {
				put(l.t, dir, "vendor/lib/lib.txt", "a library\n")
				l.settings(filepath.Join(dir, "vendor/lib"), "[core]", "fsmonitor = "+l.touch("nested"))
			},
			play: func(t testing.TB, l *lab) {
				listed := l.ask("list_files", args{"path": "vendor"})
				require.Contains(t, listed, "vendor/lib/lib.txt")
				require.NotContains(t, listed, ".git")
			},
			naive: func(l *lab, dir string) { _, _ = l.try(filepath.Join(dir, "vendor/lib"), "status") },
			finds: executed,
		},
		{
			line: "R5", name: "a file that points at a git directory",
			arrive: func(l *lab, dir string) {
				elsewhere := filepath.Join(l.dir, "elsewhere")
				l.settings(elsewhere, "[core]", "fsmonitor = "+l.touch("gitfile"), "worktree = "+dir)
				require.NoError(l.t, os.RemoveAll(filepath.Join(dir, ".git")))
				put(l.t, dir, ".git", "gitdir: "+filepath.Join(elsewhere, ".git")+"\n")
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.env.refused(t, "read_file", args{"path": ".git"}),
					"not part of the workspace")
			},
			naive: naively("status"), finds: executed,
		},
		{
			line: "R6", name: "submodules from everywhere", tree: func(l *lab) files {
				pin := "@" + strings.Repeat("1", 40)
				return files{
					".gitmodules": "[submodule \"a\"]\n\tpath = a\n\turl = " + l.trap.url +
						"/a.git\n[submodule \"b\"]\n\tpath = b\n\turl = ext::sh -c \"" + l.touch("ext") +
						"\"\n[submodule \"c\"]\n\tpath = c\n\turl = file://" +
						l.outside + "\n[submodule \"d\"]\n\tpath = d\n\turl = ../../outside\n" +
						"[submodule \"e\"]\n\tpath = e\n\turl = -u./evil\n",
					"a": pin, "b": pin, "c": pin, "d": pin, "e": pin,
				}
			},
			play: func(t testing.TB, l *lab) {
				entries, err := os.ReadDir(filepath.Join(l.env.Workspace.Files(), "a"))
				require.NoError(t, err)
				require.Empty(t, entries)
				refusesSubmodules(t, l)
			},
			// Of these URLs, git 2.39 itself refuses ext:: and file://, and follows http.
			naive: func(l *lab, dir string) { _, _ = l.try(dir, "submodule", "update", "--init", "a") },
			finds: asked,
		},
	}
}

// refusesSubmodules checks that no file in one of the submodules a and b can be written.
func refusesSubmodules(t testing.TB, l *lab) {
	t.Helper()
	for _, name := range []string{"a/x", "a", "b/c/d"} {
		require.Contains(t, l.env.refused(t, "write_file", args{"path": name, "content": "x"}),
			"may not be changed: it is in the submodule "+name[:1])
	}
	l.env.ok(t, "write_file", args{"path": "ab/x", "content": "x"}) // the control
}

// hostileRenames turn an ordinary folder into a git directory.
func hostileRenames() []hostile {
	return []hostile{
		{
			line: "T14", name: "a git directory made by renaming", tree: func(*lab) files {
				return files{"dot/hooks/post-checkout*": "#!/bin/sh\n", "dot/config": "[core]\n"}
			},
			play: func(t testing.TB, l *lab) {
				for _, patch := range []string{
					"*** Update File: dot/config\n*** Move to: .git/config\n-[core]\n+[alias]",
					"*** Add File: .git/hooks/pre-commit\n+x", "*** Add File: .GIT/config\n+x",
					"*** Add File: sub/.git\n+x",
				} {
					require.Contains(t, l.env.refused(t, "apply_patch", args{
						"patch": "*** Begin Patch\n" + patch + "\n*** End Patch",
					}), "not part of the workspace")
				}
				require.Contains(t, l.env.refused(t, "write_file", args{
					"path":    "sub/.git/hooks/pre-push",
					"content": "x",
				}), "not part of the workspace")
				require.Contains(t, l.ask("run", args{
					"command": "git init -q . && git config core.fsmonitor '" + l.touch("own") +
						"' && mv dot/hooks/post-checkout .git/hooks/ && git status --short | head -1",
				}), "exit code 0")
				require.DirExists(t, filepath.Join(l.env.Workspace.Files(), ".git/hooks"))
			},
			naive: func(l *lab, dir string) {
				l.git(dir, "config", "core.fsmonitor", l.touch("own"))
				_, _ = l.try(dir, "status")
			}, finds: executed,
		},
	}
}

func withAttributes(*lab) files {
	return files{".gitattributes": "* filter=evil diff=evil merge=evil\n"}
}

// naively returns a control that runs git by hand.
func naively(args ...string) func(l *lab, dir string) {
	return func(l *lab, dir string) {
		put(l.t, dir, "app.txt", "price = 9\n")
		_, _ = l.try(dir, args...)
	}
}
