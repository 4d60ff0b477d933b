package proposal

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
)

// templateFolders are the folders in which hosts look for a pull request template, in the order in which they
// look, by the kind of host.
var templateFolders = map[string][]string{
	host.GitHub: {".github", ".", "docs"},
	host.GitLab: {".gitlab/merge_request_templates"},
	host.Gitea:  {".gitea", ".forgejo", ".", ".github", "docs"},
}

// templateNames are the names that a template has there, in small letters.
var templateNames = []string{"pull_request_template.md", "pull_request_template.txt", "pull_request_template"}

// FindTemplate returns the path of the pull request template among a repository's files, where a host of that
// kind looks for it, or an empty string if there is none.
func FindTemplate(kind string, files fs.FS) string {
	names := templateNames
	if kind == host.GitLab {
		names = []string{"default.md"}
	}
	for _, folder := range templateFolders[kind] {
		there, err := fs.ReadDir(files, folder)
		if err != nil {
			continue
		}
		for _, name := range names {
			i := slices.IndexFunc(there, func(d fs.DirEntry) bool {
				return d.Type().IsRegular() && strings.ToLower(d.Name()) == name
			})
			if i >= 0 {
				return path.Join(folder, there[i].Name())
			}
		}
	}
	return ""
}

// MaxTemplate is how many bytes of a template are read.
const MaxTemplate = 16 << 10

// Known is what the program itself knows of a change, for the checklist of a template.
type Known struct {
	TestsAdded bool // a new test fails without the change and passes with it
	TestsPass  bool // the tests that passed before still pass
}

// PullRequestTemplate returns a repository's template as it goes into a pull request. It is data of whoever
// wrote it: the program obeys nothing in it, shows it to no model, and takes away what has an effect at a
// host. Its headings and its text stay; comments, commands to the host and what is too long are left out. No
// item of a checklist is ticked, unless the program knows it.
func PullRequestTemplate(text string, known Known) string {
	cut := len(text) > MaxTemplate
	text = strings.ToValidUTF8(text[:min(len(text), MaxTemplate)], "")
	text = strings.ReplaceAll(text, "\r", "")
	text = htmlComment.ReplaceAllString(frontMatter.ReplaceAllString(text, ""), "")
	text = hostCommand.ReplaceAllString(text, "")
	lines := strings.Split(host.Quote(text), "\n")
	for i, line := range lines {
		if m := checkbox.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + known.tick(m[2]) + m[2]
		}
	}
	text = strings.TrimSpace(manyBreaks.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
	if len(text) > MaxTemplate { // what makes it harmless is longer than what it was
		cut = true
		text = strings.ToValidUTF8(text[:MaxTemplate], "")
	}
	if !cut {
		return text
	}
	if at := strings.LastIndex(text, "\n"); at > 0 {
		text = text[:at]
	}
	return text + "\n\n… The template is longer than this; the rest is left out."
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)`)
	hostCommand = regexp.MustCompile(`(?m)^[ \t]*/[a-z_]+(?:[ \t].*)?$`)
	checkbox    = regexp.MustCompile(`^([ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+)\[[ xX]?\](.*)$`)
	manyBreaks  = regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`)
)

// tick returns the box of a checklist's item: ticked only if the program knows what the item says, and the
// item says nothing else.
func (k Known) tick(item string) string {
	switch {
	case moreThanTests.MatchString(item):
	case k.TestsAdded && testsAdded.MatchString(item), k.TestsPass && testsPass.MatchString(item):
		return "[x]"
	}
	return "[ ]"
}

var (
	testsAdded = regexp.MustCompile(`(?i)^[ \t]*(?:I(?:'ve| have)? )?` +
		`(?:added|wrote|includes?d?|there are)\s+(?:a |some |new |unit |regression |automated )*tests?\b`)
	testsPass = regexp.MustCompile(`(?i)^[ \t]*(?:all |the |new |and |existing |unit |automated )*tests? ` +
		`(?:still |all |now )?pass(?:es)?\b`)
	moreThanTests = regexp.MustCompile(`(?i)\b(?:doc\w*|changelog|manual\w*|staging|production|` +
		`screenshots?|coverage|e2e|end.to.end|integration|performance|benchmarks?|lint\w*|reviewed|` +
		`browsers?)\b`)
)
