package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// Nobody is told that code does not exist before it was looked for on the other branches that a request may
// be about.

const (
	maxFilesElsewhere = 2000    // that differ on a branch and are searched
	maxFileElsewhere  = 1 << 20 // bytes
	maxLinesElsewhere = 3       // that are shown of a branch
	timeElsewhere     = 3 * time.Second
)

// pathElsewhere returns a sentence with the branches that have a path which the workspace does not have, or
// an empty string.
func (e *Env) pathElsewhere(path string) string {
	var on []string
	for _, b := range e.elsewhere() {
		if e.Mirror.Commits().HasPath(b.Commit, path) {
			on = append(on, b.Name)
		}
	}
	if len(on) == 0 {
		return ""
	}
	return fmt.Sprintf(" It exists on %s, which is not the base here.", strings.Join(on, ", "))
}

// searchElsewhere searches the other branches, in files that are not the same on the base. It returns lines
// about what it finds.
func (e *Env) searchElsewhere(ctx context.Context, in searchArgs) string {
	within, cancel := context.WithTimeout(ctx, timeElsewhere)
	defer cancel()
	var text strings.Builder
	for _, b := range e.elsewhere() {
		s, err := find.NewSearch(in.Pattern, in.Literal)
		if err == nil {
			err = e.searchBranch(within, s, b, in)
		}
		if err != nil { // the workspace was searched; what could not be looked at as well is told
			fmt.Fprintf(&text, "[%s could not be searched]\n", b.Name)
			continue
		}
		if lines, more := s.First(maxLinesElsewhere); len(lines) > 0 {
			fmt.Fprintf(&text, "But on %s, which is not the base here:\n%s\n", b.Name,
				strings.Join(lines, "\n"))
			if more > 0 {
				fmt.Fprintf(&text, "[%s there]\n", plaintext.CountNoun(more, "more matching line"))
			}
		}
	}
	return text.String()
}

// searchBranch searches the files of a branch that the base does not have in the same way.
func (e *Env) searchBranch(ctx context.Context, s *find.Search, b git.ReleaseBranch, in searchArgs) error {
	commits := e.Mirror.Commits()
	keep, err := find.PathFilter(in.Path, in.Glob)
	if err != nil {
		return err
	}
	paths, err := commits.PathsSince(ctx, e.Workspace.Base(), b.Commit)
	if err != nil {
		return err
	}
	searched := 0
	for _, p := range paths {
		if !keep(p) || workfile.IsPrivate(p) || e.leavesOut(p) {
			continue
		}
		if searched++; searched > maxFilesElsewhere || ctx.Err() != nil {
			return fmt.Errorf("search %s: %w", b.Name, context.DeadlineExceeded)
		}
		if size, err := commits.FileSize(b.Commit, p); err != nil || size > maxFileElsewhere {
			continue
		}
		data, err := commits.ReadFile(b.Commit, p)
		if err != nil {
			return err
		}
		s.SearchText(ctx, 0, p, data)
	}
	return nil
}

// leavesOut reports whether a path is outside of the part of the repository that is worked on.
func (e *Env) leavesOut(path string) bool {
	return e.Folder != "" && !strings.HasPrefix(path, e.Folder+"/")
}

// elsewhere returns the other branches on which code is looked for.
func (e *Env) elsewhere() []git.ReleaseBranch {
	if e.Elsewhere == nil || e.Mirror == nil {
		return nil
	}
	return e.Elsewhere()
}
