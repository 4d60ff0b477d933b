package tool

import "github.com/bobbinhq/bobbin/workflow/tool/internal/find"

// A Search looks for the lines of files that match a pattern, as the tool search does.
type Search = find.Search

// A Hit is a line that matches.
type Hit = find.Hit

// NewSearch compiles a pattern: RE2, or plain text if it is literal.
func NewSearch(pattern string, literal bool) (*Search, error) {
	return find.NewSearch(pattern, literal)
}
