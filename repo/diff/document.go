package diff

import (
	"path"
	"slices"
	"strings"
)

// IsDocument reports whether the changed file is there for people, or agents, to read: at the top of
// the repository, among its documents, or under a name that says so. Elsewhere a program may read it.
func (c Change) IsDocument() bool {
	folder, name := path.Split(strings.ToLower(c.Path))
	first, _, _ := strings.Cut(folder, "/")
	stem, _, _ := strings.Cut(name, ".")
	return c.Mode == "" && !c.Binary && slices.Contains([]string{".md", ".markdown", ".rst", ".adoc"}, path.Ext(name)) &&
		(folder == "" || first == "docs" || first == "doc" || slices.Contains([]string{"readme", "agents", "claude", "changelog", "contributing"}, stem))
}
