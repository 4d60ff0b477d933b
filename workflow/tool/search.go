package tool

import (
	"context"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
)

type searchArgs struct {
	Pattern string `json:"pattern"`
	Glob    string `json:"glob,omitempty"`
	Path    string `json:"path,omitempty"`
	Literal bool   `json:"literal,omitempty"`
	NoTests bool   `json:"no_tests,omitempty"`
}

// search looks for a pattern in the files of a folder, one file, a kept output or an attachment.
func (e *Env) search(ctx context.Context, in searchArgs) (string, error) {
	s, err := find.NewSearch(in.Pattern, in.Literal)
	if err != nil {
		return "", err
	}
	s.Prefix = e.prefix
	if in.NoTests {
		s.LeaveOut = func(path string) bool { return project.IsTest("", path) }
	}
	text, err := s.Run(ctx, func(ctx context.Context) error { return e.searchIn(ctx, s, in) })
	if err != nil || s.Total() > 0 || isKept(in.Path) {
		return text, err
	}
	return text + e.searchElsewhere(ctx, in), nil
}

// isKept reports whether a path is no file of the repository: an output, an attachment or a scratch file.
func isKept(path string) bool {
	_, scratch := scratchPath(path)
	return scratch || strings.HasPrefix(path, output.Prefix) || strings.HasPrefix(path, attachmentPrefix)
}

// searchIn searches what the call names.
func (e *Env) searchIn(ctx context.Context, s *find.Search, in searchArgs) error {
	if kept, ok := strings.CutPrefix(in.Path, output.Prefix); ok {
		c, err := output.LoadOutput(e.OutputDir, kept)
		if err != nil {
			return err
		}
		s.SearchText(ctx, 0, in.Path, c.Data)
		return nil
	}
	if strings.HasPrefix(in.Path, attachmentPrefix) {
		return e.searchAttachment(ctx, s, in.Path)
	}
	if below, ok := scratchPath(in.Path); ok {
		return e.searchScratch(ctx, s, below)
	}
	start, err := e.explored(ctx, in.Path)
	if err != nil {
		return err
	}
	return s.SearchTree(ctx, e.Workspace.Root(), start, in.Glob)
}

// searchScratch searches one file of the scratch folder.
func (e *Env) searchScratch(ctx context.Context, s *find.Search, below string) error {
	at, err := e.Commands.scratch().open(below)
	if err != nil {
		return err
	}
	defer at.close()
	c, err := at.load()
	if err != nil {
		return err
	}
	s.SearchText(ctx, 0, c.Path, c.Data)
	return nil
}
