package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestLinksInDocuments checks that each link of a document to a file of the repository leads to a file or
// folder, and that each anchor leads to a heading of the page.
func TestLinksInDocuments(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	for _, name := range append(guides(t, tree), "CHANGELOG.md") {
		if path.Ext(name) != ".md" {
			continue
		}
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		require.Empty(t, deadLinks(tree, name, string(text)), name)
	}
	require.Equal(t, []string{"gone.md", "../gone", "configuration.md#no-such-heading", "#nowhere"},
		deadLinks(tree, "docs/security.md", "# Here\n[a](gone.md) [b](../gone) [c](models.md) [d](#here) "+
			"[e](configuration.md#no-such-heading) [f](https://x.example/y) [g](#nowhere)"), "the control")
}

var (
	linkTo  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
	heading = regexp.MustCompile("(?m)^#+ (.+)$")
	codes   = regexp.MustCompile("(?ms)^```.*?^```$")
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// deadLinks lists the links of a document that lead nowhere. Links to other servers are not looked at.
func deadLinks(tree fs.FS, doc, text string) (dead []string) {
	for _, m := range linkTo.FindAllStringSubmatch(codes.ReplaceAllString(text, ""), -1) {
		if scheme.MatchString(m[1]) {
			continue
		}
		file, anchor, _ := strings.Cut(m[1], "#")
		page := text
		if file != "" {
			at := path.Join(path.Dir(doc), file)
			if _, err := fs.Stat(tree, at); err != nil {
				dead = append(dead, m[1])
				continue
			}
			if b, err := fs.ReadFile(tree, at); err == nil {
				page = string(b)
			}
		}
		if anchor != "" && !hasHeading(page, anchor) {
			dead = append(dead, m[1])
		}
	}
	return dead
}

// hasHeading reports whether a page has a heading with that anchor, as git hosts make anchors.
func hasHeading(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(codes.ReplaceAllString(page, ""), -1) {
		slug := noSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestEveryPageIsInTheReadme checks that the README links each page of docs. The index of the configuration
// is held to its pages by a test of its own.
func TestEveryPageIsInTheReadme(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	readme, err := fs.ReadFile(tree, "README.md")
	require.NoError(t, err)
	pages, err := fs.Glob(tree, "docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range append(pages, "docs/engineering/README.md", "docs/pictures/gallery/README.md") {
		require.Contains(t, string(readme), "]("+page+")")
	}
}

// TestThePageForPeopleIsCurrent checks that docs/for-people.md has the text that Bobbin posts in a channel.
func TestThePageForPeopleIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/for-people.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "-->")
	require.Equal(t, workflow.ChannelGuide(), strings.TrimSpace(text),
		"copy workflow/channelguide.md below the comment")
	require.Less(t, len(workflow.ChannelGuide()), 3000, "it is one message, and one screen")
}
