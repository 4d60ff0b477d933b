package trial

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// languages are the names of languages by the ends of their files.
var languages = map[string]string{
	".go": "Go", ".py": "Python", ".js": "JavaScript", ".cjs": "JavaScript", ".mjs": "JavaScript",
	".jsx": "JavaScript", ".ts": "TypeScript", ".cts": "TypeScript", ".mts": "TypeScript",
	".tsx": "TypeScript", ".rs": "Rust", ".rb": "Ruby", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++",
	".cxx": "C++", ".hpp": "C++", ".hh": "C++", ".java": "Java", ".kt": "Kotlin", ".scala": "Scala",
	".php": "PHP", ".ex": "Elixir", ".exs": "Elixir", ".pl": "Perl", ".pm": "Perl", ".t": "Perl",
	".sh": "Shell", ".bash": "Shell", ".bats": "Shell", ".swift": "Swift", ".cs": "C#", ".vue": "Vue",
	".lua": "Lua", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure", ".erl": "Erlang", ".zig": "Zig",
}

// maxLanguages is how many languages are named.
const maxLanguages = 5

// languagesOf counts the files of each language, except third-party ones.
func languagesOf(paths []string) []Language {
	count := map[string]int{}
	for _, file := range paths {
		name := languages[path.Ext(file)]
		if name != "" && !isForeign(file) {
			count[name]++
		}
	}
	out := []Language{}
	for name, n := range count {
		out = append(out, Language{name, n})
	}
	slices.SortFunc(out, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), strings.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxLanguages)]
}

func isForeign(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool {
		return folder == "node_modules" || folder == "vendor" || folder == "third_party"
	})
}

// submodulesOf returns the submodules of the commit, with the addresses that .gitmodules has for them.
func submodulesOf(ctx context.Context, s Subject) ([]Submodule, error) {
	found, err := s.Commits.Submodules(ctx, s.Commit, s.Repository.Remote)
	out := []Submodule{}
	for _, m := range found {
		out = append(out, Submodule{Path: m.Path, URL: remote.Redact(m.URL)})
	}
	return out, err
}

// lfsOf returns which files are stored in Git LFS, or nil if there are none. Nothing is fetched.
func lfsOf(ctx context.Context, files fs.FS, paths []string) (*LFS, error) {
	kept, err := git.FindLFS(ctx, files, paths)
	if err != nil || len(kept.Patterns) == 0 {
		return nil, err
	}
	found := &LFS{Patterns: kept.Patterns, Files: len(kept.Files) + kept.More}
	if len(kept.Files) > 0 {
		found.Example = kept.Files[0].Path
	}
	return found, nil
}
