package runners

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/internal/runners/gotest"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// described returns a reading in the form of the golden files.
func described(r Reading, ok bool) string {
	if !ok {
		return "nobody's output\n"
	}
	var b strings.Builder
	counted := ""
	if r.Uncounted {
		counted = ", uncounted"
	}
	if r.Stated > len(r.Tests) {
		counted += fmt.Sprintf(", of the runner's %d", r.Stated)
	}
	fmt.Fprintf(&b, "%s: %d passed, %d failed, %d skipped%s\n", r.format, r.Passed, r.Failed, r.Skipped, counted)
	for _, t := range r.Tests {
		fmt.Fprintf(&b, "%s %s", t.Status, t.Name)
		if t.Group != "" {
			fmt.Fprintf(&b, " in %s", t.Group)
		}
		if t.Of != "" {
			fmt.Fprintf(&b, ", a case of %s", t.Of)
		}
		if t.Broken != "" {
			fmt.Fprintf(&b, ", broken")
		}
		b.WriteString("\n")
		for line := range strings.Lines(t.Output) {
			fmt.Fprintf(&b, "\t| %s", strings.TrimRight(line, " \n")+"\n")
		}
	}
	return b.String()
}

// TestRunnersAreUnderstood reads real output of the runners.
func TestRunnersAreUnderstood(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			got := described(Read(string(text)))
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// TestColoursAndReturnsDoNotMatter reads each sample with the colours and line ends of a terminal.
func TestColoursAndReturnsDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"jest-verbose", "vitest-verbose", "mocha", "node-spec", "cargo", "pytest-v"} {
		text, err := os.ReadFile("testdata/" + name + ".txt")
		require.NoError(t, err)
		var coloured strings.Builder
		for line := range strings.Lines(string(text)) {
			coloured.WriteString("\x1b[1;31m" + strings.TrimSuffix(line, "\n") + "\x1b[0m\r\n")
		}
		want, _ := Read(string(text))
		got, ok := Read(coloured.String())
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
}

func TestWhatGoPrintedIsForPeopleAgain(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/go-json.txt")
	require.NoError(t, err)
	r, ok := Read(string(text))
	require.True(t, ok)
	require.NotContains(t, r.Text, `"Action"`)
	for _, want := range []string{"broken/b_test.go:5:28: undefined: Missing", "sum = 9, want 10", "FAIL\texample.com/shop/money"} {
		require.Contains(t, r.Text, want)
	}
}

func TestOfPackagesThoseThatFailAreForPeople(t *testing.T) {
	t.Parallel()
	event := func(pkg, verdict string) string {
		return fmt.Sprintf(`{"Action":"output","Package":"%[1]s","Output":"%[2]s\t%[1]s\n"}`+"\n"+`{"Action":"%[2]s","Package":"%[1]s"}`+"\n", pkg, verdict)
	}
	r, ok := Read(event("one", "pass") + event("two", "fail") + event("three", "skip"))
	require.True(t, ok)
	require.Equal(t, "fail\ttwo\n", r.Text)
	r, _ = Read(event("one", "pass") + event("three", "skip"))
	require.Equal(t, "pass\tone\nskip\tthree\n", r.Text, "the control: where none fails all are")
}

func TestReadingIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, `{"Action":"output","Package":"p","Test":"TestBig","Output":"line %d\n"}`+"\n", i)
	}
	b.WriteString(`{"Action":"fail","Package":"p","Test":"TestBig"}` + "\n" + `{"Action":"fail","Package":"p"}` + "\n")
	r, ok := Read(b.String())
	require.True(t, ok)
	require.Less(t, len(r.Tests[0].Output), maxTestOutput+100)
	require.Less(t, len(r.Text), result.MaxText+100)
	require.Contains(t, r.Tests[0].Output, "line 0\n")
}

// fuzz checks that a reader keeps its guarantees for any input.
func fuzz(f *testing.F, pattern string, read func(string) (Reading, bool)) {
	files, err := filepath.Glob("testdata/" + pattern)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := read(result.StripTerminal(text))
		if !ok {
			return
		}
		r.boundAndCount()
		require.LessOrEqual(t, len(r.Tests), r.Passed+r.Failed+r.Skipped)
		for _, test := range r.Tests {
			require.Contains(t, []result.Status{result.Passed, result.Failed, result.Skipped}, test.Status)
			require.True(t, utf8.ValidString(test.Name))
			require.LessOrEqual(t, len(test.Output), maxTestOutput+100)
			require.False(t, test.Broken != "" && test.Status != result.Failed)
		}
	})
}

func FuzzGoJSON(f *testing.F) { fuzz(f, "go-json*.txt", fromGo(gotest.ReadJSON)) }

func FuzzGoText(f *testing.F) { fuzz(f, "go-text*.txt", fromGo(gotest.ReadText)) }

func FuzzJUnit(f *testing.F) { fuzz(f, "junit*.txt", readJUnit) }

func FuzzTAP(f *testing.F) { fuzz(f, "*tap*.txt", readTAP) }

func FuzzCargo(f *testing.F) { fuzz(f, "cargo*.txt", readCargo) }

func FuzzPytest(f *testing.F) { fuzz(f, "pytest*.txt", readPytest) }

func FuzzUnittest(f *testing.F) { fuzz(f, "unittest*.txt", readUnittest) }

func FuzzVitest(f *testing.F) { fuzz(f, "vitest*.txt", readVitest) }

func FuzzJest(f *testing.F) { fuzz(f, "jest*.txt", readJest) }

func FuzzNodeSpec(f *testing.F) { fuzz(f, "node-spec*.txt", readNodeSpec) }

func FuzzMocha(f *testing.F) { fuzz(f, "mocha*.txt", readMocha) }

func FuzzAny(f *testing.F) { fuzz(f, "*.txt", Read) }
