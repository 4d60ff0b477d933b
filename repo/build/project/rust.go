package project

import (
	"regexp"
	"slices"
	"strings"
)

var rust = language{
	whole:       true,
	kind:        "rust",
	find:        findRust,
	isTest:      isRustTest,
	spliceTests: spliceRustTests,
	suffix:      ".rs",
	code:        regexp.MustCompile(`\.rs$`),
}

func findRust(t tree) Project {
	if !t.hasFile("Cargo.toml") {
		return Project{}
	}
	manifest := t.readText("Cargo.toml")
	all := ""
	if cargoWorkspace.MatchString(manifest) && !strings.Contains(manifest, "default-members") {
		all = " --workspace" // without it cargo takes only the package at the top, if there is one
	}
	// Without --no-fail-fast the first failing crate hides the results of the others.
	return Project{Kind: "rust", Build: "cargo build" + all, Test: "cargo test --no-fail-fast" + all}
}

// cargoWorkspace matches the head of a table that makes a manifest that of a workspace.
var cargoWorkspace = regexp.MustCompile(`(?m)^\s*\[\s*workspace\s*[.\]]`)

func isRustTest(file string, folders []string) bool {
	return slices.Contains(folders, "tests") || strings.HasSuffix(file, "/tests.rs") ||
		strings.HasSuffix(file, "_test.rs")
}

var rustTests = regexp.MustCompile(
	`#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))?\s+)?mod\s+\w+\s*\{`)

// spliceRustTests returns the Rust source base with its test module replaced by that of other. Rust keeps
// unit tests in the file that they test, so the file cannot be copied as a whole.
func spliceRustTests(base, other string) string {
	from, to, ok := rustTestModule(other)
	if !ok {
		return base
	}
	tests := other[from:to]
	if from, to, ok = rustTestModule(base); ok {
		return base[:from] + tests + base[to:]
	}
	return strings.TrimRight(base, "\n") + "\n\n" + tests + "\n"
}

// rustTestModule returns the start and the end of the first test module.
func rustTestModule(source string) (from, to int, ok bool) {
	at := rustTests.FindStringIndex(source)
	if at == nil {
		return 0, 0, false
	}
	depth := 1
	for i := at[1]; i < len(source); {
		switch c := source[i]; c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at[0], i + 1, true
			}
		default:
			if n := rustQuoted(source[i:], i > 0 && isRustWord(source[i-1])); n > 0 {
				i += n
				continue
			}
		}
		i++
	}
	return 0, 0, false
}

func isRustWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// rustQuoted returns the length of the comment, string or character at the start of s, or 0 if there is
// none.
func rustQuoted(s string, afterWord bool) int {
	switch {
	case strings.HasPrefix(s, "//"):
		return endOf(s, "\n", 2)
	case strings.HasPrefix(s, "/*"):
		return rustComment(s)
	case s[0] == '"':
		return rustString(s)
	case s[0] == '\'':
		return rustChar(s)
	case s[0] == 'r' && !afterWord:
		hashes := len(s[1:]) - len(strings.TrimLeft(s[1:], "#"))
		if strings.HasPrefix(s[1+hashes:], `"`) {
			return endOf(s, `"`+strings.Repeat("#", hashes), 2+hashes)
		}
	}
	return 0
}

// endOf returns the length of s up to and including the next end after the first skip bytes, or all of s.
func endOf(s, end string, skip int) int {
	if i := strings.Index(s[skip:], end); i >= 0 {
		return skip + i + len(end)
	}
	return len(s)
}

// rustComment returns the length of a block comment. Block comments nest.
func rustComment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func rustString(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// rustChar returns the length of a character literal, or 0 for a lifetime, which has no closing quote.
func rustChar(s string) int {
	if strings.HasPrefix(s, `'\`) {
		return endOf(s, "'", min(3, len(s)))
	}
	for i := range strings.TrimPrefix(s, "'") {
		if i == 0 {
			continue
		}
		if s[i+1] == '\'' { // a single character of any number of bytes
			return i + 2
		}
		return 0
	}
	return 0
}
