package scope

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// ConfineToFolder takes changes outside of the configured folder out of the tree, and says so in the
// thread. The tools that edit stay in the folder by themselves; commands may not. left is false if no
// part of the change is inside.
func (s *Scope) ConfineToFolder(ctx context.Context, tree *git.Workspace, task int64) (left bool, err error) {
	folder := s.Trees.Current().Folder()
	if folder == "" {
		return true, nil
	}
	hunks, err := tree.ListHunks(ctx)
	if err != nil {
		return true, err
	}
	var outside []int
	var said []string
	for _, h := range hunks {
		if !workfile.Within(folder, h.Path) {
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
	text := fmt.Sprintf("Taken out, since the work is limited to `%s`:\n%s", folder, strings.Join(said, "\n"))
	if err := s.SayUnlessNewest(ctx, text); err != nil {
		return true, err
	}
	if _, err := tree.TakeOut(ctx, outside); err != nil {
		return true, fmt.Errorf("take out what stands outside of %s: %w", folder, err)
	}
	return len(outside) < len(hunks), s.Trees.RecordTree(ctx, tree, task)
}
