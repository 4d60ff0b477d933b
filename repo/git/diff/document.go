package diff

import (
	"path"
	"slices"
	"strings"
)

// IsDocument reports whether the changed file is a document for people or agents: a text at the top of
// the repository, in docs or doc, or with a name such as readme. Such a file anywhere else may be read
// by a program.
func (c Change) IsDocument() bool {
	folder, name := path.Split(strings.ToLower(c.Path))
	first, _, _ := strings.Cut(folder, "/")
	stem, _, _ := strings.Cut(name, ".")
	return c.Mode == "" && !c.Binary && slices.Contains([]string{".md", ".markdown", ".rst", ".adoc"}, path.Ext(name)) &&
		(folder == "" || first == "docs" || first == "doc" || slices.Contains([]string{"readme", "agents", "claude", "changelog", "contributing"}, stem))
}
