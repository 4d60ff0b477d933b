package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// DidYouMean returns a suggestion of the known word nearest to word, or an empty string if none is near.
func DidYouMean(word string, known []string) string {
	if near := plaintext.NearestWord(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func Count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func Gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

func Errno(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// WithoutControls removes control characters other than newline and tab, so that text of people and models
// cannot control the terminal.
func WithoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

func Indent(s string, by int) string {
	return strings.ReplaceAll(WithoutControls(s), "\n", "\n"+strings.Repeat(" ", by))
}

// ShellWord returns s as one word of a shell's command line, in quotes if it needs them.
func ShellWord(s string) string {
	plain := func(c rune) bool {
		return strings.ContainsRune("/._-+:@%", c) || unicode.IsLetter(c) || unicode.IsDigit(c)
	}
	if s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !plain(c) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
