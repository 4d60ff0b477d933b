package modeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Start serves a script for a test. The test fails if the script was not followed to its end. script is the
// text of a script or, in a single line, the path of its file.
func Start(t testing.TB, script string) *Server {
	t.Helper()
	parsed, err := scriptOf(t.Name(), script)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Serve(parsed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := s.Finish(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func scriptOf(test, script string) (*Script, error) {
	if !strings.Contains(script, "\n") {
		return load(script)
	}
	return Parse(test, script)
}

// updateVariable is the environment variable that makes Golden write the files, whatever its value.
const updateVariable = "UPDATE_GOLDEN"

// Golden compares a text with a golden file, after scrubbing what differs between runs. If UPDATE_GOLDEN is
// set in the environment, it writes the file instead.
func Golden(t testing.TB, got, file string, scrub ...func(string) string) {
	t.Helper()
	for _, f := range scrub {
		got = f(got)
	}
	if os.Getenv(updateVariable) != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nset %s=1 to write it", err, updateVariable)
	}
	if diff := firstDifference(string(want), got); diff != "" {
		t.Errorf("%s differs, set %s=1 to write it anew:\n%s", file, updateVariable, diff)
	}
}

// Scrub returns a function that replaces what a pattern matches: times, hashes, temporary paths.
func Scrub(pattern, with string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(text string) string { return re.ReplaceAllString(text, with) }
}

// firstDifference returns the first lines that differ, with the lines before them, or an empty string.
func firstDifference(want, got string) string {
	if want == got {
		return ""
	}
	a := strings.Split(want, "\n")
	b := strings.Split(got, "\n")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	var out strings.Builder
	fmt.Fprintf(&out, "from line %d on\n", n+1)
	for _, l := range a[max(0, n-3):n] {
		out.WriteString("    " + l + "\n")
	}
	for _, l := range a[n:min(n+5, len(a))] {
		out.WriteString("  - " + l + "\n")
	}
	for _, l := range b[n:min(n+5, len(b))] {
		out.WriteString("  + " + l + "\n")
	}
	return out.String()
}
