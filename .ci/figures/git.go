package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// runGit runs the git program in dir without system or user configuration, and returns its trimmed output.
func runGit(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=ada@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// A repository is Go's own source as a bare repository that git packed and as a mirror of the bot. Its
// history has one commit for each of repositorySizes.
type repository struct {
	work   string // work tree, checked out at the largest commit
	remote string
	mirror *git.Mirror
	bases  []string // the commits, in the order of repositorySizes
}

// repositorySizes are numbers of files, close to those of prometheus, moby and kubernetes.
var repositorySizes = []int{1_700, 13_000, 23_000}

// repository returns the repository of this run; the first call creates it.
func (b *bench) repository(ctx context.Context) (*repository, error) {
	if b.source != nil {
		return b.source, nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, skipped{"there is no git program here; apt-get install git"}
	}
	r := &repository{work: filepath.Join(b.dir, "source"), remote: filepath.Join(b.dir, "source.git")}
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	if _, err := runGit(ctx, b.dir, "clone", "-q", "--bare", "--no-local", r.work, r.remote); err != nil {
		return nil, err
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(b.dir, "mirrors"), Log: b.log}
	var err error
	r.mirror, err = mirrors.Open(ctx, remote.Remote{Name: "go", URL: r.remote})
	b.source = r
	return r, err
}

// fill commits the source files of the installed Go. Where there are not enough, it adds the same files again
// in another folder, each with one more line.
func (r *repository) fill(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	names, err := sourceFiles(strings.TrimSpace(string(out)))
	if err != nil {
		return err
	}
	if err := os.Mkdir(r.work, 0o755); err != nil {
		return err
	}
	if _, err := runGit(ctx, r.work, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	copied := 0
	for _, size := range repositorySizes {
		for ; copied < size; copied++ {
			round := copied / len(names)
			if err := names[copied%len(names)].copyTo(filepath.Join(r.work, fmt.Sprint("round", round)),
				round); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{"add", "-A", "-f"}, {"commit", "-qm", fmt.Sprint(size, " files")}} {
			if _, err := runGit(ctx, r.work, args...); err != nil {
				return err
			}
		}
		commit, err := runGit(ctx, r.work, "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		r.bases = append(r.bases, commit)
	}
	return nil
}

// A sourceFile is one file of Go's source: its path name below root.
type sourceFile struct{ root, name string }

// sourceFiles returns the regular files of at most 1 MB below src and test of root, in lexical order within
// each.
func sourceFiles(root string) (names []sourceFile, err error) {
	for _, part := range []string{"src", "test"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".git") {
				return err
			}
			if i, err := d.Info(); err != nil || i.Size() > 1<<20 {
				return err
			}
			name, err := filepath.Rel(root, path)
			names = append(names, sourceFile{root, name})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there are no source files in %s", root)
	}
	return names, nil
}

func (f sourceFile) copyTo(dir string, round int) error {
	text, err := os.ReadFile(filepath.Join(f.root, f.name))
	if err != nil {
		return err
	}
	if round > 0 {
		text = fmt.Appendf(text, "// %d\n", round)
	}
	return writeFile(filepath.Join(dir, f.name), text)
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
