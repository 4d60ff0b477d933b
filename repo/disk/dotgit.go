package disk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsDotGit reports whether some file system takes a name for .git: Windows drops trailing dots and
// blanks and has streams and short names, macOS ignores case and invisible characters.
func IsDotGit(name string) bool {
	if len(name) < 4 || name[0] < utf8.RuneSelf && !strings.ContainsRune(".gG", rune(name[0])) {
		return false // the usual case
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}
