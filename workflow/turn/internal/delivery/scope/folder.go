package scope

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// Confine takes changes out of the tree that are outside of the configured folder, or of files that Git LFS
// keeps, and says so in the thread. The tools that edit refuse them; commands may make them. If nothing of
// the change is left, gone says of all of it where it stood, for a sentence that begins with "all of it".
func (s *Scope) Confine(ctx context.Context, tree *git.Workspace, task int64) (gone string, err error) {
	if folder := s.Trees.Current().Folder(); folder != "" {
		left, err := s.takeOutPaths(ctx, tree, task,
			fmt.Sprintf("Taken out, since the work is limited to `%s`:", folder),
			func(path string) bool { return !workfile.Within(folder, path) })
		if err != nil || !left {
			return "stands outside of the folder " + folder, err
		}
	}
	left, err := s.takeOutPaths(ctx, tree, task,
		"Taken out, since Git LFS keeps these files, and only people can change them there:", tree.LFSAt)
	if err != nil || left {
		return "", err
	}
	return "is of files that Git LFS keeps", nil
}

// takeOutPaths takes the changes of some paths out of the tree, and says so after why. left is false if no
// part of the change stays.
func (s *Scope) takeOutPaths(
	ctx context.Context, tree *git.Workspace, task int64, why string, is func(path string) bool,
) (left bool, err error) {
	hunks, err := tree.ListHunks(ctx)
	if err != nil {
		return true, err
	}
	var outside []int
	var said []string
	for _, h := range hunks {
		if is(h.Path) {
			outside = append(outside, h.Number)
			if line := "  • `" + strings.ReplaceAll(h.Path, "`", "'") + "`"; !slices.Contains(said, line) {
				said = append(said, line)
			}
		}
	}
	if len(outside) == 0 {
		return true, nil
	}
	if more := len(said) - 20; more > 0 {
		said = append(said[:20], fmt.Sprintf("  • and %d more", more))
	}
	if err := s.SayUnlessNewest(ctx, why+"\n"+strings.Join(said, "\n")); err != nil {
		return true, err
	}
	if _, err := tree.TakeOut(ctx, outside); err != nil {
		return true, fmt.Errorf("take out what may not be changed: %w", err)
	}
	return len(outside) < len(hunks), s.Trees.RecordTree(ctx, tree, task)
}
