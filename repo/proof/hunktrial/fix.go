package hunktrial

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// findFix collects the hunks that are tried. beside is true if the change also holds something else
// that may affect a test.
func (tr *trialRun) findFix(ctx context.Context) (beside bool, err error) {
	if tr.changes, err = tr.Work.Changes(ctx); err != nil {
		return false, err
	}
	hunks, err := tr.Work.ListHunks(ctx)
	if err != nil {
		return false, err
	}
	wide := map[string]bool{}
	for _, c := range tr.changes {
		wide[c.Path] = c.WiderEffect() != "" || strings.HasPrefix(c.Mode, "too large")
		if project.IsTest(tr.Project.Kind, c.Path) && c.Kind != "deleted" {
			tr.tests = append(tr.tests, c.Path)
		}
	}
	for _, h := range hunks {
		switch {
		case project.IsTest(tr.Project.Kind, h.Path) || isProse(h.Path) || isComment(h):
		case wide[h.Path]:
			beside = true
		default:
			if own, err := tr.onlyTests(ctx, h); err != nil || own {
				if err != nil {
					return false, err
				}
				continue
			}
			tr.fix = append(tr.fix, Hunk{Hunk: h, Numbers: []int{h.Number}, Verdict: Untried, Why: noTime})
		}
	}
	tr.joinMoves()
	return beside, nil
}

// onlyTests reports whether a hunk changes only the tests that a source file holds.
func (tr *trialRun) onlyTests(ctx context.Context, h diff.Hunk) (bool, error) {
	if h.Kind != "modified" || !project.HasTests(tr.Project.Kind, h.Path) {
		return false, nil
	}
	without, err := tr.without(ctx, []int{h.Number})
	if err != nil || len(without) != 1 {
		return false, err
	}
	now, err := fs.ReadFile(tr.Work.FS(), h.Path)
	return string(now) == string(without[0].Content), err
}

// joinMoves joins a deleted file and the new file with most of its lines into one hunk.
func (tr *trialRun) joinMoves() {
	for i := 0; i < len(tr.fix); i++ {
		gone := tr.fix[i]
		if gone.Kind != "deleted" {
			continue
		}
		best, most := -1, 0
		for j, h := range tr.fix {
			if same := sharedLines(gone.Text, h.Text); h.Kind == "added" && len(h.Numbers) == 1 &&
				2*same >= max(gone.Removed, h.Added) && same > most {
				best = j
				most = same
			}
		}
		if best >= 0 {
			tr.fix[best].Numbers = append(tr.fix[best].Numbers, gone.Number)
			tr.fix = slices.Delete(tr.fix, i, i+1)
			i--
		}
	}
}

// sharedLines counts the lines that one text removes and the other adds.
func sharedLines(gone, added string) (n int) {
	left := map[string]int{}
	for line := range strings.Lines(gone) {
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			left[rest]++
		}
	}
	for line := range strings.Lines(added) {
		if rest, ok := strings.CutPrefix(line, "+"); ok && left[rest] > 0 {
			left[rest]--
			n++
		}
	}
	return n
}

// prose matches files that people read or look at.
var prose = regexp.MustCompile(`(?i)\.(?:md|mdx|markdown|rst|adoc|org|css|scss|sass|less|png|jpe?g|gif|svg|` +
	`webp|ico|woff2?|ttf|pdf)$|(?:^|/)(?:licen[cs]e|copying|notice|authors|contributors|changelog|changes|` +
	`history|news|readme|todo)(?:\.txt)?$`)

// isProse reports whether no test is expected to depend on a file.
func isProse(file string) bool { return prose.MatchString(file) }

// comments maps a file's suffix to the beginning of a comment line.
var comments = map[string]string{
	".go": "//", ".js": "//", ".jsx": "//", ".mjs": "//", ".cjs": "//", ".ts": "//", ".tsx": "//",
	".mts": "//", ".cts": "//", ".rs": "//", ".java": "//", ".kt": "//", ".c": "//", ".h": "//",
	".cc": "//", ".cpp": "//", ".hpp": "//", ".cs": "//", ".swift": "//", ".php": "//", ".py": "#",
	".rb": "#", ".sh": "#", ".toml": "#", ".yml": "#", ".yaml": "#", ".ex": "#", ".sql": "--", ".lua": "--",
}

// directive matches a comment that a compiler or a shell reads.
var directive = regexp.MustCompile(`^(?://[a-z]+:|// ?\+build|//export |#!|# ?-\*-)`)

// isComment reports whether a hunk changes only comments, and perhaps empty lines beside them.
func isComment(h diff.Hunk) bool {
	begin := comments[strings.ToLower(path.Ext(h.Path))]
	if begin == "" || h.Kind != "modified" {
		return false
	}
	named := false
	for line := range strings.Lines(h.Text) {
		if line[0] != '+' && line[0] != '-' {
			continue
		}
		switch text := strings.TrimSpace(line[1:]); {
		case text == "":
		case !strings.HasPrefix(text, begin) || directive.MatchString(text):
			return false
		default:
			named = true
		}
	}
	return named
}
